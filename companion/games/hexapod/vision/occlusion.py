"""Whether emptied cells of a case show its floor, or a pale thing that lies over them and over the case's rim."""

from collections.abc import Iterable

import numpy as np

from companion.games.hexapod.vision.cell_masks import corners_of_cells, mask_of_cells
from companion.games.hexapod.vision.placements import Place
from companion.games.hexapod.vision.results import DetectedField
from companion.vision.tracking.change_detector import Mask, Planes, components_touching, polygon_mask

_INNER = 0.7
"""So much of a cell, from its middle, no blur of its edges reaches."""
_LIKE_FLOOR = 20.0
"""Grey levels by which one piece of floor differs from others at most."""
_FEW = 6
"""Fewer mask pixels of floor do not say what it looks like."""
_NO_FLOOR, _BARE = 0.3, 0.7
"""Of less than the one share looking like floor, something lies there that is none; from the other on it is bare."""
_CASE = 1.07
"""A case and the blur of its rim."""
_BEYOND = 0.5
"""A change that reaches beyond the case by so much of a cell is no card that was taken away."""


def is_thing_over(field: DetectedField, emptied: Iterable[Place], seen: Planes, changed: Mask) -> bool:
    """Whether a thing lies over cells of a case that read as empty and did not before.

    Args:
        field: the case as it was known.
        emptied: the cells.
        seen: (3, h, w), the picture now.
        changed: bool (h, w).
    """
    shape = changed.shape
    corners, cells = corners_of_cells(field), list(emptied)
    bare = _floor_share(field, cells, seen, changed)
    if bare is not None and not _NO_FLOOR <= bare < _BARE:
        return bare < _NO_FLOOR
    over = components_touching(changed, mask_of_cells(corners, cells, shape))
    beyond = np.count_nonzero(over & ~polygon_mask(field.corners, shape, _CASE))
    return bool(beyond > _BEYOND * np.count_nonzero(polygon_mask(corners[cells[0]], shape)))


def _floor_share(field: DetectedField, cells: list[Place], seen: Planes, changed: Mask) -> float | None:
    """The share of cells that looks like those that were empty and have not changed, 0..1; None without such."""
    corners, shape = corners_of_cells(field), changed.shape
    empty = np.array([[kind is None for kind in row] for row in field.cells]) & ~np.array(field.doubt)
    floor = mask_of_cells(corners, np.argwhere(empty), shape, _INNER) & ~changed
    if np.count_nonzero(floor) < _FEW:
        return None
    low, high = (np.percentile(seen[:, floor], share, axis=1)[:, None, None] for share in (5, 95))
    is_floor = np.asarray(((seen >= low - _LIKE_FLOOR) & (seen <= high + _LIKE_FLOOR)).all(0))
    where = mask_of_cells(corners, cells, shape, _INNER)
    return float(is_floor[where].mean()) if where.any() else None
