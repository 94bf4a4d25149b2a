"""A lens from drawn photographs of the printed board."""

import numpy as np
import pytest

from companion.errors import UsageError
from companion.printing.marks import board_shapes
from companion.vision.calibration.aruco import board
from companion.vision.calibration.lens import BoardView, Lens, board_view, fit_lens
from models.drawing.marked import Lying, marked_photograph
from models.drawing.pinhole import Pinhole

SIZE = (960, 540)
TRUE = Lens((780.0, 776.0), (483.0, 266.0), (-0.2, 0.05, 0.0006, -0.0004, 0.0), 0.0, 0)
POSES = ((0, 0, 0, 0), (25, 0, 40, 30), (-25, 10, -120, 40), (5, 28, 120, -40), (8, -28, -60, -60), (18, 18, 60, 60))
"""Tilt around x and y in degrees, and how far aside in mm."""


def held(tilt_x: float, tilt_y: float, x: float, y: float) -> np.ndarray:
    """Where an undistorted picture shows the board, whose middle is 420 mm away."""
    a, b = np.radians([tilt_x, tilt_y])
    about_x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    about_y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
    turn = about_x @ about_y
    return TRUE.matrix() @ np.column_stack([turn[:, 0], turn[:, 1], [x, y, 420.0]])


def seen(pose: tuple[float, float, float, float], rng: np.random.Generator) -> BoardView:
    """The board's corners by numbers alone."""
    printed = np.asarray(board().getChessboardCorners(), np.float64)[:, :2]
    middle = np.array([84.0, 108.0])
    undistorted = Pinhole(held(*pose), SIZE).project(printed - middle)
    return BoardView(printed, TRUE.distort(undistorted) + rng.normal(0, 0.1, undistorted.shape))


def off_px(lens: Lens) -> float:
    """How far the lens straightens points over the picture from where they belong, in the worst place."""
    grid = np.stack(np.meshgrid(np.linspace(60, 900, 8), np.linspace(40, 500, 5)), -1).reshape(-1, 2)
    mine = (lens.undistort(grid) - lens.centre_px) / lens.focal_px
    true = (TRUE.undistort(grid) - TRUE.centre_px) / TRUE.focal_px
    return float(np.linalg.norm((mine - mine.mean(0)) - (true - true.mean(0)), axis=1).max()) * TRUE.focal_px[0]


def test_the_lens_is_told_from_photographs_of_the_board() -> None:
    rng = np.random.default_rng(1)
    views = []
    for pose in POSES:
        camera = Pinhole(held(*pose), SIZE)
        sheet = [Lying(board_shapes(), (0.0, 0.0))]
        picture = marked_photograph(rng, camera, sheet, TRUE.undistort, table="plain", mood="soft", hardness=0.4)
        view = board_view(picture)
        if view is not None:
            views.append(view)
    assert len(views) >= 5
    fitted = fit_lens(views, SIZE)
    assert fitted.lens.rms_px < 0.5
    assert fitted.lens.focal_px[0] == pytest.approx(TRUE.focal_px[0], rel=0.02)
    assert off_px(fitted.lens) < 3


def test_one_bad_view_is_left_out() -> None:
    rng = np.random.default_rng(2)
    views = [seen(pose, rng) for pose in POSES]
    bent = BoardView(views[1].printed_mm, views[1].seen_px + rng.normal(0, 4, views[1].seen_px.shape))
    fitted = fit_lens([*views, bent], SIZE)
    assert fitted.lens.pictures == len(views)
    assert fitted.lens.rms_px < 0.3


def test_a_board_held_flat_and_in_the_middle_is_not_enough_said() -> None:
    rng = np.random.default_rng(3)
    views = [seen((tilt, 0.0, 0.0, 0.0), rng) for tilt in (0.0, 1.0, 2.0, 3.0)]
    advice = " ".join(fit_lens(views, SIZE).advice)
    assert "Tilt the board" in advice


def test_too_few_pictures_are_refused() -> None:
    with pytest.raises(UsageError, match="on 2 it was found"):
        fit_lens([seen(pose, np.random.default_rng(4)) for pose in POSES[:2]], SIZE)


def test_a_picture_without_the_board_shows_none() -> None:
    assert board_view(np.full((540, 960, 3), 128, np.uint8)) is None
