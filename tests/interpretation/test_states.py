"""What people are told of the looking itself."""

import numpy as np
import pytest

from companion.interpretation.states import PASSING_S, SETTLING_S, States, glares
from companion.referee.messages import Notice

GREY = np.full((540, 960, 3), 120, np.uint8)
MOVED = {"event": "notice", "code": "camera-moved", "message": "The camera was moved."}


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def states(clock: Clock) -> States:
    return States(clock)


def test_a_camera_that_was_moved_is_said_for_a_while(states: States, clock: Clock) -> None:
    states.hear([MOVED], is_quiet=True, standing=())
    assert states.among({}, GREY, is_waiting=False)["camera-moved"].text == "The camera was moved."
    assert states.holding == ("camera-moved",)
    clock.now_s += PASSING_S
    states.hear([], is_quiet=True, standing=())
    assert states.holding == ()
    assert states.among({}, GREY, is_waiting=False) == {}


def test_what_still_holds_is_not_said_twice(states: States) -> None:
    states.hear([{"event": "notice", "code": "dark", "message": "Too dark."}], is_quiet=True, standing=("dark",))
    assert states.holding == ()


def test_what_moves_for_long_is_waited_for_aloud(states: States, clock: Clock) -> None:
    states.hear([], is_quiet=False, standing=())
    assert states.among({}, GREY, is_waiting=False) == {}, "a hand that lays a card needs no words"
    clock.now_s += SETTLING_S
    states.hear([], is_quiet=False, standing=())
    assert list(states.among({}, GREY, is_waiting=False)) == ["settling"]
    assert states.among({}, GREY, is_waiting=True) == {}
    states.hear([], is_quiet=True, standing=())
    assert states.among({}, GREY, is_waiting=False) == {}


def test_a_card_that_cannot_be_read_for_glare_is_said_to_be_so(states: States) -> None:
    shining = GREY.copy()
    shining[240:300, 460:520] = 255
    unsure = {"unsure": Notice("unsure", "A card cannot be read.", (0.5, 0.5))}
    found = states.among(unsure, shining, is_waiting=False)
    assert list(found) == ["glare"]
    assert found["glare"].at == (0.5, 0.5)
    assert states.among(unsure, GREY, is_waiting=False) == unsure


@pytest.mark.parametrize("at", [(0.0, 0.0), (1.0, 1.0)])
def test_a_spot_at_the_rim_is_looked_at_as_far_as_there_is_picture(at: tuple[float, float]) -> None:
    assert not glares(GREY, at)
    assert glares(np.full_like(GREY, 255), at)
