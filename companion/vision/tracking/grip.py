"""Whether fingers are at a card that is seen, by the picture's own pixels: a mask's are as wide as half a finger."""

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.edge_refinement import inwards_of
from companion.vision.geometry import following
from companion.vision.results import DetectedCard
from companion.vision.tracking.appearance import BLACK
from companion.vision.tracking.change_detector import MASK_PX, Mask, Planes, is_skin

_BESIDE = (0.07, 0.12)
"""So many sides beyond its edges lies what a finger at a card covers: some millimetres."""
_STEP_PX = 3.0
"""Along the edges it is looked at once in so many pixels."""
_EVEN = 20.0
"""Where the table varies by more grey levels from one mask pixel to the next, as beside another card, these do not tell
what lies there: what has no skin's colour is no finger.
"""
_DARKEST, _LIGHTEST, _TINT = 0.4, 1.15, 1.25
"""The table beside a card has so much of the light that it had, and of no colour so many times as much as of another:
in the shadow of the card or of a hand it has less.
"""
_FEW = 2
"""So few places in a row that look otherwise are no finger."""
_AROUND = np.ones((3, 3), np.uint8)
"""A mask pixel and those that touch it."""


def is_clear_of_hands(card: DetectedCard, bgr: NDArray[np.uint8], accepted: Planes, changed: Mask, hands: Mask) -> bool:
    """Whether the table shows all along a card's edges, a few millimetres beyond them.

    Args:
        card: as it is seen.
        bgr: the frame, uint8 (H, W, 3).
        accepted: (3, h, w), the picture in which the card did not lie there.
        changed: bool (h, w), where the frame differs from it.
        hands: bool (h, w), where hands are.
    """
    colours = np.ascontiguousarray(accepted.transpose(1, 2, 0))
    is_even = cv2.morphologyEx(colours, cv2.MORPH_GRADIENT, _AROUND).max(2) <= _EVEN
    may_be_finger = cv2.dilate(hands.view(np.uint8), _AROUND) > 0
    return all(
        _shows_table(_points_beside(card, away), bgr, colours, changed, is_even, may_be_finger) for away in _BESIDE
    )


def _points_beside(card: DetectedCard, away: float) -> NDArray[np.float64]:
    """Points (N, 2) along a card's edges, so many sides beyond them."""
    begins = card.corners.astype(np.float64)
    along = following(begins) - begins
    beyond = begins - inwards_of(along) * away * card.side
    counts = np.maximum(2, np.linalg.norm(along, axis=1) / _STEP_PX).astype(int)
    sides = zip(beyond, along, counts.tolist(), strict=True)
    return np.concatenate([begin + side * np.linspace(0.0, 1.0, count)[:, None] for begin, side, count in sides])


def _shows_table(
    points: NDArray[np.float64],
    bgr: NDArray[np.uint8],
    colours: NDArray[np.float32],
    changed: Mask,
    is_even: Mask,
    may_be_finger: Mask,
) -> bool:
    """Whether the table shows at points in a row, but for a few of them.

    Args:
        points: (N, 2) on the frame.
        bgr: the frame, uint8 (H, W, 3).
        colours: (h, w, 3) of the accepted picture.
        changed: bool (h, w), where the frame differs from it.
        is_even: bool (h, w), where its colours tell what lies there.
        may_be_finger: bool (h, w), where what has a skin's colour is a finger.
    """
    h, w = bgr.shape[:2]
    inside = points[((points >= 1) & (points < np.array([w, h]) - 2)).all(1)]
    if not len(inside):
        return False
    (x0, y0), (x1, y1) = inside.min(0).astype(int) - 1, inside.max(0).astype(int) + 2
    piece = cv2.blur(np.ascontiguousarray(bgr[y0:y1, x0:x1]), (3, 3)).astype(np.float32)
    at = inside.round().astype(int)
    now = piece[at[:, 1] - y0, at[:, 0] - x0]
    cols, rows = np.minimum(at // MASK_PX, np.array(changed.shape[::-1]) - 1).T
    light = _light_around(bgr, colours, changed, (x0, y0, x1, y1))
    share = (now * light + BLACK) / (colours[rows, cols] + BLACK)
    low, high = share.min(1), share.max(1)
    is_table = (low > _DARKEST) & (high < _LIGHTEST) & (high < _TINT * low)
    is_finger = may_be_finger[rows, cols] & is_skin(np.asarray(now.T))
    return _longest_run(np.where(is_even[rows, cols], ~is_table, is_finger)) <= _FEW


def _light_around(
    bgr: NDArray[np.uint8], colours: NDArray[np.float32], changed: Mask, box: tuple[int, int, int, int]
) -> float:
    """How many times as much light the accepted picture has around a box of the frame; 1 where nothing tells."""
    h, w = changed.shape
    x0, y0 = max(0, box[0] // MASK_PX - 8), max(0, box[1] // MASK_PX - 8)
    x1, y1 = min(w, box[2] // MASK_PX + 8), min(h, box[3] // MASK_PX + 8)
    piece = bgr[y0 * MASK_PX : y1 * MASK_PX, x0 * MASK_PX : x1 * MASK_PX]
    now = cv2.resize(piece, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA).astype(np.float32)
    same = ~changed[y0:y1, x0:x1]
    if not same.any():
        return 1.0
    return float(np.median((colours[y0:y1, x0:x1][same] + BLACK) / (now[same] + BLACK)))


def _longest_run(flags: NDArray[np.bool_]) -> int:
    """The most that are set in a row, the first following the last."""
    if flags.all():
        return len(flags)
    first = int(np.argmin(flags))
    ends = np.flatnonzero(~np.roll(flags, -first))
    return int(np.diff([*ends, len(flags)]).max()) - 1
