"""Reads the games of a data folder from their journals, without locking the folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import BadHeader, JournalError
from companion.referee.folder import journals, storage_errors
from companion.referee.journal import parse_journal, replay
from companion.referee.session import Session
from companion.referee.surviving_moves import Moves, surviving_moves
from companion.rules.engine import Header
from companion.rules.records import read_header


@dataclass(frozen=True, slots=True)
class PastGame:
    """A game stored in a data folder.

    Attributes:
        number: of its journal.
        moves: the current moves, by the journal alone.
        begun: when its first line was written, ISO 8601 with offset.
        changed: when its last line was written.
        torn: how many bytes at the journal's end are an incomplete line.
        session: after the last line; None when today's rules contradict the journal, as ``trouble`` explains.
    """

    number: int
    path: Path
    header: Header
    moves: Moves
    begun: str
    changed: str
    torn: int
    session: Session | None
    trouble: str | None = None


def journal_of(games: Path, number: int) -> Path | None:
    """The journal of a game by its number; None for none."""
    return next((path for path in journals(games) if int(path.stem) == number), None)


def past_game(path: Path) -> PastGame:
    """Read a game from its journal.

    Raises:
        JournalError: the journal cannot be read, is damaged, or has a format that this version does not know.
    """
    with storage_errors(f"cannot read the journal {path}"):
        data = path.read_bytes()
    bodies, size = parse_journal(path, data)
    header, moves = _read_moves(path, bodies)
    session: Session | None
    try:
        session, trouble = replay(path, bodies)[0], None
    except JournalError as error:
        session, trouble = None, error.message
    begun, changed = str(bodies[0].get("when", "")), str(bodies[-1].get("when", ""))
    return PastGame(int(path.stem), path, header, moves, begun, changed, len(data) - size, session, trouble)


def _read_moves(path: Path, bodies: list[dict[str, Any]]) -> tuple[Header, Moves]:
    try:
        return read_header(bodies[0].get("header")), surviving_moves(bodies)
    except (BadHeader, ValueError) as error:
        raise JournalError(f"the journal {path} cannot be read: {error}", code="journal-form") from error


def journal_as_record(path: Path) -> list[Mapping[str, Any]]:
    """A journal of any name as a record: the header, then the commands of its moves. Raises `JournalError`."""
    with storage_errors(f"cannot read the journal {path}"):
        data = path.read_bytes()
    return record_lines(*_read_moves(path, parse_journal(path, data)[0]))


def record_lines(header: Header, moves: Moves) -> list[Mapping[str, Any]]:
    """A game as a record: its header, then the commands of its moves."""
    return [header.as_json(), *(move.command for move in moves)]
