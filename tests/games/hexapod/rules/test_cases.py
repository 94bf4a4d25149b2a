"""Cards, what they cover in a case, and what a case scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games.hexapod.rules.cases import KINDS, Case, Insect, card_cells, read_card

LETTERS = {"b": "blue", "g": "green", "o": "gold", "d": "dung", "l": "leaf", "s": "stag", "m": "moth", ".": None}
EMPTY = Case(5, 5, {})


def kinds(text):
    """Rows of kinds, written as letters with a gap between rows."""
    return [[LETTERS[letter] for letter in row] for row in text.split()]


def card(text):
    return read_card(kinds(text))


def case(text):
    """A case with nothing but insects laid as single cells, and stags and moths as the nearest two cells."""
    rows = kinds(text)
    lying = {}
    for row, line in enumerate(rows):
        for col, kind in enumerate(line):
            second = {"stag": (row + 1, col), "moth": (row, col + 1)}.get(kind)
            if kind is not None and (row, col) not in lying:
                cells = ((row, col), second) if second else ((row, col),)
                lying |= dict.fromkeys(cells, Insect(kind, cells))
    return Case(len(rows), len(rows[0]), lying)


def points(text):
    return {kind: worth for kind, worth in case(text).score().items() if worth}


# ---- cards


def test_a_card_of_single_insects_is_four_insects():
    assert card("bg od") == (
        Insect("blue", ((0, 0),)),
        Insect("green", ((0, 1),)),
        Insect("gold", ((1, 0),)),
        Insect("dung", ((1, 1),)),
    )


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("sb sl", [((0, 0), (1, 0))]),
        ("bs ls", [((0, 1), (1, 1))]),
        ("ss ss", [((0, 0), (1, 0)), ((0, 1), (1, 1))]),
        ("mm bl", [((0, 0), (0, 1))]),
        ("bl mm", [((1, 0), (1, 1))]),
        ("mm mm", [((0, 0), (0, 1)), ((1, 0), (1, 1))]),
    ],
)
def test_a_stag_is_tall_and_a_moth_is_wide(text, cells):
    assert [one.cells for one in card(text) if one.kind in ("stag", "moth")] == cells


@pytest.mark.parametrize(
    "text", ["sb ls", "ss bl", "ss sb", "bs lb", "mb ml", "mb lm", "mm ml", "bm bb", "sm sm", "ms bs", "b. bb", ".. .."]
)
def test_half_a_stag_or_moth_or_a_hole_is_no_card(text):
    assert card(text) is None


@pytest.mark.parametrize("kind", ["spider", "bee", "", None, 3, True, [], {}, ["blue"]])
def test_an_unknown_kind_is_no_card(kind):
    assert read_card([["blue", "blue"], ["blue", kind]]) is None


@given(st.lists(st.sampled_from(KINDS), min_size=4, max_size=4))
def test_a_card_shows_the_kinds_that_it_was_read_from(four):
    cells = [four[:2], four[2:]]
    found = read_card(cells)
    assert found is None or card_cells(found) == cells


# ---- what is covered


def test_a_card_lies_inside_the_case_or_not():
    small = Case(3, 4, {})
    inside = {(row, col) for row in range(-3, 6) for col in range(-3, 6) if small.holds((row, col))}
    assert inside == {(row, col) for row in range(2) for col in range(3)} == set(small.windows())
    assert Case(1, 5, {}).windows() == Case(5, 1, {}).windows() == ()


def test_single_insects_match_where_they_lie_on_their_like():
    lying = EMPTY.with_card((0, 0), card("bg lb"))
    assert lying.covered((0, 0), card("bg bb")) == ("blue", "green")
    assert lying.covered((0, 0), card("gb bl")) == ()
    assert lying.covered((1, 1), card("bb bb")) == ("blue",)
    assert lying.covered((3, 3), card("bb bb")) == ()


def test_a_stag_or_moth_matches_only_exactly_on_its_like():
    stags = EMPTY.with_card((0, 0), card("ss ss"))
    assert stags.covered((0, 0), card("sb sl")) == ("stag",)
    assert stags.covered((0, 1), card("sb sl")) == ("stag",)
    assert stags.covered((1, 0), card("sb sl")) == ()
    moths = EMPTY.with_card((0, 0), card("mm mm"))
    assert moths.covered((1, 0), card("mm bb")) == ("moth",)
    assert moths.covered((0, 1), card("mm bb")) == ()


def test_halves_of_two_stags_are_no_stag_to_match():
    lying = EMPTY.with_card((0, 0), card("ss ss")).with_card((2, 0), card("ss ss"))
    assert lying.covered((1, 0), card("sb sl")) == ()
    assert lying.half_covered((1, 0)) == Insect("stag", ((0, 0), (1, 0)))


def test_dung_covered_names_every_dung_cell_under_something_else():
    lying = EMPTY.with_card((1, 1), card("db dd"))
    assert lying.dung_covered((1, 1), card("db dd")) == ()
    assert lying.dung_covered((1, 1), card("dd bd")) == ((2, 1),)
    assert lying.dung_covered((1, 1), card("mm mm")) == ((1, 1), (2, 1), (2, 2))
    assert lying.dung_covered((0, 0), card("bb bb")) == ((1, 1),)


def test_an_insect_over_two_cells_is_covered_whole_or_not_at_all():
    lying = EMPTY.with_card((1, 1), card("ss ss"))
    assert lying.half_covered((0, 1)) == Insect("stag", ((1, 1), (2, 1)))
    assert lying.half_covered((2, 2)) == Insect("stag", ((1, 2), (2, 2)))
    assert lying.half_covered((1, 1)) is lying.half_covered((1, 2)) is lying.half_covered((1, 0)) is None
    wide = EMPTY.with_card((1, 1), card("mm bb"))
    assert wide.half_covered((0, 0)) == Insect("moth", ((1, 1), (1, 2)))
    assert wide.half_covered((0, 1)) is wide.half_covered((2, 2)) is None


def test_a_covered_insect_is_gone_and_the_others_stay():
    lying = EMPTY.with_card((0, 0), card("sb sl")).with_card((0, 0), card("gg gg"))
    assert lying.as_json()[0] == ["green", "green", None, None, None]
    assert {one.kind for one in lying.insects()} == {"green"}
    assert len(lying.insects()) == 4


def test_laying_a_card_leaves_the_case_before_as_it_was():
    before = EMPTY.with_card((0, 0), card("bb bb"))
    before.with_card((0, 0), card("gg gg"))
    assert before.kind((0, 0)) == "blue"
    assert EMPTY.insects() == ()


# ---- scoring


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bbb bbb", {"blue": 12}),
        ("ggg gg.", {"green": 18}),
        ("ll ..", {"leaf": 4}),
        ("lll ...", {"leaf": 7}),
        ("l. .l", {"leaf": 4}),
        ("ll ll", {"leaf": 16}),
        ("l.l ...", {"leaf": 2}),
        ("b.b .b.", {}),
        ("oo ..", {"gold": 6}),
        ("o. o.", {"gold": 6}),
        ("bbb.bb ......", {"blue": 5}),
        ("bgbb gbbg", {"blue": 2 + 2 + 2}),
        ("dd dd", {}),
        ("ss ss", {"stag": 10}),
        ("mmmm mm..", {"moth": 15}),
        (".. ..", {}),
    ],
)
def test_a_case_scores_as_the_examples_say(text, expected):
    assert points(text) == expected


def test_the_published_example_scores_41_without_coins():
    assert points("gggdb ggobb ll.os mm.bs mm...") == {"blue": 4, "green": 18, "leaf": 4, "stag": 5, "moth": 10}


@given(st.lists(st.lists(st.sampled_from("bgodl."), min_size=4, max_size=4), min_size=3, max_size=3))
def test_points_are_those_of_a_slow_count(rows):
    grid = {(r, c): LETTERS[kind] for r, row in enumerate(rows) for c, kind in enumerate(row)}

    def run_points(kind):
        count = 0
        for (r, c), here in grid.items():
            for dr, dc in ((0, 1), (1, 0)):
                before, after = grid.get((r - dr, c - dc)), grid.get((r + dr, c + dc))
                count += here == kind and kind in (before, after)
        return count

    near = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1)]
    leaf = sum(
        grid.get((r + dr, c + dc)) == "leaf" for (r, c), here in grid.items() if here == "leaf" for dr, dc in near
    )
    score = case(" ".join("".join(row) for row in rows)).score()
    worth = {"blue": run_points("blue"), "green": 2 * run_points("green"), "gold": 3 * run_points("gold")}
    assert score == {**worth, "leaf": leaf, "stag": 0, "moth": 0}
