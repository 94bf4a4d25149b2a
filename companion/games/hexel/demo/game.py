"""Hex'el on the simulated table: people whose game ends with a Hoxla."""

from companion.games.hexel.demo.player import player
from companion.games.hexel.demo.tabletop import HexelTabletop
from companion.games.hexel.spec import SPEC
from companion.rules.engine import Header
from companion.simulator.demo_game import DemoGame, first_good_player
from companion.simulator.script import Player, Script, outcome

_LEAST_CARDS = 12
"""So many cards lie before anybody closes a Hoxla: long enough to see something, short enough to see the end."""


def _player(header: Header, seed: int) -> Player:
    return first_good_player(lambda number: player(number, least_cards=_LEAST_CARDS), header, seed, _has_hoxla)


def _has_hoxla(script: Script) -> bool:
    result = outcome(script)
    return result is not None and result["by"] == "hoxla"


DEMO = DemoGame(SPEC.demo_header(), _player, HexelTabletop)
