"""What is light, and what is only a hand."""

import numpy as np

from companion.devices.daylight import FOR_S, Daylight


def table() -> np.ndarray:
    return np.random.default_rng(1).integers(40, 200, (320, 480, 3)).astype(np.uint8)


def told(daylight: Daylight, picture: np.ndarray, begun_s: float = 0.0) -> bool:
    """Whether it is told when a picture lasts."""
    return [daylight.update(picture, begun_s + at) for at in (0.0, FOR_S / 2, FOR_S + 0.1)][-1]


def test_light_that_fades_everywhere_is_told_after_a_while() -> None:
    daylight, picture = Daylight(), table()
    assert not daylight.update(picture, 0.0)
    darker = (picture * 0.6).astype(np.uint8)
    assert not daylight.update(darker, 1.0)
    assert told(daylight, darker, 1.0)


def test_hands_and_cards_over_a_good_part_of_the_table_are_not_light() -> None:
    daylight, picture = Daylight(), table()
    daylight.update(picture, 0.0)
    covered = picture.copy()
    covered[:, :200] = 240
    assert not told(daylight, covered, 1.0)
    covered[:, :200] = 5
    assert not told(daylight, covered, 20.0)


def test_what_was_held_anew_is_the_new_measure() -> None:
    daylight, picture = Daylight(), table()
    daylight.update(picture, 0.0)
    darker = (picture * 0.6).astype(np.uint8)
    assert told(daylight, darker)
    daylight.hold()
    assert not told(daylight, darker, 10.0)
