"""The moves that survive at a journal's end, read without applying the rules.

So a journal that today's rules contradict still shows what was played.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.referee.moves import Kept
from companion.rules.engine import Command, Event


@dataclass(frozen=True, slots=True)
class SurvivingMove:
    """A move as the journal has it.

    Attributes:
        events: the events it caused; None when an earlier move was corrected since.
    """

    command: Command
    when: str
    evidence: Kept | None
    events: tuple[Event, ...] | None


Moves = tuple[SurvivingMove, ...]


def surviving_moves(bodies: Sequence[Mapping[str, Any]]) -> Moves:
    """The moves after a journal's lines, the first of which is its header.

    Raises:
        ValueError: a line is not one of a journal.
    """
    moves: Moves = ()
    done: list[Moves] = []
    undone: list[Moves] = []
    for body in bodies[1:]:
        before = moves
        try:
            moves = _after(body, moves, done, undone)
        except (KeyError, IndexError, TypeError, AttributeError) as error:
            raise ValueError(f"line {body['n']}: {type(error).__name__} {error}") from error
        _remember(str(body["did"]), before, done, undone)
    return moves


def _after(body: Mapping[str, Any], moves: Moves, done: list[Moves], undone: list[Moves]) -> Moves:
    match body["did"]:
        case "move":
            evidence = None if body["evidence"] is None else Kept(**body["evidence"])
            return (*moves, SurvivingMove(body["command"], body["when"], evidence, tuple(body["events"])))
        case "correct":
            return _corrected(body, moves)
        case "undo":
            return done.pop()
        case "redo":
            return undone.pop()
    return moves


def _remember(did: str, before: Moves, done: list[Moves], undone: list[Moves]) -> None:
    """Update the stacks of undo and redo, as `session.evolve` does."""
    if did == "undo":
        undone.append(before)
    elif did in ("move", "correct", "redo"):
        done.append(before)
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
