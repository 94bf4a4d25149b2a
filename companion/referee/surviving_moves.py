"""The moves that stand at a journal's end, by its own words alone: no rules are asked.

A journal that today's rules judge otherwise than those it was written by still tells what was played.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.referee.moves import Kept
from companion.rules.engine import Command, Event


@dataclass(frozen=True, slots=True)
class SurvivingMove:
    """A move that stands, as the journal has it.

    Attributes:
        events: what it caused when it was made; None where an earlier move was put right since.
    """

    command: Command
    when: str
    evidence: Kept | None
    events: tuple[Event, ...] | None


Moves = tuple[SurvivingMove, ...]


def surviving_moves(bodies: Sequence[Mapping[str, Any]]) -> Moves:
    """The moves that stand after a journal's lines, the first of which is its header.

    Raises:
        ValueError: a line that no journal holds.
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
            return (
                *moves,
                SurvivingMove(body["command"], body["when"], _kept(body["evidence"]), tuple(body["events"])),
            )
        case "correct":
            return _corrected(body, moves)
        case "undo":
            return done.pop()
        case "redo":
            return undone.pop()
    return moves


def _remember(did: str, before: Moves, done: list[Moves], undone: list[Moves]) -> None:
    """What can be taken back, and what done again, as `session.evolve` has it."""
    if did == "undo":
        undone.append(before)
    elif did in ("move", "correct", "redo"):
        done.append(before)
    if did in ("move", "correct"):
        undone.clear()


def _corrected(body: Mapping[str, Any], moves: Moves) -> Moves:
    first, last = body["at"] - 1, body["at"] - 1 + body["replaced"]
    old = moves[first:last]
    fresh = tuple(
        replace(old[n], command=command, events=None)
        if n < len(old)
        else SurvivingMove(command, body["when"], None, None)
        for n, command in enumerate(body["commands"])
    )
    followed = tuple(replace(move, events=None) for move in moves[last:])
    return (*moves[:first], *fresh, *followed)[: body["stand"]]


def _kept(told: Mapping[str, Any] | None) -> Kept | None:
    return None if told is None else Kept(**told)
