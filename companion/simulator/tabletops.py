"""The games that can be played on a simulated table, each with its table, its scripted players and who they are.

Another game comes in as one more entry in `PLAYS`, and one in `HEADERS`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from companion.errors import UsageError
from companion.rules.engine import Header
from companion.simulator.comet_tabletop import CometTabletop
from companion.simulator.headers import HEADERS, header_of
from companion.simulator.hexapod_tabletop import HexapodTabletop
from companion.simulator.hexdragon_tabletop import HexDragonTabletop
from companion.simulator.hexel_tabletop import HexelTabletop
from companion.simulator.players import comet, hexapod, hexdragon, hexel
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


def _that_ends_well(
    people: Callable[[int], Player], header: Header, seed: int, is_good: Callable[[Script], bool]
) -> Player:
    """People whose game is worth watching: the first, counting on from the seed, of whom that is true."""
    for attempt in range(_ATTEMPTS):
        player = people(_ATTEMPTS * seed + attempt)
        if is_good(written(header, player)):
            return people(_ATTEMPTS * seed + attempt)
    raise UsageError(f"seed {seed} gives no game of {header.game} worth watching; try another", code="no-such-game")


def _hexel_player(header: Header, seed: int) -> Player:
    return _that_ends_well(lambda number: hexel.player(number, least_cards=_HEXEL_CARDS), header, seed, _has_hoxla)


def _has_hoxla(script: Script) -> bool:
    result = outcome(script)
    return result is not None and result["by"] == "hoxla"


def _comet_player(header: Header, seed: int) -> Player:
    return _that_ends_well(lambda number: comet.player(number, tail_sets=_TAIL_SETS), header, seed, _has_tail)


def _has_tail(script: Script) -> bool:
    """The Tail was called and won, after some rounds and before too many."""
    calls = sum(bool(command.get("tail")) for command in script.commands)
    return calls > 0 and _COMET_COMMANDS[0] <= len(script.commands) <= _COMET_COMMANDS[1]


_ATTEMPTS = 100
_HEXEL_CARDS = 12
"""So many cards lie before anybody closes a Hoxla: long enough to see something, short enough to see the end."""
_TAIL_SETS = 2
"""So many sets against the Tail a player has room for."""
_COMET_COMMANDS = (28, 60)

PLAYS: dict[str, Play] = {
    "hexel": Play(HEADERS["hexel"], _hexel_player, HexelTabletop),
    "hexdragon": Play(HEADERS["hexdragon"], lambda header, seed: hexdragon.player(seed), HexDragonTabletop),
    "comet": Play(HEADERS["comet"], _comet_player, CometTabletop),
    "hexapod": Play(HEADERS["hexapod"], lambda header, seed: hexapod.player(seed), HexapodTabletop),
}


def play(game: str) -> Play:
    """The simulated table of a game. Raises `UsageError` when it has none."""
    header_of(game)
    return PLAYS[game]
