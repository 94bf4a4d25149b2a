"""Hexapod's things: two display cases side by side, three stacks face up between them, and the cards."""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from companion.games.hexapod import deck as hexapod
from companion.printing.shapes import Point, Shape
from companion.simulator.lying import Care, Pose, spot_near
from companion.simulator.optics import Camera
from companion.simulator.tabletop import Face, Place, Still
from companion.simulator.viewpoint import viewpoint

CASE = "case"
STACK = "stack"
STACKS = 3
_BETWEEN_MM = 26.0
_STACK_EVERY_MM = 62.0
_RIM_MM = 22.0
_CARE, _CARE_ON_A_STACK = Care(2.0, 2.0), Care(4.0, 5.0)
"""How carefully people lay."""


class HexapodThings:
    """A `companion.simulator.tabletop.Things`.

    Places are ``(player, row, column, how many cards lie there before it)``, and ``(STACK, which, how deep)``, the
    lowest card 0. Faces are a card's kinds, and `CASE`.
    """

    def __init__(self, players: Sequence[str], rows: int, cols: int) -> None:
        """Display cases of that size for two players."""
        self._rows, self._cols = rows, cols
        width, height = cols * hexapod.CELL_MM, rows * hexapod.CELL_MM
        outside_cases = hexapod.SIDE_MM / 2 + _BETWEEN_MM + hexapod.FRAME_MM
        self._corners = {players[0]: (-outside_cases - width, -height / 2), players[1]: (outside_cases, -height / 2)}

    def camera(self, size: tuple[int, int], rng: np.random.Generator) -> Camera:
        """See `Things`."""
        reach = (STACKS - 1) / 2 * _STACK_EVERY_MM + hexapod.SIDE_MM / 2
        points = [(0.0, -reach), (0.0, reach), *(point for name in self._corners for point in self.field(name))]
        yaw = float(rng.uniform(-8, 8))
        return viewpoint(points, size, rng, around_mm=_RIM_MM, yaws_deg=(yaw,), largest=2.2)

    def field(self, player: str) -> tuple[Point, ...]:
        """The corners of a player's field, clockwise as seen, the first at the top left."""
        x, y = self._corners[player]
        width, height = self._cols * hexapod.CELL_MM, self._rows * hexapod.CELL_MM
        return (x, y), (x + width, y), (x + width, y + height), (x, y + height)

    def still(self, camera: Camera) -> tuple[Still, ...]:
        """The two cases."""
        return tuple(Still((CASE,), Pose(*corner, 0.0)) for corner in self._corners.values())

    def shapes(self, face: Face) -> tuple[Shape, ...]:
        """See `Things`."""
        return hexapod.case_shapes(self._rows, self._cols) if face == CASE else hexapod.face_shapes(_card(face))

    def outline(self, face: Face) -> tuple[Point, ...]:
        """See `Things`."""
        return hexapod.outline()

    def spot(self, place: Place, lying: Mapping[Place, Pose], rng: np.random.Generator) -> Pose:
        """In its cells, a little off; on a stack a little more."""
        where, first, *others = cast("tuple[str, int, int]", place)
        if where == STACK:
            return spot_near((0.0, (first - (STACKS - 1) / 2) * _STACK_EVERY_MM), _CARE_ON_A_STACK, rng)
        left, top = self._corners[where]
        return spot_near((left + (others[0] + 1) * hexapod.CELL_MM, top + (first + 1) * hexapod.CELL_MM), _CARE, rng)

    def seed(self, place: Place) -> list[int]:
        """See `Things`."""
        where, *numbers = cast("tuple[str, int, int]", place)
        return [[*self._corners, STACK].index(where), *numbers]


def _card(face: Face) -> hexapod.Cells:
    return cast(hexapod.Cells, face)
