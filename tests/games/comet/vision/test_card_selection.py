"""What is known of an outline on a table of a taught Comet printing by the cards that are read around it."""

from dataclasses import replace

import numpy as np
import pytest

from companion.games.comet.vision.appearance import area_of
from companion.games.comet.vision.card_selection import as_usual, clash, free_share, has_usual_size, usual_area
from companion.games.comet.vision.hypothesis import Hypothesis
from companion.vision.geometry import mapped

CARD = np.array([[0.0, 0], [63, 0], [63, 88], [0, 88]])
FROM_THE_SIDE = np.array([[1.0, 0.1, 0], [0, 1.1, 0], [0, 0.0011, 1]])


def card(x, y, *, by=1.0, legible=1.0, numbers=(0, 1, 2), table=FROM_THE_SIDE):
    """A card at a place on a table, so many times as large, that is read so surely."""
    sections = np.zeros((3, 15))
    sections[np.arange(3), numbers] = legible
    return Hypothesis(mapped(table, CARD * by + [x, y]), 0.9, sections, legible, 0.9)


def test_a_table_seen_from_the_side_says_how_large_cards_are_beyond_those_that_are_read():
    read = [card(x, y) for x, y in ((0, 0), (90, 10), (10, 130), (150, 140), (60, 260))]
    for far in (card(80, 520), card(300, -150)):
        as_most = np.median([area_of(one.corners) for one in read])
        off, off_of_most = (np.log(area_of(far.corners) / area) for area in (usual_area(far.corners, read), as_most))
        assert has_usual_size(far, read) and abs(off) < 0.3 * abs(off_of_most)
    assert not has_usual_size(card(80, 520, by=1.4), read)


def test_one_outline_that_is_off_does_not_change_how_large_cards_are():
    read = [card(x, y) for x, y in ((0, 0), (90, 10), (10, 130), (150, 140), (60, 260), (160, 270))]
    far = card(80, 480)
    spoilt = [*read, card(230, 10, by=1.5)]
    assert np.log(usual_area(far.corners, spoilt) / area_of(far.corners)) == pytest.approx(0, abs=0.15)


def test_what_is_hardly_read_and_as_large_as_two_cards_says_nothing_of_cards():
    read = [card(90 * k, 0, table=np.eye(3)) for k in range(3)]
    across = card(0, 120, by=1.4, legible=0.7, table=np.eye(3))
    assert as_usual([*read, across]) == read
    assert len(as_usual([*read, replace(across, legible=0.99)])) == 4


def test_outlines_on_which_the_same_numbers_are_read_are_one_cards_though_one_is_askew():
    numerals = np.array([[[10.0, 10, 5], [10, 30, 5], [10, 50, 5]]])
    one = replace(card(0, 0), numerals=numerals)
    aside = numerals + np.array([9.0, 9.0, 0.0])
    askew = replace(card(6, 14), numerals=aside)
    other = replace(card(6, 14, numbers=(3, 1, 2)), numerals=aside)
    assert clash(one, askew)
    assert not clash(one, other)


def test_a_card_beyond_the_horizon_of_an_outline_seen_askew_does_not_cover_it():
    askew = replace(card(0, 0), corners=np.array([[511.0, 289], [530, 222], [630, 260], [597, 313]]))
    away = replace(card(0, 0), corners=np.array([[428.0, 568], [453, 500], [545, 525], [525, 592]]))
    half = replace(card(0, 0), corners=np.array([[580.0, 180], [700, 180], [700, 340], [554, 340]]))
    assert free_share(askew, [away]) == 1.0
    assert 0.2 < free_share(askew, [half]) < 0.8
