"""What the cells of taught cases show, and what it looks like in all four rotations."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.layout import ANY, span
from companion.games.hexapod.vision.classifier import (
    NETWORK,
    OTHER,
    Cells,
    TurnedExamples,
    classify_cells,
    fuse_passes,
    views,
)
from companion.games.hexapod.vision.orientation import rotate_cells
from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import network

Grid = Sequence[Sequence[str | None]]
"""The kinds that a case shows, row by row."""


def turned_examples(shown: Sequence[tuple[Pyramid, NDArray[np.float32], Grid]]) -> TurnedExamples:
    """The insects of some cases in all four rotations.

    Args:
        shown: of each case a picture, its corners (4, 2) and its cells.
    """
    embeddings: list[list[NDArray[np.float32]]] = [[] for _ in range(4)]
    heads: list[float] = []
    kinds: list[str] = []
    for pyramid, corners, grid in shown:
        rotations = classify_rotations(pyramid, corners, len(grid), len(grid[0]))
        for place, _, kind in labelled_insects(rotations[0], grid, are_open(rotations)):
            for some, seen in zip(embeddings, rotations, strict=True):
                some.append(seen.embedding[place])
            heads.append(float(np.mean([seen.up[place][0] for seen in rotations])))
            kinds.append(kind)
    if not kinds:
        return TurnedExamples()
    names, of_kind = np.unique(kinds, return_inverse=True)
    shares = np.array([np.mean(np.array(heads)[of_kind == k]) for k in range(len(names))])
    return TurnedExamples(np.array(embeddings, np.float32), shares[of_kind].astype(np.float32))


def insects_of(cells: Grid) -> list[tuple[list[tuple[int, int]], str]]:
    """The insects of a grid in reading order, each with its cells (row, column) and its kind."""
    left = {
        (r, c): kind for r, row in enumerate(cells) for c, kind in enumerate(row) if kind is not None and kind != ANY
    }
    found = []
    while left:
        (row, col), kind = next(iter(left.items()))
        high, wide = span(kind)
        own = [(row + r, col + c) for r in range(high) for c in range(wide) if left.get((row + r, col + c)) == kind]
        for cell in own:
            del left[cell]
        found.append((own, kind))
    return found


def labelled_insects(
    seen: Cells, cells: Grid, is_open: NDArray[np.bool_]
) -> list[tuple[tuple[int, int], np.ndarray, str]]:
    """The row and column, the embedding and the kind of each insect's cell that nothing covers.

    Args:
        seen: the cells as the network sees them.
        cells: what lies there.
        is_open: (rows, cols) see `are_open`.
    """
    return [
        ((r, c), seen.embedding[r, c], kind)
        for r, row in enumerate(cells)
        for c, kind in enumerate(row)
        if kind is not None and kind != ANY and is_open[r, c]
    ]


def are_open(rotations: Sequence[Cells]) -> NDArray[np.bool_]:
    """Which cells (rows, cols) nothing covers, as seen in all rotations: an insect of an unusual drawing may look like
    something else in one of them.
    """
    return np.asarray(fuse_passes(rotations).state[..., OTHER] < LIMITS.covered_cell)


def classify_rotations(pyramid: Pyramid, corners: NDArray[np.float32], rows: int, cols: int) -> list[Cells]:
    """What the network says of a case seen in each rotation, laid out as the case lies upright."""
    net, found = network(NETWORK), dict[int, Cells]()
    for turns, size in (((0, 2), (rows, cols)), ((1, 3), (cols, rows))):
        fields = views(pyramid, [np.roll(corners, -turn, axis=0) for turn in turns], *size)
        found |= {
            turn: rotate_cells(cells, -turn) for turn, cells in zip(turns, classify_cells(net, fields), strict=True)
        }
    return [found[turn] for turn in range(4)]
