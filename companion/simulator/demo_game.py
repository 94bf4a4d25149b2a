"""What a game supplies for the simulated table: its people and its filmed tabletop."""

from collections.abc import Callable
from dataclasses import dataclass

from companion.errors import UsageError
from companion.rules.engine import Header
from companion.simulator.script import Player, Script, written
from companion.simulator.tabletop import Tabletop

_ATTEMPTS = 100


@dataclass(frozen=True, slots=True)
class DemoGame:
    """One game's simulated table.

    Attributes:
        header: who plays what when nobody says otherwise.
        player: for a table and a seed, people who play on from any state.
        tabletop: from a script and a seed, the filmed table with nothing on it yet.
    """

    header: Header
    player: Callable[[Header, int], Player]
    tabletop: Callable[[Script, int], Tabletop]


def first_good_player(
    players: Callable[[int], Player], header: Header, seed: int, is_good: Callable[[Script], bool]
) -> Player:
    """The first player, counting on from the seed, whose game is worth watching.

    Raises:
        UsageError: `no-such-game`: none of a hundred is.
    """
    for attempt in range(_ATTEMPTS):
        player = players(_ATTEMPTS * seed + attempt)
        if is_good(written(header, player)):
            return players(_ATTEMPTS * seed + attempt)
    raise UsageError(f"seed {seed} gives no game of {header.game} worth watching; try another", code="no-such-game")
