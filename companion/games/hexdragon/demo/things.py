"""HexDragon's things: the board with its cells, tiles, stars, and the face-down supply beside it."""

import math
from collections.abc import Mapping
from typing import cast

import numpy as np

from companion.games.hexdragon import deck as hexdragon
from companion.games.hexdragon.rules.tiles import Tile
from companion.printing.shapes import Point, Shape, regular_polygon
from companion.rules.hexgrid import Cell, neighbours
from companion.simulator.lying import Care, Pose, pushed_off, spot_near
from companion.simulator.optics import Camera
from companion.simulator.tabletop import Face, Place, Still
from companion.simulator.viewpoint import deck_place, viewpoint

TILE, STAR = "tile", "star"
BACK, BOARD = "back", "board"
_SUPPLY_TILES = 8
_RIM_MM = 14.0
_CARE = Care(2.4, 3.0)
"""How carefully people lay."""


class HexDragonThings:
    """A `companion.simulator.tabletop.Things`.

    Places are a cell and `TILE` or `STAR`. Faces are a tile with its owner's colour or None, `STAR` with a colour,
    `BACK` and `BOARD`.
    """

    def __init__(self, radius: int) -> None:
        """A board with so many rings of cells."""
        self._radius = radius

    def camera(self, size: tuple[int, int], rng: np.random.Generator) -> Camera:
        """See `Things`."""
        points = hexdragon.board_outline(self._radius)
        return viewpoint(points, size, rng, around_mm=_RIM_MM, beside_mm=2.2 * hexdragon.SIDE_MM)

    def still(self, camera: Camera) -> tuple[Still, ...]:
        """The board, and the supply face down."""
        rim = hexdragon.board_outline(self._radius)
        edges = [
            (a[0] + (b[0] - a[0]) * k / 4, a[1] + (b[1] - a[1]) * k / 4)
            for a, b in zip(rim, (*rim[1:], rim[0]), strict=True)
            for k in range(4)
        ]
        supply = Still((BACK,) * _SUPPLY_TILES, deck_place(camera, edges, 1.2 * hexdragon.SIDE_MM))
        return Still((BOARD,), Pose(0.0, 0.0, 0.0)), supply

    def shapes(self, face: Face) -> tuple[Shape, ...]:
        """See `Things`."""
        if face == BACK:
            return hexdragon.back_shapes()
        if face == BOARD:
            return hexdragon.board_shapes(self._radius)
        what, colour = cast("tuple[Tile | str, str | None]", face)
        return hexdragon.face_shapes(what, colour) if isinstance(what, Tile) else hexdragon.star_shapes(str(colour))

    def outline(self, face: Face) -> tuple[Point, ...]:
        """See `Things`; a star's corners are those of a polygon with twelve sides."""
        is_star = isinstance(face, tuple) and face[0] == STAR
        return regular_polygon(12, hexdragon.STAR_DISC_MM / 2) if is_star else hexdragon.outline()

    def spot(self, place: Place, lying: Mapping[Place, Pose], rng: np.random.Generator) -> Pose:
        """Within its cell, off its neighbours; a star is laid anyhow."""
        cell, kind = cast("tuple[Cell, str]", place)
        at = spot_near(hexdragon.cell_centre(*cell), _CARE, rng)
        if kind == STAR:
            return at.shifted(0.0, 0.0, float(rng.uniform(0, math.tau)) * 57.3)
        beside = [lying[near, TILE] for near in neighbours(cell) if (near, TILE) in lying]
        return pushed_off(at, beside, hexdragon.SIDE_MM)

    def seed(self, place: Place) -> list[int]:
        """See `Things`."""
        (q, r), kind = cast("tuple[Cell, str]", place)
        return [q % 256, r % 256, int(kind == STAR)]
