"""Tests whether something covers the table: places that do not look like the bare table around the cards."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.geometry.shapes import HEXAGON
from companion.vision.image.pyramid import Pyramid

_PLACES = np.concatenate([np.zeros((1, 2)), *(share * HEXAGON.unit for share in (0.2, 0.4, 0.55, 0.7))])
_PLACES = np.concatenate([_PLACES, 0.6 * (HEXAGON.unit + np.roll(HEXAGON.unit, 1, 0)) / 2])


def neighbouring_places(corners: NDArray[np.floating]) -> NDArray[np.float32]:
    """The places (M, 6, 2) beside cards where no card lies."""
    centres = corners.mean(1)
    over = corners + np.roll(corners, -1, axis=1) - 2 * centres[:, None]  # from a card's centre to its neighbour's
    places = (corners[:, None] + over[:, :, None]).reshape(-1, 6, 2)
    reach = np.linalg.norm(over, axis=-1).reshape(-1)
    apart = np.linalg.norm(places.mean(1)[:, None] - centres[None], axis=-1).min(1)
    return np.asarray(places[apart > 0.6 * reach])


def cover_test(pyramid: Pyramid, corners: NDArray[np.floating]) -> Callable[[NDArray[np.floating]], bool]:
    """A test of whether something covers the table at an outline.

    The bare table is what many places beside the cards have in common, in colour and in contrast.

    Args:
        pyramid: the picture.
        corners: (N, 6, 2) pixels of all cards on it.

    Returns:
        A function of an outline (6, 2) in pixels.
    """
    free = neighbouring_places(corners)
    if len(free) < 3:
        return lambda outline: False
    statistics = _colour_statistics(pyramid, free)
    enough = max(2, round(LIMITS.bare_share * len(statistics)))
    apart = np.abs(statistics[:, None] - statistics[None]).max(-1)
    usual = float(np.median(np.sort(apart, axis=1)[:, min(enough, len(statistics) - 1)]))
    bright = float(np.median(statistics[:, :3].max(-1)))
    limit = max(LIMITS.covered_levels * float(np.clip(bright / LIMITS.lit_level, 0.4, 1.0)), 1.5 * usual)

    def is_covered(outline: NDArray[np.floating]) -> bool:
        off = np.abs(statistics - _colour_statistics(pyramid, np.asarray(outline)[None])).max(-1)
        return int((off < limit).sum()) < enough

    return is_covered


def _colour_statistics(pyramid: Pyramid, outlines: NDArray[np.floating]) -> NDArray[np.float32]:
    """The mean colour inside each outline and its standard deviation: (M, 4)."""
    centres = outlines.mean(1)
    affines = np.einsum("mkx,ky->mxy", outlines - centres[:, None], HEXAGON.unit) / 3.0
    points = np.einsum("pk,mxk->mpx", _PLACES, affines) + centres[:, None]
    side = float(np.median(np.sqrt(np.abs(np.linalg.det(affines)))))
    seen = pyramid.sample(points, pyramid.level_for(0.2 * side)).astype(np.float32)
    return np.concatenate([seen.mean(1), seen.mean(2).std(1)[:, None]], axis=1)
