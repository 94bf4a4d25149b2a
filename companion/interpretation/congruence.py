"""Whether two commands are the same move, up to a symmetry of the lattice.

The origin and the east axis of a lattice are arbitrary. Two moves are the same when one rotation and shift of the whole
table maps one onto the other and leaves the cards before the move in place.
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


def is_same_move(interpreter: Interpreter, session: Session, one: Command, other: Command) -> bool:
    """Whether two commands have the same effect in this session; a refused one equals only itself."""
    if dict(one) == dict(other):
        return True
    try:
        first, _ = session.game.apply(session.state, one)
        second, _ = session.game.apply(session.state, other)
    except Refusal:
        return False
    if first == second:
        return True
    if not isinstance(interpreter, LatticeInterpreter):
        return False
    before, a, b = session.game.view(session.state), session.game.view(first), session.game.view(second)
    is_alike = all(a[part] == b[part] for part in ("phase", "turn", "players", "result"))
    return is_alike and is_congruent(interpreter.tableau(a), interpreter.tableau(b), interpreter.tableau(before))


def is_congruent(one: Tableau, other: Tableau, before: Tableau) -> bool:
    """Whether one rotation and shift maps one table onto the other, and the table before the move onto itself."""
    return any(
        _transform(one, turns, shift) == dict(other) and _transform(before, turns, shift) == dict(before)
        for turns in range(6)
        for shift in _shifts(one, other, turns)
    )


def _shifts(one: Tableau, other: Tableau, turns: int) -> set[Cell]:
    """The shifts that map the first card of one table onto a card of the other."""
    if not one:
        return {(0, 0)}
    q, r = rotated(next(iter(one)), turns)
    return {(to_q - q, to_r - r) for to_q, to_r in other}


def _transform(tableau: Tableau, turns: int, shift: Cell) -> dict[Cell, Any]:
    transformed: dict[Cell, Any] = {}
    for cell, edges in tableau.items():
        q, r = rotated(cell, turns)
        transformed[q + shift[0], r + shift[1]] = turned(edges, turns)
    return transformed
