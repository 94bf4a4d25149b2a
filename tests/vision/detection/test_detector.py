"""A card's pose survives being coded, however it lies, and small cards are looked at closer."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from companion.games.hexel.vision.detector import DETECTOR
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid
from models.drawing.hexel.photograph import photograph


@given(
    st.floats(0, 360),
    st.floats(10, 200),
    st.floats(0.6, 1.0),
    st.floats(0, 180),
    st.floats(-500, 500),
    st.floats(-500, 500),
)
def test_a_pose_survives_its_code_up_to_the_corner_it_begins_with(
    turn: float, size: float, squeeze: float, along: float, x: float, y: float
) -> None:
    a, b = np.radians(turn), np.radians(along)
    rotation = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    axis = np.array([[np.cos(b), -np.sin(b)], [np.sin(b), np.cos(b)]])
    corners = HEXAGON.unit @ (axis @ np.diag([size, size * squeeze]) @ axis.T @ rotation).T + [x, y]
    centre, code, _ = HEXAGON.pose_code(corners)
    again = HEXAGON.corners_from_code(centre, code)
    assert min(np.abs(np.roll(again, k, 0) - corners).max() for k in range(6)) < 1e-3 * size


def test_small_cards_of_a_printing_never_seen_are_all_found() -> None:
    picture = photograph(np.random.default_rng(32), size=(960, 540), printing="invented", across_px=44.0, cards=6)
    found = DETECTOR.detect(Pyramid.of(picture.bgr), 0.45)
    places = np.array([f.corners.mean(0) for f in found])
    shown = [c for c in picture.truth["cards"] + picture.truth["loose"] if c["covered"] < 0.3 and not c.get("cut")]
    for card in shown:
        away = np.linalg.norm(places - np.mean(card["corners"], axis=0), axis=1)
        assert away.min() < 5, f"nothing is found at {card['cell']}"
