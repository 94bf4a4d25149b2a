"""Augments a photographed field for teaching: shifted crops, other light, blur and noise."""

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.classifier import prepared, rectify_field
from companion.vision.image.pyramid import Pyramid, percentile

_CORNER, _SHIFT, _GROWTH = 0.05, 0.07, 0.08
"""Standard deviations, in cells, of the errors of corners, of the whole field and of its size."""
_STRENGTH = (0.5, 1.15)
_TINT, _CURVE = 0.1, 0.25
"""Standard deviations, as logarithms, of each channel's gain and of the exponent of the light's curve."""
_BLURRED, _BLUR_PX = 0.4, (0.4, 1.1)
"""The share of blurred variants, and their sigma."""
_NOISE = 7.0
"""The greatest standard deviation of a sensor's noise."""
_DARKEST = 1
"""So many of a hundred pixels are as dark as what would be black without a veil."""
_VEILED, _VEIL = 0.25, (-0.9, 0.6)
"""The share of variants in other haze or gloss, and the veil, see `veiled`."""
_PALED, _LEFT = 0.25, (0.25, 1.0)
"""The share of variants in paler colours, and what is left of them, see `paled`."""


def variants(
    pyramid: Pyramid, corners: NDArray[np.floating], rows: int, cols: int, count: int, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Random variants of a field as the network takes them: (count, 3, H, W).

    Args:
        corners: (4, 2) of the field, the first becoming the top left.
        rows: cells from top to bottom.
        cols: cells from left to right.
        count: how many.
        rng: the only source of chance.
    """
    quads = [_jittered(corners, rows, cols, rng) for _ in range(count)]
    return np.stack([prepared(_augmented(rectify_field(pyramid, quad, rows, cols), rng)) for quad in quads])


def _jittered(corners: NDArray[np.floating], rows: int, cols: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """The corners (4, 2) with random errors."""
    right, down = (corners[1] - corners[0]) / cols, (corners[3] - corners[0]) / rows
    outwards = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])
    off = rng.normal(0, _CORNER, (4, 2)) + rng.normal(0, _SHIFT, 2) + outwards * rng.normal(0, _GROWTH)
    return np.asarray(corners + off @ np.stack([right, down]), np.float32)


def _augmented(picture: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """A rectified field (H, W, 3) as another camera in another light would show it."""
    if rng.random() < _BLURRED:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(*_BLUR_PX))), np.uint8)
    gains = rng.uniform(*_STRENGTH) * np.exp(rng.normal(0, _TINT, 3))
    if rng.random() < _VEILED:
        picture = veiled(picture, float(rng.uniform(*_VEIL)))
    if rng.random() < _PALED:
        picture = paled(picture, float(rng.uniform(*_LEFT)))
    lit = 255 * gains * (picture / 255) ** np.exp(rng.normal(0, _CURVE))
    noisy = lit + rng.uniform(0, _NOISE) * rng.standard_normal(picture.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


def veiled(picture: NDArray[np.uint8], veil: float) -> NDArray[np.uint8]:
    """A picture (H, W, 3) in other haze, or a lamp's gloss.

    Args:
        picture: the picture.
        veil: the white light that is added, as a share of what white paper sends; if negative, the share of what may
            already lie on the picture, which is as bright as its darkest, that is taken away.
    """
    if veil >= 0:
        return np.asarray((picture + 255 * veil) / (1 + veil), np.uint8)
    light = -veil * percentile(picture.min(-1), _DARKEST)
    return np.asarray(np.clip((picture - light) * 255 / max(255 - light, 1), 0, 255), np.uint8)


def paled(picture: NDArray[np.uint8], left: float) -> NDArray[np.uint8]:
    """A picture (H, W, 3) with such a share of its colours left, as another camera shows it."""
    grey = picture.mean(-1, keepdims=True)
    return np.asarray(grey + left * (picture - grey), np.uint8)
