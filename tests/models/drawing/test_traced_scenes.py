"""Scenes for path tracing: a seed is a description, and what was rendered is read as scenes of cards."""

import json

import cv2
import numpy as np
import pytest

from models.drawing.art import Art
from models.drawing.comet.printings import plain_typefaces
from models.traced.scenes import Studio, any_decks, comet_deck
from models.traced.shards import traced_scene


@pytest.fixture
def studio(tmp_path):
    picture = np.random.default_rng(1).integers(0, 255, (64, 96, 3)).astype(np.uint8)
    clip = np.dstack([picture, np.full((64, 96), 200, np.uint8)])
    return Studio(tmp_path, Art([picture], [clip], [picture], [picture]))


def test_a_seed_is_a_description_whose_faces_lie_beside_it(studio):
    first, again = (list(comet_deck(3, studio, plain_typefaces(), pictures=1)) for _ in range(2))
    assert json.dumps(first) == json.dumps(again)
    assert [scene["name"] for scene in first] == ["3-teach", "3-0"]
    for scene in first:
        assert cv2.imread(scene["table"]["texture"]) is not None
        assert all(cv2.imread(card["texture"]) is not None for card in scene["cards"])
        assert scene["camera"]["at"][2] > 0.1
    assert {number for card in first[0]["cards"] for number in card["values"] or ()} == set(range(2, 15))


def test_of_a_rendered_scene_hidden_and_cut_cards_and_boxes_may_be_found_or_not(studio, tmp_path):
    told = next(any_decks(5, studio, pictures=1))
    told["size"] = [200, 120]
    told["cards"] = (told["cards"] * 3)[:3]
    squares = [[[x, 30], [x + 40, 30], [x + 40, 70], [x, 70]] for x in (10, 70, 180)]
    owner = np.zeros((120, 200, 3), np.uint8)
    for number, square in enumerate(squares, 1):
        cv2.fillConvexPoly(owner, np.array(square), (0, 0, number))
    owner[30:71, 90:115, 2] = 255
    cv2.circle(owner, (140, 100), 12, (0, 0, 255), -1)
    path = tmp_path / "one.scene.json"
    path.write_text(json.dumps(told))
    (tmp_path / "one.corners.json").write_text(json.dumps(squares))
    cv2.imwrite(str(tmp_path / "one.owner.png"), owner)
    cv2.imwrite(str(tmp_path / "one.png"), np.full((120, 200, 3), 90, np.uint8))
    scene = traced_scene(path)
    assert [outline.corners.tolist() for outline in scene.outlines] == squares[:1]
    *cards, box = [polygon.tolist() for polygon in scene.ignored]
    assert cards == squares[1:] and sorted(np.mean(box, 0).tolist()) == [50.0, 102.0]
    assert scene.picture.shape == (120, 200, 3) and abs(float(scene.picture.mean()) - 90) < 9
