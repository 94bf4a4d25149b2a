"""Scenes for path tracing: a seed is a description, and what was rendered is read as scenes of cards."""

import json

import cv2
import numpy as np
import pytest

from models.drawing.art import Art
from models.drawing.card_scenes import SIDE_PX, Outline, Scene
from models.drawing.comet.printings import plain_typefaces
from models.traced.scenes import Studio, any_decks, comet_deck, tile_decks
from models.traced.shards import square_part, traced_scene


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


def test_tiles_lie_to_each_other_as_hexagons_that_do_not_overlap(studio):
    for scene in tile_decks(4, studio):
        placed = [np.array(one["corners"]) for one in scene["cards"]]
        assert all(len(corners) == 6 for corners in placed)
        at = np.array([one["at"] for one in scene["cards"]])
        apart = np.linalg.norm(at[:, None] - at, axis=2) + 1e3 * np.eye(len(at))
        assert apart.min() > 0.97 * scene["cards"][0]["size"][1]
        assert max(np.abs(np.array(one["outline"])).max() for one in scene["cards"]) <= placed[0].max() + 1e-6


def test_a_square_part_shows_its_cards_where_its_outlines_say():
    corners = np.array([[60, 40], [120, 40], [120, 90], [60, 90]], np.float32)
    picture = np.full((180, 320, 3), 40, np.uint8)
    cv2.fillConvexPoly(picture, corners.astype(np.int32), (220, 220, 220))
    for seed in range(4):
        part = square_part(Scene(picture, [Outline(corners, 1.0)]), np.random.default_rng(seed))
        assert part.picture.shape == (SIDE_PX, SIDE_PX, 3)
        shown = part.picture[..., 0] > 130
        inside = np.zeros(shown.shape, np.uint8)
        cv2.fillConvexPoly(inside, part.outlines[0].corners.round().astype(np.int32), 1)
        assert inside.any() and (shown == inside.astype(bool)).mean() > 0.98
