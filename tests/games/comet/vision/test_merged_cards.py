"""Two white cards without an edge between them are parted; a card of a larger size, or with its print, is not."""

import cv2
import numpy as np

from companion.games.comet.vision.detector import CARD
from companion.games.comet.vision.plausibility import find_merged_pairs, split_pairs
from companion.vision.image.pyramid import Pyramid

PAIR = np.array([[60, 128], [60, 40], [186, 40], [186, 128]], np.float32)
"""Two cards upright side by side, seen as one that lies."""


def pyramid(brightness):
    picture = np.full((200, 260, 3), (60, 80, 130), np.uint8)
    cv2.fillPoly(picture, [np.round(PAIR).astype(np.int32)], (brightness,) * 3)
    return Pyramid.of(picture)


def is_pair(brightness, wider, is_maybe=True):
    return bool(find_merged_pairs(pyramid(brightness), PAIR[None], np.array([wider]), np.array([is_maybe]))[0])


def test_a_white_outline_as_large_as_two_cards_is_two():
    assert is_pair(255, 1.4)


def test_one_of_another_size_or_with_a_number_or_not_white_is_none():
    assert not is_pair(255, 1.0) and not is_pair(255, 2.0) and not is_pair(255, np.nan)
    assert not is_pair(255, 1.4, is_maybe=False)
    assert not is_pair(200, 1.4)


def test_the_two_lie_side_by_side_upright_in_the_outline():
    left, right = sorted(split_pairs(PAIR[None]), key=lambda quad: quad[:, 0].mean())
    for quad, x in ((left, 60 + 31.5), (right, 60 + 94.5)):
        assert np.abs(quad.mean(0) - (x, 84)).max() < 3 and abs(CARD.width_px(quad) - 63) < 4
        assert np.linalg.norm(quad[1] - quad[0]) < np.linalg.norm(quad[2] - quad[1])
        assert cv2.contourArea(quad, oriented=True) * cv2.contourArea(CARD.unit.astype(np.float32), oriented=True) > 0
