"""Printings that show their numbers more than once: each card is told once, where it lies and the way up it lies."""

from dataclasses import replace
from functools import cache

import numpy as np

from companion.games.comet.vision.enrolment import learn_comet
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


def test_two_prints_of_a_number_that_plainly_differ_say_nothing_however_many_agree():
    """Of an outline across two cards, each of which showed two of its four prints, the surest two agreed."""
    sure = {number: np.where(np.arange(14) == number, 0.997, 0.003 / 13) for number in (3, 5, 13)}
    for shown, number in (((3, 3, 5, 5), None), ((3, 3, 13, 13), 3), ((3, 3, 3, 3), 3), ((5, 3, 3, 3), None)):
        told = joined(np.array([[sure[one] for one in shown]]))[0]
        assert told.argmax() == number if number else told.max() < 0.6
