"""A camera that was moved is noticed by the marks, and found again by them."""

from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import pytest

from companion.printing.marks import mark_shapes
from companion.printing.raster import raster
from companion.printing.shapes import Box
from companion.vision.calibration.aruco import square_mm
from companion.vision.calibration.calibration import Calibration
from companion.vision.calibration.drift import DriftMonitor, check_drift, zoned
from companion.vision.geometry import mapped

SIZE = (1280, 720)
PLACES = ((60.0, 60.0), (740.0, 60.0), (740.0, 440.0), (60.0, 440.0))
HOME = np.array([[1.5, 0.05, 30.0], [-0.04, 1.45, 20.0], [2e-5, 6e-5, 1.0]])
PUSHED = np.array([[1.42, -0.12, 90.0], [0.13, 1.38, -15.0], [-1e-5, 4e-5, 1.0]])
CARDS = np.array([[100.0, 100], [500, 120], [300, 380]])[:, None] + np.array([[0.0, 0], [60, 0], [60, 60], [0, 60]])
TAIL = np.array([[300.0, 200.0], [500, 200], [500, 300], [300, 300]])


@lru_cache
def sheet(places: tuple[tuple[float, float], ...]) -> np.ndarray:
    """A cloth with the four marks from above, 1.5 pixels a millimetre."""
    cloth = np.full((750, 1200, 3), (80, 96, 72), np.uint8)
    for number, (x, y) in enumerate(places):
        mark = raster(mark_shapes(number), 1.5, Box(-21, -21, 21, 21))[..., :3]
        left, top = round((x - 21) * 1.5), round((y - 21) * 1.5)
        cloth[top : top + 63, left : left + 63] = mark
    return cloth


def seen(image_from_table: np.ndarray, places: tuple[tuple[float, float], ...] = PLACES) -> np.ndarray:
    """The cloth as a camera shows it."""
    mm_from_px = np.array([[1 / 1.5, 0, 1 / 3], [0, 1 / 1.5, 1 / 3], [0, 0, 1]])
    return cv2.warpPerspective(sheet(places), image_from_table @ mm_from_px, SIZE, flags=cv2.INTER_LINEAR)


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    marks = {number: square_mm() + at for number, at in enumerate(PLACES)}
    return Calibration("here", "camera", SIZE, np.linalg.inv(HOME), zones={"tail": TAIL}, marks=marks)


def middle_px(image_from_table: np.ndarray) -> tuple[float, float]:
    x, y = mapped(image_from_table, TAIL.mean(0))
    return float(x), float(y)


def test_a_camera_that_stands_where_it_stood_is_left_alone(calibration: Calibration) -> None:
    found = check_drift(calibration, seen(HOME))
    assert found.code == ""
    assert found.calibration is calibration
    assert found.zone_of(middle_px(HOME)) == "tail"


def test_a_moved_camera_is_told_and_the_table_found_again(calibration: Calibration) -> None:
    found = check_drift(calibration, seen(PUSHED))
    assert found.code == "camera-moved"
    assert found.calibration is not None
    points = np.array([[100.0, 100.0], [400, 250], [700, 400]])
    assert np.abs(found.calibration.table_mm(mapped(PUSHED, points)) - points).max() < 0.5


def test_one_mark_that_was_pushed_is_not_the_camera(calibration: Calibration) -> None:
    assert check_drift(calibration, seen(HOME, ((120.0, 60.0), *PLACES[1:]))).code == ""


def test_marks_that_no_longer_lie_as_they_lay_make_the_zones_useless(calibration: Calibration) -> None:
    found = check_drift(calibration, seen(PUSHED, ((120.0, 60.0), (740.0, 90.0), *PLACES[2:])))
    assert found.code == "calibration-lost"
    assert found.zone_of(middle_px(PUSHED)) is None


def test_without_marks_in_view_the_calibration_is_believed(calibration: Calibration) -> None:
    assert check_drift(calibration, np.full((720, 1280, 3), 90, np.uint8)).calibration is calibration


def test_pictures_of_another_shape_are_told(calibration: Calibration) -> None:
    found = check_drift(calibration, np.zeros((960, 1280, 3), np.uint8))
    assert found.code == "calibration-size"
    assert "1280 x 720 pixels, not 1280 x 960" in found.message


def test_an_anchor_goes_on_from_where_the_camera_was_found_again(calibration: Calibration) -> None:
    anchor = DriftMonitor(calibration)
    assert anchor.check(seen(HOME)).code == ""
    assert anchor.check(seen(PUSHED)).code == "camera-moved"
    told = [anchor.check(seen(PUSHED)).code for _ in range(6)]
    assert told[0] == "camera-moved"
    assert told[-1] == ""
    assert anchor.zone_of(middle_px(PUSHED)) == "tail"


def test_cards_of_a_game_with_zones_are_told_theirs(calibration: Calibration) -> None:
    x, y = middle_px(HOME)
    corners = [[x - 5, y - 5], [x + 5, y - 5], [x + 5, y + 5], [x - 5, y + 5]]
    reading = {"cards": [{"values": [2, 3, 9], "zone": None, "corners": corners}], "warnings": []}
    zone_of = replace(calibration).zone_of
    assert zoned(reading, zone_of)["cards"][0]["zone"] == "tail"
    assert zoned({"event": "placed", **reading["cards"][0]}, zone_of)["zone"] == "tail"
    assert "zone" not in zoned({"cards": [{"cell": [0, 0], "corners": corners}]}, zone_of)["cards"][0]


def test_without_marks_the_cards_tell_where_the_camera_went(calibration: Calibration) -> None:
    before, after = mapped(HOME, CARDS), mapped(PUSHED, CARDS)
    anchor = DriftMonitor(calibration)
    anchor.follow(list(before), list(after))
    assert anchor.now.code == "camera-moved"
    assert anchor.zone_of(middle_px(PUSHED)) == "tail"


def test_cards_that_were_shuffled_meanwhile_make_the_zones_useless(calibration: Calibration) -> None:
    after = mapped(PUSHED, CARDS[[1, 2, 0]])
    anchor = DriftMonitor(calibration)
    anchor.follow(list(mapped(HOME, CARDS)), list(after))
    assert anchor.now.code == "calibration-lost"
    assert anchor.check(np.full((720, 1280, 3), 90, np.uint8)).code == "calibration-lost"
    assert anchor.zone_of(middle_px(PUSHED)) is None
    assert anchor.check(seen(PUSHED)).code == "camera-moved"
    assert anchor.zone_of(middle_px(PUSHED)) == "tail"
