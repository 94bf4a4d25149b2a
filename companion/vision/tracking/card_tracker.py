"""Follows a table of cards: what has changed on it and is at rest.

Every frame is compared with the accepted picture; only where something changed and has lain still is a piece of the
picture read, and only a card that is free of hands, fully read and not moving is reported, once.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.vision.classification.classifier import Classifier
from companion.vision.results import DetectedCard, Reading, is_near, moved_by, near
from companion.vision.tracking.events import SettleTimes, TableEvent
from companion.vision.tracking.hands import find_hands
from companion.vision.tracking.layouts import Layout
from companion.vision.tracking.masks import STEP, Mask, cells_of, places_of, share_in
from companion.vision.tracking.occlusion import is_at_rest, is_covered, is_gone, over_unseen, share_around
from companion.vision.tracking.regions import (
    Unchanged,
    Window,
    across_of,
    changed_share,
    is_in,
    unchanged_in,
    windows_of,
)
from companion.vision.tracking.registration import agree
from companion.vision.tracking.tracker import Found, TableReading, Tracker, View
from companion.vision.tracking.tracks import State, Track, add_reading

Read = Callable[[NDArray[np.uint8], Any, float | None], Reading]
ReadBeside = Callable[[NDArray[np.uint8], Any, float, Unchanged], Reading]

_FRESH_S = 0.8
"""What came to rest within so long is read in each frame, what lies longer once in so long."""
_READ_S = 0.06
"""At least so much time lies between two readings, whatever the frame rate."""
_AT_WORK_S = 0.3
"""So long pass between two readings where a hand is at work: little is learnt there, and reading costs time."""
_HAND_S = 0.9
"""And so long where nothing but the hand lies still."""
_HELD = 0.1
"""Where more of a card's surroundings is a hand, it holds the card."""
_TOUCHED = 0.05
_CHANGED_FACE_READINGS = 4
"""A known card that shows another face is looked at so often before it is believed."""
_FORGET_S = 4.5
"""A card that was seen to appear is forgotten when it was not seen again for so long."""
_UNSEEN_S = 1.7
"""A card seen again after so long lies there anew: what it was before does not make it old."""
_NEIGHBOUR = 2.2
"""A loose card that joins others by a new one lies so many sides from it at most."""
_TWIN_S = 1.4
"""In a deck that holds each card once, the same card elsewhere waits so long for the first to be taken away."""
_LARGEST = 1.8
"""What is so many times larger than the known cards is a mat or a box, not a card of theirs."""


class CardTracker(Tracker[DetectedCard]):
    """Follows one table of cards.

    Args:
        read: reads a picture as the game does: the picture, the classifier, how wide cards are when that is known.
        layout: how the game's cards lie together.
        classifier: names what is printed on them; None for the reference printing.
        patience: how long things must last.
        read_beside: reads a piece of the picture of which something is known to be as it was, and gives the other
            cards; None to read all of them with ``read``.
        identity: in a deck that holds each card once, which one a card is, None for one that cannot be told: a card
            that appears while it lies elsewhere was moved.
    """

    def __init__(
        self,
        read: Read,
        layout: Layout,
        classifier: Classifier | None = None,
        patience: SettleTimes | None = None,
        read_unknown: ReadBeside | None = None,
        *,
        identity: Callable[[DetectedCard], Any] | None = None,
    ) -> None:
        super().__init__(patience)
        self._read = read
        self._read_beside = read_unknown
        self._layout = layout
        self._classifier = classifier
        self._identity = identity or (lambda card: None)
        self._changed = np.zeros((0, 0), bool)
        self._next_read_s = self._next_slow_s = self._next_at_work_s = self._next_hand_s = 0.0

    # ------------------------------------------------------------ the whole table

    def _read_table(self, bgr: NDArray[np.uint8]) -> Reading:
        reading = self._read(bgr, self._classifier, None)
        if self._tracks is None and reading.cards:
            self._classifier = reading.classifier
        return reading

    def _is_unsure(self, reading: TableReading) -> bool:
        return any(None in card.edges for card in reading.cards)

    def _find(self, known: list[DetectedCard], reading: TableReading) -> Found[DetectedCard] | None:
        fresh = self._layout.rematched(known, reading.cards)
        if fresh is None:
            return None
        pieces = self._layout.moved(known, fresh) or known
        return Found(
            pieces, near(pieces, [card for card in (*reading.cards, *reading.loose) if None not in card.edges], 0.6)
        )

    # ------------------------------------------------------------ where something changed

    def _process(self, view: View) -> list[TableEvent]:
        self._changed = view.changed
        self._note_hands(view)
        settled = view.changed & view.still
        is_fresh = bool((settled & ~view.mask.is_still(_FRESH_S)).any())
        if self._now_s < self._next_read_s or (not is_fresh and self._now_s < self._next_slow_s):
            return self._twins()
        self._next_read_s, self._next_slow_s = self._now_s + _READ_S, self._now_s + _FRESH_S
        looked, seen, lying = self._read_settled(view, settled)
        events = self._consider(seen, view)
        if looked.any():
            events += self._miss(looked, [*seen, *lying], view)
            self._accept(looked, seen, lying, view)
        return events + self._twins()

    def _note_hands(self, view: View) -> None:
        """Which of the known cards a hand covers, and which lie free again as they lay."""
        for track in self._lying:
            changed = share_in(track.piece.corners, view.changed)
            if changed is None:
                continue
            if changed > _TOUCHED and (share_in(track.piece.corners, view.hands) or 0.0) > _TOUCHED:
                track.enter(State.COVERED, self._now_s, "a hand is over it")
            elif track.state is not State.STILL and changed < _TOUCHED:
                track.enter(State.STILL, self._now_s)

    def _read_settled(self, view: View, settled: Mask) -> tuple[Mask, list[DetectedCard], list[DetectedCard]]:
        """Read where something came to rest: where that was, the cards seen, and those that lie as they lay."""
        looked = np.zeros(settled.shape, bool)
        seen: list[DetectedCard] = []
        lying: list[DetectedCard] = []
        known = [track.piece for track in self._lying]
        across = across_of(known)
        young = ~view.mask.is_still(self._patience.card_s + 0.2)
        size = (view.bgr.shape[0], view.bgr.shape[1])
        for window in self._worth_reading(windows_of(settled, size, across, young), view, across):
            x0, y0, x1, y1 = window
            looked[y0 // STEP : -(-y1 // STEP), x0 // STEP : -(-x1 // STEP)] = True
            as_it_was = unchanged_in(window, known, view.changed, settled) if self._read_beside else Unchanged()
            lying += [moved_by(card, x0, y0) for card in as_it_was.cards]
            seen += self._read_piece(view.bgr, window, as_it_was, across)
        return looked, seen, lying

    def _worth_reading(self, windows: list[Window], view: View, across: float | None) -> list[Window]:
        """The windows that lie in peace; now and then those in which a hand is at work, seldom those with it alone."""
        stirring, things = view.changed & ~view.still, view.changed & view.still & ~view.hands
        at_work = [window for window in windows if is_in(window, stirring, across)]
        hand_alone = [window for window in at_work if not is_in(window, things, across)]
        waiting = at_work if self._now_s < self._next_at_work_s else hand_alone
        if self._now_s >= self._next_hand_s:
            waiting = []
        if len(waiting) < len(at_work):
            self._next_at_work_s = self._now_s + _AT_WORK_S - 0.01
        if hand_alone and not waiting:
            self._next_hand_s = self._now_s + _HAND_S - 0.01
        return [window for window in windows if window not in waiting]

    def _read_piece(
        self, bgr: NDArray[np.uint8], window: Window, as_it_was: Unchanged, across: float | None
    ) -> list[DetectedCard]:
        """The cards in a window but for those that lie as they lay."""
        x0, y0, x1, y1 = window
        piece = np.ascontiguousarray(bgr[y0:y1, x0:x1])
        if self._read_beside is None or across is None:
            reading = self._read(piece, self._classifier, across)
        else:
            reading = self._read_beside(piece, self._classifier, across, as_it_was)
        largest = float("inf") if across is None else _LARGEST * across / 3**0.5
        return [moved_by(c, x0, y0) for c in (*reading.cards, *reading.loose) if c.side < largest]

    # ------------------------------------------------------------ cards seen where something changed

    def _consider(self, seen: Sequence[DetectedCard], view: View) -> list[TableEvent]:
        """Report the cards that are new, at rest, free of hands and read."""
        fresh: list[tuple[Track[DetectedCard], Track[DetectedCard] | None]] = []
        for card in seen:
            if not is_at_rest(card, view.still):
                continue
            old = next((track for track in self._lying if is_near(card, track.piece, 0.6)), None)
            if old is None or not self._is_as_known(card, old, view):
                fresh.append((self._gather(card), old))
        if not fresh:
            return []
        hands = find_hands(view.mask, view.changed, self._explained(), self._crumb())
        events: list[TableEvent] = []
        for track, old in fresh:
            if share_around(track.piece, hands) > _HELD:
                track.looks, track.reason, track.first_s = 0, "a hand holds it", self._now_s
            elif self._is_read(track, old):
                events += self._place(track, old)
        return events

    def _is_as_known(self, card: DetectedCard, track: Track[DetectedCard], view: View) -> bool:
        """Whether a card seen where one is known shows the same; it is followed where it was pushed a little."""
        again, known = self._layout.aligned(card, track.piece), self._layout.own(track.piece)
        is_whole_now = None in known.edges and None not in again.edges
        if not agree(again.edges, known.edges) or is_whole_now:
            return False
        if None not in again.edges and not is_near(card, track.piece, 0.06):
            track.piece = replace(track.piece, corners=again.corners, presence=card.presence)
        if share_around(card, view.hands) <= _HELD:
            track.enter(State.STILL, self._now_s)
        return True

    def _gather(self, card: DetectedCard) -> Track[DetectedCard]:
        """The track of an appearing card, this look at it included."""
        track = next((one for one in self._appearing if is_near(card, one.piece, 0.15)), None)
        if track is None:
            self._forget([one for one in self._appearing if is_near(one.piece, card, 1.0)])
            track = Track(card, self._now_s, first_s=self._now_s, seen_s=self._now_s)
            self._tracks = [*self.tracks, track]
        if self._now_s - track.seen_s > _UNSEEN_S:
            track.looks, track.first_s = 0, self._now_s
        add_reading(track, self._layout.aligned(card, track.piece), self._classifier, self._now_s)
        return track

    def _is_read(self, track: Track[DetectedCard], old: Track[DetectedCard] | None) -> bool:
        """Whether an appearing card is read well enough to be reported, or has lain there for long."""
        track.reason = "it cannot be read fully yet" if None in track.piece.edges else ""
        if not track.reason and old is not None and track.looks < _CHANGED_FACE_READINGS:
            track.reason = "it lies where another card was"
        return not track.reason or self._now_s - track.first_s >= self._patience.doubt_s

    def _place(self, track: Track[DetectedCard], old: Track[DetectedCard] | None) -> list[TableEvent]:
        if old is None and self._has_twin(track):
            track.reason = "the same card lies elsewhere"
            return []
        assert self._tracks is not None
        events: list[TableEvent] = []
        if old is not None:
            events += self._remove(old)
        known = self._lying
        cards = self._layout.named([*(one.piece for one in known), track.piece])
        joined = [c for c, one in zip(cards, known, strict=False) if one.piece.cell is None and c.cell is not None]
        joined = [card for card in joined if is_near(card, cards[-1], _NEIGHBOUR * (len(joined) + 1))]
        for one, card in zip([*known, track], cards, strict=True):
            one.piece = card
        track.enter(State.STILL, self._now_s)
        self._tracks = [*known, track, *self._appearing]
        new = cards[-1]
        events += [{"event": "placed", **new.as_json()}, *({"event": "moved", **c.as_json()} for c in joined)]
        if None in new.edges:
            at = [round(v) for v in new.centre]
            events.append(
                {"event": "notice", "code": "unsure", "message": "A new card cannot be read fully.", "at": at}
            )
        return events

    # ------------------------------------------------------------ a deck that holds each card once

    def _has_twin(self, track: Track[DetectedCard]) -> bool:
        """Whether the very card lies elsewhere as far as is known: then it waits for that to be taken away."""
        twin = self._twin_of(track)
        if twin is None or self._now_s - track.first_s >= _TWIN_S:
            return False
        return twin.state is not State.STILL or changed_share(twin.piece, self._changed) > _TOUCHED

    def _twin_of(self, track: Track[DetectedCard]) -> Track[DetectedCard] | None:
        identity = self._identity(track.piece)
        return next((t for t in self._lying if self._identity(t.piece) == identity), None) if identity else None

    def _twins(self) -> list[TableEvent]:
        """Report the cards that waited for long for their twins to be taken away."""
        ripe = [t for t in self._appearing if t.looks and self._twin_of(t) and self._now_s - t.first_s >= _TWIN_S]
        return [event for track in ripe for event in self._place(track, None)]

    def _remove(self, track: Track[DetectedCard]) -> list[TableEvent]:
        """Report a card that is gone; as moved where the very card has appeared elsewhere."""
        twin = next((one for one in self._appearing if one.looks and self._twin_of(one) is track), None)
        self._forget([track])
        if twin is None:
            return [{"event": "removed", **track.piece.as_json()}]
        return [{**event, "event": "moved"} for event in self._place(twin, None)]

    # ------------------------------------------------------------ known cards that are seen no more

    def _miss(self, looked: Mask, seen: list[DetectedCard], view: View) -> list[TableEvent]:
        """Report the known cards that were looked for and are gone."""
        lying = self._lying
        is_seen = near([t.piece for t in lying], seen, 0.6)
        missed = [t for t, is_there in zip(lying, is_seen, strict=True) if not is_there and _is_missed(t, looked, view)]
        others = {track: [other.piece for other in lying if other is not track] for track in missed}
        gone = [t for t in missed if is_gone(t.piece, self._detector.accepted, view.changed, others[t])]
        news = [track.piece for track in gone + self._appearing]
        events: list[TableEvent] = []
        for track in missed:
            if track not in gone or is_covered(track.piece, self._detector.seen, view.changed, news, others[track]):
                track.enter(State.COVERED, self._now_s, "something lies on it")
                continue
            track.enter(State.LEAVING, self._now_s, "it is not seen where it lay")
            if self._now_s - track.since_s < self._patience.removal_s:
                self._next_slow_s = self._now_s
                continue
            events += self._remove(track)
            self._detector.accept(cells_of(track.piece.corners, looked.shape, 1.15))
        return events

    # ------------------------------------------------------------ what needs no report

    def _accept(self, looked: Mask, seen: Sequence[DetectedCard], lying: Sequence[DetectedCard], view: View) -> None:
        """Accept what lies still and holds nothing new: known cards at once, a moved chip or a shadow after a while."""
        shape = looked.shape
        self._forget([track for track in self._appearing if self._now_s - track.seen_s >= _FORGET_S])
        known = [track.piece for track in self._lying]
        as_known = [*lying, *(card for card in seen if self._lies_as_known(card, known))]
        whole = places_of([card for card in as_known if None not in card.edges], shape, 1.12)
        waiting = over_unseen(known, [*seen, *lying], view.changed)
        waiting |= places_of([t.piece for t in self.tracks if t.state in (State.APPEARING, State.LEAVING)], shape, 1.4)
        slow = looked & view.mask.is_still(self._patience.doubt_s)
        if slow.any():
            slow &= ~self._skin(view)
        whole &= view.still
        self._detector.accept(whole & ~waiting)
        self._detector.accept(slow & ~whole & ~waiting, is_thing=True)

    def _lies_as_known(self, card: DetectedCard, known: list[DetectedCard]) -> bool:
        """Whether a known card lies there and shows the same: one that was turned over is news."""
        there = [other for other, is_there in zip(known, near(known, [card], 0.3), strict=True) if is_there]
        return any(agree(self._layout.aligned(card, other).edges, self._layout.own(other).edges) for other in there)


def _is_missed(track: Track[DetectedCard], looked: Mask, view: View) -> bool:
    """Whether a card's place was read, lies still, looks different and has no hand over it."""
    corners = track.piece.corners
    is_changed = (share_in(corners, view.changed, 0.95) or 0.0) >= 0.5
    if not is_changed or share_in(corners, looked, 0.95) != 1.0:
        return False
    still, hands = share_in(corners, view.still, 0.95), share_in(corners, view.hands, 0.95)
    return still is not None and still >= 0.95 and (hands or 0.0) <= _TOUCHED
