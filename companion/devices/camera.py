"""What every camera promises, and one that tells how long ago its user last came round to it.

The latter tells a hung loop from a quiet one, and keeps the newest picture for others to look at.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

RETRY_S = 2.0
"""How long after a camera was lost it is opened anew."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture.

    Attributes:
        number: 0 for the camera's first.
        at_s: seconds since the first, by the recording's own pace or by a clock that never jumps.
        picture: (height, width, 3) uint8, BGR; nobody else writes to it.
        age_s: how old it was when it was handed out, where the camera says so.
        small: (h, w) uint8, the same moment's brightness at a lower resolution, where the camera has it for nothing.
    """

    number: int
    at_s: float
    picture: NDArray[np.uint8]
    age_s: float = 0.0
    small: NDArray[np.uint8] | None = None


class Camera(Protocol):
    """A source of pictures, used by one thread; `close` may be called from any.

    Making one touches no hardware and imports no driver: `open` does.
    """

    name: str
    """What people call it, such as ``USB camera 0``."""

    def open(self) -> None:
        """Take hold of the device; one that is open stays so. Raises `DeviceError` that says what would help."""

    def next(self, timeout_s: float = 5.0) -> Frame | None:
        """The next picture; None when there will be no more: a recording's end, or closed.

        A camera that is slower to be read than it films gives its newest picture, not the oldest waiting.

        Raises:
            DeviceError: `no-frame`: none came in time; closing and opening again may help.
        """

    def close(self) -> None:
        """Let the device go; whoever waits in `next` returns soon. Twice is harmless."""


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
