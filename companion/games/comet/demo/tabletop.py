"""The simulated table of Comet: sets are laid face down, turned up one after the other, and cleared away."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from companion import games
from companion.games.comet import deck as comet
from companion.games.comet.demo.player import player
from companion.games.comet.rules.scoring import face, is_triple
from companion.games.comet.rules.state import TAIL
from companion.games.comet.spec import SPEC
from companion.printing.shapes import Point, Polygon, Shape, moved
from companion.rules.engine import Command, Header
from companion.simulator.lying import Care, Pose, spot_near
from companion.simulator.optics import Camera, viewpoint
from companion.simulator.script import Player, Script, commands_agree
from companion.simulator.tabletop import DemoGame, Faces, Tabletop, first_good_player
from companion.simulator.things import Face, Place, Still

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
_TAIL_SETS = 2
"""So many sets against the Tail a player has room for."""
_COMMANDS = (28, 60)
"""Games of fewer commands show too little, of more too much."""


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
    """A `companion.simulator.things.Things`.

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


class CometTabletop(Tabletop):
    """A `companion.simulator.tabletop.Tabletop`.

    Everyone lays all sets of a round face down before the first is turned up; a set is told when its cards can be
    read. The pots are cleared for the next round.
    """

    def __init__(self, script: Script, seed: int, size: tuple[int, int] = (1600, 900)) -> None:
        """Seven mats, with room for what the script lays."""
        house = games.game("comet").rules.start(script.header).house
        most = Counter({(0, pot): 1 for pot in (*house.pots, TAIL)}) | _sets_against(script.commands)
        sets = max(count for (_, pot), count in most.items() if pot != TAIL)
        tail = max(count for (_, pot), count in most.items() if pot == TAIL)
        self._things = CometThings(house.pots, max(sets, len(script.header.players)), tail)
        self._pots = (*house.pots, TAIL)
        super().__init__(script, self._things, seed, size)

    @property
    def zones(self) -> Mapping[str, Sequence[Point]]:
        """The corners of every pot's mat on the table, in mm."""
        return {pot: self._things.zone(pot) for pot in self._pots}

    def lying(self, done: int) -> Faces:
        """The sets of the round that was begun last: those told so far face up, the others face down."""
        commands, players = self._script.commands, self._script.header.players
        begun = max((k for k in range(done) if commands[k]["cmd"] == "round"), default=None)
        if begun is None:
            return {}
        end = next((k for k in range(begun + 1, len(commands)) if commands[k]["cmd"] == "round"), len(commands))
        laid: dict[tuple[str, int], LaidCards] = {}
        count = Counter[str]()
        for k in range(begun + 1, end):
            if commands[k]["cmd"] == "set":
                pot, seat = commands[k]["pot"], players.index(commands[k]["player"])
                cards = tuple(face(card) for card in commands[k]["cards"])
                laid[pot, count[pot]] = LaidCards(cards, seat, k < done)
                count[pot] += 1
        return laid

    def laid_after(self, index: int) -> Faces:
        """Before a round the pots are cleared: the new sets are laid once it has begun."""
        return {} if self._script.commands[index]["cmd"] == "round" else super().laid_after(index)

    def mislaid(self, index: int) -> Faces | None:
        """One card of the set alone, which is no set unless it is a triple."""
        for place in self._changed_places(index):
            laid = cast(LaidCards, self.laid_after(index)[place])
            if self._script.commands[index]["cmd"] == "set" and not is_triple(laid.cards[0]):
                return {**self.laid_after(index), place: replace(laid, cards=laid.cards[:1])}
        return None

    def mistaken(self, index: int) -> Command | None:
        """The set against another pot."""
        command = self._script.commands[index]
        if command["cmd"] != "set" or command["pot"] == TAIL:
            return None
        begun = max(k for k in range(index) if self._script.commands[k]["cmd"] == "round")
        taken = {
            one["pot"]
            for one in self._script.commands[begun:index]
            if one.get("player") == command["player"] and "pot" in one
        }
        other = next((pot for pot in self._pots if pot not in {*taken, command["pot"], TAIL}), None)
        return None if other is None else {**command, "pot": other}

    def is_laid(self, index: int) -> bool:
        """A set is turned up, and a round begins with the pots being cleared; the rest is said."""
        name = self._script.commands[index]["cmd"]
        return name == "set" or (name == "round" and bool(self.lying(index)))

    def is_turned_over(self, was: Face, shows: Face) -> bool:
        """The same cards, their other sides."""
        return isinstance(was, LaidCards) and isinstance(shows, LaidCards) and was.cards == shows.cards

    def agree(self, ours: Command, theirs: Command) -> bool:
        """A set's cards count in any order, a round without a word on the Tail is none of the Tail."""
        if ours["cmd"] == "set":
            return commands_agree(ours, theirs, ("cmd", "player", "pot")) and _cards(ours) == _cards(theirs)
        is_same_tail = bool(ours.get("tail")) == bool(theirs.get("tail"))
        return commands_agree(ours, theirs, ("cmd", "player")) and is_same_tail

    def is_read_right(self, moves: Sequence[Command], seen: Command) -> bool:
        """Whose a set is, and whether the Tail is called, no camera sees."""
        ours = self._script.commands[len(moves)]
        if ours["cmd"] == "set":
            return commands_agree(ours, seen, ("cmd", "pot")) and _cards(ours) == _cards(seen)
        return bool(ours["cmd"] == "round" == seen["cmd"])

    def seat_of(self, face: Face) -> int:
        """Everyone lays and clears their own sets."""
        return cast(LaidCards, face).seat % self._seats


def _sets_against(commands: Sequence[Command]) -> Counter[tuple[int, str]]:
    """How many sets lie against each pot, by round."""
    number, count = 0, Counter[tuple[int, str]]()
    for command in commands:
        number += command["cmd"] == "round"
        if command["cmd"] == "set":
            count[number, command["pot"]] += 1
    return count


def _cards(command: Command) -> Counter[tuple[int, ...]]:
    return Counter(tuple(sorted(card)) for card in command["cards"])


def _player(header: Header, seed: int) -> Player:
    return first_good_player(lambda number: player(number, tail_sets=_TAIL_SETS), header, seed, _has_tail)


def _has_tail(script: Script) -> bool:
    """The Tail was called and won, after some rounds and before too many."""
    calls = sum(bool(command.get("tail")) for command in script.commands)
    return calls > 0 and _COMMANDS[0] <= len(script.commands) <= _COMMANDS[1]


DEMO = DemoGame(SPEC.demo_header(), _player, CometTabletop)
