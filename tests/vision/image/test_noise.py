"""A sensor's noise: how strong it is, and what is left of it."""

import numpy as np
import pytest

from companion.vision.image.pyramid import denoised, noise_levels


def a_picture(sigma: float) -> np.ndarray:
    """A dark tile with a lighter square, as a noisy sensor sees it."""
    clean = np.full((120, 160, 3), 40.0)
    clean[30:90, 40:110] = 70.0
    return np.asarray(np.clip(clean + np.random.default_rng(3).normal(0, sigma, clean.shape), 0, 255), np.uint8)


@pytest.mark.parametrize("sigma", [3.0, 8.0])
def test_noise_is_measured_where_the_picture_is_even(sigma: float) -> None:
    assert noise_levels(a_picture(sigma)[..., 1]) == pytest.approx(sigma, rel=0.15)


def test_a_clean_picture_stays_as_it_is() -> None:
    clean = a_picture(0.5)
    assert denoised(clean) is clean


def test_noise_goes_and_edges_stay() -> None:
    noisy, clean = a_picture(8.0), a_picture(0.0)
    left = denoised(noisy)
    assert noise_levels(left[..., 1]) < 0.5 * noise_levels(noisy[..., 1])
    assert np.abs(left[60].astype(int) - clean[60]).mean() < 0.6 * np.abs(noisy[60].astype(int) - clean[60]).mean()
    assert int(left[60, 42:46].mean()) - int(left[60, 34:38].mean()) > 20


def test_a_picture_of_a_few_pixels_is_left_alone() -> None:
    crumb = np.zeros((3, 5, 3), np.uint8)
    assert denoised(crumb) is crumb
