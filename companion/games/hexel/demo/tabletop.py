"""The simulated table of Hex'el: which commands of a script are laid by hand, and whose names of cells are meant."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from companion.games.hexel.deck import Face
from companion.games.hexel.demo.directions import Alignment, alignments
from companion.games.hexel.demo.player import player
from companion.games.hexel.demo.things import HexelThings
from companion.games.hexel.spec import SPEC
from companion.rules.engine import Command, Header
from companion.rules.hexgrid import Cell, distance
from companion.simulator import filmed
from companion.simulator.script import Player, Script, commands_agree, outcome
from companion.simulator.tabletop import DemoGame, first_good_player

Faces = dict[Cell, Face]


class HexelTabletop(filmed.FilmedTabletop):
    """A `companion.simulator.tabletop.Tabletop`."""

    def __init__(self, script: Script, seed: int, size: tuple[int, int] = (1280, 720)) -> None:
        """A table with nothing on it yet, filmed so that the whole script fits."""
        self._film_from_script = Alignment()
        every = tuple({cell for command in script.commands for cell in _faces([command])}) or ((0, 0),)
        super().__init__(script, HexelThings(script.header.edition or "36", every), seed, size)

    def lying(self, done: int) -> filmed.Faces:
        """The tableau of the game that is played then."""
        return self._film_from_script.faces(_faces(self._script.commands[:done]))

    def is_laid(self, index: int) -> bool:
        """The line and every placement are laid; chips, passes and the rest are said."""
        return self._script.commands[index]["cmd"] in ("line", "place")

    def mislaid(self, index: int) -> filmed.Faces | None:
        """The card turned by a sixth or more, so that it shows something else."""
        meant = self.lying(index + 1)
        cell, shown = list(meant.items())[-1]
        edges = cast(Face, shown)
        turned = (edges[k:] + edges[:k] for k in range(1, 6))
        other = next((face for face in turned if face != edges), None)
        is_one = self._script.commands[index]["cmd"] == "place"
        return {**meant, cell: other} if other and is_one else None

    def follow(self, script: Script, moves: Sequence[Command]) -> None:
        """Go on with another script; the cards stay where they lie, whatever it calls their cells."""
        agreed = next(k for k in range(len(moves), -1, -1) if self.done(moves[:k]) is not None)
        renamed = next(iter(self._ways(moves[:agreed])), Alignment())
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
        command, way = self._script.commands[index], next(iter(self._ways(moves)), Alignment())
        if command["cmd"] == "line":
            return {**command, "cards": [_renamed(card, way) for card in command["cards"]]}
        return _renamed(command, way) if command["cmd"] == "place" else command

    def _ways(self, moves: Sequence[Command]) -> tuple[Alignment, ...]:
        return alignments(_faces(self._script.commands[: len(moves)]), _faces(moves))


def _faces(commands: Iterable[Command]) -> Faces:
    """What lies on the table after these commands, in the order in which it is laid: a line from its middle."""
    faces: Faces = {}
    for command in commands:
        if command["cmd"] == "next-game":
            faces = {}
        cards = command["cards"] if command["cmd"] == "line" else [command] if command["cmd"] == "place" else []
        faces |= _by_nearness({tuple(card["cell"]): tuple(card["edges"]) for card in cards})
    return faces


def _by_nearness(cards: Mapping[Cell, Face]) -> Faces:
    """Each card beside one before it."""
    order = sorted(cards, key=lambda cell: sum(distance(cell, other) for other in cards))
    return {cell: cards[cell] for cell in order}


def _renamed(card: Command, way: Alignment) -> Command:
    return {**card, "cell": list(way.cell(tuple(card["cell"]))), "edges": list(way.face(tuple(card["edges"])))}


_LEAST_CARDS = 12
"""So many cards lie before anybody closes a Hoxla: long enough to see something, short enough to see the end."""


def _player(header: Header, seed: int) -> Player:
    return first_good_player(lambda number: player(number, least_cards=_LEAST_CARDS), header, seed, _has_hoxla)


def _has_hoxla(script: Script) -> bool:
    result = outcome(script)
    return result is not None and result["by"] == "hoxla"


DEMO = DemoGame(SPEC.demo_header(), _player, HexelTabletop)
