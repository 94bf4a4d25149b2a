"""A taught set's tiles are looked at as they are and in a mirror."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.games.hexdragon.vision.classifier import (
    Answers,
    Face,
    accepted_edges,
    answers_both_ways,
    answers_to,
    cut_tiles,
    edge_probabilities,
    tile_network,
)
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.vision.image.pyramid import Pyramid

SCENE = Path(__file__).resolve().parent / "scenes" / "broad-lanes.png"
OUTLINE = np.array([[54.3, 20.0], [50.7, 44.5], [26.7, 54.7], [6.3, 40.4], [9.9, 15.9], [33.9, 5.7]], np.float32)


@pytest.fixture
def views() -> np.ndarray:
    """A tile of three lanes so broad that they run into one another: two curves beside a straight one."""
    bgr = np.asarray(cv2.imread(str(SCENE)), np.uint8)
    return cut_tiles(Pyramid.of(bgr), OUTLINE[None], np.array([1.6, 0.49, 0.92]))[0]


def accepted(answers: Answers) -> Face:
    return accepted_edges(edge_probabilities(answers)[0], LIMITS.sure_edge, LIMITS.sure_owner)


def test_what_looks_different_in_a_mirror_is_not_stated(views: np.ndarray) -> None:
    assert accepted(answers_to(tile_network(), views)) == ("+3",) * 6, "three straight lanes, as it seems"
    assert accepted(answers_both_ways(tile_network(), views)) == (None, "+3", None, None, "+3", None)


def test_a_mirrored_tile_is_told_as_the_mirror_image_of_what_it_is(views: np.ndarray) -> None:
    seen, mirrored = (answers_both_ways(tile_network(), some) for some in (views, views[:, ::-1]))
    for edge in range(6):
        for step in range(1, 6):
            there = mirrored.ends[0, -edge % 6, 6 - step - 1]
            assert np.isclose(seen.ends[0, edge, step - 1], there, atol=1e-5)
        assert np.allclose(seen.ends[0, edge, 5:], mirrored.ends[0, -edge % 6, 5:], atol=1e-5)
