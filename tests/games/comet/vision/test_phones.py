"""Things that are taken for a card face down where nothing tells how large cards are, or what their backs show."""

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.games.comet.vision.plausibility import are_unlike_backs
from companion.games.comet.vision.recognizer import read_comet, read_table, read_unknown
from companion.games.comet.vision.results import BACK
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import DetectedCard
from companion.vision.tracking.regions import Unchanged
from models.drawing.comet.layouts import LaidComet
from models.drawing.comet.photograph import comet_photograph
from models.drawing.comet.printings import reference

SCENES = Path(__file__).resolve().parents[3] / "scenes"
ACROSS_PX = 150.0
"""How wide the table's cards are, see `usual_width_px`."""


def known(width_px: float, height_px: float) -> list[DetectedCard]:
    """Two rows of three cards of a size, left of and above the picture."""
    card = np.array([[0, 0], [width_px, 0], [width_px, height_px], [0, height_px]], np.float32)
    places = [(x, y) for x in (-600, -400, -200) for y in (-600, -300)]
    return [back(card + np.array(place, np.float32)) for place in places]


def back(corners: NDArray[np.float32]) -> DetectedCard:
    return DetectedCard(None, (BACK,) * 3, corners, 0.9, 0.9, np.zeros((3, 16), np.float32))


def picture(name: str) -> NDArray[np.uint8]:
    bgr = cv2.imread(str(SCENES / name))
    assert bgr is not None
    return np.asarray(bgr, np.uint8)


def test_a_phone_outlined_without_an_edge_on_one_side_is_no_card_face_down() -> None:
    bgr = picture("phone-beside-comet.jpg")
    unchanged = Unchanged(everywhere=known(160, 248), picture=np.zeros_like(bgr))
    assert not read_unknown(bgr, None, ACROSS_PX, unchanged).cards


def test_what_resembles_backs_on_a_picture_without_numbers_is_left_open() -> None:
    """SET's cards were stated to be Comet cards lying face down; a number beside them says what they are."""
    bgr = picture("set-cards.jpg")
    assert any(BACK in card.edges for card in read_table(bgr).cards)
    reading = read_comet(bgr)
    assert len(reading.cards) == len(reading.warnings) == 2
    assert {card.edges for card in reading.cards} == {(None,) * 3}
    assert {warning.code for warning in reading.warnings} == {"unsure"}


def test_backs_beside_a_card_that_is_read_are_stated() -> None:
    look = reference("mono")
    cards = [LaidComet(face, np.array([80.0 * k, 0.0]), 0.0, look.size) for k, face in enumerate([(2, 8, 11), None])]
    drawn = comet_photograph(np.random.default_rng(2), printing=look, cards=cards, hardness=0.0, across_px=120)
    reading = read_comet(drawn.bgr)
    assert sorted(card.values is None for card in reading.cards) == [False, True]
    assert not reading.warnings


BACKS = [
    [[2, 23], [112, 24], [118, 178], [9, 177]],
    [[116, 27], [222, 28], [228, 180], [122, 179]],
    [[228, 27], [341, 28], [345, 184], [232, 183]],
]
LEFT = 290
"""Where the piece with the phone begins in the picture; the known backs beside it reach into it by a half of one."""


@pytest.mark.parametrize(("cards", "told"), [(known(112, 155), 1), (known(66, 91), 0)], ids=["as large", "smaller"])
def test_what_is_larger_than_the_known_cards_is_no_card_face_down(cards: list[DetectedCard], told: int) -> None:
    bgr = picture("phone-like-comet-back.jpg")
    lying = back(np.array(BACKS[1], np.float32))
    unchanged = Unchanged([lying], everywhere=cards, picture=np.zeros_like(bgr))
    assert len(read_unknown(np.ascontiguousarray(bgr[:, :240]), None, ACROSS_PX * 0.95, unchanged).cards) == told


@pytest.mark.parametrize(("count", "told"), [(2, 0), (1, 1)], ids=["two show the pattern", "one may be a phone itself"])
def test_a_phone_with_a_blue_screen_shows_no_pattern_of_the_known_backs(count: int, told: int) -> None:
    bgr = picture("phone-like-comet-back.jpg")
    lying = [back(np.array(corners, np.float32)) for corners in BACKS]
    unchanged = Unchanged(everywhere=lying[:count], at=(LEFT, 0), picture=bgr)
    cards = read_unknown(np.ascontiguousarray(bgr[:, LEFT:]), None, ACROSS_PX * 0.95, unchanged).cards
    assert len(cards) == told


def test_a_card_face_down_shows_the_pattern_of_the_known_backs() -> None:
    bgr = picture("phone-like-comet-back.jpg")
    lying = [back(np.array(corners, np.float32)) for corners in BACKS]
    unchanged = Unchanged(lying[1:2], everywhere=[lying[1], lying[2]], picture=bgr)
    (card,) = read_unknown(np.ascontiguousarray(bgr[:, :240]), None, ACROSS_PX * 0.95, unchanged).cards
    assert np.abs(card.corners - lying[0].corners).max() < 8


DARK_BROWN, PALE_BROWN, BLUE = (20, 22, 38), (26, 28, 44), (170, 90, 80)


def table_with(*inks: tuple[int, int, int]) -> tuple[Pyramid, list[NDArray[np.float32]]]:
    """A grey table with plain cards in a row, and their corners."""
    bgr = np.full((200, 120 * len(inks) + 20, 3), 90, np.uint8)
    cards = [
        np.array([[x, 20], [x + 100, 20], [x + 100, 160], [x, 160]], np.float32)
        for x in range(20, 120 * len(inks), 120)
    ]
    for card, ink in zip(cards, inks, strict=True):
        cv2.fillConvexPoly(bgr, card.astype(np.int32), ink)
    return Pyramid.of(bgr), cards


def test_a_thing_of_another_colour_is_no_back_but_a_back_under_glare_is() -> None:
    pyramid, (first, second, pale, blue) = table_with(DARK_BROWN, DARK_BROWN, PALE_BROWN, BLUE)
    assert are_unlike_backs(pyramid, [pale, blue], [first, second], is_known_pattern=False) == [False, True]
    assert are_unlike_backs(pyramid, [pale, blue], [first], is_known_pattern=False) == [False, False]
