"""Printings whose symbols stand upright on the card: each outline is looked at in six ways, which takes its time."""

import numpy as np

from companion.games.hexel.vision.embedding import LENGTH
from companion.games.hexel.vision.upright import UprightSymbols
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid


class Counted:
    """A network that tells the mean of each patch, and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def forward(self, batch: np.ndarray) -> np.ndarray:
        self.count += len(batch)
        return np.repeat(batch.mean((1, 2, 3))[:, None], LENGTH, axis=1).astype(np.float32)


def test_an_outline_is_embedded_once_on_a_picture() -> None:
    """A reader asked for one and the same outline up to six times: it took more than twice as long."""
    net, rng = Counted(), np.random.default_rng(1)
    symbols = UprightSymbols(np.zeros((3, LENGTH), np.float32), np.full(3, 0.75, np.float32), 0.66)
    corners = np.stack([HEXAGON.unit * 50 + at for at in ((90.0, 90.0), (200.0, 90.0), (310.0, 90.0))])
    pictures = [Pyramid.of(rng.integers(0, 256, (180, 400, 3), np.uint8)) for _ in range(2)]
    asked = []
    for pyramid, some in zip(
        [*pictures[:1] * 3, pictures[1]], (corners[:2], corners[:2], corners, corners), strict=True
    ):
        least = symbols.least_squared(net, pyramid, some)
        squared = symbols.lying(net, pyramid, some).squared
        assert np.allclose(least, squared[:, :, [0, 3]].min((0, 2, 3)))
        asked.append(net.count)
    assert asked == [2 * 36, 2 * 36, 3 * 36, 6 * 36]


def test_patches_are_those_of_each_way_up() -> None:
    symbols = UprightSymbols(np.zeros((2, LENGTH), np.float32), np.full(3, 0.75, np.float32), 0.66)
    pyramid = Pyramid.of(np.random.default_rng(1).integers(0, 256, (180, 300, 3), np.uint8))
    corners = np.stack([HEXAGON.unit * 50 + at for at in ((90.0, 90.0), (200.0, 90.0))])
    each = np.stack([symbols.patches(pyramid, corners, np.full((2, 6), turn))[0] for turn in range(6)])
    up = np.array([[0, 1, 2, 3, 4, 5], [3, 3, 0, 0, 5, 5]])
    mixed, _ = symbols.patches(pyramid, corners, up)
    assert (mixed == each[up, np.arange(2)[:, None], np.arange(6)]).all()
