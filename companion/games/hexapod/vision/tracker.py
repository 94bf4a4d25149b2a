"""A Hexapod table over time: cards laid in cases and beside them, each reported once when it lies at rest.

A known case or card where something changed and has lain still is looked at again where it lies, cell by cell: what a
hand covers stays as it was known. The whole picture is read only for what changed elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.cell_masks import (
    cell_means,
    cell_shares,
    corners_of_cells,
    mask_of_cells,
    middle_of_cells,
    rim_share,
)
from companion.games.hexapod.vision.classifier import InsectClassifier, PretrainedInsects
from companion.games.hexapod.vision.events import moved, placed, removed
from companion.games.hexapod.vision.occlusion import is_thing_over
from companion.games.hexapod.vision.orientation import reclassify_fields
from companion.games.hexapod.vision.placements import (
    Covered,
    Laid,
    align_first_corner,
    cells_under,
    changed_cells,
    doubt_burnt_out,
    has_shifted,
    is_same_place,
    is_taken_in_part,
    is_turned,
    is_under,
    laid_cards,
    match_fields,
    may_be_card,
    may_be_covered,
    may_reach_under,
    newly_doubted,
    with_card,
)
from companion.games.hexapod.vision.plausibility import assess, empty_thresholds, is_card, is_case
from companion.games.hexapod.vision.recognizer import read_hexapod
from companion.games.hexapod.vision.results import DetectedField, HexapodReading, Kinds
from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.geometry import opposite_sides, shared_area
from companion.vision.image.pyramid import Pyramid
from companion.vision.tracking.appearance import detail_correlation, in_other_light
from companion.vision.tracking.change_detector import (
    Mask,
    ObservedFrame,
    components_touching,
    dilated,
    hands_at_work,
    people,
    pieces_mask,
    polygon_mask,
    share_in,
)
from companion.vision.tracking.table_search import blurred_places
from companion.vision.tracking.tracker import Tracker
from companion.vision.tracking.tracks import (
    Found,
    SettleTimes,
    TableEvent,
    TableReading,
    Track,
    TrackState,
    unread_card,
)

_UNCHANGED = 0.08
"""A cell of which less changed shows what it showed."""
_WHITE, _BURNT_OUT = 235, 0.5
"""Grey levels from which on a place is about white; an empty cell of which so much is, is read like one that changed:
in a path-traced film a pale insect changed less than 0.08 of such a cell."""
_PUSHED = 0.05
"""A field of whose rim less changed lies where it lay."""
_AS_LARGE, _ON_CASE = 1.35, 0.2
"""A new case has sides at most so many times as long as those of a known one, or as short; what shares so much of the
smaller one's place with a known case lies on that."""
_SAME_DETAIL = 0.965
"""A cell whose detail correlates more with what was accepted there shows the same in other light: of 258 drawn cells in
0.7 of their light 254 do, of 178 that show another kind then none."""
_AROUND = 1.5
"""What stirs within so many times a field may cast its shadow there."""
_OPEN = 0.1
"""A cell of which less is covered by a hand or still moves can be read."""
_READINGS = 2
"""A field is accepted after so many equal readings in a row."""
_READ_S = 0.06
"""A field is read once in so long at most,"""
_MANY_READINGS, _SELDOM_S = 5, 0.8
"""and one that gave so many equal readings once in so long."""
_FULL_S = 0.4
"""The whole picture is read once in so long at most."""


@dataclass(slots=True, eq=False)
class _Reading:
    """The last reading of a field, how many equal ones there were, when the last and the first was."""

    field: DetectedField
    count: int
    at_s: float
    since_s: float


class CaseTracker(Tracker[DetectedField]):
    """Follows the cases and the loose cards of one table."""

    THINGS = "cases"

    def __init__(self, classifier: InsectClassifier | None = None, settle_times: SettleTimes | None = None) -> None:
        super().__init__(settle_times)
        self._classifier = classifier or PretrainedInsects()
        self._readings: dict[Track[DetectedField], _Reading] = {}
        self._covered_kinds: dict[Track[DetectedField], list[Covered]] = {}
        self._misread: dict[Track[DetectedField], Kinds] = {}
        self._maybe_cards: dict[Track[DetectedField], tuple[float, float]] = {}
        self._pyramid: Pyramid | None = None
        self._next_full_s = 0.0

    def _read_table(self, bgr: NDArray[np.uint8]) -> HexapodReading:
        return read_hexapod(bgr, self._classifier)

    def _is_unsure(self, reading: TableReading) -> bool:
        return any(any(map(any, case.doubt)) for case in reading.cards)

    def _find(self, known: list[DetectedField], reading: TableReading) -> Found[DetectedField] | None:
        assert isinstance(reading, HexapodReading)
        cases = match_fields(known, reading)
        if cases is None:
            return None
        self._readings.clear()
        left = list(reading.loose)
        pieces, is_seen = list(cases), [True] * len(cases)
        for card in known[len(cases) :]:
            again = next((one for one in left if one.cells == card.cells), None)
            pieces.append(again or card)
            is_seen.append(again is not None)
            left = [one for one in left if one is not again]
        return Found(pieces, is_seen)

    # ------------------------------------------------------------ known cases and cards

    def _process(self, view: ObservedFrame) -> list[TableEvent]:
        self._pyramid = None
        events: list[TableEvent] = []
        free: Mask = np.ones(view.changed.shape, bool)
        for track in self._lying:
            area = polygon_mask(track.piece.corners, (free.shape[0], free.shape[1]), 1.08)
            free &= ~area
            if (share_in(track.piece.corners, view.changed, 1.08) or 0.0) < 0.01:
                self._readings.pop(track, None)
                self._maybe_cards.pop(track, None)
                track.enter(TrackState.STILL, self._now_s)
                continue
            events += self._read_field(track, view)
        return events + self._say_maybe_cards() + self._search_elsewhere(view, free)

    def _come_to_rest(self, bgr: NDArray[np.uint8]) -> list[TableEvent]:
        self._maybe_cards.clear()
        return self._say_maybe_cards() + super()._come_to_rest(bgr)

    def _say_maybe_cards(self) -> list[TableEvent]:
        """Say for as long as it lies there that what cannot be read in a case may be a card."""
        places = [at for track, at in self._maybe_cards.items() if track in self._lying]
        if not places:
            return self._notices.clear("maybe-card")
        text = "Part of a case cannot be read: light it or enter it."
        return self._notices.raise_notice("maybe-card", text, places[0])

    def _read_field(self, track: Track[DetectedField], view: ObservedFrame) -> list[TableEvent]:
        """Read a known field that changed again, where no hand is over it."""
        field, reading = track.piece, self._readings.get(track)
        changed = cell_shares(field, view.changed)
        stirring = view.changed & ~view.mask.is_still(self._settle_times.card_s / 2)
        at_work = hands_at_work(view, self._settle_times.doubt_s)  # what lies longer is looked at like a thing
        is_open = cell_shares(field, at_work | stirring) < _OPEN
        if not is_open.all():
            track.enter(TrackState.COVERED, self._now_s, "a hand is over it")
        is_changed = changed >= _UNCHANGED
        if not (is_changed & is_open).any() or self._was_read(reading):
            return []
        self._pyramid = self._pyramid or Pyramid.of(view.bgr)
        may_have_moved = not field.is_case or rim_share(field, view.changed) >= _PUSHED
        upright = reclassify_fields(self._pyramid, field, self._classifier, may_have_moved=may_have_moved)
        if field.is_case and not is_case(upright):
            return []
        least = LIMITS.sure_emptied
        sure = empty_thresholds(self._pyramid, upright, least) if field.is_case else least
        now, _ = assess(upright, self._classifier, self._pyramid.size, is_case=field.is_case, sure_empty=sure)
        before = align_first_corner(field, now) if field.is_case else field
        is_pushed = has_shifted(field, now)
        if is_pushed and not is_open.all():
            return []
        if field.is_case and field.is_upright and not is_pushed:
            now = self._only_changed(track, before, now, is_changed, is_open)
        reading = self._gather(track, now)
        if is_turned(field, before):  # which way up it lies was not known
            field, is_open = before, cell_shares(before, at_work | stirring) < _OPEN
        still = view.mask.is_still(self._settle_times.card_s)
        rests = (cell_shares(field, view.changed & ~still) < _OPEN) | ~is_open
        is_told = self._is_old(reading, view) or self._is_bare(track, before, now)
        is_waiting = newly_doubted(before, now).any() and not is_told
        if reading.count < _READINGS or not rests.all() or is_waiting:
            return []
        if not is_pushed and self._is_misread(track, before, now):
            now = _only_where(now, before, np.zeros_like(is_open))
        if not field.is_case:
            return self._card_changed(track, now, view, is_there=is_card(upright))
        shares = np.zeros_like(changed)
        if not is_pushed:
            accepted, seen = self._detector.accepted, self._detector.seen
            emptied = [cell for cell, kind in changed_cells(before, now).items() if kind is None]
            if emptied and is_thing_over(before, emptied, seen, view.changed):
                track.enter(TrackState.COVERED, self._now_s, "a thing is over it")
                return []
            shares = cell_shares(field, view.changed & ~in_other_light(accepted, seen)) * is_open
        return self._case_changed(track, before, now, shares, is_open, view)

    def _only_changed(
        self, track: Track[DetectedField], before: DetectedField, now: DetectedField, is_changed: Mask, is_open: Mask
    ) -> DetectedField:
        """A case as it is read where it looks different or may be different though it does not, else as it was known.

        Args:
            track: the case's.
            before: the case as it was known, and
            now: as it is read.
            is_changed: bool (rows, cols), which cells look different.
            is_open: bool (rows, cols), over which cells no hand is.
        """
        is_burnt_out = self._is_burnt_out(track.piece)
        is_read = (is_changed | is_burnt_out | self._is_under_taken(track, before, now, is_changed & is_open)) & is_open
        is_read |= may_be_covered(before, _only_where(now, before, is_read), now) & is_open
        return doubt_burnt_out(before, _only_where(now, before, is_read), is_burnt_out)

    def _is_burnt_out(self, field: DetectedField) -> Mask:
        """Which empty cells of a field are so bright that no change shows there, (rows, cols)."""
        is_empty = np.array([[kind is None for kind in row] for row in field.cells]) & ~np.array(field.doubt)
        white = np.asarray(self._detector.seen.min(0) >= _WHITE)
        return np.asarray(is_empty & (cell_shares(field, white) >= _BURNT_OUT))

    def _is_under_taken(
        self, track: Track[DetectedField], before: DetectedField, now: DetectedField, is_read: Mask
    ) -> Mask:
        """Which cells of a case lay under the card laid last, (rows, cols), once floor shows in one of those read."""
        under = is_under(self._covered_kinds.get(track, [])[-1:], np.shape(now.doubt))
        changes = changed_cells(before, now)
        is_taken = any(kind is None and (under & is_read)[cell] for cell, kind in changes.items())
        return under if is_taken else np.zeros_like(under)

    def _is_misread(self, track: Track[DetectedField], before: DetectedField, now: DetectedField) -> bool:
        """Whether all cells that are read as another kind show what they showed, in more or less light.

        Read as the same again they do so still: then the light around the field may be another than was accepted.
        """
        at, misread = corners_of_cells(before), now.cells == self._misread.pop(track, None)
        cells = [replace(before, corners=at[place]) for place in changed_cells(before, now)]
        accepted, seen = self._detector.accepted, self._detector.seen
        misread = misread or all(detail_correlation(cell, accepted, seen) > _SAME_DETAIL for cell in cells)
        if cells and misread:
            self._misread[track] = now.cells
        return bool(cells) and misread

    def _is_bare(
        self, track: Track[DetectedField], before: DetectedField, now: DetectedField, *, is_old: bool = False
    ) -> bool:
        """Whether a case shows what lay under the card laid last; see `Covered.is_bare`."""
        covered = self._covered_kinds.get(track, [])
        return bool(covered) and covered[-1].is_bare(before, now, is_old=is_old)

    def _is_old(self, reading: _Reading, view: ObservedFrame) -> bool:
        """Whether what was read differs from what is known for so long that a doubt is told.

        That is sooner where no hand is around and nothing stirs: it will look no better.
        """
        stirring = view.hands | (view.changed & ~view.still)
        is_calm = not share_in(reading.field.corners, stirring, _AROUND)
        is_read_often = reading.count >= _MANY_READINGS and is_calm
        return is_read_often or self._now_s - reading.since_s >= self._settle_times.doubt_s

    def _was_read(self, reading: _Reading | None) -> bool:
        if reading is None:
            return False
        next_s = reading.at_s + (_READ_S if reading.count < _MANY_READINGS else _SELDOM_S)
        old_s = reading.since_s + self._settle_times.doubt_s
        return self._now_s < (min(next_s, old_s) if reading.at_s < old_s else next_s)

    def _gather(self, track: Track[DetectedField], now: DetectedField) -> _Reading:
        """This reading, counted with the equal ones before it."""
        reading = self._readings.get(track)
        if reading is not None and (reading.field.cells, reading.field.doubt) == (now.cells, now.doubt):
            reading.count, reading.at_s = reading.count + 1, self._now_s
        else:
            since_s = self._now_s if reading is None else reading.since_s
            reading = self._readings[track] = _Reading(now, 1, self._now_s, since_s)
        return reading

    def _case_changed(
        self,
        track: Track[DetectedField],
        before: DetectedField,
        now: DetectedField,
        shares: NDArray[np.float64],
        is_open: Mask,
        view: ObservedFrame,
    ) -> list[TableEvent]:
        """What changed in a case, once it is certain.

        Args:
            track: the case's.
            before: the case as it was known, and
            now: as it is read.
            shares: (rows, cols), how much of each cell changed, 0 under a hand and where only the light did.
            is_open: bool (rows, cols), over which cells no hand is.
            view: the frame.
        """
        board, is_old = self._lying.index(track), self._is_old(self._readings[track], view)
        changes, doubted = changed_cells(before, now), newly_doubted(before, now)
        is_sure = not doubted.any()
        covered, is_read = self._covered_kinds.setdefault(track, []), is_open
        if self._is_bare(track, before, now, is_old=is_old):
            events, piece = [removed(board, now, cells_under(covered.pop().place))], now
        elif changes and not is_old and may_reach_under(changes, is_open):
            return []
        elif laid := _in_order(laid_cards(before, now, shares), before, view):
            events = self._lay(track, laid, before, now)
            piece = _only_where(now, before, is_under(laid, is_open.shape) | np.array(before.doubt))
        elif changes and (is_sure or (is_old and is_taken_in_part(changes, doubted))):
            covered.clear()
            tell = removed if None in changes.values() else moved
            events, piece = [tell(board, now, changes)], now
        else:
            if is_old and not is_sure and (changes or may_be_card(changes, doubted)):
                self._maybe_cards[track] = middle_of_cells(now, doubted)
            if changes or not (is_old or is_sure):
                return []
            events, piece, is_read = [], now if is_sure else track.piece, is_open & ~np.array(now.doubt)
            if not is_sure and is_turned(track.piece, before):  # these are not the cells that it has
                is_read = np.zeros_like(is_read)
        if events or is_sure:
            self._maybe_cards.pop(track, None)
        track.piece = piece
        self._settle(track, is_read)
        return events

    def _lay(
        self, track: Track[DetectedField], laid: Sequence[Laid], before: DetectedField, now: DetectedField
    ) -> list[TableEvent]:
        """Report cards laid in a case, and remember what they cover."""
        board, cells = self._lying.index(track), before.cells
        events: list[TableEvent] = []
        for card in laid:
            self._covered_kinds[track].append(Covered.by(card, cells))
            cells = with_card(cells, card)
            events.append(placed(board, now, card))
        unread = np.array(now.doubt) & is_under(laid, np.shape(now.doubt))
        return [*events, unread_card(middle_of_cells(now, unread))] if unread.any() else events

    def _card_changed(
        self, track: Track[DetectedField], now: DetectedField, view: ObservedFrame, *, is_there: bool
    ) -> list[TableEvent]:
        """What now lies where a loose card was known: another card, or none."""
        field = track.piece
        everywhere = np.ones((len(field.cells), len(field.cells[0])), bool)
        if not is_there:
            if (share_in(field.corners, view.hands) or 0.0) > _OPEN:
                track.enter(TrackState.COVERED, self._now_s, "a hand is over it")
                return []
            track.enter(TrackState.LEAVING, self._now_s, "it is not seen where it lay")
            if self._now_s - track.since_s < self._settle_times.removal_s:
                return []
            self._settle(track, everywhere)
            self._forget([track])
            return [{"event": "removed", "board": None, **field.as_json()}]
        if any(map(any, now.doubt)):
            return []
        track.piece = now
        track.enter(TrackState.STILL, self._now_s)
        self._settle(track, everywhere)
        return [{"event": "placed", "board": None, **now.as_json()}] if changed_cells(field, now) else []

    def _settle(self, track: Track[DetectedField], is_read: Mask) -> None:
        """Accept what lies in a field, but for cells that were not read, under a hand perhaps."""
        field, shape = track.piece, self._detector.seen.shape[1:]
        unread = mask_of_cells(corners_of_cells(field), np.argwhere(~is_read), shape, 1.3)
        self._detector.accept(polygon_mask(field.corners, shape, 1.1) & ~unread)
        self._readings.pop(track, None)

    # ------------------------------------------------------------ elsewhere on the table

    def _search_elsewhere(self, view: ObservedFrame, free: Mask) -> list[TableEvent]:
        """Take in what changed and lies still beside the known fields."""
        settled = view.changed & free & view.mask.is_still(self._settle_times.card_s)
        events = self._read_elsewhere(view, settled & ~view.hands)
        slow = dilated(settled) & free & view.mask.changed & view.mask.is_still(self._settle_times.doubt_s)
        if slow.any():
            # what touches a covered case stays a change until it has gone
            slow &= ~dilated(components_touching(view.changed, self._covered(slow.shape)))
            self._detector.accept(slow & ~dilated(people(view, self._detector.seen)), is_thing=True)
        return events

    def _covered(self, shape: tuple[int, ...]) -> Mask:
        """Where cases lie that a hand or a thing is over, bool (h, w)."""
        covered = [track.piece for track in self._lying if track.piece.is_case and track.state is TrackState.COVERED]
        return pieces_mask(covered, shape)

    def _read_elsewhere(self, view: ObservedFrame, settled: Mask) -> list[TableEvent]:
        """Report the fields that lie where none was known."""
        if self._now_s < self._next_full_s or float(settled.mean()) < 0.001:
            return []
        self._next_full_s = self._now_s + _FULL_S
        reading = read_hexapod(view.bgr, self._classifier)
        events: list[TableEvent] = []
        for field in (*reading.cards, *reading.loose):
            area = polygon_mask(field.corners, settled.shape, 1.0)
            is_known = any(is_same_place(field, track.piece) for track in self._lying)
            if is_known or any(map(any, field.doubt)) or float(settled[area].mean()) <= 0.4:
                continue
            event = self._meet_field(field, reading) if self._is_as_large(field) else None
            if event is not None:
                events.append(event)
                self._detector.accept(polygon_mask(field.corners, settled.shape, 1.15))
        return events

    def _is_as_large(self, field: DetectedField) -> bool:
        """Whether a field is a card, or about as long and wide as a known case: a phone's screen looks like one."""
        known = [np.sort(opposite_sides(track.piece.corners)) for track in self._lying if track.piece.is_case]
        if not field.is_case or not known:
            return True
        off = np.abs(np.log(np.sort(opposite_sides(field.corners)) / np.array(known)))
        return bool((off < np.log(_AS_LARGE)).all(1).any())

    def _meet_field(self, field: DetectedField, reading: HexapodReading) -> TableEvent | None:
        """A case or a card where none was known: one that was moved there, or a new one; None for what lies on a case
        and looks like an empty one.
        """
        self._readings.clear()
        known = self._lying
        for board, track in enumerate(known):
            was = track.piece
            is_gone = not any(is_same_place(was, one) for one in (*reading.cards, *reading.loose))
            if is_gone and (was.is_case, was.cells) == (field.is_case, field.cells):
                track.piece = field
                self._detector.accept(blurred_places([was], self._detector.seen.shape[1:]))
                return {"event": "moved", "board": board if field.is_case else None, **field.as_json()}
        cases = [track.piece for track in known if track.piece.is_case]
        if field.is_case and any(shared_area(field.corners, case.corners) > _ON_CASE for case in cases):
            return None
        at = len(cases) if field.is_case else len(known)
        self._tracks = [*known[:at], *self._follow([field]), *known[at:]]
        return {"event": "placed", "board": at if field.is_case else None, **field.as_json()}


def _in_order(laid: tuple[Laid, ...], field: DetectedField, view: ObservedFrame) -> tuple[Laid, ...]:
    """Of two cards that lie apart the one first that came to rest first."""
    if len(laid) < 2 or not laid[0].is_whole:
        return laid
    since_s = np.round(cell_means(field, view.mask.stirred_s), 1)
    return tuple(sorted(laid, key=lambda card: float(since_s[card.place])))


def _only_where(now: DetectedField, before: DetectedField, is_read: Mask) -> DetectedField:
    """The field as it is read in some cells, and as it was known in the others."""
    pick = [
        list(zip(*rows, strict=True))
        for rows in zip(now.cells, before.cells, now.doubt, before.doubt, is_read, strict=True)
    ]
    return replace(
        now,
        cells=tuple(tuple(new if read else old for new, old, _, _, read in row) for row in pick),
        doubt=tuple(tuple(new if read else old for _, _, new, old, read in row) for row in pick),
    )
