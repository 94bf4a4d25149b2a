"""What a picture's light may have done to a learnt HexDragon set."""

import numpy as np
import pytest

from companion.games.hexdragon.vision.classifier import OWNERS, VIEW, Answers
from companion.games.hexdragon.vision.prototypes import (
    GAINS,
    PLACES,
    InkProfile,
    fits,
    owners_weighed,
    tint_log_likelihoods,
)

NAMES = ("red", "blue", "yellow")
INKS = np.array([[0.2, 0.3, 0.9], [0.9, 0.4, 0.2], [0.2, 0.8, 0.9]], np.float32)


def a_set(inks: np.ndarray) -> InkProfile:
    return InkProfile("hexdragon", NAMES, inks, inks, PLACES[:9].astype(np.float32), ground=0.1)


def heads(*inks: np.ndarray) -> np.ndarray:
    return np.stack([np.full((VIEW, VIEW, 3), ink, np.float32) for ink in inks])


def sure(count: int, head: float = 0.99) -> Answers:
    ends = np.full((count, 6, 7), (1 - head) / 6, np.float32)
    ends[:, 2, 6] = head
    kinds = np.tile(np.array([0.98, 0.01, 0.01], np.float32), (count, 1))
    return Answers(ends, np.full((count, 4), 0.25, np.float32), kinds)


def owners(profile: InkProfile, views: np.ndarray) -> np.ndarray:
    answers = sure(len(views))
    fitting = fits(profile, views, answers, GAINS)
    return owners_weighed(profile, fitting, tint_log_likelihoods(fitting, answers), OWNERS)


@pytest.mark.parametrize("tint", [(1.25, 1.0, 0.8), (0.85, 1.0, 1.2), (1.0, 1.0, 1.0)])
def test_heads_in_another_light_keep_their_owners(tint: tuple[float, float, float]) -> None:
    order = (0, 1, 2, 0, 2)
    share = owners(a_set(INKS), heads(*(INKS[k] * tint for k in order)))
    assert [OWNERS[k] for k in share.argmax(1)] == [NAMES[k] for k in order]
    assert share.max(1).min() > 0.9
    assert np.allclose(share.sum(1), 1.0, atol=1e-4)


def test_where_a_tint_makes_one_ink_of_another_nobody_is_sure() -> None:
    tint = np.array([1.2, 1.0, 0.83], np.float32)
    alike = np.stack([INKS[0], INKS[0] * tint * tint, INKS[1]])
    share = owners(a_set(alike), heads(INKS[0] * tint))
    assert share.max() < 0.85


def test_other_heads_decide_what_one_alone_leaves_open() -> None:
    tint = np.array([1.2, 1.0, 0.83], np.float32)
    alike = np.stack([INKS[0], INKS[0] * tint * tint, INKS[1]])
    alone = owners(a_set(alike), heads(INKS[0] * tint))[0]
    among = owners(a_set(alike), heads(INKS[0] * tint, INKS[1] * tint, INKS[1] * tint))[0]
    assert among[OWNERS.index("red")] > alone[OWNERS.index("red")]


def test_without_a_sure_head_the_light_is_likeliest_as_it_was_measured() -> None:
    views = heads(INKS[0] * (1.2, 1.0, 0.8))
    answers = sure(1, head=0.5)
    tints = tint_log_likelihoods(fits(a_set(INKS), views, answers, GAINS), answers)
    assert tints.argmax() == len(tints) // 2


def test_a_colour_that_is_nobodys_is_given_to_nobody() -> None:
    share = owners(a_set(INKS), heads(np.array([0.2, 0.95, 0.1])))
    assert share.max() < 0.6
