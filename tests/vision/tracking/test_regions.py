"""What of a picture is read when something on it has changed: a whole card first, and little around it."""

from dataclasses import replace

import numpy as np
import pytest

from companion.vision.detection.detector import Detection
from companion.vision.geometry import HEXAGON
from companion.vision.results import DetectedCard, Reading
from companion.vision.tracking.change_detector import MASK_PX, ChangeMask, ObservedFrame, polygon_mask
from companion.vision.tracking.regions import ChangeReader, Unchanged, is_in, unchanged_in, windows_of, with_nearest
from companion.vision.tracking.tracks import SettleTimes

ACROSS_PX = 96.0
SHAPE = (90, 160)
SIZE = (SHAPE[0] * MASK_PX, SHAPE[1] * MASK_PX)


def _card(x: float, y: float) -> DetectedCard:
    corners = (HEXAGON.unit * ACROSS_PX / 3**0.5 + [x, y]).astype(np.float32)
    return DetectedCard(None, ("red",) * 6, corners, 0.9, 0.9, np.zeros((6, 4), np.float32))


def _card_and_crumb() -> np.ndarray:
    settled = polygon_mask(_card(400, 300).corners, SHAPE)
    settled[60:64, 100:104] = True
    return settled


def test_a_crumb_of_change_waits_until_a_card_just_laid_was_looked_at() -> None:
    settled = _card_and_crumb()
    assert len(windows_of(settled, SIZE, ACROSS_PX, young=settled)) == 1
    assert len(windows_of(settled, SIZE, ACROSS_PX, young=np.zeros(SHAPE, bool))) == 2


def test_a_crumb_alone_is_read_with_a_cards_width_around_it() -> None:
    crumb = np.zeros(SHAPE, bool)
    crumb[60:64, 100:104] = True
    ((left, top, right, bottom),) = windows_of(crumb, SIZE, ACROSS_PX, young=crumb)
    assert right - left > 2 * ACROSS_PX and bottom - top > 2 * ACROSS_PX


def test_a_card_just_laid_is_read_whole_and_with_little_around_it() -> None:
    laid = _card(400, 300)
    settled = polygon_mask(laid.corners, SHAPE)
    ((left, top, right, bottom),) = windows_of(settled, SIZE, ACROSS_PX, young=settled)
    margin = np.concatenate([laid.corners.min(0) - [left, top], [right, bottom] - laid.corners.max(0)])
    assert margin.min() > 0.4 * ACROSS_PX
    assert margin.max() < 0.8 * ACROSS_PX


def test_a_card_laid_beside_another_leaves_that_one_untouched() -> None:
    old, laid = _card(400, 300), _card(400 + ACROSS_PX, 300)
    changed = polygon_mask(laid.corners, SHAPE, 1.05)
    (lies,) = unchanged_in((100, 80, SIZE[1], SIZE[0]), [old], changed, changed, ACROSS_PX).cards
    assert np.allclose(lies.corners, old.corners - [100, 80])


def test_a_card_with_a_chip_on_it_is_touched() -> None:
    old = _card(400, 300)
    changed = np.zeros(SHAPE, bool)
    changed[36:39, 48:51] = True
    assert not unchanged_in((0, 0, SIZE[1], SIZE[0]), [old], changed, changed, ACROSS_PX).cards


def test_a_place_is_unchanged_unless_something_lies_there_now() -> None:
    chip = _card(400, 300).corners
    lies = polygon_mask(chip, SHAPE, 0.4)
    as_it_was = unchanged_in((100, 80, SIZE[1], SIZE[0]), [], np.ones(SHAPE, bool), lies, ACROSS_PX)
    assert not as_it_was.is_at(chip - [100, 80])
    assert as_it_was.is_at(chip - [100, 80] + [ACROSS_PX, 0])
    assert not as_it_was.is_at(chip - [2000, 0]), "out of the picture nobody knows"


def test_a_change_is_explained_by_the_cards_that_were_read_but_for_crumbs() -> None:
    laid, other = _card(400, 300), _card(600, 300)
    window = (100, 80, SIZE[1], SIZE[0])
    settled = polygon_mask(laid.corners, SHAPE, 1.1)
    settled[20:22, 80:82] = True
    where = Detection(laid.corners - np.array([100, 80], np.float32), 0.9)
    alone = unchanged_in(window, [], settled, settled, ACROSS_PX)
    assert alone.is_explained([where]) and not alone.is_explained([])
    both = settled | polygon_mask(other.corners, SHAPE)
    assert not unchanged_in(window, [], both, both, ACROSS_PX).is_explained([where])
    assert unchanged_in((100, 80, 500, SIZE[0]), [], both, both, ACROSS_PX).is_explained([where])


def test_a_card_that_lies_as_it_lay_explains_nothing_beside_it() -> None:
    """Of a card laid between two that overlap it, in their colour, only a strip beside them looks different."""
    lying, window = _card(400, 300), (100, 80, SIZE[1], SIZE[0])
    strip = polygon_mask(lying.corners, SHAPE, 1.2) & ~polygon_mask(lying.corners, SHAPE, 1.08)
    where = Detection(lying.corners - np.array([100, 80], np.float32), 0.9)
    assert unchanged_in(window, [], strip, strip, ACROSS_PX).is_explained([where])
    as_it_was = unchanged_in(window, [lying], strip, strip, ACROSS_PX)
    assert as_it_was.cards and not as_it_was.is_explained([where])


def test_a_window_is_in_by_more_than_a_crumb() -> None:
    fingers, crumb = np.zeros(SHAPE, bool), np.zeros(SHAPE, bool)
    fingers[40:60, 50:60] = True
    crumb[40:42, 50:52] = True
    window = (320, 240, 640, 480)
    assert is_in(window, fingers, ACROSS_PX)
    assert not is_in(window, crumb, ACROSS_PX)
    assert not is_in((800, 240, 1200, 480), fingers, ACROSS_PX)


def test_news_is_what_was_touched_and_what_lies_where_something_came_to_rest() -> None:
    lies, touched, laid, bare = (_card(200 + 150 * k, 300) for k in range(4))
    changed = polygon_mask(laid.corners, SHAPE) | (
        polygon_mask(touched.corners, SHAPE) & ~polygon_mask(touched.corners, SHAPE, 0.7)
    )
    as_it_was = unchanged_in((0, 0, SIZE[1], SIZE[0]), [lies, touched], changed, changed, ACROSS_PX)
    found = [Detection(card.corners, 0.9) for card in (lies, touched, laid, bare)]
    assert as_it_was.but(found) == (found[1], found[2])


def test_a_piece_that_showed_nothing_is_looked_at_with_the_nearest_known_cards_in_view() -> None:
    known = [_card(150 + 100 * k, 500) for k in range(9)]
    left, top, right, bottom = with_nearest((300, 80, 420, 200), known, SIZE)
    low, high = np.array([left, top]), np.array([right, bottom])
    is_in_view = [bool(((card.corners >= low) & (card.corners <= high)).all()) for card in known]
    assert is_in_view == [False, *[True] * 4, *[False] * 4]
    assert top == 80 and (left % MASK_PX, top % MASK_PX) == (0, 0)
    assert with_nearest((300, 80, 420, 200), [], SIZE) == (296, 80, 420, 200)


def seen_from_aside(x: float, y: float, scale: float = 1.0) -> np.ndarray:
    """Corners (4, 2) of a square card on a table that recedes upwards, ``scale`` times as long as a card is."""
    square = scale * np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) + [x, y]
    away = 8 - square[:, 1:]
    return np.hstack([640 + 600 * square[:, :1] / away, 3000 / away]).astype(np.float32)


def known_at(*places: tuple[float, float]) -> Unchanged:
    cards = [seen_from_aside(x, y) for x, y in places]
    known = [DetectedCard(None, (), corners, 0.9, 0.9, np.zeros((0, 0))) for corners in cards]
    return Unchanged(everywhere=known, picture=np.zeros((960, 1280, 3), np.uint8))


NEAR_ROWS = [(x, y) for x in (-1.5, 0, 1.5) for y in (2, 3.5)]


@pytest.mark.parametrize("place", [(0.0, 0.0), (1.0, 4.5)], ids=["far away", "nearer than any"])
def test_what_is_as_large_as_a_card_follows_from_the_perspective_of_the_known_ones(place: tuple[float, float]) -> None:
    ones = np.array([seen_from_aside(*place, scale=scale) for scale in (1.0, 1.5, 0.65)])
    assert known_at(*NEAR_ROWS).are_as_large(ones).tolist() == [True, False, False]


def test_one_known_card_tells_no_perspective() -> None:
    ones = np.array([seen_from_aside(0, 1.2, scale=scale) for scale in (1.0, 2.6)])
    assert known_at((0, 2)).are_as_large(ones).tolist() == [True, False]


def test_only_what_may_be_a_new_card_or_is_a_known_one_is_refined() -> None:
    known = known_at(*NEAR_ROWS)
    lying = DetectedCard(None, (), seen_from_aside(-1.5, 3.5), 0.9, 0.9, np.zeros((0, 0)))
    unchanged = replace(known, cards=[lying], is_at=lambda outline: float(outline.mean(0)[0]) < 600)
    places = {
        "new": (0.5, 4.0, 1.0),
        "nothing changed": (-0.75, 4.0, 1.0),
        "known": (-1.5, 3.5, 1.0),
        "mat": (0.5, 4.0, 2.0),
    }
    outlines = np.array([seen_from_aside(x, y, scale) for x, y, scale in places.values()])
    worth = dict(zip(places, unchanged.are_worth_refining(outlines, 0.2).tolist(), strict=True))
    assert worth == {"new": True, "nothing changed": False, "known": True, "mat": False}


@pytest.mark.parametrize("shown", [("red",) * 6, ("red",) * 5 + (None,)], ids=["in full", "in part"])
def test_a_piece_that_showed_the_same_card_twice_is_told_again_but_seldom_read(shown: tuple[str | None, ...]) -> None:
    laid, known, at_s = replace(_card(400, 300), edges=shown), [_card(200, 120)], 0.1
    faces: list[tuple[str | None, ...]] = []

    def look(*_: object) -> Reading:
        x, y = left
        faces.append(laid.edges)
        return Reading((replace(laid, corners=laid.corners - np.array([x, y], np.float32)),), (), ())

    reader = ChangeReader(look, look, SettleTimes())
    settled = polygon_mask(laid.corners, SHAPE)
    ((*left, _, _),) = windows_of(settled, SIZE, ACROSS_PX, young=settled)

    def read(now_s: float) -> list[tuple[str | None, ...]]:
        mask = ChangeMask(settled, np.full(SHAPE, at_s), now_s, is_dark=False)
        view = ObservedFrame(np.zeros((*SIZE, 3), np.uint8), mask, settled, settled, settled & ~settled, now_s, 9.0)
        reading = reader.read_changes(view, known, None)
        assert reading is not None
        return [card.edges for card in reading.seen]

    assert [read(0.3 + 0.1 * k) for k in range(5)] == [[shown]] * 5
    assert len(faces) == 2
    known = [_card(200, 120)]
    read(0.77)
    assert len(faces) == 3, "another card is known"
    read(0.84)
    at_s = 0.9
    read(1.1)
    assert len(faces) == 5, "something stirred there"
    laid = replace(laid, edges=("blue",) * 6)
    assert read(2.1) == [("blue",) * 6], "it was read long ago"
