"""A camera on the USB, through Video4Linux."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.devices.camera import Frame
from companion.devices.limits import Hung, within
from companion.errors import DeviceError

_QUEUED_S = 0.004
"""A picture that is there sooner than this had been waiting: a newer one may be behind it."""
_MOST_QUEUED = 8
_FRAME_WITHIN_S = 2.0
_OPEN_WITHIN_S = 5.0
_STUCK_S = 10.0
"""A camera's noise makes each picture another: one that gives the same for so long has stopped filming."""
_SPARSE = 16


class UsbCamera:
    """The USB camera ``/dev/videoN``."""

    def __init__(
        self,
        index: int = 0,
        *,
        size_px: tuple[int, int] = (1920, 1080),
        frames_per_second: float = 15.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = f"USB camera {index}"
        self._index = index
        self._size_px = size_px
        self._fps = frames_per_second
        self._clock = clock
        self._video: Any = None
        self._in_use = threading.Lock()
        self._count = 0
        self._began_s = 0.0
        self._unchanged: tuple[float, NDArray[np.uint8]] | None = None

    def open(self) -> None:
        """Take hold of the camera and ask it for its size and pace; it may give others."""
        if self._video is not None:
            return
        if not Path(f"/dev/video{self._index}").exists():
            raise DeviceError(f"{self.name} is not there (no /dev/video{self._index}): plug it in or name another")
        import cv2  # the driver

        video = within(_OPEN_WITHIN_S, lambda: cv2.VideoCapture(self._index, cv2.CAP_V4L2), f"opening {self.name}")
        if not video.isOpened():
            raise DeviceError(f"{self.name} does not open: is it in use, or this user not in the group video?")
        video.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))  # raw pictures of this size choke USB 2
        video.set(cv2.CAP_PROP_FRAME_WIDTH, self._size_px[0])
        video.set(cv2.CAP_PROP_FRAME_HEIGHT, self._size_px[1])
        video.set(cv2.CAP_PROP_FPS, self._fps)
        video.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self._video, self._count, self._began_s, self._unchanged = video, 0, self._clock(), None

    def next(self, timeout_s: float = 5.0) -> Frame | None:
        """The newest picture. Gives up after two seconds, or sooner if asked to; the driver itself waits for ten."""
        with self._in_use:
            if self._video is None:
                return None
            picture = self._picture(self._video, min(timeout_s, _FRAME_WITHIN_S))
        if picture is None:
            raise DeviceError(f"{self.name} gives no picture: check its cable", code="no-frame")
        self._look_for_change(picture)
        number = self._count
        self._count += 1
        return Frame(number, self._clock() - self._began_s, picture)

    def close(self) -> None:
        """Let the camera go."""
        with self._in_use:  # the driver may not be let go while it is being read
            video, self._video = self._video, None
        if video is not None:
            video.release()

    def _look_for_change(self, picture: NDArray[np.uint8]) -> None:
        """Raise `DeviceError` when the picture has been the same for long; one without any contrast may be."""
        now_s, seen = self._clock(), picture[::_SPARSE, ::_SPARSE]
        if self._unchanged is None or not np.array_equal(seen, self._unchanged[1]) or seen.min() == seen.max():
            self._unchanged = now_s, seen.copy()
        elif now_s - self._unchanged[0] >= _STUCK_S:
            raise DeviceError(f"{self.name} gives the same picture again and again: plug it in anew", code="no-frame")

    def _picture(self, video: Any, limit_s: float) -> Any:
        try:
            return within(limit_s, lambda: self._newest(video), f"a picture of {self.name}")
        except Hung:
            self._video = None  # it is let go once its driver comes back; until then it must not be touched
            return None

    def _newest(self, video: Any) -> Any:
        import cv2

        try:
            return video.retrieve()[1] if self._grab_newest(video) else None
        except cv2.error:  # a picture without a byte, as a loose cable gives
            return None

    def _grab_newest(self, video: Any) -> bool:
        for _ in range(_MOST_QUEUED):
            asked_s = self._clock()
            if not video.grab():
                return False
            if self._clock() - asked_s > _QUEUED_S:
                break
        return True
