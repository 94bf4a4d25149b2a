"""WHAT IS ALLOWED: the shared rules engine, and the list of the games it knows. Pure functions, standard library only.

A new game is one module here that keeps the promises of `companion.rules.engine.Game`, and its name in `GAMES`.
"""

from companion.errors import UsageError
from companion.rules import comet, hexapod, hexdragon, hexel
from companion.rules.engine import Game

_MODULES: tuple[Game, ...] = (hexel, hexdragon, comet, hexapod)

GAMES: dict[str, Game] = {module.NAME: module for module in _MODULES}


def game(name: str) -> Game:
    """The game of that name.

    Raises:
        UsageError: `unknown-game`; the message lists those there are.
    """
    if name not in GAMES:
        raise UsageError(f"no such game: {name}; there are {', '.join(GAMES)}", code="unknown-game")
    return GAMES[name]
