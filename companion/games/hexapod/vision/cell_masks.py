"""Where the cells of a field lie on a picture, and how much of each a mask covers."""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.placements import Place
from companion.games.hexapod.vision.results import DetectedField
from companion.vision.geometry import homography, mapped
from companion.vision.tracking.change_detector import Mask, count_in, polygon_mask

_RIM = (0.97, 1.07)
"""From which to which scale of a field its rim reaches."""


def corners_of_cells(field: DetectedField) -> NDArray[np.float32]:
    """The corners of each cell of a field, (rows, cols, 4, 2) pixels."""
    return _grid_of_cells(field.corners, (len(field.cells), len(field.cells[0])))


def _grid_of_cells(corners: NDArray[np.floating], shape: tuple[int, int]) -> NDArray[np.float32]:
    """The corners (rows, cols, 4, 2) of the cells of a field with corners (4, 2); ``shape`` is rows and columns."""
    cells = np.moveaxis(np.indices(shape), 0, -1)[:, :, None] + [[0, 0], [0, 1], [1, 1], [1, 0]]
    return mapped(homography(corners), (cells * 2 / np.array(shape) - 1)[..., ::-1]).astype(np.float32)


def middle_of_cells(case: DetectedField, where: Mask) -> tuple[float, float]:
    """The middle in pixels of some cells of a case; ``where`` is bool (rows, cols)."""
    x, y = corners_of_cells(case)[where].mean((0, 1)).tolist()
    return x, y


def mask_of_cells(
    corners: NDArray[np.float32], cells: Iterable[Place], shape: tuple[int, ...], grow: float = 1.0
) -> Mask:
    """Where some cells of a field lie, bool (h, w), each scaled about its centre; ``corners`` (rows, cols, 4, 2)."""
    where = np.zeros(shape, bool)
    for row, col in cells:
        where |= polygon_mask(corners[row, col], shape, grow)
    return where


def cell_shares(field: DetectedField, mask: Mask) -> NDArray[np.float64]:
    """The share of each cell of a field that a mask covers, (rows, cols); 0 outside the picture."""
    shape = (len(field.cells), len(field.cells[0]))
    at, first, counts = _places_of_cells(field.corners.tobytes(), shape, mask.shape)
    covered = np.concatenate([[0], np.cumsum(mask.reshape(-1)[at])])
    return (np.diff(covered[first]) / counts).reshape(shape)


@lru_cache(maxsize=64)
def _places_of_cells(
    corners: bytes, shape: tuple[int, int], size: tuple[int, ...]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Where in a mask (h, w) the pixels of each cell lie, one cell after the other; where each begins, and the end;
    and how many each has, 1 at least."""
    cells = _grid_of_cells(np.frombuffer(corners, np.float32).reshape(-1, 2), shape).reshape(-1, 4, 2)
    places = [np.flatnonzero(polygon_mask(cell, size)) for cell in cells]
    counts = np.array([len(place) for place in places])
    return np.concatenate(places), np.concatenate([[0], np.cumsum(counts)]), np.maximum(counts, 1)


def rim_share(field: DetectedField, mask: Mask) -> float:
    """The share of a field's rim that a mask covers, 0..1."""
    (inner, within), (outer, whole) = (count_in(field.corners, mask, scale) for scale in _RIM)
    return (outer - inner) / max(1, whole - within)


def cell_means(field: DetectedField, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of a value per mask pixel in each cell of a field, 0 outside the picture, (rows, cols)."""
    areas = [[polygon_mask(cell, values.shape) for cell in row] for row in corners_of_cells(field)]
    return np.array([[float(values[area].mean()) if area.any() else 0.0 for area in row] for row in areas])
