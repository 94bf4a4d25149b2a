"""A teaching layout of cards that are printed to their edges, whose middles look more like cards than they do."""

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.games.hexel.layout import layouts
from companion.games.hexel.vision.enrolment import TEACHING, learn_hexel
from companion.vision.enrolment.layout_search import laid_out
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid

ROW = [len(row) for row in layouts("hexel46")[0].rows]
CARDS = np.array([HEXAGON.unit * 105 + (150 + 230 * k, 170 + 6 * k) for k in range(3)])
INKS = ((40, 50, 190), (160, 90, 45), (60, 190, 235))
MIDDLE = 0.56


def painted() -> NDArray[np.uint8]:
    """Three cards whose edges are painted around a plain middle, each in one ink, on a green cloth."""
    rng = np.random.default_rng(3)
    picture = np.full((2 * 340, 2 * 760, 3), (60, 110, 50), np.uint8)
    for card, ink in zip(2 * CARDS, INKS, strict=True):
        middle = card.mean(0) + MIDDLE * (card - card.mean(0))
        cv2.fillPoly(picture, [np.round(card).astype(int)], ink)
        for a, b in zip(middle, card, strict=True):
            cv2.line(picture, np.round(a).astype(int).tolist(), np.round(b).astype(int).tolist(), (245, 245, 245), 8)
        cv2.fillPoly(picture, [np.round(middle).astype(int)], (205, 225, 235))
    small = cv2.GaussianBlur(cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), (0, 0), 0.7)
    return np.asarray(np.clip(small + rng.normal(0, 3, small.shape), 0, 255), np.uint8)


def test_cards_are_found_and_not_the_plain_middles_within_their_painted_edges() -> None:
    found = laid_out(TEACHING.candidates(Pyramid.of(painted())), ROW)
    assert found is not None
    for told, card in zip(found, CARDS, strict=True):
        assert told.mean(0) == pytest.approx(card.mean(0), abs=3)
        assert cv2.contourArea(told) == pytest.approx(cv2.contourArea(card.astype(np.float32)), rel=0.06)


def test_painted_edges_are_taught_by_the_layout_alone() -> None:
    profile = learn_hexel("hexel46", [("taught", painted())])
    assert {sample.label["edges"][0] for sample in profile.samples} == {"red", "blue", "yellow"}
