"""One photographed field as it may be met again: cut beside its edges, in another light, blurred, noisy.

Changes when what a learnt printing must bear is to be told more truly.
"""

import cv2
import numpy as np

from companion.games.hexapod.vision.classifier import prepared, rectify_field
from companion.vision.image.pyramid import Pyramid

_CORNER, _SHIFT, _GROWTH = 0.05, 0.07, 0.08
"""How far, in cells, corners, the whole field and its sides lie beside where they should: standard deviations."""
_STRENGTH = (0.5, 1.15)
_TINT, _CURVE = 0.1, 0.25
"""Standard deviations, as logarithms, of each channel's gain and of the exponent of the light's curve."""
_BLURRED, _BLUR_PX = 0.4, (0.4, 1.1)
"""So many are out of focus, and by how much."""
_NOISE = 7.0
"""The greatest standard deviation of a sensor's noise."""


def variants(
    pyramid: Pyramid, corners: np.ndarray, rows: int, cols: int, count: int, rng: np.random.Generator
) -> np.ndarray:
    """A field as the network takes it, other every time: (count, 3, H, W) float32.

    Args:
        pyramid: the picture.
        corners: (4, 2) of the field, the first becoming the top left.
        rows: cells from top to bottom.
        cols: cells from left to right.
        count: how many.
        rng: the only source of chance.
    """
    quads = [_jittered(corners, rows, cols, rng) for _ in range(count)]
    return np.stack([prepared(_augmented(rectify_field(pyramid, quad, rows, cols), rng)) for quad in quads])


def _jittered(corners: np.ndarray, rows: int, cols: int, rng: np.random.Generator) -> np.ndarray:
    """The corners (4, 2), not quite where they are."""
    right, down = (corners[1] - corners[0]) / cols, (corners[3] - corners[0]) / rows
    outwards = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    off = rng.normal(0, _CORNER, (4, 2)) + rng.normal(0, _SHIFT, 2) + outwards * rng.normal(0, _GROWTH)
    return np.asarray(corners + off @ np.stack([right, down]), np.float32)


def _augmented(picture: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A straightened field, uint8, as another camera in another light would show it."""
    if rng.random() < _BLURRED:
        picture = cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(*_BLUR_PX)))
    gains = rng.uniform(*_STRENGTH) * np.exp(rng.normal(0, _TINT, 3))
    lit = 255 * gains * (picture / 255) ** np.exp(rng.normal(0, _CURVE))
    noisy = lit + rng.uniform(0, _NOISE) * rng.standard_normal(picture.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)
