"""What is followed over time: pieces, readings of them, and each one's state, why it is in it, and its evidence.

Beside it what a tracker reports: events, notices, and how long things must last before they are told.

The diagram of states and transitions stands in README.md beside this file.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import SQUARE
from companion.vision.networks import softmax
from companion.vision.results import Classifier, DetectedCard, ReadingWarning, confidence_of, sides_of
from companion.vision.tracking.change_detector import Mask, share_in

TableEvent = dict[str, Any]
"""A tracker event, as `companion watch` prints it but without frame and time."""

_READINGS = 6
"""So many looks have a say, the latest of them."""
_LEAST_LIKELY = 1e-3
"""No look says that a class is less likely: one that errs surely does not outweigh two others."""
_DOUBTED = 0.1
"""Where more is left in the mean that no class has, a doubt took it."""

FORGET_S = 4.5
"""A card that was seen to appear, or what may be one, is forgotten when it was not seen again for so long."""
_SAME_DOUBT = 0.6
"""What is in doubt within so many sides of a card's centre, or of what is in doubt already, is that."""


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

    @property
    def warnings(self) -> tuple[ReadingWarning, ...]:
        """What keeps it from being read."""

    def as_json(self) -> dict[str, Any]:
        """As the contract prints it."""


Piece = TypeVar("Piece", bound=PlacedPiece)


@dataclass(frozen=True, slots=True, eq=False)
class Found(Generic[Piece]):
    """The known table in a reading of the whole picture: every known piece where it lies now, and which were seen."""

    pieces: Sequence[Piece]
    is_seen: Sequence[bool]


def shift_between(was: Sequence[PlacedPiece], now: Sequence[PlacedPiece]) -> float:
    """By how much of a side pieces moved, in the median."""
    if not was:
        return 0.0
    far = [float(np.linalg.norm(a.corners.mean(0) - b.corners.mean(0))) for a, b in zip(was, now, strict=True)]
    return float(np.median(np.array(far) / sides_of(now)))


class TrackState(Enum):
    """Where a card is in its life on the table."""

    APPEARING = "appearing"
    STILL = "still"
    COVERED = "covered"
    LEAVING = "leaving"
    GONE = "gone"


TRANSITIONS: Mapping[TrackState, frozenset[TrackState]] = MappingProxyType(
    {
        TrackState.APPEARING: frozenset({TrackState.STILL, TrackState.GONE}),
        TrackState.STILL: frozenset({TrackState.COVERED, TrackState.LEAVING, TrackState.GONE}),
        TrackState.COVERED: frozenset({TrackState.STILL, TrackState.LEAVING, TrackState.GONE}),
        TrackState.LEAVING: frozenset({TrackState.STILL, TrackState.COVERED, TrackState.GONE}),
        TrackState.GONE: frozenset(),
    }
)
"""What each state may turn into; see README.md for when."""


@dataclass(slots=True, eq=False)
class Track(Generic[Piece]):
    """One thing on the table.

    Attributes:
        piece: as last read; of an appearing card what its readings say together.
        since_s: when it entered its state.
        state: see `TrackState`. Those appearing were not reported yet.
        reason: why it is in that state, for people.
        readings: how often it was read since it appeared, or since a hand last held it.
        first_s: when it began to appear.
        seen_s: when it was last seen.
        rest_s: when it came to rest, by its last reading; minus infinity where unknown.
        log_likelihood: that of its classes, and of none of them, the mean of its latest readings (K, C + 1).
    """

    piece: Piece
    since_s: float
    state: TrackState = TrackState.APPEARING
    reason: str = ""
    readings: int = 0
    first_s: float = 0.0
    seen_s: float = 0.0
    rest_s: float = -np.inf
    log_likelihood: NDArray[np.float64] | None = None

    def enter(self, state: TrackState, now_s: float, reason: str = "") -> None:
        """Go into a state, or stay in it. Raises `ValueError` for a transition that `TRANSITIONS` does not have."""
        self.reason = reason
        if state is self.state:
            return
        if state not in TRANSITIONS[self.state]:
            raise ValueError(f"a track does not go from {self.state.value} to {state.value}")
        self.state, self.since_s = state, now_s


@runtime_checkable
class CorrelatedErrors(Protocol):
    """What a classifier has besides, where some of its errors are the same in every frame."""

    def discounted(self, likely: NDArray[np.float32], mean: NDArray[np.float32]) -> NDArray[np.float32]:
        """The probabilities (K, C) of several readings together, surer than those of one in the mean (K, C) only in
        what frames tell anew.
        """


def add_reading(track: Track[DetectedCard], card: DetectedCard, classifier: Classifier | None, now_s: float) -> None:
    """Gather one more reading of an appearing card; ``classifier`` accepts symbols of what its readings say together.

    Frames err alike, so that however many there are they count for less than two that were independent; see also
    `CorrelatedErrors`. A symbol from which a doubt took some probability in most looks is no surer in all of them
    together.
    """
    track.readings += 1
    track.seen_s = now_s
    none = np.maximum(1 - card.probabilities.sum(-1, keepdims=True), 0.0)
    seen = np.log(np.maximum(np.concatenate([card.probabilities.astype(np.float64), none], -1), _LEAST_LIKELY))
    if track.readings == 1 or track.log_likelihood is None:
        track.piece, track.log_likelihood = card, seen
        return
    count = min(track.readings, _READINGS)
    track.log_likelihood = track.log_likelihood + (seen - track.log_likelihood) / count
    likely, mean = (softmax(weight * track.log_likelihood).astype(np.float32) for weight in (2 - 1 / count, 1.0))
    is_doubted, likely, mean = mean[:, -1:] > _DOUBTED, likely[:, :-1], mean[:, :-1]
    likely = np.where(is_doubted, mean, likely)
    if isinstance(classifier, CorrelatedErrors):
        likely = classifier.discounted(likely, mean)
    edges = _settled(classifier.accept(likely), likely, card) if classifier else card.edges
    confidence = confidence_of(card.presence, likely, edges)
    track.piece = replace(card, edges=edges, probabilities=likely, confidence=confidence)


def _settled(edges: tuple[str | None, ...], likely: NDArray[np.float32], card: DetectedCard) -> tuple[str | None, ...]:
    """The symbols of all readings; where they leave a doubt, those of this one, if both have the same best class."""
    is_same = likely.argmax(-1) == card.probabilities.argmax(-1)
    return tuple(n if e is None and same else e for e, n, same in zip(edges, card.edges, is_same, strict=True))


@dataclass(frozen=True, slots=True)
class SettleTimes:
    """How long things must last, in seconds."""

    card_s: float = 0.18
    """A new card lies still this long before it is read: two frames at ten a second."""
    start_s: float = 0.28
    """The whole table lies still this long before it is first read."""
    removal_s: float = 0.09
    """A card is gone this long, from the first look that misses it, before it is reported as removed."""
    doubt_s: float = 1.5
    """A card that cannot be read fully is reported all the same after this long at rest."""
    resting_s: float = 3.0
    """A hand that lies still in the picture this long is mentioned."""


class Notices:
    """The active notices; each is reported once, until it is cleared."""

    def __init__(self) -> None:
        self._active: dict[str, str] = {}

    @property
    def active_notices(self) -> dict[str, str]:
        """Notices that hold now: code to text."""
        return dict(self._active)

    def raise_notice(self, code: str, message: str, at: tuple[float, float] | None = None) -> list[TableEvent]:
        """Make a notice active and return the event that reports it; no event where it is active already."""
        if code in self._active:
            return []
        self._active[code] = message
        return [notice(code, message, at)]

    def clear(self, code: str, then: str | None = None, message: str = "") -> list[TableEvent]:
        """Make a notice inactive and return the event ``then`` that reports it, if one is given and it was active."""
        if code not in self._active:
            return []
        del self._active[code]
        return [] if then is None else [notice(then, message)]


def unread_card(at: tuple[float, float]) -> TableEvent:
    """The notice of a card that was told with a part that cannot be read, in pixels."""
    return notice("unsure", "A new card cannot be read fully.", at)


def notice(code: str, message: str, at: tuple[float, float] | None = None) -> TableEvent:
    """One notice, as it is reported; ``at`` in pixels."""
    where = {} if at is None else {"at": [round(v) for v in at]}
    return {"event": "notice", "code": code, "message": message, **where}


@dataclass(slots=True)
class Doubt:
    """What may be a card, and by a reading is none: where, in pixels, why, when it was last read, and whether that was
    said.
    """

    at: tuple[float, float]
    message: str
    seen_s: float = -np.inf
    is_said: bool = False


class Doubts:
    """What is in doubt on one table."""

    def __init__(self) -> None:
        self._doubts: list[Doubt] = []

    def note(self, doubts: Sequence[Doubt], cards: Sequence[DetectedCard], side_px: float, now_s: float) -> None:
        """Remember what may be a card, by the latest looks at it, as long as no card is there.

        Args:
            doubts: those of a reading.
            cards: all that are followed.
            side_px: a card's usual side.
            now_s: when it was read.
        """
        apart_px = _SAME_DOUBT * side_px
        for doubt in doubts:
            known = next((one for one in self._doubts if math.dist(one.at, doubt.at) < apart_px), None)
            if known is None:
                known = doubt
                self._doubts.append(doubt)
            known.seen_s = now_s
        self._doubts = [
            doubt
            for doubt in self._doubts
            if now_s - doubt.seen_s < FORGET_S and all(math.dist(doubt.at, card.centre) > apart_px for card in cards)
        ]

    def say(self, things: Mask, side_px: float) -> list[TableEvent]:
        """Say of what may be a card, once, that it counts as a thing (h, w) from now on."""
        events: list[TableEvent] = []
        around = 0.5 * _SAME_DOUBT * side_px * SQUARE.unit
        for doubt in self._doubts:
            if not doubt.is_said and share_in(doubt.at + around, things):
                doubt.is_said = True
                message = f"{doubt.message[:1].upper()}{doubt.message[1:]}: light it or enter it."
                events.append(notice("maybe-card", message, doubt.at))
        return events
