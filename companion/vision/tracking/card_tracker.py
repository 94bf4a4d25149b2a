"""Follows a table of cards: what has changed on it and is at rest.

Every frame is compared with the accepted picture; only where something changed and has lain still is a piece of the
picture read, and only a card that is free of hands, fully read and not moving is reported, once.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.vision.results import Classifier, DetectedCard, Reading, is_near, near
from companion.vision.tracking.appearance import in_shade, lies_in_other_light, only_light_changed
from companion.vision.tracking.change_detector import (
    MASK_PX,
    Mask,
    ObservedFrame,
    dilated,
    find_hands,
    people,
    pieces_mask,
    polygon_mask,
    share_in,
)
from companion.vision.tracking.grip import is_clear_of_hands
from companion.vision.tracking.identity import (
    CARRIED,
    RESTS_S,
    SAME_PLACE,
    TWIN_S,
    UNDER_A_HAND,
    IdentifiedCards,
    Takers,
)
from companion.vision.tracking.layouts import Layout
from companion.vision.tracking.occlusion import (
    BEYOND_CARDS,
    LITTLE_BEYOND_CARDS,
    TOUCHED,
    is_at_rest,
    is_covered,
    is_gone,
    is_uncovered,
    may_be_gone,
    over_unseen,
    reach_beyond,
    rest_s,
    share_around,
)
from companion.vision.tracking.regions import ChangeReader, ChangeReading, Read, ReadUnknown
from companion.vision.tracking.table_search import blurred_places
from companion.vision.tracking.tracks import (
    FORGET_S,
    Doubts,
    Found,
    SettleTimes,
    TableEvent,
    TableReading,
    Track,
    TrackState,
    add_reading,
    unread_card,
)

_PUSHED = 0.25
"""What may be a known card within so many sides of it does not lie on it: that was outlined askew, or pushed."""
_HELD = 0.1
"""Where more of a card's surroundings is a hand, it holds the card."""
_LET_GO = 0.05
"""A card that was held is let go where less of its surroundings is a hand."""
_NEAR_S = 0.9
"""A card that has lain still for so long is not held by a hand near it, where the table shows all around the card."""
_HELD_BY_A_HAND = "a hand holds it"
_UNDER_A_THING = "something lies on it"
_WAITS_FOR_TWIN = "the same card lies elsewhere"
_UNSETTLED = (TrackState.APPEARING, TrackState.LEAVING)
"""Around cards in these states nothing is accepted yet, unless they are known ones under a thing."""
_RIM_PX = 4 * MASK_PX
"""What changes where a card lies so near to the picture's rim may touch that."""
_MIN_PRESENCE_BESIDE, _MIN_SIDES_BESIDE = 0.9, 1.0
"""What has less presence, and lies fewer sides from a card with more, lies across that card."""
_CHANGED_FACE_READINGS = 4
"""A known card that shows another face is looked at so often before it is believed."""
_UNSEEN_S = 1.7
"""A card seen again after so long lies there anew: what it was before does not make it old."""
_NEIGHBOUR = 2.2
"""A loose card that joins others by a new one lies so many sides from it at most."""
_TIED_S = 0.15
"""Of two cards that came to rest within so long nothing shows which was laid first: a frame may be lost."""
_CARRIED_S = 2.0
"""A card that was taken away is told so long after at the latest, while the hand that took it is in view."""
_WITH_BLUR, _HALF_A_CARD = 1.5, 5.0
"""A known card and its blur and shadow are so many times as large as it; so many crumbs are half a card."""


class CardTracker(IdentifiedCards):
    """Follows one table of cards.

    Args:
        read: reads a picture as the game does: the picture, the classifier, how wide cards are when that is known.
        layout: how the game's cards lie together.
        classifier: names what is printed on them; None for the reference printing.
        settle_times: how long things must last.
        read_unknown: reads a piece of the picture of which something is known to be as it was, and gives the other
            cards; None to read all of them with ``read``.
        identity: in a deck that holds each card once, which one a card is, None for one that cannot be told: a card
            that appears while it lies elsewhere was moved. None for a deck that holds cards alike: there one was
            moved whose face appears, however turned, when the only one of that face goes.
    """

    def __init__(
        self,
        read: Read,
        layout: Layout,
        classifier: Classifier | None = None,
        settle_times: SettleTimes | None = None,
        read_unknown: ReadUnknown | None = None,
        *,
        identity: Callable[[DetectedCard], Any] | None = None,
    ) -> None:
        super().__init__(layout, identity, settle_times)
        self._read = read
        self._reader = ChangeReader(read, read_unknown, self._settle_times)
        self._classifier = classifier
        self._hands: Mask = np.zeros((0, 0), bool)
        self._takers = Takers()
        self._placed_s = -np.inf
        self._placed: list[Track[DetectedCard]] = []
        self._doubts = Doubts()

    # ------------------------------------------------------------ the whole table

    def _read_table(self, bgr: NDArray[np.uint8]) -> Reading:
        reading = self._read(bgr, self._classifier, None)
        if self._tracks is None and reading.cards:
            self._classifier = reading.classifier
        return reading

    def _is_unsure(self, reading: TableReading) -> bool:
        return any(None in card.edges for card in reading.cards)

    def _find(self, known: list[DetectedCard], reading: TableReading) -> Found[DetectedCard] | None:
        fresh = self._layout.registered(known, reading.cards)
        if fresh is None:
            return None
        pieces = self._layout.moved_together(known, fresh) or known
        return Found(
            pieces, near(pieces, [card for card in (*reading.cards, *reading.loose) if None not in card.edges], 0.6)
        )

    # ------------------------------------------------------------ where something changed

    def _process(self, view: ObservedFrame) -> list[TableEvent]:
        self._changed, self._hands, self._placed = view.changed, view.hands, []
        self._note_hands(view)
        if any(track.reason == _WAITS_FOR_TWIN and not self._has_twin(track) for track in self._appearing):
            self._reader.look_again(self._now_s)
        reading = self._reader.read_changes(view, [track.piece for track in self._lying], self._classifier)
        events: list[TableEvent] = []
        if reading is not None:
            events += self._consider(reading.seen, view)
            if reading.where.any():
                events += self._miss(reading, view)
                events += self._accept(reading, view)
        return events + self._twins() + self._give_up_carried()

    def _note_hands(self, view: ObservedFrame) -> None:
        """Which of the known cards a hand covers, and which lie free again as they lay."""
        covered: list[Track[DetectedCard]] = []
        for track in self._lying:
            changed = share_in(track.piece.corners, view.changed)
            if changed is None:
                continue
            is_under_hand = changed > TOUCHED and (share_in(track.piece.corners, view.hands) or 0.0) > TOUCHED
            if is_under_hand and track.reason != CARRIED:  # whose place was seen to be free
                track.enter(TrackState.COVERED, self._now_s, UNDER_A_HAND)
                covered.append(track)
            elif track.state is not TrackState.STILL and changed < TOUCHED:
                track.enter(TrackState.STILL, self._now_s)
        self._takers.follow(covered, view.hands, view.mask.is_still(RESTS_S), self._now_s)

    def _at_rim(self) -> Mask | None:
        """See `Tracker`."""
        h, w = self._detector.seen.shape[1:]
        far = np.array([w, h]) * MASK_PX - _RIM_PX
        pieces = [track.piece for track in self._lying]
        near_rim = [one for one in pieces if (one.corners < _RIM_PX).any() or (one.corners > far).any()]
        return dilated(blurred_places(near_rim, (h, w))) if near_rim else None

    def _fresh(self) -> list[DetectedCard]:
        """See `Tracker`; without what is hardly seen across a surer card: fingers on its edge may look like one."""
        fresh: list[DetectedCard] = []
        for card in sorted(super()._fresh(), key=lambda card: -card.presence):
            if card.presence >= _MIN_PRESENCE_BESIDE or not any(near([card], fresh, _MIN_SIDES_BESIDE)):
                fresh.append(card)
        return fresh

    # ------------------------------------------------------------ cards seen where something changed

    def _consider(self, seen: Sequence[DetectedCard], view: ObservedFrame) -> list[TableEvent]:
        """Report the cards that are new, at rest, free of hands and read, in the order in which they came to rest."""
        fresh = self._gather_unknown(seen, view)
        if not fresh:
            return []
        hands = find_hands(view.mask, view.changed, self._explained(), view.crumb, self._at_rim())
        if hands.any():
            hands &= ~in_shade(self._detector.accepted, self._detector.seen)
        events: list[TableEvent] = []
        replacing = [track for track, old in fresh if old is not None]
        appearing = [track.piece for track in self._appearing if track not in replacing]
        for track, _ in fresh:
            track.rest_s = rest_s(track.piece, view.mask.stirred_s)
        for track, old in sorted(fresh, key=lambda one: one[0].rest_s):
            if track.state is not TrackState.APPEARING:
                continue  # it was read twice, or has been reported as moved
            if self._is_held(track, hands, view):
                track.readings, track.reason, track.first_s = 0, _HELD_BY_A_HAND, self._now_s
                continue
            lies_on = old is not None and self._lies_on(track.piece, old)
            if old is not None and not lies_on and self._lies_under_a_thing(track, old, appearing, replacing):
                track.reason = _UNDER_A_THING
            elif self._note_reason(track, old):
                events += self._place(track, None if lies_on else old)
        return events

    def _is_held(self, track: Track[DetectedCard], hands: Mask, view: ObservedFrame) -> bool:
        """Whether a hand holds an appearing card: it is at its edges, or near one that came to rest just now."""
        if share_around(track.piece, hands) <= (_LET_GO if track.reason == _HELD_BY_A_HAND else _HELD):
            return False
        if None in track.piece.edges or self._now_s - track.rest_s < _NEAR_S:
            return True
        return not is_clear_of_hands(track.piece, view.bgr, self._detector.accepted, view.changed, hands)

    def _gather_unknown(
        self, seen: Sequence[DetectedCard], view: ObservedFrame
    ) -> list[tuple[Track[DetectedCard], Track[DetectedCard] | None]]:
        """The tracks of the cards at rest that are not known, each with that of the card known where it lies."""
        known, detector = [track.piece for track in self._lying], self._detector
        fresh: list[tuple[Track[DetectedCard], Track[DetectedCard] | None]] = []
        for card in seen:
            if not is_at_rest(card, view.still):
                continue
            old = self._known_at(card)
            if old is None:
                is_known = only_light_changed(card, detector.accepted, detector.seen, detector.differs, known)
            else:
                is_known = not self._lies_on(card, old) and self._follow_known(card, old, view)
            if not is_known:
                fresh.append((self._gather(card), old))
        return fresh

    def _follow_known(self, card: DetectedCard, track: Track[DetectedCard], view: ObservedFrame) -> bool:
        """Follow a known card to where it is seen, pushed a little perhaps; False where another face shows there."""
        again, known = self._layout.aligned(card, track.piece), self._layout.in_own_frame(track.piece)
        is_whole_now = None in known.edges and None not in again.edges
        if is_whole_now or not self._shows_nothing_else(card, track.piece):
            return False
        if None not in again.edges and not is_near(card, track.piece, 0.06):
            track.piece = replace(track.piece, corners=again.corners, presence=card.presence)
        if share_around(card, view.hands) <= _HELD:
            track.enter(TrackState.STILL, self._now_s)
        return True

    def _gather(self, card: DetectedCard) -> Track[DetectedCard]:
        """The track of an appearing card, this look at it included."""
        track = next((one for one in self._appearing if is_near(card, one.piece, SAME_PLACE)), None)
        if track is None:
            before = [one for one in self._appearing if one.seen_s < self._now_s]  # not seen beside it
            self._forget([one for one in before if is_near(one.piece, card, 1.0)])
            track = Track(card, self._now_s, first_s=self._now_s, seen_s=self._now_s)
            self._tracks = [*self.tracks, track]
        if self._now_s - track.seen_s > _UNSEEN_S:
            track.readings, track.first_s = 0, self._now_s
        add_reading(track, self._layout.aligned(card, track.piece), self._classifier, self._now_s)
        return track

    def _note_reason(self, track: Track[DetectedCard], old: Track[DetectedCard] | None) -> bool:
        """Note why an appearing card is not reported yet; True where it is read well enough to be, or lies there long.

        What cannot be read fully, and shows as much of the card known there as of another, is that card under a thing.
        """
        track.reason = "it cannot be read fully yet" if None in track.piece.edges else ""
        if old is not None and track.reason:
            if self._shows_much(track.piece, old.piece):
                track.reason = _UNDER_A_THING
                return False
        elif old is not None and track.readings < _CHANGED_FACE_READINGS:
            track.reason = "it lies where another card was"
        return not track.reason or self._now_s - track.first_s >= self._settle_times.doubt_s

    def _lies_under_a_thing(
        self,
        track: Track[DetectedCard],
        old: Track[DetectedCard],
        appearing: Sequence[DetectedCard],
        replacing: Sequence[Track[DetectedCard]],
    ) -> bool:
        """Whether a card that shows another face is the old one under a thing.

        Less tells it where much of the old face shows: other cards that seem to change theirs may lie under it too. Nor
        does one change its face on which a card was laid that still lies there.
        """
        if self._laid_on(old):
            return True
        if self._shows_much(track.piece, old.piece):
            return reach_beyond(old.piece, self._changed, appearing) > LITTLE_BEYOND_CARDS
        both = [*appearing, *(one.piece for one in replacing)]
        return reach_beyond(old.piece, self._changed, both) > BEYOND_CARDS

    def _lies_on(self, card: DetectedCard, old: Track[DetectedCard]) -> bool:
        """Whether a card that is read fully lies on a known one, which shows beside it as it was."""
        may_be_it = is_near(card, old.piece, _PUSHED) and self._shows_nothing_else(card, old.piece)
        if self._layout.LIE_APART or None in card.edges or may_be_it:
            return False
        return self._shows_below(card, old)

    def _place(self, track: Track[DetectedCard], old: Track[DetectedCard] | None) -> list[TableEvent]:
        """Report an appearing card as placed, or as moved where it is the known one, and loose cards that it joins."""
        old = old or self._brought_from(track)
        if old is None and self._has_twin(track):
            track.reason = _WAITS_FOR_TWIN
            return []
        assert self._tracks is not None
        events: list[TableEvent] = []
        told: TableEvent = {"event": "placed"}
        if old is not None:
            is_same = self._is_same(track.piece, old.piece)
            may_be_it = any(old.piece.edges) or is_near(track.piece, old.piece, SAME_PLACE)
            if is_same or (may_be_it and self._shows_nothing_else(track.piece, old.piece)):
                told = {"event": "moved"}
                if is_same and self._layout.LIE_APART:
                    told |= {"from": old.piece.cell and list(old.piece.cell)}
                if old.reason != UNDER_A_HAND:
                    self._detector.accept(polygon_mask(old.piece.corners, self._changed.shape, 1.15))
                self._forget([old])
            else:
                events += self._remove(old)
        known = self._lying
        if old is not None and "from" in told and all(one.piece.cell is None for one in known):
            track.piece = replace(track.piece, cell=old.piece.cell)  # no other says where on the honeycomb it lies
        cards = self._layout.with_cells([*(one.piece for one in known), track.piece])
        joined = [c for c, one in zip(cards, known, strict=False) if one.piece.cell is None and c.cell is not None]
        joined = [card for card in joined if is_near(card, cards[-1], _NEIGHBOUR * (len(joined) + 1))]
        for one, card in zip([*known, track], cards, strict=True):
            one.piece = card
        track.enter(TrackState.STILL, self._now_s)
        self._placed.append(track)
        self._tracks = [*known, track, *self._appearing]
        new = cards[-1]
        tie = {"tied": True} if abs(track.rest_s - self._placed_s) < _TIED_S else {}
        self._placed_s = track.rest_s
        events += [{**told, **new.as_json(), **tie}, *({"event": "moved", **c.as_json()} for c in joined)]
        if None in new.edges:
            events.append(unread_card(new.centre))
        return events

    # ------------------------------------------------------------ cards carried elsewhere

    def _twins(self) -> list[TableEvent]:
        """Report the cards that waited for long for their twins to be taken away."""
        waiting = [t for t in self._appearing if t.readings and t.reason == _WAITS_FOR_TWIN]
        ripe = [t for t in waiting if self._twin_of(t) and self._now_s - t.first_s >= TWIN_S]
        return [event for track in ripe for event in self._place(track, None)]

    def _remove(self, track: Track[DetectedCard]) -> list[TableEvent]:
        """Report a card that is gone; as moved where it has appeared elsewhere."""
        twin = self._appeared_elsewhere(track)
        if twin is not None:
            return self._place(twin, track)
        self._forget([track])
        return [{"event": "removed", **track.piece.as_json()}]

    def _appeared_elsewhere(self, track: Track[DetectedCard]) -> Track[DetectedCard] | None:
        """The appearing card that a known one is, brought there; None where none is, or nothing tells which one."""
        twins = [one for one in self._appearing if one.readings and self._twin_of(one) is track]
        if self._layout.LIE_APART:
            twins = [one for one in twins if self._known_at(one.piece) in (None, track)]
        return twins[0] if len(twins) == 1 or (twins and self._holds_each_once) else None

    def _is_carried(self, track: Track[DetectedCard]) -> bool:
        """Whether a card that is gone may come to lie elsewhere: the hand that took it is in view, or a thing."""
        if self._now_s - track.since_s >= _CARRIED_S or self._appeared_elsewhere(track) is not None:
            return False
        return self._takers.are_in_view(track) or self._is_more_unread()

    def _is_more_unread(self) -> bool:
        """Whether something large enough for a card lies beside the known ones that was not read yet."""
        known = [one.piece for one in self._lying]
        unread = self._changed & ~self._hands & ~pieces_mask(known, self._changed.shape, _WITH_BLUR)
        return int(np.count_nonzero(unread)) >= _HALF_A_CARD * self._crumb()

    def _give_up_carried(self) -> list[TableEvent]:
        """Report the cards as gone that were carried out of view, or for long."""
        gone = [t for t in self._lying if t.reason == CARRIED and not self._is_carried(t)]
        return [event for track in gone for event in self._take_away(track)]

    def _take_away(self, track: Track[DetectedCard]) -> list[TableEvent]:
        """Report a card that is gone, and accept what shows in its place."""
        events = self._remove(track)
        self._detector.accept(polygon_mask(track.piece.corners, self._changed.shape, 1.15))
        return events

    # ------------------------------------------------------------ known cards that are seen no more

    def _miss(self, reading: ChangeReading, view: ObservedFrame) -> list[TableEvent]:
        """Report the known cards that were looked for and are gone."""
        lying = self._lying
        is_seen = {self._known_at(card) for card in (*reading.seen, *reading.lying)}
        unseen = [track for track in lying if track not in is_seen and track.reason != CARRIED]
        missed = [track for track in unseen if may_be_gone(track.piece, reading.where, view)]
        if not missed:
            return []
        others = {track: [other.piece for other in lying if other is not track] for track in missed}
        in_view = [card for card in self._seen_as_known(reading) if None not in card.edges]
        was, now = self._detector.accepted, self._detector.seen
        differs = self._detector.differs | view.changed  # also what hardly does
        gone = [t for t in missed if is_gone(t.piece, was, now, differs, others[t], in_view)]
        coming_or_going = [track.piece for track in gone + self._appearing]
        events: list[TableEvent] = []
        for track in missed:
            below = [card for card in in_view if (one := self._known_at(card)) and track in self._laid_on(one)]
            piece = track.piece
            is_free = is_uncovered(piece, was, now, differs, coming_or_going, below) or (
                track in gone and not is_covered(piece, was, now, view.changed, coming_or_going, others[track], in_view)
            )
            if not is_free and lies_in_other_light(piece, was, now, differs, others[track]):
                track.enter(TrackState.STILL, self._now_s)
                self._detector.accept(polygon_mask(piece.corners, reading.where.shape, 1.15))
                continue
            if not is_free:
                track.enter(TrackState.COVERED, self._now_s, _UNDER_A_THING)
                continue
            track.enter(TrackState.LEAVING, self._now_s, "it is not seen where it lay")
            if self._now_s - track.since_s < self._settle_times.removal_s:
                self._reader.look_again(self._now_s)
            elif self._is_carried(track):
                track.reason = CARRIED
            else:
                events += self._take_away(track)
        return events

    # ------------------------------------------------------------ what needs no report

    def _accept(self, reading: ChangeReading, view: ObservedFrame) -> list[TableEvent]:
        """Accept what lies still and holds nothing new: known cards at once, a moved chip or a shadow after a while.

        Returns:
            The notices of what is accepted although it may be a card.
        """
        shape = reading.where.shape
        self._forget([track for track in self._appearing if self._now_s - track.seen_s >= FORGET_S])
        as_known = self._seen_as_known(reading)
        as_told = [track.piece for track in self._placed]  # by several readings: the last may have told less
        told = [card for card in (*as_known, *as_told) if None not in card.edges]
        whole = pieces_mask(told, shape, 1.12)
        waiting = over_unseen([track.piece for track in self._lying], as_known, view.changed)
        waiting &= ~pieces_mask(told, shape)  # in a fan one lies on another
        unsettled = [t.piece for t in self.tracks if t.state in _UNSETTLED and t.reason != _UNDER_A_THING]
        waiting |= pieces_mask(unsettled, shape, 1.4)
        slow = reading.where & view.mask.is_still(self._settle_times.doubt_s)
        if slow.any():
            slow &= ~dilated(people(view, self._detector.seen))
        whole &= view.still
        things = slow & ~whole & ~waiting
        self._detector.accept(whole & ~waiting)
        self._detector.accept(things, is_thing=True)
        side_px = self._usual_side()
        self._doubts.note(reading.doubts, [track.piece for track in self.tracks], side_px, self._now_s)
        return self._doubts.say(things, side_px)

    def _seen_as_known(self, reading: ChangeReading) -> list[DetectedCard]:
        """The known cards that lie as they lay, and those that were read anew and show the same."""
        known = [track.piece for track in self._lying]
        return [*reading.lying, *(card for card in reading.seen if self._lies_as_known(card, known))]

    def _lies_as_known(self, card: DetectedCard, known: list[DetectedCard]) -> bool:
        """Whether a known card lies there and shows the same: one that was turned over does not."""
        there = [other for other, is_there in zip(known, near(known, [card], 0.3), strict=True) if is_there]
        return any(self._shows_nothing_else(card, other) for other in there)
