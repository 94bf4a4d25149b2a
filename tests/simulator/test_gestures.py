from itertools import pairwise

import numpy as np
import pytest

from companion.simulator import gestures
from companion.simulator.lying import Pose

AT, SEAT = Pose(40, -30, 5), (0.0, 400.0)


def rng(seed=1):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("seed", range(8))
def test_a_laid_card_ends_where_it_should_and_is_still_before_the_hand_lets_go(seed):
    laid = gestures.lay(AT, SEAT, rng(seed))
    assert laid.at(laid.still_at_s).card == laid.at(laid.frees_at_s).card == AT
    assert laid.still_at_s < laid.frees_at_s < laid.length_s


@pytest.mark.parametrize("seed", range(8))
def test_a_card_is_adjusted_after_it_touches_down(seed):
    laid = gestures.lay(AT, SEAT, rng(seed))
    down = next(m for m in laid.moments if m.card_mm == 0)
    assert down.card is not None and 2.5 < np.hypot(down.card.x_mm - AT.x_mm, down.card.y_mm - AT.y_mm) < 8.5


@pytest.mark.parametrize(
    "gesture",
    [
        gestures.lay(AT, SEAT, rng()),
        gestures.lift(AT, SEAT, rng()),
        gestures.nudge(AT, AT.shifted(2, 1, 1), SEAT, rng()),
        gestures.hover(AT, SEAT, rng()),
    ],
)
def test_every_hand_comes_from_its_seat_and_goes_back(gesture):
    for end in (gesture.moments[0], gesture.moments[-1]):
        assert (end.hand.x_mm, end.hand.y_mm) == pytest.approx(SEAT, abs=20)


def test_a_hand_never_jumps():
    laid = gestures.lay(AT, SEAT, rng())
    hands = [laid.at(t).hand for t in np.arange(0, laid.length_s, 0.02)]
    steps = [np.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) for a, b in pairwise(hands)]
    assert max(steps) < 30


def test_a_lifted_card_lies_still_until_it_is_taken():
    lifted = gestures.lift(AT, SEAT, rng())
    assert lifted.at(0).card == lifted.at(lifted.takes_at_s).card == AT


def test_a_hovering_hand_carries_nothing():
    hovering = gestures.hover(AT, SEAT, rng())
    assert hovering.takes_at_s is None
    assert all(moment.card is None for moment in hovering.moments)
