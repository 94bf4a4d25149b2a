"""Which outline on a photograph a label means: by rough corners, or in the order in which people read."""

import numpy as np
import pytest

from companion.errors import TeachingRefused, UsageError
from companion.vision.detection.suppression import Outline
from companion.vision.enrolment.labels import MAY_BE_PARTED, Candidates, label_of, outlines_of
from companion.vision.enrolment.layout_search import laid_out
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid

PLACES = [(100, 100), (300, 110), (90, 300), (310, 290)]
OUTLINES = np.array([HEXAGON.unit * 40 + PLACES[k] for k in (2, 0, 3, 1)], np.float32)
BLANK = Pyramid.of(np.full((600, 600, 3), 90, np.uint8))
FOUND = Candidates(BLANK, 6, OUTLINES)


@pytest.mark.parametrize(
    ("labels", "meant"),
    [
        (["a.jpg", "a.jpg"], [0, 1]),  # of two folders
        (["b.jpg", "a.jpg"], [1, 1]),
        (["1/b.jpg", "2/a.jpg"], [1, 1]),  # as `read` names them
        ([None, "a.jpg"], [0, 1]),
        ([None, None], [0, 1]),
        (["a.jpg", None], [0, 1]),
        (["x.jpg", "y.jpg"], [0, 1]),
        (["x.jpg", "y.jpg", "a.jpg"], [2, 2]),
        (["a.jpg"], [0, 0]),
    ],
)
def test_a_picture_has_the_label_in_its_place_unless_only_another_names_it(
    labels: list[str | None], meant: list[int]
) -> None:
    lines = [{"number": k} if name is None else {"number": k, "image": name} for k, name in enumerate(labels)]
    assert [label_of("a.jpg", index, lines)["number"] for index in range(2)] == meant


def test_a_picture_without_a_label_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no label for a\.jpg"):
        label_of("a.jpg", 1, [{"image": "b.jpg"}])


def test_without_corners_labels_go_from_top_to_bottom_and_left_to_right() -> None:
    told = outlines_of("a.jpg", FOUND, [{}, {}, {}, {}])
    assert told.mean(1) == pytest.approx(np.array(PLACES), abs=0.5)


@pytest.mark.parametrize("slope", [0.15, -0.15])
def test_a_row_that_runs_askew_is_read_as_one(slope: float) -> None:
    places = [(100 + 90 * k, 300 + slope * 90 * k) for k in range(6)]
    found = Candidates(BLANK, 6, np.array([HEXAGON.unit * 40 + at for at in places], np.float32)[::-1])
    assert outlines_of("a.jpg", found, [{}] * 6).mean(1) == pytest.approx(np.array(places), abs=0.5)


def test_with_rough_corners_each_label_means_the_outline_there() -> None:
    rng = np.random.default_rng(0)
    labels = [{"corners": (HEXAGON.unit * 40 + PLACES[k] + rng.normal(0, 6, (6, 2))).tolist()} for k in (3, 1)]
    told = outlines_of("a.jpg", FOUND, labels)
    assert told.mean(1) == pytest.approx(np.array([PLACES[3], PLACES[1]]), abs=0.5)


def test_where_no_card_lies_corners_are_refused() -> None:
    rough = HEXAGON.unit * 40 + 500
    with pytest.raises(TeachingRefused, match="no card lies where the corners of card 1 are, around 500,500"):
        outlines_of("a.jpg", FOUND, [{"corners": rough.tolist()}])


def test_two_labels_of_one_card_are_refused() -> None:
    corners = (HEXAGON.unit * 40 + PLACES[0]).tolist()
    with pytest.raises(TeachingRefused, match="labels 1 and 2 mean the same card"):
        outlines_of("a.jpg", FOUND, [{"corners": corners}, {"corners": corners}])


@pytest.mark.parametrize("turn_deg", [0, 30, -30])
def test_a_layout_is_read_in_its_rows_though_the_camera_was_held_askew(turn_deg: float) -> None:
    a = np.radians(turn_deg)
    turned = (OUTLINES - 200) @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + 250
    seen = Candidates(BLANK, 6, turned.astype(np.float32))
    told = laid_out(seen, [2, 2])
    assert told is not None and told.mean(1) == pytest.approx(turned[[1, 3, 0, 2]].mean(1), abs=0.5)
    assert laid_out(seen, [3, 2]) is None


def test_more_labels_than_outlines_are_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"a\.jpg: 5 cards are labelled and 4 are seen"):
        outlines_of("a.jpg", FOUND, [{}] * 5)


@pytest.mark.parametrize(("turn_deg", "is_known"), [(35.0, True), (4.0, False)])
def test_of_more_outlines_than_labels_those_are_meant_that_lie_alike(turn_deg: float, is_known: bool) -> None:
    card = np.array([[0.0, 0], [60, 0], [60, 84], [0, 84]])
    a = np.radians(turn_deg)
    turned = (card - 30) @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    lying = [np.roll(card + np.array([80 * k, 100 + 2 * k]), k, 0) for k in range(5)]  # begun anywhere
    found = Candidates(BLANK, 4, np.array([*lying[:2], turned + np.array([260, 320]), *lying[2:]], np.float32))
    if is_known:
        assert outlines_of("a.jpg", found, [{}] * 5) == pytest.approx(np.array(lying), abs=0.5)
    else:
        with pytest.raises(UsageError, match="5 cards are labelled and 6 are seen"):
            outlines_of("a.jpg", found, [{}] * 5)


def test_as_many_outlines_as_labels_are_not_meant_where_one_lies_otherwise_and_a_card_beside_it_alike() -> None:
    """A card of another game lay turned below a row; of the row's last card one detector saw nothing."""
    card = np.array([[0.0, 0], [60, 0], [60, 84], [0, 84]])
    row = np.array([card + np.array([80 * k, 100 + 2 * k]) for k in range(6)], np.float32)
    a = np.radians(35.0)
    other = (card - 30) @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + np.array([60, 320])

    class SeenByAnyPrint(Candidates):
        any_print = property(lambda self: row)  # type: ignore[assignment]

    with_other = np.array([*row[:5], other], np.float32)
    assert outlines_of("a.jpg", SeenByAnyPrint(BLANK, 4, with_other), [{}] * 6) == pytest.approx(row, abs=0.5)
    assert outlines_of("a.jpg", Candidates(BLANK, 4, with_other), [{}] * 6) == pytest.approx(with_other, abs=0.5)


@pytest.mark.parametrize("has_gap", [True, False])
def test_of_many_outlines_those_are_meant_that_alone_are_as_many_alike(has_gap: bool) -> None:
    """Six cards lay on tiles: of two of them the detectors saw too little, and every tile is like the next."""
    card = np.array([[0.0, 0], [60, 0], [60, 84], [0, 84]])
    row = np.array([card + np.array([80 * k, 100 + 2 * k]) for k in range(6)], np.float32)
    tiles = [card * 0.35 * 1.07**k + np.array([60 * k, 300]) for k in range(8 if has_gap else 16)]

    class Seen(Candidates):
        any_print = property(lambda self: np.array([*row[:4], *tiles], np.float32))  # type: ignore[assignment]
        unlikely = property(lambda self: np.array([*tiles, *row], np.float32))  # type: ignore[assignment]

    found = Seen(BLANK, 4, np.array([*row[:4], *tiles], np.float32))
    if has_gap:
        assert outlines_of("a.jpg", found, [{}] * 6) == pytest.approx(row, abs=0.5)
    else:
        with pytest.raises(UsageError, match="6 cards are labelled"):
            outlines_of("a.jpg", found, [{}] * 6)


@pytest.mark.parametrize(("whole_found", "is_told"), [(0.4, True), (0.1, True), (0.01, False)])
def test_cards_that_a_band_parts_are_whole_where_they_are_as_large_as_the_others(
    whole_found: float, is_told: bool
) -> None:
    """Of five cards with their numbers in a dark band two were found as halves, and the lesson was refused."""
    card, half = np.array([[0, 0], [60, 0], [60, 100], [0, 100]]), np.array([[0, 0], [60, 0], [60, 42], [0, 42]])
    at = [np.array([110 * k + 20, 200]) for k in range(5)]
    wholes = [Outline((card + place).astype(np.float32), 0.95) for place in at[:3]]
    parted = [Outline((card + place).astype(np.float32), whole_found) for place in at[3:]]
    halves = [Outline((half + place + (0, y)).astype(np.float32), 0.9) for place in at[3:] for y in (0, 58)]
    judged = (BLANK, [*wholes, *halves, *parted])
    own = np.array([one.corners for one in (*wholes, *halves)], np.float32)
    found = Candidates(BLANK, 4, own, judged=judged)
    told = outlines_of("a.jpg", found, [{}] * 5) if is_told else found.largest(MAY_BE_PARTED[-1])
    assert (told.shape == (5, 4, 2) and told == pytest.approx(np.array([card + place for place in at]))) == is_told


def test_cards_that_are_likely_whole_come_before_as_many_parts_of_them() -> None:
    """Of cards in three bands of colour some bands were found surer, as many as there were cards: the lesson failed."""
    card, third = np.array([[0, 0], [60, 0], [60, 90], [0, 90]]), np.array([[0, 0], [60, 0], [60, 30], [0, 30]])
    at = [np.array([110 * k + 20, 200]) for k in range(5)]
    wholes = np.array([card + place for place in at], np.float32)
    thirds = np.array([third + place for place in at], np.float32)

    class Seen(Candidates):
        any_print = sure_print = property(lambda self: self.own)  # type: ignore[assignment]
        unlikely = property(lambda self: np.array([*thirds, *wholes[:2]], np.float32))  # type: ignore[assignment]

    sheet = Outline(np.array([[10, 180], [560, 180], [560, 310], [10, 310]], np.float32), 0.3)
    judged = (BLANK, [*(Outline(one, 0.8) for one in wholes), *(Outline(one, 0.9) for one in thirds), sheet])
    found = Seen(BLANK, 4, np.array([*thirds[:4], *wholes[:2]], np.float32), judged=judged)
    assert outlines_of("a.jpg", found, [{}] * 5) == pytest.approx(wholes)


def test_cards_that_lines_part_in_thirds_are_whole_where_all_are() -> None:
    """Of six cards sixteen thirds were found surer than any whole one: "6 cards are labelled and 16 are seen"."""
    card, third = np.array([[0, 0], [90, 0], [90, 60], [0, 60]]), np.array([[0, 0], [30, 0], [30, 60], [0, 60]])
    at = [np.array([110 * k + 20, 200]) for k in range(6)]
    wholes = [Outline((card + place).astype(np.float32), 0.03) for place in at]
    thirds = [Outline((third + place + (x, 0)).astype(np.float32), 0.9) for place in at for x in (0, 30, 60)]
    found = Candidates(BLANK, 4, np.zeros((0, 4, 2), np.float32), judged=(BLANK, [*thirds[:-2], *wholes]))
    assert outlines_of("a.jpg", found, [{}] * 6) == pytest.approx(np.array([card + place for place in at]))
