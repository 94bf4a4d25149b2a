"""A card's pose survives being coded, however it lies, and small cards are looked at closer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.games.hexdragon.vision.detector import DETECTOR as HEXDRAGON_DETECTOR
from companion.games.hexel.vision.detector import DETECTOR
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid
from models.drawing.hexdragon.photograph import hexdragon_photograph
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


@pytest.mark.parametrize("across_px", [360.0, 480.0])
@pytest.mark.parametrize("game", ["hexel", "hexdragon"])
def test_cards_that_fill_the_picture_are_found_whole(game: str, across_px: float) -> None:
    rng = np.random.default_rng(4)
    if game == "hexel":
        picture = photograph(rng, size=(1280, 720), cards=2, across_px=across_px, hardness=0.0)
        detector, shown = DETECTOR, [*picture.truth["cards"], *picture.truth["loose"]]
    else:
        picture = hexdragon_photograph(rng, size=(1280, 720), tiles=3, across_px=across_px, hardness=0.0)
        detector, shown = HEXDRAGON_DETECTOR, picture.truth["tiles"]
    middles = np.array([np.mean(card["corners"], axis=0) for card in shown])
    middle = min(middles, key=lambda at: float(np.linalg.norm(at - [640, 360])))
    away = [np.linalg.norm(one.corners.mean(0) - middle) for one in detector.detect(Pyramid.of(picture.bgr), 0.8)]
    assert min(away) < 0.1 * across_px
