"""What a reading of a Comet table is made of: cards with three numbers, and how a card turns about by half a turn."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.vision.results import DetectedCard, Reading, calibrated

NUMBERS = tuple(range(2, 15))
"""What a section may show; 14 is the Ace."""
OTHERS_TURNED = (6, 9)
"""The numbers that are another number upside down."""
NUMBERS_TURNED = (*OTHERS_TURNED, 8, 11)
"""The numbers that are any number upside down; an 11 where its figures are plain strokes."""
BACK = "back"
"""What stands in each section of a card lying face down."""


class DetectedCometCard(DetectedCard):
    """One Comet card on a picture.

    ``edges`` are its three sections from the side that its corners begin with: a number in digits, 14 for the Ace,
    None where unsure, or `BACK`; ``probabilities`` (3, 15) are those of `NumeralScores.sections`. ``cell`` is a
    number that the card keeps while it is followed, ``(k, 0)``; None when it has none. Its top left corner is corner
    ``east``, 0 or 2.
    """

    __slots__ = ()

    @property
    def values(self) -> list[int | None] | None:
        """Its numbers, ascending, those unsure at the end; None for a card lying face down."""
        if BACK in self.edges:
            return None
        known = sorted(int(edge) for edge in self.edges if edge is not None)
        return [*known, *[None] * (len(self.edges) - len(known))]

    def as_json(self) -> dict[str, Any]:
        """As the contract prints a card: without numbers when it lies face down, and when none can be read."""
        corners = upright(self)
        return {
            "values": None if set(self.edges) == {None} else self.values,
            "corners": np.round(corners, 2).tolist(),
            "zone": None,
            "confidence": calibrated(self.confidence),
        }

    @property
    def names(self) -> list[list[str | None]]:
        """Its numbers, or that it lies face down; None for each that is unsure."""
        values = self.values
        return [[in_words(None)] if values is None else [v if v is None else in_words([v]) for v in values]]

    def line(self) -> str:
        """The card for people."""
        x, y = self.centre
        return f"{in_words(self.values):>10}  at {x:.0f},{y:.0f}  {calibrated(self.confidence):.2f}"


class CometReading(Reading):
    """What lies on one picture of a Comet table. Cards lie apart or together: none is called loose."""

    __slots__ = ()

    def as_json(self) -> dict[str, Any]:
        """The game's part of what `companion read` prints."""
        return {"cards": [c.as_json() for c in self.cards], "warnings": [w.as_json() for w in self.warnings]}

    def summary(self) -> str:
        """How much was read, for people."""
        down = sum(BACK in card.edges for card in self.cards)
        return f"{len(self.cards) - down} cards face up, {down} face down"


def in_words(values: list[int | None] | None) -> str:
    """A card's numbers for people.

    >>> in_words([5, 14, None])
    '5 A ?'
    """
    if values is None:
        return "face down"
    return " ".join("?" if value is None else "A" if value == NUMBERS[-1] else str(value) for value in values)


def has_numbers(card: DetectedCard) -> bool:
    """Whether some number of a card is stated."""
    return bool(set(card.edges) - {None, BACK})


def upright(card: DetectedCard) -> NDArray[np.float64]:
    """The card's corners (4, 2) begun at its top left."""
    return np.roll(card.corners.astype(float), -card.east, 0)


def turned_half(card: DetectedCometCard) -> DetectedCometCard:
    """The same card, its corners begun at the opposite one."""
    return replace(
        card,
        edges=card.edges[::-1],
        corners=np.roll(card.corners, -2, 0),
        probabilities=card.probabilities[::-1],
        east=2 - card.east,
    )


def aligned_comet(card: DetectedCometCard, model: DetectedCometCard) -> DetectedCometCard:
    """The card by itself, its corners begun where those of ``model``, seen there before, begin."""
    return replace(turned_half(card) if _begins_across(card, model) else card, cell=None)


def aligned_either_way(card: DetectedCometCard, model: DetectedCometCard) -> DetectedCometCard:
    """As `aligned_comet`, of a printing that reads the same both ways up: its numbers stay in their order."""
    corners = np.roll(card.corners, -2, 0) if _begins_across(card, model) else card.corners
    return replace(card, corners=corners, cell=None)


def _begins_across(card: DetectedCometCard, model: DetectedCometCard) -> bool:
    """Whether a card's corners begin at the opposite one of those of ``model``."""
    mine, offsets = card.corners - card.corners.mean(0), model.corners - model.corners.mean(0)
    return float((mine * offsets).sum()) < float((np.roll(mine, -2, 0) * offsets).sum())
