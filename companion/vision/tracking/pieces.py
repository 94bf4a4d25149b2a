"""What a tracker and its parts hand one another: pieces on a table, readings of it, and one frame."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from companion.vision.results import ReadingWarning, sides_of
from companion.vision.tracking.change_detector import ChangeMask
from companion.vision.tracking.masks import Mask


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
        crumb: so few changed mask pixels are no hand and no card.
    """

    bgr: NDArray[np.uint8]
    mask: ChangeMask
    changed: Mask
    still: Mask
    hands: Mask
    now_s: float
    crumb: float


def shift_between(was: Sequence[PlacedPiece], now: Sequence[PlacedPiece]) -> float:
    """By how much of a side pieces moved, in the median."""
    if not was:
        return 0.0
    far = [float(np.linalg.norm(a.corners.mean(0) - b.corners.mean(0))) for a, b in zip(was, now, strict=True)]
    return float(np.median(np.array(far) / sides_of(now)))
