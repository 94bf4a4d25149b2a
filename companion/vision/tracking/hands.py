"""One frame before anything is read: what changed, and which of that is a hand.

A hand is what moves, or reaches in from the picture's rim, and is no card.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.tracking.change_detector import ChangeMask
from companion.vision.tracking.masks import Mask, Planes, blobs_with

_MOVING_S = 0.09
"""What has moved within so long is still moving."""
_SKIN = 0.08
"""A hand and its sleeve show at least so much skin."""
_FOREVER_S = 60.0
"""Nobody's hand lies perfectly still for so long."""
_RESTING = 0.6
"""A hand rests of which more than this share lies still."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """One frame and what is known of it before anything is read.

    Attributes:
        bgr: uint8 (h, w, 3).
        mask: against the accepted picture.
        changed: what changed, without crumbs, bool (h, w).
        still: what has lain still for long enough to be read, bool (h, w).
        hands: where hands are, bool (h, w).
        now_s: when it was taken.
        crumb: so few changed mask pixels are no hand and no card.
    """

    bgr: NDArray[np.uint8]
    mask: ChangeMask
    changed: Mask
    still: Mask
    hands: Mask
    now_s: float
    crumb: float


def find_hands(mask: ChangeMask, changed: Mask, explained: Mask, least: float) -> Mask:
    """Where hands, arms and what they carry are, bool (h, w).

    Args:
        mask: the frame.
        changed: what of it changed, without crumbs.
        explained: where cards lie that were read, known or fresh: they are no hands.
        least: fewer mask pixels than this are no hand.
    """
    count, labels = cv2.connectedComponents((changed & ~explained).view(np.uint8), connectivity=8)
    sizes = np.bincount(labels.ravel(), minlength=count)
    rim = np.concatenate([labels[:2].ravel(), labels[-2:].ravel(), labels[:, :2].ravel(), labels[:, -2:].ravel()])
    reaching = np.bincount(rim, minlength=count) >= 3
    moving = np.bincount(labels[~mask.is_still(_MOVING_S)], minlength=count) >= np.maximum(least, 0.05 * sizes)
    is_hand = (reaching | moving) & (sizes >= least)
    is_hand[0] = False
    return np.asarray(is_hand[labels])


def find_skin(hands: Mask, seen: Planes) -> Mask:
    """Those of the hands that show skin, bool (h, w): people's, and not a shadow's or a box's.

    Args:
        hands: bool (h, w).
        seen: the frame's colours (3, h, w), blue first.
    """
    if not hands.any():
        return hands
    count, labels = cv2.connectedComponents(hands.astype(np.uint8), connectivity=8)
    blue, green, red = seen
    luma = 0.114 * blue + 0.587 * green + 0.299 * red
    red_less_luma, blue_less_luma = 0.713 * (red - luma), 0.564 * (blue - luma)
    skin = (luma > 30) & (red_less_luma > 7) & (red_less_luma < 50) & (blue_less_luma < -5) & (blue_less_luma > -50)
    share = np.bincount(labels[skin], minlength=count) / np.maximum(np.bincount(labels.ravel()), 1)
    has_skin = share >= _SKIN
    has_skin[0] = False
    return np.asarray(has_skin[labels])


def people(view: View, seen: Planes) -> Mask:
    """Where people's hands are, bool (h, w): never accepted as part of the table. ``seen`` as for `find_skin`."""
    return find_skin(view.hands, seen) & ~view.mask.is_still(_FOREVER_S)


def hands_at_work(view: View, for_s: float) -> Mask:
    """The hands of which a part has moved within so long, bool (h, w): what lies at the rim seems to reach in too."""
    return blobs_with(view.hands, ~view.mask.is_still(for_s)) if view.hands.any() else view.hands


def is_resting(view: View, hand: Mask, for_s: float, least: float) -> bool | None:
    """Whether a hand of at least so many mask pixels has lain still for so long; None without one."""
    if np.count_nonzero(hand) < least:
        return None
    return float(view.mask.is_still(for_s)[hand].mean()) > _RESTING
