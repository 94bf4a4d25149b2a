"""The affine pose of a rectangle or hexagon as the outline detector's network answers it, of either shape alike."""

import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import affine_code, affines_from_code

Floats = NDArray[np.float64]

TYPICAL_PX = 40.0
"""Half a side of a card at which the code's sizes are zero."""
CODE_SCALE = np.array([1.0, 2.0, 1.0, 0.7, 0.7])
"""What the network's five numbers are multiplied with, so that all matter alike."""
_SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float64)
_TURNS = np.radians(np.arange(6) * 60.0)
_HEXAGON = np.stack([np.cos(_TURNS), np.sin(_TURNS)], 1)
UNIT_SHAPES = {4: _SQUARE, 6: _HEXAGON}
"""The square of side 2 and the hexagon of circumradius 1, by their number of corners; clockwise with y down."""
_SECOND_MOMENT = {4: 4.0, 6: 3.0}


def affine_of(corners: Floats) -> tuple[Floats, Floats]:
    """Centre (2,) and the affine map (2, 2) from the unit shape that fits corners (4 or 6, 2) best.

    >>> centre, affine = affine_of(_SQUARE * [30, 20] + [5, 6])
    >>> centre.tolist(), affine.tolist()
    ([5.0, 6.0], [[30.0, 0.0], [0.0, 20.0]])
    """
    quad = np.asarray(corners, np.float64)
    centre = quad.mean(0)
    return centre, (quad - centre).T @ UNIT_SHAPES[len(quad)] / _SECOND_MOMENT[len(quad)]


def encode(affine: Floats, sides: int) -> Floats:
    """The code (5,) of an affine map from the unit shape; the same for every turn that leaves the shape as it is."""
    return np.asarray(affine_code(affine / TYPICAL_PX, sides) * CODE_SCALE)


def decode(centres: Floats, codes: Floats, sides: int) -> Floats:
    """The corners (N, sides, 2) of centres (N, 2) and codes (N, 5), clockwise as seen.

    >>> corners = _HEXAGON * 33 + [100, 50]
    >>> centre, affine = affine_of(corners)
    >>> bool(np.allclose(decode(centre[None], encode(affine, 6)[None], 6)[0], corners))
    True
    """
    sizes = np.clip(np.asarray(codes, np.float64) / CODE_SCALE, -6, 6)
    affines = affines_from_code(sizes, sides) * TYPICAL_PX
    return np.asarray(np.asarray(centres)[:, None] + UNIT_SHAPES[sides] @ affines.swapaxes(-1, -2))
