"""A gap between cards is bare table and lacks an edge; a card face down has one wherever nothing lies beside it."""

import cv2
import numpy as np

from companion.games.comet.vision.detector import CARD
from companion.games.comet.vision.plausibility import is_gap
from companion.vision.image.pyramid import Pyramid

TABLE, FACE, BACK = (60, 80, 130), (225, 235, 240), (110, 60, 40)
LEFT, MIDDLE, RIGHT = (CARD.unit * 60 + (x, 150.0) for x in (100.0, 188.0, 276.0))


def pyramid(*laid):
    picture = np.full((300, 400, 3), TABLE, np.uint8)
    for outline, colour in laid:
        cv2.fillPoly(picture, [np.round(outline).astype(np.int32)], colour)
    return Pyramid.of(picture)


def test_the_table_between_two_cards_is_a_gap():
    assert is_gap(pyramid((LEFT, FACE), (RIGHT, FACE)), MIDDLE, [LEFT, RIGHT])


def test_a_card_face_down_between_two_others_is_none():
    assert not is_gap(pyramid((LEFT, FACE), (MIDDLE, BACK), (RIGHT, FACE)), MIDDLE, [LEFT, RIGHT])


def test_a_card_face_down_between_two_alike_is_none():
    assert not is_gap(pyramid((LEFT, BACK), (MIDDLE, BACK), (RIGHT, BACK)), MIDDLE, [LEFT, RIGHT])


def test_bare_table_with_nothing_beside_it_is_a_gap():
    assert is_gap(pyramid(), MIDDLE, [])
