"""Hexapod on the simulated table."""

from companion.games.hexapod.demo.player import player
from companion.games.hexapod.demo.tabletop import HexapodTabletop
from companion.games.hexapod.spec import SPEC
from companion.simulator.demo_game import DemoGame

DEMO = DemoGame(SPEC.demo_header(), lambda header, seed: player(seed), HexapodTabletop)
