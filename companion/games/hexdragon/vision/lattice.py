"""Places tiles in one regular hexagonal grid: that of a printed board, or of tiles laid edge to edge.

All tiles are near the cells of one grid of one pitch, so that tiles without a neighbour have cells too, and so have
free places. (Hex'el walks from card to card instead, since its cards are laid without a board.)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell, distance
from companion.vision.geometry import ANGLES, HEXAGON, mapped, median, table_from_outlines

_CORNERS = np.array([(0, 0), (0, 1), (1, 0), (1, 1)])
_FIRST_PITCH = 1.02 * np.sqrt(3.0)
"""Where neighbours are looked for, in sides, before the pitch is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The grid that some tiles lie on.

    Attributes:
        cells: for each tile its axial cell, None for one that lies on none or where a surer one lies.
        east: for each tile the edge (corner ``east`` to ``east + 1``) that looks in direction 0.
        image_from_grid: 3x3, from the grid's plane (neighbours 1 apart, direction 0 along x, y down) to pixels.
        reach: a tile's circumradius in that plane.
    """

    cells: tuple[Cell | None, ...]
    east: tuple[int, ...]
    image_from_grid: NDArray[np.floating]
    reach: float

    def seen_from(self, at: tuple[int, int]) -> "Grid":
        """The grid in a piece of the picture that begins there."""
        piece_from_image = np.array([[1.0, 0, -at[0]], [0, 1, -at[1]], [0, 0, 1]])
        return replace(self, image_from_grid=piece_from_image @ self.image_from_grid)

    def outline(self, cell: Cell) -> NDArray[np.float32]:
        """The outline (6, 2) in pixels of a tile in a cell, edge 0 facing direction 0."""
        return np.asarray(self.outlines([cell])[0])

    def outlines(self, cells: Sequence[Cell]) -> NDArray[np.float32]:
        """The outlines (N, 6, 2) of tiles in cells; see `outline`."""
        middles = np.array([_plane(cell) for cell in cells])
        points = np.stack([middles.real, middles.imag], -1)[:, None] + HEXAGON.unit * self.reach
        return mapped(self.image_from_grid, points).astype(np.float32)

    def cell_of(self, corners: NDArray[np.floating], off_most: float = LIMITS.off_most) -> Cell | None:
        """The cell of an outline (6, 2); None when it is farther than ``off_most`` pitches from any centre."""
        x, y = mapped(np.asarray(np.linalg.inv(self.image_from_grid)), _middles(corners[None].astype(np.float64))[0])
        (cell,) = _cells_at(np.array([complex(x, y)]))
        return cell if abs(_plane(cell) - complex(x, y)) < off_most else None


def find_grid(corners: NDArray[np.floating], confidence: NDArray[np.floating]) -> Grid:
    """The grid that most tiles lie on.

    Args:
        corners: (N, 6, 2) pixels, N >= 1, clockwise.
        confidence: (N,), of the tiles; of two in one cell the surer one gets it.
    """
    rough = rough_grid(corners, confidence)
    held = [i for i, cell in enumerate(rough.cells) if cell is not None]
    cells = tuple(cell for cell in rough.cells if cell is not None)
    image = _fit_to_centres(np.asarray(corners, np.float64)[held], cells)
    return rough if image is None else replace(rough, image_from_grid=image)


def known_grid(
    corners: NDArray[np.floating],
    confidence: NDArray[np.floating],
    known: Sequence[NDArray[np.floating]],
    cells: Sequence[Cell | None],
) -> Grid | None:
    """The grid of tiles of which many are known to lie on cells; None where they are too few to tell it.

    Args:
        corners: (N, 6, 2) pixels, clockwise.
        confidence: (N,), of the tiles; of two in one cell the surer one gets it.
        known: the outlines (6, 2) of known tiles,
        cells: and their cells, None for one that lies on none.
    """
    held = [(outline, cell) for outline, cell in zip(known, cells, strict=True) if cell is not None]
    outlines = np.array([outline for outline, _ in held], np.float64)
    image = _fit_to_known(outlines.tobytes(), tuple(cell for _, cell in held))
    if image is None:
        return None
    points = mapped(np.asarray(np.linalg.inv(image)), np.asarray(corners, np.float64)) @ np.array([1, 1j])
    centre, side = _centres_and_sides(points)
    usable = _has_common_pose(side, confidence)
    snapped = _snap_to_grid(centre, usable, 0j, 1 + 0j, confidence)
    return Grid(snapped, _east(side, 1 + 0j), image, float(median(np.abs(side[usable]))))


def fit_grid(corners: NDArray[np.floating], known: Sequence[Cell | None]) -> Grid:
    """The grid of tiles (N, 6, 2) some of which are known to lie on cells, None for the others."""
    alike = np.ones(len(corners))
    return known_grid(corners, alike, list(corners), known) or rough_grid(corners, alike)


def rough_grid(corners: NDArray[np.floating], confidence: NDArray[np.floating]) -> Grid:
    """As `find_grid`, with a less exact homography, in half the time: enough for the tiles' cells."""
    outlines = np.asarray(corners, np.float64)
    table = table_from_outlines(outlines)
    centre, side = _centres_and_sides(mapped(table, outlines) @ np.array([1, 1j]))
    usable = _has_common_pose(side, confidence)
    cells = _walk_neighbours(centre, usable, _heading(side[usable]) * _FIRST_PITCH)
    origin, step = 0j, _heading(side[usable]) * _FIRST_PITCH
    for _ in range(3):
        origin, step = _fit_grid(centre, cells, step)
        cells = _snap_to_grid(centre, usable, origin, step, confidence)
    reach = max(float(median(np.abs(side[usable])) / abs(step)), LIMITS.least_reach)
    plane = np.array([[step.real, -step.imag, origin.real], [step.imag, step.real, origin.imag], [0, 0, 1]])
    return Grid(cells, _east(side, step), np.linalg.inv(table) @ plane, reach)


def _centres_and_sides(points: NDArray[np.complex128]) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Of outlines (N, 6) on a level plane the centres (N,), and the vectors (N,) from them to corner 0."""
    centre = points.mean(1)
    return centre, np.mean((points - centre[:, None]) * np.exp(-1j * ANGLES), axis=1)


def _east(side: NDArray[np.complex128], step: complex) -> tuple[int, ...]:
    """For tiles whose corners 0 lie at ``side`` (N,) from their centres the edges that look along ``step``."""
    return tuple(round((np.angle(step / s) - np.pi / 6) / (np.pi / 3)) % 6 for s in side)


def _plane(cell: Cell) -> complex:
    """A cell's middle in the grid's plane."""
    return complex(cell[0] + 0.5 * cell[1], np.sqrt(0.75) * cell[1])


def _cells_at(places: NDArray[np.complex128]) -> list[Cell]:
    """For places (N,) in the grid's plane the cells whose middles lie nearest."""
    r = places.imag / np.sqrt(0.75)
    q = places.real - r / 2
    near = np.floor(np.stack([q, r], -1))[:, None] + _CORNERS  # (N, 4, 2)
    middles = near[..., 0] + 0.5 * near[..., 1] + 1j * np.sqrt(0.75) * near[..., 1]
    best = np.abs(middles - places[:, None]).argmin(1)
    return [(int(q), int(r)) for q, r in near[np.arange(len(near)), best]]


def _heading(side: NDArray[np.complex128]) -> complex:
    """The unit vector of direction 0: the mean direction of the tiles' edges that is nearest to the right."""
    mean = np.sum((side / np.abs(side)) ** 6)
    angle = np.angle(mean) / 6 + np.pi / 6
    return complex(np.exp(1j * (angle - np.pi / 3 * round(angle / (np.pi / 3)))))


def _has_common_pose(side: NDArray[np.complex128], confidence: NDArray[np.floating]) -> NDArray[np.bool_]:
    """The tiles (N,) with the most common size and rotation."""
    size = np.abs(np.log(np.abs(side) / median(np.abs(side)[confidence >= median(confidence)])))
    turn = np.degrees(np.angle((side / np.abs(side) / (_heading(side) * np.exp(-1j * np.pi / 6))) ** 6)) / 6
    usable = (size < np.log(LIMITS.size_most)) & (np.abs(turn) < LIMITS.turn_most_deg)
    return usable if usable.any() else np.ones(len(side), bool)


def _walk_neighbours(
    centre: NDArray[np.complex128], usable: NDArray[np.bool_], step: complex
) -> tuple[Cell | None, ...]:
    """Place tiles from neighbour to neighbour, beginning with the tile that has the most."""
    apart = (centre[None, :] - centre[:, None]) / step
    near = (np.abs(np.abs(apart) - 1) < 0.25) & usable[:, None] & usable[None, :]
    seed = int(np.argmax(near.sum(1) + usable))
    rows, columns = np.nonzero(near)
    towards = dict(zip(zip(rows.tolist(), columns.tolist(), strict=True), _cells_at(apart[near]), strict=True))
    cells: list[Cell | None] = [None] * len(centre)
    cells[seed] = (0, 0)
    open_tiles = [seed]
    while open_tiles:
        tile = open_tiles.pop(0)
        for other in columns[rows == tile].tolist():
            here, to = cells[tile], towards[tile, other]
            if cells[other] is None and here is not None and distance((0, 0), to) == 1:
                cells[other] = (here[0] + to[0], here[1] + to[1])
                open_tiles.append(other)
    return tuple(cells)


def _fit_grid(centre: NDArray[np.complex128], cells: tuple[Cell | None, ...], step: complex) -> tuple[complex, complex]:
    """The origin and step of the grid that fit these tiles best; one tile leaves the step as it is."""
    held = [i for i, cell in enumerate(cells) if cell is not None]
    places = np.array([_plane(cell) for cell in cells if cell is not None])
    at = centre[held]
    if len(held) < 2:
        return complex(at[0] - step * places[0]), step
    spread = places - places.mean()
    fitted = complex(np.sum(np.conj(spread) * (at - at.mean())) / np.sum(np.abs(spread) ** 2))
    return complex(at.mean() - fitted * places.mean()), fitted


def _snap_to_grid(
    centre: NDArray[np.complex128],
    usable: NDArray[np.bool_],
    origin: complex,
    step: complex,
    confidence: NDArray[np.floating],
) -> tuple[Cell | None, ...]:
    """The nearest cell of every tile; of two tiles the surer one gets it."""
    cells: list[Cell | None] = [None] * len(centre)
    taken: set[Cell] = set()
    places = (centre - origin) / step
    at = _cells_at(places)
    is_on = usable & (np.abs(np.array([_plane(cell) for cell in at]) - places) < LIMITS.off_most)
    for tile in np.argsort(-confidence, kind="stable"):
        cell = at[tile]
        if is_on[tile] and cell not in taken:
            cells[tile] = cell
            taken.add(cell)
    return tuple(cells) if taken else _walk_neighbours(centre, usable, step)


@lru_cache(maxsize=16)
def _fit_to_known(outlines: bytes, cells: tuple[Cell, ...]) -> NDArray[np.floating] | None:
    """See `_fit_to_centres`; of float64 outlines on cells that are sure. What lies still asks often."""
    return _fit_to_centres(np.frombuffer(outlines).reshape(-1, 6, 2), cells, 0)


def _fit_to_centres(
    outlines: NDArray[np.floating], cells: tuple[Cell, ...], method: int = cv2.LMEDS
) -> NDArray[np.floating] | None:
    """The homography from the grid by the centres of tiles (N, 6, 2); None where there are too few of them."""
    places = np.array([[_plane(c).real, _plane(c).imag] for c in cells]).reshape(-1, 2)
    if len(cells) < 7 or np.linalg.svd(places - places.mean(0), compute_uv=False)[1] < 1.5:
        return None
    # a tile's projected corners have their mean beside its projected centre, by little: the diagonals meet there
    found, _ = cv2.findHomography(places, _middles(outlines), method if len(cells) > 9 else 0)
    return None if found is None else np.asarray(found)


def _middles(outlines: NDArray[np.floating]) -> NDArray[np.float64]:
    """The intersections (N, 2) of the long diagonals of outlines (N, 6, 2)."""
    a, b, c, d = (outlines[:, k] for k in (0, 3, 1, 4))
    u, v, w = b - a, d - c, c - a
    share = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
    return np.asarray(a + share[:, None] * u)
