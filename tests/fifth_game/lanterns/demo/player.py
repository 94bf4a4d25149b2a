"""People who hang lanterns as they come to hand."""

from collections.abc import Callable
from random import Random

from companion.rules.engine import Command
from tests.fifth_game.lanterns.rules.game import State, legal


def player(seed: int) -> Callable[[State], Command | None]:
    """Everybody at one table; None once the game is over."""
    return lambda state: Random(f"{seed} {len(state.laid)}").choice(legal(state)) if state.turn else None
