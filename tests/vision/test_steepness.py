"""A camera that looks too flat across the table is noticed, and nothing is stated from there."""

import cv2
import numpy as np
import pytest

from companion.games import GAMES
from companion.games.comet.vision.recognizer import read_comet
from companion.vision.detection.conditions import is_too_steep
from companion.vision.geometry import HEXAGON, SQUARE
from companion.vision.image.pyramid import Pyramid
from models.drawing.comet.photograph import comet_photograph
from models.drawing.hexel.photograph import photograph


def row_of_tiles(tilt_deg: float) -> list[np.ndarray]:
    """Three outlines (6, 2) as a camera sees them that looks so much from the side."""
    seen = HEXAGON.unit * [60, 60 * np.cos(np.radians(tilt_deg))]
    return [(seen + np.array([150.0 + 150 * k, 200.0])).astype(np.float32) for k in range(3)]


@pytest.mark.parametrize("turn_deg", [0.0, 20.0])
def test_tilt_is_told_by_how_much_shorter_a_piece_looks(turn_deg: float) -> None:
    t = np.radians(turn_deg)
    turn = np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
    lower = (HEXAGON.unit @ turn.T * [100, 100 * np.cos(np.radians(55))]).astype(np.float32)
    assert abs(float(HEXAGON.tilt_deg(lower)) - 55) < 0.1
    blank = Pyramid.of(np.zeros((60, 80, 3), np.uint8))
    assert is_too_steep(blank, HEXAGON, [lower]) and not is_too_steep(blank, SQUARE, [SQUARE.unit.astype(np.float32)])


@pytest.mark.parametrize("true_deg", [44.0, 55.0])
def test_outlines_placed_as_if_less_tilted_do_not_hide_how_flat_the_camera_looks(true_deg: float) -> None:
    rng = np.random.default_rng(2)
    bgr = np.asarray(rng.normal(90, 4, (400, 600, 3)), np.uint8)
    for outline in row_of_tiles(true_deg):
        cv2.fillConvexPoly(bgr, np.round(outline).astype(np.int32), (230, 230, 230), cv2.LINE_AA)
    assert is_too_steep(Pyramid.of(bgr), HEXAGON, row_of_tiles(41.0)) == (true_deg > 50)


def test_a_table_seen_too_flat_is_said_and_nothing_of_it_is_stated() -> None:
    bgr = photograph(np.random.default_rng(6), size=(960, 540), cards=5, hardness=0.0).bgr
    flat = cv2.copyMakeBorder(cv2.resize(bgr, (960, 280), interpolation=cv2.INTER_AREA), 80, 80, 0, 0, 1)
    reader = GAMES["hexel"].recognizer()
    as_it_is, flattened = (reader.read(one, reader.classifier(None, None)) for one in (bgr, flat))
    assert "too-steep" not in {w.code for w in as_it_is.warnings}
    assert any(None not in card.edges for card in (*as_it_is.cards, *as_it_is.loose))
    cards = (*flattened.cards, *flattened.loose)
    assert cards and {edge for card in cards for edge in card.edges} == {None}
    assert {"too-steep", "unsure"} <= {w.code for w in flattened.warnings}


def test_a_comet_card_face_down_is_not_stated_from_too_far_aside_either() -> None:
    bgr = comet_photograph(np.random.default_rng(24), size=(960, 540)).bgr
    flat = cv2.copyMakeBorder(cv2.resize(bgr, (960, 280), interpolation=cv2.INTER_AREA), 80, 80, 0, 0, 1)
    as_it_is, flattened = read_comet(bgr), read_comet(flat)
    assert any(card.values is None for card in as_it_is.cards)
    assert "too-steep" in {w.code for w in flattened.warnings}
    assert flattened.cards and {number for card in flattened.cards for number in card.values or ("back",)} == {None}


def test_outlines_of_tilted_cards_along_which_no_edge_shows_tell_no_tilt() -> None:
    bare = np.asarray(np.random.default_rng(2).normal(90, 4, (400, 600, 3)), np.uint8)
    assert is_too_steep(Pyramid.of(bare), HEXAGON, row_of_tiles(41.0))
