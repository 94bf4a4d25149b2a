"""A number in doubt becomes the mean of other looks; what is sure, and what is no card, stays as first seen."""

import numpy as np
import pytest

from companion.games.comet.vision.classifier import NAMES
from companion.games.comet.vision.detector import CARD
from companion.games.comet.vision.plausibility import reclassify_with_jitter
from companion.vision.image.pyramid import Pyramid

OUTLINES = np.array([CARD.unit * 40 + (60, 60), CARD.unit * 40 + (160, 60)], np.float32)
PYRAMID = Pyramid.of(np.zeros((120, 220, 3), np.uint8))


class Seeing:
    """Sees a nine in each section of each outline, more surely every time; remembers the outlines."""

    def classify(self, _, corners):
        self.looked = corners
        sure = np.linspace(0.9, 1.0, len(corners))
        return np.stack([sections("9", "9", "9", sure=s) for s in sure])


def sections(*names, sure):
    told = np.full((3, len(NAMES)), (1 - sure) / (len(NAMES) - 1))
    for row, name in zip(told, names, strict=True):
        row[NAMES.index(name)] = sure
    return told


def test_only_the_number_in_doubt_becomes_what_other_looks_see():
    first = sections("9", "4", "6", sure=0.95)
    first[2] = sections("6", "6", "6", sure=0.6)[0]
    classifier = Seeing()
    now = reclassify_with_jitter(classifier, PYRAMID, OUTLINES[:1], first[None], np.array([True]))[0]
    assert (now[:2] == first[:2]).all() and now[2, NAMES.index("9")] == pytest.approx(0.95)
    assert 0 < np.abs(classifier.looked - OUTLINES[0]).max() < 3


def test_what_is_sure_or_no_card_is_looked_at_once():
    classifier = Seeing()
    both = np.stack([sections("9", "4", "6", sure=0.95), sections("9", "4", "6", sure=0.5)])
    assert (reclassify_with_jitter(classifier, PYRAMID, OUTLINES, both, np.array([True, False])) == both).all()
    assert not hasattr(classifier, "looked")
