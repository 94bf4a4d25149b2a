"""Path-traced tiles on which a lamp's gloss lies: of four heads under it nobody's owner could be told."""

import json
from pathlib import Path

import cv2
import numpy as np

from companion.games.hexdragon.vision.enrolment import learn_hexdragon
from companion.games.hexdragon.vision.prototypes import FewShotTiles
from companion.games.hexdragon.vision.recognizer import read_hexdragon

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


def test_owners_are_told_of_heads_under_gloss():
    label = json.loads((SCENES / "gloss-taught.json").read_text("utf-8"))
    taught = [(label["image"], cv2.imread(str(SCENES / "gloss-taught.jpg")))]
    classifier = FewShotTiles(learn_hexdragon("hexdragon", taught, [label], trust_names=True))
    seen = read_hexdragon(cv2.imread(str(SCENES / "gloss.jpg")), classifier)
    told = {}
    for card in seen.cards:
        if card.kind == "head":
            place = min(HEADS, key=lambda at: np.linalg.norm(np.subtract(at, card.centre)))
            told[place] = card.owner
    assert told == HEADS
    assert sum(card.is_star for card in seen.cards) == 2
