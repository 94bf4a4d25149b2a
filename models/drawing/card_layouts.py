"""Where cards lie on a table: scattered, in rows that touch, in fans, in boards of hexagons."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.drawing.card_faces import Rng


@dataclass(frozen=True)
class Lying:
    """A card's place on the plane of the table; the side of a square card of the same area is about 1.

    Attributes:
        centre: (2,) of it.
        half: half its box's width and height.
        turn: of its box, in radians.
        is_hexagon: six sides, a corner at the middle of its box's right side.
    """

    centre: NDArray[np.float64]
    half: tuple[float, float]
    turn: float
    is_hexagon: bool

    def on_plane(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points given over the half box (-1..1), on the plane."""
        c, s = np.cos(self.turn), np.sin(self.turn)
        return np.asarray(points * self.half @ np.array([[c, s], [-s, c]]) + self.centre)

    @property
    def box(self) -> NDArray[np.float64]:
        """Corners (4, 2) of the box."""
        return self.on_plane(np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float))

    @property
    def corners(self) -> NDArray[np.float64]:
        """The card's corners (4 or 6, 2)."""
        if not self.is_hexagon:
            return self.box
        turns = np.radians(np.arange(6) * 60.0)
        return self.on_plane(np.stack([np.cos(turns), np.sin(turns) / np.sin(np.pi / 3)], 1))


def half_of(rng: Rng, is_hexagon: bool) -> tuple[float, float]:
    """Half a card's box, for a deck of some format."""
    if is_hexagon:
        return 0.62, 0.62 * np.sin(np.pi / 3)
    kind = rng.random()
    aspect = 63 / 88 if kind < 0.4 else 1.0 if kind < 0.52 else rng.uniform(0.4, 1.0)
    return 0.5 * np.sqrt(aspect), 0.5 / np.sqrt(aspect)


def scattered(rng: Rng, half: tuple[float, float], is_hexagon: bool, reach: float, count: int) -> list[Lying]:
    """Cards that lie anyhow and do not overlap; some touch."""
    kept: list[Lying] = []
    loose = rng.uniform(0, 2 * np.pi, 1)[0] if rng.random() < 0.3 else None
    for _ in range(count * 3):
        turn = rng.uniform(0, 2 * np.pi) if loose is None else loose + rng.normal(0, 0.06)
        card = Lying(rng.uniform(-reach, reach, 2), half, turn, is_hexagon)
        mine = card.corners.astype(np.float32)
        near = [k for k in kept if np.hypot(*(k.centre - card.centre)) < 3 * max(half)]
        if not any(cv2.intersectConvexConvex(mine, k.corners.astype(np.float32))[0] > 1e-6 for k in near):
            kept.append(card)
        if len(kept) == count:
            break
    return kept


def rows(rng: Rng, half: tuple[float, float], reach: float) -> list[Lying]:
    """Cards in rows, which may touch."""
    wide, high = (half[0], half[1]) if rng.random() < 0.7 else (half[1], half[0])
    gap_x = [0.0, rng.uniform(0, 0.04), rng.uniform(0.04, 0.5)][int(rng.integers(3))]
    gap_y = [0.0, rng.uniform(0, 0.1), rng.uniform(0.05, 0.8)][int(rng.integers(3))]
    most = (int(2 * reach / (2 * wide + gap_x)) + 1, int(2 * reach / (2 * high + gap_y)) + 1)
    columns, lines = (
        int(rng.integers(1, max(2, min(9, most[0]) + 1))),
        int(rng.integers(1, max(2, min(7, most[1]) + 1))),
    )
    slack, wobble = max(gap_x, 0.006) * rng.uniform(0, 0.4), rng.uniform(0, 0.05) * (gap_x > 0.03)
    cards = []
    for row in range(lines):
        shift = rng.normal(0, 0.3) if rng.random() < 0.3 else 0.0
        for column in range(columns):
            if rng.random() < 0.06:
                continue
            at = np.array(
                [
                    (column - (columns - 1) / 2) * (2 * wide + gap_x) + shift,
                    (row - (lines - 1) / 2) * (2 * high + gap_y),
                ]
            )
            cards.append(
                Lying(
                    at + rng.normal(0, slack, 2), (wide, high), rng.normal(0, wobble) + np.pi * rng.integers(2), False
                )
            )
    return cards


def fan(rng: Rng, half: tuple[float, float]) -> list[Lying]:
    """Cards that lie over one another, each hiding part of the one before."""
    step = rng.uniform(0.15, 0.9) * 2 * half[0]
    bend, angle = rng.uniform(-0.3, 0.3), rng.uniform(0, 2 * np.pi)
    at, cards = np.zeros(2), []
    for _ in range(int(rng.integers(2, 7))):
        cards.append(Lying(at, half, angle + rng.normal(0, 0.05), False))
        at = at + step * np.array([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.05, 2)
        angle += bend
    middle = np.mean([c.centre for c in cards], 0)
    return [Lying(c.centre - middle, c.half, c.turn, False) for c in cards]


def board(rng: Rng, half: tuple[float, float], reach: float) -> list[Lying]:
    """A board of hexagons side by side, all or some of them there."""
    radius = half[0]
    gap = [0.0, rng.uniform(0, 0.05), rng.uniform(0.05, 0.3)][int(rng.integers(3))]
    rings = int(rng.integers(1, max(2, min(4, int(reach / (1.8 * radius)) + 1))))
    keep = 1.0 if rng.random() < 0.6 else rng.uniform(0.4, 1)
    pitch, slack = np.sqrt(3) * radius + gap, max(gap, 0.008) * rng.uniform(0, 0.3)
    cards = []
    for q in range(-rings, rings + 1):
        for r in range(max(-rings, -q - rings), min(rings, -q + rings) + 1):
            if rng.random() < keep:
                at = pitch * np.array([q * np.cos(np.pi / 6), r + q / 2])
                turn = rng.integers(6) * np.pi / 3 + rng.normal(0, slack / 2)
                cards.append(Lying(at + rng.normal(0, slack, 2), half, turn, True))
    return cards
