"""Boards of hexagons side by side: what their common lattice says of each tile, and of tiles that were missed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.edge_refinement import fit_homography
from companion.vision.geometry import HEXAGON_ROLLS, UNIT_HEXAGON, following, mapped

Floats = NDArray[np.float64]
Cell = tuple[int, int]

NEIGHBOURS: tuple[Cell, ...] = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
"""Those of a cell, in the order of its sides."""
LEAST_TILES = 5
"""A homography of fewer tiles is no better than the tiles themselves."""
MOST_OFF = 0.3
"""How far a tile's centre may lie from where its neighbours have it, in circumradii."""
MOST_SPREAD = 0.15
"""How far, in the median, tiles' centres may lie from the lattice, in circumradii."""
LEAST_RADIUS, GAPS_SPREAD = 0.6, 0.06
"""Tiles may lie apart, the smallest so large in cells, where most of them agree so closely on that."""
LEAST_ON_LARGER, LEAST_RADIUS_TOUCHING, TOUCHING_RADIUS = 3, 0.85, 0.97
"""So many tiles at least are printed on larger ones; tiles that touch are as large, in cells, as the second at least,
and as the third as a rule."""
MOST_UNLIKE = 0.15
"""How far the best tiles' corners may lie from the lattice's, in sizes: tiles in a zigzag have slanted lattices too."""
MOST_DISTORTED, MOST_ASKEW = 0.012, 0.25
"""An outline is a tile's where it differs from the lattice's shape by so little in circumradii, however the tile is
shifted and turned, by so much at most."""
ROBUST = 0.06
"""Points farther off the lattice than that, in circumradii, soon say nothing of it."""
NEARLY_ALL = 0.9
"""A lattice with so many of the tiles, or of those on the one with most, may be the board's."""
SAME_STEP = 0.15
"""Steps that differ by less, in their lengths, lead to the same tile."""


def centres_of(cells: Sequence[Cell]) -> Floats:
    """The centres (N, 2) of cells of the lattice of hexagons with circumradius 1 that touch, a corner on the right."""
    q, r = np.array(cells).T
    return np.stack([1.5 * q, np.sqrt(3) * (r + q / 2)], 1)


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
        return np.asarray(self.outlines([cell])[0])

    def outlines(self, cells: Sequence[Cell]) -> Floats:
        """The corners (N, 6, 2) of tiles on those cells; see `corners`."""
        return mapped(self.picture_from_lattice, centres_of(cells)[:, None] + self.radius * UNIT_HEXAGON)

    def corrected(self, cells: Sequence[Cell], seen: Floats) -> Floats:
        """Outlines (N, 6, 2) of tiles as seen where they have a tile's shape, else as they are on their cells: nobody
        lays tiles exactly on a lattice.
        """
        wanted = self.outlines(cells)
        seen = _ordered(seen, wanted)
        lattice_from_picture = np.asarray(np.linalg.inv(self.picture_from_lattice))
        mine, theirs = (mapped(lattice_from_picture, outlines) @ [1, 1j] for outlines in (seen, wanted))
        shift = np.abs(mine.mean(1) - theirs.mean(1))
        mine, theirs = (points - points.mean(1, keepdims=True) for points in (mine, theirs))
        turn = np.sum(mine * theirs.conj(), axis=1, keepdims=True)
        turn /= np.maximum(np.abs(turn), 1e-9)
        distorted = np.sqrt(np.mean(np.abs(mine - turn * theirs) ** 2, axis=1))
        is_right = (distorted < MOST_DISTORTED) & (shift < MOST_ASKEW)
        return np.where(is_right[:, None, None], seen, wanted)

    def neighbours(self, cell: Cell) -> int:
        """How many of the cells around a cell hold a tile."""
        return sum((cell[0] + dq, cell[1] + dr) in self.cells for dq, dr in NEIGHBOURS)

    def without(self, cells: Iterable[Cell]) -> "Board":
        """The board without the tiles on some cells."""
        gone = set(cells)
        return replace(self, cells={cell: index for cell, index in self.cells.items() if cell not in gone})

    def free_sides(self, cell: Cell, seen: Floats) -> NDArray[np.bool_]:
        """Beside which sides (6,) of the tile on a cell, whose corners (6, 2) are seen, no other lies."""
        has_tile = np.array([(cell[0] + dq, cell[1] + dr) in self.cells for dq, dr in NEIGHBOURS])
        mine, sides = ((corners + following(corners)) / 2 for corners in (seen, self.corners(cell)))
        return np.asarray(~has_tile[np.linalg.norm(mine[:, None] - sides, axis=2).argmin(1)])

    def gaps(self, least: int) -> list[Cell]:
        """Empty cells with at least so many tiles around them."""
        around = {(q + dq, r + dr) for q, r in self.cells for dq, dr in NEIGHBOURS} - self.cells.keys()
        return [cell for cell in sorted(around) if self.neighbours(cell) >= least]

    def of_larger_tiles(self) -> list["Board"]:
        """Boards of tiles that touch, on which these may be printed: each, where they lie apart, or one in four."""
        apart = [(1, 0, 0)] if self.radius < LEAST_RADIUS_TOUCHING else []
        tiles = []
        for step, q0, r0 in (*apart, (2, 0, 0), (2, 0, 1), (2, 1, 0), (2, 1, 1)):
            cells = {
                ((q - q0) // step, (r - r0) // step): index
                for (q, r), index in self.cells.items()
                if (q - q0) % step == (r - r0) % step == 0
            }
            grown = np.diag([step, step, 1.0])
            grown[:2, 2] = centres_of([(q0, r0)])[0]
            if len(cells) >= LEAST_ON_LARGER:
                tiles.append(Board(cells, self.picture_from_lattice @ grown, TOUCHING_RADIUS))
        return tiles


def find_board(tiles: Sequence[Floats], weights: Sequence[float]) -> Board | None:
    """The board that most of the tiles lie on, None where there is none.

    Args:
        tiles: corners (6, 2) of each.
        weights: how much each is worth; the best ones begin the lattice.
    """
    if len(tiles) < LEAST_TILES:
        return None
    middles = np.array(tiles).mean(1)
    grown: list[dict[Cell, int]] = []
    most = 0
    for anchor in np.argsort(-np.asarray(weights))[:3].tolist():
        if most < NEARLY_ALL * len(tiles):
            grown += [_grown(middles, anchor, steps) for steps in _steps_from(middles, anchor)]
            most = max((len(cells) for cells in grown), default=0)
    if most < max(LEAST_TILES, 0.6 * len(tiles)):
        return None
    lattices = {_touching(cells): cells for cells in reversed(grown) if len(cells) > NEARLY_ALL * most}
    fitted = [_fitted(tiles, weights, cells) for cells in lattices.values()]
    boards = [board for board in fitted if board is not None]
    like = [(off, board) for board in boards if (off := _unlikeness(tiles, board)) < MOST_UNLIKE]
    return min(like, key=lambda one: one[0])[1] if like else None


def _unlikeness(tiles: Sequence[Floats], board: Board) -> float:
    """How far the best fifth of tiles' corners lie from the board's, in sizes: slanted lattices share its centres."""
    like = board.outlines(list(board.cells))
    seen = _ordered(np.array([tiles[index] for index in board.cells.values()]), like)
    off = np.linalg.norm(seen - like, axis=2).mean(1) / np.sqrt(np.maximum(1.0, _areas(like)))
    return float(np.percentile(off, 20))


def _steps_from(middles: Floats, anchor: int) -> list[Floats]:
    """Guesses of the picture's steps (2, 2) to the cells (1, 0) and (0, 1), by pairs of a tile's neighbours, of the six
    that guess the same lattice one.
    """
    away = middles - middles[anchor]
    near = np.argsort(np.linalg.norm(away, axis=1))[1:7]
    guesses: list[Floats] = []
    for i in near:
        for j in near:
            a, b = away[i], away[j]
            angle = np.degrees(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))
            if 30 < angle < 100 and 0.5 < np.linalg.norm(a) / np.linalg.norm(b) < 2:
                guess = np.stack([a, b])
                if not any(_is_same_lattice(guess, other) for other in guesses):
                    guesses.append(guess)
    return guesses


def _is_same_lattice(steps: Floats, others: Floats) -> bool:
    """Whether steps (2, 2) lead to neighbours of others' cells, nearly."""
    (a, b), size = others, float(np.linalg.norm(others, axis=1).min())
    around = np.array([a, b, b - a, -a, -b, a - b])
    return bool((np.linalg.norm(steps[:, None] - around, axis=2).min(1) < SAME_STEP * size).all())


def _touching(cells: dict[Cell, int]) -> frozenset[tuple[int, int]]:
    """The pairs of tiles on neighbouring cells: the same however a lattice is turned and wherever it begins."""
    return frozenset(
        (index, cells[beside])
        for (q, r), index in cells.items()
        for dq, dr in NEIGHBOURS
        if (beside := (q + dq, r + dr)) in cells
    )


def _grown(middles: Floats, anchor: int, steps: Floats) -> dict[Cell, int]:
    """The tiles on the cells of a lattice grown from one tile, its homography fitted anew after every ring."""
    plane = np.eye(3)
    plane[:2, :2] = steps.T @ np.linalg.inv(centres_of([(1, 0), (0, 1)]).T)
    plane[:2, 2] = middles[anchor]
    cells: dict[Cell, int] = {(0, 0): anchor}
    for _ in range(8):
        around = sorted({(q + dq, r + dr) for q, r in cells for dq, dr in NEIGHBOURS} | cells.keys())
        corners = mapped(plane, centres_of(around)[:, None] + UNIT_HEXAGON)
        centres = corners.mean(1)
        radii = np.linalg.norm(corners - centres[:, None], axis=2).mean(1)
        far = np.linalg.norm(middles - centres[:, None], axis=2)
        grown: dict[Cell, int] = {}
        taken: set[int] = set()
        for cell, index, is_near in zip(around, far.argmin(1).tolist(), far.min(1) < MOST_OFF * radii, strict=True):
            if is_near and index not in taken:
                grown[cell] = index
                taken.add(index)
        if (0, 0) not in grown or len(grown) <= len(cells):
            return cells
        cells = grown
        flat = centres_of(list(cells))
        seen = middles[list(cells.values())]
        if len(cells) >= 7:
            plane = fit_homography(flat, seen)
        elif len(cells) >= 3:
            fitted, *_ = np.linalg.lstsq(np.column_stack([flat, np.ones(len(flat))]), seen, rcond=None)
            plane = np.vstack([fitted.T, [0, 0, 1]])
    return cells


def _fitted(tiles: Sequence[Floats], weights: Sequence[float], cells: dict[Cell, int]) -> Board | None:
    """The board fitted to its tiles' centres, and to their corners where most lie near; None for a poor fit."""
    keys = list(cells)
    flat, outlines = centres_of(keys), np.array([tiles[cells[key]] for key in keys])
    middles = outlines.mean(1)
    plane = _robust(flat, middles, np.array([weights[cells[key]] + 0.05 for key in keys]))
    lattice_from_picture = np.asarray(np.linalg.inv(plane))
    away = np.linalg.norm(mapped(lattice_from_picture, middles) - flat, axis=1)
    if np.median(away) > MOST_SPREAD:
        return None
    radii = np.sqrt(_areas(mapped(lattice_from_picture, outlines)) / _areas(UNIT_HEXAGON[None]))
    radius = float(np.clip(np.median(radii), 0.95, 1.0))
    if np.median(np.abs(radii - np.median(radii))) < GAPS_SPREAD:
        radius = float(np.clip(np.median(radii), LEAST_RADIUS, 1.0))
    board = Board(cells, plane, radius)
    ordered = _ordered(outlines, board.outlines(keys)).reshape(-1, 2)
    places = (flat[:, None] + radius * UNIT_HEXAGON).reshape(-1, 2)
    off = np.linalg.norm(mapped(lattice_from_picture, ordered) - places, axis=1)
    near = off < 3 * ROBUST
    if near.mean() > 0.6:
        plane = _robust(places[near], ordered[near], np.ones(int(near.sum())))
    return Board(cells, plane, radius)


def _robust(flat: Floats, seen: Floats, weights: Floats) -> Floats:
    """The homography that takes points nearest to where most of them are seen."""
    plane = fit_homography(flat, seen, weights)
    for _ in range(5):
        off = np.linalg.norm(mapped(np.asarray(np.linalg.inv(plane)), seen) - flat, axis=1)
        plane = fit_homography(flat, seen, weights / (1 + (off / ROBUST) ** 2))
    return plane


def _areas(outlines: Floats) -> Floats:
    """The areas (N,) within outlines (N, 6, 2)."""
    return np.array([cv2.contourArea(corners) for corners in outlines.astype(np.float32)])


def _ordered(tiles: Floats, like: Floats) -> Floats:
    """Tiles' corners (N, 6, 2), of each in the order in which they lie nearest to another's (N, 6, 2)."""
    turns = tiles[:, HEXAGON_ROLLS]  # (N, 6, 6, 2)
    nearest = np.linalg.norm(turns - like[:, None], axis=3).sum(2).argmin(1)
    return np.asarray(turns[np.arange(len(tiles)), nearest])
