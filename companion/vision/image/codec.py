"""Pictures from files and bytes and back, bounded before they are decoded: a small file may hold gigabytes of picture.

How many pixels a header may name OpenCV checks itself, by the variable that the program sets when it starts
(`companion.rules.limits.MOST_PIXELS`).
"""

import os
import stat
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rules.limits import MOST_PICTURE_BYTES, MOST_PIXELS

_READ = (b"\xff\xd8\xff", b"\x89PNG\r\n", b"BM", b"RIFF")
"""How the files that are decoded begin: JPEG, PNG, BMP, WebP. OpenCV's readers of other kinds bound the whole picture
only: a TIFF of 150 bytes took a gigabyte for one of its tiles, a GIF of 35 bytes half of one."""


def decode_picture(data: bytes) -> NDArray[np.uint8] | None:
    """The picture in the bytes of a JPEG, PNG, WebP or BMP, uint8 BGR (h, w, 3); None of others, and of larger ones."""
    if not data.startswith(_READ) or len(data) > MOST_PICTURE_BYTES:
        return None
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:  # so it says that the header names more pixels than it may
        return None
    return None if picture is None else np.asarray(picture, np.uint8)


def load_picture(path: str | Path) -> NDArray[np.uint8] | None:
    """A picture file as uint8 BGR (h, w, 3); None when it is no picture, or larger than is decoded."""
    path = Path(path)
    try:
        if path.is_fifo():  # whoever opens a pipe waits for somebody to write
            return None
        with path.open("rb") as file:
            return decode_picture(file.read(MOST_PICTURE_BYTES + 1))
    except OSError:
        return None


def encode_picture(picture: NDArray[np.uint8], quality: int = 85, *more: int) -> bytes:
    """The bytes of a JPEG file of a picture, uint8 BGR (h, w, 3); ``more`` are OpenCV's flags and their values."""
    return _encoded(picture, ".jpg", [cv2.IMWRITE_JPEG_QUALITY, quality, *more])


def encode_png(picture: NDArray[np.uint8]) -> bytes:
    """The bytes of a PNG file, which keeps a picture (h, w, 4) as transparent as it is."""
    return _encoded(picture, ".png", [])


def _encoded(picture: NDArray[np.uint8], ending: str, flags: Sequence[int]) -> bytes:
    done, data = cv2.imencode(ending, picture, flags)
    assert done, "encoding an array in memory cannot fail"
    return bytes(data.tobytes())


def trouble_with(path: Path) -> str:
    """One line for people: why `load_picture` gave nothing for a file."""
    try:
        kind = path.stat().st_mode
    except FileNotFoundError:
        return f"{path}: no such file"
    except OSError as error:
        return f"{path}: {error.strerror}"
    if not os.access(path, os.R_OK):
        return f"{path}: it may not be read"
    if stat.S_ISDIR(kind):
        return f"{path}: no pictures in this folder"
    return f"{path}: no JPEG, PNG, WebP or BMP that can be read, of {MOST_PIXELS // 1_000_000} million pixels at most"
