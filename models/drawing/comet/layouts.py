"""Where hands lay Comet cards on a table: sets of one to three side by side, touching, apart or fanned, and strays."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.drawing.comet.cards import numeral_boxes_mm
from models.drawing.comet.printings import CometPrinting

Points = npt.NDArray[Any]

FAN_SHARE = 0.34
"""How much of a card's width its neighbour covers at most."""


@dataclass(frozen=True, slots=True, eq=False)
class LaidComet:
    """A card on the table: its numbers from the top (None when face down), its place in mm and its turn in degrees.

    Attributes:
        is_aside: it lies off the groups: the deck, or a face-down card left over.
        layers: how many cards lie under it.
    """

    values: tuple[int, int, int] | None
    at_mm: Points
    turn_deg: float
    size: tuple[float, float]
    is_aside: bool = False
    layers: int = 0

    def on_table(self, points_mm: Points) -> Points:
        """Points (N, 2) of the card's own frame, on the table."""
        a = np.radians(self.turn_deg)
        turn = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        return np.asarray(np.asarray(points_mm) @ turn + self.at_mm)

    def corners_mm(self) -> Points:
        """Its four sharp corners (4, 2), clockwise with y down, the first at its top left."""
        x, y = self.size[0] / 2, self.size[1] / 2
        return self.on_table(np.array([[-x, -y], [x, -y], [x, y], [-x, y]]))

    def marks_mm(self, printing: CometPrinting) -> list[list[Points]]:
        """The corners (4, 2) around each print of each of its numbers on the table; none when it lies face down."""
        if self.values is None:
            return []
        return [[self.on_table(box) for box in boxes] for boxes in numeral_boxes_mm(self.values, printing)]


def laid_groups(cards: int, printing: CometPrinting, rng: np.random.Generator) -> list[LaidComet]:
    """So many cards in sets of one to three, in the order in which they were laid: later ones lie on top."""
    laid: list[LaidComet] = []
    main = float(rng.uniform(0, 360))
    spread = float(rng.choice([0.0, 3.0, 15.0]))
    tight = bool(rng.random() < 0.4)
    for at in _places(cards, printing, main, tight, rng):
        if len(laid) >= cards:
            break
        count = min(int(rng.choice([1, 2, 2, 3, 3])), cards - len(laid))
        turn = main + float(rng.normal(0, spread)) + (float(rng.choice([0, 0, 90])) if rng.random() < 0.3 else 0.0)
        group = _group(count, at, turn, printing, rng)
        if _is_free(group, laid, gap_mm=0.5 if tight else 3.0):
            laid += group
    return laid


def strays(laid: Sequence[LaidComet], printing: CometPrinting, rng: np.random.Generator) -> list[LaidComet]:
    """Face-down cards and decks beside the groups."""
    found: list[LaidComet] = []
    centre = np.mean([card.at_mm for card in laid], axis=0)
    reach = float(np.ptp([card.at_mm for card in laid], axis=0).max()) / 2 + 140
    for _ in range(int(rng.integers(0, 5))):
        at = centre + rng.uniform(-1, 1, 2) * reach
        layers = int(rng.choice([0, 0, 12]))
        card = LaidComet(None, at, float(rng.uniform(0, 360)), printing.size, True, layers)
        if _is_free([card], [*laid, *found], gap_mm=4.0):
            found.append(card)
    return found


def any_values(rng: np.random.Generator) -> tuple[int, int, int]:
    """Three numbers; every seventh card has those that are easily mixed up."""
    pool = (6, 8, 9, 11) if rng.random() < 0.14 else tuple(range(2, 15))
    a, b, c = (int(v) for v in rng.choice(pool, 3))
    return a, b, c


def _places(
    cards: int, printing: CometPrinting, main_deg: float, tight: bool, rng: np.random.Generator
) -> list[Points]:
    """Places for groups on a grid turned with the table, the nearest first."""
    step = np.array([3.0 * printing.size[0], printing.size[1]]) + rng.uniform(2, 12 if tight else 60)
    side = int(np.ceil(np.sqrt(cards))) + 1
    grid = np.array([(c - side / 2, r - side / 2) for r in range(side) for c in range(side)]) * step
    grid += rng.normal(0, 3 if tight else 14, grid.shape)
    a = np.radians(main_deg)
    turned = grid @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    order = np.argsort(np.linalg.norm(turned + rng.normal(0, 60, turned.shape), axis=1))
    return [turned[k] for k in order]


def _group(
    count: int, at: Points, turn_deg: float, printing: CometPrinting, rng: np.random.Generator
) -> list[LaidComet]:
    """Cards side by side, all as one hand lays them, some upside down, some face down."""
    width = printing.size[0]
    step = (
        width * (1 - float(rng.uniform(0.03, FAN_SHARE))) if rng.random() < 0.4 else width + float(rng.uniform(0.1, 5))
    )
    loose = float(rng.choice([0.4, 1.5, 4.0]))
    up, down = float(rng.choice([0.0, 0.3])), float(rng.choice([0.0, 0.0, 0.3, 0.9]))
    cards = []
    for k in range(count):
        along = np.array([(k - (count - 1) / 2) * step, float(rng.normal(0, 2 * loose))])
        a = np.radians(turn_deg)
        place = at + along @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        turn = turn_deg + float(rng.normal(0, loose)) + (180.0 if rng.random() < up else 0.0)
        values = None if rng.random() < down else any_values(rng)
        cards.append(LaidComet(values, place, turn, printing.size))
    if step >= width:
        cards = _apart(cards)
    return cards if rng.random() < 0.5 else cards[::-1]


def _apart(cards: list[LaidComet]) -> list[LaidComet]:
    """Cards that only touch, moved apart along their row until none lies on another."""
    kept = cards[:1]
    for card in cards[1:]:
        away = (card.at_mm - kept[-1].at_mm) / max(1e-6, float(np.linalg.norm(card.at_mm - kept[-1].at_mm)))
        for _ in range(40):
            if _overlap(card, kept[-1]) <= 1.0:
                break
            card = replace(card, at_mm=card.at_mm + away * 0.4)
        kept.append(card)
    return kept


def _overlap(a: LaidComet, b: LaidComet) -> float:
    """The area in square mm that two cards share."""
    area, _ = cv2.intersectConvexConvex(a.corners_mm().astype(np.float32), b.corners_mm().astype(np.float32))
    return float(area)


def _is_free(group: Sequence[LaidComet], laid: Sequence[LaidComet], gap_mm: float) -> bool:
    """None of the group comes nearer to a card lying there than the gap."""
    for card in group:
        wider = replace(card, size=(card.size[0] + 2 * gap_mm, card.size[1] + 2 * gap_mm))
        reach = 2 * float(np.hypot(*wider.size))
        near = [other for other in laid if np.linalg.norm(other.at_mm - card.at_mm) < reach]
        if any(_overlap(wider, other) > 0 for other in near):
            return False
    return True
