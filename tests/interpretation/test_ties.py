"""Two cards that came to rest together: the rules or the table say which was laid first."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from companion.games.hexel.interpretation import interpreter
from companion.games.hexel.rules import game as hexel
from companion.interpretation.lattice import LatticeInterpreter
from companion.rules.engine import Header
from companion.rules.hexgrid import Cell
from companion.vision.results import DetectedCard

SIZE = (640, 480)
HEADER = Header("hexel", ("Ana", "Bo"), "36")
LINE = hexel.legal(hexel.start(HEADER))[0]
BEGINNING: list[dict[str, Any]] = [
    LINE,
    {"cmd": "stake", "player": "Ana", "amount": 1},
    {"cmd": "hedge", "player": "Ana", "amount": 1},
    {"cmd": "hedge", "player": "Bo", "amount": 1},
]
WEST, SOUTH = (-2, 0), (0, -1)
"""Beside the line's first card and below its second; a blue card may lie on both, a void one on neither."""


def card(cell: Cell, edges: tuple[str, ...]) -> DetectedCard:
    corners = np.full((6, 2), 100.0 + 10 * cell[0], np.float32)
    return DetectedCard(cell, edges, corners, 0.9, 0.95, np.zeros((6, 4), np.float32))


class Table:
    """A game of Hex'el and what the camera saw of it."""

    def __init__(self) -> None:
        self.state = hexel.start(HEADER)
        for command in BEGINNING:
            self.do(command)
        self.command: Any = None
        self.interpreter: LatticeInterpreter = interpreter()
        self.cards = [card((*one["cell"],), tuple(one["edges"])) for one in LINE["cards"]]

    @property
    def session(self) -> Any:
        return SimpleNamespace(game=hexel, state=self.state, amendments=())

    def do(self, command: Any) -> None:
        self.state, _ = hexel.apply(self.state, command)

    def lay(self, cell: Cell, *, is_tied: bool = False, name: str = "blue") -> None:
        self.cards.append(card(cell, (name,) * 6))
        tie = {"tied": True} if is_tied else {}
        self.interpreter.note_change({"event": "placed", "cell": list(cell), **tie})

    def asked(self) -> tuple[list[int] | None, bool]:
        """The cell that the proposed card lies on, and whether it is asked which came first."""
        tracker: Any = SimpleNamespace(cards=tuple(self.cards), active_notices={}, is_quiet=True)
        interpretation = self.interpreter.interpret(tracker, self.session, SIZE)
        self.command = interpretation.command
        cell = None if self.command is None else self.command["cell"]
        return cell, "which-first" in interpretation.notices

    def reject(self) -> None:
        self.interpreter.note_rejection(self.command, self.session)


@pytest.fixture
def table() -> Table:
    return Table()


def test_cards_laid_one_after_the_other_are_proposed_in_their_order_without_a_question(table: Table) -> None:
    table.lay(SOUTH)
    table.lay(WEST)
    assert table.asked() == (list(SOUTH), False)


def test_of_two_that_came_together_the_first_is_proposed_and_asked_for(table: Table) -> None:
    table.lay(SOUTH)
    table.lay(WEST, is_tied=True)
    assert table.asked() == (list(SOUTH), True)
    table.do(table.command)
    assert table.asked() == (list(WEST), False)


def test_the_first_rejected_comes_after_the_other_once(table: Table) -> None:
    table.lay(SOUTH)
    table.lay(WEST, is_tied=True)
    table.asked()
    table.reject()
    assert table.asked() == (list(WEST), False)
    table.do(table.command)
    assert table.asked() == (list(SOUTH), False)
    table.reject()
    assert table.asked() == (None, False)


def test_where_the_rules_allow_only_one_of_them_it_comes_first_and_nothing_is_asked(table: Table) -> None:
    table.lay(WEST, name="void")
    table.lay(SOUTH, is_tied=True)
    assert table.asked() == (list(SOUTH), False)


def test_a_tie_ends_when_one_of_the_two_is_taken_away(table: Table) -> None:
    table.lay(SOUTH)
    table.lay(WEST, is_tied=True)
    table.interpreter.note_change({"event": "removed", "cell": list(WEST)})
    table.cards.pop()
    table.lay(WEST)
    assert table.asked() == (list(SOUTH), False)
