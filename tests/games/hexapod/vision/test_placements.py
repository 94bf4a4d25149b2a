"""What changed in a case between two readings: which card explains it."""

from typing import Any

import numpy as np

from companion.games.hexapod.vision.placements import (
    Covered,
    changed_cells,
    doubt_burnt_out,
    is_taken_in_part,
    laid_cards,
    may_be_covered,
    may_reach_under,
    square,
    with_card,
)
from companion.games.hexapod.vision.results import DetectedField

SQUARE = np.array([(0, 0), (100, 0), (100, 100), (0, 100)], np.float32)
UNCHANGED = np.zeros((5, 5))


def case(kinds: dict[tuple[int, int], str], doubtful: tuple[tuple[int, int], ...] = ()) -> DetectedField:
    cells = tuple(tuple(kinds.get((r, c)) for c in range(5)) for r in range(5))
    doubt = tuple(tuple((r, c) in doubtful for c in range(5)) for r in range(5))
    return DetectedField(SQUARE, cells, doubt, 0.9, is_case=True)


CARD = {(1, 1): "blue", (1, 2): "gold", (2, 1): "green", (2, 2): "dung"}


def laid(before: DetectedField, now: DetectedField, changed: Any = UNCHANGED) -> Any:
    cards = laid_cards(before, now, changed)
    assert len(cards) <= 1
    return (cards[0].place, cards[0].cells) if cards else None


def doubted(field: DetectedField) -> Any:
    return np.argwhere(field.doubt).tolist()


def test_a_card_in_an_empty_case_lies_where_its_four_cells_show() -> None:
    assert laid(case({}), case(CARD)) == ((1, 1), (("blue", "gold"), ("green", "dung")))


def test_a_card_that_covers_its_like_includes_the_cell_that_did_not_change() -> None:
    now = CARD | {(2, 2): "dung", (2, 3): "leaf", (3, 2): "blue", (3, 3): "gold"}
    assert laid(case(CARD), case(now)) == ((2, 2), (("dung", "leaf"), ("blue", "gold")))


def test_where_two_places_fit_the_one_that_looks_different_is_taken() -> None:
    row = {(0, c): "blue" for c in range(5)} | {(1, c): "blue" for c in range(5)}
    changed = UNCHANGED.copy()
    changed[0:2, 2:4] = 1.0
    assert laid(case(row), case(row | {(1, 2): "gold"}), changed) == ((0, 2), (("blue", "blue"), ("gold", "blue")))


def test_a_card_that_shows_what_lay_there_is_told_only_where_all_its_cells_look_different() -> None:
    changed = UNCHANGED.copy()
    changed[1:3, 1:3] = 0.9
    assert laid(case(CARD), case(CARD), changed) == ((1, 1), (("blue", "gold"), ("green", "dung")))
    changed[2, 2] = 0.1
    assert laid(case(CARD), case(CARD), changed) is None


def test_news_further_apart_than_a_card_is_no_card() -> None:
    assert laid(case(CARD), case(CARD | {(0, 0): "leaf", (4, 4): "leaf"})) is None


def test_a_card_taken_away_is_no_card_laid() -> None:
    assert laid(case(CARD), case({})) is None
    assert changed_cells(case(CARD), case({})) == dict.fromkeys(CARD)


def test_a_cell_that_cannot_be_read_is_no_news() -> None:
    covered = case({}, doubtful=tuple(CARD))
    assert changed_cells(case(CARD), covered) == {}
    assert laid(case(CARD), covered) is None


def test_a_card_of_which_two_cells_cannot_be_read_lies_where_no_other_may() -> None:
    read = {(1, 1): "blue", (1, 2): "gold"}
    assert laid(case({}), case(read, doubtful=((2, 1), (2, 2)))) == ((1, 1), (("blue", "gold"), (None, None)))
    assert laid(case({}), case(read, doubtful=((2, 2), (3, 3)))) is None, "no card shows the floor"
    assert laid(case({}), case({(1, 1): "blue"}, doubtful=((1, 2), (2, 1), (2, 2)))) is None, "too little of it"


def test_a_card_lies_over_what_cannot_be_read_any_more_rather_than_over_its_like() -> None:
    like = {(1, 2): "gold", (2, 2): "dung"}
    half = {(1, 1): "blue", (2, 1): "green"}
    now = case(like | half, doubtful=((1, 0), (2, 0)))
    assert laid(case(like), now) == ((1, 0), ((None, "blue"), (None, "green")))
    assert laid(case(like), case(like | half)) == ((1, 1), (("blue", "gold"), ("green", "dung")))


def test_burnt_out_cells_are_doubted_where_they_complete_a_card_read_in_part() -> None:
    half, burnt = {(1, 1): "blue", (2, 1): "green"}, UNCHANGED > 0
    burnt[2, 0] = burnt[3, 0] = True
    now = case(half, doubtful=((1, 0),))
    assert doubted(doubt_burnt_out(case({}), now, burnt)) == [[1, 0], [2, 0]]
    assert doubted(doubt_burnt_out(case({}), now, UNCHANGED > 0)) == [[1, 0]], "no cell is burnt out"
    assert doubted(doubt_burnt_out(case({}), case(half), burnt)) == [], "all is read"
    whole = case(half, doubtful=((1, 0), (2, 0)))
    assert doubted(doubt_burnt_out(case({}), whole, burnt)) == doubted(whole)


def test_a_card_may_cover_what_looks_the_same_only_where_it_shows_all_that_is_new() -> None:
    like = {(1, 1): "gold"}
    half = {(1, 2): "gold", (2, 2): "dung"}
    read = case(like | half | {(1, 1): "blue", (2, 1): "green", (0, 1): "leaf", (0, 2): "leaf"})
    assert np.argwhere(may_be_covered(case(like), case(like | half), read)).tolist() == [[1, 1], [1, 2], [2, 1], [2, 2]]
    assert not may_be_covered(case(like), case(like | {(1, 2): "gold"}), read).any(), "one cell shows no card"
    assert not may_be_covered(case(like), case(like | half), case(like | half)).any(), "no whole card shows"


def test_of_two_cards_laid_at_once_the_lower_may_be_read_in_part() -> None:
    read = {(1, 1): "blue", (2, 1): "green"}
    top = {(0, 2): "leaf", (0, 3): "leaf", (1, 2): "leaf", (1, 3): "blue"}
    changed = UNCHANGED.copy()
    for cell in {**CARD, **top}:
        changed[cell] = 0.9
    lower, upper = laid_cards(case({}), case(read | top, doubtful=((2, 2),)), changed)
    assert (lower.place, lower.cells) == ((1, 1), (("blue", None), ("green", None)))
    assert (upper.place, upper.cells) == ((0, 2), (("leaf", "leaf"), ("leaf", "blue")))


def test_a_case_is_bare_again_where_what_could_not_be_read_under_a_card_cannot_be_now() -> None:
    was = {(1, 1): "moth", (1, 2): "moth", (2, 1): "leaf"}
    unread = ((2, 2),)
    (card,) = laid_cards(case(was, unread), case(CARD), np.ones((5, 5)))
    covered = Covered.by(card, case(was, unread).cells)
    assert covered.is_bare(case(CARD), case(was, unread))
    assert not covered.is_bare(case(CARD), case(was | {(2, 2): "stag"}))
    known = Covered.by(card, case(was | {(2, 2): "stag"}).cells)
    assert not known.is_bare(case(CARD), case(was, unread))
    assert known.is_bare(case(CARD), case(was, unread), is_old=True), "that it cannot be read lasts"


def test_a_case_is_bare_again_where_a_cell_of_the_card_that_could_not_be_read_shows_what_lay_there() -> None:
    """The card lay on two insects as black as its own: none of its removals was told in 25 takes of a film."""
    unread = ((1, 1), (1, 2))
    laid_with_doubt, taken = case({(2, 2): "dung"} | CARD, doubtful=((2, 1),)), case({}, unread)
    covered = Covered((1, 1), ((None, None), (None, None)))
    assert covered.is_bare(laid_with_doubt, taken)
    assert not covered.is_bare(laid_with_doubt, case(CARD | {(2, 1): "leaf"}, unread)), "nothing was taken"
    assert not covered.is_bare(laid_with_doubt, case({(2, 1): "leaf"}, unread)), "another card lies there"


def test_a_card_is_taken_where_the_floor_shows_though_a_cell_under_it_cannot_be_read() -> None:
    doubted = UNCHANGED > 0
    doubted[2, 2] = True
    assert is_taken_in_part({(1, 1): None, (1, 2): None, (2, 1): "leaf"}, doubted)
    assert not is_taken_in_part({(1, 1): "leaf", (1, 2): "leaf"}, doubted), "no floor shows"
    assert not is_taken_in_part({(1, 1): None}, doubted), "too little of it"
    assert not is_taken_in_part({(1, 1): None, (1, 2): None, (0, 3): None}, doubted), "more than a card"


def test_what_is_first_read_where_little_changed_lay_there_before() -> None:
    unread = case({}, doubtful=((3, 1), (3, 2), (4, 1), (4, 2)))
    found = case(CARD | {(3, 1): "blue", (3, 2): "gold", (4, 1): "gold", (4, 2): "blue"})
    shade = UNCHANGED.copy()
    shade[1:3, 1:3], shade[3, 1:3] = 0.5, 0.1
    assert laid(unread, found, shade) == laid(case({}), case(CARD))


def test_half_a_moth_or_stag_or_a_piece_of_the_spider_is_no_card() -> None:
    moth = {(0, 0): "moth", (0, 1): "moth", (1, 0): "blue", (1, 1): "gold"}
    stag = {(0, 0): "stag", (0, 1): "blue", (1, 0): "stag", (1, 1): "stag"}
    assert square(case(moth).cells, (0, 0)) == (("moth", "moth"), ("blue", "gold"))
    assert square(case(stag).cells, (0, 0)) is None
    assert square(case(moth | {(0, 1): "blue"}).cells, (0, 0)) is None
    assert square(case(moth | {(1, 0): "spider"}).cells, (0, 0)) is None
    assert square(case(dict.fromkeys(moth, "spider")).cells, (0, 0)) == (("spider",) * 2,) * 2


def test_the_case_shows_the_card_afterwards() -> None:
    (card,) = laid_cards(case({}), case(CARD), UNCHANGED)
    assert with_card(case({}).cells, card) == case(CARD).cells


def test_two_cards_laid_side_by_side_between_two_looks_are_both_found() -> None:
    other = {(3, 3): "leaf", (3, 4): "leaf", (4, 3): "gold", (4, 4): "blue"}
    cards = laid_cards(case({}), case(CARD | other), UNCHANGED)
    assert {card.place for card in cards} == {(1, 1), (3, 3)}


def test_of_two_cards_laid_one_over_the_other_the_lower_is_found_by_what_shows_of_it() -> None:
    top = {(0, 2): "leaf", (0, 3): "leaf", (1, 2): "leaf", (1, 3): "blue"}
    changed = UNCHANGED.copy()
    for cell in {**CARD, **top}:
        changed[cell] = 0.9
    lower, upper = laid_cards(case({}), case(CARD | top), changed)
    assert (lower.place, lower.cells) == ((1, 1), (("blue", None), ("green", "dung")))
    assert (upper.place, upper.cells) == ((0, 2), (("leaf", "leaf"), ("leaf", "blue")))


def test_a_card_of_which_a_hand_may_hide_a_part_waits_until_the_hand_has_left() -> None:
    is_open = np.ones((5, 5), bool)
    is_open[:, 3:] = False
    half, whole = [(1, 2), (2, 2)], [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert may_reach_under(half, is_open)
    assert not may_reach_under(whole, is_open)
    assert not may_reach_under(half, np.ones((5, 5), bool))
