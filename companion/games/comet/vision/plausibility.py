"""Whether outlines are Comet cards, by what is seen besides print: their size, their edges, the deck's back.

Cards of one deck are of one size, seen aslant too where they lie near. A gap between cards lacks an edge where no card
lies beside it. Two cards side by side whose white the camera has burnt together are one outline as large as two. Backs
of one deck look alike.
"""

from collections.abc import Sequence

import cv2
import numpy as np

from companion.games.comet.vision.classifier import cut_cards
from companion.games.comet.vision.detector import CARD
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.image.pyramid import Pyramid, sample_pieces


def relative_widths(corners: np.ndarray, presence: np.ndarray) -> np.ndarray:
    """How many times wider outlines (N, 4, 2) are than the cards beside them (N,); nan where no other is found surely.

    Args:
        corners: the outlines.
        presence: how surely each is found (N,).
    """
    if not len(corners):
        return np.zeros(0)
    wide, centres = CARD.width_px(corners), corners.mean(1)
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=-1) + np.where(np.eye(len(corners)) > 0, np.inf, 0.0)
    near = np.argsort(np.where(presence >= LIMITS.sure_size, apart, np.inf), axis=1)[:, : LIMITS.nearest]
    is_sure = np.isfinite(np.take_along_axis(np.where(presence >= LIMITS.sure_size, apart, np.inf), near, 1))
    usual = [np.median(wide[row[known]]) if known.any() else np.nan for row, known in zip(near, is_sure, strict=True)]
    return np.asarray(wide / np.array(usual))


def fits(wider: np.ndarray) -> np.ndarray:
    """Which outlines (N,) are as large as the cards beside them, see `relative_widths`."""
    return np.asarray(np.abs(wider - 1) < LIMITS.odd_size)


_ALONG = np.linspace(-0.6, 0.6, 7)
_INSIDE, _OUTSIDE = 0.9, 1.12


def is_gap(pyramid: Pyramid, corners: np.ndarray, others: Sequence[np.ndarray]) -> bool:
    """No edge is to be seen along some side of an outline (4, 2) that no other card (4, 2) lies beside."""
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


def _rim(scale: float) -> np.ndarray:
    """Points (4, P, 2) along the sides of the unit card made larger or smaller."""
    quad = CARD.unit * scale
    ends = np.roll(quad, -1, 0)
    return np.stack([(a + b) / 2 + _ALONG[:, None] * (b - a) / 2 for a, b in zip(quad, ends, strict=True)])


def _step(near: np.ndarray, far: np.ndarray) -> float:
    """How much the colours within a side differ from those beyond it, in shares of their brightness."""
    inner, outer = np.median(near, axis=0), np.median(far, axis=0)
    return float(np.abs(inner - outer).max() / max(8.0, float(np.maximum(inner, outer).max())))


def _holds(outline: np.ndarray, place: np.ndarray) -> bool:
    x, y = place.tolist()
    return cv2.pointPolygonTest(outline.astype(np.float32), (x, y), False) >= 0


_SHARE = 0.53
"""What either card has of the outline's length: a half where they touch, three fifths where one covers the other."""


def merged_pairs(pyramid: Pyramid, corners: np.ndarray, wider: np.ndarray, is_maybe: np.ndarray) -> np.ndarray:
    """Which outlines are two cards without an edge between them: bool (N,).

    On the 386 pictures that its limits were set by, all of its finds are.

    Args:
        pyramid: the picture.
        corners: the outlines (N, 4, 2).
        wider: how many times wider each is than the cards beside it (N,).
        is_maybe: which may be two cards: they are found, and no number is read on them (N,).
    """
    is_pair = is_maybe & (wider > LIMITS.as_two[0]) & (wider < LIMITS.as_two[1])
    if is_pair.any():
        is_pair[is_pair] = (cut_cards(pyramid, corners[is_pair]).min(-1) >= LIMITS.white).mean(
            (1, 2)
        ) > LIMITS.burnt_share
    return is_pair


def split_pair(corners: np.ndarray) -> np.ndarray:
    """The two cards (2N, 4, 2) that lie side by side in each outline (N, 4, 2), across its length."""
    a, b, c, d = np.moveaxis(corners, 1, 0)
    right, left = (c - b) * _SHARE, (d - a) * _SHARE
    first, second = np.stack([b, b + right, a + left, a], 1), np.stack([c - right, c, d, d - left], 1)
    return np.concatenate([first, second]).astype(np.float32)


_SIZE = (9, 12)
"""A back is compared in so few colours: its pattern may be seen askew, or unsharp."""


def unlikeness(pyramid: Pyramid, corners: Sequence[np.ndarray]) -> np.ndarray:
    """How much outlines (4, 2) differ from each other, either way up: (N, N) in shares of white, inf with themselves.

    It is by how much they differ at most within the half where they are most alike. On 80 hard pictures nearly all
    doubtful backs differ by less than 0.06 from the most alike of the others, all else by 0.07 at least, mostly 0.24.
    """
    count = len(corners)
    if not count:
        return np.zeros((0, 0))
    patches = cut_cards(pyramid, np.array(corners, np.float32))
    looks = np.stack([cv2.resize(one, _SIZE, interpolation=cv2.INTER_AREA)[1:-1, 1:-1] for one in patches])
    usual = np.median(looks.max(-1, keepdims=True), axis=(1, 2), keepdims=True)
    looks = np.minimum(looks / np.maximum(usual, 12.0), 2.0)
    both = np.stack([looks, looks[:, ::-1, ::-1]])
    apart = np.abs(looks[:, None, None] - both.transpose(1, 0, 2, 3, 4)[None]).mean(-1).reshape(count, count, 2, -1)
    return np.asarray(
        np.quantile(apart, LIMITS.compared_share, axis=-1).min(-1) + np.where(np.eye(count) > 0, np.inf, 0.0)
    )


def compared(off: np.ndarray, presence: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which backs are like one that is found surely, and which are strange to this deck: two times bool (N,).

    Args:
        off: how much each differs from each other.
        presence: how surely each is found.
    """
    sure, strange = presence >= LIMITS.sure_back, np.zeros(len(presence), bool)
    for _ in range(2):  # what is strange itself says nothing of others
        others = np.where(sure & ~strange, off, np.inf)
        enough = (np.isfinite(others)).sum(1) >= LIMITS.enough_backs
        strange = (presence < LIMITS.certain_back) & enough & (others.min(1, initial=np.inf) > LIMITS.strange_backs)
    others = np.where(sure & ~strange, off, np.inf)
    return others.min(1, initial=np.inf) < LIMITS.alike_backs, strange
