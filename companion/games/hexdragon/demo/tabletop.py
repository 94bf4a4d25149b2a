"""The simulated table of HexDragon: tiles and stars are laid; the camera may name cells and edges turned by sixths."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from companion import games
from companion.games.hexdragon import deck as hexdragon
from companion.games.hexdragon.demo.player import player
from companion.games.hexdragon.rules import tiles
from companion.games.hexdragon.rules.tiles import Tile
from companion.games.hexdragon.spec import SPEC
from companion.printing.shapes import Point, Shape, regular_polygon
from companion.rules.engine import Command
from companion.rules.hexgrid import Cell, cells_within, neighbours, rotated
from companion.simulator.lying import Care, Pose, pushed_off, spot_near
from companion.simulator.optics import Camera, deck_place, viewpoint
from companion.simulator.script import Script
from companion.simulator.tabletop import DemoGame, Tabletop
from companion.simulator.things import Face, Place, Still

TILE, STAR = "tile", "star"
BACK, BOARD = "back", "board"
_SUPPLY_TILES = 8
_RIM_MM = 14.0
_CARE = Care(2.4, 3.0)
"""How carefully people lay."""
Spot = tuple[Cell, str]
"""A cell, and `TILE` or `STAR`."""


class HexDragonThings:
    """A `companion.simulator.things.Things`.

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


class HexDragonTabletop(Tabletop):
    """A `companion.simulator.tabletop.Tabletop`."""

    def __init__(self, script: Script, seed: int, size: tuple[int, int] = (1280, 720)) -> None:
        """A board with the start tile on it."""
        state = games.game("hexdragon").rules.start(script.header)
        self._turns = 0
        """The script's names turned so often are the film's."""
        self._colours = {seat.name: seat.colour for seat in state.seats}
        self._cells = cells_within(state.radius)
        super().__init__(script, HexDragonThings(state.radius), seed, size)
        self.lay_out(0)

    def lying(self, done: int) -> dict[Spot, Face]:
        """The start tile, the tiles laid so far, and the stars that still lie."""
        lying: dict[Spot, Face] = {((0, 0), TILE): (tiles.START.turned(self._turns), None)}
        for command in self._script.commands[:done]:
            if command["cmd"] not in ("place", "star"):
                continue
            cell, colour = rotated(_cell(command), self._turns), self._colours[command["player"]]
            if command["cmd"] == "star":
                lying[cell, STAR] = (STAR, colour)
            else:
                lying.pop((cell, STAR), None)
                tile = tiles.read(command["tile"]).turned(self._turns)
                lying[cell, TILE] = (tile, colour if tile.kind == "head" else None)
        return lying

    def mislaid(self, index: int) -> dict[Spot, Face] | None:
        """The tile on another free cell."""
        lying, meant = self.lying(index), self.lying(index + 1)
        (cell, kind), tile_from_edges = next(reversed(meant.items()))
        free = [other for other in self._cells if not {(other, TILE), (other, STAR)} & meant.keys()]
        if not free or (cell, STAR) in lying:
            return None
        return lying | {(self._random.choice(free), kind): tile_from_edges}

    def is_laid(self, index: int) -> bool:
        """Tiles and stars are laid; the rest is said."""
        return self._script.commands[index]["cmd"] in ("place", "star")

    def follow(self, script: Script, moves: Sequence[Command]) -> None:
        """Go on with another script; the tiles stay where they lie, whatever it calls their cells."""
        agreed = next(k for k in range(len(moves), -1, -1) if self._ways(moves[:k]))
        self._turns = (self._turns - self._ways(moves[:agreed])[0]) % 6
        self._script = script

    def done(self, moves: Sequence[Command]) -> int | None:
        """See `Tabletop`."""
        return len(moves) if self._ways(moves) else None

    def command_for(self, moves: Sequence[Command], index: int) -> Command:
        """The script's command with the cells and edges as the session names them."""
        command, turns = self._script.commands[index], next(iter(self._ways(moves)), 0)
        return _turned(command, turns) if "cell" in command else command

    def _ways(self, moves: Sequence[Command]) -> list[int]:
        """By how many sixths the moves' names are turned against the script's; empty when they are other moves."""
        ours = self._script.commands[: len(moves)]
        if len(ours) < len(moves):
            return []
        return [turns for turns in range(6) if all(_agree(a, b, turns) for a, b in zip(ours, moves, strict=True))]


def _agree(ours: Command, theirs: Command, turns: int) -> bool:
    if any(ours.get(name) != theirs.get(name) for name in ("cmd", "player")):
        return False
    if "cell" not in ours:
        return True
    is_there = rotated(_cell(ours), turns) == _cell(theirs)
    return is_there and ("tile" not in ours or _across(ours["tile"], turns) == _across(theirs["tile"], 0))


def _across(tile: Mapping[str, Any], turns: int) -> tuple[int, ...]:
    return tiles.read(tile).turned(turns).across


def _turned(command: Command, turns: int) -> Command:
    tile = {"tile": tiles.read(command["tile"]).turned(turns).as_json()} if "tile" in command else {}
    return {**command, "cell": list(rotated(_cell(command), turns)), **tile}


def _cell(command: Command) -> Cell:
    return command["cell"][0], command["cell"][1]


DEMO = DemoGame(SPEC.demo_header(), lambda header, seed: player(seed), HexDragonTabletop)
