"""Whether a card that is not seen was taken away, and whether one that is seen lies still."""

from dataclasses import fields

import numpy as np
import pytest

from companion.vision.geometry import HEXAGON
from companion.vision.results import DetectedCard
from companion.vision.tracking.appearance import detail_correlation, only_light_changed
from companion.vision.tracking.change_detector import polygon_mask
from companion.vision.tracking.occlusion import (
    is_at_rest,
    is_covered,
    is_gone,
    over_unseen,
    share_around,
)

SHAPE = (60, 90)
TABLE, CARD, CUP = 60.0, 230.0, 120.0


def card(x: float = 320.0, y: float = 240.0, side: float = 48.0) -> DetectedCard:
    corners = (HEXAGON.unit * side + (x, y)).astype(np.float32)
    return DetectedCard(None, ("red",) * 6, corners, 0.9, 0.95, np.zeros((6, 3), np.float32))


def painted(*pieces: tuple[DetectedCard, float]) -> np.ndarray:
    """Planes (3, h, w) of a grey table on which pieces of a grey lie."""
    out = np.full((3, *SHAPE), TABLE, np.float32)
    for piece, grey in pieces:
        out[:, polygon_mask(piece.corners, SHAPE)] = grey
    return out


def changed(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    return np.abs(before - after).max(0) > 10


def test_noise_that_stirs_a_mask_pixel_is_no_motion_and_a_slid_edge_is() -> None:
    still = np.ones(SHAPE, bool)
    still[30, 40] = False
    assert is_at_rest(card(), still)
    still[polygon_mask(card().corners, SHAPE) & ~polygon_mask(card().corners, SHAPE, 0.8)] = False
    assert not is_at_rest(card(), still)


def test_a_card_of_which_a_part_shows_is_not_gone() -> None:
    before = painted((card(), CARD))
    gone, half = painted(), painted((card(), CARD), (card(345.0), CUP))
    assert is_gone(card(), before, gone, changed(before, gone), [])
    assert not is_gone(card(), before, half, changed(before, half), [])


def test_a_card_in_a_shadow_or_brighter_light_is_not_gone() -> None:
    before = painted((card(), CARD))
    shade = np.linspace(0.35, 0.6, SHAPE[1], dtype=np.float32)
    for after in (before * shade, np.minimum(before * 1.4, 255.0)):
        assert not is_gone(card(), before, after, np.ones(SHAPE, bool), [])


def test_a_card_as_pale_as_the_table_is_gone_when_most_of_its_place_differs_and_its_print_with_it() -> None:
    rng = np.random.default_rng(3)
    table, print_ = (rng.normal(0, 4, SHAPE) for _ in range(2))
    place = polygon_mask(card().corners, SHAPE, 0.9)
    before, after = painted((card(), TABLE + 12)), painted() + table.astype(np.float32)
    before[:, place] += (5 * print_[place]).astype(np.float32)
    differs = np.abs(before - after).max(0) > 9
    assert 0.6 < differs[place].mean() < 0.9
    assert is_gone(card(), before, after, differs, [])
    dimmed = before * 0.8
    assert not is_gone(card(), before, dimmed.astype(np.float32), differs, []), "its print still shows"


def test_a_piece_on_a_printed_field_is_gone_when_the_faint_print_around_it_stays() -> None:
    before = painted((card(), TABLE + 24), (card(side=30.0), TABLE), (card(side=24.0), CARD))
    after = painted((card(), TABLE + 24), (card(side=30.0), TABLE))
    assert is_gone(card(), before, after, changed(before, after), [])


def test_a_star_is_gone_from_its_field_though_the_pieces_around_it_still_show() -> None:
    beside = [card(320.0 + dx, 240.0 + dy) for dx, dy in ((-83.0, 0.0), (83.0, 0.0), (0.0, -96.0))]
    around = [(piece, CARD) for piece in beside]
    before, after = painted(*around, (card(side=20.0), CARD)), painted(*around)
    assert is_gone(card(), before, after, changed(before, after), beside)


class Star(DetectedCard):
    """A star token in the middle of its cell."""

    extent = 0.7  # type: ignore[assignment]


def star(x: float = 320.0, y: float = 240.0) -> DetectedCard:
    return Star(**{field.name: getattr(card(x, y), field.name) for field in fields(DetectedCard)})


def test_a_star_is_gone_though_the_line_around_its_field_and_the_edges_of_the_pieces_beside_it_still_show() -> None:
    beside = [card(320.0 + dx, 240.0 + dy) for dx, dy in ((-83.0, 0.0), (83.0, 0.0), (-42.0, 72.0), (42.0, 72.0))]
    board = [*((piece, CARD) for piece in beside), (card(side=50.0), TABLE - 30), (card(side=42.0), TABLE)]
    before, after = painted(*board, (card(side=18.0), TABLE + 55)), painted(*board)
    assert is_gone(star(), before, after, changed(before, after), beside)


def test_a_star_whose_ink_alone_shows_on_grained_wood_did_not_lie_there_before() -> None:
    grain = np.random.default_rng(3).normal(0, 7, SHAPE).astype(np.float32)
    before, after = painted() + grain, painted((card(side=13.0), TABLE + 24)) + grain
    differs = np.abs(before - after).max(0) > 10
    assert not only_light_changed(star(), before, after, differs, [])
    shade = 0.8 * before
    assert only_light_changed(star(), before, shade, changed(before, shade), [])


def test_a_pale_tile_comes_and_goes_on_a_board_of_its_colour_though_the_boards_rim_shows_in_both_pictures() -> None:
    grain = np.random.default_rng(3).normal(0, 8, SHAPE).astype(np.float32)
    board = [(card(side=66.0), 190.0), (card(side=51.0), 174.0), (card(side=46.0), 190.0)]
    tile = [(card(), 198.0), (card(side=34.0), 181.0), (card(side=24.0), 198.0)]
    bare, laid = painted(*board) + grain, painted(*board, *tile) + grain
    differs = np.abs(laid - bare).max(0) > 6
    assert not only_light_changed(card(), bare, laid, differs, [])
    assert is_gone(card(), laid, bare, differs, [])
    shade = 0.9 * laid
    assert only_light_changed(card(), laid, shade, changed(laid, shade), [])
    assert not is_gone(card(), laid, shade, changed(laid, shade), [])


def test_a_pale_star_is_gone_when_its_faint_ink_is_and_not_in_a_shade() -> None:
    before, after = painted((card(side=22.0), TABLE + 14)), painted()
    assert is_gone(card(), before, after, changed(before, after), [])
    shaded = before * np.where(polygon_mask(card().corners, SHAPE), 0.9, 1.0).astype(np.float32)
    assert not is_gone(card(), before, shaded, changed(before, shaded), [])


def test_a_card_taken_from_another_that_shows_the_same_paper_there_is_gone_and_not_covered() -> None:
    below, above = card(320.0), card(355.0)
    before, after = painted((below, CARD), (above, CARD)), painted((below, CARD))
    where = changed(before, after)
    assert not is_gone(above, before, after, where, [below])
    assert is_gone(above, before, after, where, [below], [below])
    assert not is_covered(above, before, after, where, [above], [below], [below])
    cup = painted((below, CARD), (above, CARD), (card(395.0, side=36.0), CUP))
    assert not is_gone(above, before, cup, changed(before, cup), [below], [below])
    hardly = card(322.0)
    assert not is_gone(hardly, before, after, where, [below], [below]), "nothing but a strip of it could tell"


def test_a_thing_on_a_card_covers_it_and_bare_table_does_not() -> None:
    before = painted((card(), CARD))
    bare, cup = painted(), painted((card(side=62.0), CUP))
    assert not is_covered(card(), before, bare, changed(before, bare), [card()], [])
    assert is_covered(card(), before, cup, changed(before, cup), [card()], [])


def test_a_small_card_of_whose_place_the_inner_part_is_bare_is_not_covered() -> None:
    """Of a card of nine mask pixels a third is its blurred edge; its shadow went with it."""
    small = card(side=37.0)
    before, bare = painted((small, CARD)), painted()
    place, inner, around = (polygon_mask(small.corners, SHAPE, grow) for grow in (1.0, 0.8, 1.3))
    bare[:, place & ~inner] = TABLE + 40
    bare[:, around & ~place & (np.arange(SHAPE[1]) > 40)] *= 0.75
    assert not is_covered(small, before, bare, changed(before, bare), [small], [])


def test_a_small_thing_on_a_card_that_looks_like_no_table_there_covers_it() -> None:
    ring = [card(320.0 + dx, 240.0 + dy) for dx, dy in ((-83, 0), (83, 0), (-42, -72), (42, -72), (-42, 72), (42, 72))]
    around = [(piece, CARD) for piece in ring]
    before, bare = painted(*around, (card(), CARD)), painted(*around)
    cup = painted(*around, (card(), CARD), (card(side=40.0), CUP))
    for others, pieces in ((ring, around), ([], [])):
        lone = painted(*pieces, (card(), CARD), (card(side=40.0), CUP))
        whole = painted(*pieces, (card(), CARD))
        assert is_covered(card(), whole, lone, changed(whole, lone), [card()], others)
    assert is_covered(card(), before, cup, changed(before, cup), [card()], ring)
    assert not is_covered(card(), before, bare, changed(before, bare), [card()], ring)


def test_a_thing_between_two_colours_of_the_table_is_no_table() -> None:
    before, cup = painted((card(side=33.0), CARD)), painted((card(side=33.0), CUP))
    bare = painted()
    for planes in (before, cup, bare):
        planes[:, :, 45:] += 2 * (CUP - TABLE) * (planes[:, :, 45:] == TABLE)
    assert is_covered(star(), before, cup, changed(before, cup), [star()], [])
    assert not is_covered(star(), before, bare, changed(before, bare), [star()], [])


def test_what_a_thing_covers_of_the_table_around_a_card_does_not_make_it_table() -> None:
    ring = [card(320.0 + dx, 240.0 + dy) for dx, dy in ((83, 0), (-42, -72), (42, -72), (-42, 72), (42, 72))]
    around = [(piece, CARD) for piece in ring]
    before, thing = painted(*around, (card(), CARD)), card(300.0, side=52.0)
    cup = painted(*around, (card(), CARD), (thing, CUP))
    cup[:, polygon_mask(thing.corners, SHAPE) & polygon_mask(card(320.0, side=70.0).corners, SHAPE)] = CUP
    assert is_covered(card(), before, cup, changed(before, cup), [card()], ring)


def test_a_thing_that_lies_on_two_cards_and_the_table_beside_them_covers_both() -> None:
    pair = [card(280.0), card(365.0)]
    before = painted((pair[0], CARD), (pair[1], CARD))
    cup = painted((pair[0], CARD), (pair[1], CARD), (card(322.0, side=68.0), CUP))
    assert all(is_covered(one, before, cup, changed(before, cup), pair, [other]) for one, other in (pair, pair[::-1]))


def test_a_thing_of_the_tables_colour_that_lies_on_the_cards_beside_too_covers_a_card() -> None:
    beside = [card(320.0 + dx, 240.0) for dx in (-88.0, 88.0)]
    around = [(piece, CARD) for piece in beside]
    before, like_table = painted(*around, (card(), CARD)), TABLE + 15
    cup = painted(*around, *((card(320.0 + dx, side=46.0), like_table) for dx in (-18.0, 0.0, 18.0)))
    assert is_covered(card(), before, cup, changed(before, cup), [card()], beside)
    taken = painted(*around)
    assert not is_covered(card(), before, taken, changed(before, taken), [card()], beside)


def test_a_thing_as_light_as_the_table_and_of_another_tint_that_reaches_beyond_a_card_covers_it() -> None:
    before, wider = painted((card(), CARD)), card(side=59.0)
    for tint, covers in (((0, 19, 17), True), ((17, 17, 17), False)):
        after = painted((wider, TABLE))
        after[:, polygon_mask(wider.corners, SHAPE)] += np.array(tint, np.float32)[:, None]
        assert is_covered(card(), before, after, changed(before, after), [card()], []) is covers


@pytest.mark.parametrize("columns", [50, 90], ids=["a part of the other changed", "all of it did"])
def test_nothing_lies_on_a_card_beside_which_another_is_seen_as_it_was(columns: int) -> None:
    beside = card(400.0)
    before = painted((beside, CARD), (card(), CARD))
    taken = painted((beside, CARD))
    where = changed(before, taken)
    where[polygon_mask(beside.corners, SHAPE) & (np.arange(SHAPE[1]) < columns)] = True
    assert is_covered(card(), before, taken, where, [card()], [beside])
    assert not is_covered(card(), before, taken, where, [card()], [beside], [beside])


def test_a_card_that_is_taken_away_with_its_shadow_on_the_cards_beside_is_not_covered() -> None:
    beside = [card(320.0 + dx, 240.0) for dx in (-78.0, 78.0)]
    taken = painted(*((piece, CARD) for piece in beside))
    before = taken.copy()
    before[:, polygon_mask(card().corners, SHAPE, 1.7) & (taken[0] == CARD)] -= 30.0
    before[:, polygon_mask(card().corners, SHAPE)] = CARD
    assert not is_covered(card(), before, taken, changed(before, taken), [card()], beside)


def test_a_card_that_is_taken_away_with_its_long_shadow_on_the_table_is_not_covered() -> None:
    beyond = polygon_mask(card(350.0, 275.0).corners, SHAPE) & ~polygon_mask(card().corners, SHAPE)
    taken = painted()
    before, thing = painted((card(), CARD)), taken.copy()
    before[:, beyond], thing[:, beyond] = 0.7 * TABLE, CARD
    assert not is_covered(card(), before, taken, changed(before, taken), [card()], [])
    assert is_covered(card(), before, thing, changed(before, thing), [card()], [])


def test_cards_taken_away_together_cover_nothing() -> None:
    pair = [card(280.0), card(365.0)]
    before, bare = painted((pair[0], CARD), (pair[1], CARD)), painted()
    assert not is_covered(pair[0], before, bare, changed(before, bare), pair, [pair[1]])


def test_fingers_around_a_card_are_counted_without_its_own_blur() -> None:
    around = polygon_mask(card(side=90.0).corners, SHAPE)
    assert share_around(card(), around) > 0.9
    assert share_around(card(), polygon_mask(card().corners, SHAPE)) == 0.0


def test_the_shadow_of_a_new_card_on_its_neighbour_is_nothing_that_lies_there() -> None:
    """The new card stayed a change for ever, and nobody saw it go."""
    known, new = card(), card(320.0 + 48.0 * np.sqrt(3))
    shadow = polygon_mask(card(new.centre[0] - 8.0).corners, SHAPE)
    changed_here = polygon_mask(new.corners, SHAPE) | shadow
    assert not (over_unseen([known, new], [new], changed_here) & polygon_mask(new.corners, SHAPE, 0.8)).any()
    chip = polygon_mask(card(side=16.0).corners, SHAPE)
    assert over_unseen([known, new], [new], changed_here | chip)[chip].all()
    on_it = card(340.0)
    changed_here = polygon_mask(on_it.corners, SHAPE)
    assert over_unseen([known, on_it], [on_it], changed_here)[changed_here].all(), "it lies on a card"


def test_a_pale_piece_beside_a_boards_rim_comes_and_goes_though_the_rim_shows_as_before() -> None:
    """Their place looks like the bare board by its rim: those that came "lay there all along", none "had gone"."""
    bare = painted()
    bare[:, :, :46] = 200.0
    laid = bare.copy()
    place = polygon_mask(card().corners, SHAPE)
    laid[0, place] = 232.0
    laid[:, place & (np.arange(SHAPE[1]) % 3 == 0)] -= 12.0
    noise = np.random.default_rng(2).normal(0, 1, (2, 3, *SHAPE))
    bare, laid = (np.float32(planes) for planes in (bare + noise[0], laid + noise[1]))
    assert detail_correlation(card(), laid, bare) > 0.8
    assert is_gone(card(), laid, bare, changed(laid, bare), [])
    assert not only_light_changed(card(), bare, laid, changed(laid, bare), [])
    dimmed = np.float32(laid * 0.8)
    assert not is_gone(card(), laid, dimmed, changed(laid, dimmed), [])
    assert only_light_changed(card(), laid, dimmed, changed(laid, dimmed), [])
