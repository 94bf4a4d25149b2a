"""Drawn Comet photographs: a seed is a picture, the truth is where the cards are, and no card lies through another."""

from dataclasses import replace
from itertools import combinations

import cv2
import numpy as np
import pytest

from models.drawing.comet.cards import numeral_boxes_mm, raster_back, raster_face
from models.drawing.comet.layouts import FAN_SHARE, LaidComet, laid_groups
from models.drawing.comet.photograph import comet_photograph
from models.drawing.comet.printings import BACKS, BUSY_BACKS, LABELS, invented, plain_typefaces, reference

MIDDLE = np.array([31.5, 44.0])


def lying(values, x=0.0, y=0.0, turn=0.0):
    return LaidComet(values, np.array([x, y]), turn, (63.0, 88.0))


def calm(cards, seed=1, **more):
    look = reference("mono")
    return comet_photograph(np.random.default_rng(seed), printing=look, cards=cards, hardness=0.0, **more)


def test_a_seed_is_a_picture():
    first, again = (comet_photograph(np.random.default_rng(5), size=(320, 240)) for _ in range(2))
    assert (first.bgr == again.bgr).all() and first.truth == again.truth


def test_the_truth_has_a_card_brighter_than_the_dark_table_around_it():
    ground = np.full((480, 640, 3), 20, np.uint8)
    picture = calm([lying((2, 7, 14))], size=(640, 480), ground=ground, across_px=150)
    corners = np.array(picture.truth["cards"][0]["corners"])
    inside = np.zeros((480, 640), np.uint8)
    cv2.fillPoly(inside, [np.round(corners).astype(np.int32)], 1)
    grey = picture.bgr.max(2)
    assert np.median(grey[inside > 0]) > 1.8 * np.median(grey[inside == 0])


def test_values_are_told_ascending_and_as_printed():
    entry = calm([lying((14, 2, 9))]).truth["cards"][0]
    assert entry["values"] == [2, 9, 14] and entry["printed"] == [14, 2, 9]


def test_a_card_face_down_has_no_values():
    assert calm([lying(None)]).truth["cards"][0]["values"] is None


def test_what_a_later_card_lies_on_is_hidden():
    under, over = calm([lying((2, 3, 5)), lying((7, 8, 10), x=31.5)]).truth["cards"]
    assert under["covered"] == pytest.approx(0.5, abs=0.03) and over["covered"] == 0
    assert all(0.3 < hidden < 0.7 for hidden in under["hidden"])


@pytest.mark.parametrize("seed", range(6))
def test_cards_of_a_group_are_fanned_by_no_more_than_a_third_and_others_never_overlap(seed):
    rng = np.random.default_rng(seed)
    for a, b in combinations(laid_groups(12, reference("mono"), rng), 2):
        shared, _ = cv2.intersectConvexConvex(a.corners_mm().astype(np.float32), b.corners_mm().astype(np.float32))
        assert shared / (63 * 88) < FAN_SHARE + 0.16


def test_a_groups_card_upside_down_is_turned_by_half():
    card = lying((2, 3, 5), turn=180.0)
    assert card.corners_mm()[0] == pytest.approx([31.5, 44.0])


@pytest.mark.parametrize("face", plain_typefaces())
def test_a_typeface_has_every_numeral_in_one_height(face):
    assert set(face) == set(LABELS) and len({mask.shape[0] for mask in face.values()}) == 1


def test_numbers_are_printed_where_their_boxes_say():
    look = reference("mono")
    face = raster_face((2, 8, 13), look, 4)
    ink = (face[:, :, :3].max(2) < 110) & (face[:, :, 3] > 250)
    boxes = numeral_boxes_mm((2, 8, 13), look)
    assert [len(prints) for prints in boxes] == [1, 1, 1]
    for (box,) in boxes:
        (x0, y0), (x1, y1) = (np.round((corner + MIDDLE) * 4).astype(int) for corner in (box.min(0), box.max(0)))
        around = ink[y0 - 2 : y1 + 2, x0 - 2 : x1 + 2]
        rows, columns = np.flatnonzero(around.any(1)), np.flatnonzero(around.any(0))
        assert len(rows) >= y1 - y0 - 4 and len(columns) >= x1 - x0 - 8


def test_a_printing_read_on_its_side_has_its_left_section_at_the_top():
    rng = np.random.default_rng(0)
    looks = (invented(plain_typefaces(), rng) for _ in range(200))
    look = next(one for one in looks if one.is_turned and len(set(one.grounds)) == 13)
    face = raster_face((2, 7, 12), look, 2)
    thirds = [face[int((k + 0.25) * len(face) / 3), 12 + int(look.margin_mm * 2), :3] for k in range(3)]
    for seen, value in zip(thirds, (2, 7, 12), strict=True):
        assert seen == pytest.approx(np.round(look.grounds[value - 2]), abs=3)


@pytest.mark.parametrize("kind", BACKS)
def test_every_back_is_as_large_as_its_card(kind):
    rng = np.random.default_rng(3)
    look = next(one for one in (invented(plain_typefaces(), rng) for _ in range(200)) if one.back_kind == kind)
    back = raster_back(look, 2)
    assert back.shape == (round(look.size[1] * 2), round(look.size[0] * 2), 4)
    assert back[len(back) // 2, 3, 3] == 255


@pytest.mark.parametrize("kind", BUSY_BACKS)
def test_a_busy_back_is_printed_in_both_its_inks(kind):
    look = replace(reference("mono"), back_kind=kind, back=((40.0, 60.0, 200.0), (200.0, 90.0, 10.0)))
    printed = raster_back(look, 4)[40:-40, 40:-40, :3].astype(int)
    for ink in look.back:
        assert (np.abs(printed - np.round(ink)).max(-1) < 12).mean() > 0.1
