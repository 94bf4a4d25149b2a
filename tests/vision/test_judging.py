"""Which finds are cards: they have one size, seen as aslant as it may be."""

import numpy as np

from companion.vision.finder import UNIT_HEXAGON, Found
from companion.vision.judging import has_the_cards_size


def found(side: float, confidence: float = 0.95) -> Found:
    return Found((UNIT_HEXAGON * side + 300).astype(np.float32), confidence)


def test_rosettes_on_a_cloth_that_are_much_smaller_than_the_cards_are_none() -> None:
    finds = [found(93), found(84), found(73), found(37, 0.4), found(60, 0.4), found(180, 0.3)]
    fits = has_the_cards_size(finds, np.ones(6, bool))
    assert fits.tolist() == [True, True, True, False, True, False]


def test_too_few_sure_cards_tell_no_size() -> None:
    finds = [found(90), found(88), found(30, 0.5)]
    assert has_the_cards_size(finds, np.ones(3, bool)).all()
