"""Whether the camera was moved, whatever lies over the table."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.vision.tracking.camera_motion import CameraMotion

Picture = NDArray[np.uint8]
WIDTH, HEIGHT = 640, 360
SHIFT_PX = 12


def table(seed: int) -> Picture:
    """A dark wooden table with numbered cards."""
    rng = np.random.default_rng(seed)
    grain = cv2.GaussianBlur(rng.normal(0, 1, (HEIGHT, WIDTH, 3)).astype(np.float32), (0, 0), 6)
    bgr = np.clip(60 + 300 * grain, 0, 255).astype(np.uint8)
    for number in range(14):
        x, y = int(rng.integers(20, WIDTH - 60)), int(rng.integers(20, HEIGHT - 40))
        outline = cv2.boxPoints(((x, y), (50, 70), float(rng.uniform(0, 90))))
        cv2.fillConvexPoly(bgr, outline.astype(np.int32), (140, 130, 125))
        cv2.putText(bgr, str(number), (x - 12, y + 8), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (40, 30, 30), 2)
    return bgr


def under_a_white_hat(bgr: Picture) -> Picture:
    """Another frame, a third of which somebody's hat covers."""
    hat = cv2.ellipse(bgr.copy(), (420, 360), (230, 230), 0, 0, 360, (235, 230, 225), -1)
    noise = np.random.default_rng(0).normal(0, 2, bgr.shape)
    return np.clip(hat + noise, 0, 255).astype(np.uint8)


def estimate(first: Picture, then: Picture) -> NDArray[np.float64] | None:
    motion = CameraMotion()
    motion.set_reference(first, 0.0)
    return motion.estimate(then)


@pytest.mark.parametrize("seed", range(2, 8))
def test_something_large_and_bright_over_a_dark_table_is_no_motion_of_the_camera(seed: int) -> None:
    assert estimate(table(seed), under_a_white_hat(table(seed))) is None


@pytest.mark.parametrize("seed", range(2, 8))
def test_a_camera_bumped_beside_something_bright_is_told(seed: int) -> None:
    shift = np.array([[1, 0, SHIFT_PX], [0, 1, 0]], np.float32)
    moved = cv2.warpAffine(table(seed), shift, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REPLICATE)
    homography = estimate(table(seed), under_a_white_hat(np.asarray(moved, np.uint8)))
    assert homography is not None
    assert np.abs(homography[:2, 2] - (SHIFT_PX, 0)).max() < 2
