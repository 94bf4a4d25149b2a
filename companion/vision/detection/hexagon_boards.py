"""Hexagons side by side on a picture: the lattice that they lie on tells tiles from gaps, print and what a board has
drawn on it, and brings back tiles that were missed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.bare_cells import bare_cells
from companion.vision.detection.boards import LEAST_RADIUS_TOUCHING, LEAST_TILES, Board, Cell, find_board
from companion.vision.detection.heatmaps import areas
from companion.vision.detection.judgement import edge_colours
from companion.vision.detection.suppression import OVERLAP, Outline, suppress
from companion.vision.edge_refinement import Refined, refine
from companion.vision.geometry import shared_area
from companion.vision.image.pyramid import Pyramid

Floats = NDArray[np.float64]

ON_BOARD = 0.85
"""What lies on a board has so much of its area in common with it."""
BOARD_CONFIDENCES = (0.05, 0.3)
"""Tiles below do not say where their board lies; where they say nothing, those below the second do not."""
GAP_NEIGHBOURS, GAP_CONFIDENCE = 5, 0.6
"""A board's cell with so many tiles around it holds one too if it shows edges, with that confidence."""
SUPPORTED_CONFIDENCE, APART_CONFIDENCE, ALIKE_AREA = 0.2, 0.7, 1.6
"""Tiles surer than the first that show edges are surer still among others, or where their area is less than so many
times another's; those off a board's lattice that are not are half as sure, but those that are surer than the second."""
BOARD_EDGES = 0.78
"""Tiles of a lattice that show edges along less of their sides are what is printed on cards. Of 70 boards they do along
0.83 at least, of 7 lattices of bands and what they surround along 0.74 at most."""
BAND_REACH = 0.08
"""What lies apart, or shows few edges, may be surrounded by bands printed on tiles that touch: of these edges show so
near, in sizes of the tile. Where bands form a lattice with what they surround they do along 0.79 to 0.89 of the cards'
sides, along 0.4 at most of others twice as large.
"""
BARE_FACTOR = 0.3
"""What is left of the confidence of a board's cell that holds no tile."""
FREE_EDGES = 0.5
"""Edges show along so much of the sides of a tile beside which no other lies. Of 759 tiles on photographs and
path-traced pictures they do of all but three, of 42 gaps along 0.45 at most but of one."""
SUPPORTED_EDGES = 0.9
"""Edges show along so much of a tile's sides. Of 9 doubted tiles among others on photographs and path-traced pictures
along 0.94 at least, of 80 empty cells along 0.84 at most."""


@dataclass(frozen=True, slots=True, eq=False)
class SeenBoard:
    """A board and what lies on its cells, in their order.

    Attributes:
        confidences: how sure each tile is.
        tiles: with the edges that they show.
    """

    board: Board
    confidences: Sequence[float]
    tiles: Sequence[Refined]

    @property
    def support(self) -> float:
        """The share of the tiles' sides along which edges show, 0..1."""
        return float(np.mean([tile.support.mean() for tile in self.tiles]))


def boards_last(judged: list[Outline]) -> list[Outline]:
    """Hexagons, the best first, but those last on which tiles lie."""
    likely = [one for one in judged if one.confidence > BOARD_CONFIDENCES[1]]
    sizes = areas(np.array([one.corners for one in likely]).reshape(-1, 6, 2))
    boards = []
    for one, size in zip(likely, sizes, strict=True):
        on_it = [k for k, small in zip(likely, sizes, strict=True) if small < size / LEAST_TILES]
        on_it = [k for k in on_it if shared_area(k.corners, one.corners) > ON_BOARD]
        boards += [one] if len(suppress(on_it, OVERLAP)) >= LEAST_TILES else []
    return [*(one for one in judged if one not in boards), *boards]


def on_board(pyramid: Pyramid, tiles: list[Outline]) -> list[Outline]:
    """Hexagons as the lattice of their board has them, with those that were missed; unchanged where there is none."""
    seen = next(filter(None, (_seen_board(pyramid, tiles, least) for least in BOARD_CONFIDENCES)), None)
    if seen is None:
        return tiles
    board, corners = seen.board, np.array([tile.corners for tile in seen.tiles])
    outlines = board.corrected(list(board.cells), corners)
    bare = bare_cells(board, corners, edge_colours(pyramid, corners))
    on_lattice = [
        Outline(outline, BARE_FACTOR * c if cell in bare else _confidence_on(board, cell, tile, c))
        for cell, outline, c, tile in zip(board.cells, outlines, seen.confidences, seen.tiles, strict=True)
    ]
    gaps = refine(pyramid, [board.corners(cell) for cell in board.gaps(GAP_NEIGHBOURS)])
    filled = [Outline(gap.corners, GAP_CONFIDENCE) for gap in gaps if _shows_edges(gap)]
    whole = suppress([*on_lattice, *filled], OVERLAP)
    apart = suppress([*whole, *tiles], OVERLAP)[len(whole) :]
    return [*whole, *_apart(pyramid, apart, float(np.median(areas(outlines))))]


def _confidence_on(board: Board, cell: Cell, tile: Refined, confidence: float) -> float:
    """How likely a tile lies on a board's cell: less where it shows edges but beside others, as a gap does."""
    free = board.free_sides(cell, tile.corners)
    own = float(tile.support[free].mean()) if free.any() else 1.0
    if own < FREE_EDGES:
        return confidence * own
    return _supported(confidence) if board.neighbours(cell) > 2 and _shows_edges(tile) else confidence


def _supported(confidence: float) -> float:
    """How sure of a hexagon others of its size make."""
    return 1 - 0.5 * (1 - confidence) if confidence > SUPPORTED_CONFIDENCE else confidence


def _apart(pyramid: Pyramid, tiles: list[Outline], usual: float) -> list[Outline]:
    """Hexagons off a board's lattice: surer where they have edges all around and about its tiles' ``usual`` area, else
    less sure.
    """
    likely = [tile for tile in tiles if tile.confidence > SUPPORTED_CONFIDENCE]
    sure = []
    for tile, edges in zip(likely, refine(pyramid, [tile.corners for tile in likely]), strict=True):
        is_as_large = 1 / ALIKE_AREA < areas(edges.corners[None])[0] / usual < ALIKE_AREA
        sure += [tile] if is_as_large and _shows_edges(edges) else []

    def confidence(tile: Outline) -> float:
        if tile in sure:
            return _supported(tile.confidence)
        return tile.confidence if tile.confidence > APART_CONFIDENCE else 0.5 * tile.confidence

    return [replace(tile, confidence=confidence(tile)) for tile in tiles]


def _seen_board(pyramid: Pyramid, tiles: list[Outline], least: float) -> SeenBoard | None:
    """The board of tiles that are surer than ``least``; None where there is none."""
    likely = [t for t in tiles if t.confidence > least]
    board = find_board([t.corners for t in likely], [t.confidence for t in likely])
    if board is None:
        return None
    seen = _refined_on(pyramid, board, [t.confidence for t in likely])
    if board.radius >= LEAST_RADIUS_TOUCHING and seen.support >= SUPPORTED_EDGES:
        return seen
    sures = [max(t.confidence, GAP_CONFIDENCE) for t in likely]
    of_larger = [
        SeenBoard(
            larger,
            [sures[index] for index in larger.cells.values()],
            refine(pyramid, list(larger.outlines(list(larger.cells))), reach=BAND_REACH),
        )
        for larger in board.of_larger_tiles()
    ]
    best = max(of_larger, key=lambda one: one.support, default=seen)
    return next((one for one in (best, seen) if one.support >= BOARD_EDGES), None)


def _refined_on(pyramid: Pyramid, board: Board, confidences: Sequence[float]) -> SeenBoard:
    """The board fitted again to its tiles' edges; ``confidences`` are those of all that may be tiles."""
    sure = [confidences[index] for index in board.cells.values()]
    refined = refine(pyramid, list(board.outlines(list(board.cells))))
    better = find_board(
        [r.corners for r in refined], [c * float(r.support.mean()) for c, r in zip(sure, refined, strict=True)]
    )
    if better is None:
        return SeenBoard(board, sure, refined)
    kept = list(better.cells.values())
    return SeenBoard(better, [sure[i] for i in kept], [refined[i] for i in kept])


def _shows_edges(tile: Refined) -> bool:
    """Whether a hexagon has edges all around, not just where the tiles beside it have theirs."""
    return float(tile.support.mean()) > SUPPORTED_EDGES
