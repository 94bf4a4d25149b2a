"""The journal: every game as a file of JSON lines, each on the disk before the event is published.

The first line holds the rules' version and the header; each further line is a move, an undo, a redo, a correction or a
restart of the program. Reading replays every decision and compares the events; no line is ever rewritten. A torn last
line is cut off, kept in a file beside the journal and reported; any other damage is an error.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from companion import __version__
from companion.errors import BadHeader, JournalError, Refusal
from companion.referee.folder import (
    MOST_BYTES,
    Folder,
    Pictures,
    closed_on_error,
    kept_picture,
    open_whole,
    storage_errors,
    sync_folder,
    write_at,
)
from companion.referee.lines import Damaged, line, whole_lines
from companion.referee.messages import Corrected, Moved, Redone, Undone
from companion.referee.moves import Change, KeptPicture, Line, corrected, fingerprint
from companion.referee.session import Session, begin, evolve
from companion.rules.engine import Header
from companion.rules.limits import require_file
from companion.rules.records import read_header

FORM = 1

RUN_GAP = 100_000
"""Added to the version at a restart, so that it exceeds every version the last run may have published but not written.

Requests name versions up to 10^9: ten thousand restarts."""

_REMEDY = "restore it, or move it out of the folder to go on without that game"


@dataclass(frozen=True, slots=True)
class Reopened:
    """A journal that was read back.

    Attributes:
        session: after the last complete line.
        asked: the header in the settings when the game was begun; None when they named none.
        torn: how many bytes were cut off the end.
    """

    session: Session
    asked: Header | None
    torn: int


class Journal:
    """The journals of one data folder; the newest is written. Not thread-safe."""

    def __init__(self, data: Path, most_picture_bytes: int = MOST_BYTES) -> None:
        """Lock a data folder. Raises `JournalError` when another process holds it or it cannot be written."""
        self.folder = Folder(data)
        self._pictures = Pictures(self.folder.games, most_picture_bytes)
        self.path: Path | None = None
        self._file = -1
        self._lines = 0
        self._size = 0
        self._broken: tuple[str, int] | None = None
        """Why something was not written, and how many bytes of it."""
        self._lost: str | None = None

    def reopen(self, when: str) -> Reopened | None:
        """Read the newest game and continue its journal; None in a folder without games.

        Raises:
            JournalError: `journal-damaged`, or today's rules contradict the journal.
        """
        journals = self.folder.journals()
        if not journals:
            return None
        path = journals[-1]
        bodies, size, torn = read_journal(path)
        session, asked = replay(path, bodies)
        with storage_errors(f"cannot write the journal {path}"):
            if torn:
                _set_aside(path.with_suffix(".torn"), torn)
            with closed_on_error(os.open(path, os.O_RDWR | os.O_CLOEXEC)) as file:
                os.ftruncate(file, size)
                os.fsync(file)
            self._continue(file, path, len(bodies), size)
        version = session.version + RUN_GAP
        self._append({"did": "resume", "version": version, "when": when})
        return Reopened(_at(session, version), asked, len(torn))

    def begin(self, header: Header, version: int, when: str, asked: Header | None = None) -> None:
        """Begin the journal of a new game."""
        first = {
            "n": 1,
            "journal": FORM,
            "rules": __version__,
            "header": header.as_json(),
            "asked": asked.as_json() if asked else None,
            "version": version,
            "when": when,
        }
        path, text = self.folder.next_journal(), line(first)
        with storage_errors(f"cannot begin the journal {path}"):
            try:
                file = open_whole(path, text)
            except OSError:
                path.unlink(missing_ok=True)  # a game that was refused is not the newest at the next start
                raise
        self._continue(file, path, 1, len(text))

    def moved(self, moved: Moved, version: int) -> None:
        """Write a move."""
        kept = moved.evidence
        self._append(
            {
                "did": "move",
                "version": version,
                "when": moved.when,
                "command": dict(moved.command),
                "events": list(moved.events),
                "key": moved.key,
                "evidence": None if kept is None else asdict(kept),
            }
        )

    def undone(self, undone: Undone, version: int) -> None:
        """Write an undo of the last move or correction."""
        number = undone.move.number if undone.move else None
        self._append({"did": "undo", "version": version, "when": undone.when, "by": undone.by, "move": number})

    def redone(self, redone: Redone, version: int) -> None:
        """Write a redo."""
        self._append({"did": "redo", "version": version, "when": redone.when, "by": redone.by})

    def corrected(self, correction: Corrected, version: int) -> None:
        """Write a correction, and the fingerprint of the moves after it."""
        asked, moves = correction.change, correction.line.moves
        change = {**asdict(asked), "commands": [dict(command) for command in asked.commands]}
        body = {"did": "correct", "version": version, "when": correction.when, "by": correction.by, **change}
        self._append({**body, "stand": len(moves), "sha256": fingerprint(moves)})

    def keep(self, jpeg: bytes, confidence: float) -> KeptPicture:
        """Store the picture and the confidence of the move that is written next."""
        with self._noting(len(jpeg)):
            return self._pictures.keep(self._current_path(), self._lines + 1, jpeg, confidence)

    def picture(self, kept: KeptPicture) -> bytes | None:
        """A stored picture, None when it was deleted to make room. Raises `JournalError` when it was changed."""
        return kept_picture(self._current_path(), kept)

    def health(self) -> dict[str, Any]:
        """Whether moves can be written, and to which file."""
        error = self._lost or (self._broken and self._broken[0])
        return {"ok": error is None, "file": str(self.path), "lines": self._lines, "error": error}

    def check(self) -> str | None:
        """Why the journal cannot be written: its file or folder is gone or changed, or full; None when it can.

        A file that was moved away could still be written, but nobody would find it there.
        """
        self._lost = self._loss() if self.path is not None else None
        if self._lost or self._broken is None:
            return self._lost
        why, size = self._broken
        if self._has_room(size):
            self._broken = None
            return None
        return f"The journal {self.path} cannot be written ({why}): no move is written until it can."

    def _has_room(self, size: int) -> bool:
        """Whether so many bytes can be written after the last line, from where they are cut off again."""
        try:
            try:
                self._write(b" " * size)
            finally:
                os.ftruncate(self._file, self._size)
        except OSError:
            return False
        return True

    @contextmanager
    def _noting(self, size: int) -> Iterator[None]:
        """Note why so many bytes were not written in the block, for `check` to say until they could be."""
        try:
            yield
        except (OSError, JournalError) as error:
            cause = error if isinstance(error, OSError) else error.__cause__
            self._broken = getattr(cause, "strerror", None) or str(cause), size
            raise
        self._broken = None

    def _loss(self) -> str | None:
        path = self._current_path()
        try:
            found, own = path.stat(), os.fstat(self._file)
            is_another = (found.st_dev, found.st_ino) != (own.st_dev, own.st_ino)
            if found.st_size < self._size or (is_another and not self._reopen_copy(path)):
                return f"The journal {path} is not what was written: no move is written until it is back."
        except OSError as error:
            return f"The journal {path} is not where it was ({error.strerror}): no move is written until it is back."
        if not (_opens_for_writing(path) and os.access(path.parent, os.W_OK)):
            return f"The folder {path.parent} cannot be written: no move is written until it can."
        return None

    def _reopen_copy(self, path: Path) -> bool:
        """Continue in another file at the journal's path if it has the same content; whether it has."""
        with closed_on_error(os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)) as copy:
            is_same = os.pread(copy, self._size, 0) == os.pread(self._file, self._size, 0)
        if not is_same:
            os.close(copy)
            return False
        self._close_file()
        self._file = copy
        return True

    def close(self) -> None:
        """Close the file and unlock the folder."""
        self._close_file()
        self.folder.close()

    def _current_path(self) -> Path:
        assert self.path is not None, "a journal is begun or reopened before anything is stored"
        return self.path

    def _append(self, body: dict[str, Any]) -> None:
        text = line({"n": self._lines + 1, **body})
        self._lost = self._loss() if self.path is not None else None
        if self._lost:
            raise JournalError(self._lost, code="not-written")
        try:
            with self._noting(len(text)):
                self._write(text)
        except OSError as error:
            with suppress(OSError):  # a line that was refused is not replayed, though the process be killed now
                os.ftruncate(self._file, self._size)
            why = error.strerror or str(error)
            raise JournalError(f"the move is not written, {self.path}: {why}", code="not-written") from error
        self._lines += 1
        self._size += len(text)

    def _write(self, text: bytes) -> None:
        os.ftruncate(self._file, self._size)  # an earlier failure may have left half a line
        write_at(self._file, text, self._size)
        os.fsync(self._file)

    def _continue(self, file: int, path: Path, lines: int, size: int) -> None:
        self._close_file()
        self._file, self.path, self._lines, self._size = file, path, lines, size

    def _close_file(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def read_journal(path: Path) -> tuple[list[dict[str, Any]], int, bytes]:
    """The complete lines of a journal, at least one, how many bytes they take, and the rest, which is torn.

    Raises:
        JournalError: it cannot be read, or `journal-damaged`.
    """
    with storage_errors(f"cannot read the journal {path}"):
        require_file(path)
        data = path.read_bytes()
    try:
        bodies, size = whole_lines(data)
    except Damaged as damage:
        raise JournalError(f"the journal {path} is damaged, {damage}; {_REMEDY}", code="journal-damaged") from None
    if not bodies:
        raise JournalError(f"the journal {path} is damaged, line 1 is torn; {_REMEDY}", code="journal-damaged")
    return bodies, size, data[size:]


def replay(path: Path, bodies: list[dict[str, Any]]) -> tuple[Session, Header | None]:
    """Replay a journal's lines; return the session and the header in the settings when the game was begun.

    Raises:
        JournalError: the rules contradict a line, which the message names.
    """
    first = bodies[0]
    if first.get("journal") != FORM:
        raise JournalError(f"{path}: journals of form {first.get('journal')!r} cannot be read", code="journal-form")
    try:
        asked = first["asked"] and read_header(first["asked"])
        session = begin(read_header(first["header"]), first["version"])
    except (KeyError, TypeError, BadHeader) as error:
        raise _contradicted(path, first, str(error)) from error
    for body in bodies[1:]:
        try:
            session = _at(_replay_line(session, body), body["version"])
        except Exception as error:  # also a bug in the rules: the message names the line
            why = error if isinstance(error, ValueError | Refusal) else f"{type(error).__name__} {error}"
            raise _contradicted(path, first, f"line {body['n']}: {why}") from error
    return session, asked


def _replay_line(session: Session, body: Mapping[str, Any]) -> Session:
    match body["did"]:
        case "move":
            event: Moved | Undone | Redone | Corrected = _move(session, body)
        case "undo":
            event = _undo(session, body)
        case "redo":
            if not session.can_redo:
                raise ValueError("does again what was not taken back")
            event = Redone(body["when"], by=body["by"])
        case "correct":
            event = _correction(session, body)
        case "resume":
            return session
        case did:
            raise ValueError(f"unknown entry {did!r}")
    return evolve(_at(session, body["version"] - 1), event)


def _move(session: Session, body: Mapping[str, Any]) -> Moved:
    state, events = session.game.apply(session.state, body["command"])
    if line({"events": list(events)}) != line({"events": body["events"]}):
        raise ValueError(f"the rules now say {list(events)}, the journal says {body['events']}")
    kept = body["evidence"] and KeptPicture(**body["evidence"])
    return Moved(body["command"], events, state, body["when"], key=body["key"], evidence=kept)


def _undo(session: Session, body: Mapping[str, Any]) -> Undone:
    number = body["move"]
    if not session.can_undo or (number is not None and number != len(session.moves)):
        raise ValueError(f"takes back move {number} of {len(session.moves)}")
    return Undone(None if number is None else session.moves[-1], body["when"], by=body.get("by"))


def _correction(session: Session, body: Mapping[str, Any]) -> Corrected:
    change = Change(body["at"], body["replaced"], tuple(body["commands"]), body["cut"])
    line: Line = corrected(session.game, session.line, change, body["when"])
    if (len(line.moves), fingerprint(line.moves)) != (body["stand"], body["sha256"]):
        raise ValueError(f"the rules now say otherwise what follows the correction of move {change.at}")
    return Corrected(change, line, body["when"], by=body["by"])


def _at(session: Session, version: int) -> Session:
    return replace(session, version=version)


def _opens_for_writing(path: Path) -> bool:
    """Whether a file does; `os.access` does not tell of a disk that turned read-only at an error.

    A pipe that has come into its place meanwhile would wait for a reader, and the table with it.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def _set_aside(path: Path, torn: bytes) -> None:
    with path.open("ab") as file:
        file.write(torn)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def _contradicted(path: Path, first: Mapping[str, Any], why: str) -> JournalError:
    rules = first.get("rules")
    by = "" if rules == __version__ else f" (written by version {rules}, read by {__version__})"
    told = why.encode(errors="replace").decode()  # an earlier version let half a character into a command
    message = f"the journal {path} cannot be replayed{by}, {told}; {_REMEDY}"
    return JournalError(message, code="journal-contradicts-rules")
