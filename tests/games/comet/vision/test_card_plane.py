"""The plane that cards lie in: what most outlines say puts right the one that reaches to its neighbour's edge."""

import numpy as np
import pytest

from companion.games.comet.vision.card_plane import CardPlane
from companion.vision.geometry.shapes import mapped

HALF_WIDTH = 0.6
IMAGE_FROM_PLANE = np.array([[120.0, 30, 600], [-20, 80, 350], [0.02, 0.06, 1]])
CARDS = [((-4.0, 1.0), 10.0), ((-1.0, -2.0), 95.0), ((0.5, 1.5), 200.0), ((2.5, -1.0), 340.0), ((4.0, 2.0), 55.0)]


def outline(place, turn_deg, right=HALF_WIDTH):
    a = np.radians(turn_deg)
    corners = np.array([[-HALF_WIDTH, -1], [right, -1], [right, 1], [-HALF_WIDTH, 1]])
    turned = corners @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + place
    return mapped(IMAGE_FROM_PLANE, turned)


@pytest.fixture
def outlines():
    return np.array([outline(*card) for card in CARDS])


def test_exact_outlines_lie_in_their_plane(outlines):
    assert CardPlane.through(outlines, HALF_WIDTH).oddness(outlines).max() < 1e-3


def test_an_outline_that_reaches_too_far_is_odd_and_is_right_about_one_of_its_corners(outlines):
    seen = outlines.copy()
    seen[2] = outline(*CARDS[2], right=HALF_WIDTH + 0.5)
    plane = CardPlane.through(seen, HALF_WIDTH)
    assert int(plane.oddness(seen).argmax()) == 2 and plane.oddness(seen)[[0, 1, 3, 4]].max() < 0.02
    off = np.abs(plane.anchored(seen[2]) - outlines[2]).max((1, 2))
    assert off.min() < 3.0 < off[0]


def test_a_card_is_moved_along_its_own_sides(outlines):
    plane = CardPlane.through(outlines, HALF_WIDTH)
    (beside,) = plane.moved(outlines[0], np.array([[2 * HALF_WIDTH, 0.0]]))
    assert np.abs(beside[[0, 3]] - outlines[0][[1, 2]]).max() < 1.0


def test_an_outline_begun_at_the_next_corner_is_begun_at_its_own(outlines):
    plane = CardPlane.through(outlines, HALF_WIDTH)
    begun = plane.oriented(np.roll(outlines[:1], 1, 1))
    assert np.allclose(begun[0], outlines[0]) or np.allclose(begun[0], np.roll(outlines[0], 2, 0))
