"""A camera that was pushed aside by less than a bump: one motion explains what it sees from then on."""

import cv2
import numpy as np
import pytest

from companion.vision.tracking.camera_motion import Stabilizer

SIZE, FINE = (135, 240), 8
"""A mask's height and width, and in how many pixels each of its own is drawn."""


def table(seed: int, right: float = 0.0, down: float = 0.0) -> np.ndarray:
    """A table with many things (3, h, w), the camera pushed aside by so many mask pixels."""
    h, w = (FINE * side for side in SIZE)
    rng, big = np.random.default_rng(seed), np.full((h, w), 120, np.uint8)
    for _ in range(60):
        x, y = rng.integers(0, w), rng.integers(0, h)
        corner = (int(x + rng.integers(40, 400)), int(y + rng.integers(40, 300)))
        cv2.rectangle(big, (int(x), int(y)), corner, int(rng.integers(60, 200)), -1)
    aside = np.array([[1, 0, right * FINE], [0, 1, down * FINE]])
    moved = cv2.GaussianBlur(cv2.warpAffine(big, aside, (w, h), borderMode=cv2.BORDER_REPLICATE), (0, 0), 5)
    return np.repeat(cv2.resize(moved, SIZE[::-1], interpolation=cv2.INTER_AREA).astype(np.float32)[None], 3, 0)


def off(seen: np.ndarray, accepted: np.ndarray) -> float:
    return float(np.abs(seen - accepted)[:, 5:-5, 5:-5].mean())


@pytest.mark.parametrize("seed", range(8))
def test_a_camera_pushed_aside_by_nearly_as_much_as_it_may_tremble_is_followed(seed: int) -> None:
    accepted, pushed = table(seed), table(seed, 0.48, 0.22)
    back = Stabilizer().stabilized(pushed, accepted, 1.0)
    assert off(back, accepted) < 0.4 * off(pushed, accepted)


@pytest.mark.parametrize("was_aside", [True, False])
def test_what_was_aside_a_moment_ago_is_followed_a_little_farther(was_aside: bool) -> None:
    accepted, farther = table(0), table(0, 0.54, 0.2)
    stabilizer = Stabilizer()
    if was_aside:
        stabilizer.stabilized(table(0, 0.46, 0.2), accepted, 1.0)
    back = stabilizer.stabilized(farther, accepted, 1.1)
    assert (off(back, accepted) < 0.5 * off(farther, accepted)) is was_aside
