"""A Comet table whose printing is neither known nor taught: a plain layout is found, or nothing is stated."""

from dataclasses import replace

import numpy as np

from companion.games.comet.vision.places import VIEW_HIGH, VIEW_WIDE, places_at
from companion.games.comet.vision.recognizer import read_comet
from companion.games.comet.vision.results import BACK
from companion.games.comet.vision.taught_numerals import classify_views
from companion.vision.image.pyramid import Pyramid
from models.drawing.comet.layouts import LaidComet
from models.drawing.comet.photograph import comet_photograph
from models.drawing.comet.printings import Place, reference

FACES = ((2, 8, 11), (3, 5, 6), (4, 7, 10), (5, 9, 12), (11, 13, 14))
IN_A_ROW = tuple(Place(k, (20.0 * (k - 1), 0.0), 14.0, 17.0) for k in range(3))
SIDEWAYS = tuple(Place(k, (19.0, 26.0 * (k - 1)), 9.0, 12.0, 90 * (k % 2 + 1)) for k in range(3))


def table(places, seed=2):
    look = replace(reference("mono"), own_places=places, divider_mm=0.0, comet=0.0)
    cards = [LaidComet(face, np.array([80.0 * k, 3.0 * k]), 5.0 * k, look.size) for k, face in enumerate(FACES)]
    rng = np.random.default_rng(seed)
    return comet_photograph(rng, printing=look, cards=cards, hardness=0.0, across_px=120)


def test_three_numbers_in_a_row_on_all_cards_are_read_without_teaching():
    picture = table(IN_A_ROW)
    reading = read_comet(picture.bgr)
    assert sorted(card.values for card in reading.cards) == sorted(entry["values"] for entry in picture.truth["cards"])


def test_cards_whose_numbers_are_not_understood_state_nothing():
    reading = read_comet(table(SIDEWAYS).bgr)
    assert all(set(card.edges) == {None} for card in reading.cards)
    assert not any(BACK in card.edges for card in reading.cards)
    assert reading.cards == () or any(warning.code == "unsure" for warning in reading.warnings)


def test_a_card_without_any_ink_has_no_numbers():
    assert classify_views(np.zeros((0, VIEW_HIGH, VIEW_WIDE, 3), np.uint8)).numbers.shape == (0, 14)


def test_a_card_without_any_ink_has_no_place_to_look_at():
    places = places_at(np.zeros((0, 3)), np.zeros(0, bool), 0.7)
    square = np.array([[5, 5], [55, 5], [55, 85], [5, 85]], np.float32)
    assert places.views(Pyramid.of(np.full((90, 60, 3), 200, np.uint8)), square[None]).shape[:2] == (1, 0)
