"""An outline's size is told by the cards beside it, not by those far off in a picture seen aslant."""

import numpy as np
import pytest

from companion.games.comet.vision.detector import CARD
from companion.games.comet.vision.plausibility import has_typical_width, relative_widths


def row(*sizes):
    """Outlines in a row, a hundred pixels apart."""
    return np.array([CARD.unit * size + (100.0 * k, 80.0) for k, size in enumerate(sizes)], np.float32)


def test_an_outline_as_large_as_its_neighbours_fits_and_one_twice_as_wide_does_not():
    wider = relative_widths(row(40, 41, 80, 40, 39), np.full(5, 0.9))
    assert wider[2] == pytest.approx(2.0, rel=0.05) and has_typical_width(wider).tolist() == [
        True,
        True,
        False,
        True,
        True,
    ]


def test_a_small_card_far_away_fits_among_small_cards():
    assert has_typical_width(relative_widths(row(40, 38, 36, 34, 32, 30, 28), np.full(7, 0.9)))[1:-1].all()


def test_what_is_found_unsurely_tells_nothing_of_the_others():
    wider = relative_widths(row(40, 90, 90, 40), np.array([0.9, 0.3, 0.3, 0.9]))
    assert wider.tolist() == pytest.approx([1.0, 2.25, 2.25, 1.0])


def test_where_nothing_is_found_surely_nothing_fits():
    wider = relative_widths(row(40, 40), np.array([0.9, 0.5]))
    assert np.isnan(wider[0]) and has_typical_width(wider).tolist() == [False, True]
    assert len(relative_widths(row()[:0].reshape(0, 4, 2), np.zeros(0))) == 0
