"""Printings that show their numbers more than once: each card is told once, where it lies and the way up it lies."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from companion.games.comet.vision.card_selection import clash, rating_among
from companion.games.comet.vision.enrolment import learn_comet
from companion.games.comet.vision.hypothesis import Hypothesis
from companion.games.comet.vision.recognizer import read_comet
from companion.games.comet.vision.taught_numerals import TaughtNumerals, joined
from models.drawing.comet.layouts import LaidComet
from models.drawing.comet.photograph import comet_photograph
from models.drawing.comet.printings import Place, reference

FACES = ((2, 8, 11), (3, 5, 6), (4, 7, 10), (5, 9, 12), (11, 13, 14))
ONE_LARGE = (
    Place(0, (-20.0, -32.0), 9.0, 14.0),
    Place(1, (0.0, 0.0), 20.0, 30.0),
    Place(2, (20.0, -32.0), 9.0, 14.0),
    Place(0, (20.0, 32.0), 9.0, 14.0, 180),
    Place(2, (-20.0, 32.0), 9.0, 14.0, 180),
)
ALONG_BOTH_SIDES = tuple(
    Place(k, (side * 24.0, way * (-35.0 + 11.0 * k)), 8.0, 11.0, 0 if way > 0 else 180)
    for way in (1, -1)
    for side in (-1, 1)
    for k in range(3)
)


def photograph(look, laid):
    cards = [LaidComet(values, np.array([x, y]), turn_deg, look.size) for values, x, y, turn_deg in laid]
    rng = np.random.default_rng(3)
    return comet_photograph(rng, printing=look, cards=cards, hardness=0.0, across_px=190, yaw_deg=0.0)


@cache
def taught(places):
    look = replace(reference("mono"), own_places=places, divider_mm=0.0, comet=0.0, figures=())
    picture = photograph(look, [(face, 74.0 * k, 0.0, 0.0) for k, face in enumerate(FACES)])
    cards = [
        {"values": list(face), "corners": entry["corners"]}
        for face, entry in zip(FACES, picture.truth["cards"], strict=True)
    ]
    return look, TaughtNumerals(learn_comet("comet", [("taught", picture.bgr)], [{"cards": cards}]))


def test_one_number_says_which_way_up_a_card_lies_whose_others_are_printed_both_ways_up():
    """What stands alike either way up was so sure that the large nine counted for nothing."""
    look, printing = taught(ONE_LARGE)
    laid = [((6, 9, 11), 0.0, 0.0, 0.0), ((6, 8, 9), 80.0, 0.0, 180.0), ((8, 6, 11), 160.0, 0.0, 0.0)]
    told = read_comet(photograph(look, laid).bgr, printing).cards
    assert sorted(card.values for card in told) == [[6, 8, 9], [6, 8, 11], [6, 9, 11]]


def test_numbers_along_one_side_of_a_card_are_not_those_along_the_other_side_of_one_beside_it():
    look, printing = taught(ALONG_BOTH_SIDES)
    fan = [((3, 5, 7), 0.0, 0.0, 0.0), ((5, 6, 10), 41.0, 4.0, 0.0), ((3, 10, 12), 80.0, 8.0, 1.5)]
    alone = [((2, 4, 8), 0.0, 110.0, 0.0), ((9, 11, 14), 80.0, 110.0, 4.0)]
    picture = photograph(look, [*fan, *alone])
    told = read_comet(picture.bgr, printing).cards
    read = [card for card in told if card.values != [None, None, None]]
    assert len(told) == 5 and len(read) >= 4
    for card in read:
        (there,) = [one for one in picture.truth["cards"] if sorted(one["values"]) == card.values]
        assert np.linalg.norm(card.centre - np.mean(there["corners"], 0)) < 20


def of_two_columns(left, shown):
    """A card whose numbers are printed along both sides, read where they are ``shown``."""
    corners = np.array([[0.0, 0], [63, 0], [63, 88], [0, 88]]) + np.array([left, 0])
    numerals = np.array([[[left + x, 10.0 * k, 4.0] for k in (1, 2, 3)] for x in (6, 57)])
    return Hypothesis(
        corners,
        0.0,
        np.eye(15)[[1, 4, 7]],
        1.0,
        0.3,
        1.0,
        numerals=numerals,
        shown=np.array([[seen] * 3 for seen in shown]),
    )


def test_numbers_seen_along_the_same_ink_are_one_cards_wherever_else_they_are_printed():
    whole, beside = of_two_columns(0, (True, True)), of_two_columns(-51, (False, True))
    assert clash(beside, whole) and clash(whole, beside)
    assert not clash(of_two_columns(-51, (True, False)), whole)


@pytest.mark.parametrize(("covered", "is_right_first"), [((51.0, 114.0), True), ((-90.0, -40.0), False)])
def test_of_two_places_for_a_card_that_comes_first_where_others_hide_what_is_not_seen(covered, is_right_first):
    lies_right, lies_left = of_two_columns(0, (True, False)), of_two_columns(-51, (False, True))
    (x0, x1), other = covered, of_two_columns(0, (True, True))
    lying_on_it = replace(
        other,
        corners=np.array([[x0, 0.0], [x1, 0], [x1, 88], [x0, 88]]),
        numerals=other.numerals + np.array([500.0, 0, 0]),
        found=0.9,
    )
    right, left = (rating_among(one, [lying_on_it]) for one in (lies_right, lies_left))
    assert (right > left) == is_right_first


def test_two_prints_of_a_number_that_plainly_differ_say_nothing_however_many_agree():
    """Of an outline across two cards, each of which showed two of its four prints, the surest two agreed."""
    sure = {number: np.where(np.arange(14) == number, 0.997, 0.003 / 13) for number in (3, 5, 13)}
    for shown, number in (((3, 3, 5, 5), None), ((3, 3, 13, 13), 3), ((3, 3, 3, 3), 3), ((5, 3, 3, 3), None)):
        told = joined(np.array([[sure[one] for one in shown]]))[0]
        assert told.argmax() == number if number else told.max() < 0.6
