from hypothesis import given
from hypothesis import strategies as st

from companion.rules.hexgrid import LatticeMap, maps_between

cells = st.tuples(st.integers(-4, 4), st.integers(-4, 4))
faces = st.lists(st.sampled_from(["red", "blue"]), min_size=6, max_size=6).map(tuple)
ways = st.builds(LatticeMap, st.integers(0, 5), cells)
tableaus = st.dictionaries(cells, faces, min_size=1, max_size=6)


@given(ways, tableaus)
def test_the_way_between_two_names_of_one_table_is_found(way, tableau):
    assert way in maps_between(tableau, way.table(tableau))


@given(ways, tableaus)
def test_the_way_back_leads_back(way, tableau):
    assert way.inverse().table(way.table(tableau)) == tableau


@given(ways, ways, tableaus)
def test_two_ways_one_after_the_other_are_one(first, second, tableau):
    assert second.after(first).table(tableau) == second.table(first.table(tableau))


def test_a_mirror_image_is_another_table():
    spiral = {(0, 0): ("red", "red", "blue", "red", "blue", "blue"), (1, 0): ("red",) * 6, (1, -1): ("blue",) * 6}
    mirrored = {(q + r, -r): tuple(face[-d % 6] for d in range(6)) for (q, r), face in spiral.items()}
    assert maps_between(spiral, mirrored) == ()
    assert len(maps_between(spiral, spiral)) == 1


def test_an_empty_table_is_another_empty_one_and_no_other():
    assert maps_between({}, {}) == (LatticeMap(),)
    assert maps_between({}, {(0, 0): ("red",) * 6}) == ()
