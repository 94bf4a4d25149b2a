"""What on a table of a taught Comet printing is a card face down, and what only looks like one."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.games.comet.vision.appearance import is_of_table
from companion.games.comet.vision.backs import find_backs, mark_similar_backs
from companion.games.comet.vision.card_selection import read_cards, rows_of
from companion.games.comet.vision.hypothesis import Hypothesis, examine
from companion.games.comet.vision.profile import EMBEDDED, CometProfile, look_shape
from companion.games.comet.vision.taught_numerals import TaughtNumerals
from companion.games.comet.vision.taught_recognizer import is_card, present
from companion.games.comet.vision.taught_search import search_backs, search_rows
from companion.vision.image.pyramid import Pyramid

CARD = np.array([[0.0, 0], [76, 0], [76, 106], [0, 106]])
PLACES = ((40, 40), (180, 40), (320, 40), (460, 40))
BLUE, GREEN, RED, WOOD = (150, 60, 30), (60, 160, 30), (40, 40, 170), (70, 110, 160)
STRIPES = np.indices((106, 76))[0] % 20 < 10
WHITE, SHADOWED_WHITE, DARK_GREY, BLUE_IN_GLARE = (240, 240, 240), (200, 200, 200), (130, 130, 130), (184, 94, 64)
PALE, DIM = (250, 250, 250), (165, 165, 165)
BLUE_VEILED, GREEN_VEILED, GREY_VEILED = (240, 170, 145), (130, 215, 105), (215, 215, 215)
SLATE = (120, 160, 110)


def taught(back=None, tint=()):
    """A printing whose back nobody showed, or one that looks so and has such a tint beside its face."""
    wide, none = 76 / 106, np.zeros(0, np.float32)
    back = none if back is None else back
    face = np.zeros(look_shape(wide), np.float32)
    slots, at = np.arange(3, dtype=np.float32), np.zeros((3, 2), np.float32)
    high, turned = np.full(3, 0.3, np.float32), np.zeros(3, np.float32)
    samples = np.zeros((0, EMBEDDED), np.float32)
    tint = np.array(tint, np.float32)
    return TaughtNumerals(
        CometProfile("comet", wide, slots, at, high, turned, none, samples, face, back, back_tint=tint)
    )


def striped():
    """The look of a back of stripes."""
    return cv2.resize(np.where(STRIPES, 230.0, 60.0).astype(np.float32), look_shape(76 / 106)[::-1])


def fine():
    """The look of a back of lines so fine that they correlate with nothing."""
    return np.where(np.indices(look_shape(76 / 106)).sum(0) % 6 < 3, 150.0, 90.0).astype(np.float32)


def dots():
    """Where a card shows fine dots."""
    y, x = np.mgrid[:106, :76]
    return (x % 12 < 5) & (y % 12 < 5)


def bare_table():
    noise = np.random.default_rng(1).normal(0, 4, (190, 600, 1))
    return (np.full((190, 600, 3), WOOD) + noise).clip(0, 255).astype(np.uint8)


def backs_of(monkeypatch, colours, pattern=None, sure=0.95, alike=0.0, back=None, last_size=1.0, maybe=0.999, tint=()):
    """Which of the places beside a face that is read are told, where the network takes all for backs so surely.

    The last place is so many times as wide and high as a card.
    """
    picture = bare_table()
    for (x, y), colour, size in zip(PLACES, (WHITE, *colours), (1, 1, 1, last_size), strict=True):
        if colour is not None:
            card = np.full((106, 76, 3), colour, np.uint8)
            if pattern is not None and colour in (BLUE, GREEN, PALE):
                card[pattern] = (230, 230, 230) if colour != PALE else (150, 150, 150)
            if pattern is not None and colour in (BLUE_VEILED, GREEN_VEILED):  # a lamp hides most of it
                card[80:][pattern[80:]] = (245, 245, 245)
            card = cv2.resize(card, None, fx=size, fy=size, interpolation=cv2.INTER_AREA)
            picture[y : y + card.shape[0], x : x + card.shape[1]] = card
    name = "companion.games.comet.vision.backs.PretrainedNumerals.read_numerals"
    kinds = np.array([[0.0, maybe, 1 - maybe]])
    monkeypatch.setattr(name, lambda *_: type("Seen", (), {"kinds": kinds})())
    found = (sure,) * 3 if np.isscalar(sure) else sure
    face = Hypothesis(CARD + PLACES[0], 1.0, np.zeros((3, 15)), 1.0, 0.9)
    blank = [
        Hypothesis(CARD + at, each, np.zeros((3, 15)), 0.0, alike) for at, each in zip(PLACES[1:], found, strict=True)
    ]
    blank[-1] = replace(blank[-1], corners=CARD * last_size + PLACES[-1])
    compared = find_backs(Pyramid.of(picture), taught(back, tint), [face, *blank], [face], is_known=True)
    return [one.is_back and is_card(one, [face]) for one in compared[1:]]


@pytest.mark.parametrize(("is_dotted", "is_known"), [(True, True), (False, True), (True, False)])
def test_a_back_is_told_by_its_detail_where_a_light_fades_across_the_taught_one(monkeypatch, is_dotted, is_known):
    """A lamp shone on one end of a dotted back in the lesson: those without it correlated with that by 0.1 to 0.6.

    Where no card of the printing is known, any deck may lie there: numbers in a column were told as stripes.
    """
    kinds = np.array([[0.0, 0.0, 1.0]])
    name = "companion.games.comet.vision.backs.PretrainedNumerals.read_numerals"
    monkeypatch.setattr(name, lambda *_: type("Seen", (), {"kinds": kinds})())
    dotted = np.where(dots(), 90.0, 150.0)
    fade = 0.8 * np.linspace(1, 0, 106)[:, None] ** 2
    lit = (dotted * (1 - fade) + 200 * fade).astype(np.float32)
    picture, at = bare_table(), PLACES[1]
    card = dotted if is_dotted else 150.0 + np.random.default_rng(0).normal(0, 6, dotted.shape)
    picture[at[1] : at[1] + 106, at[0] : at[0] + 76] = card[..., None].clip(0, 255)
    printing = taught(cv2.resize(lit, look_shape(76 / 106)[::-1], interpolation=cv2.INTER_AREA))
    face = Hypothesis(CARD + PLACES[0], 1.0, np.zeros((3, 15)), 1.0, 0.9)
    one = Hypothesis(CARD + at, 0.9, np.zeros((3, 15)), 0.0, 0.0)
    read = [face] if is_known else []
    _, seen = find_backs(Pyramid.of(picture), printing, [face, one], read, is_known=is_known)
    assert seen.is_back is (is_dotted and is_known)


@pytest.mark.parametrize(
    ("legible", "alike", "maybe", "is_told"),
    [
        (0.8, 0.5, 0.99995, True),  # dots that were read as 6 6 6, if not surely
        (0.8, 0.5, 0.999, False),  # a face that is read badly
        (0.8, 0.8, 0.99995, False),  # it looks like the taught face
        (0.98, 0.5, 0.99995, False),  # it is read surely
        (0.98, 0.1, 0.999, True),  # stripes of a draw deck that were read as A A A
        (0.98, 0.1, 0.9, False),
    ],
)
def test_a_pattern_that_is_read_as_numbers_is_a_back_where_it_is_surely_one(
    monkeypatch, legible, alike, maybe, is_told
):
    kinds = np.array([[0.0, maybe, 1 - maybe]])
    name = "companion.games.comet.vision.backs.PretrainedNumerals.read_numerals"
    monkeypatch.setattr(name, lambda *_: type("Seen", (), {"kinds": kinds})())
    picture, at = bare_table(), PLACES[1]
    picture[at[1] : at[1] + 106, at[0] : at[0] + 76] = BLUE
    face = Hypothesis(CARD + PLACES[0], 1.0, np.zeros((3, 15)), 1.0, 0.9)
    sections = np.full((3, 15), 0.01)
    sections[:, 5] = legible
    one = Hypothesis(CARD + at, 1.0, sections, legible, alike, like_numbers=legible)
    compared = find_backs(Pyramid.of(picture), taught(), [face, one], [face], is_known=True)
    (seen,) = (card for card in compared if np.allclose(card.corners, one.corners))
    assert seen.is_back is is_told
    assert (seen.legible == legible) is not is_told


@pytest.mark.parametrize(("shows_numbers", "is_told"), [(False, True), (True, False)])
def test_a_card_with_a_print_is_no_plain_back_where_no_card_of_the_printing_is_known(shows_numbers, is_told):
    """Faces of another printing with a rim as the taught back's were told as face down, for all their small numbers."""
    back = np.full(look_shape(76 / 106), 200.0, np.float32)
    cv2.rectangle(back, (1, 1), (back.shape[1] - 2, back.shape[0] - 2), 120.0, 2)
    card = cv2.resize(back, (76, 106), interpolation=cv2.INTER_LINEAR)
    if shows_numbers:
        for x, y in ((14, 24), (14, 42), (14, 60), (50, 90)):
            cv2.putText(card, "12", (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.35, 60.0, 1)
    picture, at = bare_table(), PLACES[1]
    picture[at[1] : at[1] + 106, at[0] : at[0] + 76] = card[..., None].astype(np.uint8)
    one = Hypothesis(CARD + at, 0.95, np.zeros((3, 15)), 0.0, 0.0)
    (seen,) = find_backs(Pyramid.of(picture), taught(back), [one], [], is_known=False)
    assert seen.is_back is is_told


def test_the_bare_table_between_cards_is_no_back(monkeypatch):
    assert backs_of(monkeypatch, (BLUE, None, BLUE)) == [True, False, True]


@pytest.mark.parametrize(("colour", "is_told"), [(DARK_GREY, True), (SHADOWED_WHITE, False)])
def test_backs_as_grey_as_the_faces_but_far_darker_are_told_together(monkeypatch, colour, is_told):
    """Of five dark grey backs on dark wood, beside white faces, four were not told: each was found hardly."""
    assert backs_of(monkeypatch, (colour,) * 3, sure=0.4, maybe=0.985) == [is_told] * 3


def test_a_colour_seen_beside_one_of_many_cards_alone_is_not_the_tables():
    table = np.zeros((60, 4))
    table[:4] = 10.0  # a card that was not found lies beside the first
    around = np.repeat(np.arange(6), 10)
    card = np.full((4, 4), 10.2)
    assert not is_of_table(card, table, around) and is_of_table(np.full((4, 4), 0.2), table, around)
    assert is_of_table(card, table[:20], around[:20])  # of two cards nobody can tell
    table[:10] = 10.0
    assert is_of_table(card, table, around)  # nothing else is seen around it


def test_a_thing_of_another_colour_than_the_backs_is_none(monkeypatch):
    assert backs_of(monkeypatch, (BLUE, BLUE, GREEN)) == [True, True, False]


@pytest.mark.parametrize(
    ("found", "size", "is_told"), [(0.3, 1.0, False), (0.3, 0.83, False), (0.7, 1.0, True), (0.97, 1.0, True)]
)
def test_what_looks_like_the_back_in_another_colour_is_none_where_others_are_found_far_surer(
    monkeypatch, found, size, is_told
):
    seen = backs_of(monkeypatch, (BLUE, BLUE, GREEN), STRIPES, (0.95, 0.95, found), back=striped(), last_size=size)
    assert seen == [True, True, is_told]


def test_beside_one_that_shows_the_taught_pattern_another_colour_without_it_is_no_back(monkeypatch):
    assert backs_of(monkeypatch, (BLUE, RED, None), STRIPES, back=striped()) == [True, False, False]
    assert backs_of(monkeypatch, (BLUE, RED, None), STRIPES) == [True, True, False], "any back may be the deck's"


@pytest.mark.parametrize(("taught_in", "is_told"), [(GREEN, True), (BLUE, False)])
def test_without_the_taught_pattern_a_card_of_a_far_other_colour_than_the_taught_back_is_none(
    monkeypatch, taught_in, is_told
):
    """Beside faces that are read another game's card with four pips was told as a card face down."""
    tint = np.log(np.array(taught_in, float) / WHITE)
    assert backs_of(monkeypatch, (GREEN, None, None), back=striped(), tint=tint) == [is_told, False, False]
    assert backs_of(monkeypatch, (GREEN, None, None), STRIPES, back=striped(), tint=tint) == [True, False, False]


@pytest.mark.parametrize(("shown_by", "is_told"), [(BLUE, True), (RED, False)])
def test_a_back_in_other_light_is_told_by_the_pattern_that_others_show(monkeypatch, shown_by, is_told):
    seen = backs_of(monkeypatch, (shown_by, shown_by, GREEN), STRIPES, (0.95, 0.95, 0.66))
    assert seen == [True, True, is_told]


@pytest.mark.parametrize(
    ("alike", "is_patterned", "is_read"), [(0.0, True, False), (0.0, False, True), (0.6, True, True)]
)
def test_numbers_are_no_longer_read_on_what_looks_like_the_taught_back_and_unlike_the_face(
    monkeypatch, alike, is_patterned, is_read
):
    picture, shape = bare_table(), look_shape(76 / 106)
    dots = np.where(np.indices((106, 76)).sum(0) % 24 < 10, 230, 60).astype(np.uint8)
    picture[40:146, 40:116] = dots[..., None]
    back = cv2.resize(dots, shape[::-1]).astype(np.float32) if is_patterned else np.full(shape, 90.0, np.float32)
    sections = np.zeros((3, 15))
    sections[:, 7] = 0.9
    misread = Hypothesis(CARD + PLACES[0], 0.9, sections, 0.98, alike, 0.98, numerals=np.ones((1, 3, 3)))
    monkeypatch.setattr("companion.games.comet.vision.hypothesis._best_ways", lambda *_: [misread])
    (one,) = examine(Pyramid.of(picture), taught(back), [(misread.corners, 0.9)])
    assert one.shows_number == bool(one.legible) == bool(len(one.numerals)) == is_read


def test_some_bricks_that_are_hardly_found_are_no_backs_beside_one_that_is_found_surely(monkeypatch):
    assert backs_of(monkeypatch, (BLUE, GREEN, GREEN), sure=(0.98, 0.35, 0.35)) == [True, False, False]


def test_two_backs_above_each_other_seen_from_the_side_are_parted_at_their_edge():
    wide, long, short, below = 0.5878, 124, 65, 54  # seen straight on a card is 73 high
    rim = np.full((short, long), 40, np.uint8)
    cv2.rectangle(rim, (5, 5), (long - 6, short - 6), 200, 3)
    picture = bare_table()
    for y in (20, 20 + below):
        picture[y : y + short, 40 : 40 + long] = rim[..., None]
    back = cv2.resize(cv2.rotate(rim, cv2.ROTATE_90_CLOCKWISE), look_shape(wide)[::-1]).astype(np.float32)
    profile = replace(taught(back).profile, half_width=wide, face=np.zeros(look_shape(wide), np.float32))
    box = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    row = Hypothesis(box * [long, below + short] + [40, 20], 0.9, np.zeros((3, 15)), 0.0)
    read = [Hypothesis(box * [short, long] + [x, 40], 1.0, np.zeros((3, 15)), 1.0, 0.9) for x in (250, 350)]
    first, *_ = rows_of(row.corners, long * short, wide)
    assert np.ptp([part.mean(0) for part in first], axis=0).argmax() == 0, (
        "their proportion alone would part them wrong"
    )
    parts = search_rows(Pyramid.of(picture), TaughtNumerals(profile), [*read, row])
    assert np.allclose([part.middle for part in parts], [[102, 52.5], [102, 106.5]], atol=4)


def test_of_two_colours_seen_as_often_neither_is_left_out(monkeypatch):
    assert backs_of(monkeypatch, (BLUE, None, GREEN)) == [True, False, True]


def test_a_back_in_glare_is_of_the_deck(monkeypatch):
    assert backs_of(monkeypatch, (BLUE, BLUE, BLUE_IN_GLARE)) == [True, True, True]


@pytest.mark.parametrize(("colour", "is_told"), [(BLUE_VEILED, True), (GREY_VEILED, False)])
def test_a_back_in_a_lamps_reflection_is_of_the_deck_by_the_hue_that_is_left(monkeypatch, colour, is_told):
    """Of green backs two in glare were taken for another deck's: others showed the taught pattern."""
    assert backs_of(monkeypatch, (BLUE, colour, None), STRIPES, back=striped()) == [True, is_told, False]


@pytest.mark.parametrize(("colour", "is_told"), [(GREEN_VEILED, True), (BLUE_VEILED, False)])
def test_white_light_on_a_back_takes_of_its_tint_and_of_its_pattern(monkeypatch, colour, is_told):
    tint = np.log(np.array(GREEN, float) / WHITE)
    assert backs_of(monkeypatch, (colour, None, None), back=striped(), tint=tint) == [is_told, False, False]


def test_a_card_that_is_partly_covered_is_not_of_another_deck_for_its_tint():
    """Of fanned cards that were found by two of their numbers none was told, for none was as blue as the back."""
    picture = bare_table()
    (x, y), (left, top), *_ = PLACES
    picture[y : y + 106, x : x + 76] = picture[top : top + 106, left : left + 76] = WHITE
    sections = np.full((3, 15), 0.01)
    sections[[0, 1], [2, 5]] = 0.99
    face = Hypothesis(CARD + PLACES[0], 1.0, np.zeros((3, 15)), 1.0, 0.9)
    covered = Hypothesis(CARD + PLACES[1], 0.5, sections, 0.59, 0.2)
    printing = taught(striped(), np.log(np.array(BLUE, float) / WHITE))
    _, compared = find_backs(Pyramid.of(picture), printing, [face, covered], [face], is_known=True)
    assert is_card(compared, [face])


def test_where_no_face_shows_the_colour_of_faces_elsewhere_tells_backs(monkeypatch):
    picture = bare_table()
    (x, y), *_ = PLACES
    picture[y : y + 106, x : x + 76] = BLUE
    kinds = type("Seen", (), {"kinds": np.array([[0.0, 1.0, 0.0]])})()
    monkeypatch.setattr("companion.games.comet.vision.backs.PretrainedNumerals.read_numerals", lambda *_: kinds)
    one = Hypothesis(CARD + PLACES[0], 0.8, np.zeros((3, 15)), 0.0, 0.37)
    for elsewhere, is_other in (([], False), ([np.array(BLUE)], False), ([np.array(WHITE)], True)):
        (seen,) = find_backs(Pyramid.of(picture), taught(), [one], [], is_known=True, elsewhere=elsewhere)
        assert (seen.is_other_colour, seen.is_back) == (is_other, is_other)


def test_a_back_as_plain_as_the_face_is_told_by_its_colour(monkeypatch):
    assert backs_of(monkeypatch, (BLUE, BLUE, WHITE), alike=0.7) == [True, True, False]


def test_what_has_the_faces_colour_and_not_the_pattern_of_the_taught_back_is_none(monkeypatch):
    shape = look_shape(76 / 106)
    plain, striped = np.full(shape, 90.0, np.float32), 90.0 + 60.0 * (np.indices(shape).sum(0) % 6 < 3)
    assert backs_of(monkeypatch, (BLUE, WHITE, None), back=plain) == [True, True, False]
    assert backs_of(monkeypatch, (BLUE, WHITE, None), back=striped.astype(np.float32)) == [True, False, False]


@pytest.mark.parametrize(("sure", "is_told"), [(0.95, True), (0.85, False)])
def test_what_shows_some_pattern_may_be_a_back_in_the_faces_colour_where_it_is_found_surely(monkeypatch, sure, is_told):
    """A dotted back beside others that were told was left open: its dots hardly correlate with the taught ones."""
    assert backs_of(monkeypatch, (PALE, None, None), dots(), sure=sure, back=fine())[0] is is_told


@pytest.mark.parametrize(("taught_as", "is_told"), [(-0.55, True), (-0.3, False)])
def test_a_grey_back_as_dark_beside_the_faces_as_when_it_was_taught_is_told(monkeypatch, taught_as, is_told):
    """Five dark backs of fine dots beside light grey faces were left open, for lamps had a face as dark far away."""
    seen = backs_of(monkeypatch, (DIM, DIM, None), back=fine(), tint=(taught_as,) * 3)
    assert seen == [is_told, is_told, False]


@pytest.mark.parametrize(("taught_as", "is_told"), [(-0.55, False), (-0.1, True)])
def test_what_is_as_bright_as_the_faces_is_no_back_beside_those_as_dark_as_when_they_were_taught(
    monkeypatch, taught_as, is_told
):
    """A white box was told as a card face down beside dark backs whose dots hardly correlate with the taught ones."""
    seen = backs_of(monkeypatch, (DARK_GREY, DARK_GREY, PALE), dots(), back=fine(), tint=(taught_as,) * 3)
    assert seen == [True, True, is_told]


def hardly_back(like_back, found, colour=(160, 60, 30)):
    """Whether what correlates so with the taught back is told beside three that surely are backs; no face is read."""
    picture = np.full((220, 620, 3), WOOD, np.uint8)
    for (x, y), its in zip(PLACES, ((160, 60, 30),) * 3 + (colour,), strict=True):
        picture[y : y + 106, x : x + 76] = its
    none = np.zeros((3, 15))
    sure = [Hypothesis(CARD + at, 0.9, none, 0.0, like_back=0.9) for at in PLACES[:3]]
    hardly = Hypothesis(CARD + PLACES[3], found, none, 0.0, like_back=like_back)
    *_, compared = mark_similar_backs(Pyramid.of(picture), [*sure, hardly], [])
    return compared.is_back and is_card(compared, [])


@pytest.mark.parametrize(
    ("like_back", "found", "colour", "is_told"),
    [
        (0.75, 0.9, (160, 60, 30), True),
        (0.5, 0.9, (160, 60, 30), False),
        (0.75, 0.5, (160, 60, 30), False),
        (0.75, 0.9, (60, 160, 30), False),
    ],
)
def test_what_hardly_looks_as_the_taught_back_is_one_beside_others_of_its_colour(like_back, found, colour, is_told):
    """Of four backs on a table without faces three were told: one correlated by 0.79."""
    assert hardly_back(like_back, found, colour) is is_told


@pytest.mark.parametrize(("like_back", "are_told"), [((0.0, 0.0, 0.0), True), ((0.1, 0.1, 0.1), False)])
def test_a_cloths_squares_do_not_say_of_each_other_that_they_are_backs_whose_pattern_is_known(like_back, are_told):
    picture = np.full((220, 620, 3), WOOD, np.uint8)
    for x, y in PLACES[1:]:
        picture[y : y + 106, x : x + 76] = BLUE
    none = np.zeros((3, 15))
    face = Hypothesis(CARD + PLACES[0], 1.0, none, 1.0, 0.9)
    squares = [
        Hypothesis(CARD + at, 0.4, none, 0.0, like_back=like, maybe_back=0.999, is_other_colour=True)
        for at, like in zip(PLACES[1:], like_back, strict=True)
    ]
    _, *compared = mark_similar_backs(Pyramid.of(picture), [face, *squares], [face])
    assert [is_card(one, [face]) for one in compared] == [are_told] * 3


@pytest.mark.parametrize(("first", "is_told"), [(0.95, False), (0.6, True)])
def test_what_is_hardly_found_is_no_back_beside_one_of_another_colour_that_surely_is(monkeypatch, first, is_told):
    """Three bricks of a floor were told as face down beside yellow backs."""
    told = backs_of(monkeypatch, (BLUE, GREEN, None), sure=(first, 0.56, 0.1))
    assert told[:2] == [True, is_told]


@pytest.mark.parametrize(("size", "count", "are_told"), [(1.35, 3, True), (1.35, 2, False), (1.7, 3, False)])
def test_backs_surely_as_large_as_each_other_may_lie_nearer_than_the_few_cards_that_are_read(size, count, are_told):
    """Four backs, twice as large as the only faces read on a table seen from the side, were told of no deck."""
    picture, near = np.full((240, 700, 3), WOOD, np.uint8), CARD * size
    places = [np.array([160.0 + 150 * k, 40.0]) for k in range(count)]
    for outline in (near + at for at in places):
        cv2.fillConvexPoly(picture, np.round(outline).astype(np.int32), BLUE)
    none = np.zeros((3, 15))
    face = Hypothesis(CARD + PLACES[0], 1.0, none, 1.0, 0.9)
    backs = [Hypothesis(near + at, 0.95, none, 0.0, maybe_back=0.999, is_other_colour=True) for at in places]
    _, *compared = mark_similar_backs(Pyramid.of(picture), [face, *backs], [face])
    assert [is_card(one, [face]) for one in compared] == [are_told] * count


def test_two_plain_backs_side_by_side_are_not_told_as_two_that_lie_across_them():
    """A block of two cards is about as high as it is wide: two across it fit as well, but there no edge runs."""
    picture = np.full((260, 460, 3), WOOD, np.uint8)
    for x, y in ((40, 40), (120, 40)):
        picture[y : y + 106, x : x + 76] = (20, 20, 20)
        picture[y + 1 : y + 105, x + 1 : x + 75] = BLUE
    none, lying = np.zeros((3, 15)), np.array([[0.0, 0], [156, 0], [156, 76], [0, 76]])
    upright = [Hypothesis(CARD + at, 0.9, none, 0.0, maybe_back=1.0) for at in ((40.0, 40.0), (120.0, 40.0))]
    across = [Hypothesis(lying + at, 0.95, none, 0.0, maybe_back=1.0) for at in ((40.0, 40.0), (40.0, 70.0))]
    face = Hypothesis(CARD + np.array([340.0, 40.0]), 1.0, none, 1.0, 0.9)
    picture[40:146, 340:416] = WHITE
    likely = find_backs(Pyramid.of(picture), taught(), [face, *across, *upright], [], is_known=False)
    assert [one.side_seen > 0.5 for one in likely[1:]] == [False, False, True, True]
    told = [one.middle.round().tolist() for one in present(likely, [face]) if one.is_back]
    assert sorted(told) == [[78, 93], [158, 93]]


@pytest.mark.parametrize("sure", [0.45, 0.2, 0.1])
def test_backs_found_hardly_are_told_where_some_are_alike(monkeypatch, sure):
    """Parts of a row count as found by 0.2: the teeth of a comb are alike too."""
    assert backs_of(monkeypatch, (BLUE, BLUE, BLUE), sure=sure) == [sure > 0.2] * 3


def test_a_patterned_back_that_is_found_surely_shows_how_the_others_look(monkeypatch):
    y, x = np.mgrid[:106, :76]
    ring = np.abs(np.hypot(x - 38, y - 53) - 26) < 8
    assert backs_of(monkeypatch, (BLUE, BLUE, None), ring, (0.95, 0.1, 0.1)) == [True, True, False]


@pytest.mark.parametrize("alike", [0.0, 0.75])
@pytest.mark.parametrize(
    ("blank", "found", "is_told"),
    [(SHADOWED_WHITE, 0.95, True), (SHADOWED_WHITE, 0.7, False), (PALE, 0.95, False), (STRIPES, 0.95, False)],
)
def test_a_card_that_shows_nothing_where_faces_show_numbers_is_a_back(monkeypatch, blank, found, is_told, alike):
    """Home-made cards are blank on one side: seven were found surely, and not told, nor were five beside faces whose
    dark rim looked like their edge. A lamp may hide numbers.
    """
    picture = bare_table()
    (x, y), (u, v), *_ = PLACES
    picture[y : y + 106, x : x + 76] = SHADOWED_WHITE
    picture[y + 40 : y + 66, x + 26 : x + 50] = 40  # a number
    card = np.full((106, 76, 3), blank) if len(blank) == 3 else np.where(blank[..., None], SHADOWED_WHITE, 150)
    picture[v : v + 106, u : u + 76] = card
    unsure = type("Seen", (), {"kinds": np.array([[0.0, 0.85, 0.15]])})()
    monkeypatch.setattr("companion.games.comet.vision.backs.PretrainedNumerals.read_numerals", lambda *_: unsure)
    none = np.zeros((3, 15))
    face = Hypothesis(CARD + PLACES[0], 1.0, none, 1.0, 0.9)
    seen = [face, Hypothesis(CARD + PLACES[1], found, none, 0.0, alike)]
    _, told = find_backs(Pyramid.of(picture), taught(), seen, [face], is_known=True)
    assert told.is_back is is_told


@pytest.mark.parametrize(("colours", "told"), [((PALE, PALE, None), [True, True]), ((PALE, BLUE, None), [False, True])])
def test_backs_with_the_faces_rim_are_told_where_two_show_one_pattern(monkeypatch, colours, told):
    """Five striped backs, whose rim is the faces', looked like faces by 0.7 to 0.8 and were not told."""
    stripes = np.indices((106, 76))[0] % 60 < 30
    assert backs_of(monkeypatch, colours, stripes, alike=0.75)[:2] == told


def test_a_thing_that_shows_the_opposite_of_the_taught_back_is_none(monkeypatch):
    """A fist, pale in its middle, was told as a back with a pale rim."""
    told = backs_of(monkeypatch, (GREEN, GREEN, GREEN), ~STRIPES, back=striped())
    assert told == [False, False, False]


@pytest.mark.parametrize(("share", "told"), [(1.0, [True, True, True]), (-1.0, [True, True, False])])
def test_a_tile_of_the_floor_that_shows_the_opposite_of_the_backs_there_is_none(monkeypatch, share, told):
    """Three tiles with dark joints, of the hue of seven striped backs that nobody had shown, were told as backs."""
    picture = bare_table()
    for (x, y), contrast in zip(PLACES, (0.0, 1.0, 1.0, share), strict=True):
        pale = np.where(STRIPES, contrast, -contrast)[..., None]
        card = np.array(GREEN) * (1 + 0.4 * pale) if contrast else np.array(WHITE)
        picture[y : y + 106, x : x + 76] = card
    sure = type("Seen", (), {"kinds": np.array([[0.0, 0.999, 0.001]])})()
    monkeypatch.setattr("companion.games.comet.vision.backs.PretrainedNumerals.read_numerals", lambda *_: sure)
    none = np.zeros((3, 15))
    face, *backs = (Hypothesis(CARD + at, 0.95, none, 0.0) for at in PLACES)
    face = replace(face, legible=1.0, alike=0.9)
    _, *seen = find_backs(Pyramid.of(picture), taught(), [face, *backs], [face], is_known=True)
    assert [one.is_back for one in seen] == told


def test_a_thing_that_shows_nothing_beside_patterned_backs_is_none(monkeypatch):
    """A slate box was told as a back in a lamp's light: its hue is that of the green backs."""
    assert backs_of(monkeypatch, (GREEN, GREEN, SLATE), STRIPES, back=striped()) == [True, True, False]


@pytest.mark.parametrize(("sure", "found", "is_told"), [(2, 0.6, True), (1, 0.6, False), (2, 0.4, False)])
def test_a_card_with_one_number_hidden_is_told_where_an_outline_is_found(sure, found, is_told):
    sections = np.full((3, 15), 0.01)
    sections[np.arange(sure), [2, 5][:sure]] = 0.99
    face = Hypothesis(CARD, 1.0, np.zeros((3, 15)), 1.0, 0.9)
    assert is_card(Hypothesis(CARD + 200, found, sections, 0.2), [face]) is is_told


@pytest.mark.parametrize(("like_back", "is_told"), [(0.75, True), (0.5, False)])
def test_a_back_hardly_found_is_told_where_its_pattern_is_that_of_the_others(like_back, is_told):
    face = Hypothesis(CARD, 1.0, np.zeros((3, 15)), 1.0, 0.9)
    back = Hypothesis(CARD + 200, 0.01, np.zeros((3, 15)), 0.0, 0.0, like_back=like_back, is_as_other_backs=True)
    assert is_card(back, [face]) is is_told


@pytest.mark.parametrize(("found", "sure", "is_told"), [(0.0, 0.6, False), (0.0, 0.95, True), (0.9, 0.6, True)])
def test_a_grain_that_may_be_read_as_numbers_is_no_card(found, sure, is_told):
    picture = bare_table()
    (x, y), *_, there = PLACES
    picture[y : y + 106, x : x + 76] = WHITE
    sections = np.full((3, 15), 0.01)
    sections[:, 4] = sure
    face = Hypothesis(CARD + PLACES[0], 1.0, np.zeros((3, 15)), 1.0, 0.9)
    grain = Hypothesis(CARD + there, found, sections, 0.7, 0.5)
    _, compared = find_backs(Pyramid.of(picture), taught(), [face, grain], [face, grain], is_known=True)
    assert is_card(compared, [face]) is is_told
    assert is_card(grain, [face]) is is_told, "whatever colour the table has"


def fanned(
    colour=BLUE,
    face=WHITE,
    shifts=(0, 60, 120),
    known=(0,),
    around=WOOD,
    below=None,
    outlined=0,
    begin=0,
    again=(),
    rims=(),
    last=None,
):
    """Where backs (x, y) are found in a fan of such shifts, of which some are known, beside three lone cards.

    All may be outlined as one card, so many pixels wide from where it begins, and less surely once more so far aside.
    Parts of pale rims may lie so far from the left of the first. The last may be outlined as one card, found and a back
    as surely.
    """
    picture = np.full((500, 620, 3), WOOD, np.uint8)
    picture[200:420, 20:420] = around
    lying = [(face, (40, 40)), (BLUE, (180, 40)), (BLUE, (320, 40)), *((colour, (60 + shift, 250)) for shift in shifts)]
    lying += [] if below is None else [(WHITE, (60 + below, 250))]
    for ground, (x, y) in lying:
        picture[y : y + 106, x : x + 76] = (20, 20, 20)
        picture[y + 1 : y + 105, x + 1 : x + 75] = ground
    for x in rims:
        picture[250:296, 60 + x : 64 + x] = WHITE
    none = np.zeros((3, 15))
    there = [Hypothesis(CARD + PLACES[0], 0.9, none, 1.0, 0.9)]
    if below is not None:
        there.append(Hypothesis(CARD + np.array([60 + below, 250]), 0.9, none, 1.0, 0.9))
    left, right = 60.0 + begin, 60.0 + begin + outlined
    all_of_them = np.array([[left, 250], [right, 250], [right, 356], [left, 356]])
    likely = [Hypothesis(all_of_them + aside, 0.6, none, 0.0) for aside in again]
    likely += [Hypothesis(all_of_them, 0.95, none, 0.0)] if outlined else []
    if last is not None:
        likely.append(Hypothesis(CARD + np.array([60 + shifts[-1], 250]), last[0], none, 0.0, maybe_back=last[1]))
    there += [
        Hypothesis(CARD + at, 0.9, none, 0.0, maybe_back=1.0)
        for at in ((180, 40), (320, 40), *((60 + shifts[k], 250) for k in known))
    ]
    return sorted(
        (one.middle - CARD.mean(0)).round().astype(int).tolist()
        for one in search_backs(Pyramid.of(picture), there, likely, 76 / 106)
    )


@pytest.mark.parametrize(("legible", "is_told"), [(0.7, False), (0.96, True)])
def test_a_pattern_that_may_be_read_as_numbers_is_no_card_of_another_size(legible, is_told):
    """Three backs of dots in a fan, outlined as one card, were read as numbers and told as one back."""
    face = Hypothesis(CARD, 1.0, np.zeros((3, 15)), 1.0, 0.9)
    fan = Hypothesis(CARD * 1.6 + [0.0, 200.0], 0.6, np.full((3, 15), 0.7), legible, 0.2)
    assert is_card(fan, [face]) == is_told
    assert (fan in read_cards([face, fan])) == is_told


@pytest.mark.parametrize(
    ("shifts", "known", "found"),
    [
        ((0, 60, 120), (0,), (60, 120)),  # up to where the colour ends
        ((0, 60, 120), (2,), (0, 60)),
        ((0, 78, 156), (0, 2), (78,)),  # between two
        ((0, 50), (0,), (50,)),
        ((0,), (0,), ()),
    ],
)
def test_backs_in_a_fan_with_one_that_is_told_are_found_by_their_colour(shifts, known, found):
    """Of the outlines of plain backs that lie on each other hardly an edge shows."""
    assert fanned(shifts=shifts, known=known) == [
        [pytest.approx(60 + shift, abs=4), pytest.approx(250, abs=4)] for shift in found
    ]


def test_a_back_under_a_face_is_found_up_to_the_cards_beside_it():
    assert fanned(shifts=(0, 60), known=(0,), below=136) == [[pytest.approx(60 + 66, abs=6), pytest.approx(250, abs=4)]]


def test_backs_that_were_outlined_as_one_card_twice_are_found_once():
    """A pair of patterned backs was outlined straight and askew, and told as four."""
    assert fanned(known=(), outlined=196, again=((14, -10),)) == fanned(known=(), outlined=196)


def test_a_back_between_two_is_found_once_where_an_outline_is_larger_than_a_card():
    """What shows between the rims of two backs was told as two, one on the other."""
    pile = {"shifts": (0, 70, 140), "known": (0, 2), "rims": (80, 132)}
    assert not fanned(**pile), "by its colour alone it is not found"
    assert len(fanned(**pile, begin=40, outlined=115)) == 1


@pytest.mark.parametrize(("wide", "found"), [(196, (0, 60, 120)), (76, ()), (300, ())])
def test_backs_that_were_outlined_as_one_card_are_found_by_their_colour(wide, found):
    assert fanned(known=(), outlined=wide) == [
        [pytest.approx(60 + shift, abs=4), pytest.approx(250, abs=4)] for shift in found
    ]


@pytest.mark.parametrize(("found", "maybe_back", "is_told"), [(0.4, 0.95, True), (0.2, 0.95, False), (0.4, 0.6, False)])
def test_one_of_a_row_that_is_hardly_found_leads_to_all_of_it(found, maybe_back, is_told):
    """Three dotted backs in a row, away from all others, were missed: of one the outline was right, but unlikely."""
    told = fanned(known=(), last=(found, maybe_back))
    assert len(told) == (3 if is_told else 0)


@pytest.mark.parametrize(
    "but",
    [{"around": BLUE}, {"face": BLUE}, {"colour": GREEN, "known": ()}, {"shifts": (0, 12)}],
    ids=["a cloth of that colour", "faces have it", "no back of the fan's colour", "too little shows"],
)
def test_nothing_is_taken_for_a_back_beside_a_card(but):
    assert not fanned(**{"shifts": (0, 60), **but})


@pytest.mark.parametrize(("is_printed", "found"), [(False, []), (True, [[230, 250], [306, 250]])])
def test_a_sheet_in_one_of_the_colours_of_striped_backs_is_no_row_of_them(is_printed, found):
    """A sheet of paper, outlined surely, is as wide and as long as two backs side by side."""
    picture = np.full((500, 620, 3), WOOD, np.uint8)
    back = np.full((106, 76, 3), WHITE, np.uint8)
    back[STRIPES] = BLUE
    picture[40:146, 40:116] = RED
    for x, y in ((180, 40), (320, 40)):
        picture[y : y + 106, x : x + 76] = back
    picture[250:356, 230:382] = np.tile(back, (1, 2, 1)) if is_printed else WHITE
    none, sheet = np.zeros((3, 15)), np.array([[230.0, 250], [382, 250], [382, 356], [230, 356]])
    there = [Hypothesis(CARD + PLACES[0], 0.9, none, 1.0, 0.9)]
    there += [Hypothesis(CARD + at, 0.9, none, 0.0, maybe_back=1.0) for at in ((180, 40), (320, 40))]
    backs = search_backs(Pyramid.of(picture), there, [Hypothesis(sheet, 0.95, none, 0.0)], 76 / 106)
    assert sorted(one.corners[0].round().astype(int).tolist() for one in backs) == found
