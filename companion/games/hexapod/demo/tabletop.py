"""The simulated table of Hexapod: cards are drawn from the stacks and laid in the cases; coins and words are said."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from companion import games
from companion.errors import Refusal
from companion.games.hexapod import deck as hexapod
from companion.games.hexapod.demo.player import player, stacks
from companion.games.hexapod.spec import SPEC
from companion.printing.shapes import Point, Shape
from companion.rules.engine import Command
from companion.simulator.lying import Care, Pose, spot_near
from companion.simulator.optics import Camera, viewpoint
from companion.simulator.script import Script
from companion.simulator.tabletop import DemoGame, Faces, Tabletop
from companion.simulator.things import Face, Place, Still

CASE = "case"
STACK = "stack"
STACKS = 3
_BETWEEN_MM = 26.0
_STACK_EVERY_MM = 62.0
_RIM_MM = 22.0
_CARE, _CARE_ON_A_STACK = Care(2.0, 2.0), Care(4.0, 5.0)
"""How carefully people lay."""


class HexapodThings:
    """A `companion.simulator.things.Things`.

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


class HexapodTabletop(Tabletop):
    """A `companion.simulator.tabletop.Tabletop`."""

    def __init__(self, script: Script, seed: int, size: tuple[int, int] = (1280, 720)) -> None:
        """Two empty cases and three stacks, dealt from the seed."""
        self._seed, self._players = seed, script.header.players
        self._rules = games.game("hexapod").rules
        case = self._rules.start(script.header).seats[0].case
        self._stacks = stacks(seed, script.header, script.commands)
        self._things = HexapodThings(script.header.players, case.rows, case.cols)
        super().__init__(script, self._things, seed, size)
        self.lay_out(0)

    @property
    def zones(self) -> Mapping[str, Sequence[Point]]:
        """Whose display case lies where."""
        return {name: self._things.field(name) for name in self._players}

    def lying(self, done: int) -> Faces:
        """The stacks, and every card laid in a case, those below included."""
        lying: dict[Any, Face] = {
            (STACK, which, deep): cells
            for which, stack in enumerate(self._stacks[done])
            for deep, cells in enumerate(stack)
        }
        count = Counter[str]()
        for command in self._script.commands[:done]:
            if command["cmd"] == "play":
                name = command["player"]
                place = (name, command["row"], command["col"], count[name])
                lying[place] = tuple(map(tuple, command["card"]["cells"]))
                count[name] += 1
        return lying

    def mislaid(self, index: int) -> Faces | None:
        """The card where the rules will not have it: over dung, or over half a stag or moth."""
        command = self._script.commands[index]
        if command["cmd"] != "play":
            return None
        state = self._rules.start(self._script.header)
        for done in self._script.commands[:index]:
            state, _ = self._rules.apply(state, done)
        places = [place for place in state.mover.case.windows() if self._is_refused(state, command, place)]
        if not places:
            return None
        meant, name = dict(self.lying(index + 1)), command["player"]
        place, card = meant.popitem()
        return meant | {(name, *self._random.choice(places), place[3]): card}

    def _is_refused(self, state: Any, command: Command, place: tuple[int, int]) -> bool:
        try:
            self._rules.apply(state, {**command, "row": place[0], "col": place[1]})
        except Refusal as refusal:
            return refusal.code in ("dung-covered", "half-covered")
        return False

    def is_read_right(self, moves: Sequence[Command], seen: Command) -> bool:
        """Laid over its like a card changes nothing there: at which of several places it lies no camera sees."""
        ours, state = self._script.commands[len(moves)], self._rules.start(self._script.header)
        for move in moves:
            state, _ = self._rules.apply(state, move)
        shown = self._shown(state, seen)
        return seen["cmd"] == "play" == ours["cmd"] and shown is not None and shown == self._shown(state, ours)

    def _shown(self, state: Any, command: Command) -> Any:
        """What the cases show after a command; None where the rules refuse it."""
        try:
            after, _ = self._rules.apply(state, command)
        except Refusal:
            return None
        return {name: player["case"] for name, player in self._rules.view(after)["players"].items()}

    def is_laid(self, index: int) -> bool:
        """Cards are laid and the Spider comes up before the camera; coins, passes and the end of a turn are said."""
        return self._script.commands[index]["cmd"] in ("play", "spider")

    def follow(self, script: Script, moves: Sequence[Command]) -> None:
        """See `Tabletop`."""
        self._stacks = stacks(self._seed, script.header, script.commands)
        super().follow(script, moves)


DEMO = DemoGame(SPEC.demo_header(), lambda header, seed: player(seed), HexapodTabletop)
