"""Readings over time: what has changed on the table and is at rest.

A `Settler` takes frames one by one. Every frame costs a glance (`stillness`); only where something changed and has lain
still is a piece of the picture read, and only a card that is free of hands, fully read and not moving is told, once.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from companion.vision.classification.classifier import Classifier
from companion.vision.results import Reading, SeenCard, is_near, moved_by, near
from companion.vision.tracking.candidates import Candidate, Candidates
from companion.vision.tracking.change_detector import STEP, Glance, cells_of
from companion.vision.tracking.events import Patience, Told, notice
from companion.vision.tracking.layouts import Layout
from companion.vision.tracking.regions import (
    Unchanged,
    Window,
    across_of,
    changed_share,
    is_covered,
    is_stirred,
    over_unseen,
    stirred_around,
    unchanged_in,
    windows_of,
)
from companion.vision.tracking.registration import agree
from companion.vision.tracking.tracker import Following

Read = Callable[[np.ndarray, Any, float | None], Reading]
ReadBeside = Callable[[np.ndarray, Any, float, Unchanged], Reading]

_HAND_PAUSE = 3
"""So many frames pass between two looks at where a hand is at work: little is told there, and looks cost time."""
_LARGEST = 1.8
"""What is so many times larger than the known cards is a mat or a box, not a card of theirs."""


class Settler(Following[SeenCard]):
    """Follows one table.

    Args:
        read: reads a picture as the game does: the picture, the namer, how wide cards are when that is known.
        layout: how the game's cards lie together.
        namer: how symbols get their names; None for the reference printing.
        patience: how long things must last.
        read_beside: reads a piece of the picture of which something is known to be as it was, and gives the other
            cards; None to read all of them with ``read``.
    """

    def __init__(
        self,
        read: Read,
        layout: Layout,
        namer: Classifier | None = None,
        patience: Patience | None = None,
        read_beside: ReadBeside | None = None,
    ) -> None:
        super().__init__(patience)
        self._read = read
        self._read_beside = read_beside
        self._layout = layout
        self._namer = namer
        self._candidates = Candidates(layout)
        self._gone: list[tuple[SeenCard, int]] = []
        self._next_at_work = 0

    # ------------------------------------------------------------ the table as first settled

    def _begin(self, bgr: np.ndarray, *, may_wait: bool) -> Reading | None:
        reading = self._read(bgr, self._namer, None)
        if may_wait and any(None in c.edges for c in reading.cards):
            return None
        if reading.cards:
            self._namer = reading.namer
        return reading

    # ------------------------------------------------------------ changes

    def _forget_looks(self) -> None:
        self._candidates.clear()

    def _come_to_rest(self) -> None:
        self._candidates.clear()
        self._gone.clear()

    def _look(
        self, bgr: np.ndarray, glance: Glance, changed: np.ndarray, known: list[SeenCard], share: float
    ) -> list[Told]:
        if share > 0.5 or self._most_cards_differ(changed, known):
            of_the_whole = self._look_everywhere(bgr, glance, known)
            if of_the_whole is not None:
                return of_the_whole
        return self._look_where_settled(bgr, glance, changed, known) + self._resting(glance, changed)

    def _look_where_settled(
        self, bgr: np.ndarray, glance: Glance, changed: np.ndarray, known: list[SeenCard]
    ) -> list[Told]:
        told: list[Told] = []
        looked = np.zeros(changed.shape, bool)
        seen: list[SeenCard] = []
        settled = changed & (glance.still >= self._patience.card)
        is_fresh = bool((glance.still[settled] < self._patience.card + 6).any())
        if not is_fresh and self._frame % 8:
            return []  # what lies there has been looked at: now and then is enough
        lying: list[SeenCard] = []
        young = glance.still < self._patience.card + 2
        across = across_of(known)
        windows = windows_of(settled, (bgr.shape[0], bgr.shape[1]), across, young)
        for window in self._worth_reading(windows, changed & (glance.still < self._patience.card), across):
            x0, y0, x1, y1 = window
            looked[y0 // STEP : -(-y1 // STEP), x0 // STEP : -(-x1 // STEP)] = True
            as_it_was = unchanged_in(window, known, changed, settled) if self._read_beside else Unchanged()
            lying += [moved_by(card, x0, y0) for card in as_it_was.cards]
            seen += self._read_piece(bgr, window, as_it_was, across)
        for card in seen:
            told += self._consider(card, glance, changed, known)
        if looked.any():
            told += self._missing(looked, [*seen, *lying], glance, changed, known)
            as_known = [*lying, *(card for card in seen if self._lies_as_known(card, known))]
            slow = looked & (glance.still >= self._patience.doubt)
            if slow.any():
                slow &= ~over_unseen(known, [*seen, *lying], changed)
            self._accept(slow, as_known, glance)
        return told

    def _worth_reading(self, windows: list[Window], stirring: np.ndarray, across: float | None) -> list[Window]:
        """The windows that lie in peace, and now and then those in which a hand is at work."""
        at_work = [window for window in windows if is_stirred(window, stirring, across)]
        if self._frame < self._next_at_work:
            return [window for window in windows if window not in at_work]
        if at_work:
            self._next_at_work = self._frame + _HAND_PAUSE
        return windows

    def _read_piece(
        self, bgr: np.ndarray, window: Window, as_it_was: Unchanged, across: float | None
    ) -> list[SeenCard]:
        """The cards in a window but for those that lie as they lay."""
        x0, y0, x1, y1 = window
        piece = np.ascontiguousarray(bgr[y0:y1, x0:x1])
        if self._read_beside is None or across is None:
            reading = self._read(piece, self._namer, across)
        else:
            reading = self._read_beside(piece, self._namer, across, as_it_was)
        largest = float("inf") if across is None else _LARGEST * across / 3**0.5
        return [moved_by(c, x0, y0) for c in (*reading.cards, *reading.loose) if c.side < largest]

    # ------------------------------------------------------------ a card seen where something changed

    def _consider(self, card: SeenCard, glance: Glance, changed: np.ndarray, known: list[SeenCard]) -> list[Told]:
        """Tell a card when it is new, at rest, free of hands and read; follow a known one that was pushed a little."""
        inner = cells_of(card.corners, changed.shape, 0.97)
        if not inner.any() or int(glance.still[inner].min()) < self._patience.card:
            return []
        old = next((i for i, is_same in enumerate(near(known, [card], 0.6)) if is_same), None)
        if old is not None:
            again = self._layout.aligned(card, known[old])
            mine = self._layout.own(known[old])
            is_whole_now = None in mine.edges and None not in again.edges
            if agree(again.edges, mine.edges) and not is_whole_now:
                if None not in again.edges and not is_near(card, known[old], 0.06):
                    known[old] = replace(known[old], corners=again.corners, presence=card.presence)
                return []
        recent = changed & (glance.still < self._patience.doubt)  # what is left beside the card does not hold it
        if stirred_around(card, recent) > 0.15:
            self._candidates.drop_near(card)
            return []
        candidate = self._candidates.gather(card, self._namer, self._frame)
        waits = None in candidate.card.edges or (old is not None and candidate.looks < 4)
        if waits and self._frame - candidate.since < self._patience.doubt:
            return []
        told: list[Told] = []
        if old is not None:
            told.append({"event": "removed", **known.pop(old).as_json()})
        return told + self._placed(candidate, known)

    def _placed(self, candidate: Candidate, known: list[SeenCard]) -> list[Told]:
        cards = self._layout.named([*known, candidate.card])
        joined = [new for new, was in zip(cards, known, strict=False) if was.cell is None and new.cell is not None]
        known[:] = cards
        self._candidates.drop(candidate)
        new = cards[-1]
        told: list[Told] = [{"event": "placed", **new.as_json()}, *({"event": "moved", **c.as_json()} for c in joined)]
        if None in new.edges:
            at = [round(v) for v in new.centre]
            told.append({"event": "notice", "code": "unsure", "message": "A new card cannot be read fully.", "at": at})
        return told

    # ------------------------------------------------------------ known cards that are seen no more

    def _missing(
        self, looked: np.ndarray, seen: list[SeenCard], glance: Glance, changed: np.ndarray, known: list[SeenCard]
    ) -> list[Told]:
        told: list[Told] = []
        waiting: list[tuple[SeenCard, int]] = []
        for card in [c for c, is_seen in zip(known, near(known, seen, 0.6), strict=True) if not is_seen]:
            area = cells_of(card.corners, changed.shape, 0.95)
            if not area.any() or not looked[area].all() or float(changed[area].mean()) < 0.5:
                continue
            if int(glance.still[area].min()) < self._patience.card:
                continue
            if is_covered(card, changed, known):
                continue
            since = next((frame for held, frame in self._gone if is_near(held, card, 0.1)), self._frame)
            if self._frame - since < self._patience.removal:
                waiting.append((card, since))
                continue
            known.remove(card)
            self._stillness.accept(cells_of(card.corners, changed.shape, 1.15))
            told.append({"event": "removed", **card.as_json()})
        self._gone = waiting
        return told

    # ------------------------------------------------------------ what needs no telling

    def _accept(self, slow: np.ndarray, as_known: Sequence[SeenCard], glance: Glance) -> None:
        """Accept what lies still and holds nothing new.

        Args:
            slow: bool (h, w), what was looked at and has lain for long: a moved chip, a shadow.
            as_known: cards that are known to lie where they are; read whole, they are accepted at once.
            glance: the frame.
        """
        self._candidates.drop_before(self._frame - 3 * self._patience.doubt)
        waiting = np.zeros(slow.shape, bool)
        for card in [*self._candidates.cards, *(c for c, _ in self._gone)]:
            waiting |= cells_of(card.corners, slow.shape, 1.4)
        whole = np.zeros(slow.shape, bool)
        for card in as_known:
            if None not in card.edges:
                whole |= cells_of(card.corners, slow.shape, 1.12)
        quick = whole & (glance.still >= self._patience.card)
        self._stillness.accept((quick | slow) & ~waiting)

    def _lies_as_known(self, card: SeenCard, known: list[SeenCard]) -> bool:
        """Whether a known card lies there and shows the same: one that was turned over is news."""
        there = [other for other, is_there in zip(known, near(known, [card], 0.3), strict=True) if is_there]
        return any(agree(self._layout.aligned(card, other).edges, self._layout.own(other).edges) for other in there)

    # ------------------------------------------------------------ camera and table as a whole

    def _most_cards_differ(self, changed: np.ndarray, known: list[SeenCard]) -> bool:
        if len(known) < 2 or int(changed.sum()) * STEP**2 < 0.1 * sum(2.6 * c.side**2 for c in known):
            return False  # a card's area is 2.6 times its side squared
        return sum(changed_share(c, changed) > 0.2 for c in known) >= 0.7 * len(known)

    def _look_everywhere(self, bgr: np.ndarray, glance: Glance, known: list[SeenCard]) -> list[Told] | None:
        """Much has changed at once. Read everything and find the known table in it; None when it lies where it lay."""
        if not self._may_look_everywhere(glance):
            return None
        reading = self._read(bgr, self._namer, None)
        fresh = self._layout.again(known, reading.cards)
        if fresh is None:
            return self._out_of_view() if self._is_at_rest(glance, glance.changed) else None
        shifted = self._layout.moved(known, fresh)
        if shifted is not None and not _lie_still(fresh, glance, self._patience.removal):
            return None  # a hand may be holding them
        if shifted is None:
            if {c.cell for c in known} <= {c.cell for c in fresh if None not in c.edges} | {None}:
                self._stillness.accept()  # another light on the same cards
            return None
        known[:] = shifted
        self._candidates.clear()
        self._gone.clear()
        everything = [*reading.cards, *reading.loose]
        self._stillness.accept(~(_strangers(everything, known, glance) | _strangers(known, everything, glance)))
        return [
            *self._back_in_view(),
            notice("camera-moved", "The camera or the table was moved; the cards were found again."),
        ]


def _strangers(cards: list[SeenCard], others: list[SeenCard], glance: Glance) -> np.ndarray:
    """Where cards lie that are not among the others, bool (h, w): they stay a change, to be looked at."""
    shape = glance.changed.shape
    out = np.zeros(shape, bool)
    for card, is_among in zip(cards, near(cards, others, 0.6), strict=True):
        if not is_among:
            out |= cells_of(card.corners, shape, 1.1)
    return out


def _lie_still(cards: list[SeenCard], glance: Glance, frames: int) -> bool:
    """Whether most of each card has not stirred for so long."""
    places = [cells_of(card.corners, glance.still.shape, 0.95) for card in cards]
    return all(float((glance.still[place] >= frames).mean()) > 0.8 for place in places if place.any())
