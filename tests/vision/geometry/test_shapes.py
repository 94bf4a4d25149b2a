"""Undoing a camera's tilt by nothing but the cards' own shape."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.vision.geometry import mapped, table_from_outlines

_ANGLES = np.radians(60.0 * np.arange(6))
HEXAGON = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)


def scattered(count: int, rng: np.random.Generator) -> np.ndarray:
    """Cards of side 1 lying anywhere within ten sides, turned anyhow."""
    turns = rng.uniform(0, 2 * np.pi, count)
    turned = np.stack([HEXAGON @ [[np.cos(t), np.sin(t)], [-np.sin(t), np.cos(t)]] for t in turns])
    return turned + rng.uniform(-10, 10, (count, 1, 2))


def aslant(points: np.ndarray, tilt_deg: float) -> np.ndarray:
    tilt = np.radians(tilt_deg)
    depth = 28.0 + points[..., 1] * np.sin(tilt)
    return np.stack([points[..., 0] / depth, points[..., 1] * np.cos(tilt) / depth], axis=-1) * 900.0 + 400.0


def sides(outlines: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(outlines - np.roll(outlines, 1, axis=1), axis=2))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 36), st.floats(0, 45))
def test_seen_from_above_every_card_is_regular_and_of_one_size(seed: int, count: int, tilt_deg: float) -> None:
    seen = aslant(scattered(count, np.random.default_rng(seed)), tilt_deg)
    level = mapped(table_from_outlines(seen), seen)
    assert np.abs(sides(level) - 1.0).max() < 0.005


def test_a_few_wrong_outlines_do_not_bend_the_table() -> None:
    rng = np.random.default_rng(1)
    seen = aslant(scattered(20, rng), 35.0)
    wrong = seen[:3] + rng.normal(0, 12, (3, 6, 2))
    level = mapped(table_from_outlines(np.concatenate([seen, wrong])), seen)
    assert np.abs(sides(level) / np.median(sides(level)) - 1.0).max() < 0.02


@pytest.mark.parametrize("share", [0.01, 0.02])
def test_the_scale_is_the_side_of_a_card_even_when_corners_are_rough(share: float) -> None:
    rng = np.random.default_rng(2)
    seen = aslant(scattered(30, rng), 30.0)
    rough = seen + rng.normal(0, share, seen.shape) * sides(seen).mean()
    assert np.median(sides(mapped(table_from_outlines(rough), seen))) == pytest.approx(1.0, abs=0.01)
