"""Drawn Hexapod photographs: a seed is a picture, and the truth says what is on it."""

import cv2
import numpy as np
import pytest

from companion.games.hexapod.artwork import DRAWINGS
from models.drawing.hexapod.layouts import Case, Scene, scene, showing_all
from models.drawing.hexapod.photograph import HIDDEN, photograph
from models.drawing.hexapod.printings import invented, reference

SIZE = (640, 360)


@pytest.fixture(scope="module")
def pictures():
    look = reference()
    return [photograph(np.random.default_rng(seed), size=SIZE, printing=look) for seed in range(6)]


def laid(cells, rows=5, cols=5):
    """A case with one card in its middle, nothing else."""
    case = Case(np.zeros(2), 0.0, rows, cols, 0.0)
    case.cells = [[None] * cols for _ in range(rows)]
    case.lay(cells, (1, 1), 0.5, np.random.default_rng(0))
    return Scene([case], [])


def middle_of(board, row, col):
    square = np.array([[0, 0], [board["cols"], 0], [board["cols"], board["rows"]], [0, board["rows"]]], np.float32)
    m = cv2.getPerspectiveTransform(square, np.array(board["corners"], np.float32))
    return cv2.perspectiveTransform(np.array([[[col + 0.5, row + 0.6]]], np.float32), m)[0, 0].round().astype(int)


def test_the_same_seed_draws_the_same_picture():
    one, other = (photograph(np.random.default_rng(3), size=SIZE, printing="reference") for _ in range(2))
    assert (one.bgr == other.bgr).all() and one.truth == other.truth


def test_insects_lie_in_the_cells_that_the_truth_says():
    scene_of_one = laid((("blue", "dung"), ("gold", "green")))
    picture = photograph(np.random.default_rng(1), size=SIZE, printing=reference(), laid=scene_of_one, hardness=0)
    board = picture.truth["boards"][0]
    assert board["laid"][1][1:3] == ["blue", "dung"] and board["laid"][0][0] is None
    seen = {}
    for (row, col), kind in {(1, 1): "blue", (1, 2): "dung", (2, 1): "gold", (2, 2): "green"}.items():
        x, y = middle_of(board, row, col)
        seen[kind] = np.median(picture.bgr[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3).astype(int), axis=0)
    assert seen["blue"][0] > seen["blue"][2] and seen["gold"][2] > seen["gold"][0] + 30
    assert seen["dung"].max() < min(seen["gold"].max(), seen["blue"].max())


def test_corners_run_clockwise_as_seen(pictures):
    for picture in pictures:
        for entry in (*picture.truth["boards"], *picture.truth["loose"]):
            assert cv2.contourArea(np.array(entry["corners"], np.float32), oriented=True) > 0


def test_a_hidden_cell_need_not_be_read_and_says_nothing(pictures):
    for board in (board for picture in pictures for board in picture.truth["boards"]):
        for cells, covered, doubt in zip(board["cells"], board["covered"], board["doubt"], strict=True):
            for kind, share, doubtful in zip(cells, covered, doubt, strict=True):
                assert doubtful or share <= HIDDEN
                assert not doubtful or kind is None


def test_a_case_has_the_rows_and_columns_asked_for():
    picture = photograph(np.random.default_rng(2), size=SIZE, laid=scene(np.random.default_rng(2), 1, (4, 6)))
    (board,) = picture.truth["boards"]
    assert (board["rows"], board["cols"], len(board["cells"]), len(board["cells"][0])) == (4, 6, 4, 6)


@pytest.mark.parametrize("seed", range(5))
def test_the_case_to_learn_from_shows_every_kind(seed):
    (case,) = showing_all(np.random.default_rng(seed)).cases
    assert {kind for row in case.cells for kind in row} >= set(DRAWINGS)


@pytest.mark.parametrize("seed", range(3))
def test_no_two_kinds_of_an_invented_deck_look_the_same(seed):
    pictures = [cv2.resize(p, (40, 40)) for p in invented(np.random.default_rng(seed)).pictures.values()]
    for k, one in enumerate(pictures):
        for other in pictures[:k]:
            assert np.abs(one.astype(int) - other).mean() > 2


@pytest.mark.parametrize("seed", range(9_750_004, 9_750_010))
def test_the_insects_of_an_invented_deck_are_seen_on_their_cards(seed):
    look = invented(np.random.default_rng(seed))
    face = np.array([int(look.face[k : k + 2], 16) for k in (5, 3, 1)])
    for picture in look.pictures.values():
        ink = picture[picture[:, :, 3] > 250][:, :3].astype(int)
        assert np.percentile(np.abs(ink - face).max(1), 75) > 60


def test_stacked_cards_lie_higher_than_those_below():
    (case,) = scene(np.random.default_rng(8), 1, (5, 5), odd=False).cases
    assert all(card.to_mm > card.from_mm >= case.floor_mm for card in case.cards)
