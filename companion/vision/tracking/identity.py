"""Which of the known cards one is that is seen: the one that lies there, or one that was brought from elsewhere.

Hands that took cards, and may lay them elsewhere, are followed for as long as they are in view.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import shared_area
from companion.vision.results import DetectedCard, is_near, turned_edges
from companion.vision.tracking.change_detector import Mask, polygon_mask
from companion.vision.tracking.layouts import Edges, Layout, agree
from companion.vision.tracking.occlusion import TOUCHED, shows_below
from companion.vision.tracking.regions import changed_share
from companion.vision.tracking.tracker import Tracker
from companion.vision.tracking.tracks import SettleTimes, Track, TrackState

UNDER_A_HAND = "a hand is over it"
"""Why a card is covered."""
CARRIED = "the hand that took it may lay it elsewhere"
"""Why a card that is gone was not reported yet."""
SAME_PLACE = 0.15
"""What is seen within so many sides of where a card was seen, and not surely as another, is that card."""
_LIES_ON = 0.15
"""A card lies on another where their outlines share so much of the smaller; those that touch overlap by less."""
TWIN_S = 1.4
"""A card of the same face elsewhere waits so long for the first to be taken away."""
_WITHIN, _SHOWS_NOTHING = 0.7, 0.8
"""A card may have gone where, so far within its edges, so much of its place changed: of one under an arm more shows."""
_LOST_S = 0.5
"""A hand that was not seen for so long is another when one is seen again."""
RESTS_S, _STIRRED = 0.9, 0.05
"""A hand of which no such share has stirred for so long lays no card elsewhere, or is none."""


def turned_face(card: DetectedCard) -> Edges | None:
    """The face of a hexagon, the same however it is turned; None where part of it is not read."""
    return None if None in card.edges else turned_edges(card.edges)


class IdentifiedCards(Tracker[DetectedCard]):
    """Knows the cards of one table apart.

    Args:
        layout: how the game's cards lie together.
        identity: see `CardTracker`.
        settle_times: how long things must last.
    """

    def __init__(
        self,
        layout: Layout,
        identity: Callable[[DetectedCard], Any] | None,
        settle_times: SettleTimes | None,
    ) -> None:
        super().__init__(settle_times)
        self._layout = layout
        self._holds_each_once = identity is not None
        self._identity: Callable[[DetectedCard], Any] = identity or turned_face
        self._changed: NDArray[np.bool_] = np.zeros((0, 0), bool)

    # ------------------------------------------------------------ the card that lies there

    def _known_at(self, card: DetectedCard) -> Track[DetectedCard] | None:
        """The known card where one is seen; where some lie on each other that which it may be, else the uppermost."""
        there = [track for track in self._lying if is_near(card, track.piece, 0.6)]
        if len(there) < 2:
            return there[0] if there else None
        same = [track for track in there if is_near(card, track.piece, SAME_PLACE)]
        same = [track for track in same if self._shows_nothing_else(card, track.piece)]
        if same:
            return min(same, key=lambda track: math.dist(card.centre, track.piece.centre))
        return max(there, key=lambda track: track.first_s)

    def _shows_nothing_else(self, card: DetectedCard, old: DetectedCard) -> bool:
        """Whether a card may be the known one, as far as both were read; which way up that was read does not matter."""
        if self._holds_each_once and self._is_same(card, old):
            return True
        return agree(self._layout.aligned(card, old).edges, self._layout.in_own_frame(old).edges)

    def _is_same(self, card: DetectedCard, old: DetectedCard) -> bool:
        """Whether both are read fully and are one card of the deck, or have one face, however turned."""
        identity = self._identity(card)
        return identity is not None and identity == self._identity(old)

    def _shows_much(self, card: DetectedCard, old: DetectedCard) -> bool:
        """Whether a card shows as much of the known one's face as of another."""
        now, known = self._layout.aligned(card, old).edges, self._layout.in_own_frame(old).edges
        is_same = [a == b for a, b in zip(now, known, strict=True) if a is not None and b is not None]
        return bool(is_same) and 2 * sum(is_same) >= len(is_same)

    def _laid_on(self, track: Track[DetectedCard]) -> list[Track[DetectedCard]]:
        """The known cards that were laid on another after that was."""
        later = [other for other in self._lying if other.first_s > track.first_s]
        return [other for other in later if shared_area(track.piece.corners, other.piece.corners) > _LIES_ON]

    # ------------------------------------------------------------ cards brought from elsewhere

    def _has_twin(self, track: Track[DetectedCard]) -> bool:
        """Whether the very card lies elsewhere as far as is known: then it waits for that to be taken away."""
        twin = self._twin_of(track)
        if twin is None or self._now_s - track.first_s >= TWIN_S:
            return False
        return twin.state is not TrackState.STILL or changed_share(twin.piece, self._changed) > TOUCHED

    def _twin_of(self, track: Track[DetectedCard]) -> Track[DetectedCard] | None:
        """The known card that an appearing one may be; of cards alike the only one that may have gone."""
        twins = [one for one in self._lying if self._is_same(track.piece, one.piece)]
        if not self._holds_each_once:
            twins = [one for one in twins if self._is_pushed(track, one)] or [
                t for t in twins if self._may_have_gone(t)
            ]
        return twins[0] if len(twins) == 1 or (twins and self._holds_each_once) else None

    def _is_pushed(self, track: Track[DetectedCard], old: Track[DetectedCard]) -> bool:
        """Whether an appearing card lies where a known one did, and not on that."""
        if not self._layout.LIE_APART or shared_area(track.piece.corners, old.piece.corners) <= _LIES_ON:
            return False
        return not self._shows_below(track.piece, old)

    def _shows_below(self, card: DetectedCard, old: Track[DetectedCard]) -> bool:
        """Whether a known card shows as it was beside one that is seen over its place."""
        others = [other.piece for other in self._lying if other is not old]
        return shows_below(old.piece, card, self._detector.accepted, self._detector.differs, others)

    def _may_have_gone(self, track: Track[DetectedCard]) -> bool:
        return track.state is TrackState.LEAVING or changed_share(track.piece, self._changed, _WITHIN) > _SHOWS_NOTHING

    def _brought_from(self, track: Track[DetectedCard]) -> Track[DetectedCard] | None:
        """The known card that an appearing one is as far as is seen: it was taken away, or pushed from its place."""
        twin = self._twin_of(track)
        if twin is None or twin.reason == UNDER_A_HAND:
            return None
        return twin if twin.reason == CARRIED or self._is_pushed(track, twin) else None


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
