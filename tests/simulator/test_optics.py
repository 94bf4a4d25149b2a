import numpy as np
import pytest

from companion.simulator.optics import Camera, applied, mm_from_px


def test_a_camera_looking_straight_down_is_a_scale():
    seen = Camera(tilt_deg=0, px_per_mm=1.5, aim=(0, 0)).project([(0, 0), (10, 0), (0, 20)])
    assert seen - seen[0] == pytest.approx(np.array([(0, 0), (15, 0), (0, 30)]), abs=1e-3)


def test_what_is_higher_is_larger():
    camera = Camera(tilt_deg=0)
    low, high = (np.ptp(camera.project([(-50, 0), (50, 0)], h)[:, 0]) for h in (0, 100))
    assert high > low * 1.1


def test_a_tilted_camera_sees_the_far_side_smaller():
    camera = Camera(tilt_deg=10)
    spans = [np.ptp(camera.project([(-50, y), (50, y)])[:, 0]) for y in (-150, 150)]
    assert abs(spans[0] / spans[1] - 1) > 0.03


def test_the_corners_of_the_picture_are_where_it_says_on_the_table():
    camera = Camera(tilt_deg=8, yaw_deg=33, aim=(40, -20))
    assert camera.project(camera.seen_mm())[2] == pytest.approx((1279, 719), abs=0.01)


def test_the_first_pixel_of_a_drawing_is_half_a_pixel_inside_its_corner():
    assert applied(mm_from_px(-10, -20, 2), [(0, 0)])[0] == pytest.approx((-9.75, -19.75))
