"""What is a case and what is a loose card: rows of cards, and outlines that are hardly any."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.games.hexapod.vision import detector as hexapod_detector
from companion.games.hexapod.vision import recognizer as hexapod_reading
from companion.games.hexapod.vision.detector import Finds, detect_loose_cards
from companion.games.hexapod.vision.plausibility import verify_fields
from companion.games.hexapod.vision.recognizer import read_hexapod
from companion.games.hexapod.vision.results import DetectedField
from companion.vision.detection.detector import Detection
from companion.vision.geometry import SQUARE
from companion.vision.image.pyramid import Pyramid

SCENES = Path(__file__).resolve().parent / "scenes"
PHOTOGRAPHS = Path(__file__).resolve().parents[3] / "scenes"
TOPS = (
    (("leaf", "blue"), ("moth", "moth")),
    (("dung", "gold"), ("stag", "green")),
    (("gold", "leaf"), ("stag", "blue")),
)


@pytest.mark.parametrize("taken", [slice(0, 3), slice(0, 2), slice(1, 2)])
def test_loose_cards_are_no_case_even_where_one_is_seen(taken, frame, monkeypatch):
    picture = frame([], [((300 + 110 * k, 300), 0, top) for k, top in enumerate(TOPS)])
    before = read_hexapod(picture)
    assert before.cards == () and len(before.loose) == 3
    by_place = sorted(before.loose, key=lambda card: float(card.corners[0, 0]))
    corners = np.concatenate([card.corners for card in by_place[taken]])
    left, top, right, bottom = (*corners.min(0), *corners.max(0))
    case = Detection(np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32), 0.45)
    monkeypatch.setattr(hexapod_reading, "detect_cases", lambda pyramid, finds: (case,))
    monkeypatch.setattr(hexapod_reading, "is_case", lambda case: True)
    seen = read_hexapod(picture)
    assert seen.cards == ()
    assert {card.cells for card in seen.loose} == {card.cells for card in before.loose}


def test_a_card_whose_outline_is_hardly_one_is_told_where_insects_show_plainly():
    picture = cv2.imread(str(SCENES / "spider-loose.jpg"))
    assert picture is not None
    seen = read_hexapod(picture)
    assert len(seen.cards) == 1 and len(seen.loose) == 3
    assert [["spider"] * 2] * 2 in [[list(row) for row in card.cells] for card in seen.loose]


def test_dark_cards_of_another_game_are_no_bare_cases():
    """A dark Comet card was told as an empty case: found most surely, it spoke for the table by itself."""
    picture = cv2.imread(str(SCENES / "dark-comet-faces.jpg"))
    assert picture is not None
    seen = read_hexapod(picture)
    assert (seen.cards, seen.loose) == ((), ())
    assert [warning.code for warning in seen.warnings] == ["nothing-found", "other-game"]


def test_two_thirds_of_a_card_of_another_game_are_no_card():
    """A spider was told on the photograph of a card of diamonds: a point of one lies on the fourth side."""
    picture = cv2.imread(str(PHOTOGRAPHS / "three-diamonds.jpg"))
    assert picture is not None
    corners = np.array([[209.4, 42.0], [196.8, 225.0], [38.4, 208.2], [43.8, 33.6]], np.float32)
    spider, told = (("spider",) * 2,) * 2, ((False,) * 2,) * 2
    field = DetectedField(corners, spider, told, 0.64, is_case=False, presence=0.64)
    assert not verify_fields(Pyramid.of(picture), [field], ()).stays.any()


def test_a_case_that_shows_plainly_is_not_held_for_a_card_found_more_surely(frame, monkeypatch):
    picture = frame([((480, 320), 0, [(0, 0, TOPS[0]), (3, 2, TOPS[1])])])
    (before,) = read_hexapod(picture).cards
    card = Detection(before.corners, 0.99)
    monkeypatch.setattr(hexapod_reading, "detect_cases", lambda pyramid, finds: (Detection(before.corners, 0.7),))
    monkeypatch.setattr(hexapod_reading, "detect_loose_cards", lambda *_: (card,))
    seen = read_hexapod(picture)
    assert [case.cells for case in seen.cards] == [before.cells]
    assert seen.loose == ()


def square(x: float, y: float, side: float, confidence: float) -> Detection:
    return Detection((SQUARE.unit * side / 2 + [x, y]).astype(np.float32), confidence)


def test_of_two_finds_in_one_place_that_is_the_card_which_is_two_of_the_cases_cells_wide(monkeypatch):
    case, card, insect = square(150, 150, 200, 0.99), square(400, 150, 80, 0.9), square(390, 140, 40, 1.0)
    monkeypatch.setattr(hexapod_detector, "refine_quads", lambda pyramid, quads, *, is_case: list(quads))
    pyramid = Pyramid.of(np.zeros((300, 500, 3), np.uint8))
    finds = Finds((case,), (insect, card))
    assert detect_loose_cards(pyramid, finds, [case], 5, 5) == (card,)
    assert detect_loose_cards(pyramid, finds, [], 5, 5) == (insect,)
    assert detect_loose_cards(pyramid, Finds((case,), (insect,)), [case], 5, 5) == (insect,)
