"""Where cards lie when hands lay them: a little off, and never over one another."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Pose:
    """A card's centre on the table in mm, and its turn in degrees, clockwise as seen."""

    x_mm: float
    y_mm: float
    turn_deg: float

    def shifted(self, dx_mm: float, dy_mm: float, turn_deg: float = 0.0) -> "Pose":
        """The pose a little further on."""
        return Pose(self.x_mm + dx_mm, self.y_mm + dy_mm, self.turn_deg + turn_deg)

    def towards(self, other: "Pose", share: float) -> "Pose":
        """The pose that share of the way to another.

        >>> Pose(0, 0, 0).towards(Pose(10, 20, 4), 0.5)
        Pose(x_mm=5.0, y_mm=10.0, turn_deg=2.0)
        """
        dx, dy = other.x_mm - self.x_mm, other.y_mm - self.y_mm
        return self.shifted(dx * share, dy * share, (other.turn_deg - self.turn_deg) * share)


@dataclass(frozen=True, slots=True)
class Care:
    """How carefully people lay: the widest gap to a neighbour, and the largest turn against it."""

    gap_mm: float = 3.0
    turn_deg: float = 4.0


def spot_near(at: tuple[float, float], care: Care, rng: np.random.Generator) -> Pose:
    """Where a card comes to lie that a hand lays at a place drawn on the table: off by half a gap at most."""
    angle, share = float(rng.uniform(0, 2 * math.pi)), float(rng.uniform(0, 1))
    away = share * care.gap_mm / 2
    turn = float(np.clip(rng.normal(0, 0.45), -1, 1)) * care.turn_deg
    return Pose(at[0] + away * math.cos(angle), at[1] + away * math.sin(angle), turn)


def pushed_off(pose: Pose, others: Sequence[Pose], side_mm: float) -> Pose:
    """The pose of a hexagon after it has been pushed off those it would overlap: cards are solid."""
    for _ in range(30):
        for other in others:
            pose = _pushed_off_one(pose, other, side_mm)
    return pose


def _pushed_off_one(pose: Pose, other: Pose, side_mm: float) -> Pose:
    """The pose moved away from one other, by as much as two hexagons of that side overlap."""
    dx, dy = pose.x_mm - other.x_mm, pose.y_mm - other.y_mm
    apart = math.hypot(dx, dy)
    corner_mm = side_mm / 2 * abs(math.sin(math.radians(pose.turn_deg - other.turn_deg)))
    short = max(0.0, math.sqrt(3) * side_mm + corner_mm - apart)
    return pose.shifted(dx / apart * short, dy / apart * short)
