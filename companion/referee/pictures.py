"""Stores the pictures that moves were read from beside the journals, up to a limit.

Beyond the limit the oldest pictures are deleted. Their moves stay, and say that their picture was not kept.
"""

import hashlib
from pathlib import Path

from companion.errors import JournalError
from companion.referee.folder import storage_errors, sync_folder, write_whole
from companion.referee.moves import Kept

MOST_BYTES = 500_000_000


class Pictures:
    """The pictures in the folder of a table's games. Written by one thread; read by any."""

    def __init__(self, games: Path, most_bytes: int = MOST_BYTES) -> None:
        self._games = games
        self._most_bytes = most_bytes
        self._bytes = sum(path.stat().st_size for path in self._kept())

    def keep(self, journal: Path, line: int, jpeg: bytes, confidence: float) -> Kept:
        """Store the picture that a journal's line will name. Raises `JournalError` when it cannot be written."""
        folder = journal.with_suffix(".evidence")
        kept = Kept(f"{line:04}.jpg", hashlib.sha256(jpeg).hexdigest(), confidence)
        with storage_errors(f"cannot keep a picture in {folder}"):
            if not folder.exists():
                folder.mkdir()
                sync_folder(folder.parent)
            write_whole(folder / kept.file, jpeg)
            self._bytes += len(jpeg)
            self._make_room(folder / kept.file)
        return kept

    def _kept(self) -> list[Path]:
        """The files that are pictures of moves, by their names."""
        found = self._games.glob("*.evidence/*.jpg")
        return [path for path in found if path.stem.isdecimal() and path.parent.stem.isdecimal() and path.is_file()]

    def _make_room(self, newest: Path) -> None:
        if self._bytes <= self._most_bytes:
            return
        for path in sorted(self._kept(), key=_age):
            if self._bytes <= self._most_bytes or path == newest:
                return
            self._bytes -= path.stat().st_size
            path.unlink()


def kept_picture(journal: Path, kept: Kept) -> bytes | None:
    """A picture that a journal names; None when deleted to make room. Raises `JournalError` if it was changed."""
    path = journal.with_suffix(".evidence") / kept.file
    name = f"{path.parent.name}/{path.name}"  # players see the message: it does not name the data folder
    with storage_errors(f"cannot read the picture {name}"):
        try:
            jpeg = path.read_bytes()
        except FileNotFoundError:
            return None
    if hashlib.sha256(jpeg).hexdigest() != kept.sha256:
        raise JournalError(f"the picture {name} is not the one that was kept", code="evidence-damaged")
    return jpeg


def _age(path: Path) -> tuple[int, int]:
    """The numbers of the game and of the line; as numbers, because five digits follow 9999."""
    return int(path.parent.stem), int(path.stem)
