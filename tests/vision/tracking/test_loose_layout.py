"""Comet cards followed by where they lie: numbers kept, a bump carried, another table not taken for this one."""

from dataclasses import replace
from time import process_time

import numpy as np
import pytest

from companion.games.comet.vision.classifier import NAMES
from companion.games.comet.vision.detector import CARD
from companion.games.comet.vision.results import BACK, DetectedCometCard, aligned_comet, turned_half
from companion.vision.tracking.layouts import LooseLayout

LAYOUT = LooseLayout(aligned_comet)


def card(values, x, y, turn_deg=0.0, cell=None):
    a = np.radians(turn_deg)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) * 44
    corners = (CARD.unit @ turn.T + (x, y)).astype(np.float32)
    edges = (BACK,) * 3 if values is None else tuple(map(str, values))
    return DetectedCometCard(cell, edges, corners, 0.9, 0.95, np.full((3, len(NAMES)), 1 / len(NAMES)))


def table():
    return LAYOUT.with_cells([card((2, 5, 9), 100, 100), card((3, 3, 14), 180, 100), card(None, 400, 240, 30)])


def bumped(cards, turn_deg=7.0, shift=(35.0, -20.0)):
    a = np.radians(turn_deg)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    return [replace(c, cell=None, corners=(c.corners @ turn.T + shift).astype(np.float32)) for c in cards]


def test_new_cards_get_new_numbers_and_old_ones_keep_theirs():
    known = table()
    assert [c.cell for c in known] == [(0, 0), (1, 0), (2, 0)]
    assert [c.cell for c in LAYOUT.with_cells([known[2], card((4, 4, 4), 0, 0)])] == [(2, 0), (3, 0)]


def test_cards_seen_where_they_lay_are_the_same_whichever_way_they_are_read():
    known = table()
    seen = [turned_half(replace(c, cell=None)) for c in known[::-1]]
    assert [c.cell for c in LAYOUT.registered(known, seen)] == [(2, 0), (1, 0), (0, 0)]


def test_a_card_turned_over_at_its_place_is_not_the_same():
    known = table()
    seen = [*known[:2], replace(card((2, 8, 9), 400, 240, 30), cell=None)]
    assert [c.cell for c in LAYOUT.registered(known, seen)] == [(0, 0), (1, 0), None]


def test_a_bumped_table_is_found_by_its_pattern_and_carried():
    known = table()
    seen = bumped(known)
    fresh = LAYOUT.registered(known, seen)
    assert [c.cell for c in fresh] == [c.cell for c in known]
    for now, there in zip(LAYOUT.moved_together(known, fresh), seen, strict=True):
        assert np.abs(now.corners - there.corners).max() < 1


def test_a_card_not_seen_after_a_bump_is_carried_with_the_others():
    known = LAYOUT.with_cells([*table(), card((7, 8, 8), 250, 320), card((4, 6, 12), 60, 300)])
    seen = bumped(known)
    carried = LAYOUT.moved_together(known, LAYOUT.registered(known, seen[1:]))
    assert np.abs(carried[0].corners - seen[0].corners).max() < 2


def test_a_set_that_a_hand_slides_is_no_moved_camera():
    known = LAYOUT.with_cells([card((2, 6, 7), 500, 141), card((4, 6, 8), 566, 140), card((5, 6, 6), 632, 142)])
    fresh = LAYOUT.registered(known, bumped(known, 6.0))
    assert [c.cell for c in fresh] == [c.cell for c in known]
    assert LAYOUT.moved_together(known, fresh) is None


def test_cards_that_stayed_where_they_lay_tell_of_no_moved_camera():
    stayed = [card((9, 11, 12), 100, 300), card((4, 5, 9), 180, 300)]
    known = LAYOUT.with_cells([*table(), *stayed])
    fresh = LAYOUT.registered(known, [*bumped(table()), *stayed])
    assert LAYOUT.moved_together(known, fresh) is None


def test_nothing_moved_where_all_lies_as_it_lay():
    known = table()
    assert LAYOUT.moved_together(known, LAYOUT.registered(known, known)) is None


def test_a_table_full_of_backs_is_found_by_its_pattern_in_little_time():
    rng = np.random.default_rng(3)
    known = LAYOUT.with_cells([card(None, 90 * (k % 6) + rng.uniform(0, 25), 120 * (k // 6)) for k in range(18)])
    begun = process_time()
    fresh = LAYOUT.registered(known, bumped(known)[::-1])
    assert [c.cell for c in fresh] == [c.cell for c in known][::-1]
    assert process_time() - begun < 1.0


def test_other_cards_are_not_this_table():
    assert LAYOUT.registered(table(), [card((10, 11, 13), 300, 80), card((6, 6, 8), 90, 300)]) is None


@pytest.mark.parametrize("turn_deg", [0, 3, 177, 183, 360])
def test_a_card_is_aligned_with_what_was_known_whichever_way_it_was_found(turn_deg):
    known = card((2, 5, 9), 100, 100)
    again = LAYOUT.aligned(card((2, 5, 9), 100, 100, turn_deg), known)
    assert np.linalg.norm(again.corners[0] - known.corners[0]) < 10
    assert again.edges == (("2", "5", "9") if turn_deg % 360 < 90 else ("9", "5", "2"))
