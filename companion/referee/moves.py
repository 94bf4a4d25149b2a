"""The moves that stand, in order, and what becomes of them when an earlier one is corrected: pure functions."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.errors import Refusal
from companion.rules.engine import Command, Event, Game
from companion.rules.fields import malformed


@dataclass(frozen=True, slots=True)
class Kept:
    """Where a move's picture is kept: a file beside the journal, and the SHA-256 of its bytes in hexadecimal.

    Attributes:
        confidence: 0..1, how sure the reading was; None where an earlier version did not keep it.
        chances: what else may be there: ``[[place in the command, {value: 0..1}], ...]``, such as
            ``[["edges", 2], {"red": 0.6, "blue": 0.4}]``; a number stands in digits.
    """

    file: str
    sha256: str
    confidence: float | None = None
    chances: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Move:
    """A command that was carried out.

    Attributes:
        number: 1 for the first that still stands; a move that was taken back gives its number to the next.
        when: the wall clock's time, ISO 8601 with its offset.
    """

    number: int
    command: Command
    events: tuple[Event, ...]
    when: str
    evidence: Kept | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """The moves that stand, with the states they lead through: ``past`` before each move, ``state`` after the last."""

    state: Any
    past: tuple[Any, ...] = ()
    moves: tuple[Move, ...] = ()

    def before(self, number: int) -> "Line":
        """The line as it stood before a move."""
        if number > len(self.moves):
            return self
        return Line(self.past[number - 1], self.past[: number - 1], self.moves[: number - 1])


@dataclass(frozen=True, slots=True)
class Change:
    """What is put right: of the moves from number ``at`` on, ``replaced`` many give way to ``commands``.

    One for one corrects a move, none for one inserts one before ``at``, one for none takes one out.

    Attributes:
        cut: whether moves that the rules no longer allow afterwards are taken back, they and all after them; without
            it such a change is refused.
    """

    at: int
    replaced: int
    commands: tuple[Command, ...]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Amendment:
    """One time that moves which stood were changed. Kept for ever: what was is history too.

    Attributes:
        version: of the session that it led to.
        did: ``correct``, ``undo`` or ``redo``.
        by: who did it, as people call them; None for the button at the table.
        was: the moves that no longer stand as they did, from the first that differs to the last.
        now: what stands in their place.
    """

    version: int
    did: str
    by: str | None
    when: str
    was: tuple[Move, ...]
    now: tuple[Move, ...]


def stated(game: Game, command: Command) -> Command:
    """A command with the fields that the game knows: what else came with it is ignored, and kept nowhere."""
    name = command.get("cmd") if isinstance(command, Mapping) else None
    if not isinstance(name, str) or name not in game.NOTATION:
        return command  # the game refuses it as malformed
    known = {"cmd", *(each.name for each in game.NOTATION[name])}
    return {name: value for name, value in command.items() if name in known}


def extended(line: Line, state: Any, move: Move) -> Line:
    """The line with one move more, which led to ``state``."""
    return Line(state, (*line.past, line.state), (*line.moves, move))


def corrected(game: Game, line: Line, change: Change, when: str) -> Line:
    """The line as if it had been played so from the start: the change, then all that followed it, by the rules.

    Raises:
        Refusal: by the rules for one of the commands; `does-not-follow` for a later move that the rules would not
            allow any more, named in ``move``; `no-such-move`, `nothing-changed`.
    """
    old = _replaced(line, change)
    if [move.command for move in old] == list(change.commands):
        raise Refusal("nothing-changed", "That is how it stands already.")
    fresh = line.before(change.at)
    for n, command in enumerate(change.commands):
        stood = old[n] if n < len(old) else None
        fresh = _played(game, fresh, command, stood.when if stood else when, stood.evidence if stood else None)
    return _followed(game, fresh, line.moves[change.at - 1 + change.replaced :], change.cut)


def amendment(before: Line, after: Line, version: int, did: str, by: str | None, when: str) -> Amendment:
    """What the way from one line to another changed, without the moves at the beginning that are the same."""
    same = 0
    for was, now in zip(before.moves, after.moves, strict=False):
        if was != now:
            break
        same += 1
    return Amendment(version, did, by, when, before.moves[same:], after.moves[same:])


def fingerprint(moves: Sequence[Move]) -> str:
    """The SHA-256 of what moves caused, in hexadecimal: whether the rules still say the same."""
    told = json.dumps([[dict(move.command), list(move.events)] for move in moves], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def _replaced(line: Line, change: Change) -> tuple[Move, ...]:
    last = change.at + change.replaced - 1
    if change.at < 1 or change.replaced < 0 or last > len(line.moves) or change.at > len(line.moves) + 1:
        raise Refusal("no-such-move", f"There are {len(line.moves)} moves; {change.at} to {last} cannot be changed.")
    return line.moves[change.at - 1 : last]


def _followed(game: Game, line: Line, moves: tuple[Move, ...], cut: bool) -> Line:
    for move in moves:
        try:
            line = _played(game, line, move.command, move.when, move.evidence)
        except Refusal as refusal:
            if cut:
                return line
            raise Refusal(
                "does-not-follow",
                f"Move {move.number} would not be allowed any more: {refusal.message}",
                move=move.number,
                refusal=refusal.as_json(),
            ) from refusal
    return line


def _played(game: Game, line: Line, command: Command, when: str, evidence: Kept | None) -> Line:
    if not isinstance(command, Mapping):
        raise malformed("a command is a JSON object")
    state, events = game.apply(line.state, command)
    return extended(line, state, Move(len(line.moves) + 1, command, events, when, evidence))
