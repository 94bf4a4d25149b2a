"""The simulated table of Hexapod: cards are drawn from the stacks and laid in the cases; coins and words are said."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from companion import games
from companion.errors import Refusal
from companion.games.hexapod.demo.player import player, stacks
from companion.games.hexapod.demo.things import STACK, HexapodThings
from companion.games.hexapod.spec import SPEC
from companion.printing.shapes import Point
from companion.rules.engine import Command
from companion.simulator import filmed
from companion.simulator.script import Script
from companion.simulator.tabletop import DemoGame, Face


class HexapodTabletop(filmed.FilmedTabletop):
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

    def lying(self, done: int) -> filmed.Faces:
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

    def mislaid(self, index: int) -> filmed.Faces | None:
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
