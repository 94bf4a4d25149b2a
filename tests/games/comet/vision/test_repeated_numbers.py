"""Printings that show their numbers more than once: each card is told once, where it lies and the way up it lies."""

import numpy as np

from companion.games.comet.vision.taught_numerals import joined


def test_two_prints_of_a_number_that_plainly_differ_say_nothing_however_many_agree():
    """Of an outline across two cards, each of which showed two of its four prints, the surest two agreed."""
    sure = {number: np.where(np.arange(14) == number, 0.997, 0.003 / 13) for number in (3, 5, 13)}
    for shown, number in (((3, 3, 5, 5), None), ((3, 3, 13, 13), 3), ((3, 3, 3, 3), 3), ((5, 3, 3, 3), None)):
        told = joined(np.array([[sure[one] for one in shown]]))[0]
        assert told.argmax() == number if number else told.max() < 0.6
