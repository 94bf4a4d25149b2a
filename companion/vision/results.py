"""What a reading is made of: cards, warnings and the time of each stage; and how a card's symbols follow another naming
of cells.

As they stand a Hex'el card and reading; another game says in a class of its own what its cards are called.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rules.hexgrid import Cell, LatticeMap
from companion.vision.geometry import HEXAGON_ROLLS, areas
from companion.vision.image.pyramid import Pyramid

_CALIBRATION_POWER = 0.16
_AREA_OF_UNIT_HEXAGON = 1.5 * math.sqrt(3.0)


class Classifier(Protocol):
    """Names what is printed on a game's pieces: on K parts of each, C classes."""

    def classify(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.floating]:
        """Probability of each class for each part of pieces (N, M, 2), in the order of their own corners: (N, K, C)."""

    def accept(self, probabilities: NDArray[np.floating]) -> tuple[str | None, ...]:
        """What may be stated as fact of a piece's parts, from the probabilities of each (K, C); None where unsure."""


@dataclass(frozen=True, slots=True)
class ReadingWarning:
    """Something the reader wants people to know; ``at`` in pixels."""

    code: str
    message: str
    at: tuple[float, float] | None = None

    def as_json(self) -> dict[str, Any]:
        """As the contract prints a warning."""
        at = {} if self.at is None else {"at": [round(v, 1) for v in self.at]}
        return {"code": self.code, "message": self.message, **at}


def unreadable(what: str, card: "DetectedCard", size: tuple[int, int]) -> ReadingWarning:
    """The warning that something of a card cannot be read on a picture of that width and height."""
    near_rim = bool((card.corners.min(0) < 1).any() or (card.corners.max(0) > np.array(size) - 2).any())
    where = ", the picture's rim cuts it" if near_rim else ""
    return ReadingWarning("unsure", f"{what} cannot be read{where}", card.centre)


class Outlined(Protocol):
    """What lies somewhere on a picture."""

    @property
    def corners(self) -> NDArray[np.floating]:
        """(K, 2) pixels, clockwise."""


@dataclass(frozen=True, slots=True, eq=False)
class DetectedCard:
    """One Hex'el card on a picture.

    Attributes:
        cell: its cell, None for a card that touches no other.
        edges: six symbols in order of direction; None where unsure.
        corners: (6, 2) pixels, clockwise as seen; (4, 2) of a rectangular card.
        confidence: 0..1, that the card is there and every stated symbol is right.
        presence: 0..1, that a card is there.
        probabilities: (6, C) of `symbols.CLASSES`, in order of direction.
        east: which of the card's own edges looks in direction 0; see `lattice`.
        is_unsettled: it has no cell, and yet may belong to the tableau: what lies between is covered.
    """

    cell: Cell | None
    edges: tuple[str | None, ...]
    corners: NDArray[np.float32]
    confidence: float
    presence: float
    probabilities: NDArray[np.floating]
    east: int = 0
    is_unsettled: bool = False

    @property
    def centre(self) -> tuple[float, float]:
        """The card's centre in pixels."""
        x, y = self.corners.sum(0) / len(self.corners)
        return float(x), float(y)

    @property
    def extent(self) -> float:
        """How much of its outline, from the middle, it covers: 1 for a card."""
        return 1.0

    @property
    def side(self) -> float:
        """The length in pixels of the sides of a hexagon as large as the card."""
        return float(np.sqrt(cv2.contourArea(self.corners.astype(np.float32)) / _AREA_OF_UNIT_HEXAGON))

    def as_json(self) -> dict[str, Any]:
        """As the contract prints a card."""
        return {
            "cell": None if self.cell is None else list(self.cell),
            "edges": list(self.edges),
            "corners": np.round(self.corners.astype(float), 2).tolist(),
            "confidence": calibrated(self.confidence),
        }

    @property
    def names(self) -> list[list[str | None]]:
        """What it shows, row by row: the name of each class, a single one for a card of one symbol; None for unsure."""
        return [[self.edges[0]] if len(set(self.edges)) == 1 else list(self.edges)]

    @property
    def name_places(self) -> NDArray[np.floating]:
        """Where on the picture each of its `names` stands, of a card that has one at each edge; (0, 2) of others."""
        is_at_edges = len(self.names[0]) == len(self.corners)
        return edge_places(self.corners, self.east) if is_at_edges else np.zeros((0, 2))

    def line(self) -> str:
        """The card for people, where it lies first."""
        away = "somewhere" if self.is_unsettled else "loose"
        where = away if self.cell is None else f"({self.cell[0]}, {self.cell[1]})"
        return f"{where:>9}  {' '.join(e or '?' for e in self.edges)}  {calibrated(self.confidence):.2f}"


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What lies on one picture of a Hex'el table, and who named its symbols (a `Classifier`).

    Attributes:
        cards: those that have a cell.
        loose: those that have none; one that is unsettled stands among the cards, its cell null.
    """

    cards: tuple[DetectedCard, ...]
    loose: tuple[DetectedCard, ...]
    warnings: tuple[ReadingWarning, ...]
    classifier: Classifier | None = None
    stages_ms: Mapping[str, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """The game's part of what `companion read` prints."""
        return {
            "cards": [c.as_json() for c in (*self.cards, *(c for c in self.loose if c.is_unsettled))],
            "loose": [c.as_json() for c in self.loose if not c.is_unsettled],
            "warnings": [w.as_json() for w in self.warnings],
        }

    def summary(self) -> str:
        """How much was read, for people."""
        return f"{len(self.cards)} cards in the tableau, {len(self.loose)} loose"


def edge_places(corners: NDArray[np.floating], east: int, share: float = 0.76) -> NDArray[np.floating]:
    """Places (6, 2) at a hexagon's edges in order of direction, that share of the way from its middle to them.

    Args:
        corners: (6, 2) pixels, clockwise as seen.
        east: which of its own edges looks in direction 0.
        share: 1 for the edges' own middles.
    """
    middles = (corners + np.roll(corners, -1, axis=0)) / 2
    return np.asarray(corners.mean(0) * (1 - share) + middles[(east - np.arange(6)) % 6] * share)


def turned_card(card: DetectedCard, cell: Cell | None, turns: int) -> DetectedCard:
    """The card in another naming of the directions, ``turns`` counter-clockwise, and in another cell."""
    order = [(d - turns) % 6 for d in range(6)]
    return replace(
        card,
        cell=cell,
        edges=tuple(card.edges[k] for k in order),
        probabilities=card.probabilities[order],
        east=(card.east + turns) % 6,
    )


def in_own_frame(card: DetectedCard) -> DetectedCard:
    """The card by itself: no cell, and direction 0 is its own first edge."""
    return turned_card(card, None, -card.east)


def renamed(card: DetectedCard, lattice_map: LatticeMap) -> DetectedCard:
    """The card in another naming of the lattice; one without a cell as it is."""
    return card if card.cell is None else turned_card(card, lattice_map.cell(card.cell), lattice_map.turns)


def moved_by(card: DetectedCard, x: float, y: float) -> DetectedCard:
    """The card as seen from a picture that begins elsewhere."""
    return replace(card, corners=card.corners + np.array([x, y], np.float32))


def aligned(card: DetectedCard, model: DetectedCard) -> DetectedCard:
    """The card in its own frame, its corners begun where those of ``model``, the same place seen before, begin."""
    offsets = model.corners - model.corners.mean(0)
    mine = card.corners - card.corners.mean(0)
    roll = int(((mine[HEXAGON_ROLLS] - offsets) ** 2).sum((1, 2)).argmin())
    # corner k becomes corner 0, so edge k (clockwise) becomes edge 0: the names go k steps counter-clockwise
    return replace(turned_card(card, None, roll - card.east), corners=card.corners[HEXAGON_ROLLS[roll]], east=0)


def is_near(a: DetectedCard, b: DetectedCard, share: float) -> bool:
    """The two cards' centres lie within ``share`` of a side."""
    (ax, ay), (bx, by) = a.centre, b.centre
    return math.hypot(ax - bx, ay - by) < share * b.side


def near(cards: Sequence[Outlined], others: Sequence[Outlined], share: float) -> list[bool]:
    """Which cards have their centre within ``share`` of a side of one of the others' centres."""
    if not cards or not others:
        return [False] * len(cards)
    outlines, there = (np.array([c.corners for c in some]) for some in (cards, others))
    apart = outlines.sum(1)[:, None] / outlines.shape[1] - there.sum(1) / there.shape[1]
    reach = share * share * np.abs(areas(there)) / _AREA_OF_UNIT_HEXAGON
    return ((apart * apart).sum(-1) < reach).any(axis=1).tolist()  # type: ignore[no-any-return]


def turned_edges(edges: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """What a hexagon shows along its edges, the same however it is turned: of all ways to begin the first."""
    return min((edges[k:] + edges[:k] for k in range(len(edges))), key=str)


def sides_of(cards: Sequence[Outlined]) -> NDArray[np.float32]:
    """The cards' `DetectedCard.side`, (N,)."""
    return np.asarray(np.sqrt(np.abs(areas(np.array([c.corners for c in cards]))) / _AREA_OF_UNIT_HEXAGON))


def calibrated(confidence: float) -> float:
    """A card's confidence as it is told: how often such a card is right; `confidence_of` says how plainly it shows.

    On drawn photographs and on pictures made worse step by step (`tests/bench/sweeps.py`), cards stated at a half were
    right as often as those stated at 0.95.

    >>> calibrated(0.0), calibrated(0.5), calibrated(0.95), calibrated(1.0)
    (0.0, 0.895, 0.9918, 1.0)
    """
    return round(float(np.power(confidence, _CALIBRATION_POWER)), 4)


def confidence_of(presence: float, probabilities: NDArray[np.floating], labels: Sequence[str | None]) -> float:
    """The confidence 0..1 of a card: that it is there, and its least certain stated part.

    Args:
        presence: 0..1, that there is a card.
        probabilities: of each class for each part (K, C).
        labels: what is stated of each part, None where unsure.
    """
    best = probabilities.max(-1)
    return presence * min((float(p) for label, p in zip(labels, best, strict=True) if label is not None), default=0.5)


class Stopwatch:
    """Milliseconds between laps."""

    def __init__(self, now: Callable[[], float] = perf_counter) -> None:
        self._now = now
        self._last = now()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """Note the time since the lap before under ``name``."""
        now = self._now()
        self.laps[name] = (now - self._last) * 1000.0
        self._last = now
