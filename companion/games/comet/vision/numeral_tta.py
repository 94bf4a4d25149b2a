"""Numbers in doubt looked at again through outlines moved a little: the mean of what is seen so is nearer the truth."""

import numpy as np

from companion.games.comet.vision.classifier import SURE, Numerals
from companion.games.comet.vision.detector import CARD
from companion.games.comet.vision.numeral_crops import NUMBERS
from companion.vision.image.pyramid import Pyramid

_MOVES = np.array([[-0.04, 0.0], [0.04, 0.0], [0.0, -0.03], [0.0, 0.03]])
"""In half heights of a card, along its own sides."""
_LIKELY = 0.25
"""A number less likely than this is none in doubt."""


def looked_again(
    namer: Numerals, pyramid: Pyramid, corners: np.ndarray, sections: np.ndarray, is_card: np.ndarray
) -> np.ndarray:
    """The sections (N, 3, 15) of cards (N, 4, 2), those of numbers in doubt the mean of other looks.

    Args:
        namer: what looks.
        pyramid: the picture.
        corners: the outlines.
        sections: as seen at the first look.
        is_card: which outlines some number is read on (N,).
    """
    likely = sections[:, :, : len(NUMBERS)].max(-1)
    doubt = (likely > _LIKELY) & (sections.max(-1) < SURE) & is_card[:, None]
    which = np.flatnonzero(doubt.any(1))
    if not len(which):
        return sections
    moved = [corners[i] + CARD.pose_of(corners[i])[1] @ move for i in which for move in _MOVES]
    looks = namer.probabilities(pyramid, np.array(moved, np.float32))
    mean = sections.copy()
    mean[which] = looks.reshape(len(which), len(_MOVES), *sections.shape[1:]).mean(1)
    return np.where(doubt[:, :, None], mean, sections)
