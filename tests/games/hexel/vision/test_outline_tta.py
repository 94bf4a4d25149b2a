"""A card in doubt is looked at again from beside its outline, and is read when another outline shows it better."""

import numpy as np
import pytest

from companion.games.hexel.vision.reexamination import reclassify_with_jitter
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid
from models.drawing.hexel.photograph import photograph


@pytest.fixture(scope="module")
def table(light_printing):
    """The picture, the namer, the true outlines (4, 6, 2)."""
    look, classifier = light_printing
    picture = photograph(np.random.default_rng(3), edition="36", printing=look, cards=4, across_px=100, hardness=0.0)
    corners = np.array([card["corners"] for card in picture.truth["cards"]], np.float32)
    return Pyramid.of(picture.bgr), classifier, corners


def _askew(corners: np.ndarray, degrees: float, push: float) -> np.ndarray:
    centre, affine = HEXAGON.pose_of(corners)
    sine, cosine = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    turned = affine @ np.array([[cosine, -sine], [sine, cosine]])
    return np.asarray(centre + affine @ (push * HEXAGON.unit[1]) + HEXAGON.unit @ turned.T, np.float32)


def _doubted(said: np.ndarray, card: int, symbols: int) -> np.ndarray:
    """The same probabilities (N, 6, C), those of so many symbols of a card without any leaning."""
    out = said.copy()
    out[card, :symbols] = 1 / said.shape[-1]
    return out


def _sure(classifier, probabilities: np.ndarray) -> int:
    return sum(name is not None for name in classifier.accept(probabilities))


def test_a_card_outlined_askew_is_read_through_a_better_outline(table):
    pyramid, classifier, true = table
    corners = true.copy()
    for degrees in range(4, 14):  # as far as the network bears
        corners[0] = _askew(true[0], degrees, degrees / 60)
        before = _doubted(classifier.classify(pyramid, corners), 0, 2)
        if _sure(classifier, before[0]) < 4:
            break
    assert _sure(classifier, before[0]) == 3
    better, after = reclassify_with_jitter(pyramid, corners, before, classifier)
    side = np.linalg.norm(true[0, 0] - true[0, 1])
    assert _sure(classifier, after[0]) == 6
    assert np.linalg.norm(better[0] - true[0], axis=1).max() < 0.06 * side
    assert (better[1:] == corners[1:]).all()


def test_a_card_whose_symbols_are_sure_but_that_is_outlined_askew_gets_a_better_outline(table):
    pyramid, classifier, true = table
    corners = true.copy()
    corners[0] = _askew(true[0], 8, 0.15)
    better, _ = reclassify_with_jitter(pyramid, corners, classifier.classify(pyramid, true), classifier)
    side = np.linalg.norm(true[0, 0] - true[0, 1])
    assert np.linalg.norm(better[0] - true[0], axis=1).max() < 0.06 * side
    assert (better[1:] == corners[1:]).all()


def test_what_is_sure_and_fits_is_left_alone(table):
    pyramid, classifier, true = table
    said = classifier.classify(pyramid, true)
    same, still = reclassify_with_jitter(pyramid, true, said, classifier)
    assert same is true and still is said


def test_what_shows_hardly_a_sure_symbol_may_be_anything_and_is_left_alone(table):
    pyramid, classifier, true = table
    corners = true.copy()
    corners[0] = _askew(true[0], 8, 0.15)
    said = _doubted(classifier.classify(pyramid, true), 0, 4)
    same, still = reclassify_with_jitter(pyramid, corners, said, classifier)
    assert same is corners and still is said


def test_an_outline_that_nothing_betters_stays(table):
    pyramid, classifier, true = table
    said = _doubted(classifier.classify(pyramid, true), 1, 2)
    same, still = reclassify_with_jitter(pyramid, true, said, classifier)
    assert same is true and still is said
