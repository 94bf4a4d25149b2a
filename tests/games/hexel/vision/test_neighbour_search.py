"""A card that the finder hardly saw is found where its neighbour would have it; nothing is found on a bare table."""

import numpy as np
import pytest

from companion.games.hexel.vision.reexamination import find_neighbours
from companion.vision.detection.detector import Detection
from companion.vision.image.pyramid import Pyramid
from models.drawing.hexel.photograph import photograph


@pytest.fixture(scope="module")
def table(light_printing):
    """The picture, the namer, the true outlines (6, 6, 2)."""
    look, classifier = light_printing
    picture = photograph(np.random.default_rng(5), edition="36", printing=look, cards=6, across_px=90, hardness=0.0)
    corners = np.array([card["corners"] for card in picture.truth["cards"]], np.float32)
    return Pyramid.of(picture.bgr), classifier, corners


def _hint_at(centre: np.ndarray, true: np.ndarray, sure: float = 0.05) -> Detection:
    """What a finder says that is hardly sure of anything: about there, about so large."""
    return Detection(np.asarray(0.7 * (true[0] - true[0].mean(0)) + centre, np.float32), sure)


def test_a_hint_beside_a_card_becomes_the_card_that_lies_there_and_so_does_the_next(table):
    pyramid, classifier, true = table
    side = np.linalg.norm(true[0, 0] - true[0, 1])
    hints = [_hint_at(corners.mean(0) + 0.2 * side, true) for corners in true[1:]]
    cards, said = find_neighbours(pyramid, true[:1], hints, classifier)
    off = np.array([np.linalg.norm(true.mean(1) - card.corners.mean(0), axis=1) for card in cards])
    assert len(cards) >= 3 and (off.min(1) < 0.08 * side).all()
    assert len(set(off.argmin(1))) == len(cards) and 0 not in off.argmin(1)
    assert all(None not in classifier.accept(p) for p in said)


def test_hints_beside_the_tableau_are_no_cards(table):
    pyramid, classifier, true = table
    reach = np.linalg.norm(true[0, 0] - true[0, 3])
    ring = true.mean(1)[:, None] + reach * np.array([[1, 0], [-1, 0], [0.5, 0.9], [-0.5, -0.9]])
    bare = [p for p in ring.reshape(-1, 2) if np.linalg.norm(true.mean(1) - p, axis=1).min() > 0.75 * reach]
    assert len(bare) > 3
    assert find_neighbours(pyramid, true, [_hint_at(p, true, 0.1) for p in bare], classifier) == ([], [])


def test_without_a_hint_nothing_is_looked_at(table):
    pyramid, classifier, true = table
    assert find_neighbours(pyramid, true[:1], [], classifier) == ([], [])
