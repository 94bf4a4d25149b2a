from collections import Counter

import pytest

from companion.games.comet.artwork import numeral_bands
from companion.games.comet.deck import (
    HEIGHT_MM,
    NUMBERS,
    SECTION_MM,
    WIDTH_MM,
    back_shapes,
    deck,
    face_shapes,
    is_run,
    label,
    outline,
    pot_shapes,
)
from companion.printing.raster import raster
from companion.printing.shapes import Band, Box, Polygon, bounds

CARD = Box(-WIDTH_MM / 2, -HEIGHT_MM / 2, WIDTH_MM / 2, HEIGHT_MM / 2)


def bands(value):
    """The bands of the middle section's number."""
    shapes = face_shapes((2, value, 2))
    return [s for s in shapes if isinstance(s, Band) and abs(bounds((s,)).top_mm) < SECTION_MM / 2 - 1]


def test_the_deck_holds_123_different_cards():
    assert len({tuple(sorted(values)) for values in deck()}) == len(deck()) == 123


def test_three_cards_are_triples_and_no_other_holds_a_triple_or_a_run():
    triples = [values for values in deck() if len(set(values)) == 1]
    assert sorted(triples) == [(12, 12, 12), (13, 13, 13), (14, 14, 14)]
    assert not any(is_run(values) for values in deck())


def test_all_numbers_occur_about_equally_often():
    counts = Counter(value for values in deck() for value in values)
    assert set(counts) == set(NUMBERS) and max(counts.values()) - min(counts.values()) <= 1


def test_the_deck_is_the_same_every_time():
    assert deck()[3:6] == ((2, 8, 11), (3, 5, 6), (4, 7, 10))


@pytest.mark.parametrize("shapes", [face_shapes((10, 13, 14), "keyed"), face_shapes((6, 9, 9)), back_shapes()])
def test_nothing_is_printed_beyond_the_cut(shapes):
    box = bounds(shapes)
    assert box.left_mm >= CARD.left_mm and box.right_mm <= CARD.right_mm
    assert box.top_mm >= CARD.top_mm - 1e-9 and box.bottom_mm <= CARD.bottom_mm + 1e-9


@pytest.mark.parametrize("text", ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "A", "10", "13"])
def test_a_numeral_is_as_high_as_asked_and_stands_in_the_middle(text):
    box = bounds(numeral_bands(text, (5.0, 7.0), 16.0, "#000000"))
    assert box.height_mm == pytest.approx(16, abs=0.3)
    assert (box.top_mm + box.bottom_mm) / 2 == pytest.approx(7, abs=0.2)
    assert (box.left_mm + box.right_mm) / 2 == pytest.approx(5, abs=0.6)


def test_only_six_and_nine_are_underlined():
    lined = [
        v for v in NUMBERS if any(abs(b.points[0][1] - b.points[-1][1]) < 1e-9 and b.width_mm < 2 for b in bands(v))
    ]
    assert lined == [6, 9]


def test_a_six_upside_down_is_a_nine():
    six = {(round(x, 6), round(y, 6)) for b in numeral_bands("6", (0.0, 0.0), 10, "#000000") for x, y in b.points}
    nine = {
        (round(-x, 6) + 0.0, round(-y, 6) + 0.0)
        for b in numeral_bands("9", (0.0, 0.0), 10, "#000000")
        for x, y in b.points
    }
    assert six == nine


def test_the_keyed_printing_has_a_colour_for_each_number_and_the_mono_one_has_one():
    keyed = {face_shapes((v, v, v), "keyed")[0].fill for v in NUMBERS}
    mono = {face_shapes((v, v, v), "mono")[0].fill for v in NUMBERS}
    assert len(keyed) == 13 and mono == {"#F2EFE8"}


def test_the_comet_stands_in_the_top_left_corner():
    picture = raster(face_shapes((2, 2, 2)), 4, CARD)
    half = (picture[:, :, 0] < 120) & (picture[:, :, 3] > 250)
    top, bottom = half[: (4 * 12)], half[-(4 * 12) :]
    assert top[:, : 4 * 14].any() and not top[:, -4 * 14 :].any()
    assert not bottom[:, : 4 * 14].any() and not bottom[:, -4 * 14 :].any()


def test_a_card_has_rounded_corners_and_sharp_ones_to_measure_by():
    picture = raster(face_shapes((2, 2, 2)), 4, CARD)
    assert picture[0, 0, 3] == 0 and picture[100, 0, 3] == 255
    assert outline() == ((-31.5, -44.0), (31.5, -44.0), (31.5, 44.0), (-31.5, 44.0))


def test_a_pot_says_its_number_and_the_tail_shows_a_comet():
    assert any(isinstance(s, Band) for s in pot_shapes(3, 120, 100))
    tail = pot_shapes(None, 120, 100)
    assert not any(isinstance(s, Band) for s in tail) and isinstance(tail[0], Polygon)
    assert bounds(tail).width_mm == pytest.approx(121.2)


def test_numbers_are_printed_as_numbers_and_the_ace_as_a():
    assert [label(v) for v in NUMBERS] == [*map(str, range(2, 14)), "A"]
