"""Where Hex'el cards lie when hands lay them edge to edge: gaps and small turns add up."""

import math
from collections.abc import Mapping

import numpy as np

from companion.games.hexel.deck import APOTHEM_MM, SIDE_MM
from companion.rules.hexgrid import Cell, neighbour, opposite
from companion.simulator.lying import Care, Pose, pushed_off


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


def _touching(pose: Pose, direction: int, gap_mm: float) -> Pose:
    angle = math.radians(pose.turn_deg - 60 * direction)
    reach = 2 * APOTHEM_MM + gap_mm
    return pose.shifted(reach * math.cos(angle), reach * math.sin(angle))


def _parts(pose: Pose) -> tuple[float, float, float]:
    return pose.x_mm, pose.y_mm, pose.turn_deg
