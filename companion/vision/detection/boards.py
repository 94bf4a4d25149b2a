"""Boards of hexagons side by side: what their common lattice says of each tile, and of tiles that were missed."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.refinement.strips import Frame, fit_homography

Floats = NDArray[np.float64]
Cell = tuple[int, int]

NEIGHBOURS: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
LEAST_TILES = 5
"""A homography of fewer tiles is no better than the tiles themselves."""
MOST_OFF = 0.3
"""How far a tile's centre may lie from where its neighbours have it, in circumradii."""
MOST_SPREAD = 0.13
"""How far, in the median, tiles' corners may lie from the lattice for it to be told from tiles laid by hand."""
_TURNS = np.radians(np.arange(6) * 60.0)
UNIT_HEXAGON = np.stack([np.cos(_TURNS), np.sin(_TURNS)], 1)


def centre_of(cell: Cell) -> Floats:
    """The centre (2,) of a cell of the lattice of hexagons with circumradius 1 that touch, a corner on the right."""
    return np.array([1.5 * cell[0], np.sqrt(3) * (cell[1] + cell[0] / 2)])


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """A lattice with tiles on it.

    Attributes:
        cells: the index of the tile on each cell.
        picture_from_lattice: homography (3, 3).
        radius: of a tile, at most 1 where there are gaps.
    """

    cells: dict[Cell, int]
    picture_from_lattice: Floats
    radius: float

    def corners(self, cell: Cell) -> Floats:
        """The corners (6, 2) of a tile on that cell, on the picture, clockwise as seen."""
        at = (centre_of(cell) + self.radius * UNIT_HEXAGON) @ self.picture_from_lattice[:, :2].T
        at = at + self.picture_from_lattice[:, 2]
        return np.asarray(at[:, :2] / at[:, 2:])

    def gaps(self, least: int) -> list[Cell]:
        """Empty cells with at least so many tiles around them."""
        around = {(q + dq, r + dr) for q, r in self.cells for dq, dr in NEIGHBOURS} - self.cells.keys()
        return [
            (q, r) for q, r in sorted(around) if sum((q + dq, r + dr) in self.cells for dq, dr in NEIGHBOURS) >= least
        ]


def find_board(tiles: Sequence[Floats], weights: Sequence[float]) -> Board | None:
    """The board that most of the tiles lie on, None where there is none.

    Args:
        tiles: corners (6, 2) of each.
        weights: how much each is worth; the best one begins the lattice.
    """
    if len(tiles) < LEAST_TILES:
        return None
    best: Board | None = None
    for anchor in np.argsort(-np.asarray(weights))[:3]:
        board = _grown(tiles, int(anchor))
        if best is None or (board is not None and len(board.cells) > len(best.cells)):
            best = board
    if best is None or len(best.cells) < max(LEAST_TILES, 0.6 * len(tiles)):
        return None
    return _fitted(tiles, weights, best.cells)


def _grown(tiles: Sequence[Floats], anchor: int) -> Board | None:
    """The lattice grown from one tile to its neighbours, to theirs and so on."""
    middles = np.array([tile.mean(0) for tile in tiles])
    frame = Frame.of(tiles[anchor])
    scale = np.diag([np.linalg.norm(frame.corners[0]), np.linalg.norm(frame.corners[0]), 1.0])
    cells: dict[Cell, int] = {(0, 0): anchor}
    local = {(0, 0): frame.picture_from_frame @ scale}
    waiting, taken = deque([(0, 0)]), {anchor}
    while waiting:
        cell = waiting.popleft()
        to_picture = local[cell]
        radius = float(np.linalg.norm(tiles[cells[cell]] - middles[cells[cell]], axis=1).mean())
        for step in NEIGHBOURS:
            beside = (cell[0] + step[0], cell[1] + step[1])
            if beside in cells:
                continue
            at = to_picture @ np.array([*centre_of(step), 1.0])
            away = np.linalg.norm(middles - at[:2] / at[2], axis=1)
            index = int(away.argmin())
            if index not in taken and away[index] < 1.6 * MOST_OFF * radius:
                cells[beside] = index
                taken.add(index)
                waiting.append(beside)
                local[beside] = _turned_like(tiles[index], to_picture)
    return Board(cells, local[(0, 0)], 1.0) if len(cells) >= LEAST_TILES else None


def _turned_like(tile: Floats, to_picture: Floats) -> Floats:
    """The tile's own homography from the lattice's directions, its corners in the order of a neighbour's."""
    origin = to_picture @ np.array([0.0, 0.0, 1.0])
    right = to_picture @ np.array([0.5, 0.0, 1.0])
    direction = right[:2] / right[2] - origin[:2] / origin[2]
    towards = tile - tile.mean(0)
    first = int(np.argmax(towards @ direction / np.linalg.norm(towards, axis=1)))
    frame = Frame.of(np.roll(tile, -first, 0))
    size = float(np.linalg.norm(frame.corners[0]))
    return np.asarray(frame.picture_from_frame @ np.diag([size, size, 1.0]))


def _fitted(tiles: Sequence[Floats], weights: Sequence[float], cells: dict[Cell, int]) -> Board | None:
    """The board fitted to all its tiles' corners; None where they lie too far from it."""
    kept = dict(cells)
    board: Board | None = None
    for _ in range(3):
        keys = list(kept)
        if len(keys) < LEAST_TILES:
            return None
        middles = np.array([tiles[kept[key]].mean(0) for key in keys])
        worth = np.array([weights[kept[key]] for key in keys])
        rough = fit_homography(np.array([centre_of(key) for key in keys]), middles, worth)
        ordered = [_ordered(tiles[kept[key]], Board({}, rough, 1.0).corners(key)) for key in keys]
        back = Board({}, np.asarray(np.linalg.inv(rough)), 1.0)
        sizes = [
            np.linalg.norm(_apply(back, o) - centre_of(k), axis=1).mean() for o, k in zip(ordered, keys, strict=True)
        ]
        radius = float(np.clip(np.average(sizes, weights=worth), 0.7, 1.05))
        flat = np.concatenate([centre_of(key) + radius * UNIT_HEXAGON for key in keys])
        fitted = _least_squares(flat, np.concatenate(ordered))
        board = Board(kept, fitted, radius)
        off = [
            np.linalg.norm(o - board.corners(k), axis=1).mean() / np.linalg.norm(o - o.mean(0), axis=1).mean()
            for o, k in zip(ordered, keys, strict=True)
        ]
        kept = {k: kept[k] for k, far in zip(keys, off, strict=True) if far < MOST_OFF}
        if len(kept) == len(keys):
            break
    return board if board is not None and np.median(off) < MOST_SPREAD else None


def _least_squares(flat: Floats, seen: Floats) -> Floats:
    """The homography that takes points nearest to where they are seen."""
    fitted, _ = cv2.findHomography(flat, seen, 0)
    return fit_homography(flat, seen) if fitted is None else np.asarray(fitted, np.float64)


def _apply(board: Board, points: Floats) -> Floats:
    at = points @ board.picture_from_lattice[:, :2].T + board.picture_from_lattice[:, 2]
    return np.asarray(at[:, :2] / at[:, 2:])


def _ordered(tile: Floats, like: Floats) -> Floats:
    """The tile's corners in the order in which they lie nearest to another's."""
    turns = [np.roll(tile, -k, 0) for k in range(6)]
    return min(turns, key=lambda t: float(np.linalg.norm(t - like, axis=1).sum()))
