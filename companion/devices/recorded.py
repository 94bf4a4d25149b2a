"""A camera that plays back: a folder of pictures in name order, or a video file."""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.devices.camera import Frame
from companion.errors import DeviceError

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp"})

_DEFAULT_FPS = 10.0
_SKIPS_FOR_S = 1.0
"""Pictures that come too late are left out for so long: a video may be read more slowly than it was filmed."""

Picture = NDArray[np.uint8]
"""uint8 (h, w, 3) BGR."""


class Recorded:
    """Plays a recording once, at the pace at which it was filmed, or as fast as it is read."""

    def __init__(
        self,
        path: Path,
        *,
        frames_per_second: float | None = None,
        in_real_time: bool = True,
        load: Callable[[Path], Picture | None] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """A recording.

        Args:
            path: a folder or a video file.
            frames_per_second: its pace; None for a video file's own, or ten a second.
            in_real_time: whether to wait until each picture's time has come, leaving out those that come too late.
            load: reads a picture's file; None for `load_picture`.
            clock: seconds that never go back.
        """
        self.name = f"recording {path}"
        self._path = path
        self._fps = frames_per_second
        self._in_real_time = in_real_time
        self._load = load
        self._clock = clock
        self._is_open = False
        self._closed = threading.Event()
        self._pictures: Iterator[Callable[[], Picture | None]] = iter(())
        self._count = 0
        self._began_s: float | None = None

    def open(self) -> None:
        """Find the recording. Raises `DeviceError` when it is not there or nothing that can be played."""
        if self._is_open:
            return
        self._closed.clear()
        self._count, self._began_s = 0, None
        try:
            if self._path.is_dir():
                self._pictures = self._from_folder()
            elif self._path.is_file():
                self._pictures = self._from_video()
            else:
                raise DeviceError(f"no recording at {self._path}: name a folder of pictures or a video file")
        except OSError as error:  # a stick that was pulled out
            raise DeviceError(f"cannot read {self._path}: {error.strerror or error}") from error
        self._fps = self._fps or _DEFAULT_FPS
        self._is_open = True

    def next(self, timeout_s: float = 5.0) -> Frame | None:
        """The next picture when its time has come; None at the end. Files that are no pictures are left out."""
        asked_s = self._clock()
        for read in self._pictures:
            number = self._count
            self._count += 1
            is_late = self._in_real_time and not self._wait_for(number / (self._fps or _DEFAULT_FPS))
            if is_late and self._clock() - asked_s < _SKIPS_FOR_S:
                continue
            if self._closed.is_set():
                return None
            if (picture := read()) is not None:
                return Frame(number, number / (self._fps or _DEFAULT_FPS), picture)
        return None

    def close(self) -> None:
        """Stop playing; opened again, it plays from the beginning."""
        self._is_open = False
        self._closed.set()

    def _wait_for(self, at_s: float) -> bool:
        """Wait for a picture's time; False when the next one's has come as well."""
        now = self._clock()
        if self._began_s is None:
            self._began_s = now
        late_s = now - self._began_s - at_s
        if late_s < 0:
            self._closed.wait(-late_s)
        return late_s < 1 / (self._fps or _DEFAULT_FPS)

    def _from_folder(self) -> Iterator[Callable[[], Picture | None]]:
        from companion.vision.image.codec import (
            load_picture,  # slow to import, not needed by a table without a camera
        )

        paths = sorted(path for path in self._path.iterdir() if path.suffix.lower() in SUFFIXES)
        if not paths:
            raise DeviceError(f"no pictures in {self._path}: it needs files such as 0001.jpg")
        return (partial(self._load or load_picture, path) for path in paths)

    def _from_video(self) -> Iterator[Callable[[], Picture | None]]:
        import cv2

        video = cv2.VideoCapture(str(self._path))
        if not video.isOpened():
            raise DeviceError(f"{self._path} is no video that can be played")
        self._fps = self._fps or video.get(cv2.CAP_PROP_FPS) or None
        return _frames_of(video)


def _frames_of(
    video: "cv2.VideoCapture",  # type: ignore[name-defined]  # noqa: F821
) -> Iterator[Callable[[], Picture | None]]:
    try:
        while video.grab():
            yield lambda: video.retrieve()[1]
    finally:
        video.release()
