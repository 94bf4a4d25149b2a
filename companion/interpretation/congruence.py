"""Whether two commands are the same move: in the same words, or alike but for how the cells are named.

Which card of a honeycomb is (0, 0), and which of its axes is called east, is free. Two moves that one turn and shift of
the whole table takes into each other, leaving in place what lay there before, are one.
"""

from collections.abc import Mapping
from typing import Any

from companion.errors import Refusal
from companion.interpretation.interpreter import Interpreter
from companion.interpretation.lattice import LatticeInterpreter
from companion.referee.session import Session
from companion.rules.engine import Command
from companion.rules.hexgrid import Cell, rotated
from companion.vision.tracking.registration import Edges, turned

Tableau = Mapping[Cell, Edges]


def is_same_move(meaning: Interpreter, session: Session, one: Command, other: Command) -> bool:
    """Whether two commands, either of which may be refused, do the same in this session."""
    if dict(one) == dict(other):
        return True
    try:
        first, _ = session.game.apply(session.state, one)
        second, _ = session.game.apply(session.state, other)
    except Refusal:
        return False
    if first == second:
        return True
    if not isinstance(meaning, LatticeInterpreter):
        return False
    before, a, b = session.game.view(session.state), session.game.view(first), session.game.view(second)
    same = all(a[part] == b[part] for part in ("phase", "turn", "players", "result"))
    return same and is_congruent(meaning.lying(a), meaning.lying(b), meaning.lying(before))


def is_congruent(one: Tableau, other: Tableau, before: Tableau) -> bool:
    """Whether one turn and shift takes one table into the other, and what lay there before into itself."""
    return any(
        _moved(one, turns, shift) == dict(other) and _moved(before, turns, shift) == dict(before)
        for turns in range(6)
        for shift in _shifts(one, other, turns)
    )


def _shifts(one: Tableau, other: Tableau, turns: int) -> set[Cell]:
    """The shifts that bring the first card of one table onto a card of the other."""
    if not one:
        return {(0, 0)}
    q, r = rotated(next(iter(one)), turns)
    return {(to_q - q, to_r - r) for to_q, to_r in other}


def _moved(tableau: Tableau, turns: int, shift: Cell) -> dict[Cell, Any]:
    moved: dict[Cell, Any] = {}
    for cell, edges in tableau.items():
        q, r = rotated(cell, turns)
        moved[q + shift[0], r + shift[1]] = turned(edges, turns)
    return moved
