"""HexDragon on the simulated table."""

from companion.games.hexdragon.demo.player import player
from companion.games.hexdragon.demo.tabletop import HexDragonTabletop
from companion.games.hexdragon.spec import SPEC
from companion.simulator.demo_game import DemoGame

DEMO = DemoGame(SPEC.demo_header(), lambda header, seed: player(seed), HexDragonTabletop)
