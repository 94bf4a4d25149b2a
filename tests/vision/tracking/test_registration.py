"""A reading's lattice is brought onto the known one whatever card it calls (0, 0) and whichever way it calls east."""

from hypothesis import given
from hypothesis import strategies as st

from companion.rules.hexgrid import Cell, rotated, turned
from companion.vision.tracking.layouts import Edges, register

CELLS = [(0, 0), (1, 0), (2, 0), (0, 1), (1, -1), (2, 1), (3, -1)]
FACES = [
    ("red", "blue", "blue", "red", "blue", "red"),
    ("void", "void", "red", "red", "red", "void"),
    ("red", "red", "red", "red", "red", "red"),
    ("blue", "void", "blue", "blue", "blue", "blue"),
    ("void", "red", "void", "red", "void", "void"),
    ("blue", "blue", "red", "red", "blue", "red"),
    ("void", "blue", "void", "void", "blue", "void"),
]
TABLEAU = dict(zip(CELLS, FACES, strict=True))


@given(st.integers(0, 5), st.tuples(st.integers(-9, 9), st.integers(-9, 9)))
def test_any_turn_and_shift_is_undone(turns: int, shift: Cell) -> None:
    seen: dict[Cell, Edges] = {}
    for cell, face in TABLEAU.items():
        q, r = rotated(cell, turns)
        seen[q + shift[0], r + shift[1]] = turned(face, turns)
    found = register(TABLEAU, seen)
    assert found is not None
    assert {found.cell(c): found.edges(e) for c, e in seen.items()} == TABLEAU
    assert (found.agreeing, found.clashing) == (len(TABLEAU), 0)


def test_a_wrongly_read_card_and_an_unread_one_do_not_lead_astray() -> None:
    seen: dict[Cell, Edges] = dict(TABLEAU)
    seen[0, 0] = ("void",) * 6
    seen[1, 0] = (None,) * 6
    found = register(TABLEAU, seen)
    assert found is not None
    assert (found.turns, found.shift, found.clashing) == (0, (0, 0), 1)


def test_a_table_with_other_cards_is_not_brought_onto_this_one() -> None:
    other = {(0, 0): ("yellow",) * 6, (1, 0): ("yellow", "blue") * 3}
    assert register(TABLEAU, other) is None
