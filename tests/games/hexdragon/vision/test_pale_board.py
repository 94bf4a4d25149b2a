"""Path-traced pale tiles on a pale board, whose edges hardly show: the set was once told to be another game's."""

import json
from pathlib import Path

import cv2

from companion.games.hexdragon.vision.enrolment import learn_hexdragon
from companion.games.hexdragon.vision.prototypes import FewShotTiles
from companion.games.hexdragon.vision.recognizer import read_hexdragon

SCENES = Path(__file__).resolve().parent / "scenes"


def test_a_taught_set_is_read_on_a_board_of_its_own_colour():
    label = json.loads((SCENES / "pale-tiles-taught.json").read_text("utf-8"))
    taught = [(label["image"], cv2.imread(str(SCENES / label["image"])))]
    classifier = FewShotTiles(learn_hexdragon("hexdragon", taught, [label], trust_names=True))
    seen = read_hexdragon(cv2.imread(str(SCENES / "pale-tiles.jpg")), classifier)
    assert "other-game" not in {warning.code for warning in seen.warnings}
    assert sum(None not in card.edges for card in seen.cards) >= 4
