"""Two cards side by side whose white the camera has burnt together: one outline as large as two, parted in two."""

import numpy as np

from companion.games.comet.vision.numeral_crops import cut_cards
from companion.vision.image.pyramid import Pyramid

_AS_TWO = (1.25, 1.55)
"""How many times wider than one card an outline of two is that lie side by side: at most a third of one is covered."""
_WHITE, _BURNT = 245, 0.8
"""An outline is burnt out when so much of it is whiter than that, of 255."""
_SHARE = 0.53
"""What either card has of the outline's length: a half where they touch, three fifths where one covers the other."""


def burnt_pairs(pyramid: Pyramid, corners: np.ndarray, wider: np.ndarray, is_maybe: np.ndarray) -> np.ndarray:
    """Which outlines are two cards without an edge between them: bool (N,).

    On the 386 pictures that its limits were set by, all of its finds are.

    Args:
        pyramid: the picture.
        corners: the outlines (N, 4, 2).
        wider: how many times wider each is than the cards beside it (N,).
        is_maybe: which may be two cards: they are found, and no number is read on them (N,).
    """
    is_pair = is_maybe & (wider > _AS_TWO[0]) & (wider < _AS_TWO[1])
    if is_pair.any():
        is_pair[is_pair] = (cut_cards(pyramid, corners[is_pair]).min(-1) >= _WHITE).mean((1, 2)) > _BURNT
    return is_pair


def parted(corners: np.ndarray) -> np.ndarray:
    """The two cards (2N, 4, 2) that lie side by side in each outline (N, 4, 2), across its length."""
    a, b, c, d = np.moveaxis(corners, 1, 0)
    right, left = (c - b) * _SHARE, (d - a) * _SHARE
    first, second = np.stack([b, b + right, a + left, a], 1), np.stack([c - right, c, d, d - left], 1)
    return np.concatenate([first, second]).astype(np.float32)
