"""Comet's things: mats for the six pots and the Tail, and sets of cards, face down and face up."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from companion.games.comet import deck as comet
from companion.games.comet.rules.state import TAIL
from companion.printing.shapes import Point, Polygon, Shape, moved
from companion.simulator.lying import Care, Pose, spot_near
from companion.simulator.optics import Camera
from companion.simulator.tabletop import Face, Place, Still
from companion.simulator.viewpoint import viewpoint

_COLUMNS = 3
_ACROSS_MM = 65.5
"""From one card of a set to the next."""
_ROW_MM = 114.0
"""Sets lie so far apart that none is taken for a part of another."""
_MAT_MM = 208.0
_GAP_MM = 6.0
_RIM_MM = 14.0
_CLOTH = "#7C8F80"
_CARE = Care(5.0, 3.0)
"""How carefully people lay."""


@dataclass(frozen=True, slots=True)
class LaidCards:
    """What a set shows.

    Attributes:
        cards: from left to right.
        seat: whose it is.
        is_up: whether the faces are to be seen.
    """

    cards: tuple[comet.Values, ...]
    seat: int
    is_up: bool


@dataclass(frozen=True, slots=True)
class _Mat:
    """A pot's place: its middle, and how many sets have room in it, one above the other."""

    middle: Point
    rows: int

    @property
    def height_mm(self) -> float:
        return self.rows * _ROW_MM + 4.0


class CometThings:
    """A `companion.simulator.tabletop.Things`.

    Places are a pot and which set against it, from 0. Faces are `LaidCards`, and the name of a pot for its mat.
    """

    def __init__(self, pots: Sequence[str], sets: int, tail_sets: int) -> None:
        """Mats with room for so many sets.

        Args:
            pots: the names of the table pots; they lie in rows of three, the Tail to the right of them.
            sets: against each of them.
            tail_sets: against the Tail.
        """
        self._pots = (*pots, TAIL)
        self._mats = _mats(pots, sets, tail_sets)

    def camera(self, size: tuple[int, int], rng: np.random.Generator) -> Camera:
        """See `Things`."""
        corners = [corner for pot in self._pots for corner in self.zone(pot)]
        return viewpoint(corners, size, rng, around_mm=_RIM_MM, yaws_deg=(float(rng.uniform(-4, 4)),))

    def zone(self, pot: str) -> tuple[Point, ...]:
        """The corners of a pot's mat on the table, clockwise as seen."""
        mat = self._mats[pot]
        (x, y), wide, high = mat.middle, _MAT_MM / 2, mat.height_mm / 2
        return (x - wide, y - high), (x + wide, y - high), (x + wide, y + high), (x - wide, y + high)

    def still(self, camera: Camera) -> tuple[Still, ...]:
        """The mats."""
        return tuple(Still((pot,), Pose(*mat.middle, 0.0)) for pot, mat in self._mats.items())

    def shapes(self, face: Face) -> tuple[Shape, ...]:
        """See `Things`."""
        if isinstance(face, str):
            number = None if face == TAIL else self._pots.index(face) + 1
            size = (_MAT_MM, self._mats[face].height_mm)
            return Polygon(comet.rounded(*size, 8.0), _CLOTH), *comet.pot_shapes(number, *size)
        laid = cast(LaidCards, face)
        shapes: list[Shape] = []
        for k, card in enumerate(laid.cards):
            wobble = (0.8 * math.sin(sum(card) + k), 1.4 * math.cos(3 * card[0] + 5 * card[2]))
            at = ((k - (len(laid.cards) - 1) / 2) * _ACROSS_MM + wobble[0], wobble[1])
            shapes += moved(comet.face_shapes(card) if laid.is_up else comet.back_shapes(), at)
        return tuple(shapes)

    def outline(self, face: Face) -> tuple[Point, ...]:
        """The corners around all cards of a set."""
        half = ((len(cast(LaidCards, face).cards) - 1) * _ACROSS_MM + comet.WIDTH_MM) / 2
        high = comet.HEIGHT_MM / 2
        return (-half, -high), (half, -high), (half, high), (-half, high)

    def spot(self, place: Place, lying: Mapping[Place, Pose], rng: np.random.Generator) -> Pose:
        """In its row of the mat."""
        pot, which = cast("tuple[str, int]", place)
        mat = self._mats[pot]
        return spot_near((mat.middle[0], mat.middle[1] + (which - (mat.rows - 1) / 2) * _ROW_MM), _CARE, rng)

    def seed(self, place: Place) -> list[int]:
        """See `Things`."""
        pot, which = cast("tuple[str, int]", place)
        return [self._pots.index(pot), which]


def _mats(pots: Sequence[str], sets: int, tail_sets: int) -> dict[str, _Mat]:
    high = sets * _ROW_MM + 4.0 + _GAP_MM
    rows = -(-len(pots) // _COLUMNS)
    mats = {
        pot: _Mat((k % _COLUMNS * (_MAT_MM + _GAP_MM), (k // _COLUMNS - (rows - 1) / 2) * high), sets)
        for k, pot in enumerate(pots)
    }
    return mats | {TAIL: _Mat((_COLUMNS * (_MAT_MM + _GAP_MM), 0.0), tail_sets)}
