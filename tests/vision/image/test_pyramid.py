"""A picture in smaller and smaller sizes."""

import numpy as np
import pytest

from companion.games import GAMES
from companion.vision.image.pyramid import Pyramid


def test_a_picture_is_never_scaled_to_nothing() -> None:
    assert Pyramid.of(np.zeros((1, 3, 3), np.uint8)).scaled(0.25).shape == (1, 1, 3)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("size", [(1, 1), (3, 1280), (9, 12)])
def test_a_picture_too_small_for_any_card_shows_nothing(game: str, size: tuple[int, int]) -> None:
    reader = GAMES[game].recognizer()
    reading = reader.read(np.full((*size, 3), 200, np.uint8), reader.classifier(None, None))
    assert not reading.cards
