import numpy as np
import pytest

from companion.errors import DeviceError
from companion.simulator.camera import SimulatedCamera


class Clock:
    """A clock that only runs while somebody waits or works."""

    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


class Table:
    def __init__(self):
        self.t_s, self.is_busy, self.bgr = 0.0, False, np.zeros((2, 2, 3), np.uint8)

    def next(self, step_s):
        self.t_s += step_s
        return self


class Evening:
    is_over = is_done = False
    awaits_camera = False

    def __init__(self):
        self.steps = []

    def step(self, t_s):
        self.steps.append(round(t_s, 6))


@pytest.fixture
def table():
    return Table()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def evening():
    return Evening()


def camera(table, evening, clock, speed=1.0):
    made = SimulatedCamera(table, evening, speed, clock)
    made.open()
    waits = []

    def wait(seconds):
        waits.append(round(seconds, 6))
        clock.now_s += seconds

    made._closed.wait = wait
    return made, waits


def test_pictures_come_at_the_pace_of_the_table(table, evening, clock):
    filming, waits = camera(table, evening, clock)
    frames = [filming.next() for _ in range(4)]
    assert waits == [0.0, 0.1, 0.1, 0.1]
    assert [frame.number for frame in frames] == [0, 1, 2, 3]
    assert [round(frame.at_s, 6) for frame in frames] == [0.1, 0.2, 0.3, 0.4]


def test_twenty_times_the_pace_is_the_same_pictures_sooner(table, evening, clock):
    filming, waits = camera(table, evening, clock, speed=20)
    frames = [filming.next() for _ in range(4)]
    assert waits == [0.0, 0.005, 0.005, 0.005]
    assert [round(frame.at_s, 6) for frame in frames] == [0.1, 0.2, 0.3, 0.4]


def test_people_go_on_with_every_picture(table, evening, clock):
    filming, _ = camera(table, evening, clock)
    filming.next(), filming.next()
    assert evening.steps == [0.1, 0.2]


def test_who_looks_too_slowly_misses_pictures_of_a_table_at_rest(table, evening, clock):
    filming, _ = camera(table, evening, clock)
    filming.next()
    clock.now_s += 0.45
    assert filming.next().at_s == pytest.approx(0.5)


def test_who_looks_too_slowly_misses_no_picture_of_a_hand(table, evening, clock):
    filming, _ = camera(table, evening, clock)
    filming.next()
    table.is_busy = True
    clock.now_s += 0.45
    assert filming.next().at_s == pytest.approx(0.2)


def test_who_looks_too_slowly_misses_no_picture_while_people_wait_for_the_camera(table, evening, clock):
    filming, _ = camera(table, evening, clock)
    filming.next()
    evening.awaits_camera = True
    clock.now_s += 0.45
    assert filming.next().at_s == pytest.approx(0.2)


def test_after_the_game_the_pace_is_that_of_people(table, evening, clock):
    filming, waits = camera(table, evening, clock, speed=20)
    filming.next()
    evening.is_over = True
    filming.next()
    assert waits == [0.0, 0.1]


def test_a_closed_camera_gives_no_more_pictures(table, evening, clock):
    filming, _ = camera(table, evening, clock)
    filming.close()
    assert filming.next() is None


def test_a_camera_that_is_pulled_is_away_for_so_long_and_comes_back(table, clock, evening):
    films, _ = camera(table, evening, clock)
    films.pull(9.0)
    with pytest.raises(DeviceError, match="loose"):
        films.next()
    clock.now_s += 9.0
    films.open()
    assert films.next() is not None


def test_after_an_evening_that_is_done_comes_the_next_and_time_goes_on(table, clock, evening):
    other, later = Table(), Evening()
    films = SimulatedCamera(table, evening, 1.0, clock, following=lambda: (other, later))
    films.open()
    films._closed.wait = lambda seconds: None
    first = films.next()
    evening.is_done = True
    second, third = films.next(), films.next()
    assert later.steps and first.at_s < second.at_s < third.at_s
