import numpy as np
import pytest

from companion.games.hexapod.artwork import DRAWINGS, SPAN
from companion.games.hexapod.deck import (
    CELL_MM,
    FRAME_MM,
    SPIDER,
    back_shapes,
    case_shapes,
    deck,
    face_shapes,
    insects,
    outline,
)
from companion.games.hexapod.rules.cases import KINDS, read_card
from companion.printing.raster import raster
from companion.printing.shapes import Box, bounds

CARD = Box(-25, -25, 25, 25)


def test_the_deck_holds_41_cards_that_the_rules_take():
    assert len(deck()) == 41
    assert all(read_card(card) is not None for card in deck())


def test_every_kind_of_insect_is_on_some_card():
    assert {kind for card in deck() for row in card for kind in row} == set(KINDS)


def test_the_deck_is_the_same_every_time():
    assert deck()[:2] == ((("green", "stag"), ("green", "stag")), (("green", "green"), ("blue", "gold")))


@pytest.mark.parametrize("kind", sorted(DRAWINGS))
def test_a_drawing_stays_inside_the_cells_it_fills(kind):
    high, wide = SPAN.get(kind, (1, 1))
    box = bounds(DRAWINGS[kind])
    assert -box.left_mm <= wide * CELL_MM / 2 and box.right_mm <= wide * CELL_MM / 2
    assert -box.top_mm <= high * CELL_MM / 2 and box.bottom_mm <= high * CELL_MM / 2


@pytest.mark.parametrize("kind", sorted(set(DRAWINGS) - {"moth", "stag", "spider"}))
def test_an_insect_of_one_cell_is_drawn_upright_and_not_the_same_upside_down(kind):
    picture = raster(DRAWINGS[kind], 4, Box(-12.5, -12.5, 12.5, 12.5))[:, :, 3]
    assert np.mean(picture != picture[::-1, ::-1]) > 0.03


def test_each_insect_is_drawn_once_in_the_middle_of_its_cells():
    assert insects((("stag", "leaf"), ("stag", "gold"))) == (
        ("stag", (-12.5, 0.0)),
        ("leaf", (12.5, -12.5)),
        ("gold", (12.5, 12.5)),
    )
    assert insects(SPIDER) == (("spider", (0.0, 0.0)),)


@pytest.mark.parametrize("shapes", [face_shapes(deck()[0]), face_shapes(SPIDER), back_shapes()])
def test_nothing_is_printed_beyond_the_cut(shapes):
    box = bounds(shapes)
    assert box.left_mm >= -25 - 1e-9 and box.right_mm <= 25 + 1e-9
    assert box.top_mm >= -25 - 1e-9 and box.bottom_mm <= 25 + 1e-9


def test_a_cell_shows_the_kind_that_the_card_says():
    picture = raster(face_shapes((("blue", "green"), ("gold", "dung"))), 4, CARD)
    beside_the_line = [(62, 54), (62, 154), (162, 54), (162, 154)]
    blue, green, gold, dung = (picture[y, x].astype(int) for y, x in beside_the_line)
    assert blue[0] > blue[2] and green[1] > green[2] and gold[2] > gold[0] + 100 and dung[:3].max() < 80


def test_a_case_has_a_frame_around_as_many_cells_as_asked():
    box = bounds(case_shapes(4, 6))
    assert (box.width_mm, box.height_mm) == (6 * CELL_MM + 2 * FRAME_MM, 4 * CELL_MM + 2 * FRAME_MM)


def test_a_card_has_sharp_corners_to_measure_by():
    assert outline() == ((-25.0, -25.0), (25.0, -25.0), (25.0, 25.0), (-25.0, 25.0))
