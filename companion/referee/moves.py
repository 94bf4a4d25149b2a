"""The line of moves, and its correction: pure functions."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from companion.errors import Refusal
from companion.rules.engine import Command, Event, Game
from companion.rules.fields import malformed


@dataclass(frozen=True, slots=True)
class KeptPicture:
    """A move's stored picture: a file beside the journal, and the SHA-256 of its bytes in hexadecimal.

    Attributes:
        confidence: 0..1, of the reading; None where an earlier version did not store it.
        chances: the alternatives: ``[[place in the command, {value: 0..1}], ...]``, such as
            ``[["edges", 2], {"red": 0.6, "blue": 0.4}]``; a number is written in digits.
    """

    file: str
    sha256: str
    confidence: float | None = None
    chances: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Move:
    """A command that was carried out.

    Attributes:
        number: counted from 1; an undone move's number is used again.
        when: the wall clock's time, ISO 8601 with its offset.
    """

    number: int
    command: Command
    events: tuple[Event, ...]
    when: str
    evidence: KeptPicture | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """The moves so far and their states: ``past`` before each move, ``state`` after the last."""

    state: Any
    past: tuple[Any, ...] = ()
    moves: tuple[Move, ...] = ()

    def before(self, number: int) -> "Line":
        """The line before a move."""
        if number > len(self.moves):
            return self
        return Line(self.past[number - 1], self.past[: number - 1], self.moves[: number - 1])


@dataclass(frozen=True, slots=True)
class Change:
    """A correction: from move ``at`` on, ``replaced`` moves are replaced by ``commands``.

    Replacing one move by one corrects it, none by one inserts one before ``at``, one by none deletes it.

    Attributes:
        cut: whether to drop later moves from the first one that the rules no longer allow; without ``cut`` such a
            change is refused.
    """

    at: int
    replaced: int
    commands: tuple[Command, ...]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Amendment:
    """One change of earlier moves. Never deleted: it is part of the history.

    Attributes:
        version: of the session after it.
        did: ``correct``, ``undo`` or ``redo``.
        by: the person's name; None for the button at the table.
        was: the moves before the change, from the first that differs.
        now: the moves in their place.
    """

    version: int
    did: str
    by: str | None
    when: str
    was: tuple[Move, ...]
    now: tuple[Move, ...]


def known_fields(game: Game, command: Command) -> Command:
    """A command reduced to the fields that the game knows."""
    name = command.get("cmd") if isinstance(command, Mapping) else None
    if not isinstance(name, str) or name not in game.NOTATION:
        return command  # the game refuses it as malformed
    known = {"cmd", *(field.name for field in game.NOTATION[name])}
    return {name: value for name, value in command.items() if name in known}


def extended(line: Line, state: Any, move: Move) -> Line:
    """The line with one more move, which led to ``state``."""
    return Line(state, (*line.past, line.state), (*line.moves, move))


def corrected(game: Game, line: Line, change: Change, when: str) -> Line:
    """The line with a change, and the later moves applied again by the rules.

    Raises:
        Refusal: by the rules for one of the commands; `does-not-follow` for a later move that the rules no longer
            allow, named in ``move``; `no-such-move`, `nothing-changed`.
    """
    old = _replaced(line, change)
    if [move.command for move in old] == list(change.commands):
        raise Refusal("nothing-changed", "That is how it stands already.")
    changed = line.before(change.at)
    for n, command in enumerate(change.commands):
        move = old[n] if n < len(old) else None
        changed = _apply(game, changed, command, move.when if move else when, move.evidence if move else None)
    return _apply_all(game, changed, line.moves[change.at - 1 + change.replaced :], change.cut)


def amendment(before: Line, after: Line, version: int, did: str, by: str | None, when: str) -> Amendment:
    """The amendment between two lines, without the moves at the start that are equal."""
    pairs = zip(before.moves, after.moves, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return Amendment(version, did, by, when, before.moves[same:], after.moves[same:])


def fingerprint(moves: Sequence[Move]) -> str:
    """The SHA-256 of the moves' commands and events, in hexadecimal."""
    text = json.dumps([[dict(move.command), list(move.events)] for move in moves], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _replaced(line: Line, change: Change) -> tuple[Move, ...]:
    last = change.at + change.replaced - 1
    if change.at < 1 or change.replaced < 0 or last > len(line.moves) or change.at > len(line.moves) + 1:
        raise Refusal("no-such-move", f"There are {len(line.moves)} moves; {change.at} to {last} cannot be changed.")
    return line.moves[change.at - 1 : last]


def _apply_all(game: Game, line: Line, moves: tuple[Move, ...], cut: bool) -> Line:
    for move in moves:
        try:
            line = _apply(game, line, move.command, move.when, move.evidence)
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


def _apply(game: Game, line: Line, command: Command, when: str, evidence: KeptPicture | None) -> Line:
    if not isinstance(command, Mapping):
        raise malformed("a command is a JSON object")
    state, events = game.apply(line.state, command)
    return extended(line, state, Move(len(line.moves) + 1, command, events, when, evidence))
