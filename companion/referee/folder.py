"""The data folder: held by one process at a time, written so that what is written stays written.

DATA/lock                           held while a table runs
DATA/games/0001.jsonl               one journal a game, the newest last
DATA/games/0001.evidence/0007.jpg   the picture that the journal's line 7 was read from
DATA/games/0001.torn                what was cut off the journal's end after a sudden stop
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from companion.errors import JournalError


class Folder:
    """A data folder that this process holds. Another process that asks for it is refused.

    Raises:
        JournalError: `data-in-use`, `data-unwritable`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.games = path / "games"
        with storage_errors(f"cannot write in the data folder {path}"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.mkdir(mode=0o750, exist_ok=True)  # codes and pictures of people's tables are nobody else's affair
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
        """The path for one more game."""
        journals = self.journals()
        number = int(journals[-1].stem) + 1 if journals else 1
        return self.games / f"{number:04}.jsonl"

    def close(self) -> None:
        """Let another process have the folder. Twice is harmless."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def journals(games: Path) -> list[Path]:
    """The journals in a folder of games, the oldest first; none where there is no such folder."""
    numbered = (path for path in games.glob("[0-9]*.jsonl") if path.stem.isdecimal())
    return sorted(numbered, key=lambda path: (len(path.stem), path.stem))


def write_whole(path: Path, data: bytes, mode: int = 0o640) -> None:
    """Write a file so that, whatever happens, it is either there with all its bytes or as it was before."""
    draft = path.with_name(path.name + ".draft")
    draft.unlink(missing_ok=True)  # one that was left behind keeps its rights
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    settle(path.parent)


def settle(folder: Path) -> None:
    """Bring a folder's list of files to the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def storage_errors(what: str) -> Iterator[None]:
    """Turn the system's refusal to write into the one line that people are told."""
    try:
        yield
    except OSError as error:
        raise JournalError(f"{what}: {error.strerror or error}", code="data-unwritable") from error
