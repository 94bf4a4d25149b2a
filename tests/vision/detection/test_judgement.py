"""What is known of candidates for cards: their own edges, and what else lies on the picture."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.vision.detection.heatmaps import Candidate, ScaleAnswer
from companion.vision.detection.judgement import (
    FEATURES,
    RELATIONS,
    PlacedCandidate,
    PlacedCandidates,
    features,
    judge,
)
from companion.vision.edge_refinement import Refined
from companion.vision.image.pyramid import Pyramid

WITHIN, EVEN, COVERED, RIVAL, ALIKE, UNLIKE, FITS, MISFITS, FREE, TOUCHING, PRINTED = range(-RELATIONS, 0)
"""The columns that speak of the other candidates."""


def square(x: float, y: float, size: float) -> PlacedCandidate:
    """A sure candidate whose upper left corner lies there."""
    corners = np.array([[x, y], [x + size, y], [x + size, y + size], [x, y + size]], np.float64)
    return PlacedCandidate(Candidate(corners, 0.9, size), Refined(corners, np.ones(4), 0.0))


def placed(picture: NDArray[np.uint8], *cards: PlacedCandidate) -> PlacedCandidates:
    """They as the detector saw them at half the picture's size."""
    scale = ScaleAnswer(np.array([0.5, 0.5]), tuple(card.seed for card in cards))
    return PlacedCandidates(Pyramid.of(picture), [scale], cards)


def seen(*cards: PlacedCandidate) -> NDArray[np.float32]:
    """Their figures on a picture where each is a light square with a dark rim."""
    picture = np.full((400, 400, 3), 60, np.uint8)
    for card in sorted(cards, key=lambda one: -one.seed.net_px):
        cv2.fillPoly(picture, [card.refined.corners.astype(np.int32)], (220, 220, 220))
        cv2.polylines(picture, [card.refined.corners.astype(np.int32)], True, (30, 30, 30), 2)
    return features(placed(picture, *cards))


def test_nothing_is_known_where_there_is_no_candidate() -> None:
    assert seen().shape == (0, FEATURES) and judge(seen()).shape == (0,)


def test_cards_of_one_size_speak_for_one_another() -> None:
    values = seen(square(10, 10, 60), square(120, 10, 62), square(10, 200, 150))
    assert values[0, ALIKE] > 0.5 > values[2, ALIKE] and values[2, UNLIKE] > values[0, UNLIKE] > 0


def test_what_lies_on_a_likely_card_is_known_to_and_what_lies_on_a_mat_too() -> None:
    card, prints = square(50, 50, 300), [square(70, 70, 60), square(200, 70, 60), square(70, 200, 60)]
    values = seen(card, *prints)
    assert (values[1:, WITHIN] > 0.5).all() and values[0, WITHIN] == 0
    assert values[0, EVEN] > 1 and values[0, COVERED] > 0 and (values[1:, COVERED] == 0).all()


def test_a_candidate_beside_the_place_of_a_surer_one_has_a_rival() -> None:
    assert (seen(square(50, 50, 100), square(110, 50, 100))[1, RIVAL] > 0) and seen(square(50, 50, 100))[0, RIVAL] == 0


def test_what_is_printed_on_a_card_says_nothing_of_the_size_of_others() -> None:
    prints = [square(70, 70, 60), square(200, 70, 60)]
    values = seen(square(50, 50, 240), *prints, square(300, 300, 80))
    assert (values[1:3, PRINTED] > 0.5).all() and values[0, PRINTED] == values[3, PRINTED] == 0
    assert values[3, UNLIKE] == pytest.approx(
        values[3, ALIKE] + seen(square(50, 50, 240), square(300, 300, 80))[1, UNLIKE]
    )


def test_cards_are_told_that_lie_by_themselves_and_that_touch_others_as_large() -> None:
    values = seen(square(10, 10, 60), square(71, 10, 60), square(200, 10, 60), square(10, 200, 60))
    assert (values[:2, TOUCHING] > 0.3).all() and (values[2:, TOUCHING] == 0).all()
    assert values[0, FREE] == pytest.approx(np.log1p(np.expm1(values[0, FITS]) * 2 / 3), rel=0.05)


def test_an_outline_that_takes_in_a_gap_fits_no_other() -> None:
    wide = square(200, 10, 60)
    wide.refined.corners[1:3, 0] += 12
    values = seen(square(10, 10, 60), square(10, 200, 60), wide)
    assert values[2, FITS] == 0 and values[2, MISFITS] > values[0, MISFITS] > 0 and values[0, FITS] > 0.5
