"""A scripted game: a header and the commands of all players, decided beforehand; no chance and no clock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from companion import games
from companion.rules.engine import Command, Header

LONGEST = 400
"""No evening has more commands: a game that does not end is cut off."""


@dataclass(frozen=True, slots=True)
class Script:
    """A game as its players will play it, in the form of a record."""

    header: Header
    commands: tuple[Command, ...]


Player = Callable[[Any], Command | None]
"""Says what happens next at a table in a state of its game; None when everyone goes home."""


def write_script(header: Header, player: Player, moves: Sequence[Command] = ()) -> Script:
    """The script of a game that ``player`` plays for everybody, after ``moves`` that were made before.

    Raises:
        Refusal: the moves, or what the player did, are not allowed by the game's rules.
    """
    rules = games.game(header.game).rules
    state, commands = rules.start(header), list(moves)
    for move in moves:
        player(state)  # a player may remember what it would have done
        state, _ = rules.apply(state, move)
    while len(commands) < LONGEST and (command := player(state)) is not None:
        state, _ = rules.apply(state, command)
        commands.append(command)
    return Script(header, tuple(commands))


def outcome(script: Script) -> dict[str, Any] | None:
    """The result of the scripted game, as its rules page names it; None when it is cut off before its end."""
    rules = games.game(script.header.game).rules
    state = rules.start(script.header)
    for command in script.commands:
        state, _ = rules.apply(state, command)
    result: dict[str, Any] | None = rules.view(state)["result"]
    return result


def commands_agree(a: Command, b: Command, fields: Sequence[str] = ("cmd", "player", "amount")) -> bool:
    """Whether two commands say the same in these fields.

    >>> commands_agree({"cmd": "pass", "player": "Ana"}, {"cmd": "pass", "player": "Ana", "note": 1})
    True
    """
    return all(a.get(name) == b.get(name) for name in fields)
