"""Picture files that commands are given, and those that they write."""

import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.devices.recorded import SUFFIXES
from companion.errors import UnreadableImage, UsageError
from companion.vision.image.codec import load_picture, trouble_with


def pictures_in(paths: Sequence[Path]) -> list[Path]:
    """The paths in their order, a folder replaced by its pictures by name, one without any left as it is.

    Raises `UsageError` where there is nothing but folders without pictures.
    """
    found = [(_inside(path) or [path]) if _is_folder(path) else [path] for path in paths]
    pictures = [picture for some in found for picture in some]
    if pictures and all(map(_is_folder, pictures)):
        raise UsageError(trouble_with(pictures[0]), code="no-pictures")
    return pictures


def numbered(paths: Iterable[Path]) -> list[str]:
    """A name for what is made of each file: its own, and a number after one that was there before.

    >>> numbered([Path("a/1.png"), Path("b/1.png"), Path("2.jpg")])
    ['1', '1-2', '2']
    """
    seen: dict[str, int] = {}
    names = []
    for path in paths:
        count = seen[path.stem] = seen.get(path.stem, 0) + 1
        names.append(path.stem if count == 1 else f"{path.stem}-{count}")
    return names


def read_picture(path: Path) -> NDArray[np.uint8] | None:
    """As `load_picture`, for a command: what libpng and libjpeg would write to standard error themselves is hushed."""
    with ExitStack() as closing:
        try:
            kept = os.dup(2)
        except OSError:  # there is no standard error to write to
            return load_picture(path)
        closing.callback(os.close, kept)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        closing.callback(os.close, nowhere)
        os.dup2(nowhere, 2)
        closing.callback(os.dup2, kept, 2)
        return load_picture(path)


def required_picture(path: Path) -> NDArray[np.uint8]:
    """A picture file, uint8 BGR. Raises `UnreadableImage`."""
    picture = load_picture(path)
    if picture is None:
        raise UnreadableImage(trouble_with(path))
    return picture


def write_file(path: Path, data: bytes) -> None:
    """Write a file, and its folder where there is none. Raises `UsageError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}", code="unwritable-file") from None


def _is_folder(path: Path) -> bool:
    """Whether a path leads to a folder; one that cannot be looked up is told as a picture that cannot be read."""
    try:
        return path.is_dir()
    except OSError:
        return False


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)
    except OSError:
        return []
