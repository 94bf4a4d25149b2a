"""A card's pose survives being coded, whatever its turn and however it is foreshortened."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from companion.vision.finder import UNIT_HEXAGON, corners_from_code, pose_code


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
    corners = UNIT_HEXAGON @ (axis @ np.diag([size, size * squeeze]) @ axis.T @ rotation).T + [x, y]
    centre, code, _ = pose_code(corners)
    again = corners_from_code(centre, code)
    assert min(np.abs(np.roll(again, k, 0) - corners).max() for k in range(6)) < 1e-3 * size
