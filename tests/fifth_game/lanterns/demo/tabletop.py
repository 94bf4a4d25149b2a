"""The simulated table of Lanterns: a row of lanterns that grows."""

from collections.abc import Mapping
from typing import cast

import numpy as np

from companion.printing.shapes import Point, Shape
from companion.simulator.lying import Care, Pose, spot_near
from companion.simulator.optics import Camera, viewpoint
from companion.simulator.script import Script
from companion.simulator.tabletop import DemoGame, Tabletop
from companion.simulator.things import Face, Place, Still
from tests.fifth_game.lanterns import deck
from tests.fifth_game.lanterns.demo.player import player
from tests.fifth_game.lanterns.spec import SPEC

_APART_MM = 85.0


class LanternThings:
    """A `companion.simulator.things.Things`: places are numbers from left to right, faces colours."""

    def __init__(self, count: int) -> None:
        self._count = count

    def camera(self, size: tuple[int, int], rng: np.random.Generator) -> Camera:
        """See `Things`."""
        return viewpoint([self._at(place) for place in range(self._count)], size, rng, around_mm=2 * deck.SIDE_MM)

    def still(self, camera: Camera) -> tuple[Still, ...]:
        """See `Things`: nothing lies there from the beginning."""
        return ()

    def shapes(self, face: Face) -> tuple[Shape, ...]:
        """See `Things`."""
        return deck.face_shapes(cast(str, face))

    def outline(self, face: Face) -> tuple[Point, ...]:
        """See `Things`."""
        return deck.outline()

    def spot(self, place: Place, lying: Mapping[Place, Pose], rng: np.random.Generator) -> Pose:
        """See `Things`."""
        return spot_near(self._at(cast(int, place)), Care(), rng)

    def seed(self, place: Place) -> list[int]:
        """See `Things`."""
        return [cast(int, place)]

    def _at(self, place: int) -> Point:
        return _APART_MM * (place % 3), _APART_MM * (place // 3)


class LanternTabletop(Tabletop):
    """A `companion.simulator.tabletop.Tabletop`."""

    def __init__(self, script: Script, seed: int, size: tuple[int, int] = (960, 540)) -> None:
        super().__init__(script, LanternThings(len(script.commands)), seed, size)

    def lying(self, done: int) -> dict[int, Face]:
        """The lanterns laid so far."""
        return {place: command["colour"] for place, command in enumerate(self._script.commands[:done])}

    def is_laid(self, index: int) -> bool:
        """Every command is a lantern."""
        return True


DEMO = DemoGame(SPEC.demo_header(), lambda header, seed: player(seed), LanternTabletop)
