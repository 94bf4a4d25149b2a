"""What may be a card, and by a reading is none: remembered until a card is told there, and said once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.geometry import SQUARE
from companion.vision.results import DetectedCard
from companion.vision.tracking.change_detector import Mask, share_in
from companion.vision.tracking.tracks import FORGET_S, TableEvent, notice

_SAME_DOUBT = 0.6
"""What is in doubt within so many sides of a card's centre, or of what is in doubt already, is that."""


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
