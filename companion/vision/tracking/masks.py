"""Polygons of the picture on the change detector's masks, of which one pixel stands for STEP x STEP of the picture."""

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.results import Outlined

STEP = 8
"""One pixel of a mask stands for STEP x STEP picture pixels."""

Mask = NDArray[np.bool_]
Planes = NDArray[np.float32]
"""Colours, (3, h, w)."""

_FRACTION_BITS = 4


def cells_of(polygon: NDArray[np.floating], shape: tuple[int, ...], grow: float = 1.0) -> Mask:
    """The mask pixels inside a polygon of the picture.

    Args:
        polygon: (N, 2) picture pixels.
        shape: (h, w) of the mask.
        grow: the polygon is scaled by this about its centre first.

    Returns:
        bool (h, w).
    """
    place, inside, _ = _inside(np.asarray(polygon, np.float32).tobytes(), shape, grow)
    mask = np.zeros(shape, bool)
    mask[place] = inside
    return mask


def count_in(polygon: NDArray[np.floating], mask: Mask, grow: float = 1.0) -> tuple[int, int]:
    """How many of the mask's pixels inside a polygon, as `cells_of` has it, are set, and how many there are."""
    place, inside, count = _inside(np.asarray(polygon, np.float32).tobytes(), mask.shape, grow)
    return int(np.count_nonzero(mask[place] & inside)), count


@lru_cache(maxsize=1024)
def _inside(polygon: bytes, shape: tuple[int, ...], grow: float) -> tuple[tuple[slice, slice], Mask, int]:
    """A polygon's part of a mask, which pixels of that part are inside, and how many; what lies still asks often."""
    corners = np.frombuffer(polygon, np.float32).reshape(-1, 2)
    centre = corners.mean(0)
    in_mask = ((corners - centre) * grow + centre + 0.5) / STEP - 0.5
    points = np.asarray(np.round(in_mask * (1 << _FRACTION_BITS)), np.int32)  # as `cv2.fillPoly` takes fractions
    low, high = (points.min(0) >> _FRACTION_BITS) - 1, (points.max(0) >> _FRACTION_BITS) + 2
    (x0, y0), (x1, y1) = (np.clip(end, 0, (shape[1], shape[0])).tolist() for end in (low, high))
    inside = np.zeros((y1 - y0, x1 - x0), np.uint8)
    if inside.size:
        offset = np.array([x0, y0], np.int32) << _FRACTION_BITS
        cv2.fillPoly(inside, [points - offset], 1, cv2.LINE_8, _FRACTION_BITS)
    return (slice(y0, y1), slice(x0, x1)), inside.view(bool), int(np.count_nonzero(inside))


def share_in(polygon: NDArray[np.floating], mask: Mask, grow: float = 1.0) -> float | None:
    """The share of the mask's pixels inside a polygon that are set; None outside the picture."""
    is_set, count = count_in(polygon, mask, grow)
    return is_set / count if count else None


def places_of(pieces: Sequence[Outlined], shape: tuple[int, ...], grow: float | Sequence[float] = 1.0) -> Mask:
    """Where some pieces lie, bool ``shape``, each scaled about its centre: all by ``grow``, or each by its own."""
    scales = [grow] * len(pieces) if isinstance(grow, float) else grow
    out = np.zeros(shape, bool)
    for piece, scale in zip(pieces, scales, strict=True):
        place, inside, _ = _inside(np.asarray(piece.corners, np.float32).tobytes(), shape, scale)
        out[place] |= inside
    return out


def blobs_with(mask: Mask, where: Mask, more_than: float = 0.0) -> Mask:
    """The connected parts of a mask of which more than so many pixels lie in ``where``, bool (h, w)."""
    count, labels = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)
    return np.asarray((np.bincount(labels[mask & where], minlength=count) > more_than)[labels])


def grown(mask: Mask) -> Mask:
    """The mask and two mask pixels around it, bool (h, w): as far as an edge blurs."""
    return np.asarray(cv2.dilate(mask.view(np.uint8), np.ones((5, 5), np.uint8)).view(bool))
