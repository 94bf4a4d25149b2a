"""Whether a token's star has points: counters and figures have none."""

import cv2
import numpy as np
import pytest

from companion.games.hexdragon.vision.classifier import REACH, VIEW, Answers, star_shares
from companion.games.hexdragon.vision.classifier import edge_probabilities as probabilities
from companion.games.hexdragon.vision.stars import reweigh_stars, star_ink
from companion.games.hexdragon.vision.thresholds import LIMITS

SCALE = 8
GREEN, PAPER, BOARD = (0.2, 0.6, 0.1), (0.7, 0.7, 0.68), (0.3, 0.35, 0.4)


def answers(star: float, tile: float = 0.01) -> Answers:
    ends, owners = np.full((1, 6, 7), 1 / 7, np.float32), np.full((1, 4), 0.25, np.float32)
    return Answers(ends, owners, np.array([[tile, star, 1 - star - tile]], np.float32))


def view(points: int, inner: float, aside: tuple[float, float] = (0.0, 0.0), ink: tuple[float, ...] = GREEN):
    """A token on a cell, (VIEW, VIEW, 3): the inner radius of its figure is so much of the outer one."""
    large = np.full((VIEW * SCALE, VIEW * SCALE, 3), BOARD, np.float32)
    middle = (np.array(aside) / REACH + 1) * VIEW * SCALE / 2
    px = VIEW * SCALE / 2 / REACH
    cv2.circle(large, tuple(middle.astype(int).tolist()), int(0.53 * px), PAPER, -1)
    ways = np.pi * np.arange(2 * points) / points + 0.2
    radii = 0.42 * px * np.where(np.arange(2 * points) % 2, inner, 1.0)
    corners = middle + radii[:, None] * np.stack([np.cos(ways), np.sin(ways)], 1)
    cv2.fillPoly(large, [np.round(corners).astype(np.int32)], ink)
    return cv2.resize(large, (VIEW, VIEW), interpolation=cv2.INTER_AREA)


def star_after(star: float, seen: np.ndarray, tile: float = 0.01) -> float:
    return float(star_shares(probabilities(reweigh_stars(answers(star, tile), seen[None])))[0])


@pytest.mark.parametrize(("points", "inner"), [(4, 0.4), (5, 0.4), (5, 0.5), (6, 0.55), (8, 0.45), (8, 0.6), (8, 0.7)])
@pytest.mark.parametrize("aside", [(0.0, 0.0), (0.2, -0.1)])
def test_a_star_with_points_is_believed(points: int, inner: float, aside: tuple[float, float]) -> None:
    seen = view(points, inner, aside)
    assert star_after(0.2, seen) > LIMITS.guessed_star
    assert np.allclose(star_ink(seen), GREEN, atol=0.05)


@pytest.mark.parametrize(
    ("points", "inner"),
    [(4, np.sqrt(0.5)), (6, np.sqrt(0.75)), (8, np.cos(np.pi / 8)), (30, 0.99)],
    ids=["square", "hexagon", "octagon", "disc"],
)
def test_a_figure_without_points_tells_nothing(points: int, inner: float) -> None:
    assert star_after(0.2, view(points, inner)) == pytest.approx(0.2)


def test_the_palest_star_tells_nothing() -> None:
    ink = tuple(value - 0.03 for value in PAPER)
    assert star_after(0.2, view(5, 0.4, ink=ink)) == pytest.approx(0.2)


@pytest.mark.parametrize(("star", "tile"), [(0.01, 0.01), (0.3, 0.6)])
def test_what_is_hardly_a_star_or_rather_a_tile_stays_so(star: float, tile: float) -> None:
    assert star_after(star, view(5, 0.4), tile) == pytest.approx(star)


def test_a_flower_on_a_cloth_is_doubted() -> None:
    seen = view(5, 0.4)
    for way in np.radians(90 * np.arange(4)):
        at = (np.array([np.cos(way), np.sin(way)]) * 0.46 / REACH + 1) * VIEW / 2
        cv2.circle(seen, tuple(np.round(at).astype(int).tolist()), 4, (0.9, 0.1, 0.8), -1)
    assert star_after(0.97, seen) < LIMITS.guessed_star
