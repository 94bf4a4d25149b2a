"""The table as a whole: as it lay at first, and what became of it when much changed at once.

Is it the known table in another light or elsewhere, another table, or none in view? A card laid before all has first
settled is a change, not part of the table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Generic

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.results import near, sides_of
from companion.vision.tracking.change_detector import (
    MASK_PX,
    ChangeMask,
    Mask,
    ObservedFrame,
    Planes,
    components_touching,
    count_in,
    dilated,
    find_skin,
    is_skin,
    pieces_mask,
    polygon_mask,
    share_in,
)
from companion.vision.tracking.tracks import Found, Piece, PlacedPiece, SettleTimes, TableReading, shift_between

MOVED = 0.1
"""A camera that moves cards by so much of a side is mentioned; less is followed without a word."""
_WIDE_CHANGE = 0.5
"""Where more of the picture changed than this share, it is the light, the camera or the table."""
_MIN_STILL = 0.75
"""So large a share of the picture lies still when the whole of it is read."""
_PAUSE_S = 0.45
"""The whole picture is read once in so long at most."""
_RESTS_S = 0.55
"""Cards that were all moved lie still again for so long: then no hand slides them."""
_LOST_S = 1.5
"""A table that was not found for so long is reported as lost; twice as long where less of the picture changed."""
_SUDDEN_S = 2.0
"""No hand was there for so long: what most cards changed by was no hand."""
_RENEW_S = 5.0
"""A picture of a table that did not settle within so long is not the table before the game any more."""
_MOST_PLAYS = 15
"""Where more places changed, it was light or the camera; a card laid on others changes four or five."""
_LIKE_TABLE = 25.0
"""Grey levels by which a wooden table, which has the colour of skin, may differ from place to place."""
_WITHIN, _BEYOND = 0.85, 1.15
_LEAST_HELD = 0.04
"""A hand holds a piece that lies on so much of the inner part of it and reaches beyond its edge."""


class InitialTable:
    """Keeps the first picture of a table until the table has settled."""

    def __init__(self) -> None:
        self._bgr: NDArray[np.uint8] | None = None
        self._since_s = 0.0

    def keep_if_due(self, bgr: NDArray[np.uint8], now_s: float) -> bool:
        """Keep a frame, uint8 (h, w, 3), as the first picture where there is none or it is old; whether it was kept."""
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
        if not is_play.any() or int(is_play.sum()) > _MOST_PLAYS:
            return bgr, none
        laid = dilated(is_play[labels])
        where = np.repeat(np.repeat(laid, MASK_PX, 0), MASK_PX, 1)[: bgr.shape[0], : bgr.shape[1]]
        picture = bgr.copy()
        rows, cols = where.shape
        picture[:rows, :cols][where] = self._bgr[:rows, :cols][where]
        return picture, laid


def _was_bare(place: Mask, first: Planes, changed: Mask) -> bool:
    """Whether no hand was at a place in the first picture: it showed no skin, or what the table beside it shows."""
    around = dilated(place) & ~changed
    if around.any():
        off = np.median(first[:, place], axis=1) - np.median(first[:, around], axis=1)
        if float(np.abs(off).max()) < _LIKE_TABLE:
            return True
    return not find_skin(place, first).any()


def is_held(piece: PlacedPiece, picture: Planes, changed: Mask) -> bool:
    """Whether a hand holds a piece: skin lies on it and beyond it, neither of the piece's colour nor of the table's.

    Args:
        picture: the colours (3, h, w) of the picture in which the piece was seen.
        changed: bool (h, w), what has changed since the first picture: elsewhere nobody moves.
    """
    place = polygon_mask(piece.corners, changed.shape)
    if not (place & changed).any():
        return False
    others = (np.median(picture[:, some], axis=1) for some in (place, ~changed) if some.any())
    is_hand = changed & is_skin(picture)
    for colour in others:
        is_hand &= np.abs(picture - colour[:, None, None]).max(0) >= _LIKE_TABLE
    inner = polygon_mask(piece.corners, changed.shape, _WITHIN)
    hand = components_touching(is_hand, inner, _LEAST_HELD * np.count_nonzero(inner))
    beyond = hand & ~polygon_mask(piece.corners, changed.shape, _BEYOND)
    return bool(np.count_nonzero(beyond) > _LEAST_HELD * np.count_nonzero(inner))


class TableStatus(Enum):
    """Where the known table is, as far as a search of the whole picture tells."""

    UNCLEAR = "unclear"
    """Nothing may be read or accepted yet."""
    LOST = "lost"
    ANOTHER = "another"
    """Another table lies there."""
    RELIT = "relit"
    """It lies where it lay, perhaps in another light."""
    MOVED = "moved"


@dataclass(frozen=True, slots=True, eq=False)
class Sighting(Generic[Piece]):
    """What was found when the whole picture was searched.

    Attributes:
        status: see `TableStatus`.
        reading: of the whole picture, where a table was found.
        pieces: the known pieces where they lie now, once they were moved.
        accepted: bool (h, w), what may be accepted as it is now; None for nothing.
    """

    status: TableStatus
    reading: TableReading | None = None
    pieces: Sequence[Piece] = ()
    accepted: Mask | None = None


class TableSearch(Generic[Piece]):
    """Decides when the whole picture is read again, and what that tells.

    Args:
        settle_times: how long things must last.
        read: reads the whole picture.
        find: the known pieces in a reading; None when it is not the known table.
        is_unsure: whether part of a reading could not be read.
    """

    def __init__(
        self,
        settle_times: SettleTimes,
        read: Callable[[NDArray[np.uint8]], TableReading],
        find: Callable[[list[Piece], TableReading], Found[Piece] | None],
        is_unsure: Callable[[TableReading], bool],
    ) -> None:
        self._settle_times, self._read, self._find, self._is_unsure = settle_times, read, find, is_unsure
        self._next_s = 0.0
        self._since_s: float | None = None
        self._is_moving = False
        self._changed_before: Mask | None = None

    def claim_reading(self, mask: ChangeMask, still: float, pause_s: float) -> bool:
        """Whether the whole picture may be read now; if so, the next claims are refused for ``pause_s``.

        Args:
            mask: the frame.
            still: the share of the picture that must lie still.
            pause_s: how long the next reading waits.
        """
        if float(mask.is_still(self._settle_times.start_s).mean()) < still or mask.now_s < self._next_s:
            return False
        self._next_s = mask.now_s + pause_s
        return True

    def reset(self) -> None:
        """The table is in view as it is known."""
        self._since_s, self._changed_before = None, None

    def search(
        self, view: ObservedFrame, known: list[Piece], hands_s: float, *, is_lost: bool
    ) -> Sighting[Piece] | None:
        """Look for the table where much changed; None where little did, or what did is left to be read in pieces.

        Args:
            view: the frame.
            known: what lies on the table as far as is known.
            hands_s: when a hand was last seen.
            is_lost: whether the table was said to be out of view.
        """
        is_wide = float(view.changed.mean()) > _WIDE_CHANGE
        if not is_wide and not _most_differ(view, known):
            self._since_s, self._is_moving = None, False
            self._changed_before = view.changed
            return None
        if self._since_s is None:
            self._since_s = view.now_s
        is_lost |= view.now_s - self._since_s >= (_LOST_S if is_wide else 2 * _LOST_S)
        sighting: Sighting[Piece] | None
        if self.claim_reading(view.mask, _MIN_STILL, _PAUSE_S):
            sighting = self._look(view, known, is_wide=is_wide, is_lost=is_lost, hands_s=hands_s)
        elif is_wide:
            sighting = Sighting(TableStatus.LOST if is_lost else TableStatus.UNCLEAR)
        else:
            sighting = Sighting(TableStatus.UNCLEAR) if self._is_moving else None
        if sighting is None or sighting.status is TableStatus.RELIT:
            self._changed_before = view.changed
        return sighting

    def _look(
        self, view: ObservedFrame, known: list[Piece], *, is_wide: bool, is_lost: bool, hands_s: float
    ) -> Sighting[Piece] | None:
        """Read the whole picture and find the known table; None where what changed is left to be read in pieces."""
        self._is_moving = False
        reading = self._read(view.bgr)
        pieces = [*reading.cards, *reading.loose]
        found = self._find(known, reading) if known or not pieces else None
        if found is None:
            if not is_wide and view.now_s - hands_s <= _SUDDEN_S:
                return None
            if is_lost and self._is_another(reading, known, view):
                self._since_s = None
                return Sighting(TableStatus.ANOTHER, reading)
            return Sighting(TableStatus.LOST if is_lost else TableStatus.UNCLEAR)
        self._since_s = None
        strangers = [p for p, is_known in zip(pieces, near(pieces, found.pieces, 0.6), strict=True) if not is_known]
        strangers += [piece for piece, is_seen in zip(found.pieces, found.is_seen, strict=True) if not is_seen]
        others = blurred_places(strangers, view.changed.shape)
        if shift_between(known, found.pieces) < MOVED:
            before = self._changed_before
            if not is_wide or not all(found.is_seen):
                return Sighting(TableStatus.RELIT, reading)
            return Sighting(
                TableStatus.RELIT, reading, accepted=~(others if before is None else others | dilated(before))
            )
        if not _lie_still(found, view.mask):
            self._is_moving = True  # a hand may be holding them
            return Sighting(TableStatus.UNCLEAR)
        return Sighting(TableStatus.MOVED, reading, found.pieces, ~others)

    def _is_another(self, reading: TableReading, known: list[Piece], view: ObservedFrame) -> bool:
        """Whether a reading shows another table that lies still and can be read."""
        pieces = [*reading.cards, *reading.loose]
        if not pieces or any(near(pieces, known, 0.1)) or self._is_unsure(reading):
            return False
        return float(view.mask.is_still(self._settle_times.doubt_s).mean()) >= _MIN_STILL


def blurred_places(pieces: Sequence[PlacedPiece], shape: tuple[int, ...]) -> Mask:
    """The places of some pieces and what blurs around them, bool ``shape``."""
    return pieces_mask(pieces, shape, [1 + 1.5 * MASK_PX / float(side) for side in sides_of(pieces)] if pieces else ())


def _most_differ(view: ObservedFrame, known: Sequence[PlacedPiece]) -> bool:
    """Whether most of what is known looks different, and by no hand and no mere crumbs."""
    uncovered = view.changed & ~view.hands
    counts = [count_in(piece.corners, uncovered) for piece in known]
    if len(counts) < 2 or np.count_nonzero(uncovered) < 0.1 * sum(cells for _, cells in counts):
        return False
    return sum(changed > 0.2 * cells for changed, cells in counts) >= 0.7 * len(counts)


def _lie_still(found: Found[Piece], mask: ChangeMask) -> bool:
    """Whether most of each piece that was seen has not stirred for long."""
    still = mask.is_still(_RESTS_S)
    seen = [piece for piece, is_seen in zip(found.pieces, found.is_seen, strict=True) if is_seen]
    shares = [share_in(piece.corners, still, 0.95) for piece in seen]
    return all(share is None or share > 0.8 for share in shares)
