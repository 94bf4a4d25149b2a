"""Path-traced pictures of taught sets that were once read badly: cut-outs of scenes of `models.traced.hexdragon`."""

import json
from pathlib import Path

import cv2
import numpy as np

from companion.games.hexdragon.vision.enrolment import learn_hexdragon
from companion.games.hexdragon.vision.prototypes import FewShotTiles
from companion.games.hexdragon.vision.recognizer import read_hexdragon
from companion.games.hexdragon.vision.results import TileReading

SCENES = Path(__file__).resolve().parent / "scenes"
HEADS = {
    (210, 308): "yellow",
    (229, 197): "blue",
    (193, 419): "red",
    (256, 429): "blue",
    (114, 60): "yellow",
    (298, 380): "yellow",
    (233, 368): "red",
}


def read_scene(name: str) -> TileReading:
    """A picture as it is read by what its teaching picture teaches."""
    label = json.loads((SCENES / f"{name}-taught.json").read_text("utf-8"))
    taught = [(label["image"], cv2.imread(str(SCENES / f"{name}-taught.jpg")))]
    classifier = FewShotTiles(learn_hexdragon("hexdragon", taught, [label], trust_names=True))
    return read_hexdragon(cv2.imread(str(SCENES / f"{name}.jpg")), classifier)


def test_a_taught_set_is_read_on_a_board_of_its_own_colour():
    """Edges hardly show between pale tiles and a pale board: the set was told to be another game's."""
    seen = read_scene("pale-tiles")
    assert "other-game" not in {warning.code for warning in seen.warnings}
    assert sum(None not in card.edges for card in seen.cards) >= 4


def test_owners_are_told_of_heads_under_gloss():
    """Of four heads on which a lamp's gloss lies nobody's owner could be told."""
    seen = read_scene("gloss")
    told = {}
    for card in seen.cards:
        if card.kind == "head":
            place = min(HEADS, key=lambda at: np.linalg.norm(np.subtract(at, card.centre)))
            told[place] = card.owner
    assert told == HEADS
    assert sum(card.is_star for card in seen.cards) == 2
