"""Reads the pieces of the picture that changed and came to rest: which of them, and when."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.results import DetectedCard, Reading, moved_by, near
from companion.vision.tracking.events import SettleTimes
from companion.vision.tracking.masks import STEP, Mask
from companion.vision.tracking.pieces import View
from companion.vision.tracking.regions import (
    Unchanged,
    Window,
    across_of,
    is_in,
    unchanged_in,
    where_at_work,
    windows_of,
)

Read = Callable[[NDArray[np.uint8], Any, float | None], Reading]
ReadUnknown = Callable[[NDArray[np.uint8], Any, float, Unchanged], Reading]

_FRESH_S = 0.8
"""What came to rest within so long is read in each frame, what lies longer once in so long."""
_READ_S = 0.06
"""At least so much time lies between two readings, whatever the frame rate."""
_AT_WORK_S = 0.3
"""So long pass between two readings where a hand is at work: little is learnt there, and reading costs time."""
_HAND_S = 0.9
"""And so long where nothing but the hand lies still."""
_MARGINS = (1.0, 1.7, 0.6)
"""What showed no card is looked at with so many times as much around it, in turn: a reader may miss one in a piece."""
_LARGEST = 1.8
"""What is so many times larger than the known cards is a mat or a box, not a card of theirs."""


@dataclass(frozen=True, slots=True, eq=False)
class ChangeReading:
    """What was read of one frame.

    Attributes:
        where: bool (h, w), the pieces that were read.
        seen: the cards seen there.
        lying: the known cards there that lie as they lay.
    """

    where: Mask
    seen: list[DetectedCard]
    lying: list[DetectedCard]


class ChangeReader:
    """Looks at what came to rest.

    Args:
        read: reads a picture as the game does: the picture, the classifier, how wide cards are when that is known.
        read_unknown: reads a piece of the picture of which something is known to be as it was, and gives the other
            cards; None to read all of them with ``read``.
        patience: how long things must last.
    """

    def __init__(self, read: Read, read_unknown: ReadUnknown | None, patience: SettleTimes) -> None:
        self._read, self._read_unknown, self._patience = read, read_unknown, patience
        self._next_s = self._next_slow_s = self._next_at_work_s = self._next_hand_s = 0.0
        self._fruitless = 0

    def read_changes(self, view: View, known: Sequence[DetectedCard], classifier: Any) -> ChangeReading | None:
        """Read what changed and lies still; None when nothing is due."""
        settled = view.changed & view.still
        is_fresh = bool((settled & ~view.mask.is_still(_FRESH_S)).any())
        if view.now_s < self._next_s or (not is_fresh and view.now_s < self._next_slow_s):
            return None
        self._next_s, self._next_slow_s = view.now_s + _READ_S, view.now_s + _FRESH_S
        reading = ChangeReading(np.zeros(settled.shape, bool), [], [])
        across = across_of(known)
        young = ~view.mask.is_still(self._patience.card_s + 0.2)
        margin = _MARGINS[self._fruitless % len(_MARGINS)]
        size = (view.bgr.shape[0], view.bgr.shape[1])
        at_work = where_at_work(view.changed, view.still, across)
        in_peace = windows_of(settled & ~at_work, size, across, young, margin)
        others = self._worth_reading(windows_of(settled & at_work, size, across, young, margin), view, across)
        bgr = view.bgr if across else _without_hands(view)
        for window in (*in_peace, *others):
            x0, y0, x1, y1 = window
            reading.where[y0 // STEP : -(-y1 // STEP), x0 // STEP : -(-x1 // STEP)] = True
            as_it_was = unchanged_in(window, known, view.changed, settled) if self._read_unknown else Unchanged()
            reading.lying.extend(moved_by(card, x0, y0) for card in as_it_was.cards)
            seen = self._read_window(bgr, window, as_it_was, across, classifier)
            twice = near(seen, reading.seen, 0.3)
            reading.seen.extend(card for card, is_twice in zip(seen, twice, strict=True) if not is_twice)
        if reading.where.any():
            self._fruitless = 0 if reading.seen else self._fruitless + 1
        return reading

    def look_again(self, now_s: float) -> None:
        """Read what lies there in the next frame too."""
        self._next_slow_s = now_s

    def _worth_reading(self, at_work: list[Window], view: View, across: float | None) -> list[Window]:
        """Of the windows in which a hand is at work all now and then, those with nothing else at rest seldom."""
        things = view.changed & view.still & ~view.hands
        hand_alone = [window for window in at_work if not is_in(window, things, across)]
        waiting = at_work if view.now_s < self._next_at_work_s else hand_alone
        if view.now_s >= self._next_hand_s:
            waiting = []
        if len(waiting) < len(at_work):
            self._next_at_work_s = view.now_s + _AT_WORK_S - 0.01
        if hand_alone and not waiting:
            self._next_hand_s = view.now_s + _HAND_S - 0.01
        return [window for window in at_work if window not in waiting]

    def _read_window(
        self, bgr: NDArray[np.uint8], window: Window, as_it_was: Unchanged, across: float | None, classifier: Any
    ) -> list[DetectedCard]:
        """The cards in a window but for those that lie as they lay."""
        x0, y0, x1, y1 = window
        piece = np.ascontiguousarray(bgr[y0:y1, x0:x1])
        if self._read_unknown is None or across is None:
            reading = self._read(piece, classifier, across)
        else:
            reading = self._read_unknown(piece, classifier, across, as_it_was)
        largest = float("inf") if across is None else _LARGEST * across / 3**0.5
        return [moved_by(c, x0, y0) for c in (*reading.cards, *reading.loose) if c.side < largest]


def _without_hands(view: View) -> NDArray[np.uint8]:
    """The frame, the table's usual colour where hands are: what they hold is no sign of what lies on the table."""
    if not view.hands.any() or view.hands.all():
        return view.bgr
    bgr = view.bgr.copy()
    hands = cv2.resize(view.hands.view(np.uint8), bgr.shape[1::-1], interpolation=cv2.INTER_NEAREST) > 0
    table = cv2.resize(bgr, view.hands.shape[::-1], interpolation=cv2.INTER_NEAREST)[~view.hands]
    bgr[hands] = np.median(table, axis=0)
    return bgr
