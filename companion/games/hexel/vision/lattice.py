"""Which hex cell each card fills: corners of the cards that were found in, cells of the honeycomb out.

On the table as seen from above (`levelling`) two cards touch when an edge of each faces the other across a small gap;
walking from card to card over such pairs (`honeycomb`) gives every card its cell. Nothing global is assumed about the
honeycomb: laid by hand, its errors add up outwards and no single grid fits all of it. Parts that covered cards cut off
are joined by `gaps`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.adjacency import Pairs, Stand, consistent, groups_of, touching, walked
from companion.games.hexel.vision.lattice_bridging import joined, table_test
from companion.rules.hexgrid import Cell
from companion.vision.geometry.shapes import Array, areas, mapped
from companion.vision.geometry.table_plane import poses_of, table_from_outlines


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """The honeycomb that some cards form.

    Attributes:
        cells: for each card its axial cell, None for a card that is not part of the tableau.
        east: for each card the edge (corner ``east`` to ``east + 1``) that looks in direction 0; for a card outside
            the tableau the edge that looks most nearly so.
        table_from_image: 3x3 homography from pixels to the table seen from above, in card sides, y down.
        unsettled: the cards without a cell that may belong to the tableau all the same: what lies between is covered.
    """

    cells: tuple[Cell | None, ...]
    east: tuple[int, ...]
    table_from_image: Array
    unsettled: frozenset[int] = frozenset()


def find_lattice(
    corners: NDArray[np.floating], is_covered: Callable[[NDArray[np.floating]], bool] | None = None
) -> Lattice:
    """Give every card of the largest group of touching cards its cell.

    Args:
        corners: (N, 6, 2) pixels, each card's corners clockwise as seen, any corner first.
        is_covered: whether something lies over a place, given as an outline in pixels. With it, a part of the tableau
            that covered cards cut off is still told its cells.

    Returns:
        Cells in the order of the cards. Direction ``d`` lies at the angle ``-60 d`` degrees of the table (y down), up
        to one rotation for all: E is the direction nearest to the picture's right. Fewer than two cards that belong
        together are no tableau. Of two outlines that claim one cell only the better connected gets it.
    """
    outlines = _checked(corners)
    if not len(outlines):
        return Lattice((), (), np.eye(3))
    table_from_image = table_from_outlines(outlines)
    poses = poses_of(mapped(table_from_image, outlines))
    pairs = touching(poses)
    covered = None if is_covered is None else table_test(is_covered, np.asarray(np.linalg.inv(table_from_image)))
    right = _edges_looking_right(outlines)
    stands: dict[int, Stand] = {}
    unsettled: frozenset[int] = frozenset()
    for seed in _seeds(pairs):
        stands = consistent(walked({seed: Stand((0, 0), right[seed])}, pairs), pairs)
        if covered is not None:
            stands, doubted = joined(stands, poses, pairs, covered)
            unsettled = unsettled | doubted
        if len(stands) > 1:
            break
    if len(stands) < 2:
        stands = {}
    unsettled -= stands.keys()
    return Lattice(
        tuple(stands[i].cell if i in stands else None for i in range(len(outlines))),
        tuple(stands[i].east if i in stands else right[i] for i in range(len(outlines))),
        table_from_image,
        unsettled,
    )


def _seeds(pairs: Pairs) -> list[int]:
    """Where to begin: the best connected card of the largest group; any card where none touches another."""
    groups = groups_of(len(pairs), pairs)
    if len(groups[0]) == 1:
        return list(range(len(pairs)))
    return [max(groups[0], key=lambda card: (len(pairs[card]), card))]


def edge_order(east: int) -> tuple[int, ...]:
    """A card's edges in order of direction, for the edge that looks east.

    >>> edge_order(2)
    (2, 1, 0, 5, 4, 3)
    """
    return tuple((east - d) % 6 for d in range(6))


def _checked(corners: NDArray[np.floating]) -> Array:
    outlines = np.asarray(corners, np.float64)
    if outlines.size == 0:
        return np.zeros((0, 6, 2))
    if outlines.ndim != 3 or outlines.shape[1:] != (6, 2):
        raise ValueError(f"corners must be (N, 6, 2), not {outlines.shape}")
    backwards = np.flatnonzero(areas(outlines) <= 0)
    if len(backwards):
        raise ValueError(f"corners of card {backwards[0]} do not run clockwise")
    return outlines


def _edges_looking_right(outlines: Array) -> list[int]:
    middles = 0.5 * (outlines + np.roll(outlines, -1, axis=1)) - outlines.mean(axis=1, keepdims=True)
    return [int(edge) for edge in np.argmax(middles[..., 0] / np.linalg.norm(middles, axis=-1), axis=1)]
