"""The pictures that moves were read from, kept beside the journals: whole or not at all, and never more than a limit.

When there are more, those of the oldest games go first and of the game on the table the oldest; the moves themselves
stay, and say that their picture was not kept.
"""

import hashlib
from pathlib import Path

from companion.errors import JournalError
from companion.referee.folder import settle, storage_errors, write_whole
from companion.referee.moves import Kept

MOST_BYTES = 500_000_000


class Pictures:
    """The pictures in the folder of a table's games. Written by one thread; read by any."""

    def __init__(self, games: Path, most_bytes: int = MOST_BYTES) -> None:
        self._games = games
        self._most_bytes = most_bytes
        self._bytes = sum(path.stat().st_size for path in games.glob("*.evidence/*.jpg"))

    def keep(self, journal: Path, line: int, jpeg: bytes, confidence: float) -> Kept:
        """Keep the picture that a journal's line will name. Raises `JournalError` when it cannot be written."""
        folder = journal.with_suffix(".evidence")
        kept = Kept(f"{line:04}.jpg", hashlib.sha256(jpeg).hexdigest(), confidence)
        with storage_errors(f"cannot keep a picture in {folder}"):
            if not folder.exists():
                folder.mkdir()
                settle(folder.parent)
            write_whole(folder / kept.file, jpeg)
            self._bytes += len(jpeg)
            self._make_room(folder / kept.file)
        return kept

    def read(self, journal: Path, kept: Kept) -> bytes | None:
        """A picture that was kept; see `kept_picture`."""
        return kept_picture(journal, kept)

    def _make_room(self, newest: Path) -> None:
        if self._bytes <= self._most_bytes:
            return
        for path in sorted(self._games.glob("*.evidence/*.jpg"), key=_age):
            if self._bytes <= self._most_bytes or path == newest:
                return
            self._bytes -= path.stat().st_size
            path.unlink()


def kept_picture(journal: Path, kept: Kept) -> bytes | None:
    """A picture that a journal names; None when it had to make room. Raises `JournalError` when it was changed."""
    path = journal.with_suffix(".evidence") / kept.file
    name = f"{path.parent.name}/{path.name}"  # where the games lie is nothing for whoever is told
    with storage_errors(f"cannot read the picture {name}"):
        try:
            jpeg = path.read_bytes()
        except FileNotFoundError:
            return None
    if hashlib.sha256(jpeg).hexdigest() != kept.sha256:
        raise JournalError(f"the picture {name} is not the one that was kept", code="evidence-damaged")
    return jpeg


def _age(path: Path) -> tuple[int, int]:
    """The number of the game and of the line; as numbers, for after 9999 come five digits."""
    return int(path.parent.stem), int(path.stem)
