"""Outlines of Hexapod's cases laid through many votes: exact where most agree, however wrong the others are."""

import numpy as np
import pytest

from companion.games.hexapod.vision import recognizer as hexapod_reading
from companion.games.hexapod.vision.detector import PLACES, VOTE_SCALE
from companion.games.hexapod.vision.recognizer import read_hexapod
from companion.vision.geometry import SQUARE, fit_robust_homography, homography, mapped
from models.hexapod.keypoints.targets import inside, votes_in

TRUE = np.array([[100.0, 80], [300, 95], [290, 310], [85, 280]])
CARDS = (
    (0, 0, (("blue", "green"), ("gold", "dung"))),
    (0, 3, (("moth", "moth"), ("leaf", "blue"))),
    (3, 0, (("stag", "gold"), ("stag", "leaf"))),
)


def found_by_votes(found, votes, weights):
    """The quad that votes (2, n, n) cast from ``found`` mean."""
    matrix = fit_robust_homography(PLACES, PLACES + votes.reshape(2, -1).T / VOTE_SCALE, weights)
    return mapped(homography(found), mapped(np.linalg.inv(matrix), SQUARE.unit))


def cast(found):
    votes = votes_in(found, TRUE)
    is_cast = np.isfinite(votes).all(0).reshape(-1)
    return np.nan_to_num(votes), is_cast.astype(float)


@pytest.mark.parametrize("away", [(20.0, -15.0), (42.0, 0.0), (0.0, -45.0)])
def test_votes_bring_a_find_that_is_half_a_cell_or_a_whole_one_off_to_the_true_outline(away):
    found = TRUE + away + np.array([[4.0, 0], [-3, 5], [0, -6], [5, 2]])
    assert np.abs(found_by_votes(found, *cast(found)) - TRUE).max() < 2.0


def test_a_third_of_the_votes_under_a_hand_does_not_bend_the_outline():
    found = TRUE + np.array([12.0, 9.0])
    votes, weights = cast(found)
    under = np.flatnonzero(weights)[::3]
    votes.reshape(2, -1)[:, under] += np.random.default_rng(1).normal(0, 2, (2, len(under))) + 1.5
    assert np.abs(found_by_votes(found, votes, weights) - TRUE).max() < 3.0


def test_votes_without_weight_mean_no_outline():
    assert fit_robust_homography(PLACES, PLACES, np.zeros(len(PLACES))) is None


def test_a_quad_begun_at_any_corner_gets_the_same_votes():
    found = TRUE + np.array([5.0, 5.0])
    first = votes_in(found, TRUE)
    for turns in (1, 2, 3):
        assert np.allclose(votes_in(found, np.roll(TRUE, turns, axis=0)), first, equal_nan=True)


def test_a_true_quad_lies_in_its_own_view_where_the_unit_square_does():
    assert np.allclose(inside(TRUE, TRUE), SQUARE.unit, atol=1e-6)


def test_a_case_found_a_third_of_a_cell_off_is_put_where_its_cells_say(frame, monkeypatch):
    picture = frame([((480, 320), 0, CARDS)])
    (exact,) = read_hexapod(picture).cards
    side = float(np.linalg.norm(exact.corners[1] - exact.corners[0]))
    detect_cases = hexapod_reading.detect_cases

    def pushed(pyramid, finds):
        return tuple(
            type(quad)(quad.corners + np.float32(side / 5 * 0.3), quad.confidence)
            for quad in detect_cases(pyramid, finds)
        )

    monkeypatch.setattr(hexapod_reading, "detect_cases", pushed)
    (case,) = read_hexapod(picture).cards
    assert case.cells == exact.cells
    assert np.abs(case.corners - exact.corners).max() < 0.12 * side / 5
