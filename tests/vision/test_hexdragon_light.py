"""What a picture's light did to a learnt HexDragon set."""

from dataclasses import replace

import numpy as np
import pytest

from companion.vision.hexdragon_inks import PLACES, Profile
from companion.vision.hexdragon_light import tint_of
from companion.vision.paths import VIEW, Answers

INKS = np.array([[0.2, 0.3, 0.9], [0.9, 0.4, 0.2], [0.2, 0.8, 0.9]], np.float32)
SET = Profile("hexdragon", ("red", "blue", "yellow"), INKS, INKS, PLACES[:9].astype(np.float32), ground=0.1)


def heads(*inks: int, tint: tuple[float, float, float]) -> np.ndarray:
    return np.stack([np.full((VIEW, VIEW, 3), INKS[k] * tint, np.float32) for k in inks])


def sure(count: int, head: float = 0.99) -> Answers:
    ends = np.full((count, 6, 7), (1 - head) / 6, np.float32)
    ends[:, 2, 6] = head
    return Answers(
        ends, np.full((count, 4), 0.25, np.float32), np.tile(np.array([0.98, 0.01, 0.01], np.float32), (count, 1))
    )


def told(views: np.ndarray, answers: Answers) -> np.ndarray:
    tint = tint_of(SET, views, answers)
    assert tint is not None
    return tint


@pytest.mark.parametrize("tint", [(1.15, 1.0, 0.87), (0.9, 1.0, 1.1), (1.0, 1.0, 1.0)])
def test_the_heads_of_a_picture_tell_the_tint_of_its_light(tint: tuple[float, float, float]) -> None:
    inks = (0, 1, 2, 0, 1, 2, 1, 0)
    mended = told(heads(*inks, tint=tint), sure(len(inks))) * tint
    assert np.allclose(mended / mended.mean(), 1.0, atol=0.04)


def test_one_head_tells_less_than_many() -> None:
    tint = (1.15, 1.0, 0.87)
    one, many = (np.abs(np.log(told(heads(*[1] * n, tint=tint), sure(n)))).max() for n in (1, 12))
    assert 0.02 < one < many


def test_without_a_sure_head_the_light_is_left_as_it_was_measured() -> None:
    assert tint_of(SET, heads(0, 1, tint=(1.2, 1.0, 0.8)), sure(2, head=0.5)) is None


def test_paper_tells_the_light_better_than_inks() -> None:
    assert tint_of(replace(SET, ground=0.75), heads(0, 1, tint=(1.2, 1.0, 0.8)), sure(2)) is None


def test_a_colour_that_is_nobodys_moves_nothing() -> None:
    green = np.full((6, VIEW, VIEW, 3), (0.2, 0.95, 0.1), np.float32)
    assert np.allclose(told(green, sure(6)), 1.0, atol=0.02)
