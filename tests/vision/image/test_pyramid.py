"""A picture in smaller and smaller sizes."""

import numpy as np
import pytest

from companion.games import GAMES
from companion.vision.geometry import mapped
from companion.vision.image.pyramid import Pyramid, percentile


def test_a_picture_is_never_scaled_to_nothing() -> None:
    assert Pyramid.of(np.zeros((1, 3, 3), np.uint8)).scaled(0.25).shape == (1, 1, 3)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [(1, 1), (3, 1280), (9, 12)])
def test_a_picture_too_small_for_any_card_shows_nothing(game: str, size: tuple[int, int]) -> None:
    reader = GAMES[game].recognizer()
    reading = reader.read(np.full((*size, 3), 200, np.uint8), reader.classifier(None, None))
    assert not reading.cards


@pytest.mark.parametrize("count", [1, 2, 7, 576, 2304])
@pytest.mark.parametrize("percent", [0, 5, 50, 95, 97, 100])
def test_percentiles_are_those_of_numpy_to_the_last_digit(count: int, percent: float) -> None:
    values = np.random.default_rng(count).integers(0, 256, count, np.uint8)
    assert percentile(values, percent) == float(np.percentile(values, percent))


@pytest.mark.parametrize("count", [32767, 32768, 70000])
def test_any_number_of_points_is_sampled(count: int) -> None:
    picture = np.arange(256, dtype=np.uint8)[:, None, None].repeat(3, 2)
    rows = np.arange(count) % 256
    seen = Pyramid.of(picture).sample(np.stack([np.zeros(count), rows], 1).astype(np.float32), 0)
    assert (seen == rows[:, None]).all()


def test_points_of_a_plane_are_sampled_as_they_are_in_the_picture() -> None:
    pyramid = Pyramid.of(np.random.default_rng(1).integers(0, 255, (120, 160, 3)).astype(np.uint8))
    image_from_plane = np.array([[30.0, 4.0, 70.0], [-3.0, 28.0, 60.0], [0.05, 0.02, 1.0]])
    points = np.random.default_rng(2).uniform(-1, 1, (2, 3, 50))
    on_picture = mapped(image_from_plane, points.reshape(2, -1).T).reshape(3, 50, 2)
    seen, meant = pyramid.sample_plane(image_from_plane, points, 1), pyramid.sample(on_picture, 1)
    assert np.abs(seen.astype(int) - meant).max() <= 2  # places are looked up to 1/32 of a pixel
