"""Tables and commands of HexDragon for its tests."""

from companion.games.hexdragon.rules import game as hexdragon
from companion.games.hexdragon.rules.tiles import parse
from companion.rules.engine import Header

ANA_BO = ("Ana", "Bo")
ALL = ("Ana", "Bo", "Cy", "Dee")


def begun(players=ANA_BO, **options):
    return hexdragon.start(Header("hexdragon", players, options=options))


def place(player, cell, tile, **more):
    written = parse(tile) if isinstance(tile, str) else tile
    return {"cmd": "place", "player": player, "cell": list(cell), "tile": {**written.as_json(), **more}}


def star(player, cell):
    return {"cmd": "star", "player": player, "cell": list(cell)}


def skip(player):
    return {"cmd": "skip", "player": player}


def agree(player):
    return {"cmd": "agree-end", "player": player}


def play(state, *commands):
    """The state after the commands and the events of the last."""
    events = ()
    for command in commands:
        state, events = hexdragon.apply(state, command)
    return state, events


def player(state, name):
    return hexdragon.view(state)["players"][name]
