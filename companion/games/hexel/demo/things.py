"""Hex'el's things: cards laid edge to edge, and the draw deck."""

import math
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from companion.games.hexel.deck import APOTHEM_MM, SIDE_MM, back_shapes, face_shapes, outline
from companion.games.hexel.deck import Face as Symbols
from companion.printing.shapes import Point, Shape
from companion.rules.hexgrid import Cell, neighbour, opposite
from companion.simulator.lying import Care, Pose, pushed_off
from companion.simulator.optics import Camera
from companion.simulator.tabletop import Face, Place, Still
from companion.simulator.viewpoint import RIM_MM, deck_place, viewpoint

_DECK_CARDS = 18


class HexelThings:
    """A `companion.simulator.tabletop.Things`: places are cells, faces six symbols, or None for a card's back."""

    def __init__(self, edition: str, cells: Sequence[Cell]) -> None:
        """Cards of an edition.

        Args:
            edition: whose faces are drawn.
            cells: every cell that may get a card.
        """
        self._edition = edition
        self._centres = [centre_mm(cell) for cell in cells]

    def camera(self, size: tuple[int, int], rng: np.random.Generator) -> Camera:
        """See `Things`."""
        return viewpoint(self._centres, size, rng, around_mm=SIDE_MM + RIM_MM, beside_mm=2.2 * SIDE_MM)

    def still(self, camera: Camera) -> tuple[Still, ...]:
        """The draw deck: its cards' sides show paler than the back."""
        pale = ("red",) * 6
        faces = [pale if k % 2 == 0 and k < _DECK_CARDS - 1 else None for k in range(_DECK_CARDS)]
        return (Still(tuple(faces), deck_place(camera, self._centres, 1.25 * SIDE_MM)),)

    def shapes(self, face: Face) -> tuple[Shape, ...]:
        """See `Things`."""
        return back_shapes() if face is None else face_shapes(cast(Symbols, face), self._edition)

    def outline(self, face: Face) -> tuple[Point, ...]:
        """See `Things`."""
        return outline()

    def spot(self, place: Place, lying: Mapping[Place, Pose], rng: np.random.Generator) -> Pose:
        """See `companion.games.hexel.demo.things.spot`."""
        return spot(cast(Cell, place), cast(Mapping[Cell, Pose], lying), Care(), rng)

    def seed(self, place: Place) -> list[int]:
        """See `Things`."""
        return [number % 256 for number in cast(Cell, place)]


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
