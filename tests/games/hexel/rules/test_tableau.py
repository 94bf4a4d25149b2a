import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games.hexel.rules import tableau as tableaus
from companion.games.hexel.rules.game import FACE
from companion.games.hexel.rules.tableau import Laid
from companion.rules.hexgrid import DIRECTIONS, neighbour, rotated, turned

cards = st.lists(st.sampled_from(["red", "blue"]), min_size=6, max_size=6).map(tuple)
turns = st.integers(0, 5)


def laid(**words):
    """A tableau from words such as ``at_1_m2="rbbrbb"`` for the cell (1, -2)."""
    cells = {tuple(int(part.replace("m", "-")) for part in name.split("_")[1:]): word for name, word in words.items()}
    return {cell: Laid(tuple(FACE.parse(word))) for cell, word in cells.items()}


def rotated_tableau(tableau, by):
    return {rotated(cell, by): Laid(turned(card.edges, by), card.by) for cell, card in tableau.items()}


near = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
tableaux = st.tuples(cards, st.dictionaries(near, cards, max_size=7)).map(
    lambda middle_and_others: {
        cell: Laid(card) for cell, card in {**middle_and_others[1], (0, 0): middle_and_others[0]}.items()
    }
)


@given(cards, turns, turns)
def test_a_face_is_one_however_the_card_is_turned_or_mirrored(card, first, second):
    mirrored = turned(card, first)[::-1]
    assert tableaus.face(turned(mirrored, second)) == tableaus.face(card)


def test_there_are_thirteen_faces_of_two_symbols_or_one():
    faces = {tableaus.face(tuple("rb"[n >> bit & 1] for bit in range(6))) for n in range(64)}
    assert len(faces) == 13


@given(cards, turns)
def test_a_turned_card_carries_each_symbol_to_its_new_direction(card, by):
    after = turned(card, by)
    assert all(after[(d + by) % 6] == card[d] for d in range(6))


@given(tableaux, turns)
def test_hoxlas_turn_with_the_table(tableau, by):
    here = {(frozenset(corner), symbol) for corner, symbol in tableaus.hoxlas(tableau, (0, 0))}
    there = {(frozenset(corner), symbol) for corner, symbol in tableaus.hoxlas(rotated_tableau(tableau, by), (0, 0))}
    assert there == {(frozenset(rotated(cell, by) for cell in corner), symbol) for corner, symbol in here}


@pytest.mark.parametrize("by", range(6))
def test_a_hoxla_is_found_at_every_corner(by):
    tableau = rotated_tableau(laid(at_0_0="rrbbbb", at_1_0="bbrrbb", at_1_m1="bbbbrr"), by)
    ((corner, symbol),) = tableaus.hoxlas(tableau, (0, 0))
    assert set(corner) == set(tableau)
    assert corner[0] == (0, 0)
    assert symbol == "red"


@pytest.mark.parametrize("without", [(1, 0), (1, -1)])
def test_a_hoxla_takes_three_cards(without):
    tableau = laid(at_0_0="rrbbbb", at_1_0="bbrrbb", at_1_m1="bbbbrr")
    del tableau[without]
    assert tableaus.hoxlas(tableau, (0, 0)) == ()


@given(st.permutations([0, 1, 2]), turns, st.tuples(st.integers(-3, 3), st.integers(-3, 3)))
def test_a_line_is_found_in_any_order_along_any_axis(order, direction, start):
    line = [start]
    while len(line) < 3:
        line.append(neighbour(line[-1], direction))
    given_cells = [line[i] for i in order]
    found = tableaus.in_line(given_cells)
    assert found in (tuple(line), tuple(reversed(line)))
    assert given_cells.index(found[0]) < given_cells.index(found[2])


def test_bent_gapped_short_and_long_rows_are_no_line():
    for cells in ([(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 0), (3, 0)], [(0, 0), (1, 0)], [(0, 0)] * 3, []):
        assert tableaus.in_line(cells) is None
    assert tableaus.in_line([(0, 0), (1, 0), (2, 0), (3, 0)]) is None


def hoxla_can_follow(line, direction):
    """By trial: whether a card of one symbol, beside two neighbours of the line, closes a Hoxla."""
    spots = {neighbour(cell, direction + side) for cell in line for side in (1, -1, 2, -2)} - set(line)
    for spot in spots:
        for symbol in ("red", "blue"):
            tried = {**line, spot: Laid((symbol,) * 6)}
            around = tableaus.touching(line, spot)
            matching = all(facing == symbol for _, facing in around)
            if len(around) == 2 and matching and tableaus.hoxlas(tried, spot):
                return True
    return False


@given(st.lists(cards, min_size=3, max_size=3), turns)
def test_a_line_is_open_exactly_when_one_card_can_make_a_hoxla(three, direction):
    cells = [(0, 0), DIRECTIONS[direction], tuple(2 * part for part in DIRECTIONS[direction])]
    edges = dict(zip(cells, three, strict=True))
    if tableaus.line_clashes(edges, cells):
        return
    line = {cell: Laid(card) for cell, card in edges.items()}
    assert tableaus.is_open_to_hoxla(edges, cells) == hoxla_can_follow(line, direction)


@given(tableaux)
def test_openings_are_the_free_cells_that_touch_a_card(tableau):
    openings = tableaus.openings(tableau)
    assert list(openings) == sorted(openings)
    for q in range(-3, 4):
        for r in range(-3, 4):
            touches = any((q + dq, r + dr) in tableau for dq, dr in DIRECTIONS)
            assert ((q, r) in openings) == (touches and (q, r) not in tableau)


@given(tableaux, cards)
def test_a_card_fits_wherever_nothing_clashes_and_equal_turns_count_once(tableau, card):
    fits = tableaus.fits(tableau, card)
    assert len(set(fits)) == len(fits)
    by_trial = {
        (cell, turned(card, by))
        for cell, around in tableaus.openings(tableau).items()
        for by in range(6)
        if all(turned(card, by)[d] == symbol for d, symbol in around)
    }
    assert set(fits) == by_trial
