"""Hex'el's things: cards laid edge to edge, and the draw deck."""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from companion.games.hexel.deck import SIDE_MM, back_shapes, face_shapes, outline
from companion.games.hexel.deck import Face as Symbols
from companion.games.hexel.demo.lying import centre_mm, spot
from companion.printing.shapes import Point, Shape
from companion.rules.hexgrid import Cell
from companion.simulator.lying import Care, Pose
from companion.simulator.optics import Camera
from companion.simulator.things import Face, Place, Still
from companion.simulator.viewpoint import RIM_MM, deck_place, viewpoint

_DECK_CARDS = 18


class HexelThings:
    """A `companion.simulator.things.Things`: places are cells, faces six symbols, or None for a card's back."""

    def __init__(self, edition: str, cells: Sequence[Cell], care: Care | None = None) -> None:
        """Cards of an edition.

        Args:
            edition: whose faces are drawn.
            cells: every cell that may get a card.
            care: how carefully people lay.
        """
        self._edition = edition
        self._centres = [centre_mm(cell) for cell in cells]
        self._care = care or Care()

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
        """See `companion.games.hexel.demo.lying.spot`."""
        return spot(cast(Cell, place), cast(Mapping[Cell, Pose], lying), self._care, rng)

    def seed(self, place: Place) -> list[int]:
        """See `Things`."""
        return [number % 256 for number in cast(Cell, place)]
