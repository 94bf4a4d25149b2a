from collections import Counter
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games.comet.rules.scoring import face, is_card, is_triple, lines, parse_card, score, write_card

cards = st.tuples(*[st.integers(2, 14)] * 3)
sets = st.lists(cards, min_size=1, max_size=3)

# The seven examples of the rules page: the numbers dealt to cards of three, the lines and the score.
EXAMPLES = [
    ([2, 4, 5, 5, 5, 9, 9, 9, 10], {(5, 5, 5): 1, (9, 9, 9): 1}, 42),
    ([3, 4, 5, 6, 6, 6, 8, 11, 13], {(3, 4, 5): 1, (4, 5, 6): 3, (6, 6, 6): 1}, 75),
    ([14, 2, 2, 3, 5, 9, 10, 10, 11], {(1, 2, 3): 2, (9, 10, 11): 2}, 72),
    ([2, 3, 4, 5, 6, 9, 9, 9, 12], {(2, 3, 4): 1, (3, 4, 5): 1, (4, 5, 6): 1, (9, 9, 9): 1}, 63),
    ([2, 2, 6, 7, 8, 9, 11, 12, 13], {(6, 7, 8): 1, (7, 8, 9): 1, (11, 12, 13): 1}, 81),
    ([4, 12, 13, 13, 13, 14], {(13, 13, 13): 1, (12, 13, 14): 3}, 156),
    ([14, 14, 14], {(14, 14, 14): 1}, 42),
]


def in_threes(numbers):
    return [tuple(numbers[n : n + 3]) for n in range(0, len(numbers), 3)]


@pytest.mark.parametrize(("numbers", "counted", "value"), EXAMPLES)
def test_the_seven_worked_examples_score_as_the_rules_say(numbers, counted, value):
    laid = in_threes(numbers)
    assert Counter(lines(laid)) == Counter(counted)
    assert score(laid) == value


def test_four_equal_numbers_hold_four_lines():
    assert lines([(5, 5, 9), (5, 5, 12)]) == ((5, 5, 5),) * 4


def test_nine_equal_numbers_hold_eighty_four_lines():
    assert score([(14, 14, 14)] * 3) == 84 * 42


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ((14, 2, 3), [(1, 2, 3)]),
        ((12, 13, 14), [(12, 13, 14)]),
        ((14, 14, 14), [(14, 14, 14)]),
        ((13, 14, 2), []),  # the Ace does not join the ends
        ((14, 14, 2), []),
        ((14, 3, 4), []),
        ((2, 2, 3), []),
        ((2, 4, 6), []),
        ((2, 3, 5), []),
        ((4, 2, 3), [(2, 3, 4)]),
        ((2, 2, 2), [(2, 2, 2)]),
        ((2, 3, 13), []),
    ],
)
def test_three_numbers_are_a_line_when_equal_or_in_sequence(numbers, found):
    assert lines([numbers]) == tuple(found)


def test_the_ace_counts_1_and_14_in_different_lines_of_one_set():
    assert Counter(lines([(14, 2, 13), (3, 12, 7)])) == Counter({(1, 2, 3): 1, (12, 13, 14): 1})
    assert score([(14, 2, 13), (3, 12, 7)]) == 6 + 39


@given(sets)
def test_lines_are_those_that_counting_by_value_gives(laid):
    held = Counter(number for card in laid for number in card)
    expected = Counter({(v, v, v): comb(held[v], 3) for v in range(2, 15)})
    expected += Counter({(v, v + 1, v + 2): held[v] * held[v + 1] * held[v + 2] for v in range(2, 13)})
    expected += Counter({(1, 2, 3): held[14] * held[2] * held[3]})
    assert Counter(lines(laid)) == expected
    assert score(laid) == sum(sum(line) * times for line, times in expected.items())


@given(sets, st.randoms(use_true_random=False))
def test_neither_the_order_of_cards_nor_that_of_their_numbers_matters(laid, chance):
    mixed = [tuple(chance.sample(card, 3)) for card in chance.sample(laid, len(laid))]
    assert Counter(lines(mixed)) == Counter(lines(laid))


@pytest.mark.parametrize(
    "value",
    [
        [1, 2, 3],
        [2, 3, 15],
        [2, 3],
        [2, 3, 4, 5],
        [2, 3, 4.0],
        [2, 3, True],
        [2, 3, "4"],
        None,
        "234",
        3,
        {},
        [[2], 3, 4],
    ],
)
def test_a_card_is_three_whole_numbers_from_2_to_14(value):
    assert not is_card(value)


@pytest.mark.parametrize("value", [[2, 2, 2], (14, 13, 2), [14, 14, 14]])
def test_any_three_numbers_in_range_are_a_card(value):
    assert is_card(value)


def test_a_triple_is_any_three_equal_numbers():
    assert is_triple((3, 3, 3))
    assert not is_triple((3, 3, 4))


@given(cards)
def test_a_card_is_read_back_from_its_writing(card):
    assert parse_card(write_card(card)) == list(card)
    assert face(card) == tuple(sorted(card))


@pytest.mark.parametrize("word", ["", "2-3", "2-3-4-5", "1-2-3", "2-3-15", "2-3-K", "2--3-4"])
def test_what_is_no_card_is_not_read_as_one(word):
    with pytest.raises(ValueError, match=r".+"):
        parse_card(word)
