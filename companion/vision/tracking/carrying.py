"""The hands that took cards: whether one is still in view and may lay its card elsewhere."""

from collections.abc import Iterable

import cv2
import numpy as np

from companion.vision.results import DetectedCard
from companion.vision.tracking.change_detector import Mask, polygon_mask
from companion.vision.tracking.tracks import Track

_LOST_S = 0.5
"""A hand that was not seen for so long is another when one is seen again."""
RESTS_S, _STIRRED = 0.9, 0.05
"""A hand of which no such share has stirred for so long lays no card elsewhere, or is none."""


class Takers:
    """The hands that were last over cards, each followed from frame to frame for as long as it is in view."""

    def __init__(self) -> None:
        self._hands: dict[Track[DetectedCard], Mask] = {}
        self._seen_s = -np.inf

    def follow(self, covered: Iterable[Track[DetectedCard]], hands: Mask, resting: Mask, now_s: float) -> None:
        """Follow the hands of a frame.

        Args:
            covered: the tracks of the cards that a hand is over.
            hands: bool (h, w), where hands are.
            resting: bool (h, w), what has lain still for `RESTS_S`.
            now_s: when it was taken.
        """
        if now_s - self._seen_s > _LOST_S or not hands.any():
            self._hands.clear()
        if not hands.any():
            return
        self._seen_s = now_s
        count, labels = cv2.connectedComponents(hands.view(np.uint8), connectivity=8)
        sizes, stirred = (np.bincount(labels[some], minlength=count) for some in (hands, hands & ~resting))
        is_at_work = stirred > _STIRRED * sizes
        places = dict(self._hands)
        for track in covered:
            place = polygon_mask(track.piece.corners, hands.shape)
            places[track] = place | places.get(track, place)
        self._hands.clear()
        for track, place in places.items():
            is_its = np.zeros(count, bool)
            is_its[labels[place]] = True
            is_its &= is_at_work
            if is_its.any():
                self._hands[track] = is_its[labels]

    def are_in_view(self, track: Track[DetectedCard]) -> bool:
        """Whether the hand that was last over a card has been in view, and at work, since."""
        return track in self._hands
