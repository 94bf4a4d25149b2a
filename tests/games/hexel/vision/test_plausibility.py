"""Which finds are cards: they have one size, seen as aslant as it may be."""

import numpy as np
import pytest

from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.lattice import Lattice
from companion.games.hexel.vision.plausibility import (
    accept_cards,
    assess,
    doubt_mixed_up,
    has_typical_size,
    is_not_a_pattern,
    lie_on_read,
    show_one_face,
)
from companion.games.hexel.vision.prototypes import SymbolProfile
from companion.vision.detection.detector import Detection
from companion.vision.geometry import HEXAGON
from companion.vision.results import DetectedCard


def found(side: float, confidence: float = 0.95) -> Detection:
    return Detection((HEXAGON.unit * side + 300).astype(np.float32), confidence)


def test_rosettes_on_a_cloth_that_are_much_smaller_than_the_cards_are_none() -> None:
    finds = [found(93), found(84), found(73), found(37, 0.4), found(60, 0.4), found(180, 0.3)]
    fits = has_typical_size(finds, np.ones(6, bool))
    assert fits.tolist() == [True, True, True, False, True, False]


def test_too_few_sure_cards_tell_no_size() -> None:
    finds = [found(90), found(88), found(30, 0.5)]
    assert has_typical_size(finds, np.ones(3, bool)).all()


def six(*kinds: int) -> np.ndarray:
    return np.eye(3, dtype=np.float32)[list(kinds)]


def test_what_is_found_weakly_and_reads_the_same_everywhere_is_a_cloth_and_no_cards() -> None:
    finds = [found(90), found(90), found(90), found(88, 0.3), found(92, 0.25), found(89, 0.28), found(90, 0.4)]
    faces = [six(0, 0, 0, 0, 0, 1)] * 3 + [six(*np.roll([0, 0, 0, 0, 0, 1], k)) for k in (1, 2, 5)] + [six(*[0] * 6)]
    told = is_not_a_pattern(finds, np.stack(faces), np.ones(7, bool))
    assert told.tolist() == [True, True, True, False, False, False, True]
    assert is_not_a_pattern(finds[:5], np.stack(faces[:5]), np.ones(5, bool)).all()


def test_what_is_found_weakly_but_printed_as_it_was_taught_is_a_card_however_often_it_shows() -> None:
    """Four cards with one face, found by their outlines alone, were left out without a word."""
    finds = [found(90, 0.44)] * 4
    corners, faces = np.stack([one.corners for one in finds]), np.stack([six(0, 0, 0, 0, 0, 1)] * 4)
    classifier = FewShotSymbols(
        SymbolProfile("hexel36", ("red", "blue"), np.zeros((2, 3), np.float32), np.ones(3, np.float32))
    )
    assert not accept_cards(finds, corners, faces, classifier).any()
    told = accept_cards(finds, corners, faces, classifier, lambda some: np.arange(len(some)) > 0)
    assert told.tolist() == [False, True, True, True]


def test_a_card_hardly_seen_beside_the_tableau_is_not_stated_to_be_loose() -> None:
    names = ("red", "blue", None)
    faint = np.full((1, 6, 3), [0.5, 0.3, 0.2], np.float32)
    plain = np.full((1, 6, 3), [0.99, 0.005, 0.005], np.float32)
    classifier = FewShotSymbols(
        SymbolProfile("hexel36", names[:2], np.zeros((2, 3), np.float32), np.ones(3, np.float32))
    )
    place = Lattice((None,), (0,), np.eye(3))
    told = [
        assess((found(80, sure),), place, p, classifier, (800, 600)).loose[0].is_unsettled
        for sure, p in ((0.5, faint), (0.5, plain), (0.95, faint))
    ]
    assert told == [True, False, False]


def test_symbols_that_meet_at_the_corner_of_three_cards_are_no_card_lying_there() -> None:
    names = ("red", "blue", None)
    plain, unread = (np.full((6, 3), row, np.float32) for row in ([0.99, 0.005, 0.005], [0.5, 0.3, 0.2]))
    classifier = FewShotSymbols(
        SymbolProfile("hexel36", names[:2], np.zeros((2, 3), np.float32), np.ones(3, np.float32))
    )
    middles = [(80.0 * np.cos(a), 80.0 * np.sin(a)) for a in np.radians([30, 150, 270])]
    cards = [Detection(found(80).corners + np.float32(middle), 0.9) for middle in middles]
    told = [
        lie_on_read((*cards, found(80, 0.5)), np.stack([under] * 3 + [plain]), classifier) for under in (plain, unread)
    ]
    assert [is_none.tolist() for is_none in told] == [[False] * 3 + [True], [False] * 4]
    known = [card.corners for card in cards]
    assert lie_on_read([found(80, 0.99)], plain[None], classifier, known).tolist() == [True]


@pytest.mark.parametrize(("rejected", "stays"), [(1, True), (3, False)])
def test_where_two_kinds_are_often_mixed_up_only_the_surest_symbols_of_them_are_told(
    rejected: int, stays: bool
) -> None:
    rows = [[0.95, 0.04, 0.01], [0.995, 0.004, 0.001], [0.95, 0.001, 0.049], *[[0.4, 0.59, 0.01]] * 3]
    probabilities = np.array([rows], np.float32)
    names: list[list[str | None]] = [["red", "red", "red", *[None] * rejected, *["void"] * (3 - rejected)]]
    doubt_mixed_up(probabilities, names)
    assert names[0][:3] == ["red" if stays else None, "red", "red"], "the third may be blue, no void"


def told(*names: str | None) -> DetectedCard:
    return DetectedCard(None, names, found(60).corners, 0.99, 0.99, np.zeros((6, 3), np.float32))


def test_a_table_on_which_most_cards_show_one_face_is_another_deck_s() -> None:
    """Five cards of a pink printing with dots and rings were all told as six blue by another deck's profile."""
    blue, mixed, unsure = ["blue"] * 6, ["red", "blue", "blue", "red", "red", "red"], ["blue"] * 5 + [None]
    turned = mixed[2:] + mixed[:2]
    assert show_one_face([told(*blue)] * 3)
    assert show_one_face([told(*blue)] * 3 + [told(*mixed), told(*unsure), told(*unsure)])
    assert show_one_face([told(*mixed), told(*turned), told(*mixed)])
    assert not show_one_face([told(*blue)] * 2)
    assert not show_one_face([told(*blue)] * 3 + [told(*mixed)] * 2 + [told(*turned)])
    assert not show_one_face([])
