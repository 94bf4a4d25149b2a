"""A lamp on the mains leaves bands on a rolling shutter's pictures, which are no change of the table."""

import numpy as np
import pytest

from companion.vision.tracking.change_detector import MASK_PX, ChangeDetector
from companion.vision.tracking.lamp_flicker import band_gains

SIZE = (240, 320)
FRAME_S = 0.1
TABLE = np.full((*SIZE, 3), 120, np.float32) + np.linspace(0, 60, SIZE[1], dtype=np.float32)[None, :, None]
ROWS = np.linspace(0, 1, SIZE[0], dtype=np.float32)[:, None, None]
PATCH = np.s_[64:128, 96:160]


def frame(index: int, depth: float, bands: float = 1.5, *, patch: float = 0.0) -> np.ndarray:
    """A table, and perhaps something on it, under a lamp whose bands lie elsewhere in each frame."""
    image = TABLE.copy()
    image[PATCH] += patch
    image *= 1 + depth * np.sin(2 * np.pi * (bands * ROWS + 0.37 * index))
    image += np.random.default_rng(index).normal(0, 2.0, image.shape).astype(np.float32)
    return np.clip(image, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("bands", [1.0, 1.5, 3.0])
@pytest.mark.parametrize("depth", [0.03, 0.06])
def test_a_lamps_bands_are_no_change(depth: float, bands: float) -> None:
    detector = ChangeDetector()
    detector.update(frame(0, depth, bands), 0.0)
    detector.accept()
    for index in range(1, 15):
        mask = detector.update(frame(index, depth, bands), index * FRAME_S)
        assert not mask.changed.any()
    assert mask.is_still(1.0).all()


def test_an_uneven_lamps_bands_are_found() -> None:
    angles = 2 * np.pi * (2.9 * np.linspace(0, 1, 67) + 0.2)
    wave = 1 + 0.05 * np.sin(angles) + 0.025 * np.cos(2 * angles)
    gains = band_gains(*planes(np.repeat(wave[:, None], 120, 1)))
    assert gains is not None and np.abs(gains - wave).max() < 0.01


def test_what_is_laid_amid_bands_is_seen_where_it_lies_and_is_still() -> None:
    detector = ChangeDetector()
    for index in range(5):
        detector.update(frame(index, 0.06), index * FRAME_S)
    detector.accept()
    for index in range(5, 12):
        mask = detector.update(frame(index, 0.06, patch=50.0), index * FRAME_S)
    place = np.zeros(mask.changed.shape, bool)
    y, x = ((s.start // MASK_PX, s.stop // MASK_PX) for s in PATCH)
    place[y[0] : y[1], x[0] : x[1]] = True
    assert mask.changed[place].mean() > 0.9
    assert not mask.changed[: y[0] - 2].any() and not mask.changed[y[1] + 2 :].any()
    assert mask.is_still(0.4)[place].all()


def planes(gain: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A plain table, and the same with a gain (h, w) at each place."""
    usual = np.full((3, *gain.shape), 120, np.float32)
    return usual * gain.astype(np.float32), usual


def test_rows_have_the_gains_of_the_wave_also_beside_an_arm() -> None:
    wave = 1 + 0.05 * np.sin(2 * np.pi * 2.2 * np.linspace(0, 1, 67) + 1)
    gain = np.repeat(wave[:, None], 120, 1)
    gain[20:40, :90] *= 0.55
    gains = band_gains(*planes(gain))
    assert gains is not None and np.abs(gains - wave).max() < 0.01


def test_an_arm_a_soft_shadow_and_steady_light_make_no_bands() -> None:
    steady = np.ones((67, 120))
    arm = steady.copy()
    arm[25:, 30:100] = 0.6
    shadow = steady - 0.2 * np.exp(-(((np.arange(67) - 5) / 12) ** 2))[:, None]
    assert band_gains(*planes(steady)) is None
    assert band_gains(*planes(arm)) is None
    assert band_gains(*planes(shadow)) is None
