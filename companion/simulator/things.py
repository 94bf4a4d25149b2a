"""What a game brings to the simulated table: its things and where hands put them."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from companion.printing.shapes import Point, Shape
from companion.simulator.lying import Pose
from companion.simulator.optics import Camera

Place = Hashable
"""Where one thing lies, as its game names it."""
Face = Hashable
"""What a thing shows, as its game names it."""


@dataclass(frozen=True, slots=True)
class Still:
    """What nobody ever moves: a draw deck, a board, a mat.

    Attributes:
        faces: one above the other, the lowest first.
        pose: where they lie; a stack leans a little.
    """

    faces: tuple[Face, ...]
    pose: Pose


class Things(Protocol):
    """One game's things on one table."""

    def camera(self, size: tuple[int, int], rng: np.random.Generator) -> Camera:
        """A camera that sees every place of the game, with pictures of that width and height."""

    def still(self, camera: Camera) -> tuple[Still, ...]:
        """What lies there from the beginning to the end, under everything else."""

    def shapes(self, face: Face) -> tuple[Shape, ...]:
        """How a thing that shows this is drawn, in its own frame, which its pose puts on the table."""

    def outline(self, face: Face) -> tuple[Point, ...]:
        """The corners of its top face in its own frame, clockwise as seen."""

    def spot(self, place: Place, lying: Mapping[Place, Pose], rng: np.random.Generator) -> Pose:
        """Where a hand puts a thing that belongs at a place, beside what lies there already."""

    def seed(self, place: Place) -> list[int]:
        """Whole numbers that tell this place from all others: every small error there follows from them."""
