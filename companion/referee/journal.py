"""The journal: every game as a file of JSON lines, each on the disk before anyone hears of what it says.

The first line names the rules' version and the header, every further one a move, an undo, a redo, a
correction or a restart of the program.
Reading it back is deciding everything again and comparing; nothing is ever rewritten. A last line that was torn while
being written is cut off, kept aside and told; any other damage stops the reading.
"""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from companion import __version__
from companion.errors import BadHeader, JournalError, Refusal
from companion.referee.folder import Folder, settle, storage_errors, write_whole
from companion.referee.lines import Damaged, line, whole_lines
from companion.referee.moves import Change, Kept, Line, corrected, fingerprint
from companion.referee.pictures import MOST_BYTES, Pictures
from companion.referee.session import Session, begin, evolve
from companion.referee.session_events import Corrected, Moved, Redone, Undone
from companion.rules.engine import Header
from companion.rules.records import read_header

FORM = 1

RUN_GAP = 100_000
"""How far a restart moves the version on: past all that the run before may have told and not written.

A version is a number that requests name, and those end at 10^9: ten thousand starts."""

_WAY_OUT = "restore it, or move it out of the folder to go on without that game"


@dataclass(frozen=True, slots=True)
class Reopened:
    """A journal read back.

    Attributes:
        session: as it stood after the last whole line.
        asked: the header that the settings asked for when the game was begun; None when they asked for none.
        torn: how many bytes were cut off the end.
    """

    session: Session
    asked: Header | None
    torn: int


class Journal:
    """The journals of one data folder; the newest is the one that is written. Used by one thread at a time."""

    def __init__(self, data: Path, most_picture_bytes: int = MOST_BYTES) -> None:
        """Take hold of a data folder. Raises `JournalError` when another process has it or it cannot be written."""
        self.folder = Folder(data)
        self._pictures = Pictures(self.folder.games, most_picture_bytes)
        self.path: Path | None = None
        self._file = -1
        self._lines = 0
        self._size = 0
        self._broken: str | None = None
        self._lost: str | None = None

    def reopen(self, when: str) -> Reopened | None:
        """Read the newest game back and go on writing it; None in a folder without games.

        Raises:
            JournalError: `journal-damaged`, or the rules now judge a move otherwise than when it was made.
        """
        journals = self.folder.journals()
        if not journals:
            return None
        path = journals[-1]
        with storage_errors(f"cannot read the journal {path}"):
            data = path.read_bytes()
        bodies, size = whole(path, data)
        session, asked = replayed(path, bodies)
        with storage_errors(f"cannot write the journal {path}"):
            if size < len(data):
                _set_aside(path.with_suffix(".torn"), data[size:])
            self._go_on(path, len(bodies), size)
        version = session.version + RUN_GAP
        self._append({"did": "resume", "version": version, "when": when})
        return Reopened(_at(session, version), asked, len(data) - size)

    def begin(self, header: Header, version: int, when: str, asked: Header | None = None) -> None:
        """Begin the journal of one more game."""
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
            write_whole(path, text)
            self._go_on(path, 1, len(text))

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
        """Write that the last move, or the last correction, was taken back."""
        number = undone.move.number if undone.move else None
        self._append({"did": "undo", "version": version, "when": undone.when, "by": undone.by, "move": number})

    def redone(self, redone: Redone, version: int) -> None:
        """Write that what was taken back was done again."""
        self._append({"did": "redo", "version": version, "when": redone.when, "by": redone.by})

    def corrected(self, done: Corrected, version: int) -> None:
        """Write a correction: what was changed, and the fingerprint of all that stands since."""
        change = {**asdict(done.change), "commands": [dict(command) for command in done.change.commands]}
        body = {"did": "correct", "version": version, "when": done.when, "by": done.by, **change}
        self._append({**body, "stand": len(done.line.moves), "sha256": fingerprint(done.line.moves)})

    def keep(self, jpeg: bytes, confidence: float) -> Kept:
        """Keep the picture of the move that is written next, and how sure the reading was."""
        return self._pictures.keep(self._begun(), self._lines + 1, jpeg, confidence)

    def picture(self, kept: Kept) -> bytes | None:
        """A picture that was kept, None when it had to make room. Raises `JournalError`: it is not what it was."""
        return self._pictures.read(self._begun(), kept)

    def health(self) -> dict[str, Any]:
        """Whether moves can be written, and where to."""
        error = self._lost or self._broken
        return {"ok": error is None, "file": str(self.path), "lines": self._lines, "error": error}

    def check(self) -> str | None:
        """What has become of the file or its folder, so that nothing can be written; None when all is well.

        A file that was moved away can still be written where it is now, and nobody would find it there.
        """
        self._lost = self._loss() if self.path is not None else None
        return self._lost

    def _loss(self) -> str | None:
        path = self._begun()
        try:
            there, own = path.stat(), os.fstat(self._file)
        except OSError as error:
            return f"The journal {path} is not where it was ({error.strerror}): no move is written until it is back."
        is_another = (there.st_dev, there.st_ino) != (own.st_dev, own.st_ino)
        if there.st_size < self._size or (is_another and not self._takes_over(path)):
            return f"The journal {path} is not what was written: no move is written until it is back."
        if not os.access(path.parent, os.W_OK):
            return f"The folder {path.parent} cannot be written: no move is written until it can."
        return None

    def _takes_over(self, path: Path) -> bool:
        """Go on in another file that stands in the journal's place, if it holds the same."""
        fresh = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        if os.pread(fresh, self._size, 0) != os.pread(self._file, self._size, 0):
            os.close(fresh)
            return False
        self._close_file()
        self._file = fresh
        return True

    def close(self) -> None:
        """Let go of the file and the folder."""
        self._close_file()
        self.folder.close()

    def _begun(self) -> Path:
        assert self.path is not None, "a journal is begun or reopened before anything is kept"
        return self.path

    def _append(self, body: dict[str, Any]) -> None:
        text = line({"n": self._lines + 1, **body})
        if loss := self.check():
            raise JournalError(loss, code="not-written")
        try:
            self._write(text)
        except OSError as error:
            self._broken = error.strerror or str(error)
            raise JournalError(f"the move is not written, {self.path}: {self._broken}", code="not-written") from error
        self._broken = None
        self._lines += 1
        self._size += len(text)

    def _write(self, text: bytes) -> None:
        os.ftruncate(self._file, self._size)  # what an earlier failure may have left half written
        written = 0
        while written < len(text):
            written += os.pwrite(self._file, text[written:], self._size + written)
        os.fsync(self._file)

    def _go_on(self, path: Path, lines: int, size: int) -> None:
        self._close_file()
        self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        os.ftruncate(self._file, size)
        os.fsync(self._file)
        self.path, self._lines, self._size = path, lines, size

    def _close_file(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def whole(path: Path, data: bytes) -> tuple[list[dict[str, Any]], int]:
    """The whole lines of a journal, the first at least, and how many bytes they take; what follows is torn.

    Raises:
        JournalError: `journal-damaged`.
    """
    try:
        bodies, size = whole_lines(data)
    except Damaged as damage:
        raise JournalError(f"the journal {path} is damaged, {damage}; {_WAY_OUT}", code="journal-damaged") from None
    if not bodies:
        raise JournalError(f"the journal {path} is damaged, line 1 is torn; {_WAY_OUT}", code="journal-damaged")
    return bodies, size


def replayed(path: Path, bodies: list[dict[str, Any]]) -> tuple[Session, Header | None]:
    """The session that a journal's lines tell, and the header that the settings had asked for.

    Raises:
        JournalError: a line says what the rules do not; it is named.
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
            session = _at(_replayed_event(session, body), body["version"])
        except Exception as error:  # a bug in the rules as well: it is this line that cannot be replayed
            why = error if isinstance(error, ValueError | Refusal) else f"{type(error).__name__} {error}"
            raise _contradicted(path, first, f"line {body['n']}: {why}") from error
    return session, asked


def _replayed_event(session: Session, body: Mapping[str, Any]) -> Session:
    match body["did"]:
        case "move":
            return evolve(_one_before(session, body), _move(session, body))
        case "undo":
            undone = _undo(session, body)
            return evolve(_one_before(session, body), undone)
        case "redo":
            if not session.can_redo:
                raise ValueError("does again what was not taken back")
            return evolve(_one_before(session, body), Redone(body["when"], by=body["by"]))
        case "correct":
            return evolve(_one_before(session, body), _correction(session, body))
        case "resume":
            return session
        case did:
            raise ValueError(f"unknown entry {did!r}")


def _move(session: Session, body: Mapping[str, Any]) -> Moved:
    state, events = session.game.apply(session.state, body["command"])
    told_events = tuple(body["events"])
    if line({"events": list(events)}) != line({"events": list(told_events)}):
        raise ValueError(f"the rules now say {list(events)}, the journal says {list(told_events)}")
    kept = body["evidence"] and Kept(**body["evidence"])
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


def _one_before(session: Session, body: Mapping[str, Any]) -> Session:
    return _at(session, body["version"] - 1)


def _at(session: Session, version: int) -> Session:
    return replace(session, version=version)


def _set_aside(path: Path, torn: bytes) -> None:
    with path.open("ab") as file:
        file.write(torn)
        file.flush()
        os.fsync(file.fileno())
    settle(path.parent)


def _contradicted(path: Path, first: Mapping[str, Any], why: str) -> JournalError:
    rules = first.get("rules")
    by = "" if rules == __version__ else f" (written by version {rules}, read by {__version__})"
    return JournalError(
        f"the journal {path} cannot be replayed{by}, {why}; {_WAY_OUT}", code="journal-contradicts-rules"
    )
