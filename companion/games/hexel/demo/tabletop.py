"""The simulated table of Hex'el: which commands of a script are laid by hand, and whose names of cells are meant."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import numpy as np

from companion.games.hexel.deck import APOTHEM_MM, SIDE_MM, back_shapes, face_shapes, outline
from companion.games.hexel.deck import Face as Symbols
from companion.games.hexel.demo.player import player
from companion.games.hexel.spec import SPEC
from companion.printing.shapes import Point, Shape
from companion.rules.engine import Command, Header
from companion.rules.hexgrid import Cell, LatticeMap, distance, maps_between, neighbour, opposite
from companion.simulator.lying import Care, Pose, pushed_off
from companion.simulator.optics import RIM_MM, Camera, deck_place, viewpoint
from companion.simulator.script import Player, Script, commands_agree, outcome
from companion.simulator.tabletop import DemoGame, Tabletop, first_good_player
from companion.simulator.tabletop import Faces as Lying
from companion.simulator.things import Face, Place, Still

_DECK_CARDS = 18
Faces = dict[Cell, Symbols]
_LEAST_CARDS = 12
"""So many cards lie before anybody closes a Hoxla: long enough to see something, short enough to see the end."""


class HexelThings:
    """A `companion.simulator.things.Things`: places are cells, faces six symbols, or None for a card's back."""

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
        """See `spot`."""
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


class HexelTabletop(Tabletop):
    """A `companion.simulator.tabletop.Tabletop`."""

    def __init__(self, script: Script, seed: int, size: tuple[int, int] = (1280, 720)) -> None:
        """A table with nothing on it yet, filmed so that the whole script fits."""
        self._film_from_script = LatticeMap()
        every = tuple({cell for command in script.commands for cell in _faces([command])}) or ((0, 0),)
        super().__init__(script, HexelThings(script.header.edition or "36", every), seed, size)

    def lying(self, done: int) -> Lying:
        """The tableau of the game that is played then."""
        return self._film_from_script.table(_faces(self._script.commands[:done]))

    def is_laid(self, index: int) -> bool:
        """The line and every placement are laid; chips, passes and the rest are said."""
        return self._script.commands[index]["cmd"] in ("line", "place")

    def mislaid(self, index: int) -> Lying | None:
        """The card turned by a sixth or more, so that it shows something else."""
        meant = self.lying(index + 1)
        cell, shown = list(meant.items())[-1]
        edges = cast(Symbols, shown)
        turned = (edges[k:] + edges[:k] for k in range(1, 6))
        other = next((face for face in turned if face != edges), None)
        is_one = self._script.commands[index]["cmd"] == "place"
        return {**meant, cell: other} if other and is_one else None

    def follow(self, script: Script, moves: Sequence[Command]) -> None:
        """Go on with another script; the cards stay where they lie, whatever it calls their cells."""
        agreed = next(k for k in range(len(moves), -1, -1) if self.done(moves[:k]) is not None)
        renamed = next(iter(self._ways(moves[:agreed])), LatticeMap())
        self._film_from_script = self._film_from_script.after(renamed.inverse())
        self._script = script

    def done(self, moves: Sequence[Command]) -> int | None:
        """How many of the script's commands these moves are, whatever the camera calls its cells."""
        ours = self._script.commands[: len(moves)]
        same = len(ours) == len(moves) and all(map(commands_agree, ours, moves))
        if not same or (_faces(moves) and not self._ways(moves)):
            return None
        return len(moves)

    def command_for(self, moves: Sequence[Command], index: int) -> Command:
        """The script's command with the cells and edges as the session names them."""
        command, way = self._script.commands[index], next(iter(self._ways(moves)), LatticeMap())
        if command["cmd"] == "line":
            return {**command, "cards": [_renamed(card, way) for card in command["cards"]]}
        return _renamed(command, way) if command["cmd"] == "place" else command

    def _ways(self, moves: Sequence[Command]) -> tuple[LatticeMap, ...]:
        return maps_between(_faces(self._script.commands[: len(moves)]), _faces(moves))


def _faces(commands: Iterable[Command]) -> Faces:
    """What lies on the table after these commands, in the order in which it is laid: a line from its middle."""
    faces: Faces = {}
    for command in commands:
        if command["cmd"] == "next-game":
            faces = {}
        cards = command["cards"] if command["cmd"] == "line" else [command] if command["cmd"] == "place" else []
        faces |= _by_nearness({tuple(card["cell"]): tuple(card["edges"]) for card in cards})
    return faces


def _by_nearness(cards: Mapping[Cell, Symbols]) -> Faces:
    """Each card beside one before it."""
    order = sorted(cards, key=lambda cell: sum(distance(cell, other) for other in cards))
    return {cell: cards[cell] for cell in order}


def _renamed(card: Command, way: LatticeMap) -> Command:
    return {**card, "cell": list(way.cell(tuple(card["cell"]))), "edges": list(way.edges(tuple(card["edges"])))}


def _player(header: Header, seed: int) -> Player:
    return first_good_player(lambda number: player(number, least_cards=_LEAST_CARDS), header, seed, _has_hoxla)


def _has_hoxla(script: Script) -> bool:
    result = outcome(script)
    return result is not None and result["by"] == "hoxla"


DEMO = DemoGame(SPEC.demo_header(), _player, HexelTabletop)
