"""Follows a table over time, whatever lies on it: the clock, the camera, light, hands, and the table as a whole.

A game's tracker says how its table is read and compared; see `card_tracker.CardTracker` and Hexapod's `CaseTracker`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.results import near, sides_of
from companion.vision.tracking.camera_motion import CameraMotion, Homography, displacement_px
from companion.vision.tracking.change_detector import ChangeDetector, ChangeMask
from companion.vision.tracking.events import Notices, SettleTimes, TableEvent, notice
from companion.vision.tracking.hands import find_hands, find_skin
from companion.vision.tracking.initial_table import InitialTable
from companion.vision.tracking.masks import STEP, Mask, count_in, grown, places_of, share_in
from companion.vision.tracking.tracks import State, Track

FRAME_S = 0.1
"""Frames whose time nobody says follow one another at this pace."""
_LONGEST_GAP_S = 0.5
"""Where no frame came for long, so much time is counted: nobody knows what went on."""
_CHANGED = 0.0005
"""Where less of the picture has changed than this share, nothing has."""
_START = 0.97
"""So much of the picture lies still when the table is first read."""
_RESTART = 0.75
"""So much of it lies still when everything is looked for anew."""
_MOST = 0.5
"""Where more of the picture changed than this share, it is the light, the camera or the table."""
_MOVED_TEXTURE = 0.3
"""Where so much of the table's texture changed, the camera may have moved."""
_SAME_MOTION_PX = 3.0
"""Two frames that are moved alike within so many pixels show a camera that stands still again."""
_MOVED = 0.1
"""A camera that moves cards by so much of a side is mentioned; less is followed without a word."""
_AT_REST = 0.6
_RESTS_S = 0.55
"""Cards that were all moved lie still again for so long: then no hand slides them."""
_LOST_S = 1.5
_REFERENCE_S = 2.0
_FOREVER_S = 60.0
"""Nobody's hand lies perfectly still for so long."""


class PlacedPiece(Protocol):
    """What a tracker follows: a frozen dataclass with an outline."""

    @property
    def corners(self) -> NDArray[np.float32]:
        """(K, 2) pixels, clockwise."""

    def as_json(self) -> dict[str, Any]:
        """As the contract prints it."""


class TableReading(Protocol):
    """A reading of the whole table."""

    @property
    def cards(self) -> tuple[Any, ...]:
        """What lies where the game has it."""

    @property
    def loose(self) -> tuple[Any, ...]:
        """What lies elsewhere."""

    def as_json(self) -> dict[str, Any]:
        """As the contract prints it."""


Piece = TypeVar("Piece", bound=PlacedPiece)


@dataclass(frozen=True, slots=True, eq=False)
class Found(Generic[Piece]):
    """The known table in a reading of the whole picture: every known piece where it lies now, and which were seen."""

    pieces: Sequence[Piece]
    is_seen: Sequence[bool]


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
    """

    bgr: NDArray[np.uint8]
    mask: ChangeMask
    changed: Mask
    still: Mask
    hands: Mask
    now_s: float


class Tracker(ABC, Generic[Piece]):
    """Follows one table; see `recognizer.TableTracker`.

    Attributes:
        THINGS: what lies on the table, in a sentence.
    """

    THINGS = "cards"

    def __init__(self, patience: SettleTimes | None) -> None:
        self._patience = patience or SettleTimes()
        self._detector = ChangeDetector()
        self._motion = CameraMotion()
        self._notices = Notices()
        self._initial = InitialTable()
        self._tracks: list[Track[Piece]] | None = None
        self._now_s = 0.0
        self._frame_s: float | None = None
        self._next_full_s = 0.0
        self._is_busy = self._is_moving = False
        self._pending: Homography | None = None
        self._explained_changes: Mask | None = None
        self._hands_s = self._lost_s = -np.inf
        self._wide_since_s: float | None = None

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
        mask = self._detector.update(bgr, self._now_s)
        if mask.is_dark:
            self._forget(self._appearing)
            return self._notices.say("dark", "It is too dark to see the table.")
        events = self._notices.unsay("dark", "light-back", "There is light again.")
        if self._tracks is None:
            return events + self._begin(bgr, mask)
        if not mask.changed.any():
            return events + self._come_to_rest(bgr)
        changed = cv2.morphologyEx(mask.changed.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)) > 0
        if float(changed.mean()) < _CHANGED:
            return events + self._come_to_rest(bgr)
        self._is_busy = True
        return events + self._take_changes(bgr, mask, changed)

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
    def _process(self, view: View) -> list[TableEvent]:
        """Report what has settled where the picture changed."""

    # ------------------------------------------------------------ time and tracks

    def _tick(self, t_s: float | None) -> None:
        gap_s = FRAME_S if t_s is None or self._frame_s is None else t_s - self._frame_s
        self._frame_s = t_s
        self._now_s += min(gap_s, _LONGEST_GAP_S) if gap_s > 0 else FRAME_S

    @property
    def _lying(self) -> list[Track[Piece]]:
        """The tracks that were reported to lie on the table."""
        return [track for track in self._tracks or () if track.state is not State.APPEARING]

    @property
    def _appearing(self) -> list[Track[Piece]]:
        return [track for track in self._tracks or () if track.state is State.APPEARING]

    def _forget(self, tracks: Sequence[Track[Piece]]) -> None:
        """Follow some tracks no longer."""
        for track in tracks:
            track.enter(State.GONE, self._now_s)
        self._tracks = [track for track in self._tracks or () if track.state is not State.GONE]

    def _follow(self, pieces: Sequence[Piece]) -> list[Track[Piece]]:
        return [Track(piece, self._now_s, State.STILL) for piece in pieces]

    # ------------------------------------------------------------ the table as a whole

    def _begin(self, bgr: NDArray[np.uint8], mask: ChangeMask) -> list[TableEvent]:
        """The table as it first settles, without what was laid before it did."""
        if self._initial.is_due(bgr, self._now_s):
            self._detector.accept()
        if not self._may_read_all(mask, _START, 0.2):
            return []
        picture, laid = self._initial.before_plays(bgr, self._detector.accepted, mask.changed, self._crumb())
        reading = self._read_table(picture)
        if self._is_unsure(reading) and self._now_s < self._patience.doubt_s:
            return []
        return self._start_from(reading, picture, ~laid)

    def _start_from(
        self, reading: TableReading, bgr: NDArray[np.uint8], accepted: Mask | None = None
    ) -> list[TableEvent]:
        self._tracks = self._follow([*reading.cards, *reading.loose])
        self._detector.accept(accepted)
        self._motion.set_reference(bgr, self._now_s)
        return [{"event": "table", **reading.as_json()}]

    def _come_to_rest(self, bgr: NDArray[np.uint8]) -> list[TableEvent]:
        """Nothing differs any more."""
        for track in self._lying:
            track.enter(State.STILL, self._now_s)
        self._forget(self._appearing)
        self._is_busy, self._pending, self._wide_since_s = False, None, None
        self._explained_changes = None
        if self._now_s - self._motion.reference_s > _REFERENCE_S:
            self._motion.set_reference(bgr, self._now_s)
        return self._notices.unsay("hand-resting") + self._back_in_view()

    def _take_changes(self, bgr: NDArray[np.uint8], mask: ChangeMask, changed: Mask) -> list[TableEvent]:
        moved = self._follow_camera(bgr, changed)
        if moved is not None:
            return moved
        hands = find_hands(mask, changed, self._explained(), self._crumb())
        if hands.any():
            self._hands_s = self._now_s
        view = View(bgr, mask, changed, mask.is_still(self._patience.card_s), hands, self._now_s)
        is_wide = float(changed.mean()) > _MOST
        if is_wide or self._most_differ(view):
            events = self._find_table(view, is_wide=is_wide)
            if events is not None:
                return events
        else:
            self._wide_since_s, self._is_moving = None, False
        self._explained_changes = changed
        return self._process(view) + self._resting(view)

    def _find_table(self, view: View, *, is_wide: bool) -> list[TableEvent] | None:
        """Much has changed at once: read everything and find the known table in it; None when it lies where it lay."""
        if self._wide_since_s is None:
            self._wide_since_s = self._now_s
        if not self._may_read_all(view.mask, _RESTART, 0.45):
            return self._lose(is_wide) if is_wide else [] if self._is_moving else None
        self._is_moving = False
        reading = self._read_table(view.bgr)
        pieces = [*reading.cards, *reading.loose]
        known = [track.piece for track in self._lying]
        is_bare = not known and not pieces
        found = self._find(known, reading) if known or is_bare else None
        if found is None:
            return self._lose(is_wide) + self._meet(reading, view) if is_wide or self._is_sudden() else None
        self._wide_since_s = None
        strangers = self._places(
            [p for p, is_known in zip(pieces, near(pieces, found.pieces, 0.6), strict=True) if not is_known]
        )
        strangers |= self._places([p for p, is_seen in zip(found.pieces, found.is_seen, strict=True) if not is_seen])
        if _shift(known, found.pieces) < _MOVED:
            if is_wide and all(found.is_seen):  # another light on the same cards
                before = self._explained_changes
                self._detector.accept(~(strangers if before is None else strangers | grown(before)))
            return self._back_in_view() or None
        if not self._lie_still(found, view.mask):
            self._is_moving = True  # a hand may be holding them
            return []
        for track, piece in zip(self._lying, found.pieces, strict=True):
            track.piece = piece
        self._forget(self._appearing)
        self._detector.accept(~strangers)
        self._motion.set_reference(view.bgr, self._now_s)
        return [*self._back_in_view(), self._camera_moved()]

    def _lose(self, is_wide: bool) -> list[TableEvent]:
        """Say that the table is out of view, once it has been for long."""
        since = self._wide_since_s if self._wide_since_s is not None else self._now_s
        if self._now_s - since < (_LOST_S if is_wide else 2 * _LOST_S):
            return []
        text = f"The {self.THINGS} cannot be found: is something in front of the camera?"
        return self._notices.say("table-lost", text)

    def _meet(self, reading: TableReading, view: View) -> list[TableEvent]:
        """Begin anew with another table, once the known one is lost and the other lies still and can be read."""
        pieces = [*reading.cards, *reading.loose]
        known = [track.piece for track in self._lying]
        is_other = bool(pieces) and not any(near(pieces, known, 0.1)) and not self._is_unsure(reading)
        if "table-lost" not in self.active_notices or not is_other:
            return []
        if float(view.mask.is_still(self._patience.doubt_s).mean()) < _RESTART:
            return []
        self._wide_since_s = None
        return [*self._start_from(reading, view.bgr), *self._back_in_view()]

    def _back_in_view(self) -> list[TableEvent]:
        return self._notices.unsay("table-lost", "table-found", f"The {self.THINGS} are in view again.")

    def _is_sudden(self) -> bool:
        """No hand was there lately: what most cards changed by was no hand."""
        return self._now_s - self._hands_s > 2.0

    def _may_read_all(self, mask: ChangeMask, still: float, pause_s: float) -> bool:
        """Whether so much lies still, and the last reading of it all was long enough ago; if so, the next pauses."""
        if float(mask.is_still(self._patience.start_s).mean()) < still or self._now_s < self._next_full_s:
            return False
        self._next_full_s = self._now_s + pause_s
        return True

    def _most_differ(self, view: View) -> bool:
        """Whether most of what is known looks different, and by no hand and no mere crumbs."""
        news = view.changed & ~view.hands
        counts = [count_in(track.piece.corners, news) for track in self._lying]
        if len(counts) < 2 or np.count_nonzero(news) < 0.1 * sum(cells for _, cells in counts):
            return False
        return sum(changed > 0.2 * cells for changed, cells in counts) >= 0.7 * len(counts)

    def _lie_still(self, found: Found[Piece], mask: ChangeMask) -> bool:
        """Whether most of each piece that was seen has not stirred for long."""
        still = mask.is_still(_RESTS_S)
        seen = [piece for piece, is_seen in zip(found.pieces, found.is_seen, strict=True) if is_seen]
        return all((share_in(piece.corners, still, 0.95) or 1.0) > 0.8 for piece in seen)

    # ------------------------------------------------------------ the camera

    def _follow_camera(self, bgr: NDArray[np.uint8], changed: Mask) -> list[TableEvent] | None:
        """Follow a camera that was moved; None when it was not, or cannot be told from the whole picture."""
        if self._detector.changed_texture(changed) < _MOVED_TEXTURE:
            self._pending = None
            return None
        size = (bgr.shape[1], bgr.shape[0])
        homography = self._motion.estimate(bgr)
        if homography is None:
            self._pending = None
            return None
        before, self._pending = self._pending, homography
        if before is None or displacement_px(homography @ np.linalg.inv(before), size) > _SAME_MOTION_PX:
            return []  # it moves still
        self._pending = None
        self._detector.follow_camera(bgr, homography, self._now_s)
        self._motion.set_reference(bgr, self._now_s)
        was = [track.piece for track in self._lying]
        for track in self._tracks or ():
            corners = cv2.perspectiveTransform(track.piece.corners[None].astype(np.float32), homography)[0]
            track.piece = replace(track.piece, corners=corners)  # type: ignore[type-var]
        self._explained_changes = None
        far = (
            _shift(was, [track.piece for track in self._lying])
            if was
            else displacement_px(homography, size) / size[0] * 10
        )
        return self._back_in_view() + ([self._camera_moved()] if far >= _MOVED else [])

    def _camera_moved(self) -> TableEvent:
        return notice("camera-moved", f"The camera or the table was moved; the {self.THINGS} were found again.")

    # ------------------------------------------------------------ hands

    def _explained(self) -> Mask:
        """Where cards lie that were read: what changed there is no hand, bool (h, w)."""
        return self._places([track.piece for track in self._appearing if track.looks])

    def _places(self, pieces: Sequence[PlacedPiece]) -> Mask:
        """The places of some pieces and what blurs around them, bool (h, w)."""
        shape = self._detector.seen.shape[1:]
        return places_of(pieces, shape, [1 + 1.5 * STEP / float(side) for side in sides_of(pieces)] if pieces else ())

    def _crumb(self) -> float:
        """So few changed mask pixels are a crumb: a tenth of a card."""
        pieces = [track.piece for track in self._lying]
        side = float(np.median(sides_of(pieces))) if pieces else 26.0
        return 0.1 * 3 * (side / STEP) ** 2

    def _skin(self, view: View) -> Mask:
        """Where people's hands are, bool (h, w): never accepted as part of the table."""
        return find_skin(view.hands, self._detector.seen) & ~view.mask.is_still(_FOREVER_S)

    def _resting(self, view: View) -> list[TableEvent]:
        """That a hand rests over the table, once it has for long."""
        hand = self._skin(view)
        if int(hand.sum()) < 8 * self._crumb():  # less than a card is no hand
            return self._notices.unsay("hand-resting")
        if float(view.mask.is_still(self._patience.resting_s)[hand].mean()) <= _AT_REST:
            return []
        return self._notices.say("hand-resting", "A hand rests over the table.")


def _shift(was: Sequence[PlacedPiece], now: Sequence[PlacedPiece]) -> float:
    """By how much of a side pieces moved, in the median."""
    if not was:
        return 0.0
    far = [float(np.linalg.norm(a.corners.mean(0) - b.corners.mean(0))) for a, b in zip(was, now, strict=True)]
    return float(np.median(np.array(far) / sides_of(now)))
