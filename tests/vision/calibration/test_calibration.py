"""A calibration: kept in a file, asked for millimetres and zones."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.errors import UsageError
from companion.vision.calibration.calibration import (
    Calibration,
    WrongSize,
    calibration_text,
    read_calibration,
)
from companion.vision.calibration.lens import Lens

LENS = Lens((1500.0, 1490.0), (955.0, 545.0), (-0.21, 0.06, 0.001, -0.0007, -0.01), 0.3, 12)
TILTED = np.array([[0.52, 0.01, -480.0], [-0.02, 0.55, -300.0], [1e-5, 4e-5, 1.0]])
SQUARE = np.array([[0.0, 0.0], [100, 0], [100, 100], [0, 100]])
ZONES = {"Desten": SQUARE, 'the "Tail"': np.add(SQUARE, [300, 0])}
KNOWN = Calibration(
    venue="kitchen, by the window",
    camera="Pi camera",
    size=(1920, 1080),
    table_from_undistorted=TILTED,
    lens=LENS,
    zones=ZONES,
    marks={0: SQUARE},
    by="marks",
    residual_mm=0.42,
    made=date(2026, 5, 4),
)


def kept(calibration: Calibration, folder: Path) -> Path:
    file = folder / "kitchen.toml"
    file.write_text(calibration_text(calibration), encoding="utf-8")
    return file


@pytest.mark.parametrize("calibration", [KNOWN, replace(KNOWN, lens=None, zones={}, marks={}, residual_mm=None)])
def test_what_is_written_is_read_back(calibration: Calibration, tmp_path: Path) -> None:
    again = read_calibration(kept(calibration, tmp_path))
    assert (again.venue, again.camera, again.by) == (KNOWN.venue, KNOWN.camera, KNOWN.by)
    assert (again.size, again.made) == (KNOWN.size, KNOWN.made)
    assert again.lens == calibration.lens
    assert again.residual_mm == calibration.residual_mm
    assert list(again.zones) == list(calibration.zones)
    points = np.array([[10.0, 10.0], [960, 540], [1900, 1000]])
    assert np.abs(again.table_mm(points) - calibration.table_mm(points)).max() < 1e-3


@settings(max_examples=60, deadline=None)
@given(st.floats(0, 1919), st.floats(0, 1079))
def test_a_pixel_goes_to_the_table_and_back(x: float, y: float) -> None:
    there = KNOWN.table_mm(np.array([x, y]))
    assert np.abs(KNOWN.image_px(there) - [x, y]).max() < 1e-3


def test_a_zone_is_told_by_the_pixel_that_shows_it() -> None:
    inside = KNOWN.image_px(np.array([350.0, 50.0]))
    assert KNOWN.zone_of((float(inside[0]), float(inside[1]))) == 'the "Tail"'
    between = KNOWN.image_px(np.array([200.0, 50.0]))
    assert KNOWN.zone_of((float(between[0]), float(between[1]))) is None


def test_where_two_zones_overlap_the_nearer_middle_counts() -> None:
    overlapping = replace(KNOWN, zones={"left": SQUARE, "right": np.add(SQUARE, [60, 0])})
    at = overlapping.image_px(np.array([95.0, 50.0]))
    assert overlapping.zone_of((float(at[0]), float(at[1]))) == "right"


def test_pictures_of_another_size_show_the_same_table() -> None:
    half = KNOWN.for_size((960, 540))
    full_px = np.array([[100.0, 900.0], [1700, 40]])
    half_px = (full_px + 0.5) / 2 - 0.5
    assert np.abs(half.table_mm(half_px) - KNOWN.table_mm(full_px)).max() < 1e-6


def test_pictures_of_another_shape_are_refused_with_both_sizes() -> None:
    with pytest.raises(WrongSize, match="1920 x 1080 pixels, not 1280 x 960"):
        KNOWN.for_size((1280, 960))


@pytest.mark.parametrize(
    ("was", "becomes", "complaint"),
    [
        ("calibration = 1", "calibration = 2", "reads calibration = 1"),
        ("venue =", "venu =", "there is no venu"),
        ("picture_px = [1920, 1080]", "picture_px = [1920]", "picture_px must be numbers: 2"),
        ("date = 2026-05-04", 'date = "May"', "date must be a day"),
        ("focal_px = [1500, 1490]", "focal_px = [0, 1490]", "focal_px must be more"),
        ("rms_px = 0.3000", "rms_px = nan", "rms_px must be numbers"),
        ("[300.0, 0.0], [400.0, 0.0], ", "[300.0, 0.0]]  #", "needs three points"),
        ("\n0 = [", "\nzero = [", "a mark has a number"),
        ("[lens]", "[lens]\nzoom = 3", "there is no lens.zoom"),
        ("[zones]", "[zones", "no TOML file"),
        ("mm_from_px = [[0.52", "mm_from_px = [[true, 1], [0.52", "mm_from_px must be numbers: 3 x 3"),
    ],
)
def test_a_broken_file_is_named_with_what_is_wrong(was: str, becomes: str, complaint: str, tmp_path: Path) -> None:
    file = kept(KNOWN, tmp_path)
    text = file.read_text()
    assert was in text
    file.write_text(text.replace(was, becomes, 1))
    with pytest.raises(UsageError, match=complaint) as refused:
        read_calibration(file)
    assert str(file) in refused.value.message
    assert refused.value.code == "bad-calibration"


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*nowhere\.toml: No such file"):
        read_calibration(tmp_path / "nowhere.toml")


def test_a_table_that_is_squeezed_to_a_line_is_no_calibration() -> None:
    with pytest.raises(UsageError, match="turned around"):
        replace(KNOWN, table_from_undistorted=np.zeros((3, 3)))
