"""What people are told of the looking itself."""

import numpy as np
import pytest

from companion.app.watching import PASSING_S, SETTLING_S, WatchingNotices, has_glare
from companion.referee.messages import Notice
from tests.clock import Clock

GREY = np.full((540, 960, 3), 120, np.uint8)
MOVED = {"event": "notice", "code": "camera-moved", "message": "The camera was moved."}


@pytest.fixture
def clock() -> Clock:
    return Clock(100.0)


@pytest.fixture
def states(clock: Clock) -> WatchingNotices:
    return WatchingNotices(clock)


def test_a_camera_that_was_moved_is_said_for_a_while(states: WatchingNotices, clock: Clock) -> None:
    states.update([MOVED], is_quiet=True, active=())
    assert states.merge({}, GREY, is_waiting=False)["camera-moved"].text == "The camera was moved."
    assert states.codes == ("camera-moved",)
    clock.now_s += PASSING_S
    states.update([], is_quiet=True, active=())
    assert states.codes == ()
    assert states.merge({}, GREY, is_waiting=False) == {}


def test_what_may_be_a_card_is_shown_at_its_spot_for_a_while(states: WatchingNotices) -> None:
    star = {"event": "notice", "code": "maybe-card", "message": "A star perhaps.", "at": [480, 135]}
    unread = {"event": "notice", "code": "unsure", "message": "A new card cannot be read fully.", "at": [10, 10]}
    states.update([star, unread], is_quiet=True, active=())
    assert states.merge({}, GREY, is_waiting=False) == {
        "maybe-card": Notice("maybe-card", "A star perhaps.", (0.5, 0.25))
    }, "the interpreter says of an unread card that it is one"


def test_what_still_holds_is_not_said_twice(states: WatchingNotices) -> None:
    states.update([{"event": "notice", "code": "dark", "message": "Too dark."}], is_quiet=True, active=("dark",))
    assert states.codes == ()


def test_what_moves_for_long_is_waited_for_aloud(states: WatchingNotices, clock: Clock) -> None:
    states.update([], is_quiet=False, active=())
    assert states.merge({}, GREY, is_waiting=False) == {}, "a hand that lays a card needs no words"
    clock.now_s += SETTLING_S
    states.update([], is_quiet=False, active=())
    assert list(states.merge({}, GREY, is_waiting=False)) == ["settling"]
    assert states.merge({}, GREY, is_waiting=True) == {}
    states.update([], is_quiet=True, active=())
    assert states.merge({}, GREY, is_waiting=False) == {}


def test_a_card_that_cannot_be_read_for_glare_is_said_to_be_so(states: WatchingNotices) -> None:
    shining = GREY.copy()
    shining[240:300, 460:520] = 255
    unsure = {"unsure": Notice("unsure", "A card cannot be read.", (0.5, 0.5))}
    found = states.merge(unsure, shining, is_waiting=False)
    assert list(found) == ["glare"]
    assert found["glare"].at == (0.5, 0.5)
    assert states.merge(unsure, GREY, is_waiting=False) == unsure


@pytest.mark.parametrize("at", [(0.0, 0.0), (1.0, 1.0)])
def test_a_spot_at_the_rim_is_looked_at_as_far_as_there_is_picture(at: tuple[float, float]) -> None:
    assert not has_glare(GREY, at)
    assert has_glare(np.full_like(GREY, 255), at)
