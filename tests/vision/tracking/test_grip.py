"""Whether fingers are at a card, or just near it."""

import cv2
import numpy as np
import pytest

from companion.vision.geometry import HEXAGON
from companion.vision.results import DetectedCard
from companion.vision.tracking.grip import is_clear_of_hands

MIDDLE, SIDE = np.array([160.0, 120.0]), 48.0
TABLE, SKIN = (90, 100, 80), (120, 150, 210)


@pytest.mark.parametrize(
    ("gap_px", "light", "is_clear"),
    [(40, 1.0, True), (12, 1.0, True), (12, 0.7, True), (2, 1.0, False), (-8, 1.0, False), (-8, 0.7, False)],
)
def test_a_finger_across_an_edge_is_told_from_one_beside_it(gap_px: int, light: float, is_clear: bool) -> None:
    image = np.full((240, 320, 3), TABLE, np.uint8)
    corners = (HEXAGON.unit * SIDE + MIDDLE).astype(np.float32)
    cv2.fillPoly(image, [corners.round().astype(np.int32)], (235, 235, 235), cv2.LINE_AA)
    right = int(corners[:, 0].max()) + gap_px
    cv2.rectangle(image, (right, 112), (319, 128), SKIN, -1)
    hands = np.zeros((30, 40), bool)
    hands[14:16, right // 8 :] = True
    accepted = np.ones((3, 30, 40), np.float32) * np.array(TABLE, np.float32)[:, None, None]
    card = DetectedCard(None, ("red",) * 6, corners, 0.9, 0.95, np.zeros((6, 3), np.float32))
    lit = np.clip(image * light, 0, 255).astype(np.uint8)
    changed = np.zeros((30, 40), bool)
    changed[5:25, 8:] = True
    assert is_clear_of_hands(card, lit, accepted, changed, hands) is is_clear
