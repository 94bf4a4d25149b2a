"""The data folder: locked by one process at a time, written durably; its pictures up to a limit.

DATA/lock                           held while a table runs
DATA/games/0001.jsonl               one journal a game, the newest last
DATA/games/0001.evidence/0007.jpg   the picture that the journal's line 7 was read from
DATA/games/0001.torn                what was cut off the journal's end after a sudden stop
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from companion.errors import JournalError
from companion.referee.moves import KeptPicture

UNPACKED = "restoring-whole"
"""The folder in a data folder where a backup lies unpacked whole, until all of it is in place."""

MOST_BYTES = 500_000_000
"""Of all pictures of a table."""


class Folder:
    """A data folder locked by this process; another process is refused.

    Raises:
        JournalError: `data-in-use`, `data-unwritable`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.games = path / "games"
        with storage_errors(f"cannot write in the data folder {path}"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir(mode=0o750, exist_ok=True)  # it holds codes and pictures: not readable by others
            put_in_place(path)
            self.games.mkdir(mode=0o750, exist_ok=True)
            self._lock = os.open(path / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(self._lock, 20, 0).decode(errors="replace").strip()
            os.close(self._lock)
            raise JournalError(
                f"another table is running on {path} (process {holder or 'unknown'}); stop it or choose another --data",
                code="data-in-use",
            ) from None
        with storage_errors(f"cannot write in the data folder {path}"):
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)

    def journals(self) -> list[Path]:
        """The games' journals, the oldest first."""
        return journals(self.games)

    def next_journal(self) -> Path:
        """The path of the next game's journal."""
        journals = self.journals()
        number = int(journals[-1].stem) + 1 if journals else 1
        return self.games / f"{number:04}.jsonl"

    def close(self) -> None:
        """Release the lock. Idempotent."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def journals(games: Path) -> list[Path]:
    """The journals in a folder of games, the oldest first; empty when there is no such folder."""
    numbered = (path for path in games.glob("[0-9]*.jsonl") if path.stem.isdecimal())
    return sorted(numbered, key=lambda path: (len(path.stem), path.stem))


def put_in_place(data: Path) -> None:
    """Put what a backup was unpacked to into its data folder; a restoring that was killed meanwhile is ended so."""
    unpacked = data / UNPACKED
    if not unpacked.is_dir():
        return
    for path in unpacked.iterdir():
        path.rename(data / path.name)
    sync_folder(data)
    unpacked.rmdir()


def write_whole(path: Path, data: bytes, mode: int = 0o640) -> None:
    """Write a file atomically and durably."""
    os.close(open_whole(path, data, mode))


def open_whole(path: Path, data: bytes, mode: int = 0o640) -> int:
    """Write a file as `write_whole` does; return its descriptor, open for reading and writing."""
    draft = path.with_name(path.name + ".draft")
    draft.unlink(missing_ok=True)  # a leftover draft would keep its permissions
    try:
        with closed_on_error(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)) as file:
            write_at(file, data, 0)
            os.fsync(file)
            draft.replace(path)
            sync_folder(path.parent)
    finally:
        draft.unlink(missing_ok=True)  # where it has not become the file
    return file


def write_at(file: int, data: bytes, place: int) -> None:
    """Write all of some bytes at a place of an open file; the system may take fewer at once."""
    written = 0
    while written < len(data):
        written += os.pwrite(file, data[written:], place + written)


@contextmanager
def closed_on_error(file: int) -> Iterator[int]:
    """Close an open file when the block raises."""
    try:
        yield file
    except BaseException:
        os.close(file)
        raise


def sync_folder(folder: Path) -> None:
    """Flush a folder's directory entries to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def storage_errors(what: str) -> Iterator[None]:
    """Raise `JournalError` with one line for people instead of `OSError`."""
    try:
        yield
    except OSError as error:
        raise JournalError(f"{what}: {error.strerror or error}", code="data-unwritable") from error


class Pictures:
    """The pictures that moves were read from, in the folder of a table's games. Written by one thread; read by any.

    Beyond the limit the oldest are deleted. Their moves stay, and say that their picture was not kept.
    """

    def __init__(self, games: Path, most_bytes: int = MOST_BYTES) -> None:
        self._games = games
        self._most_bytes = most_bytes
        self._bytes = sum(self._sizes().values())

    def keep(self, journal: Path, line: int, jpeg: bytes, confidence: float) -> KeptPicture:
        """Store the picture that a journal's line will name. Raises `JournalError` when it cannot be written."""
        folder = journal.with_suffix(".evidence")
        kept = KeptPicture(f"{line:04}.jpg", hashlib.sha256(jpeg).hexdigest(), confidence)
        with storage_errors(f"cannot keep a picture in {folder}"):
            if not folder.exists():
                folder.mkdir()
                sync_folder(folder.parent)
            write_whole(folder / kept.file, jpeg)
            self._bytes += len(jpeg)
            self._make_room(folder / kept.file)
        return kept

    def _sizes(self) -> dict[Path, int]:
        """The bytes of each file that is a picture of a move by its name."""
        found = self._games.glob("*.evidence/*.jpg")
        named = (path for path in found if path.stem.isdecimal() and path.parent.stem.isdecimal())
        sizes = {}
        for path in named:
            with suppress(FileNotFoundError):  # its game was deleted meanwhile
                if path.is_file():
                    sizes[path] = path.stat().st_size
        return sizes

    def _make_room(self, newest: Path) -> None:
        if self._bytes <= self._most_bytes:
            return
        sizes = self._sizes()
        self._bytes = sum(sizes.values())  # counted anew: games that were deleted took theirs along
        for path in sorted(sizes, key=_age):
            if self._bytes <= self._most_bytes or path == newest:
                return
            self._bytes -= sizes[path]
            path.unlink(missing_ok=True)


def kept_picture(journal: Path, kept: KeptPicture) -> bytes | None:
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
