from collections import Counter
from itertools import combinations

import pytest

from companion.games.hexel.deck import APOTHEM_MM, FACES, SIDE_MM, SYMBOLS, back_shapes, face_shapes, outline
from companion.printing.shapes import Disc, Polygon, Ring, bounds
from companion.rules.hexgrid import turned


def turns(face):
    return {turned(face, t) for t in range(6)}


def turns_and_mirrors(face):
    return turns(face) | turns(face[::-1])


def test_the_decks_hold_36_and_46_cards():
    assert {edition: len(faces) for edition, faces in FACES.items()} == {"36": 36, "46": 46}


@pytest.mark.parametrize("edition", ["36", "46"])
def test_there_is_one_card_of_each_single_symbol(edition):
    singles = [set(face) for face in FACES[edition] if len(set(face)) == 1]
    assert singles == [{symbol} for symbol in SYMBOLS[edition]]


@pytest.mark.parametrize("edition", ["36", "46"])
def test_no_card_carries_three_symbols(edition):
    assert all(len(face) == 6 and len(set(face)) <= 2 and set(face) <= set(SYMBOLS[edition]) for face in FACES[edition])


def test_no_two_cards_of_36_are_the_same_under_turning_or_mirroring():
    assert all(a not in turns_and_mirrors(b) for a, b in combinations(FACES["36"], 2))


def test_36_has_eleven_cards_of_each_pair_of_symbols():
    pairs = Counter(frozenset(face) for face in FACES["36"] if len(set(face)) == 2)
    assert sorted(pairs.values()) == [11, 11, 11]


def test_46_has_39_different_cards_and_seven_of_them_twice():
    copies = Counter(min(turns(face)) for face in FACES["46"])
    assert len(copies) == 39
    assert sorted(copies.values())[-8:] == [1, 2, 2, 2, 2, 2, 2, 2]
    assert all(len(set(face)) == 2 for face, count in copies.items() if count == 2)


def test_a_symbol_stands_where_its_direction_points():
    shapes = face_shapes(("red", "blue", "void", "blue", "blue", "blue"), "36")
    east, north_east, north_west = shapes[1:4]
    assert isinstance(east, Disc) and east.centre == pytest.approx((0.76 * APOTHEM_MM, 0))
    assert isinstance(north_east, Disc) and north_east.centre[0] > 0 > north_east.centre[1]
    assert isinstance(north_west, Ring) and north_west.centre[0] < 0 and north_west.centre[1] < 0


def test_the_void_ring_is_twelve_millimetres_across():
    ring = face_shapes(("void",) * 6, "36")[1]
    assert bounds((ring,)).width_mm == pytest.approx(12)


def test_a_yellow_triangle_points_to_the_middle():
    triangle = face_shapes(("yellow",) * 6, "46")[1]
    assert isinstance(triangle, Polygon) and len(triangle.points) == 3
    xs = sorted(x for x, _ in triangle.points)
    assert xs[1] == pytest.approx(xs[2]) and xs[0] < xs[1]


def test_blue_is_a_diamond_in_46():
    diamond = face_shapes(("blue",) * 6, "46")[1]
    assert isinstance(diamond, Polygon) and bounds((diamond,)).width_mm == pytest.approx(12)


@pytest.mark.parametrize("shapes", [face_shapes(("red",) * 6, "36"), back_shapes()])
def test_nothing_is_printed_beyond_the_cut(shapes):
    box = bounds(shapes)
    assert box.right_mm <= APOTHEM_MM + 0.1 and box.bottom_mm <= SIDE_MM + 0.1


def test_the_outline_has_a_corner_at_the_top():
    assert min(y for _, y in outline()) == pytest.approx(-SIDE_MM)
