"""A camera that looks too flat across the table is noticed, and nothing is stated from there."""

import cv2
import numpy as np
import pytest

from companion.games import GAMES
from companion.vision.detection.conditions import is_too_steep
from companion.vision.geometry import HEXAGON, SQUARE
from models.drawing.hexel.photograph import photograph


@pytest.mark.parametrize("turn_deg", [0.0, 20.0])
def test_tilt_is_told_by_how_much_shorter_a_piece_looks(turn_deg: float) -> None:
    t = np.radians(turn_deg)
    turn = np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
    lower = (HEXAGON.unit @ turn.T * [100, 100 * np.cos(np.radians(55))]).astype(np.float32)
    assert abs(float(HEXAGON.tilt_deg(lower)) - 55) < 0.1
    assert is_too_steep(HEXAGON, [lower]) and not is_too_steep(SQUARE, [SQUARE.unit.astype(np.float32)])


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
