"""What a picture's light may have done to a learnt HexDragon set: how likely each tint is, by how it fits the heads.

On dark faces the brightest part of a tile is often a coloured band, so the light's colour, measured by bright parts, is
off by the set's own inks, and all owners' inks are off together. The heads of a picture tell together by how much;
often more than one answer fits, and an owner is as sure as all that fit agree on it.
"""

import numpy as np

from companion.games.hexdragon.vision.tile_crops import Answers

DARK = 0.6
"""Faces that are brighter are paper, and tell the light better than inks do."""
SURE_HEAD = 0.8
"""A tile and its head so sure say something of the light."""
MOST_HEADS = 3.0
"""So many heads' worth of evidence a picture has at most: what blurs one of them blurs all."""
SPREAD = 0.2
"""How far the logarithm of a tint wanders when the light is measured by inks."""


def _tints() -> np.ndarray:
    """Logarithms (T, 3) of tints that leave the brightness as it is, a tenth apart."""
    steps = np.arange(-1.0, 1.01, 0.1)
    u, v = (axis.reshape(-1, 1) for axis in np.meshgrid(steps, steps))
    return np.asarray(u * np.array([1.0, -0.5, -0.5]) + v * np.array([0.0, np.sqrt(0.75), -np.sqrt(0.75)]))


_TINTS = _tints()
GAINS = np.exp(_TINTS)
"""What each tint makes of a view's channels, (T, 3)."""
_BEFORE = -(_TINTS**2).sum(1) / (2 * SPREAD**2)


def tints_told(fitting: np.ndarray, answers: Answers) -> np.ndarray:
    """How likely each tint is (T,), by the sure heads among pieces that fit so (N, T, K + 1)."""
    heads = (answers.kinds[:, 0] > SURE_HEAD) & (answers.ends[:, :, 6].max(1) > SURE_HEAD)
    told = _BEFORE.copy()
    if heads.any():
        told += np.logaddexp.reduce(fitting[heads], axis=-1).sum(0) * min(1.0, MOST_HEADS / heads.sum())
    likely = np.exp(told - told.max())
    return np.asarray(likely / likely.sum())
