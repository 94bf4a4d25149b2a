"""Whether something lies where a card is missing: a place that does not look like the bare table around the cards."""

from collections.abc import Callable

import numpy as np

from companion.vision.finder import UNIT_HEXAGON, affine_of
from companion.vision.pyramid import Pyramid

_PLACES = np.concatenate([np.zeros((1, 2)), 0.35 * UNIT_HEXAGON, 0.6 * UNIT_HEXAGON])
_LEAST = 14.0
"""Grey levels by which a covered place differs at least from the bare table, in one colour."""


def cover_test(pyramid: Pyramid, corners: np.ndarray) -> Callable[[np.ndarray], bool]:
    """A test of whether something covers the table at an outline.

    The bare table is what most places beside the cards look like.

    Args:
        pyramid: the picture.
        corners: (N, 6, 2) pixels of all cards on it.

    Returns:
        A function of an outline (6, 2) in pixels.
    """
    centres = corners.mean(1)
    free = []
    for outline in corners:
        centre = outline.mean(0)
        for k in range(6):
            beside = outline + (outline[k] + outline[(k + 1) % 6] - 2 * centre)
            near = np.linalg.norm(centres - beside.mean(0), axis=1)
            if near.min() > 0.6 * np.linalg.norm(outline[k] + outline[(k + 1) % 6] - 2 * centre):
                free.append(beside)
    if len(free) < 3:
        return lambda outline: False
    looks = np.stack([_look(pyramid, outline) for outline in free])
    usual = np.median(looks, axis=0)
    spread = 1.48 * np.median(np.abs(looks - usual), axis=0)
    limit = np.maximum(_LEAST, 3.0 * spread)
    return lambda outline: bool((np.abs(_look(pyramid, outline) - usual) > limit).any())


def _look(pyramid: Pyramid, outline: np.ndarray) -> np.ndarray:
    """The mean colour (3,) inside an outline."""
    centre, affine = affine_of(outline)
    level = pyramid.level_for(0.3 * float(np.sqrt(abs(np.linalg.det(affine)))))
    return np.asarray(pyramid.sample(_PLACES @ affine.T + centre, level).astype(np.float32).mean(0))
