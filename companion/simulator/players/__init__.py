"""Scripted players: for each game, people who play sensibly from a seed, so that a table can play by itself.

Each module has ``player(seed) -> move``, where ``move(state)`` is the next command, or None once the game is over. What
lies on the table and the seed say all, so people may press buttons in between. A game joins by its line in `PLAYERS`.
"""

from collections.abc import Callable, Iterator
from typing import Any

from companion.rules import game
from companion.rules.engine import Command, Header
from companion.simulator.players import comet, hexapod, hexdragon, hexel

Move = Callable[[Any], Command | None]

PLAYERS: dict[str, Callable[[int], Move]] = {
    "comet": comet.player,
    "hexapod": hexapod.player,
    "hexdragon": hexdragon.player,
    "hexel": hexel.player,
}


def script(header: Header, move: Move) -> Iterator[Command]:
    """One whole game, command by command, as the rules accept it.

    >>> header = Header("hexel", ("Ana", "Bo"), "36")
    >>> [command["cmd"] for command in script(header, PLAYERS["hexel"](1))][:4]
    ['line', 'stake', 'hedge', 'hedge']
    """
    rules = game(header.game)
    state = rules.start(header)
    while (command := move(state)) is not None:
        yield command
        state, _ = rules.apply(state, command)
