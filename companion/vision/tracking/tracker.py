"""Follows a table over time, whatever lies on it: the clock, light, the camera, hands, and the tracks of its pieces.

A game's tracker says how its table is read and compared; see `card_tracker.CardTracker` and Hexapod's `CaseTracker`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Generic

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.conditions import CONDITIONS
from companion.vision.geometry import mapped, median
from companion.vision.results import sides_of
from companion.vision.tracking.camera_motion import CameraMotion, Homography, displacement_px
from companion.vision.tracking.change_detector import (
    MASK_PX,
    ChangeDetector,
    ChangeMask,
    Mask,
    ObservedFrame,
    find_hands,
    is_resting,
    people,
    pieces_mask,
    share_in,
)
from companion.vision.tracking.table_search import (
    MOVED,
    InitialTable,
    Sighting,
    TableSearch,
    TableStatus,
    blurred_places,
    is_held,
)
from companion.vision.tracking.tracks import (
    Found,
    Notices,
    Piece,
    PlacedPiece,
    SettleTimes,
    TableEvent,
    TableReading,
    Track,
    TrackState,
    notice,
    shift_between,
)

FRAME_S = 0.1
"""Frames whose time nobody says follow one another at this pace."""
_LONGEST_GAP_S = 0.5
"""Where no frame came for long, so much time is counted: nobody knows what went on."""
_CHANGED = 0.0005
"""Where less of the picture has changed than this share, nothing has."""
_CRUMB = np.ones((2, 2), np.uint8)
"""What is narrower than two mask pixels is a crumb of a change."""
_FAINT_CARDS = (0.3, 3.0)
"""What differs hardly is as large as so many cards where one lies, or some."""
_START = (0.97, 0.2)
"""So much of the picture lies still when the table is first read, and so many seconds pass between two readings: twice
as many after each that left something open.
"""
_START_AMID_PEOPLE = (0.6, 0.09)
"""And so much, more often, where people go on moving beside all that lies there: they give but moments."""
_START_PATIENCE_S = 0.8
"""The whole picture is waited for so long."""
_SAME_LIGHT = 1.2
"""A first picture says nothing of what lies there once there is so many times as much light, or as little: the camera's
exposure settles, or somebody turns on a lamp."""
_TRACE = 0.03
"""Where more of a piece moves than this share, people's hands are at it, and the table is read again later."""
_CARRIED = 0.5
"""A piece of which more than this share moves is carried by people."""
_MOVED_TEXTURE = 0.3
"""Where so much of the table's texture changed, the camera may have moved."""
_REFERENCE_S = 2.0
"""On a quiet table the frame from which the camera's motion is measured is renewed once in so long."""
_AS_IT_LIES_S, _LOOK_EVERY_S = 5.0, 1.0
"""Where all that differs has not stirred for so long, and nothing stirs now, it is looked at once in so long."""
_LEAST_PX = 2 * MASK_PX
"""A frame that is less wide or high is passed over: it shows no card, and there is nothing to compare."""
_USUAL_SIDE = 26.0
"""Nothing known lies there yet: a card's side in pixels."""
_CONDITIONS = frozenset(condition.warning.code for condition in CONDITIONS)


class Tracker(ABC, Generic[Piece]):
    """Follows one table over time.

    Attributes:
        THINGS: what lies on the table, in a sentence.
    """

    THINGS = "cards"

    def __init__(self, settle_times: SettleTimes | None) -> None:
        self._settle_times = settle_times or SettleTimes()
        self._detector = ChangeDetector()
        self._motion = CameraMotion()
        self._notices = Notices()
        self._initial = InitialTable()
        self._tracks: list[Track[Piece]] | None = None
        self._at_reference: dict[Track[Piece], NDArray[np.float32]] = {}
        self._now_s = 0.0
        self._dark_s = self._begun_s = 0.0
        self._frame_s: float | None = None
        self._is_busy = False
        self._hands_s = self._looked_s = -np.inf
        self._unsure_starts = 0
        self._search: TableSearch[Piece] = TableSearch(
            self._settle_times, self._read_table, self._find, self._is_unsure
        )

    # ------------------------------------------------------------ what others ask

    @property
    def cards(self) -> tuple[Piece, ...] | None:
        """What is known to lie on the table; None before it has first settled."""
        return None if self._tracks is None else tuple(track.piece for track in self._lying)

    @property
    def tracks(self) -> tuple[Track[Piece], ...]:
        """All that is followed, also what is not reported yet, each with its state and its reason."""
        return tuple(self._tracks or ())

    @property
    def is_quiet(self) -> bool:
        """Nothing differs from what is known and reported."""
        return self._tracks is not None and not self._is_busy

    @property
    def active_notices(self) -> dict[str, str]:
        """Notices that hold now: code to text."""
        return self._notices.active_notices

    def step(self, bgr: NDArray[np.uint8], t_s: float | None = None) -> list[TableEvent]:
        """Take in one frame and return what has settled with it.

        Args:
            bgr: uint8 (h, w, 3).
            t_s: when it was taken, in seconds; None for a tenth of a second after the one before.
        """
        self._tick(t_s)
        if min(bgr.shape[:2]) < _LEAST_PX:
            return []
        mask = self._detector.update(bgr, self._now_s)
        if mask.is_as_before and (self.is_quiet or self._put_off_looking(mask)):
            return []
        if self._tracks is None and self._is_in_other_light(mask):
            mask = self._begin_anew(bgr)
        if mask.is_dark:
            self._dark_s = self._now_s
            self._forget(self._appearing)
            return self._notices.raise_notice("dark", "It is too dark to see the table.")
        events = self._notices.clear("dark", "light-back", "There is light again.")
        if self._tracks is None:
            return events + self._begin(bgr, mask)
        if not mask.changed.any():
            return events + self._come_to_rest(bgr)
        changed = self._without_crumbs(mask)
        if np.count_nonzero(changed) < _CHANGED * changed.size:
            return events + self._come_to_rest(bgr)
        self._is_busy = True
        return events + self._take_changes(bgr, mask, changed)

    def _without_crumbs(self, mask: ChangeMask) -> Mask:
        """What changed but for crumbs, bool (h, w); those are no crumbs that lie still in what is as large as cards and
        hardly differs from the table: of a brown card on brown wood little but its print does.
        """
        changed = cv2.morphologyEx(mask.changed.view(np.uint8), cv2.MORPH_OPEN, _CRUMB).view(bool)
        crumbs = mask.changed & mask.is_still(self._settle_times.card_s)
        if changed.any() or not crumbs.any():
            return changed
        card = 10 * self._crumb()
        return changed | self._detector.faint_changes(crumbs, (_FAINT_CARDS[0] * card, _FAINT_CARDS[1] * card))

    def _put_off_looking(self, mask: ChangeMask) -> bool:
        """Whether a frame is passed over: all that differs has lain there for long, and was looked at a moment ago.

        Where it was not, it counts as looked at now.
        """
        if self._tracks is None or not self._is_busy:
            return False
        is_old = not (mask.stirred_s[mask.changed] > self._now_s - _AS_IT_LIES_S).any()
        if is_old and self._now_s - self._looked_s < _LOOK_EVERY_S:
            return True
        self._looked_s = self._now_s
        return False

    # ------------------------------------------------------------ what a game says

    @abstractmethod
    def _read_table(self, bgr: NDArray[np.uint8]) -> TableReading:
        """Read the whole picture."""

    @abstractmethod
    def _is_unsure(self, reading: TableReading) -> bool:
        """Whether part of a reading could not be read: the first waits a while for a better one."""

    @abstractmethod
    def _find(self, known: list[Piece], reading: TableReading) -> Found[Piece] | None:
        """The known pieces in a reading; None when it is not the known table."""

    @abstractmethod
    def _process(self, view: ObservedFrame) -> list[TableEvent]:
        """Report what has settled where the picture changed."""

    # ------------------------------------------------------------ time and tracks

    def _tick(self, t_s: float | None) -> None:
        gap_s = FRAME_S if t_s is None or self._frame_s is None else t_s - self._frame_s
        self._frame_s = t_s
        self._now_s += min(gap_s, _LONGEST_GAP_S) if gap_s > 0 else FRAME_S

    @property
    def _lying(self) -> list[Track[Piece]]:
        """The tracks that were reported to lie on the table."""
        return [track for track in self._tracks or () if track.state is not TrackState.APPEARING]

    @property
    def _appearing(self) -> list[Track[Piece]]:
        return [track for track in self._tracks or () if track.state is TrackState.APPEARING]

    def _forget(self, tracks: Sequence[Track[Piece]]) -> None:
        """Follow some tracks no longer."""
        for track in tracks:
            track.enter(TrackState.GONE, self._now_s)
        if self._tracks is not None:
            self._tracks = [track for track in self._tracks if track.state is not TrackState.GONE]

    def _follow(self, pieces: Sequence[Piece]) -> list[Track[Piece]]:
        return [Track(piece, self._now_s, TrackState.STILL) for piece in pieces]

    # ------------------------------------------------------------ the table as a whole

    def _is_in_other_light(self, mask: ChangeMask) -> bool:
        """Whether a frame, before the table has settled, has other light than the first picture, or hardly any.

        Light that does not settle a while after it was dark is put up with.
        """
        is_settling = self._now_s - self._dark_s < self._settle_times.doubt_s
        return mask.is_dark or (is_settling and not 1 / _SAME_LIGHT < mask.light < _SAME_LIGHT)

    def _begin_anew(self, bgr: NDArray[np.uint8]) -> ChangeMask:
        """Take a frame for the first one."""
        self._detector, self._initial = ChangeDetector(), InitialTable()
        self._begun_s, self._unsure_starts = self._now_s, 0
        return self._detector.update(bgr, self._now_s)

    def _begin(self, bgr: NDArray[np.uint8], mask: ChangeMask) -> list[TableEvent]:
        """The table as it first settles, without what was laid before it did."""
        if self._initial.keep_if_due(bgr, self._now_s):
            self._detector.accept()
        since_s = self._now_s - self._begun_s
        is_late = since_s > _START_PATIENCE_S
        still, pause_s = _START_AMID_PEOPLE if is_late else _START
        pause_s = max(pause_s, min(pause_s * 2**self._unsure_starts, self._settle_times.doubt_s - since_s))
        if not self._search.claim_reading(mask, still, pause_s):
            return []
        first, seen = self._detector.accepted, self._detector.seen
        picture, laid = self._initial.before_plays(bgr, first, seen, mask.changed, self._crumb())
        reading = self._read_table(picture)
        shown = np.where(laid, first, seen)
        held = [piece for piece in (*reading.cards, *reading.loose) if is_held(piece, shown, mask.changed)]
        reading = _without(reading, held)
        laid |= pieces_mask(held, laid.shape) & mask.changed
        if is_late:
            people = ~mask.is_still(self._settle_times.start_s) & ~laid
            laid |= people
            pieces = (*reading.cards, *reading.loose)
            reading = _without(reading, [piece for piece in pieces if _share(piece, people) > _CARRIED])
            if any(_share(piece, people) > _TRACE for piece in (*reading.cards, *reading.loose)):
                return []
        if self._is_unsure(reading) and since_s < self._settle_times.doubt_s:
            self._unsure_starts += 1
            return []
        events = self._start_from(reading, picture, ~laid)
        plays = laid & mask.changed
        return events + (self._take_changes(bgr, mask, plays) if plays.any() else [])

    def _start_from(
        self, reading: TableReading, bgr: NDArray[np.uint8], accepted: Mask | None = None
    ) -> list[TableEvent]:
        """Follow the table anew from a reading of it, and accept the picture, all of it or bool (h, w)."""
        self._tracks = self._follow([*reading.cards, *reading.loose])
        self._detector.accept(accepted)
        self._set_reference(bgr)
        return [{"event": "table", **reading.as_json()}, *self._say_conditions(reading)]

    def _say_conditions(self, reading: TableReading) -> list[TableEvent]:
        """Say what about the whole picture keeps the cards from being told, until another reading of it all."""
        found = {warning.code: warning.message for warning in reading.warnings if warning.code in _CONDITIONS}
        for code in _CONDITIONS - found.keys():
            self._notices.clear(code)
        return [event for code, message in found.items() for event in self._notices.raise_notice(code, message)]

    def _come_to_rest(self, bgr: NDArray[np.uint8]) -> list[TableEvent]:
        """Nothing differs any more."""
        for track in self._lying:
            track.enter(TrackState.STILL, self._now_s)
        self._forget(self._appearing)
        self._is_busy = False
        self._motion.forget()
        self._search.reset()
        aside = self._detector.lasting_motion
        if aside is not None:
            self._carry(bgr, aside)
        if self._now_s - self._motion.reference_s > _REFERENCE_S:
            self._set_reference(bgr)
        return self._notices.clear("hand-resting") + self._back_in_view()

    def _take_changes(self, bgr: NDArray[np.uint8], mask: ChangeMask, changed: Mask) -> list[TableEvent]:
        """Take in a frame in which something differs: the camera's motion, the whole table, or pieces of it."""
        moved = self._follow_camera(bgr, changed)
        if moved is not None:
            return moved
        crumb = self._crumb()
        hands = find_hands(mask, changed, self._explained(), crumb, self._at_rim())
        if hands.any():
            self._hands_s = self._now_s
        view = ObservedFrame(bgr, mask, changed, mask.is_still(self._settle_times.card_s), hands, self._now_s, crumb)
        is_lost = "table-lost" in self.active_notices
        sighting = self._search.search(view, list(self.cards or ()), self._hands_s, is_lost=is_lost)
        events = None if sighting is None else self._take_sighting(sighting, view)
        return self._process(view) + self._resting(view) if events is None else events

    def _take_sighting(self, sighting: Sighting[Piece], view: ObservedFrame) -> list[TableEvent] | None:
        """Take in what a search of the whole picture told; None when the changes are still to be read."""
        if sighting.status is TableStatus.UNCLEAR:
            return []
        if sighting.status in (TableStatus.LOST, TableStatus.ANOTHER):
            text = f"The {self.THINGS} cannot be found: is something in front of the camera?"
            events = self._notices.raise_notice("table-lost", text)
            if sighting.reading is not None:
                events += self._start_from(sighting.reading, view.bgr) + self._back_in_view()
            return events
        if sighting.accepted is not None:
            self._detector.accept(sighting.accepted)
        conditions = [] if sighting.reading is None else self._say_conditions(sighting.reading)
        if sighting.status is TableStatus.RELIT:
            return [*self._back_in_view(), *conditions] or None
        for track, piece in zip(self._lying, sighting.pieces, strict=True):
            track.piece = piece
        self._forget(self._appearing)
        self._set_reference(view.bgr)
        return [*self._back_in_view(), *conditions, self._camera_moved()]

    def _back_in_view(self) -> list[TableEvent]:
        return self._notices.clear("table-lost", "table-found", f"The {self.THINGS} are in view again.")

    # ------------------------------------------------------------ the camera

    def _follow_camera(self, bgr: NDArray[np.uint8], changed: Mask) -> list[TableEvent] | None:
        """Follow a camera that was moved; None when it was not, or cannot be told from the whole picture."""
        if self._detector.changed_texture(changed) < _MOVED_TEXTURE:
            self._motion.forget()
            return None
        is_moved, homography = self._motion.settle(bgr)
        if homography is None:
            return [] if is_moved else None
        was = [track.piece for track in self._lying]
        self._carry(bgr, homography)
        width, height = bgr.shape[1], bgr.shape[0]
        bare = displacement_px(homography, (width, height)) / width * 10
        far = shift_between(was, [track.piece for track in self._lying]) if was else bare
        return self._back_in_view() + ([self._camera_moved()] if far >= MOVED else [])

    def _carry(self, bgr: NDArray[np.uint8], homography: Homography) -> None:
        """Take all to where the camera, moved so, sees it now."""
        disturbed = [track.piece for track in self._lying if track.state is not TrackState.STILL]
        unread = blurred_places(disturbed, self._detector.seen.shape[1:])
        self._detector.follow_camera(bgr, homography, self._now_s, unread)
        self._search.reset()
        for track in self._tracks or ():
            corners = self._carried(track, homography)
            track.piece = replace(track.piece, corners=corners)  # type: ignore[type-var]
        self._set_reference(bgr)

    def _set_reference(self, bgr: NDArray[np.uint8]) -> None:
        """Measure the camera's motion from this frame on, and remember where all lies in it."""
        self._motion.set_reference(bgr, self._now_s)
        self._at_reference = {track: track.piece.corners for track in self._tracks or ()}

    def _carried(self, track: Track[Piece], homography: Homography) -> NDArray[np.float32]:
        """Where a track's corners lie after the camera's motion; many were already found there, each by itself."""
        was = self._at_reference.get(track, track.piece.corners)
        now = track.piece.corners
        there, moved = (mapped(homography, corners).astype(np.float32) for corners in (was, now))
        is_followed = np.linalg.norm(now - there, axis=1).mean() < np.linalg.norm(now - was, axis=1).mean()
        return there if is_followed else moved

    def _camera_moved(self) -> TableEvent:
        return notice("camera-moved", f"The camera or the table was moved; the {self.THINGS} were found again.")

    # ------------------------------------------------------------ hands

    def _explained(self) -> Mask:
        """Where cards lie that were read: what changed there is no hand, bool (h, w)."""
        return blurred_places(self._fresh(), self._detector.seen.shape[1:])

    def _at_rim(self) -> Mask | None:
        """Where known cards lie at the picture's rim, bool (h, w); None for none. A case is no card."""
        return None

    def _fresh(self) -> list[Piece]:
        """What appears and was read."""
        return [track.piece for track in self._appearing if track.readings]

    def _crumb(self) -> float:
        """So few changed mask pixels are a crumb: a tenth of a card."""
        return 0.1 * 3 * (self._usual_side() / MASK_PX) ** 2

    def _usual_side(self) -> float:
        """The usual side of what lies there, in pixels."""
        pieces = [track.piece for track in self._lying]
        return float(median(sides_of(pieces))) if pieces else _USUAL_SIDE

    def _resting(self, view: ObservedFrame) -> list[TableEvent]:
        """That a hand rests over the table, once it has for long; less than a card is no hand."""
        hand = people(view, self._detector.seen)
        is_at_rest = is_resting(view, hand, self._settle_times.resting_s, 8 * view.crumb)
        if is_at_rest is None:
            return self._notices.clear("hand-resting")
        return self._notices.raise_notice("hand-resting", "A hand rests over the table.") if is_at_rest else []


def _share(piece: PlacedPiece, mask: Mask) -> float:
    return share_in(piece.corners, mask) or 0.0


def _without(reading: TableReading, pieces: Sequence[PlacedPiece]) -> TableReading:
    """A reading without some of its pieces."""
    cards, loose = (
        tuple(one for one in some if not any(one is piece for piece in pieces))
        for some in (reading.cards, reading.loose)
    )
    return replace(reading, cards=cards, loose=loose)  # type: ignore[type-var]
