import numpy as np
import pytest

from companion.games.hexel.deck import FACES
from companion.games.hexel.demo.tabletop import HexelThings, centre_mm
from companion.simulator.film import Film, Setting
from companion.simulator.optics import viewpoint

FACE = FACES["36"][3]
CELLS = ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1))
LINE = tuple((cell, FACES["36"][k]) for k, cell in enumerate(CELLS[:3]))


def film(seed=1, lying=LINE, cells=CELLS):
    table = Film(Setting(HexelThings("36", cells), seats=2, seed=seed, size=(640, 360)))
    table.lay_out(dict(lying))
    return table


def played(table):
    frames = [table.next()]
    while table.is_busy:
        frames.append(table.next())
    return frames


def difference(a, b):
    return np.abs(a.bgr.astype(int) - b.bgr).mean()


def test_frames_are_a_tenth_of_a_second_apart():
    table = film()
    assert [round(table.next().t_s, 3) for _ in range(3)] == [0.1, 0.2, 0.3]


def test_a_frame_is_a_colour_picture_of_the_size_asked_for():
    bgr = film().next().bgr
    assert bgr.shape == (360, 640, 3) and bgr.dtype == np.uint8


def test_a_table_at_rest_only_flickers_and_rustles():
    table = film()
    a, b = table.next(), table.next()
    assert 0.2 < difference(a, b) < 6
    assert not a.truth.has_hand and a.truth.moving is None


def test_a_laid_card_is_there_when_the_hand_has_gone_and_not_before():
    table = film()
    before = table.next()
    table.lay((1, 1), FACE, 0)
    frames = played(table)
    assert (1, 1) not in before.truth.cards and frames[-1].truth.cards[1, 1] == FACE
    assert any(f.truth.has_hand and f.truth.moving == (1, 1) for f in frames)
    assert not frames[-1].truth.has_hand
    laid = [(1, 1) in f.truth.cards for f in frames]
    assert laid == sorted(laid), "once laid it stays"


def test_a_laid_card_shows_in_the_picture_at_its_corners():
    table = film()
    before = table.next()
    table.lay((1, 1), FACE, 0)
    after = played(table)[-1]
    x, y = after.truth.corners[1, 1].mean(axis=0).round().astype(int)
    patch = np.s_[y - 3 : y + 4, x - 3 : x + 4]
    assert after.bgr[patch].mean() > before.bgr[patch].mean() + 30


def test_a_lifted_card_leaves_the_bare_table():
    table = film()
    before = table.next()
    table.lay((1, 1), FACE, 0)
    played(table)
    table.lift((1, 1), 1)
    after = played(table)[-1]
    assert (1, 1) not in after.truth.cards
    assert difference(before, after) < 6


def test_a_nudged_card_moves_a_little_and_stays_itself():
    table = film()
    before = table.next().truth
    table.nudge((1, 0), 1)
    after = played(table)[-1].truth
    moved = np.abs(after.corners[1, 0] - before.corners[1, 0]).max()
    assert 0.05 < moved < 12
    assert after.cards == before.cards


def test_a_hovering_hand_changes_nothing():
    table = film()
    before = table.next()
    table.hover(centre_mm((1, 1)), 0)
    frames = played(table)
    assert any(f.truth.has_hand for f in frames)
    assert frames[-1].truth.cards == before.truth.cards
    assert difference(before, frames[-1]) < 6


def test_a_table_laid_out_again_lies_where_it_lay():
    table = film()
    table.lay((1, 1), FACE, 0)
    table.lay((0, 1), FACE, 1)
    before = played(table)[-1].truth
    after = film(lying=[*LINE, ((1, 1), FACE), ((0, 1), FACE)]).next().truth
    for cell, corners in before.corners.items():
        assert np.abs(after.corners[cell] - corners).max() < 0.01


def test_the_same_seed_films_the_same():
    assert np.array_equal(film(2).next().bgr, film(2).next().bgr)
    assert not np.array_equal(film(2).next().bgr, film(3).next().bgr)


@pytest.mark.parametrize("seed", range(6))
def test_the_camera_sees_every_card_of_the_game(seed):
    line = (*((q, 0) for q in range(-3, 5)), (4, 1), (4, 2), (-3, -1))
    table = film(seed, [(cell, FACE) for cell in line], line)
    for corners in table.next().truth.corners.values():
        assert corners.min() >= 0 and (corners.max(axis=0) < (640, 360)).all()


def test_a_small_game_is_not_filmed_from_too_near():
    assert viewpoint([(0, 0)], (1280, 720), np.random.default_rng(0), around_mm=60).px_per_mm <= 1.6
