"""Pictures that were once misread: cloth printed with hexagons was told as twenty cards of six blue symbols."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.games.hexel.deck import SYMBOLS
from companion.games.hexel.vision.enrolment import learn_hexel
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.recognizer import read_hexel, read_unknown
from companion.vision.tracking.regions import Unchanged, usual_width_px
from models.drawing.hexel.invented import invented
from models.drawing.hexel.photograph import photograph

SCENES = Path(__file__).resolve().parent / "scenes"
TAUGHT = {
    "red": [[174.6, 145.7], [125.7, 182.6], [68.8, 158.5], [60.6, 97.3], [109.7, 60.1], [166.8, 84.4]],
    "blue": [[240.0, 232.9], [190.8, 269.1], [134.4, 244.9], [126.9, 184.2], [176.1, 147.6], [232.7, 172.1]],
    "yellow": [[303.6, 319.5], [253.8, 354.4], [198.2, 329.2], [192.3, 268.8], [242.2, 233.6], [298.0, 259.1]],
}


@pytest.fixture(scope="module")
def classifier():
    cards = [{"corners": corners, "edges": [symbol] * 6} for symbol, corners in TAUGHT.items()]
    taught = [("taught", cv2.imread(str(SCENES / "cloth-taught.jpg")))]
    return FewShotSymbols(learn_hexel("hexel46", taught, [{"image": "taught", "cards": cards}]))


@pytest.fixture(scope="module")
def picture():
    return cv2.imread(str(SCENES / "cloth.jpg"))


def test_a_cloth_of_hexagons_is_not_told_as_cards(picture, classifier):
    seen = read_hexel(picture, classifier)
    assert len(seen.cards) == 10 and seen.loose == ()
    assert all(None not in card.edges for card in seen.cards)


def test_a_cloth_of_hexagons_is_not_told_as_cards_beside_those_that_are_known(picture, classifier):
    known = read_hexel(picture, classifier).cards
    seen = read_unknown(picture, classifier, usual_width_px(known), Unchanged(known))
    assert seen.cards == () and seen.loose == ()


def test_a_taught_table_is_read_on_a_cloth_of_many_hexagons():
    """Three of eight cards were doubtful, and the hexagons of the cloth were counted as cards that were not found."""
    rng = np.random.default_rng(9_900_478)
    look = invented(SYMBOLS["36"], rng)
    faces = {(i, 0): (name,) * 6 for i, name in enumerate(SYMBOLS["36"])}
    lesson = photograph(rng, printing=look, faces=faces, hardness=0.0)
    label = {"image": "taught", "cards": lesson.truth["cards"]}
    taught = FewShotSymbols(learn_hexel("hexel36", [("taught", lesson.bgr)], [label]))
    *_, shown = (photograph(rng, printing=look, cards=int(rng.integers(4, 16))) for _ in range(3))
    told = [card.edges for card in read_hexel(shown.bgr, taught).cards]
    assert sum(None not in edges for edges in told) >= 5
