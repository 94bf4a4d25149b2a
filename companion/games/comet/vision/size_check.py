"""How large outlines are beside cards: those of one deck are of one size, seen aslant too where they lie near."""

import numpy as np

from companion.games.comet.vision.detector import CARD

_SURE = 0.7
"""Outlines found so surely tell how large cards are."""
_NEAREST = 3
"""So many of them beside an outline tell how large a card is there."""
_ODD = 0.1
"""A card differs from the usual size by less, as a share."""


def widths_beside(corners: np.ndarray, presence: np.ndarray) -> np.ndarray:
    """How many times wider outlines (N, 4, 2) are than the cards beside them (N,); nan where no other is found surely.

    Args:
        corners: the outlines.
        presence: how surely each is found (N,).
    """
    if not len(corners):
        return np.zeros(0)
    wide, centres = CARD.width_px(corners), corners.mean(1)
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=-1) + np.where(np.eye(len(corners)) > 0, np.inf, 0.0)
    near = np.argsort(np.where(presence >= _SURE, apart, np.inf), axis=1)[:, :_NEAREST]
    is_sure = np.isfinite(np.take_along_axis(np.where(presence >= _SURE, apart, np.inf), near, 1))
    usual = [np.median(wide[row[known]]) if known.any() else np.nan for row, known in zip(near, is_sure, strict=True)]
    return np.asarray(wide / np.array(usual))


def fits(wider: np.ndarray) -> np.ndarray:
    """Which outlines (N,) are as large as the cards beside them, see `widths_beside`."""
    return np.asarray(np.abs(wider - 1) < _ODD)
