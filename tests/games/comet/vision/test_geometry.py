"""Comet cards' outlines: coded and read back up to half a turn, cut out straight, turned about without loss."""

from dataclasses import replace

import numpy as np
import pytest

from companion.games.comet.vision.classifier import (
    HIGH,
    NAMES,
    OUTPUTS,
    WIDE,
    NumeralScores,
    PretrainedNumerals,
    cut_cards,
    score_numerals,
)
from companion.games.comet.vision.detector import CARD, HALF_WIDTH
from companion.games.comet.vision.places import NumberPlaces
from companion.games.comet.vision.results import (
    BACK,
    NUMBERS,
    DetectedCometCard,
    aligned_comet,
    aligned_either_way,
    in_words,
    turned_half,
)
from companion.vision.image.pyramid import Pyramid


def outline(centre=(200.0, 150.0), size=60.0, turn_deg=20.0, lean=0.1):
    a = np.radians(turn_deg)
    affine = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) @ np.array([[1.0, lean], [0.0, 0.9]]) * size
    return CARD.unit @ affine.T + centre


def card(edges=("2", "6", None), corners=None, east=0):
    probabilities = np.full((3, len(NAMES)), 0.01)
    for k, edge in enumerate(edges):
        probabilities[k, NAMES.index(edge)] = 0.95
    return DetectedCometCard((3, 0), edges, outline() if corners is None else corners, 0.9, 0.95, probabilities, east)


@pytest.mark.parametrize("turn_deg", range(0, 360, 25))
def test_an_outline_is_coded_and_read_back_up_to_half_a_turn(turn_deg):
    quad = outline(turn_deg=turn_deg)
    back = CARD.corners_from_code(*CARD.pose_code(quad)[:2])
    assert min(np.abs(back - quad).max(), np.abs(np.roll(back, 2, 0) - quad).max()) < 1e-6


def test_an_outline_and_the_same_begun_at_the_opposite_corner_have_one_code():
    quad = outline()
    assert CARD.pose_code(quad)[1] == pytest.approx(CARD.pose_code(np.roll(quad, 2, 0))[1])


def test_the_width_of_an_upright_card_is_its_width():
    assert CARD.width_px(CARD.unit * 44) == pytest.approx(63)


def test_a_card_is_cut_out_upright_with_its_top_left_corner_at_the_top_left():
    picture = np.zeros((300, 400, 3), np.uint8)
    quad = outline(size=100.0, turn_deg=200.0, lean=0.0)
    centre, affine = CARD.pose_of(quad)
    yy, xx = np.mgrid[0:300, 0:400]
    unit = np.stack([xx - centre[0], yy - centre[1]], -1) @ np.linalg.inv(affine).T
    picture[(unit[..., 0] < 0) & (unit[..., 1] < 0) & (unit[..., 0] > -HALF_WIDTH) & (unit[..., 1] > -1)] = 255
    patch = cut_cards(Pyramid.of(picture), quad[None])[0]
    assert patch.shape == (HIGH, WIDE, 3)
    assert patch[8 : HIGH // 2 - 4, 6 : WIDE // 2 - 4].min() > 250
    assert patch[HIGH // 2 + 4 :].max() == 0 and patch[:, WIDE // 2 + 4 :].max() == 0


def test_a_card_turned_about_is_the_same_card():
    first = card()
    other = turned_half(first)
    assert other.edges == (None, "6", "2") and other.values == first.values == [2, 6, None]
    assert (other.probabilities == first.probabilities[::-1]).all()
    assert other.as_json()["corners"] == first.as_json()["corners"]


def test_a_card_seen_again_upside_down_is_aligned_with_what_was_known():
    known, fresh = (
        card(("2", "6", "13")),
        turned_half(card(("2", "6", "13"), outline(centre=(202.0, 151.0), turn_deg=24.0))),
    )
    again = aligned_comet(fresh, known)
    assert again.edges == known.edges and np.abs(again.corners - known.corners).max() < 8 and again.cell is None


def test_a_card_that_reads_the_same_both_ways_up_keeps_its_numbers_in_their_order():
    corners = np.array([[0, 0], [63, 0], [63, 88], [0, 88]], np.float32)
    known = DetectedCometCard((0, 0), ("3", "11", "10"), corners, 0.9, 0.9, np.zeros((3, 15)), 0)
    for begun in (0, 2):
        again = aligned_either_way(replace(known, corners=np.roll(corners + 1, -begun, 0)), known)
        assert again.edges == known.edges and np.allclose(again.corners, corners + 1)


@pytest.mark.parametrize(("turned", "is_alike"), [((0, 0, 0, 1, 1, 1), True), ((0, 0, 0, 0, 0, 0), False)])
def test_places_are_alike_both_ways_up_where_each_number_stands_opposite_upside_down(turned, is_alike):
    rows = [
        [k % 3, way * -0.5, way * (-0.8 + 0.3 * (k % 3)), 0.2, t]
        for k, (way, t) in enumerate(zip((1, 1, 1, -1, -1, -1), turned, strict=True))
    ]
    assert NumberPlaces.from_rows(rows, 0.7).is_alike_turned == is_alike
    assert not NumberPlaces.from_rows(rows[:3], 0.7).is_alike_turned


def test_values_ascend_with_the_unsure_last_and_a_back_has_none():
    assert card(("13", None, "6")).values == [6, 13, None]
    assert card((BACK,) * 3).values is None
    assert card((None,) * 3).values == [None, None, None]


def test_cards_are_said_in_words():
    assert [in_words(v) for v in (None, [2, 10, 14], [None, None, None])] == ["face down", "2 10 A", "? ? ?"]


def test_both_ways_up_are_weighed():
    numbers = np.zeros((1, 2, 3, len(NUMBERS) + 1), np.float32)
    six, eight, nine = (NUMBERS.index(v) for v in (6, 8, 9))
    numbers[0, 0, range(3), [six, eight, six]] = 1
    numbers[0, 1, range(3), [nine, eight, nine]] = 1
    told = [
        PretrainedNumerals().accept(NumeralScores(np.array([[1.0, 0, 0]]), np.array([up]), numbers).sections()[0])
        for up in (1.0, 0.5, 0.0)
    ]
    assert told == [("6", "8", "6"), (None, "8", None), ("9", "8", "9")]


class Answering:
    """A network that is as sure of every face the right way up; it counts the cards that it is shown."""

    def __init__(self, logit):
        self.logit, self.shown = logit, 0

    def forward(self, batch):
        self.shown += len(batch)
        answers = np.zeros((len(batch), OUTPUTS), np.float32)
        answers[:, [0, 1, 2, -4, -1]] = self.logit
        return answers


@pytest.mark.parametrize("is_upside_down", [False, True])
@pytest.mark.parametrize(("logit", "looks"), [(9.0, 1), (2.0, 2)])
def test_a_card_read_surely_at_once_is_not_looked_at_the_other_way_up(logit, looks, is_upside_down):
    net = Answering(logit)
    seen = score_numerals(net, np.full((5, HIGH, WIDE, 3), 200, np.uint8), np.full(5, is_upside_down))
    assert net.shown == 5 * looks and seen.numbers.shape == (5, 2, 3, len(NUMBERS) + 1)
    if looks == 1:
        assert PretrainedNumerals().accept(seen.sections()[0]) == ("2", "2", "2")
        assert (seen.upright[0] > 0.99, seen.upright[0] < 0.01) == (not is_upside_down, is_upside_down)


def test_a_back_is_stated_as_a_back_and_what_is_neither_as_nothing():
    numbers = np.full((2, 2, 3, len(NUMBERS) + 1), 1 / 14, np.float32)
    sections = NumeralScores(np.array([[0.01, 0.99, 0], [0.5, 0.5, 0]]), np.array([0.5, 0.5]), numbers).sections()
    assert [PretrainedNumerals().accept(p) for p in sections] == [(BACK,) * 3, (None,) * 3]
    assert sections.sum(-1) == pytest.approx(np.ones((2, 3)))


def test_a_card_of_which_nothing_is_read_is_printed_without_numbers():
    assert card((None,) * 3).as_json()["values"] is None
    assert card((None, "8", None)).as_json()["values"] == [8, None, None]
