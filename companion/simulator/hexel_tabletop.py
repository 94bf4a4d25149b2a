"""The simulated table of Hex'el: which commands of a script are laid by hand, and whose names of cells are meant."""

import random
from collections.abc import Iterable, Sequence

from companion.decks.hexel import Face
from companion.rules.engine import Command
from companion.rules.hexgrid import Cell, distance
from companion.simulator.directions import Alignment, alignments
from companion.simulator.film import Film, Frame, Setting
from companion.simulator.script import Script, commands_agree

Faces = dict[Cell, Face]


class HexelTabletop:
    """A `companion.simulator.tabletop.Tabletop`."""

    def __init__(self, script: Script, seed: int, size: tuple[int, int] = (1280, 720)) -> None:
        """A table with nothing on it yet, filmed so that the whole script fits."""
        self._script = script
        self._players = script.header.players
        self._random = random.Random(seed)
        self._film_from_script = Alignment()
        every = tuple({cell for command in script.commands for cell in _faces([command])}) or ((0, 0),)
        setting = Setting(script.header.edition or "36", every, len(self._players), seed, size)
        self._seats = setting.seats
        self._film = Film(setting)

    @property
    def is_busy(self) -> bool:
        """Whether a hand is about, or about to come."""
        return self._film.is_busy

    def next(self, step_s: float) -> Frame:
        """The next picture."""
        return self._film.next(step_s)

    def lay_out(self, done: int) -> None:
        """Let the table lie at once as it lies after ``done`` commands of the script."""
        self._film.lay_out(self._on_film(self._script.commands[:done]))

    def follow(self, script: Script, moves: Sequence[Command]) -> None:
        """Go on with another script; the cards stay where they lie, whatever it calls their cells."""
        agreed = next(k for k in range(len(moves), -1, -1) if self.done(moves[:k]) is not None)
        renamed = next(iter(self._ways(moves[:agreed])), Alignment())
        self._film_from_script = self._film_from_script.after(renamed.inverse())
        self._script, self._players = script, script.header.players

    def is_laid(self, command: Command) -> bool:
        """The line and every placement are laid; chips, passes and the rest are said."""
        return command["cmd"] in ("line", "place")

    def perform(self, index: int) -> None:
        """Lay the command's cards, those of the line one after the other."""
        for cell, face in self._laid_by(index).items():
            if not self._film.has(cell):
                self._film.lay(cell, face, self._seat(index))

    def nudge(self, index: int) -> None:
        """Push the command's last card straight."""
        lying = [cell for cell in self._laid_by(index) if self._film.has(cell)]
        if lying:
            self._film.nudge(lying[-1], self._seat(index))

    def take_back(self, index: int) -> None:
        """Take the command's cards away."""
        for cell in reversed(self._laid_by(index)):
            if self._film.has(cell):
                self._film.lift(cell, self._seat(index))

    def fidget(self) -> None:
        """Hover over some place of the tableau."""
        cells = list(self._film.lying) or [(0, 0)]
        self._film.hover(self._random.choice(cells), self._random.randrange(self._seats))

    def tidy(self, done: int) -> bool:
        """Take away one card that the session does not know, or lay one that it does."""
        wanted, lying = self._on_film(self._script.commands[:done]), self._film.lying
        surplus = [cell for cell in lying if wanted.get(cell) != lying[cell]]
        missing = [cell for cell in wanted if cell not in lying]
        if surplus:
            self._film.lift(surplus[-1], 0)
        elif missing:
            self._film.lay(missing[0], wanted[missing[0]], 0)
        return bool(surplus or missing)

    def done(self, moves: Sequence[Command]) -> int | None:
        """How many of the script's commands these moves are, whatever the camera calls its cells."""
        ours = self._script.commands[: len(moves)]
        same = len(ours) == len(moves) and all(map(commands_agree, ours, moves))
        if not same or (_faces(moves) and not self._ways(moves)):
            return None
        return len(moves)

    def is_next(self, moves: Sequence[Command], seen: Command) -> bool:
        """Whether the camera saw what the script lays next."""
        return self.done([*moves, seen]) == len(moves) + 1

    def told(self, moves: Sequence[Command], index: int) -> Command:
        """The script's command with the cells and edges as the session names them."""
        command, way = self._script.commands[index], next(iter(self._ways(moves)), Alignment())
        if command["cmd"] == "line":
            return {**command, "cards": [_renamed(card, way) for card in command["cards"]]}
        return _renamed(command, way) if command["cmd"] == "place" else command

    def _ways(self, moves: Sequence[Command]) -> tuple[Alignment, ...]:
        return alignments(_faces(self._script.commands[: len(moves)]), _faces(moves))

    def _laid_by(self, index: int) -> Faces:
        return self._on_film([self._script.commands[index]])

    def _on_film(self, commands: Sequence[Command]) -> Faces:
        return self._film_from_script.faces(_faces(commands))

    def _seat(self, index: int) -> int:
        player = self._script.commands[index].get("player")
        seat = self._players.index(player) if player in self._players else 0
        return seat % self._seats


def _faces(commands: Iterable[Command]) -> Faces:
    """What lies on the table after these commands, in the order in which it is laid: a line from its middle."""
    faces: Faces = {}
    for command in commands:
        if command["cmd"] == "next-game":
            faces = {}
        cards = command["cards"] if command["cmd"] == "line" else [command] if command["cmd"] == "place" else []
        faces |= _by_nearness({tuple(card["cell"]): tuple(card["edges"]) for card in cards})
    return faces


def _by_nearness(cards: Faces) -> Faces:
    """Each card beside one before it."""
    order = sorted(cards, key=lambda cell: sum(distance(cell, other) for other in cards))
    return {cell: cards[cell] for cell in order}


def _renamed(card: Command, way: Alignment) -> Command:
    return {**card, "cell": list(way.cell(tuple(card["cell"]))), "edges": list(way.face(tuple(card["edges"])))}
