"""Where cards truly lie when hands lay them: hexagons with gaps and small turns that add up, others a little off."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from companion.decks.hexel import APOTHEM_MM, SIDE_MM
from companion.rules.hexgrid import Cell, neighbour, opposite


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


def centre_mm(cell: Cell) -> tuple[float, float]:
    """Where a cell's centre lies on the table when everything lies exactly.

    >>> [round(v, 1) for v in centre_mm((0, 1))]
    [30.3, 52.5]
    """
    q, r = cell
    return 2 * APOTHEM_MM * (q + r / 2), 1.5 * SIDE_MM * r


def spot(cell: Cell, lying: Mapping[Cell, Pose], care: Care, rng: np.random.Generator) -> Pose:
    """Where a card laid at a cell comes to lie, by the neighbours already there.

    Each neighbour says where the card would touch it. The hand aims between them, errs by a gap and a turn, and cards
    being solid pushes the new one off those it would overlap.

    Args:
        cell: where on the lattice; at its exact place when nothing lies beside it.
        lying: the cards on the table; they do not move.
        care: the bounds of gaps and turns.
        rng: the only source of chance.
    """
    beside = [(d, lying[neighbour(cell, d)]) for d in range(6) if neighbour(cell, d) in lying]
    gap = float(rng.uniform(0.15, 1.0)) ** 2 * care.gap_mm
    turn = float(np.clip(rng.normal(0, 0.45), -1, 1)) * care.turn_deg
    if not beside:
        return Pose(*centre_mm(cell), turn)
    wanted = [_touching(pose, opposite(d), gap) for d, pose in beside]
    aim = Pose(*(sum(values) / len(wanted) for values in zip(*map(_parts, wanted), strict=True)))
    return pushed_off(aim.shifted(0, 0, turn / len(beside)), [pose for _, pose in beside], SIDE_MM)


def about(at: tuple[float, float], care: Care, rng: np.random.Generator) -> Pose:
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


def _touching(pose: Pose, direction: int, gap_mm: float) -> Pose:
    angle = math.radians(pose.turn_deg - 60 * direction)
    reach = 2 * APOTHEM_MM + gap_mm
    return pose.shifted(reach * math.cos(angle), reach * math.sin(angle))


def _parts(pose: Pose) -> tuple[float, float, float]:
    return pose.x_mm, pose.y_mm, pose.turn_deg


def _pushed_off_one(pose: Pose, other: Pose, side_mm: float) -> Pose:
    dx, dy = pose.x_mm - other.x_mm, pose.y_mm - other.y_mm
    apart = math.hypot(dx, dy)
    corner_mm = side_mm / 2 * abs(math.sin(math.radians(pose.turn_deg - other.turn_deg)))
    short = max(0.0, math.sqrt(3) * side_mm + corner_mm - apart)
    return pose.shifted(dx / apart * short, dy / apart * short)
