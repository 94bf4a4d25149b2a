"""Reads the pieces of the picture that changed and came to rest: which of them, when, and what is known there."""

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.sizes import are_as_large
from companion.vision.geometry import median
from companion.vision.results import DetectedCard, Outlined, Reading, moved_by, near, sides_of
from companion.vision.tracking.change_detector import (
    MASK_PX,
    Mask,
    ObservedFrame,
    components_touching,
    polygon_mask,
    share_in,
)
from companion.vision.tracking.tracks import Doubt, SettleTimes

_UNTOUCHED = 0.03
"""Where less of a card's place changed, the card lies as it lay."""
_BLUR = 1.5
"""So many of a mask's pixels along a card's edge do not count for that: a neighbour's blur reaches over them."""
_SHADED = 1.25
"""The blur and shadow of a card that was laid reach so many times as far from its middle as its edges."""
_SAME_CARD = 0.5
"""An outline whose middle lies so few sides from a known card's is that card's."""
_SAME_OUTLINE = 0.3
"""And one so near is of that card as it lies."""
_CORE = 0.5
"""So much of an outline is its core."""
_WHOLE = 0.8
"""A change at least so many cards' widths large, both ways, holds a card whole: less of what is beside it is read."""
_EVEN = 8
"""A piece is a multiple of so many pixels wide and high, but at the picture's rim: halving odd sides takes ten times as
long."""
_FRESH_S = 0.8
"""What came to rest within so long is read in each frame, what lies longer once in so long."""
_READ_S = 0.06
"""At least so much time lies between two readings, whatever the frame rate."""
_AT_WORK_S = 0.3
"""So long pass between two readings where a hand is at work: little is learnt there, and reading costs time."""
_HAND_S = 0.9
"""And so long where nothing but the hand lies still."""
_ALIKE = 2
"""A piece that showed the same cards so often in a row shows them still: it is read again after `_FRESH_S`."""
_MARGINS = (1.0, 1.7, 0.6, 1.0)
"""What showed no card is looked at with so many times as much around it, in turn: a reader may miss one in a piece."""
_WITH_KNOWN, _NEAREST = 3, 4
"""In that of these looks so many of the nearest known cards are in view: they tell the light, and where cells are."""
_LARGEST = 1.8
"""What is so many times larger than the known cards is a mat or a box, not a card of theirs."""

AnyOutlined = TypeVar("AnyOutlined", bound=Outlined)
Window = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Unchanged:
    """What is known of a piece of the picture before it is read, in the piece's own pixels.

    Attributes:
        cards: those that lie as they lay.
        touched: those that may not.
        everywhere: all that are known, also beyond the piece, in the picture's pixels.
        at: where the piece begins in the picture.
        picture: all of the picture, uint8 (H, W, 3); None where it is not at hand.
        is_at: whether nothing that changed lies still within an outline (K, 2).
        is_explained: whether no more than a crumb of what changed and lies still is beyond some pieces.
        is_thorough: whether cards are looked for that no outline shows, too. It takes long, and what hides them may go.
    """

    cards: Sequence[DetectedCard] = ()
    touched: Sequence[DetectedCard] = ()
    everywhere: Sequence[DetectedCard] = ()
    at: tuple[int, int] = (0, 0)
    picture: NDArray[np.uint8] | None = None
    is_at: Callable[[NDArray[np.floating]], bool] = lambda outline: False
    is_explained: Callable[[Sequence[Outlined]], bool] = lambda pieces: False
    is_thorough: bool = True

    def but(self, found: Sequence[AnyOutlined]) -> tuple[AnyOutlined, ...]:
        """Of what was found what may be new: a card that was touched, or a thing where something came to rest."""
        lying, touched = near(found, self.cards, 0.5), near(found, self.touched, 0.5)
        is_new = (is_touched or not self.is_free(f.corners) for f, is_touched in zip(found, touched, strict=True))
        return tuple(f for f, new, lies in zip(found, is_new, lying, strict=True) if new and not lies)

    def are_as_large(
        self, outlines: NDArray[np.floating], known: Sequence[DetectedCard] | None = None, slack: float = 0.0
    ) -> NDArray[np.bool_]:
        """Which outlines (N, K, 2) are as large as the known cards, or ``known`` ones of them, see `are_as_large`."""
        cards = self.everywhere if known is None else known
        if self.picture is None or not cards:
            return np.ones(len(outlines), bool)
        size = (self.picture.shape[1], self.picture.shape[0])
        return are_as_large(outlines + self.at, np.array([card.corners for card in cards]), size, slack)

    def are_worth_refining(self, outlines: NDArray[np.floating], slack: float) -> NDArray[np.bool_]:
        """Which outlines (N, K, 2), found roughly, may be those of new cards, or are those of known ones, (N,).

        Args:
            outlines: in the piece's pixels.
            slack: see `are_as_large`.
        """
        known = np.array([card.corners.mean(0) for card in (*self.cards, *self.touched)]).reshape(-1, 2)
        as_large = self.are_as_large(outlines, slack=slack)
        sides = np.linalg.norm(outlines[:, 1] - outlines[:, 0], axis=1)
        apart = np.linalg.norm(outlines.mean(1)[:, None] - known, axis=2).min(1, initial=np.inf)
        is_known = apart < _SAME_CARD * sides
        return np.array(
            [
                fits and (lies or not self.is_free(one))
                for one, fits, lies in zip(outlines, as_large, is_known, strict=True)
            ],
            bool,
        )

    def is_free(self, outline: NDArray[np.floating]) -> bool:
        """Whether nothing was laid within an outline (K, 2): nothing is new in its core, where no blur reaches."""
        return self.is_at(_CORE * outline + (1 - _CORE) * outline.mean(0))


NOTHING_KNOWN = Unchanged()
"""Of a whole picture."""
Read = Callable[[NDArray[np.uint8], Any, float | None], Reading]
ReadUnknown = Callable[[NDArray[np.uint8], Any, float, Unchanged], Reading]


def usual_width_px(cards: Sequence[DetectedCard]) -> float | None:
    """The usual width of a card between opposite edges, in pixels; None when there is none."""
    return float(median(sides_of(cards))) * float(np.sqrt(3.0)) if cards else None


def windows_of(
    settled: NDArray[np.bool_],
    size: tuple[int, int],
    width_px: float | None,
    young: NDArray[np.bool_] | None = None,
    around: float = 1.0,
) -> list[Window]:
    """The pieces of the picture to read: each settled change and what is around it.

    Where something as large as a card has just come to rest, crumbs of change elsewhere, such as the last of a hand's
    shadow, wait until it has been looked at.

    Args:
        settled: bool (h, w) what changed and lies still.
        size: height and width of the picture.
        width_px: how wide cards are; None for the whole picture.
        young: bool (h, w), what came to rest only just now; None for nothing.
        around: so many times as much as usual of what is around each.
    """
    if not settled.any():
        return []
    h, w = size
    joined = cv2.dilate(settled.astype(np.uint8), np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    least = _crumb_size(width_px)
    boxes = {i: stats[i] for i in range(1, count) if stats[i][4] >= least}
    if boxes and width_px is None:
        return [(0, 0, w, h)]
    width_px = width_px or 0.0
    whole = {i for i, box in boxes.items() if (min(box[2], box[3]) - 2) * MASK_PX >= _WHOLE * width_px}
    is_fresh = young is not None and any((young & settled & (labels == i)).any() for i in whole)
    windows: list[Window] = []
    for i in whole if is_fresh else boxes:
        x, y, wide, high, _ = boxes[i]
        margin = (0.6 if i in whole else 1.0) * around * width_px
        x0, y0 = max(0, int(x * MASK_PX - margin)) & ~1, max(0, int(y * MASK_PX - margin)) & ~1
        x1, y1 = (x + wide) * MASK_PX + margin, (y + high) * MASK_PX + margin
        x1, y1 = min(w, x0 + _EVEN * round((x1 - x0) / _EVEN)), min(h, y0 + _EVEN * round((y1 - y0) / _EVEN))
        windows = _with_window(windows, (x0, y0, x1, y1))
    return windows


def _crumb_size(width_px: float | None) -> float:
    """How many mask pixels a change has at least that is no crumb, by how wide cards are."""
    return 0.1 * ((width_px or 45.0) / MASK_PX) ** 2


def with_nearest(window: Window, known: Sequence[DetectedCard], size: tuple[int, int]) -> Window:
    """The window made large enough to show the nearest of the known cards; ``size`` is the picture's (h, w)."""
    middle = (np.array(window[:2]) + window[2:]) / 2
    near_by = sorted(known, key=lambda card: float(np.linalg.norm(card.corners.mean(0) - middle)))[:_NEAREST]
    ends = np.concatenate([np.reshape(window, (2, 2)), *(card.corners for card in near_by)])
    low, high = np.floor(ends.min(0)).astype(int), np.ceil(ends.max(0)).astype(int)
    x0, y0 = (max(0, int(v) // MASK_PX * MASK_PX) for v in low)
    return x0, y0, min(size[1], int(high[0])), min(size[0], int(high[1]))


def where_at_work(changed: Mask, still: Mask, width_px: float | None) -> Mask:
    """The changes in which more than a crumb still stirs, bool (h, w): a hand is at work there.

    Where no card is known the picture is read as a whole: then one such change makes all of them so.
    """
    at_work = components_touching(changed, ~still, _crumb_size(width_px))
    return changed if width_px is None and at_work.any() else at_work


def is_in(window: Window, mask: NDArray[np.bool_], width_px: float | None) -> bool:
    """Whether more than a crumb of a mask, bool (h, w), lies in a window."""
    x0, y0, x1, y1 = (v // MASK_PX for v in window)
    return int(np.count_nonzero(mask[y0:y1, x0:x1])) > _crumb_size(width_px)


def _with_window(windows: list[Window], fresh: Window) -> list[Window]:
    """The windows with one more; those that overlap become one, so that nothing is read twice."""
    apart = []
    for x0, y0, x1, y1 in windows:
        if x0 < fresh[2] and fresh[0] < x1 and y0 < fresh[3] and fresh[1] < y1:
            fresh = (min(x0, fresh[0]), min(y0, fresh[1]), max(x1, fresh[2]), max(y1, fresh[3]))
        else:
            apart.append((x0, y0, x1, y1))
    return [*apart, fresh] if len(apart) == len(windows) else _with_window(apart, fresh)


def unchanged_in(
    window: Window,
    cards: Sequence[DetectedCard],
    changed: NDArray[np.bool_],
    settled: NDArray[np.bool_],
    width_px: float | None,
) -> Unchanged:
    """What a window holds that is as it was, the known cards among it.

    Args:
        window: the piece of the picture.
        cards: all that are known.
        changed: bool (h, w), what differs from the accepted picture.
        settled: bool (h, w), what of it lies still.
        width_px: see `windows_of`.
    """
    x0, y0 = window[:2]

    def is_at(outline: NDArray[np.floating]) -> bool:
        share = share_in(outline + np.array([x0, y0], np.float32), settled)
        return share is not None and share < _UNTOUCHED

    def is_explained(pieces: Sequence[Outlined]) -> bool:
        rest = settled.copy()
        for piece, lies in zip(pieces, near(pieces, lying, _SAME_OUTLINE), strict=True):
            outline = piece.corners + np.array([x0, y0], np.float32)
            rest &= ~polygon_mask(outline, settled.shape, 1.0 if lies else _SHADED)
        return not is_in(window, rest, width_px)

    lying: list[DetectedCard] = []
    touched: list[DetectedCard] = []
    for card in _within(window, cards):
        share = changed_share(card, changed, max(0.6, 1.0 - _BLUR * MASK_PX / card.side))
        (lying if share < _UNTOUCHED else touched).append(moved_by(card, -x0, -y0))
    return Unchanged(lying, touched, cards, (x0, y0), is_at=is_at, is_explained=is_explained)


def _within(window: Window, cards: Sequence[DetectedCard]) -> list[DetectedCard]:
    """The cards whose centres lie in a window."""
    if not cards:
        return []
    centres = np.array([card.corners for card in cards]).mean(1)
    is_within = ((centres >= window[:2]) & (centres < window[2:])).all(1)
    return [card for card, is_in in zip(cards, is_within.tolist(), strict=True) if is_in]


def changed_share(card: DetectedCard, changed: NDArray[np.bool_], inner: float = 1.0) -> float:
    """How much of a card's place, or its ``inner`` part, ``changed`` (h, w), 0..1; 1 where it is off the picture."""
    share = share_in(card.corners, changed, inner)
    return 1.0 if share is None else share


@dataclass(frozen=True, slots=True, eq=False)
class ChangeReading:
    """What was read of one frame.

    Attributes:
        where: bool (h, w), the pieces that were read.
        seen: the cards seen there.
        lying: the known cards there that lie as they lay.
        doubts: what may be a card, and is none of the reading.
    """

    where: Mask
    seen: list[DetectedCard] = field(default_factory=list)
    lying: list[DetectedCard] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class _Repeated:
    """What a window showed when it was read last.

    Attributes:
        known: the cards that were known then.
        cards: those that were found.
        doubts: what else may be a card.
        count: how often in a row it showed just that.
        at_s: when it was read.
    """

    known: Sequence[DetectedCard]
    cards: list[DetectedCard]
    doubts: list[Doubt]
    count: int
    at_s: float

    def is_beside(self, known: Sequence[DetectedCard]) -> bool:
        """Whether the same cards are known still."""
        return len(known) == len(self.known) and all(map(operator.is_, known, self.known))

    def is_again(self, cards: Sequence[DetectedCard]) -> bool:
        """Whether the same cards, one at least, were found."""
        faces, before = ([card.edges for card in some] for some in (cards, self.cards))
        return bool(cards) and faces == before and all(near(cards, self.cards, _SAME_OUTLINE))


class ChangeReader:
    """Looks at what came to rest.

    Args:
        read: reads a picture as the game does: the picture, the classifier, how wide cards are when that is known.
        read_unknown: reads a piece of the picture of which something is known to be as it was, and gives the other
            cards; None to read all of them with ``read``.
        settle_times: how long things must last.
    """

    def __init__(self, read: Read, read_unknown: ReadUnknown | None, settle_times: SettleTimes) -> None:
        self._read, self._read_unknown, self._settle_times = read, read_unknown, settle_times
        self._next_s = self._next_slow_s = self._next_at_work_s = self._next_hand_s = 0.0
        self._fruitless = 0
        self._repeated: dict[tuple[Window, bool], _Repeated] = {}

    def read_changes(self, view: ObservedFrame, known: Sequence[DetectedCard], classifier: Any) -> ChangeReading | None:
        """Read what changed and lies still; None when nothing is due."""
        settled = view.changed & view.still
        is_fresh = bool((settled & ~view.mask.is_still(_FRESH_S)).any())
        if view.now_s < self._next_s or (not is_fresh and view.now_s < self._next_slow_s):
            return None
        self._next_s, self._next_slow_s = view.now_s + _READ_S, view.now_s + _FRESH_S
        reading = ChangeReading(np.zeros(settled.shape, bool))
        width_px = usual_width_px(known)
        young = ~view.mask.is_still(self._settle_times.card_s + 0.2)
        look = self._fruitless % len(_MARGINS)
        margin = _MARGINS[look]
        size = (view.bgr.shape[0], view.bgr.shape[1])
        at_work = where_at_work(view.changed, view.still, width_px)
        in_peace = windows_of(settled & ~at_work, size, width_px, young, margin)
        others = self._worth_reading(windows_of(settled & at_work, size, width_px, young, margin), view, width_px)
        bgr = view.bgr if width_px else _without_hands(view)
        for piece in (*in_peace, *others):
            window = with_nearest(piece, known, size) if look == _WITH_KNOWN else piece
            x0, y0, x1, y1 = window
            reading.where[y0 // MASK_PX : -(-y1 // MASK_PX), x0 // MASK_PX : -(-x1 // MASK_PX)] = True
            as_it_was = (
                unchanged_in(window, known, view.changed, settled, width_px) if self._read_unknown else NOTHING_KNOWN
            )
            as_it_was = replace(as_it_was, picture=bgr, is_thorough=piece in in_peace)
            reading.lying.extend(moved_by(card, x0, y0) for card in as_it_was.cards)
            seen, doubts = self._read_or_recall(view, bgr, window, as_it_was, width_px, classifier)
            reading.doubts.extend(doubts)
            twice = near(seen, reading.seen, _SAME_OUTLINE)
            reading.seen.extend(card for card, is_twice in zip(seen, twice, strict=True) if not is_twice)
        if reading.where.any():
            self._fruitless = 0 if reading.seen else self._fruitless + 1
        return reading

    def look_again(self, now_s: float) -> None:
        """Read what lies there in the next frame too."""
        self._next_slow_s = now_s

    def _worth_reading(self, at_work: list[Window], view: ObservedFrame, width_px: float | None) -> list[Window]:
        """Of the windows in which a hand is at work all now and then, those with nothing else at rest seldom."""
        things = view.changed & view.still & ~view.hands
        hand_alone = [window for window in at_work if not is_in(window, things, width_px)]
        waiting = at_work if view.now_s < self._next_at_work_s else hand_alone
        if view.now_s >= self._next_hand_s:
            waiting = []
        if len(waiting) < len(at_work):
            self._next_at_work_s = view.now_s + _AT_WORK_S - 0.01
        if hand_alone and not waiting:
            self._next_hand_s = view.now_s + _HAND_S - 0.01
        return [window for window in at_work if window not in waiting]

    def _read_or_recall(
        self,
        view: ObservedFrame,
        bgr: NDArray[np.uint8],
        window: Window,
        as_it_was: Unchanged,
        width_px: float | None,
        classifier: Any,
    ) -> tuple[list[DetectedCard], list[Doubt]]:
        """As `_read_window`; what showed the same a few times is not read again while nothing stirs there."""
        key, known, now_s = (window, as_it_was.is_thorough), as_it_was.everywhere, view.now_s
        x0, y0, x1, y1 = (v // MASK_PX for v in window)
        stirred_s = float(view.mask.stirred_s[y0 : y1 + 1, x0 : x1 + 1].max(initial=-np.inf))
        before = self._repeated.get(key)
        if before is not None and not (before.is_beside(known) and stirred_s <= before.at_s):
            before = None
        if before is not None and before.count >= _ALIKE and now_s - before.at_s < _FRESH_S:
            return before.cards, before.doubts
        cards, doubts = self._read_window(bgr, window, as_it_was, width_px, classifier)
        count = 1 + (before.count if before is not None and before.is_again(cards) else 0)
        recent = {where: one for where, one in self._repeated.items() if now_s - one.at_s < 2 * _FRESH_S}
        self._repeated = recent | {key: _Repeated(known, cards, doubts, count, now_s)}
        return cards, doubts

    def _read_window(
        self, bgr: NDArray[np.uint8], window: Window, as_it_was: Unchanged, width_px: float | None, classifier: Any
    ) -> tuple[list[DetectedCard], list[Doubt]]:
        """The cards in a window but for those that lie as they lay, and what else there may be a card."""
        x0, y0, x1, y1 = window
        piece = np.ascontiguousarray(bgr[y0:y1, x0:x1])
        if self._read_unknown is None or width_px is None:
            reading = self._read(piece, classifier, width_px)
        else:
            reading = self._read_unknown(piece, classifier, width_px, as_it_was)
        largest = float("inf") if width_px is None else _LARGEST * width_px / 3**0.5
        cards = (*reading.cards, *reading.loose)
        doubts = [
            Doubt((warning.at[0] + x0, warning.at[1] + y0), warning.message)
            for warning in reading.warnings
            if warning.code == "unsure" and warning.at and not any(_is_of(warning.at, card) for card in cards)
        ]
        return [moved_by(card, x0, y0) for card in cards if card.side < largest], doubts


def _is_of(at: tuple[float, float], card: DetectedCard) -> bool:
    """Whether a spot is a card's middle."""
    return math.dist(at, card.centre) < _SAME_CARD * card.side


def _without_hands(view: ObservedFrame) -> NDArray[np.uint8]:
    """The frame, the table's usual colour where hands are: what they hold is no sign of what lies on the table."""
    if not view.hands.any() or view.hands.all():
        return view.bgr
    bgr = view.bgr.copy()
    hands = cv2.resize(view.hands.view(np.uint8), bgr.shape[1::-1], interpolation=cv2.INTER_NEAREST) > 0
    table = cv2.resize(bgr, view.hands.shape[::-1], interpolation=cv2.INTER_NEAREST)[~view.hands]
    bgr[hands] = np.median(table, axis=0)
    return bgr
