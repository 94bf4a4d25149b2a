"""Picture files that commands are given, and those that they write."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from companion.devices.recorded import SUFFIXES
from companion.errors import UnreadableImage, UsageError
from companion.vision.image.codec import load_picture, trouble_with


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture that a command is to look at.

    Attributes:
        given: its path as the command was given it; of one in a folder, the folder's and its own name.
    """

    given: str

    @property
    def path(self) -> Path:
        """Where it lies."""
        return Path(self.given)

    def is_folder(self) -> bool:
        """Whether it is a folder; a path that cannot be looked up is told as a picture that cannot be read."""
        try:
            return bool(self.given) and self.path.is_dir()
        except OSError:
            return False

    def inside(self) -> list["PictureFile"]:
        """The pictures in it, by name; none where it cannot be listed."""
        try:
            names = sorted(path.name for path in self.path.iterdir() if path.suffix.lower() in SUFFIXES)
        except OSError:
            return []
        return [PictureFile(os.path.join(self.given, name)) for name in names]  # noqa: PTH118 (Path drops a "./")

    def trouble(self) -> UnreadableImage:
        """Why it is no picture."""
        return UnreadableImage(trouble_with(self.path) if self.given else "an empty name is no file's")


def pictures_in(paths: Sequence[str]) -> list[PictureFile]:
    """The paths in their order, a folder replaced by its pictures by name, one without any left as it is.

    Raises `UsageError` where there is nothing but folders without pictures.
    """
    given = [PictureFile(path) for path in paths]
    pictures = [picture for one in given for picture in ((one.inside() or [one]) if one.is_folder() else [one])]
    if pictures and all(picture.is_folder() for picture in pictures):
        raise UsageError(trouble_with(pictures[0].path), code="no-pictures")
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


@contextmanager
def hushed() -> Iterator[None]:
    """Keep what OpenCV's libraries write to standard error themselves off it until the end of the block."""
    with ExitStack() as closing:
        with suppress(OSError):  # there may be no standard error to write to
            kept = os.dup(2)
            closing.callback(os.close, kept)
            nowhere = os.open(os.devnull, os.O_WRONLY)
            closing.callback(os.close, nowhere)
            os.dup2(nowhere, 2)
            closing.callback(os.dup2, kept, 2)
        yield


def read_picture(path: Path) -> NDArray[np.uint8] | None:
    """As `load_picture`, for a command: what libpng and libjpeg would write to standard error themselves is hushed."""
    with hushed():
        return load_picture(path)


def required_picture(file: PictureFile) -> NDArray[np.uint8]:
    """A picture file, uint8 BGR. Raises `UnreadableImage`."""
    picture = read_picture(file.path)
    if picture is None:
        raise file.trouble()
    return picture
