"""Seven Card Comet on the simulated table: people who call the Tail and win it."""

from companion.games.comet.demo.player import player
from companion.games.comet.demo.tabletop import CometTabletop
from companion.games.comet.spec import SPEC
from companion.rules.engine import Header
from companion.simulator.demo_game import DemoGame, first_good_player
from companion.simulator.script import Player, Script

_TAIL_SETS = 2
"""So many sets against the Tail a player has room for."""
_COMMANDS = (28, 60)
"""Games of fewer commands show too little, of more too much."""


def _player(header: Header, seed: int) -> Player:
    return first_good_player(lambda number: player(number, tail_sets=_TAIL_SETS), header, seed, _has_tail)


def _has_tail(script: Script) -> bool:
    """The Tail was called and won, after some rounds and before too many."""
    calls = sum(bool(command.get("tail")) for command in script.commands)
    return calls > 0 and _COMMANDS[0] <= len(script.commands) <= _COMMANDS[1]


DEMO = DemoGame(SPEC.demo_header(), _player, CometTabletop)
