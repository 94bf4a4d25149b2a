"""The table as it lay when it was first seen: a card laid before all has settled is news, not part of the table."""

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.tracking.hands import find_skin
from companion.vision.tracking.masks import STEP, Mask, Planes, grown

_RENEW_S = 5.0
"""A picture of a table that did not settle within so long is not the table before the game any more."""
_MOST = 15
"""Where more places changed, it was light or the camera; a card laid on others changes four or five."""
_LIKE_TABLE = 25.0
"""Grey levels by which a wooden table, which has the colour of skin, may differ from place to place."""


class InitialTable:
    """Keeps the first picture of a table until the table has settled."""

    def __init__(self) -> None:
        self._bgr: NDArray[np.uint8] | None = None
        self._since_s = 0.0

    def is_due(self, bgr: NDArray[np.uint8], now_s: float) -> bool:
        """Whether this frame is to be the first picture; if so it is kept."""
        is_due = self._bgr is None or self._bgr.shape != bgr.shape or now_s - self._since_s > _RENEW_S
        if is_due:
            self._bgr, self._since_s = bgr.copy(), now_s
        return is_due

    def before_plays(
        self, bgr: NDArray[np.uint8], first: Planes, seen: Planes, changed: Mask, least: float
    ) -> tuple[NDArray[np.uint8], Mask]:
        """The settled picture without what came since the first one, and where that is, bool (h, w).

        Args:
            bgr: uint8 (H, W, 3), the frame in which the table has settled.
            first: (3, h, w), the colours of the first picture.
            seen: (3, h, w), the colours now.
            changed: bool (h, w), where the two differ. What reaches in from the rim counts where it is a hand that
                was not there at first; where a hand was at first, the settled picture counts.
            least: fewer mask pixels than this are no play.
        """
        none = np.zeros(changed.shape, bool)
        if self._bgr is None or not changed.any():
            return bgr, none
        _, labels, stats, _ = cv2.connectedComponentsWithStats(changed.astype(np.uint8), connectivity=8)
        rim = np.concatenate([labels[0], labels[-1], labels[:, 0], labels[:, -1]])
        is_play = stats[:, 4] >= least
        is_play[0] = False
        for one in np.flatnonzero(is_play):
            place = labels == one
            is_play[one] = (one not in rim or find_skin(place, seen).any()) and _was_bare(place, first, changed)
        if not is_play.any() or int(is_play.sum()) > _MOST:
            return bgr, none
        laid = grown(is_play[labels])
        where = np.repeat(np.repeat(laid, STEP, 0), STEP, 1)[: bgr.shape[0], : bgr.shape[1]]
        picture = bgr.copy()
        rows, cols = where.shape
        picture[:rows, :cols][where] = self._bgr[:rows, :cols][where]
        return picture, laid


def _was_bare(place: Mask, first: Planes, changed: Mask) -> bool:
    """Whether no hand was at a place in the first picture: it showed no skin, or what the table beside it shows."""
    around = grown(place) & ~changed
    if around.any():
        off = np.median(first[:, place], axis=1) - np.median(first[:, around], axis=1)
        if float(np.abs(off).max()) < _LIKE_TABLE:
            return True
    return not find_skin(place, first).any()
