"""Checks outlines of Comet cards by more than their print: their size, their edges and the deck's back.

Cards of one deck have one size, near each other in perspective too. A gap between cards has no edge where no card lies.
Two overexposed cards side by side can merge into one outline as large as two. Backs of one deck look alike.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.classifier import cut_cards
from companion.games.comet.vision.detector import CARD
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.geometry import median
from companion.vision.image.pyramid import Pyramid, sample_pieces


def relative_widths(corners: NDArray[np.floating], presence: NDArray[np.floating]) -> NDArray[np.float64]:
    """The widths (N,) of outlines (N, 4, 2) relative to the nearest sure cards; NaN without any.

    Args:
        corners: the outlines.
        presence: confidences (N,).
    """
    if not len(corners):
        return np.zeros(0)
    wide, centres = CARD.width_px(corners), corners.mean(1)
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=-1) + np.where(np.eye(len(corners)) > 0, np.inf, 0.0)
    near = np.argsort(np.where(presence >= LIMITS.sure_size, apart, np.inf), axis=1)[:, : LIMITS.nearest]
    is_sure = np.isfinite(np.take_along_axis(np.where(presence >= LIMITS.sure_size, apart, np.inf), near, 1))
    usual = [median(wide[row[known]]) if known.any() else np.nan for row, known in zip(near, is_sure, strict=True)]
    return np.asarray(wide / np.array(usual))


def has_typical_width(wider: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which outlines (N,) are about as wide as the cards near them; see `relative_widths`."""
    return np.asarray(np.abs(wider - 1) < LIMITS.odd_size)


_ALONG = np.linspace(-0.6, 0.6, 7)
_INSIDE, _OUTSIDE = 0.9, 1.12


def is_gap(pyramid: Pyramid, corners: NDArray[np.floating], others: Sequence[NDArray[np.floating]]) -> bool:
    """Whether a side of an outline (4, 2) without a neighbour among other cards (4, 2) shows no edge."""
    inside, outside = _rim(_INSIDE), _rim(_OUTSIDE)
    centre, affine = CARD.pose_of(corners)
    places = outside.reshape(-1, 2) @ affine.T + centre
    is_free = np.array([not any(_holds(other, place) for other in others) for place in places]).reshape(4, -1)
    colours = sample_pieces(
        pyramid, CARD.pose_of(corners[None]), np.concatenate([inside, outside]).reshape(-1, 2), 0.1
    )[0]
    near, far = colours.reshape(2, 4, -1, 3)
    open_sides = [side for side in range(4) if is_free[side].mean() > 0.7]
    steps = [_step(near[side][is_free[side]], far[side][is_free[side]]) for side in open_sides]
    return bool(steps) and min(steps) < LIMITS.gap_contrast


def _rim(scale: float) -> NDArray[np.float64]:
    """Points (4, P, 2) along the sides of the scaled unit card."""
    quad = CARD.unit * scale
    ends = np.roll(quad, -1, 0)
    return np.stack([(a + b) / 2 + _ALONG[:, None] * (b - a) / 2 for a, b in zip(quad, ends, strict=True)])


def _step(near: NDArray[np.floating], far: NDArray[np.floating]) -> float:
    """The contrast between the colours inside and outside of a side, relative to their brightness."""
    inner, outer = median(near), median(far)
    return float(np.abs(inner - outer).max() / max(8.0, float(np.maximum(inner, outer).max())))


def _holds(outline: NDArray[np.floating], place: NDArray[np.floating]) -> bool:
    x, y = place.tolist()
    return cv2.pointPolygonTest(outline.astype(np.float32), (x, y), False) >= 0


_SHARE = 0.53
"""Each card's share of the outline's length: a half where they touch, three fifths where one covers the other."""


def find_merged_pairs(
    pyramid: Pyramid, corners: NDArray[np.floating], wider: NDArray[np.floating], is_maybe: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which outlines (N,) are two overexposed cards: all that it finds on the 386 pictures behind its limits.

    Args:
        pyramid: the picture.
        corners: the outlines (N, 4, 2).
        wider: relative widths (N,).
        is_maybe: which are likely outlines without numbers (N,).
    """
    is_pair = is_maybe & (wider > LIMITS.as_two[0]) & (wider < LIMITS.as_two[1])
    if is_pair.any():
        is_pair[is_pair] = (cut_cards(pyramid, corners[is_pair]).min(-1) >= LIMITS.white).mean(
            (1, 2)
        ) > LIMITS.burnt_share
    return is_pair


def split_pairs(corners: NDArray[np.floating]) -> NDArray[np.float32]:
    """Split each outline (N, 4, 2) across its length into two cards (2N, 4, 2)."""
    a, b, c, d = np.moveaxis(corners, 1, 0)
    right, left = (c - b) * _SHARE, (d - a) * _SHARE
    first, second = np.stack([b, b + right, a + left, a], 1), np.stack([c - right, c, d, d - left], 1)
    return np.concatenate([first, second]).astype(np.float32)


_SIZE = (9, 12)
"""The size in pixels at which backs are compared: small, for patterns may be blurred or misaligned."""


def back_distances(pyramid: Pyramid, corners: Sequence[NDArray[np.floating]]) -> NDArray[np.float64]:
    """The distances (N, N) of the crops of outlines (4, 2) in either rotation, in shares of white; inf to themselves.

    A distance is the largest difference within the most similar half. On 80 hard pictures nearly all doubtful backs are
    within 0.06 of their nearest neighbour, and all else is at least 0.07 away, mostly 0.24.
    """
    count = len(corners)
    if not count:
        return np.zeros((0, 0))
    patches = cut_cards(pyramid, np.array(corners, np.float32))
    crops = np.stack([cv2.resize(one, _SIZE, interpolation=cv2.INTER_AREA)[1:-1, 1:-1] for one in patches])
    usual = np.median(crops.max(-1, keepdims=True), axis=(1, 2), keepdims=True)
    crops = np.minimum(crops / np.maximum(usual, 12.0), 2.0)
    both = np.stack([crops, crops[:, ::-1, ::-1]])
    apart = np.abs(crops[:, None, None] - both.transpose(1, 0, 2, 3, 4)[None]).mean(-1).reshape(count, count, 2, -1)
    return np.asarray(
        np.quantile(apart, LIMITS.compared_share, axis=-1).min(-1) + np.where(np.eye(count) > 0, np.inf, 0.0)
    )


def compare_backs(
    off: NDArray[np.floating], presence: NDArray[np.floating]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which backs resemble a sure one, and which are foreign to this deck, (N,) each.

    Args:
        off: the distances (N, N).
        presence: confidences (N,).
    """
    sure, strange = presence >= LIMITS.sure_back, np.zeros(len(presence), bool)
    for _ in range(2):  # a foreign back says nothing about others
        others = np.where(sure & ~strange, off, np.inf)
        enough = (np.isfinite(others)).sum(1) >= LIMITS.enough_backs
        strange = (presence < LIMITS.certain_back) & enough & (others.min(1, initial=np.inf) > LIMITS.strange_backs)
    others = np.where(sure & ~strange, off, np.inf)
    return others.min(1, initial=np.inf) < LIMITS.alike_backs, strange
