"""The games of a data folder, each read from its journal without taking hold of the folder or changing anything."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import BadHeader, JournalError
from companion.referee.folder import journals, storage_errors
from companion.referee.journal import replayed, whole
from companion.referee.session import Session
from companion.referee.surviving_moves import Moves, surviving_moves
from companion.rules.engine import Header
from companion.rules.records import read_header


@dataclass(frozen=True, slots=True)
class PastGame:
    """A game that a data folder keeps.

    Attributes:
        number: of its journal.
        moves: those that stand, by the journal alone.
        begun: the wall clock's time, ISO 8601 with its offset.
        changed: when its last line was written.
        torn: how many bytes at the journal's end are no whole line.
        session: as it stands; None where the rules now judge a move otherwise, which ``trouble`` tells.
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


def kept_games(games: Path) -> tuple[int, ...]:
    """The numbers of the games in a folder of games, the oldest first."""
    return tuple(int(path.stem) for path in journals(games))


def journal_of(games: Path, number: int) -> Path | None:
    """The journal of a game; None when there is none of that number."""
    return next((path for path in journals(games) if int(path.stem) == number), None)


def past_game(path: Path) -> PastGame:
    """Read a game from its journal.

    Raises:
        JournalError: the journal cannot be read, is damaged, or is of no form that this version knows.
    """
    with storage_errors(f"cannot read the journal {path}"):
        data = path.read_bytes()
    bodies, size = whole(path, data)
    header, moves = _replayed_event(path, bodies)
    session, trouble = _assessed(path, bodies)
    begun, changed = str(bodies[0].get("when", "")), str(bodies[-1].get("when", ""))
    return PastGame(int(path.stem), path, header, moves, begun, changed, len(data) - size, session, trouble)


def _replayed_event(path: Path, bodies: list[dict[str, Any]]) -> tuple[Header, Moves]:
    try:
        return read_header(bodies[0].get("header")), surviving_moves(bodies)
    except (BadHeader, ValueError) as error:
        raise JournalError(f"the journal {path} cannot be read: {error}", code="journal-form") from error


def _assessed(path: Path, bodies: list[dict[str, Any]]) -> tuple[Session | None, str | None]:
    try:
        return replayed(path, bodies)[0], None
    except JournalError as error:
        return None, error.message


def journal_as_record(path: Path) -> list[Mapping[str, Any]]:
    """A journal, whatever its name, as a record: the header, then the commands that stand. Raises `JournalError`."""
    with storage_errors(f"cannot read the journal {path}"):
        data = path.read_bytes()
    return record_lines(*_replayed_event(path, whole(path, data)[0]))


def record_lines(header: Header, moves: Moves) -> list[Mapping[str, Any]]:
    """The game as a record: its header, then the commands that stand."""
    return [header.as_json(), *(move.command for move in moves)]
