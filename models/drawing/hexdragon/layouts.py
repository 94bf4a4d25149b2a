"""HexDragon tables for photographs: which tile lies on which cell, whose stars, and where hands laid them, in mm."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from companion.games.hexdragon.deck import (
    APOTHEM_MM,
    BOARD_RADIUS,
    BODY_SET,
    COLOURS,
    HEADS,
    SETS,
    SIDE_MM,
    cell_centre,
    curve,
    outline,
)
from companion.games.hexdragon.rules.tiles import START, SUPPLY_SET, Tile
from companion.printing.shapes import polar
from companion.rules.hexgrid import DIRECTIONS, Cell, cells_within, neighbours

Points = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Put:
    """A tile, or with ``tile`` None a star token, on the table: whose it is, its cell, its place and turn."""

    tile: Tile | None
    owner: str | None
    cell: Cell
    at_mm: Points
    turn_deg: float

    def on_table(self, points: Points) -> Points:
        """Points (N, 2) of the piece's own frame, on the table."""
        a = np.radians(self.turn_deg)
        turn = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        return np.asarray(np.asarray(points, float) @ turn + self.at_mm)

    def corners_mm(self) -> Points:
        """Its six corners (6, 2) on the table, clockwise, edge 0 first; of a star those of a tile in its place."""
        return self.on_table(np.roll(np.array(outline()), 1, axis=0))

    def lines_mm(self) -> list[Points]:
        """For each edge, points along the line that begins there, on the table."""
        assert self.tile is not None, "a star has no lines"
        joined: dict[int, Points] = {}
        for path in self.tile.paths:
            for edge in path:
                joined[edge] = np.array(curve(path, SIDE_MM))
        for edge in set(range(6)) - set(joined):
            joined[edge] = np.array([polar(share * APOTHEM_MM, -60.0 * edge) for share in np.linspace(0.35, 1.0, 9)])
        return [self.on_table(joined[edge]) for edge in range(6)]


@dataclass(frozen=True, slots=True)
class Laying:
    """How a table is laid: the cells' pitch in mm, whether a board is printed, and how far hands are off."""

    radius: int
    pitch: float
    is_board: bool
    off_mm: float
    turn_deg: float


def laid_table(rng: np.random.Generator, tiles: int | None = None) -> tuple[list[Put], Laying]:
    """A table in the middle of a game.

    Args:
        rng: the only source of chance.
        tiles: how many, the start tile included; None for any number the board holds.
    """
    players = int(rng.choice([2, 2, 3, 4]))
    radius = BOARD_RADIUS[players]
    cells = cells_within(radius)
    count = int(rng.integers(2, len(cells) + 1)) if tiles is None else min(tiles, len(cells))
    owners = [str(c) for c in rng.permutation(COLOURS)[:players]]
    faces = _tiles(count, owners, SETS[players], rng)
    chosen = _cells(count, cells, rng)
    laying = Laying(
        radius,
        1.0 + float(rng.uniform(0, 1)) ** 1.5 * 0.06,
        bool(rng.random() < 0.65),
        float(rng.uniform(0.1, 1.3)),
        float(rng.uniform(0.2, 3.0)),
    )
    has_start = rng.random() < 0.95
    put = [
        put_on(tile, owner, cell, laying, rng)
        for (tile, owner), cell in zip([(START, None), *faces], chosen, strict=False)
        if has_start or tile is not START
    ]
    free = [cell for cell in cells if cell not in chosen]
    starred = [owner for owner in owners if rng.random() < 0.4][: len(free)]
    places = rng.permutation(len(free))[: len(starred)]
    stars = [star_on(owner, free[int(place)], laying, rng) for owner, place in zip(starred, places, strict=True)]
    return put + stars, laying


def teaching_table(rng: np.random.Generator) -> tuple[list[Put], Laying]:
    """What teaches a set: the start tile, and around it a head of each colour and a body."""
    laying = Laying(2, 1.03, bool(rng.random() < 0.5), 0.5, 1.5)
    heads = [(HEADS[int(rng.integers(15))].turned(int(rng.integers(6))), owner) for owner in COLOURS]
    faces = [(START, None), *heads, (BODY_SET[int(rng.integers(20))], None)]
    cells = [(0, 0), *(DIRECTIONS[int(k)] for k in rng.permutation(6))]
    put = [
        Put(tile, owner, cell, np.array(cell_centre(*cell)) * laying.pitch + rng.normal(0, 0.3, 2), float(rng.normal()))
        for (tile, owner), cell in zip(faces, cells, strict=False)
    ]
    return put, laying


def _tiles(count: int, owners: list[str], sets: int, rng: np.random.Generator) -> list[tuple[Tile, str | None]]:
    """Distinct heads, three of each owner at most, and bodies as far as the supply goes, as their turn comes."""
    heads = [(HEADS[int(k)], owner) for owner in owners for k in rng.permutation(len(HEADS))[: int(rng.integers(0, 4))]]
    left = Counter({name: number * sets for name, number in SUPPLY_SET.items()})
    by_class = {tile.class_name: tile for tile in BODY_SET}
    bodies: list[tuple[Tile, str | None]] = []
    for name in rng.permutation([name for name, number in left.items() for _ in range(number)]):
        bodies.append((by_class[str(name)], None))
    chosen = [*heads, *bodies[: max(0, count - 1 - len(heads))]][: max(0, count - 1)]
    order = rng.permutation(len(chosen))
    return [(chosen[int(k)][0].turned(int(rng.integers(6))), chosen[int(k)][1]) for k in order]


def _cells(count: int, cells: tuple[Cell, ...], rng: np.random.Generator) -> list[Cell]:
    """The middle cell first, then cells beside those taken; now and then one anywhere."""
    chosen: list[Cell] = [(0, 0)]
    strays = float(rng.choice([0.0, 0.05, 0.3]))
    while len(chosen) < count:
        free = [cell for cell in cells if cell not in chosen]
        rim = [cell for cell in free if any(n in chosen for n in neighbours(cell))]
        pool = free if rng.random() < strays else rim
        chosen.append(pool[int(rng.integers(len(pool)))])
    return chosen


def put_on(tile: Tile, owner: str | None, cell: Cell, laying: Laying, rng: np.random.Generator) -> Put:
    """A tile on a cell, as well as hands lay it."""
    at = np.array(cell_centre(*cell)) * laying.pitch + np.clip(rng.normal(0, laying.off_mm / 2, 2), -2.5, 2.5)
    return Put(tile, owner, cell, at, float(np.clip(rng.normal(0, laying.turn_deg / 2), -4, 4)))


def star_on(owner: str, cell: Cell, laying: Laying, rng: np.random.Generator) -> Put:
    """A star token on a cell, anyhow."""
    at = np.array(cell_centre(*cell)) * laying.pitch + np.clip(rng.normal(0, 3, 2), -6, 6)
    return Put(None, owner, cell, at, float(rng.uniform(0, 360)))
