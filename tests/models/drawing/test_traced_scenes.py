"""Scenes for path tracing: a seed is a description, and what was rendered is read as scenes of cards."""

import json

import cv2
import numpy as np
import pytest

from models.drawing.art import Art
from models.drawing.card_scenes import SIDE_PX, Outline, Scene
from models.drawing.comet.printings import plain_typefaces
from models.drawing.hexel.styles import clip_art, letters, painted_edges
from models.traced import hexapod, hexdragon, hexel
from models.traced.any_decks import any_decks, tile_decks
from models.traced.comet import comet_deck
from models.traced.film import filmed, played_in_view
from models.traced.shards import Rendered, square_part, traced_scene
from models.traced.studio import Studio, turn


@pytest.fixture
def studio(tmp_path, monkeypatch):
    for module in (hexel, hexdragon, hexapod):
        monkeypatch.setattr(module, "PX_PER_MM", 2.0)
    picture = np.random.default_rng(1).integers(0, 255, (64, 96, 3)).astype(np.uint8)
    clips = [np.zeros((80, 80, 4), np.uint8) for _ in range(6)]
    for number, clip in enumerate(clips):
        ink = [(0, 0, 0), (255, 0, 255), (0, 200, 0), (255, 255, 255), (0, 220, 255), (90, 90, 90)][number]
        cv2.circle(clip, (40, 40), 38 - 3 * number, (*ink, 255), -1)
    return Studio(tmp_path, Art([picture], clips, [picture], [picture]))


def test_a_seed_is_a_description_whose_faces_lie_beside_it(studio):
    first, again = (list(comet_deck(3, studio, plain_typefaces(), pictures=1)) for _ in range(2))
    assert json.dumps(first) == json.dumps(again)
    assert [scene["name"] for scene in first] == ["3-teach", "3-0"]
    for scene in first:
        assert cv2.imread(scene["table"]["texture"]) is not None
        assert all(cv2.imread(card["texture"]) is not None for card in scene["cards"])
        assert scene["camera"]["at"][2] > 0.1
    assert {number for card in first[0]["cards"] for number in card["values"] or ()} == set(range(2, 15))


def test_of_a_film_every_event_shows_in_its_frames(studio):
    _, scene = comet_deck(3, studio, plain_typefaces(), pictures=1)
    pictures, film = filmed(scene, np.random.default_rng(1))
    shown = {picture["name"]: picture for picture in pictures}
    frames = [shown[name] for name in film["frames"]]
    meant = shown[film["all"]]["cards"]

    def lies(number, frame):
        return any(card == meant[number] for card in frame["cards"])

    def is_hand(frame):
        return any(thing["kind"] == "hand" for thing in frame["things"])

    assert [event["event"] for event in film["events"]] == ["placed"] * 5 + ["removed"]
    for event in film["events"]:
        number, is_laid = event["card"], event["event"] == "placed"
        assert lies(number, frames[event["hand_in"] - 1]) != is_laid
        assert lies(number, frames[event["hand_gone"]]) == lies(number, frames[event["still"]]) == is_laid
        assert [is_hand(frame) for frame in frames].index(True, event["hand_in"]) == event["hand_in"]
        assert all(is_hand(frame) for frame in frames[event["hand_in"] : event["hand_gone"]])
        assert not any(is_hand(frame) for frame in frames[event["hand_gone"] : event["hand_gone"] + 12])
    assert len(frames) > len(pictures)


def test_a_film_lays_only_cards_that_are_wholly_in_view(studio):
    _, scene = comet_deck(3, studio, plain_typefaces(), pictures=1)
    assert len(played_in_view(scene)) > 1
    narrow = {**scene, "camera": {**scene["camera"], "view_deg": 2.0}}
    assert played_in_view(narrow) == []


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


def as_rendered(told):
    """What `render` would make of a description from straight above, each card a flat polygon."""
    size = (900, 700)
    at = np.concatenate([np.array(card["corners"]) @ turn(card["turn"]) + card["at"] for card in told["cards"]])
    low, scale = at.min(0) - 20, float((np.array(size) / (np.ptp(at, axis=0) + 40)).min())
    owner = np.zeros(size[::-1], np.uint8)
    corners = []
    for number, card in enumerate(told["cards"], 1):
        shown, sharp = (
            ((np.array(card[key]) @ turn(card["turn"]) + card["at"] - low) * scale) for key in ("outline", "corners")
        )
        cv2.fillPoly(owner, [np.round(shown).astype(np.int32)], number)
        corners.append(sharp.astype(np.float32))
    return Rendered(told, np.zeros((*owner.shape, 3), np.uint8), owner, corners)


@pytest.mark.parametrize("seed", range(4))
def test_the_truth_of_a_hexel_scene_names_every_symbol_that_shows(seed, studio):
    told = list(hexel.hexel_deck(seed, studio, pictures=1))
    teaching = hexel.truth(as_rendered(told[0]))
    assert [card["edges"] for card in teaching["cards"]] == [[name] * 6 for name in told[0]["symbols"]]
    truth = hexel.truth(as_rendered(told[1]))
    assert len(truth["cards"]) + len(truth["loose"]) == sum(not card["aside"] for card in told[1]["cards"])
    assert all(max(card["hidden"]) < 0.1 and card["covered"] < 0.1 for card in truth["cards"])


def test_the_truth_of_a_hexdragon_scene_tells_tiles_from_stars_and_boards(studio):
    for told in hexdragon.hexdragon_deck(2, studio, pictures=1):
        truth = hexdragon.truth(as_rendered(told))
        shown = [card["face"]["kind"] for card in told["cards"] if "face" in card]
        assert len(truth["tiles"]) == sum(kind != "star" for kind in shown)
        assert len(truth["stars"]) == sum(kind == "star" for kind in shown)
        assert all(max(tile["hidden"]) < 0.2 for tile in truth["tiles"])


def test_the_truth_of_a_hexapod_scene_is_what_lies_on_top(studio):
    for told in hexapod.hexapod_deck(3, studio, pictures=2):
        truth = hexapod.truth(as_rendered(told))
        laid = np.full((5, 5), None, object)
        for card in told["cards"]:
            for number, (row, col) in enumerate(card["over"]):
                laid[row, col] = card["cells"][number // 2][number % 2]
        assert truth["boards"][0]["laid"] == laid.tolist()
        assert np.mean(truth["boards"][0]["doubt"]) < 0.2
        assert len(truth["loose"]) == sum(not card["over"] for card in told["cards"][1:])


@pytest.mark.parametrize("style", ["clip art", "painted edges", "letters"])
def test_a_pictured_deck_shows_each_symbol_at_its_edge_and_nothing_in_the_middle(style, studio):
    rng = np.random.default_rng(7)
    symbols = ("red", "blue", "void")
    deck = (
        clip_art(symbols, studio.art.clips, rng)
        if style == "clip art"
        else (painted_edges if style == "painted edges" else letters)(symbols, rng)
    )
    bare, face = deck.raster((), 9.0), deck.raster(("red",) * 5 + ("blue",), 9.0)
    changed = (np.abs(face[..., :3].astype(int) - bare[..., :3]).max(-1) > 20).astype(np.uint8)
    middle = (np.array(face.shape[:2]) - 1) / 2
    assert not changed[int(middle[0]) - 20 : int(middle[0]) + 20, int(middle[1]) - 20 : int(middle[1]) + 20].any()
    y, x = np.nonzero(changed)
    sectors = np.round(-np.degrees(np.arctan2(y - middle[0], x - middle[1])) / 60).astype(int) % 6
    assert (np.bincount(sectors, minlength=6) > 100).all()
    assert (face[..., 3] == bare[..., 3]).all()
