"""Reads the games of a data folder from their journals, without locking the folder.

The moves that survive at a journal's end are read without the rules: a journal that today's rules contradict still
shows what was played.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from companion.errors import BadHeader, JournalError
from companion.referee.folder import journals
from companion.referee.journal import read_journal, replay
from companion.referee.moves import KeptPicture
from companion.referee.session import Session
from companion.rules.engine import Command, Event, Header
from companion.rules.records import read_header


@dataclass(frozen=True, slots=True)
class SurvivingMove:
    """A move as the journal has it.

    Attributes:
        events: the events it caused; None when an earlier move was corrected since.
    """

    command: Command
    when: str
    evidence: KeptPicture | None
    events: tuple[Event, ...] | None


Moves = tuple[SurvivingMove, ...]


def surviving_moves(bodies: Sequence[Mapping[str, Any]]) -> Moves:
    """The moves after a journal's lines, the first of which is its header.

    Raises:
        ValueError: a line is not one of a journal.
    """
    moves: Moves = ()
    done: list[Moves | None] = []
    undone: list[Moves] = []
    for body in bodies[1:]:
        before = moves
        try:
            moves = _after(body, moves, done, undone)
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ValueError(f"line {body['n']}: {type(error).__name__} {error}") from error
        _remember(str(body["did"]), before, done, undone)
    return moves


def _after(body: Mapping[str, Any], moves: Moves, done: list[Moves | None], undone: list[Moves]) -> Moves:
    match body["did"]:
        case "move":
            evidence = None if body["evidence"] is None else KeptPicture(**body["evidence"])
            return (*moves, SurvivingMove(body["command"], body["when"], evidence, tuple(body["events"])))
        case "correct":
            return _corrected(body, moves)
        case "undo":
            before = done.pop()
            return moves[:-1] if before is None else before
        case "redo":
            return undone.pop()
    return moves


def _remember(did: str, before: Moves, done: list[Moves | None], undone: list[Moves]) -> None:
    """Update the stacks of undo and redo, as `session.evolve` does: None stands for a move."""
    if did == "undo":
        undone.append(before)
    elif did in ("move", "correct", "redo"):
        done.append(None if did == "move" else before)
    if did in ("move", "correct"):
        undone.clear()


def _corrected(body: Mapping[str, Any], moves: Moves) -> Moves:
    first, last = body["at"] - 1, body["at"] - 1 + body["replaced"]
    old = moves[first:last]
    corrected = tuple(
        replace(old[n], command=command, events=None)
        if n < len(old)
        else SurvivingMove(command, body["when"], None, None)
        for n, command in enumerate(body["commands"])
    )
    later = tuple(replace(move, events=None) for move in moves[last:])
    return (*moves[:first], *corrected, *later)[: body["stand"]]


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
    bodies, _, torn = read_journal(path)
    header, moves = _read_moves(path, bodies)
    session: Session | None
    try:
        session, trouble = replay(path, bodies)[0], None
    except JournalError as error:
        session, trouble = None, error.message
    begun, changed = str(bodies[0].get("when", "")), str(bodies[-1].get("when", ""))
    return PastGame(int(path.stem), path, header, moves, begun, changed, len(torn), session, trouble)


def _read_moves(path: Path, bodies: list[dict[str, Any]]) -> tuple[Header, Moves]:
    try:
        return read_header(bodies[0].get("header")), surviving_moves(bodies)
    except (BadHeader, ValueError) as error:
        raise JournalError(f"the journal {path} cannot be read: {error}", code="journal-form") from error


def journal_as_record(path: Path) -> list[Mapping[str, Any]]:
    """A journal of any name as a record: the header, then the commands of its moves. Raises `JournalError`."""
    return record_lines(*_read_moves(path, read_journal(path)[0]))


def record_lines(header: Header, moves: Moves) -> list[Mapping[str, Any]]:
    """A game as a record: its header, then the commands of its moves."""
    return [header.as_json(), *(move.command for move in moves)]
