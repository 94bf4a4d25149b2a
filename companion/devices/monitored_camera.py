"""A camera with a pulse: how long ago its user last came round to it, and the picture that it got then.

The first tells a hung loop from a quiet one; by the second others may look at the table without a camera of their own.
"""

import time
from collections.abc import Callable

from companion.devices.camera import Camera, Frame


class MonitoredCamera:
    """A camera that behaves as the one inside and notes each coming and going of the loop that uses it."""

    def __init__(self, camera: Camera, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = camera.name
        self._camera = camera
        self._clock = clock
        self._beat_s = clock()
        self._newest: tuple[float, Frame] | None = None

    def open(self) -> None:
        """Take hold of the device."""
        self._beat()
        self._camera.open()
        self._beat()

    def next(self, timeout_s: float = 5.0) -> Frame | None:
        """The next picture."""
        self._beat()
        frame = self._camera.next(timeout_s)
        self._beat()
        if frame is not None:
            self._newest = (self._clock(), frame)
        return frame

    def newest(self, within_s: float = 5.0) -> Frame | None:
        """The picture that was taken last; None when that was longer ago. From any thread."""
        newest = self._newest
        return newest[1] if newest is not None and self._clock() - newest[0] <= within_s else None

    def close(self) -> None:
        """Let the device go, and the picture with it."""
        self._newest = None
        self._camera.close()

    def quiet_s(self) -> float:
        """Seconds since the loop last asked for the device or got its answer."""
        return self._clock() - self._beat_s

    def begin(self) -> None:
        """Count anew, because a loop is about to start."""
        self._beat()

    def _beat(self) -> None:
        self._beat_s = self._clock()
