"""The backs of one deck look alike wherever they lie; other things do not look like them."""

import numpy as np

from companion.games.comet.vision.detector import CARD
from companion.games.comet.vision.plausibility import back_distances, compare_backs
from companion.vision.image.pyramid import Pyramid
from models.drawing.comet.cards import raster_back
from models.drawing.comet.printings import reference

HERE, MIN_PRESENCE = (CARD.unit * 44 + (x, 60.0) for x in (60.0, 160.0))


def pyramid(other):
    """A table with a back at the left, and something else at the right."""
    picture = np.full((120, 220, 3), (60, 80, 130), np.uint8)
    picture[16:104, 29:92] = raster_back(reference("mono"), 1.0)[:, :, :3]
    picture[16:104, 129:192] = other
    return Pyramid.of(picture)


def off(other):
    return float(back_distances(pyramid(other), [HERE, MIN_PRESENCE])[0, 1])


def test_a_back_upside_down_in_less_light_is_like_the_other():
    assert off(raster_back(reference("mono"), 1.0)[::-1, ::-1, :3] * 0.6) < 0.05


def test_a_back_that_a_hand_lies_on_is_like_the_other():
    back = raster_back(reference("mono"), 1.0)[:, :, :3].copy()
    back[:22] = (118, 152, 214)
    assert off(back) < 0.05


def test_paper_and_bare_table_are_not_like_a_back():
    assert off((225, 235, 240)) > 0.3 and off((60, 80, 130)) > 0.2


def matrix(*groups):
    """Nothing between outlines of one group, much between those of two."""
    of = np.array(groups)
    return np.where(of[:, None] == of, 0.01, 0.4) + np.where(np.eye(len(of)) > 0, np.inf, 0)


def test_a_doubtful_back_like_a_sure_one_is_known():
    alike, strange = compare_backs(matrix("a", "a", "b"), np.array([0.9, 0.4, 0.4]))
    assert alike.tolist() == [False, True, False] and not strange.any()


def test_two_things_alike_are_strange_among_sure_backs():
    alike, strange = compare_backs(matrix("a", "a", "b", "b"), np.array([0.9, 0.95, 0.75, 0.68]))
    assert strange.tolist() == [False, False, True, True] and not alike[3]


def test_one_sure_thing_alone_makes_nothing_strange():
    _, strange = compare_backs(matrix("a", "b", "b", "b"), np.array([0.9, 0.75, 0.75, 0.6]))
    assert not strange.any()


def test_no_outlines_are_nothing_to_compare():
    nothing = back_distances(pyramid((60, 80, 130)), [])
    assert [len(one) for one in compare_backs(nothing, np.zeros(0))] == [0, 0]
