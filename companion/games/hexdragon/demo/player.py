"""People who play HexDragon sensibly: dealt from a seed, they lay what wins most and spoils least.

What lies on the table and the seed say all: the same state always gets the same answer, so a game may be taken up
anywhere, and moves that others enter in between are simply played on from.
"""

from collections import Counter
from collections.abc import Callable
from random import Random

from companion.games.hexdragon.rules import game as hexdragon
from companion.games.hexdragon.rules.game import State
from companion.games.hexdragon.rules.tiles import Tile, bodies, heads
from companion.rules.engine import Command
from companion.rules.hexgrid import Cell, neighbours

_BODIES_HELD = 3
_HEADS_HELD = 3
_PATIENCE = 4
"""What laying a head costs in someone's eyes while the board is empty: later it may end a longer dragon."""
_STAR_CHANCE = 0.2
"""How often someone who could win nothing puts down the star instead of a tile."""


def player(seed: int) -> Callable[[State], Command | None]:
    """Everybody at one table; None once the game is over."""
    return lambda state: None if state.over else _move(state, seed)


def hand(state: State, seed: int, name: str) -> tuple[Tile, ...]:
    """The tiles that a player holds: three bodies as drawn and laid so far, and the heads that are left of three."""
    left = [tile for tile in _heads_dealt(seed, name) if tile.shape not in state.seat(name).heads]
    a_body = {tile.class_name: tile for tile in bodies()}
    return (*(a_body[class_name] for class_name in _bodies_dealt(state, seed)[name]), *left)


def _move(state: State, seed: int) -> Command:
    name = state.mover.name
    chance = Random(f"{seed} {len(state.board)} {name}")
    if not state.has_cell_for(name):
        return {"cmd": "skip", "player": name}
    ways = [way for tile in hand(state, seed, name) for way in hexdragon.placements(state, tile)]
    if not ways:
        return _agreement(state)
    (won, *_), best = max((_worth(state, way, chance), index) for index, way in enumerate(ways))
    if won <= 0 and state.mover.star == "held" and chance.random() < _STAR_CHANCE:
        return _star(state, chance) or ways[best]
    return ways[best]


def _worth(state: State, way: Command, chance: Random) -> tuple[float, int, float]:
    """Points won less the most that anyone else wins by it and less patience; how snugly the tile lies; a whim."""
    touching = sum(cell in state.board for cell in neighbours(_cell(way)))
    scores = Counter[str]()
    for event in hexdragon.apply(state, way)[1] if touching else ():  # a tile that touches none closes no line
        scores.update(event.get("scores", {}))
    others = [scores[seat.name] for seat in state.seats if seat.name != way["player"]]
    patience = _PATIENCE * state.free / (state.free + len(state.board)) if way["tile"]["kind"] == "head" else 0
    return scores[way["player"]] - max(others, default=0) - patience, touching, chance.random()


def _star(state: State, chance: Random) -> Command | None:
    """The star on a free cell that already touches many tiles: there much will meet."""
    free = [cell for cell in state.open_cells(state.mover.name) if state.reserved_for(cell) is None]
    if not free:
        return None
    cell = max(free, key=lambda cell: (sum(near in state.board for near in neighbours(cell)), chance.random()))
    return {"cmd": "star", "player": state.mover.name, "cell": list(cell)}


def _agreement(state: State) -> Command:
    """The next word to end a game in which the mover holds nothing that may be laid."""
    return {"cmd": "agree-end", "player": next(seat.name for seat in state.seats if seat.name not in state.agreed)}


def _heads_dealt(seed: int, name: str) -> list[Tile]:
    return Random(f"{seed} heads {name}").sample(heads(), _HEADS_HELD)


def _bodies_dealt(state: State, seed: int) -> dict[str, list[str]]:
    """The classes of the bodies in each hand: dealt, and one drawn for each laid; a tile not held came from the bag."""
    laid = [(state.laid_by[cell], tile.class_name) for cell, tile in state.board.items() if tile.kind == "body"]
    bag = sorted((Counter(state.supply) + Counter(class_name for _, class_name in laid)).elements())
    Random(f"{seed} bodies").shuffle(bag)
    hands = {seat.name: [bag.pop() for _ in range(_BODIES_HELD)] for seat in state.seats}
    for name, class_name in laid:
        source = next(held for held in (hands[name], bag, *hands.values()) if class_name in held)
        source.remove(class_name)
        if source is hands[name] and bag:
            hands[name].append(bag.pop())
    return hands


def _cell(way: Command) -> Cell:
    return way["cell"][0], way["cell"][1]
