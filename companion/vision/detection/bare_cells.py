"""Cells of a lattice that hold no tile: those drawn on a board or a cloth, and holes through which the table shows."""

import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.boards import Board, Cell

Floats = NDArray[np.float64]

DRAWN_STEP = 3.75
"""Colours step by more levels, in the median, at the sides of a tile beside which no other lies: of 1,105 tiles and
cards by 4 at least, of most of some 300 cells drawn on boards by 1 at most."""
HOLE_NEIGHBOURS, LEAST_UNLIKE, LIKE_TABLE = 5, 15.0, 0.3
"""A hole has so many tiles around it. What shows in it differs from the tiles by so many levels at least, and from the
table by such a share of that: of 31 holes 27 do, of 600 tiles none, whose share is 0.46 at least."""


def bare_cells(board: Board, outlines: Floats, colours: Floats) -> set[Cell]:
    """The cells of a board that hold no tile.

    Args:
        board: what may be tiles.
        outlines: (N, 6, 2) of what lies on its cells, in their order.
        colours: (N, 2, 6, P, 3), of each at some places inside and outside its sides, 0..255.
    """
    index = {cell: i for i, cell in enumerate(board.cells)}
    steps = np.abs(np.median(colours[:, 0] - colours[:, 1], axis=2)).max(-1)
    within, beside = np.moveaxis(np.median(colours, axis=3), 1, 0)
    left = board
    while True:  # where a drawn cell is, the next one's side is free
        free = {cell: left.free_sides(cell, outlines[index[cell]]) for cell in left.cells}
        drawn = [c for c, sides in free.items() if sides.any() and np.median(steps[index[c], sides]) < DRAWN_STEP]
        if not drawn:
            break
        left = left.without(drawn)
    around = [beside[index[cell], sides] for cell, sides in free.items() if sides.any()]
    holes = _holes(board, within, np.concatenate(around)) if around else set()
    return (board.cells.keys() - left.cells.keys()) | holes


def _holes(board: Board, within: Floats, around: Floats) -> set[Cell]:
    """The cells among others that show, within their sides (N, 6, 3), what shows around the tiles (M, 3)."""
    shown = np.median(within, axis=1)
    to_table, to_tiles = (
        np.abs(shown - usual).max(1) for usual in (np.median(around, axis=0), np.median(shown, axis=0))
    )
    is_table = (to_tiles > LEAST_UNLIKE) & (to_table < LIKE_TABLE * to_tiles)
    bare = [cell for cell, is_one in zip(board.cells, is_table, strict=True) if is_one]
    return {cell for cell in bare if board.neighbours(cell) >= HOLE_NEIGHBOURS}
