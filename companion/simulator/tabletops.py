"""The games that can be played on a simulated table, each with its table, its scripted players and who they are.

Another game comes in as one more entry in `PLAYS`, and one in `HEADERS`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from companion.errors import UsageError
from companion.rules.engine import Header
from companion.simulator.headers import HEADERS, header_of
from companion.simulator.hexel_tabletop import HexelTabletop
from companion.simulator.players import hexel
from companion.simulator.script import Player, Script, outcome, written
from companion.simulator.tabletop import Tabletop


@dataclass(frozen=True, slots=True)
class Play:
    """One game's simulated table.

    Attributes:
        header: who plays what when nobody says otherwise.
        player: for a table and a seed, people who play on from any state.
        tabletop: from a script and a seed, the filmed table with nothing on it yet.
    """

    header: Header
    player: Callable[[Header, int], Player]
    tabletop: Callable[[Script, int], Tabletop]


def _hexel_player(header: Header, seed: int) -> Player:
    """People whose game ends with a Hoxla: the first, counting on from the seed, of whom that is true."""
    for attempt in range(_ATTEMPTS):
        player = hexel.player(_ATTEMPTS * seed + attempt, least_cards=_HEXEL_CARDS)
        result = outcome(written(header, player))
        if result and result["by"] == "hoxla":
            return player
    raise UsageError(f"seed {seed} gives no game that ends with a Hoxla; try another", code="no-such-game")


_ATTEMPTS = 100
_HEXEL_CARDS = 12
"""So many cards lie before anybody closes a Hoxla: long enough to see something, short enough to see the end."""

PLAYS: dict[str, Play] = {
    "hexel": Play(HEADERS["hexel"], _hexel_player, HexelTabletop),
}


def play(game: str) -> Play:
    """The simulated table of a game. Raises `UsageError` when it has none."""
    header_of(game)
    return PLAYS[game]
