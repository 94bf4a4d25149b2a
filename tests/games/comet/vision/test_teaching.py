"""Teaching a Comet printing whose numbers stand elsewhere: what one photograph suffices for, and what is refused."""

import math
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.errors import UsageError
from companion.games.comet.recognition import RECOGNIZER
from companion.games.comet.vision import enrolment, hypothesis, place_search, recognizer
from companion.games.comet.vision.appearance import Alignment, card_colour, correlation
from companion.games.comet.vision.backs import mark_similar_backs
from companion.games.comet.vision.card_selection import is_familiar, parts_of, rows_of
from companion.games.comet.vision.enrolment import TEACHING, learn_comet
from companion.games.comet.vision.hypothesis import NO_SECTIONS, Hypothesis, asides, examine
from companion.games.comet.vision.numeral_search import NumeralSearch
from companion.games.comet.vision.places import NumberPlaces, card_to_image
from companion.games.comet.vision.recognizer import read_comet, read_unknown
from companion.games.comet.vision.results import BACK, NUMBERS, CometReading, DetectedCometCard
from companion.games.comet.vision.taught_numerals import NumberViews, TaughtNumerals, TaughtScores, classify_views
from companion.games.comet.vision.taught_recognizer import is_card, present
from companion.games.comet.vision.taught_search import (
    search_covered,
    search_joined,
    search_rows,
    search_unlikely,
)
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.detection.conditions import FOREIGN_PROFILE
from companion.vision.detection.suppression import Outline
from companion.vision.enrolment.labels import Candidates, outlines_of
from companion.vision.enrolment.profile import MOST_BYTES
from companion.vision.geometry import mapped
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import ReadingWarning
from companion.vision.tracking.regions import Unchanged
from models.drawing.comet.layouts import LaidComet
from models.drawing.comet.photograph import comet_photograph
from models.drawing.comet.printings import Figure, Place, reference

SCENES = Path(__file__).resolve().parents[3] / "scenes"
FACES = ((2, 8, 11), (3, 5, 6), (4, 7, 10), (5, 9, 12), (11, 13, 14))
FRAME = Figure(((-28.0, -40.5), (28.0, -40.5), (28.0, 40.5), (-28.0, 40.5), (-28.0, -40.5)), (90.0, 60.0, 30.0), 1.2)
IN_A_ROW = tuple(Place(k, (19.0 * (k - 1), -6.0), 13.0, 16.0) for k in range(3))
IN_CORNERS = tuple(
    Place(k, (way * -22.0, way * (-34.0 + 12.0 * k)), 9.5, 13.0, 0 if way > 0 else 180)
    for way in (1, -1)
    for k in range(3)
)


@cache
def printing(places=IN_A_ROW):
    return replace(reference("mono"), own_places=places, divider_mm=0.0, comet=0.0, figures=(FRAME,))


@cache
def taught_picture(look, faces=FACES, seed=3):
    cards = [LaidComet(face, np.array([74.0 * k, 0.0]), 0.0, look.size) for k, face in enumerate(faces)]
    rng = np.random.default_rng(seed)
    return comet_photograph(rng, printing=look, cards=cards, hardness=0.0, across_px=190, yaw_deg=0.0)


def labels_of(faces, picture=None):
    cards = [{"values": None if face is None else list(face)} for face in faces]
    if picture is not None:
        for card, entry in zip(cards, picture.truth["cards"], strict=True):
            card["corners"] = entry["corners"]
    return [{"cards": cards}]


@cache
def learnt(look, faces=FACES):
    picture = taught_picture(look, faces)
    return learn_comet("comet", [("taught", picture.bgr)], labels_of(faces, picture))


@cache
def table(look, seed=5):
    laid = [((2, 6, 9), 0.0, 0.0, 8.0), ((10, 13, 14), 78.0, 4.0, 188.0), ((3, 7, 12), 156.0, 0.0, 97.0)]
    cards = [LaidComet(values, np.array([x, y]), turn, look.size) for values, x, y, turn in laid]
    return comet_photograph(np.random.default_rng(seed), printing=look, cards=cards, hardness=0.0, across_px=170)


@pytest.mark.parametrize("places", [IN_A_ROW, IN_CORNERS])
def test_one_photograph_teaches_numbers_elsewhere_on_the_card(places):
    look = printing(places)
    picture = table(look)
    reading = read_comet(picture.bgr, TaughtNumerals(learnt(look)))
    shown = Counter(number for entry in picture.truth["cards"] for number in entry["values"])
    told = Counter(number for card in reading.cards for number in card.values if number is not None)
    assert len(reading.cards) == 3 and told == shown


def test_which_way_up_a_card_lies_is_told_by_its_numbers_together():
    look = printing()
    laid = [((6, 8, 9), 0.0, 0.0, 8.0), ((6, 9, 9), 78.0, 4.0, 188.0), ((6, 6, 12), 156.0, 0.0, 97.0)]
    cards = [LaidComet(values, np.array([x, y]), turn, look.size) for values, x, y, turn in laid]
    rng = np.random.default_rng(5)
    picture = comet_photograph(rng, printing=look, cards=cards, hardness=0.0, across_px=170)
    reading = read_comet(picture.bgr, TaughtNumerals(learnt(look)))
    told = [[number for number in card.values if number is not None] for card in reading.cards]
    assert [6, 6, 12] in map(sorted, told)
    assert all(sorted(card) in ([], [6, 6, 12], [6, 8, 9], [6, 9, 9]) for card in told)


def crops_of(picture, outlines):
    labels = [{"values": list(face)} for face in FACES]
    return [corners for corners, _ in TEACHING.crops(Pyramid.of(picture.bgr), outlines, [None] * len(FACES), labels)]


def test_exact_outlines_teach_as_they_are_and_one_that_is_off_is_brought_to_agree():
    picture = taught_picture(printing())
    exact = np.array([entry["corners"] for entry in picture.truth["cards"]], np.float32)
    size = np.linalg.norm(exact[:, 3] - exact[:, 0], axis=1).mean()
    assert np.abs(np.array(crops_of(picture, exact)) - exact).max() < 0.01 * size
    off = exact.copy()
    off[2] += np.array([0.0, 0.08 * size])
    away = np.abs(np.array(crops_of(picture, off)) - exact).max((1, 2))
    assert away[2] < 0.03 * size and np.delete(away, 2).max() < 0.01 * size


@pytest.mark.parametrize(("far", "seen", "is_askew"), [(0.0, 0.9, False), (0.0, 0.5, True), (0.06, 0.9, False)])
def test_to_agree_an_outline_is_moved_off_its_cards_edges_only_where_few_labels_are_seen(
    far, seen, is_askew, monkeypatch
):
    """A card with a 13 where the others have one figure was pulled a tenth of its width askew."""
    picture = taught_picture(printing())
    exact = np.array([entry["corners"] for entry in picture.truth["cards"]], np.float32)
    size = np.linalg.norm(exact[0, 3] - exact[0, 0])
    askew = exact[0] + np.array([[0.1 * size, 0], [0, 0], [0, 0], [0, 0]], np.float32)
    monkeypatch.setattr(place_search, "align", lambda *_: Alignment(exact[0] if far else askew, 1.0))
    begun = [exact[0] + np.array([0.0, far * size], np.float32), *exact[1:]]
    pyramid = Pyramid.of(picture.bgr)
    cards = [place_search.TaughtCard(pyramid, quad, face) for quad, face in zip(begun, FACES, strict=True)]
    found = place_search._aligned(cards, 63 / 88, np.array([seen, *[0.99] * 4]))
    assert np.abs(found[0].corners - (askew if is_askew else exact[0])).max() < 1e-3
    assert all(one is card for one, card in zip(found[1:], cards[1:], strict=True))


def test_the_edge_of_one_card_that_is_outlined_too_small_is_not_taken_for_the_frame_of_all():
    picture = taught_picture(printing())
    exact = np.array([entry["corners"] for entry in picture.truth["cards"]], np.float32)
    small = exact.copy()
    small[2] = exact[2].mean(0) + 0.88 * (exact[2] - exact[2].mean(0))
    assert np.abs(np.delete(np.array(crops_of(picture, small)) - exact, 2, 0)).max() < 1.0


@pytest.mark.parametrize(("blur", "inside"), [(2.0, 0.0), (1.0, 1.0)])
def test_the_slope_of_the_cards_own_soft_edges_is_not_taken_for_one_beyond_a_printed_frame(blur, inside):
    """Of ten cards so taught 5 px too large, path-traced, all were read in outlines as much too large."""
    picture = taught_picture(printing())
    exact = np.array([entry["corners"] for entry in picture.truth["cards"]], np.float32)
    away = exact - exact.mean(1, keepdims=True)
    outlines = exact - inside * np.sign(away)
    soft = replace(picture, bgr=cv2.GaussianBlur(picture.bgr, (0, 0), blur))
    assert np.abs(np.array(crops_of(soft, outlines)) - outlines).max() < 1.0


@pytest.mark.parametrize(
    "name, faces",
    [
        ("dark-comet-cards", [[11, 13, 8], [2, 4, 4], [3, 14, 6], [5, 7, 3], [9, 10, 12]]),
        ("shining-comet-cards", [[10, 12, 3], [5, 6, 8], [12, 7, 2], [11, 4, 13], [2, 14, 9]]),
        ("red-comet-cards", [[5, 2, 10], [5, 3, 4], [8, 3, 6], [7, 9, 12], [14, 13, 11]]),
    ],
)
def test_a_card_whose_sides_were_taken_for_a_neighbours_or_the_tables_is_made_as_large_as_the_others(name, faces):
    picture = cv2.imread(str(SCENES / f"{name}.jpg"))
    profile = learn_comet("comet", [(name, picture)], [{"cards": [{"values": values} for values in faces]}])
    read = {tuple(card.values) for card in read_comet(picture, TaughtNumerals(profile)).cards}
    assert read == {tuple(sorted(values)) for values in faces}


def test_a_card_whose_numbers_are_not_seen_where_the_others_have_theirs_teaches_nothing():
    picture = taught_picture(printing())
    beside = np.array([entry["corners"] for entry in picture.truth["cards"]], np.float32)
    beside[2] = beside[2] + (0, 0.9) * (beside[2, 3] - beside[2, 0])
    with pytest.raises(UsageError, match="not seen") as refused:
        crops_of(picture, beside)
    assert refused.value.code == "numbers-not-found"


def test_a_number_that_another_card_half_covers_is_taught_by_its_other_print():
    """The turned 8 of one card looked like a 3 under the card beside it, and the lesson was refused."""
    picture = taught_picture(printing(IN_CORNERS))
    card = np.array(picture.truth["cards"][0]["corners"], np.float32)
    image_from_mm = cv2.getPerspectiveTransform(
        np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]], np.float32), card
    )
    x, y = next(place.at_mm for place in IN_CORNERS if place.slot == 1 and place.turn_deg)
    covered = picture.bgr.copy()
    cover = mapped(image_from_mm, np.array([[x, y - 6], [x + 9, y - 6], [x + 9, y + 6], [x, y + 6]]))
    cv2.fillConvexPoly(covered, np.round(cover).astype(np.int32), (170, 90, 190))
    profile = learn_comet("comet", [("taught", covered)], labels_of(FACES, picture))
    assert profile.numbers.tolist().count(8) == 1 and profile.numbers.tolist().count(11) == 4


@pytest.mark.parametrize(("number", "samples"), [(6, 1), (5, 1)])
def test_a_number_that_a_lamp_hides_in_the_lesson_is_read_as_in_any_typeface_or_as_others_show_it(number, samples):
    """Every 4 of a deck was unsure whose 4 was white on the teaching photograph: it looked like no taught one."""
    look, slot = printing(), FACES[1].index(number)
    picture = taught_picture(look)
    quad = np.float32(picture.truth["cards"][1]["corners"])
    from_mm = cv2.getPerspectiveTransform(np.float32([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]]), quad)
    x, y = IN_A_ROW[slot].at_mm
    spot = mapped(from_mm, np.array([[x - 9, y - 9], [x + 9, y - 9], [x + 9, y + 9], [x - 9, y + 9]]))
    lit = cv2.fillConvexPoly(picture.bgr.copy(), np.round(spot).astype(np.int32), (250, 250, 250))
    profile = learn_comet("comet", [("taught", lit)], labels_of(FACES, picture))
    is_number = profile.numbers == number
    assert is_number.sum() == samples
    assert profile.embeddings[is_number].any() == (number == 5)  # two cards show it
    told = Counter(n for card in read_comet(table(look).bgr, TaughtNumerals(profile)).cards for n in card.values)
    assert told[6] == 1


@pytest.mark.parametrize(("odd", "taught"), [({"11": 1}, 1), ({"11": 2}, 2), ({"8": 1}, 1)])
def test_what_surely_is_its_number_and_looks_like_another_is_not_taught_where_others_show_it(odd, taught, monkeypatch):
    """A 13 that ran into the 11 before it looked like a 3: the lesson was refused as contradicting itself."""
    ((name, count),) = odd.items()

    def contradictions(_, found):
        return [(place, "3") for place, one in enumerate(found) if one.name == name][:count]

    monkeypatch.setattr(enrolment, "contradictions", contradictions)
    picture = taught_picture(printing())
    profile = learn_comet("comet", [("taught", picture.bgr)], labels_of(FACES, picture))
    assert profile.numbers.tolist().count(int(name)) == taught


def test_of_two_outlines_rough_corners_mean_the_one_that_they_fit():
    square = np.array([[0, 0], [100, 0], [100, 140], [0, 140]], np.float32) + 50
    beside = square * [0.8, 1.0]
    found = Candidates(Pyramid.of(np.zeros((240, 240, 3), np.uint8)), 4, beside[None].astype(np.float32), square[None])
    assert np.allclose(outlines_of("a.png", found, [{"corners": (square + 2).tolist()}]), square)
    assert np.allclose(outlines_of("a.png", found, [{"corners": (beside + 2).tolist()}]), beside)


def test_a_card_whose_outline_is_hardly_likely_is_told_by_what_is_printed_on_it():
    picture = table(printing())
    pyramid, taught = Pyramid.of(picture.bgr, 6), TaughtNumerals(learnt(printing()))
    true = np.array([entry["corners"] for entry in picture.truth["cards"]])
    likely = [Outline(true[0], 1.0)]
    unlikely = [Outline(corners, 0.01) for corners in (true[1], (true[1] + true[2]) / 2)]
    search = NumeralSearch(pyramid, taught.profile.places, [])
    read = search_unlikely(search, taught, [Hypothesis(true[0], 1.0, np.zeros((3, 15)), 1.0, 0.9)], likely + unlikely)
    (middle,) = [one.corners.mean(0) for one in read]  # the card that is read already is not looked at again
    assert np.abs(middle - true[1].mean(0)).max() < 8.0


def test_numbers_are_looked_for_only_where_there_is_ink_unless_that_tells_nothing_of_the_cards_that_are_read():
    picture = table(printing())
    search = NumeralSearch(Pyramid.of(picture.bgr, 6), learnt(printing()).places, [])
    first, second, *_ = (np.array(entry["corners"]) for entry in picture.truth["cards"])
    bare = first - first.min(0)
    may_show = search.ink_test([first], [])
    assert may_show(second) and not may_show(bare)
    assert not search.ink_test([first], [second])(second)  # those are that card's
    assert all(map(search.ink_test([first, bare], []), (second, bare)))


def test_a_number_that_runs_into_the_card_around_its_diamond_is_ink_like_those_that_do_not():
    picture = cv2.imread(str(SCENES / "comet-numbers-on-diamonds.jpg"))
    places = NumberPlaces.from_rows([[k, 0.33 * (k - 1), 0.01, 0.22, 0] for k in range(3)], 0.51)
    above = np.array([[47, 155], [15, 74], [172, 12], [204, 92]])
    card = np.array([[73, 237], [47, 154], [208, 105], [233, 187]])
    may_show = NumeralSearch(Pyramid.of(picture, 6), places, []).ink_test([above], [])
    assert may_show(card) and not may_show(card + np.array([60, 0]))


@pytest.mark.parametrize("figure, whole", [(2, 12), (3, 13)])
@pytest.mark.parametrize("of_whole, is_told", [(-1.2, False), (-6.0, True)])
def test_a_2_or_a_3_that_may_be_the_end_of_a_12_or_a_13_is_not_stated(figure, whole, of_whole, is_told):
    taught = TaughtNumerals(learnt(printing()))
    samples = [taught.profile.embeddings[taught.profile.numbers == number][0] for number in (figure, whole)]
    embedding = samples[0] + 0.5 * samples[1]
    numbers = np.full((1, 1, len(NUMBERS) + 1), -9.0, np.float32)
    numbers[..., NUMBERS.index(figure)], numbers[..., NUMBERS.index(whole)] = -0.3, of_whole
    embedding = (embedding / np.linalg.norm(embedding))[None, None]
    seen = NumberViews(numbers, np.ones((1, 1), np.float32), embedding, np.zeros((1, 1, 4), np.float32))
    weighed = taught._weigh(seen, taught._likeness(seen))[0]
    assert taught.accept(np.insert(weighed, -1, 0.0, axis=-1)) == (str(figure) if is_told else None,)


@pytest.mark.parametrize(("scale", "blur", "are_told"), [(1.0, 2.0, True), (1.0, 7.0, False), (0.1, 0.5, False)])
def test_numerals_too_blurred_or_too_small_are_not_stated_however_sure_the_network_is(scale, blur, are_told):
    picture, taught = table(printing()), TaughtNumerals(learnt(printing()))
    corners = np.array([entry["corners"] for entry in picture.truth["cards"]], np.float32)
    blurred = cv2.GaussianBlur(picture.bgr, (0, 0), blur)
    small = cv2.resize(blurred, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    told = [taught.accept(card) for card in taught.classify(Pyramid.of(small), corners * scale)]
    assert all((number is not None) == are_told for card in told for number in card)


def test_blurred_numerals_are_stated_that_look_like_their_taught_samples():
    """Three cards of a drawn table, 9 px high and as blurred, were left open, each number sure and right."""
    picture, taught = table(printing()), TaughtNumerals(learnt(printing()))
    corners = np.array([entry["corners"] for entry in picture.truth["cards"]], np.float32)
    seen = taught.classify(Pyramid.of(cv2.GaussianBlur(picture.bgr, (0, 0), 5.0)), corners)
    told = [taught.accept(card) for card in seen]
    assert told[0] == ("2", "6", "9")
    assert set(told[1]) <= {"10", "13", "14", None} and set(told[2]) <= {"3", "7", "12", None}


AT_THE_SIDE = tuple(Place(k, (17.0, 22.0 * (k - 1)), 11.0, 14.0) for k in range(3))
AT_THE_TOP = tuple(Place(k, (19.0 * (k - 1), -34.0), 13.0, 16.0) for k in range(3))


def test_cards_fanned_out_that_hide_all_but_each_others_numbers_are_read():
    look = replace(printing(AT_THE_TOP), figures=())
    faces = ((2, 6, 8), (10, 13, 14), (3, 7, 12))
    fan = [LaidComet(face, np.array([4.0 * k, 24.0 * k]), 3.0 * k, look.size) for k, face in enumerate(faces)]
    beside = [LaidComet((4, 5, 11), np.array([110.0, 30.0]), 8.0, look.size)]
    rng = np.random.default_rng(5)
    picture = comet_photograph(rng, printing=look, cards=[*fan, *beside], hardness=0.0, across_px=130, yaw_deg=0.0)
    reading = read_comet(picture.bgr, TaughtNumerals(learnt(look)))
    assert {tuple(card.values) for card in reading.cards} == {*faces, (4, 5, 11)}


def test_three_numerals_say_where_a_card_lies_of_which_no_edge_shows():
    rows = [[0, -0.4, -0.7, 0.25, 0], [1, 0.0, -0.7, 0.25, 0], [2, 0.4, -0.7, 0.25, 0]]
    places = NumberPlaces.from_rows(rows, 0.7)
    picture = np.full((500, 700, 3), 220, np.uint8)
    card = np.array([[-70, -100], [70, -100], [70, 100], [-70, 100]])
    poses = [card + np.array([150, 200]), card @ np.array([[0.94, 0.34], [-0.34, 0.94]]) + (480, 260)]
    for pose in poses:
        for at in mapped(card_to_image(pose, 0.7), places.at):
            cv2.circle(picture, at.astype(int).tolist(), 10, (30, 30, 30), 3)
    cv2.circle(picture, (400, 60), 10, (30, 30, 30), 3)  # alone it says nothing
    everywhere = [np.array([[0, 0], [700, 0], [700, 500], [0, 500]]) * 0.6 + (200, 50)]
    found = NumeralSearch(Pyramid.of(picture), places, everywhere).by_three(poses[:1], poses[:1])
    assert len(found) == 2  # either way up: what the numerals are is not looked at
    assert min(np.abs(one - poses[1]).max() for one in found) < 6


def test_a_card_is_found_by_the_boxes_around_its_numerals_which_are_no_lighter_than_the_card():
    rows = [[k, -0.3, 0.6 * (k - 1), 0.25, 0] for k in range(3)]
    places = NumberPlaces.from_rows(rows, 0.7)
    picture = np.full((500, 700, 3), 220, np.uint8)
    card = np.array([[-70, -100], [70, -100], [70, 100], [-70, 100]])
    poses = [card + np.array([150, 200]), card @ np.array([[0.94, 0.34], [-0.34, 0.94]]) + (480, 260)]
    for pose in poses:
        for at in mapped(card_to_image(pose, 0.7), places.at).round().astype(int):
            cv2.rectangle(picture, at - 21, at + 21, (30, 30, 30), -1)
            cv2.circle(picture, at.tolist(), 9, (36, 36, 36), 3)
    everywhere = [np.array([[0, 0], [700, 0], [700, 500], [0, 500]]) * 0.6 + (200, 50)]
    found = NumeralSearch(Pyramid.of(picture), places, everywhere).by_three(poses[:1], poses[:1])
    assert min((np.abs(one - poses[1]).max() for one in found), default=math.inf) < 6


def test_a_card_is_found_by_its_numerals_beside_backs_whose_pattern_is_as_high_and_stands_as_they_do():
    rows = [[0, -0.4, -0.7, 0.25, 0], [1, 0.0, -0.7, 0.25, 0], [2, 0.4, -0.7, 0.25, 0]]
    places = NumberPlaces.from_rows(rows, 0.7)
    picture = np.full((500, 700, 3), 220, np.uint8)
    card = np.array([[-70, -100], [70, -100], [70, 100], [-70, 100]])
    read, hidden, *backs = (card + np.array(at) for at in ([150, 200], [560, 262], [320, 200], [320, 400]))
    lattice = np.stack(np.meshgrid(range(260, 381, 40), range(112, 490, 26)), -1).reshape(-1, 2)
    printed = [mapped(card_to_image(quad, 0.7), at) for quad, at in ((read, places.at), (hidden, 0.95 * places.at))]
    for at in np.concatenate([lattice, *printed]):
        cv2.circle(picture, np.round(at).astype(int).tolist(), 8, (30, 30, 30), 3)
    search = NumeralSearch(Pyramid.of(picture), places, [*backs, hidden])
    assert any(np.abs(one - hidden).max() < 12 for one in search.by_three([read], [read], backs))


@pytest.mark.parametrize(("surely_lies", "count"), [(True, 1), (False, 0)])
def test_where_a_table_is_seen_from_the_side_one_card_says_how_large_those_far_from_it_are(surely_lies, count):
    """Of ten cards of a drawn table, seen so that the nearest is 2.7 times as large as the farthest, two were read."""
    rows = [[0, -0.4, -0.7, 0.25, 0], [1, 0.1, -0.7, 0.25, 0], [2, 0.4, -0.5, 0.25, 0]]
    places = NumberPlaces.from_rows(rows, 0.7)
    from_side = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0007, 1.0]])
    card = np.array([[-70, -100], [70, -100], [70, 100], [-70, 100]])
    poses = [mapped(from_side, card + at) for at in ([150, 150], [400, 560])]
    picture = np.full((500, 700, 3), 220, np.uint8)
    for pose, reach in zip(poses, (9, 7), strict=True):
        for at in mapped(card_to_image(pose, 0.7), places.at):
            cv2.circle(picture, at.astype(int).tolist(), reach, (30, 30, 30), 2)
    around = [np.array([[180, 280], [430, 280], [430, 480], [180, 480]])]
    found = NumeralSearch(Pyramid.of(picture), places, around).by_three(poses[:1], poses[:1] if surely_lies else [])
    assert sum(np.abs(one - poses[1]).max() < 9 for one in found) == count


@pytest.mark.parametrize("seed", [6, 8])
def test_a_card_on_whose_first_number_another_lies_is_told_by_the_two_others(seed):
    look = printing()
    laid = (((3, 7, 12), 120.0, 0.0, 0.0), ((2, 5, 8), 0.0, 0.0, 0.0), ((10, 13, 4), -42.0, 3.0, 3.0))
    cards = [LaidComet(values, np.array([x, y]), turn, look.size) for values, x, y, turn in laid]
    picture = comet_photograph(np.random.default_rng(seed), printing=look, cards=cards, hardness=0.0, across_px=150)
    reading = read_comet(picture.bgr, TaughtNumerals(learnt(look)))
    assert {card.edges for card in reading.cards} == {("3", "7", "12"), ("10", "13", "4"), (None, "5", "8")}
    assert [warning.code for warning in reading.warnings] == ["unsure"]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_card_that_one_face_down_covers_but_for_its_numbers_is_told_and_so_is_that(seed):
    look = replace(printing(AT_THE_SIDE), figures=())
    laid = (((3, 7, 12), 120.0), ((4, 6, 13), 190.0), ((2, 5, 8), 0.0), (None, -30.0))
    cards = [LaidComet(values, np.array([x, 0.02 * x]), 0.0, look.size) for values, x in laid]
    picture = comet_photograph(np.random.default_rng(seed), printing=look, cards=cards, hardness=0.0, across_px=150)
    reading = read_comet(picture.bgr, TaughtNumerals(learnt(look)))
    back = (BACK, BACK, BACK)
    assert {card.edges for card in reading.cards} == {("3", "7", "12"), ("4", "6", "13"), ("2", "5", "8"), back}


def test_the_tint_of_a_taught_back_beside_its_faces_is_kept():
    look, faces = printing(), (*FACES, None)
    picture = taught_picture(look, faces)
    colours = [card_colour(Pyramid.of(picture.bgr), np.array(e["corners"])) for e in picture.truth["cards"]]
    seen = np.log(colours[-1]) - np.mean(np.log(colours[:-1]), axis=0)
    assert learnt(look, faces).back_tint == pytest.approx(seen, abs=0.1)
    assert not learnt(look).back_tint.size


def test_white_light_on_some_faces_of_a_lesson_changes_little_of_the_tint_of_its_back():
    look, faces = printing(), (*FACES, None)
    picture = taught_picture(look, faces)
    lit = picture.bgr.astype(np.float32) * [0.5, 0.75, 1.0]  # warm faces
    tints = []
    for veil in (0.0, 0.5):
        shown = lit.copy()
        for card in picture.truth["cards"][2:5]:
            mask = cv2.fillConvexPoly(np.zeros(lit.shape[:2], np.uint8), np.int32(card["corners"]), 1) > 0
            shown[mask] = (1 - veil) * shown[mask] + veil * 200
        label = labels_of(faces, picture)
        tints.append(learn_comet("comet", [("taught", np.uint8(np.minimum(shown, 255)))], label).back_tint)
    plain, veiled = (tint - tint.mean() for tint in tints)
    assert np.abs(veiled - plain).max() < 0.05


def test_a_lamps_reflection_that_fades_across_the_back_of_a_lesson_is_not_taught_as_its_print():
    """Whole rows of backs were told as another deck's: they had another tint, and did not fade."""
    look, faces = printing(), (*FACES, None)
    picture = taught_picture(look, faces)
    quad = np.float32(picture.truth["cards"][-1]["corners"])
    fade = np.repeat(np.linspace(0.75, 0.0, 64, dtype=np.float32)[:, None], 64, axis=1)
    from_square = cv2.getPerspectiveTransform(np.float32([[0, 0], [63, 0], [63, 63], [0, 63]]), quad)
    veil = cv2.warpPerspective(fade, from_square, picture.bgr.shape[1::-1])[..., None]
    shown = np.uint8((1 - veil) * picture.bgr + veil * 235)
    profile = learn_comet("comet", [("taught", shown)], labels_of(faces, picture))
    assert correlation(profile.back, learnt(look, faces).back) > 0.8
    assert not profile.back_tint.size
    laid = [((10, 13, 14), 0.0), (None, 90.0), (None, 154.0), ((2, 6, 9), 244.0)]
    cards = [LaidComet(values, np.array([x, 0.0]), 0.0, look.size) for values, x in laid]
    rng = np.random.default_rng(5)
    seen = comet_photograph(rng, printing=look, cards=cards, hardness=0.0, across_px=150, yaw_deg=0.0)
    told = [card.values for card in read_comet(seen.bgr, TaughtNumerals(profile)).cards]
    assert told.count(None) == 2
    assert len(told) == 4


@pytest.mark.parametrize(("hidden", "covers"), [(0, True), (2, False)])
def test_two_numerals_say_where_a_card_lies_on_whose_third_another_does(hidden, covers):
    rows = [[0, -0.4, -0.7, 0.25, 0], [1, 0.0, -0.7, 0.25, 0], [2, 0.4, -0.7, 0.25, 0]]
    places = NumberPlaces.from_rows(rows, 0.7)
    picture = np.full((500, 700, 3), 220, np.uint8)
    card = np.array([[-70, -100], [70, -100], [70, 100], [-70, 100]])
    upper, lower = card + np.array([150, 200]), card + np.array([235, 205])
    shown = [*mapped(card_to_image(upper, 0.7), places.at), *mapped(card_to_image(lower, 0.7), places.at)[1:]]
    for at in shown:
        cv2.circle(picture, at.astype(int).tolist(), 10, (30, 30, 30), 3)
    everywhere = [np.array([[0, 0], [700, 0], [700, 500], [0, 500]]) * 0.6 + (50, 50)]
    found = NumeralSearch(Pyramid.of(picture), places, everywhere).by_two([upper], [upper])
    assert any(which == hidden and np.abs(pose - lower).max() < 6 for pose, which in found) is covers


def test_a_card_that_is_surely_read_but_looks_unlike_most_lends_none_its_numerals():
    picture = table(printing())
    pyramid, taught = Pyramid.of(picture.bgr, 6), TaughtNumerals(learnt(printing()))
    (first, *others) = (np.array(entry["corners"], float) for entry in picture.truth["cards"])
    seen = examine(pyramid, taught, [(quad, 1.0) for quad in others])
    step = 0.7 * (first[1] - first[0])
    above = Hypothesis(first + step, 0.9, NO_SECTIONS, 0.0)
    hidden = [replace(one, alike=one.alike - 0.5) for one in examine(pyramid, taught, [(first, 1.0)])]

    def found(likely):
        search = NumeralSearch(pyramid, taught.profile.places, [first])
        return search_covered(search, taught, [*seen, above, *likely], lambda _: False)

    assert found([]) and not found(hidden)


def of_numbers(at, numerals, legible=1.0, sure=1.0, numbers=(0, 1, 2)):
    """A card of which numbers are read, their places as given (3, 2), a pixel around each."""
    corners = np.array([[0, 0], [10, 0], [10, 14], [0, 14]]) + np.array(at)
    sections = np.zeros((3, 15))
    sections[np.arange(3), numbers] = sure
    reach = np.ones((3, 1))
    return Hypothesis(
        corners, 0.9, sections, legible, 0.9, legible, numerals=np.hstack([np.array(numerals) + at, reach])[None]
    )


@pytest.mark.parametrize("places", [IN_A_ROW, IN_CORNERS])
def test_numerals_say_how_far_an_outline_is_off(places):
    taught, picture = TaughtNumerals(learnt(printing(places))), table(printing(places))
    pyramid = Pyramid.of(picture.bgr, 6)
    for entry in picture.truth["cards"]:
        corners = np.array(entry["corners"])
        high = np.linalg.norm(corners[3] - corners[0])
        middle = corners.mean(0)
        askew = (
            (corners - middle) @ np.array([[1.0, 0.05], [-0.05, 1.0]]) * 1.03 + middle + [0.035 * high, -0.03 * high]
        )
        (better,) = taught.corrected(askew[None], taught.read_numerals(pyramid, askew[None]), [0])
        off = [np.linalg.norm(some - corners, axis=1).max() / high for some in (askew, better)]
        assert off[1] < min(0.035, 0.6 * off[0])


@pytest.mark.parametrize(
    ("found", "moved", "is_moved"), [(1.0, "askew", False), (0.5, "askew", True), (1.0, "out", True)]
)
def test_an_outline_found_surely_is_moved_to_fit_the_taught_face_only_evenly(found, moved, is_moved, monkeypatch):
    """Outlines that lay on their cards' edges were told up to a tenth of a card inside, pulled by unlike numbers."""
    look = printing()
    taught, picture = TaughtNumerals(learnt(look)), table(look)
    corners = np.array(picture.truth["cards"][0]["corners"], np.float32)
    off = corners.mean(0) + 1.04 * (corners - corners.mean(0))
    if moved == "askew":
        off = corners + 0.06 * (corners.mean(0) - corners[0]) * np.array([[1.0], [0.0], [0.0], [0.0]])
    monkeypatch.setattr(hypothesis, "align", lambda pyramid, outline, face: Alignment(off.astype(np.float32), 2.0))
    monkeypatch.setattr(TaughtNumerals, "corrected", lambda self, some, seen, which: np.array(some, np.float32)[which])
    (one,) = examine(Pyramid.of(picture.bgr), taught, [(corners, found)])
    assert (np.abs(one.corners - off).max() < 1e-3) == is_moved


def test_a_card_of_sixes_and_nines_is_read_where_its_numbers_stand_at_one_end():
    look = replace(printing(), figures=())
    card = LaidComet((9, 9, 6), np.array([0.0, 0.0]), 20.0, look.size)
    others = [LaidComet(face, np.array([80.0 * k, 0.0]), 0.0, look.size) for k, face in enumerate(FACES[:2], 1)]
    rng = np.random.default_rng(5)
    picture = comet_photograph(rng, printing=look, cards=[card, *others], hardness=0.0, across_px=150, yaw_deg=0.0)
    reading = read_comet(picture.bgr, TaughtNumerals(learnt(look)))
    assert sorted([6, 9, 9]) in [one.values for one in reading.cards]


@pytest.mark.parametrize(("nines", "is_sure"), [(0.9, False), (0.3, True)])
def test_a_card_of_nines_alone_is_open_where_another_outline_of_it_shows_sixes_upside_down(nines, is_sure):
    """Three nines were told as three sixes: along the outline as it was seen, turned, nothing stood at the places."""
    taught = TaughtNumerals(replace(learnt(printing()), standing=0.0))
    sixes, none, turned = (np.eye(15)[[k] * 3] for k in (NUMBERS.index(6), 14, NUMBERS.index(9)))
    views = classify_views(np.zeros((3, 0, 8, 8, 3), np.uint8))
    ways = TaughtScores(np.stack([sixes, none, turned]), np.array([0.98, 0.01, nines]), np.full(3, 0.5), views)
    assert hypothesis._stands_upright(taught, ways, sixes) == is_sure


def test_cards_of_a_fan_are_told_by_numbers_of_their_own_and_one_across_two_is_not():
    places = [[2.0, 1.0], [5.0, 1.0], [8.0, 1.0]]
    lower, upper = of_numbers((0, 0), places), of_numbers((0, 2.5), places, numbers=(0, 1, 3))
    across = of_numbers((0, 1.2), [[2.0, 1.7], [5.0, -1.2], [8.0, -1.2]], 0.95)
    assert not lower.shares_number(upper) and across.shares_number(upper)
    told = present([across, lower, upper], [lower, upper])
    assert {one.corners[0, 1] for one in told} == {0, 2.5}


def test_a_number_of_a_card_below_is_none_of_the_card_above_though_it_is_expected_a_little_aside():
    """Of the middle one of three fanned cards the number was told that stands on the lowest one."""
    lower = of_numbers((0, 0), [[2.0, 1.0], [5.0, 1.0], [8.0, 1.0]])
    above = of_numbers((0, -6.0), [[2.0, 7.0 - 1.1], [5.0, 3.0], [8.0, 3.0]], 0.9, 0.99)
    assert [one.legible for one in present([above, lower], [lower])] == [lower.legible]


@pytest.mark.parametrize(
    ("number", "likely", "seen", "seen_likely", "told"),
    [
        (5, 0.7, 5, 0.99, (5, 0.99)),  # the surer outline
        (5, 0.99, 6, 0.98, None),
        (5, 0.99, 6, 0.9, (5, 0.99)),
        (3, 0.99, 13, 0.5, None),  # an outline that lies askew may show the last figure alone
        (13, 0.99, 3, 0.99, (13, 0.99)),
    ],
)
def test_a_number_is_as_sure_as_the_outlines_of_its_card_agree(number, likely, seen, seen_likely, told):
    places = [[2.0, 1.0], [5.0, 1.0], [8.0, 1.0]]
    one, other = of_numbers((0, 0), places), of_numbers((0.2, 0), places, 0.9)
    for card, value, sure in ((one, number, likely), (other, seen, seen_likely)):
        card.sections[0] = 0.0
        card.sections[0, NUMBERS.index(value)] = sure
    (card,) = present([one, other], [one])
    assert (
        (NUMBERS[card.sections[0].argmax()], card.sections[0].max()) == told if told else card.sections[0].max() < 0.9
    )


@pytest.mark.parametrize(
    ("whole_number", "cut_likely", "told"),
    [
        (11, {2: 0.65, 11: 0.2}, 11),
        (2, {3: 0.6, 12: 0.3}, None),  # of a 12 that one outline may show the other may show the last figure alone
        (11, {2: 0.96}, None),
    ],
)
def test_of_two_outlines_of_a_card_that_with_all_its_numbers_is_told(whole_number, cut_likely, told):
    places = [[2.0, 1.0], [5.0, 1.0], [8.0, 1.0]]
    whole = replace(of_numbers((0, 0), places, 0.99, 0.99), found=0.3)
    cut = replace(of_numbers((0.2, 0), places, 0.94, 0.99), found=0.9)
    for card, likely in ((whole, {whole_number: 0.99}), (cut, cut_likely)):
        card.sections[2] = 0.0
        for number, sure in likely.items():
            card.sections[2, NUMBERS.index(number)] = sure
    (card,) = present([cut, whole], [cut])
    sure = card.sections[2].max() >= LIMITS.stated_taught
    assert (NUMBERS[card.sections[2].argmax()] if sure else None) == told


def test_of_two_outlines_of_a_card_that_as_large_as_the_others_is_told():
    box, none = np.array([[0, 0], [10, 0], [10, 14], [0, 14]]), np.zeros((3, 15))
    usual = [Hypothesis(box + np.array([x, 40.0]), 1.0, none, 1.0, 0.8) for x in (0, 20, 40)]
    whole, cut = Hypothesis(box * 1.0, 0.95, none, 1.0, 0.6), Hypothesis(box * [0.75, 1.0], 0.6, none, 1.0, 0.85)
    assert [one.found for one in present([cut, whole], usual)] == [whole.found]
    assert [one.found for one in present([cut, whole], usual[:1])] == [cut.found], (
        "one card says too little of how large they are"
    )


@pytest.mark.parametrize(("found", "is_told"), [(0.0, False), (0.9, True)])
def test_numbers_of_several_cards_are_none_of_one_twice_as_large_that_no_outline_shows(found, is_told):
    box = np.array([[0, 0], [10, 0], [10, 14], [0, 14]])
    usual = [Hypothesis(box + np.array([x, 40.0]), 1.0, np.zeros((3, 15)), 1.0, 0.9) for x in (0, 20, 40)]
    numbers = np.eye(15)[[10, 7, 6]]
    across = Hypothesis(box * 1.5, found, numbers, 0.98, 0.85)
    assert is_card(across, [*usual, across]) == is_told
    assert is_card(across, [*usual[:2], across]), "two cards say too little of how large they are"


@pytest.mark.parametrize(
    ("found", "number", "at_x", "is_sure"),
    [(0.0, 2, 5.0, False), (0.0, 3, 5.0, False), (0.0, 5, 5.0, True), (0.0, 2, 15.0, True), (0.9, 2, 5.0, True)],
)
def test_a_2_or_a_3_beside_a_card_that_may_hide_a_1_is_not_stated(found, number, at_x, is_sure):
    upper = replace(of_numbers((0, 0), [[2.0, 1.0], [5.0, 1.0], [8.0, 1.0]]), found=0.95)
    lower = replace(of_numbers((6, 0), [[5.5, 1.0], [7.0, 1.0], [9.0, 1.0]], numbers=(0, 5, 6)), found=found)
    lower.sections[0] = np.eye(15)[NUMBERS.index(number)]
    lower = replace(lower, before=np.array([[[at_x, 1.0], [11.0, 1.0], [13.0, 1.0]]]))
    told = present([upper, lower], [upper])
    (sure,) = [one.sections[0, NUMBERS.index(number)] for one in told if one.found == found]
    assert (sure > 0.9) == is_sure


@pytest.mark.parametrize(
    ("aside", "is_sure"),
    [
        ([0.05, 0.0, -0.02], True),
        ([0.25, 0.0, 0.0], False),  # the end of a 12
        ([0.17, -0.08, -0.08], False),  # and moved aside, with the whole card, to fit it
        ([0.05, np.nan, np.nan], False),  # nothing says where it should stand
        ([np.nan, 0.0, 0.0], False),
    ],
)
def test_a_2_beside_a_card_that_may_hide_a_1_is_stated_where_it_stands_as_a_lone_2_does(aside, is_sure):
    """Of 33 cards left open on path-traced tables seven were, whose 2 or 3 stood in the middle of its place."""
    upper = replace(of_numbers((0, 0), [[2.0, 1.0], [5.0, 1.0], [8.0, 1.0]]), found=0.95)
    lower = of_numbers((6, 0), [[5.5, 1.0], [7.0, 1.0], [9.0, 1.0]], numbers=(0, 5, 6))
    before = np.array([[[5.0, 1.0], [11.0, 1.0], [13.0, 1.0]]])
    told = present([upper, replace(lower, found=0.0, before=before, aside=np.array([aside]))], [upper])
    (sure,) = [one.sections[0, 0] for one in told if one.found == 0]
    assert (sure > 0.9) == is_sure


@pytest.mark.parametrize(("sure", "is_told"), [(0.99, False), (0.998, True)])
def test_a_3_beside_a_card_that_may_hide_the_left_of_an_8_is_stated_where_it_is_quite_sure(sure, is_told):
    upper = replace(of_numbers((0, 0), [[2.0, 1.0], [5.0, 1.0], [8.0, 1.0]]), found=0.95)
    lower = of_numbers((6, 0), [[5.5, 1.0], [7.0, 1.0], [9.0, 1.0]], numbers=(1, 5, 6), sure=sure)
    before = np.array([[[5.0, 1.0], [11.0, 1.0], [13.0, 1.0]]])
    told = present([upper, replace(lower, found=0.0, before=before, aside=np.zeros((1, 3)))], [upper])
    (seen,) = [one.sections[0].max() for one in told if one.found == 0]
    assert (seen > 0.9) == is_told


@pytest.mark.parametrize(("aside", "is_sure"), [(0.25, False), (0.02, True), (-0.25, True), (np.nan, True)])
def test_a_2_of_a_whole_card_that_stands_as_the_end_of_a_12_beside_another_is_not_stated(aside, is_sure):
    upper = replace(of_numbers((0, 0), [[2.0, 1.0], [5.0, 1.0], [8.0, 1.0]]), found=0.95)
    lower = of_numbers((6, 0), [[5.5, 1.0], [7.0, 1.0], [9.0, 1.0]], numbers=(0, 5, 6))
    before = np.array([[[5.0, 1.0], [11.0, 1.0], [13.0, 1.0]]])
    told = present([upper, replace(lower, before=before, aside=np.array([[aside, 0.0, 0.0]]))], [upper])
    (sure,) = [one.sections[0, 0] for one in told if one.found == 0.9]
    assert (sure > 0.9) == is_sure


def test_where_numbers_end_below_each_other_a_figures_place_says_nothing():
    profile, picture = learnt(printing()), table(printing())
    assert abs(profile.flush_right) < LIMITS.flush_right
    corners = np.array([card.corners for card in read_comet(picture.bgr, TaughtNumerals(profile)).cards])
    seen = TaughtNumerals(profile).read_numerals(Pyramid.of(picture.bgr), corners)
    assert np.abs(asides(TaughtNumerals(profile), seen.aside[0])).max() < LIMITS.flush_right
    assert not len(asides(TaughtNumerals(replace(profile, flush_right=0.3)), seen.aside[0]))


@pytest.mark.parametrize(("narrower", "is_sure"), [(0.8, False), (1.0, True)])
def test_a_3_is_not_stated_where_its_card_is_outlined_so_narrow_that_another_may_lie_on_a_1(narrower, is_sure):
    """A 13 was stated as 3: the card that lay on its 1 hid the side of its own, which was outlined without it."""
    places = [[2.0, 1.0], [5.0, 1.0], [8.0, 1.0]]
    others = [replace(of_numbers((0, 20.0 * k), places), found=0.95) for k in range(3)]
    card = replace(of_numbers((10, 0), places, numbers=(3, 5, 6)), found=0.95)
    card.sections[0] = np.eye(15)[NUMBERS.index(3)]
    card = replace(
        card,
        corners=card.corners[0] + (card.corners - card.corners[0]) * [narrower, 1.0],
        before=np.array([[[9.5, 1.0], [14.0, 1.0], [17.0, 1.0]]]),
    )
    (told,) = [one for one in present([*others, card], others) if one.corners[0, 0] == 10]
    assert (told.sections[0].max() > 0.9) == is_sure


def test_a_figure_that_may_stand_before_a_number_is_looked_for_on_its_left_as_it_is_read():
    places = NumberPlaces.from_rows([[0, 0.0, -0.7, 0.25, 0], [0, 0.0, 0.7, 0.25, 1]], 0.7)
    first, turned = places.before(np.array([[0, 0], [140, 0], [140, 200], [0, 200]]))
    assert 70 - 25 < first[0] < 70 - 12 and 70 + 12 < turned[0] < 70 + 25
    assert first[1] == pytest.approx(30) and turned[1] == pytest.approx(170)


@pytest.mark.parametrize(("looks", "told"), [(0.9, (0.0, 5.0)), (0.3, (2.5,))])
def test_two_backs_of_a_fan_are_told_where_an_outline_across_both_is_found_surer(looks, told):
    card = np.array([[0, 0], [10, 0], [10, 14], [0, 14]])
    face = of_numbers((40, 0), [[2.0, 1.0], [5.0, 1.0], [8.0, 1.0]])
    backs = [
        Hypothesis(card + np.array([aside, 0.0]), found, np.zeros((3, 15)), 0.0, like_back=like, maybe_back=1.0)
        for aside, found, like in ((0.0, 0.9, looks), (2.5, 1.0, 0.8), (5.0, 0.9, looks))
    ]
    shown = present([face, *backs], [face])
    assert tuple(sorted(one.corners[0, 0] for one in shown if one.is_back)) == told


def test_what_is_likely_a_back_is_one_beside_a_sure_one_of_its_colour():
    picture = np.full((200, 300, 3), (40, 60, 90), np.uint8)
    card = np.array([[0, 0], [50, 0], [50, 70], [0, 70]])
    face = Hypothesis(card + 20, 1.0, np.zeros((3, 15)), 1.0, 0.9)
    for (x, y), colour in (((20, 20), (230, 230, 230)), ((100, 20), (160, 60, 30)), ((180, 20), (160, 60, 30))):
        picture[y : y + 70, x : x + 50] = colour
    picture[110:180, 100:150] = (60, 160, 30)
    sure, likely, other = (
        Hypothesis(card + at, found, np.zeros((3, 15)), 0.0, maybe_back=0.999)
        for at, found in (((100, 20), 0.9), ((180, 20), 0.55), ((100, 110), 0.55))
    )
    pyramid = Pyramid.of(picture)
    compared = mark_similar_backs(pyramid, [face, sure, likely, other], [face])
    assert [is_card(one, [face]) for one in compared] == [True, True, True, False]
    assert not is_card(likely, [face])


@pytest.mark.parametrize(
    ("found", "maybe_back", "is_other_colour", "is_told"),
    [(0.55, 0.999, True, True), (0.55, 0.98, True, False), (0.55, 0.999, False, False), (0.7, 0.98, True, True)],
)
def test_what_a_network_surely_takes_for_a_back_need_not_be_found_surely(found, maybe_back, is_other_colour, is_told):
    card = np.array([[0, 0], [50, 0], [50, 70], [0, 70]])
    face = Hypothesis(card, 1.0, np.zeros((3, 15)), 1.0, 0.9)
    back = Hypothesis(card + 80, found, np.zeros((3, 15)), 0.0, maybe_back=maybe_back, is_other_colour=is_other_colour)
    assert back.is_back and is_card(back, [face]) is is_told


@pytest.mark.parametrize(
    ("found", "maybe_back", "is_back"), [(0.95, 1.0, True), (0.8, 1.0, False), (0.95, 0.98, False)]
)
def test_a_back_in_the_faces_colour_may_look_a_little_like_one_where_it_is_found_surely(found, maybe_back, is_back):
    card = np.array([[0, 0], [50, 0], [50, 70], [0, 70]])
    one = Hypothesis(card, found, np.zeros((3, 15)), 0.0, alike=0.3, maybe_back=maybe_back)
    assert one.is_back is is_back


@pytest.mark.parametrize(
    ("like_back", "maybe_back", "is_back"),
    [(0.6, 0.85, True), (0.4, 0.85, False), (0.6, 0.75, False)],
)
def test_a_plain_back_is_one_where_its_taught_look_and_a_network_both_say_so(like_back, maybe_back, is_back):
    card = np.array([[0, 0], [50, 0], [50, 70], [0, 70]])
    one = Hypothesis(card, 0.95, np.zeros((3, 15)), 0.0, alike=0.2, like_back=like_back, maybe_back=maybe_back)
    assert one.is_back is is_back


def test_a_card_whose_outline_is_hardly_likely_may_lie_face_down_where_it_is_as_large_as_those_that_are_read():
    look = printing()
    cards = [LaidComet(v, np.array([90.0 * k, 0.0]), 5.0, look.size) for k, v in enumerate(((4, 5, 8), None))]
    picture = comet_photograph(np.random.default_rng(8), printing=look, cards=cards, hardness=0.0, across_px=170)
    pyramid, taught = Pyramid.of(picture.bgr, 6), TaughtNumerals(learnt(look))
    face, back = np.array([entry["corners"] for entry in picture.truth["cards"]])
    smaller = back.mean(0) + 0.8 * (back - back.mean(0))
    read = [Hypothesis(face, 1.0, np.zeros((3, 15)), 1.0, 0.9)]
    search = NumeralSearch(pyramid, taught.profile.places, [])
    found = search_unlikely(search, taught, read, [Outline(back, 0.01), Outline(smaller, 0.01)])
    assert [one.found for one in found] == [0.01] and np.allclose(found[0].corners.mean(0), back.mean(0))


def test_the_profile_of_another_printing_is_noticed_and_no_card_is_called_face_down():
    reading = read_comet(table(printing(IN_CORNERS)).bgr, TaughtNumerals(learnt(printing())))
    assert "foreign-profile" in {warning.code for warning in reading.warnings}
    assert {edge for card in reading.cards for edge in card.edges} == {None}


@pytest.mark.parametrize(
    ("read_alike", "found", "like_back", "is_patterned", "expected"),
    [
        (0.4, 0.95, 0.0, False, True),
        (0.5, 0.0, 0.0, False, False),  # numbers in another printing's corners are read, but no card ends around them
        (0.8, 0.0, 0.0, False, True),  # pale cards on a cloth as pale
        (-0.2, 0.95, 0.0, False, False),  # `6 6 11` was read in another printing's `9 9 11`
        (-0.2, 0.95, 0.98, False, False),  # one plain back looks like any other
        (-0.2, 0.95, 0.98, True, True),
        (None, 0.95, 0.98, False, True),
        (None, 0.95, 0.5, True, False),
    ],
)
def test_a_table_is_of_the_taught_printing_where_faces_look_like_it_or_a_pattern_does(
    read_alike, found, like_back, is_patterned, expected
):
    pattern = np.random.default_rng(1).normal(0, 40, (42, 30)) if is_patterned else np.zeros((42, 30))
    taught = TaughtNumerals(replace(learnt(printing()), back=pattern.astype(np.float32)))
    card, numbers = np.array([[0, 0], [50, 0], [50, 70], [0, 70]]), np.zeros((3, 15))
    likely = [Hypothesis(card + 90, 0.95, numbers, 0.0, alike=0.1, like_back=like_back)]
    if read_alike is not None:
        likely.append(Hypothesis(card, found, numbers, 0.95, alike=read_alike))
    assert is_familiar(taught, likely, likely) is expected


def test_one_face_of_which_backs_hide_both_sides_makes_a_table_the_taught_one():
    """It was read whole, and the table told to be another printing's: nobody had taught the backs."""
    look = printing(tuple(Place(k, (0.0, 22.0 * (k - 1)), 13.0, 16.0) for k in range(3)))
    laid = [((6, 9, 11), 0.0), (None, -40.0), (None, 40.0), (None, 104.0)]
    cards = [LaidComet(values, np.array([x, 0.0]), 0.0, look.size) for values, x in laid]
    rng = np.random.default_rng(5)
    picture = comet_photograph(rng, printing=look, cards=cards, hardness=0.0, across_px=170, yaw_deg=0.0)
    reading = read_comet(picture.bgr, TaughtNumerals(learnt(look)))
    assert "foreign-profile" not in {warning.code for warning in reading.warnings}
    assert [6, 9, 11] in [card.values for card in reading.cards]


def test_nothing_is_told_of_cards_that_only_another_profile_would_read():
    """Two numbers of a card were stated beside the notice that the profile is another printing's, one wrong."""
    quad = np.array([[100.0, 100], [160, 100], [160, 184], [100, 184]])
    cards = (of_table(quad, [9, 11, None]), of_table(quad + np.array([90.0, 0]), [3, 13, None]))
    reading = CometReading(cards, (), (FOREIGN_PROFILE.warning,), TaughtNumerals(learnt(printing())))
    doubted = recognizer._apply_conditions(Pyramid.of(np.full((300, 400, 3), 90, np.uint8)), reading)
    assert [card.values for card in doubted.cards] == [[None] * 3] * 2
    assert [warning.code for warning in doubted.warnings] == ["foreign-profile", "unsure", "unsure"]


def test_a_printing_that_is_read_lying_on_its_side_is_not_taken_for_one_seen_from_the_side():
    look = replace(printing(), is_turned=True, figures=())
    cards = [LaidComet(face, np.array([98.0 * k, 0.0]), -90.0, look.size) for k, face in enumerate(FACES)]
    rng = np.random.default_rng(3)
    picture = comet_photograph(rng, printing=look, cards=cards, hardness=0.0, across_px=150, yaw_deg=0.0)
    labels = labels_of(FACES, picture)
    for card in labels[0]["cards"]:
        card["corners"] = np.roll(card["corners"], -1, 0).tolist()
    reading = read_comet(picture.bgr, TaughtNumerals(learn_comet("comet", [("taught", picture.bgr)], labels)))
    assert "too-steep" not in {warning.code for warning in reading.warnings}
    assert any(card.values and None not in card.values for card in reading.cards)


def test_numbers_nearly_as_high_as_a_card_that_lies_on_its_side_are_learnt():
    places = tuple(Place(k, (28.0 * (k - 1), 0.0), 21.5, 26.0) for k in range(3))
    look = replace(printing(), is_turned=True, figures=(), own_places=places)
    cards = [LaidComet(face, np.array([98.0 * k, 0.0]), -90.0, look.size) for k, face in enumerate(FACES)]
    rng = np.random.default_rng(3)
    picture = comet_photograph(rng, printing=look, cards=cards, hardness=0.0, across_px=150, yaw_deg=0.0)
    labels = labels_of(FACES)
    profile = learn_comet("comet", [("taught", picture.bgr)], labels)
    assert profile.high.min() > 0.62 and len(profile.places.slots) == 3


def test_a_profile_is_small_and_read_from_its_file(tmp_path):
    profile = learnt(printing())
    profile.write(tmp_path / "row.json")
    assert (tmp_path / "row.json").stat().st_size < MOST_BYTES
    classifier = RECOGNIZER.classifier(None, tmp_path / "row.json")
    picture = table(printing())
    reading = RECOGNIZER.read(picture.bgr, classifier)
    assert sorted(card.values for card in reading.cards) == sorted(entry["values"] for entry in picture.truth["cards"])


def test_without_corners_labels_are_in_reading_order():
    picture = taught_picture(printing())
    profile = learn_comet("comet", [("taught", picture.bgr)], labels_of(FACES))
    assert len(profile.samples) == len(FACES)


@pytest.mark.parametrize(
    ("wide", "high", "parts"),
    [(126, 88, 2), (189, 88, 3), (63, 176, 2), (63, 88, 0), (88, 126, 2), (111, 100, 0), (252, 88, 0)],
)
def test_what_is_as_large_as_some_cards_in_a_row_may_be_those(wide, high, parts):
    row = np.array([[10, 20], [10 + wide, 20], [10 + wide, 20 + high], [10, 20 + high]], np.float64)
    (found, *_) = rows_of(row, 63 * 88.0, 63 / 88) or [[]]
    assert len(found) == parts
    assert all(sorted(np.ptp(part, axis=0).round(3)) == [63.0, 88.0] for part in found)
    assert not parts or np.allclose(sum(part.mean(0) for part in found) / parts, row.mean(0))


@pytest.mark.parametrize(("wide", "count"), [(104, 2), (80, 0), (150, 3)])
def test_what_is_as_large_as_some_cards_that_lie_on_each_other_may_be_those(wide, count):
    row = np.array([[10, 20], [10 + wide, 20], [10 + wide, 108], [10, 108]], np.float64)
    (found, *_) = rows_of(row, 63 * 88.0, 63 / 88) or [[]]
    assert [sorted(np.ptp(part, axis=0).round(3)) for part in found] == [[63.0, 88.0]] * count
    assert [part[:, 0].min().round(3) for part in found] == np.linspace(10, 10 + wide - 63, count).round(3).tolist()


@pytest.mark.parametrize(
    ("wide", "high", "starts"),
    [(120, 88, {0, 57}), (180, 88, {0, 58.5, 117}), (63, 150, {0, 62}), (88, 63, set()), (330, 88, set())],
)
def test_what_is_as_long_beside_its_width_as_some_cards_may_be_those_however_large(wide, high, starts):
    row = np.array([[0.0, 0], [wide, 0], [wide, high], [0, high]]) + 20
    parts = [part - 20 for part in parts_of(row, 63 / 88, (1280, 720))]
    upright = [part for part in parts if np.allclose(np.ptp(part, axis=0), [63, 88], atol=0.5)]
    assert {float(round(2 * part.min(0).max()) / 2) for part in upright} == starts


def test_two_cards_outlined_as_one_are_read_where_none_says_how_large_cards_are():
    """Two cards that touch were the only ones on a table, and were not told (invented printing 9900265)."""
    look = printing()
    laid = [((4, 5, 8), 0.0), ((2, 6, 7), 63.5)]
    cards = [LaidComet(values, np.array([x, 0.0]), 0.0, look.size) for values, x in laid]
    rng = np.random.default_rng(8)
    picture = comet_photograph(rng, printing=look, cards=cards, hardness=0.0, across_px=170, yaw_deg=0.0)
    left, right = (np.array(entry["corners"], np.float64) for entry in picture.truth["cards"])
    row = Hypothesis(np.array([left[0], right[1], right[2], left[3]]), 0.9, np.zeros((3, 15)), 0.02)
    taught = TaughtNumerals(learnt(look))
    search = NumeralSearch(Pyramid.of(picture.bgr), taught.profile.places, [row.corners])
    read = search_joined(search, taught, [row])
    told = {tuple(sorted(NUMBERS[k] for k in one.sections.argmax(-1))): one.middle for one in read}
    assert set(told) == {(4, 5, 8), (2, 6, 7)}
    assert np.allclose([told[4, 5, 8], told[2, 6, 7]], [left.mean(0), right.mean(0)], atol=4)


def test_two_backs_outlined_as_one_are_looked_at_one_by_one():
    look = printing()
    taught = TaughtNumerals(learnt(look, (*FACES[:4], (11, 13, 14), None)))
    laid = [(None, 0.0), (None, 63.5), ((4, 5, 8), 150.0), ((2, 6, 7), 230.0)]
    cards = [LaidComet(values, np.array([x, 0.0]), 0.0, look.size) for values, x in laid]
    rng = np.random.default_rng(8)
    picture = comet_photograph(rng, printing=look, cards=cards, hardness=0.0, across_px=170, yaw_deg=0.0)
    quads = [np.array(entry["corners"], np.float64) for entry in picture.truth["cards"]]
    left, right = sorted(quads[:2], key=lambda quad: quad[:, 0].mean())
    row = Hypothesis(np.array([left[0], right[1], right[2], left[3]]), 0.9, np.zeros((3, 15)), 0.02)
    read = [Hypothesis(quad, 1.0, np.zeros((3, 15)), 1.0, 0.9) for quad in quads[2:]]
    pyramid = Pyramid.of(picture.bgr)
    middles = [one.corners.mean(0) for one in search_rows(pyramid, taught, [*read, row])]
    assert np.allclose(sorted(map(tuple, middles)), [left.mean(0), right.mean(0)], atol=4)
    for back, found in ((taught.profile.back, LIMITS.similar_back), (np.zeros(0, np.float32), LIMITS.similar_back),
                        (np.full_like(taught.profile.back, 90.0), 0.9)):  # fmt: skip
        parts = search_rows(pyramid, TaughtNumerals(replace(taught.profile, back=back)), [*read, row])
        assert [one.found for one in parts] == [found] * 2, "any thing as large has parts: their look must tell"
    assert search_rows(pyramid, taught, [read[0], row]) == []
    beside = replace(read[1], corners=right)
    assert search_rows(pyramid, taught, [read[0], beside, row]) == []


def test_a_back_that_was_taught_is_told():
    look = printing()
    profile = learnt(look, (*FACES[:4], (11, 13, 14), None))
    cards = [
        LaidComet(None, np.array([0.0, 0.0]), 20.0, look.size),
        LaidComet((4, 5, 8), np.array([90.0, 0]), 0.0, look.size),
    ]
    picture = comet_photograph(np.random.default_rng(8), printing=look, cards=cards, hardness=0.0, across_px=170)
    reading = read_comet(picture.bgr, TaughtNumerals(profile))
    assert sorted(set(card.edges) == {BACK} for card in reading.cards) == [False, True]


def test_beside_known_cards_of_a_taught_printing_only_the_new_one_is_read_as_in_the_whole_picture():
    look = printing()
    taught = TaughtNumerals(learnt(look, (*FACES[:4], (11, 13, 14), None)))
    faces = [(2, 3, 4), (5, 6, 7), None, (8, 11, 13)]
    cards = [LaidComet(v, np.array([84.0 * k, 6.0 * (k % 2)]), 4.0 * k, look.size) for k, v in enumerate(faces)]
    picture = comet_photograph(np.random.default_rng(8), printing=look, cards=cards, hardness=0.0, across_px=130)
    true = np.array([entry["corners"] for entry in picture.truth["cards"]])
    turned = np.concatenate([np.roll(true, turn, 1) for turn in range(4)])

    def off(card):
        return np.abs(turned - card.corners).max((1, 2)).min()

    whole = read_comet(picture.bgr, taught).cards
    assert len(whole) == len(faces)
    for new in whole:
        known = [card for card in whole if card is not new]
        (told,) = read_unknown(picture.bgr, taught, new.side * 3**0.5, Unchanged(known, everywhere=known)).cards
        assert told.values == new.values
        assert off(told) < off(new) + 1


def test_what_no_outline_shows_is_looked_for_only_where_that_is_asked_for():
    look = replace(printing(AT_THE_SIDE), figures=())
    taught = TaughtNumerals(learnt(look))
    laid = (((3, 7, 12), 120.0), ((4, 6, 13), 190.0), ((2, 5, 8), 0.0), (None, -30.0))
    cards = [LaidComet(values, np.array([x, 0.02 * x]), 0.0, look.size) for values, x in laid]
    picture = comet_photograph(np.random.default_rng(0), printing=look, cards=cards, hardness=0.0, across_px=150)
    known = [card for card in read_comet(picture.bgr, taught).cards if card.values and card.values != [2, 5, 8]]
    for is_thorough in (True, False):
        unchanged = Unchanged(known, everywhere=known, is_thorough=is_thorough)
        told = read_unknown(picture.bgr, taught, known[0].side * 3**0.5, unchanged).cards
        assert ([2, 5, 8] in [card.values for card in told]) is is_thorough


def test_a_new_card_that_is_seen_too_much_from_the_side_is_left_open(monkeypatch):
    taught = TaughtNumerals(learnt(printing()))
    picture = table(printing())
    new, *known = read_comet(picture.bgr, taught).cards
    unchanged = Unchanged(known, everywhere=known)
    assert [card.values for card in read_unknown(picture.bgr, taught, new.side * 3**0.5, unchanged).cards] == [
        new.values
    ]
    monkeypatch.setattr(recognizer, "is_too_steep", lambda *seen: True)
    (told,) = read_unknown(picture.bgr, taught, new.side * 3**0.5, unchanged).cards
    assert told.values == [None] * 3


def test_an_outline_on_which_the_labels_are_not_seen_is_moved_part_by_part_to_where_they_are():
    """Under a lamp's veil a dark card's corner was taken for a quarter of its width away: its labels contradicted."""
    picture = cv2.imread(str(SCENES / "veiled-comet-cards.jpg"))
    faces = [[9, 4, 12], [10, 2, 14], [2, 8, 11], [7, 5, 6], [3, 13, 7]]
    profile = learn_comet("comet", [("veiled", picture)], [{"cards": [{"values": values} for values in faces]}])
    read = {tuple(card.values) for card in read_comet(picture, TaughtNumerals(profile)).cards}
    assert read == {tuple(sorted(values)) for values in faces}


def test_outlines_that_all_reach_to_the_next_card_are_moved_in_to_the_cards_own_edges():
    """A row's outlines took in the gaps, all alike: numbers were taught where none stand, and a table was not read."""
    faces = [[5, 10, 4], [12, 6, 9], [7, 4, 3], [14, 13, 11], [14, 8, 2], None]
    picture = cv2.imread(str(SCENES / "green-comet-cards.jpg"))
    profile = learn_comet("comet", [("green", picture)], [{"cards": [{"values": values} for values in faces]}])
    assert profile.half_width == pytest.approx(63 / 88, abs=1e-3)
    assert profile.places.at[:, 0] == pytest.approx(0.5, abs=0.06)  # in a column at the right


def test_pale_cards_on_a_grainy_cloth_as_light_are_found_by_their_even_ground():
    """Of their edges too little shows: without corners the lesson was refused."""
    faces = [[7, 4, 11], [13, 12, 2], [8, 3, 10], [6, 5, 9], [2, 9, 14]]
    picture = cv2.imread(str(SCENES / "pale-comet-cards.jpg"))
    profile = learn_comet("comet", [("pale", picture)], [{"cards": [{"values": values} for values in faces]}])
    read = {tuple(card.values) for card in read_comet(picture, TaughtNumerals(profile)).cards}
    assert {tuple(sorted(values)) for values in faces} <= read


@pytest.mark.parametrize(
    ("step", "alike", "found", "is_sure"),
    [
        (30, 0.71, 0.0, False),  # two numbers of one card and one of the next, read as a third card's
        (30, 0.5, 0.0, True),  # the other looks less like a face
        (60, 0.71, 0.0, True),  # the other has but one of its numbers
        (30, 0.71, 0.9, True),  # its edges show
    ],
)
def test_numbers_in_a_column_that_may_be_parted_otherwise_are_doubted(step, alike, found, is_sure):
    """Of cards fanned by a number's height, 9 6 and 10 8 seen of two, 6 10 8 was told as one."""
    numerals = np.array([[[60.0, 20, 6], [60, 50, 6], [60, 80, 6]]])
    quad = np.array([[0.0, 0], [120, 0], [120, 100], [0, 100]])
    seen = np.full((3, 15), 0.001)
    seen[range(3), [NUMBERS.index(value) for value in (6, 10, 8)]] = 0.99
    across = Hypothesis(quad, found, seen, 1.0, 0.65, numerals=numerals)
    moved = np.array([0.0, -step])
    other = Hypothesis(quad + moved, 0.0, seen[[1, 0, 2]], 0.9, alike, numerals=numerals + np.array([*moved, 0.0]))
    told = present([replace(across, found=max(found, 0.01)), other], [across])
    (mine,) = [one for one in told if one.corners is quad] or told
    assert bool(mine.sections.max() > LIMITS.stated_taught) is is_sure


def test_ink_that_reads_as_other_numbers_upside_down_is_doubted():
    """Of three sixes at the picture's rim an outline that lay askew across another card made nines."""
    numerals = np.array([[[30.0, 20, 6], [60, 20, 6], [90, 20, 6]]])
    quad = np.array([[0.0, 0], [120, 0], [120, 80], [0, 80]])
    six, nine = np.full((3, 15), 0.001), np.full((3, 15), 0.001)
    six[:, NUMBERS.index(6)] = nine[:, NUMBERS.index(9)] = 0.99
    nines = Hypothesis(quad, 0.9, nine, 1.0, 0.9, numerals=numerals)
    turned = np.roll(quad, 2, 0) - np.array([0.0, 4.0])
    sixes = Hypothesis(turned, 0.0, six, 1.0, 0.6, numerals=numerals[:, ::-1] + np.array([8.0, 4.0, 0.0]))
    (told,) = present([nines, sixes], [nines])
    assert told.sections.max() < LIMITS.sure_taught
    (told,) = present([nines, replace(sixes, numerals=sixes.numerals + np.array([40.0, 0.0, 0.0]))], [nines])
    assert told.sections.max() > LIMITS.sure_taught


@pytest.mark.parametrize(("alike", "own_at", "is_sure"), [(0.6, -20.0, True), (0.85, -20.0, False), (0.6, 20.0, False)])
def test_an_outline_upside_down_across_a_read_card_says_nothing(alike, own_at, is_sure):
    """A card of nines and a six beside another was doubted: half on it, an outline the other way up read them too."""
    quad = np.array([[0.0, 0], [120, 0], [120, 80], [0, 80]])
    numerals = np.array([[[30.0, 20, 6], [60, 20, 6], [90, 20, 6]]])
    nine, six, five = (np.eye(15)[[NUMBERS.index(number)] * 3] * 0.99 for number in (9, 6, 5))
    nines = Hypothesis(quad, 0.9, nine, 1.0, 0.9, numerals=numerals)
    across = np.roll(quad, 2, 0) - np.array([0.0, 40.0])
    sixes = Hypothesis(across, 0.0, six, 1.0, alike, numerals=numerals[:, ::-1])
    away = np.array([5.0, own_at - 20.0, 0.0])
    beside = Hypothesis(quad - [0.0, 82.0], 0.9, five, 1.0, 0.9, numerals=numerals + away)
    told = {round(float(card.corners[0, 1])): card.sections.max() for card in present([nines, sixes, beside], [nines])}
    assert (told[0] > LIMITS.sure_taught) == is_sure


def of_table(corners, values):
    """A card as it is told, None for a number that surely is hidden."""
    sections = np.full((3, len(NUMBERS) + 2), 0.001)
    sections[np.arange(3), [-1 if value is None else NUMBERS.index(value) for value in values]] = 0.99
    edges = tuple(None if value is None else str(value) for value in values)
    return DetectedCometCard((0, 0), edges, np.asarray(corners, np.float32), 0.8, 0.8, sections, 0)


@pytest.mark.parametrize("has_whole", [True, False])
def test_cards_that_others_cover_do_not_speak_against_a_table_for_want_of_edges(monkeypatch, has_whole):
    """Of three fans one card was whole; the others found by two numbers each made it "no cards of this game"."""
    taught, picture = TaughtNumerals(learnt(printing())), table(printing())
    whole = of_table(picture.truth["cards"][0]["corners"], picture.truth["cards"][0]["printed"])
    size = np.ptp(whole.corners, axis=0)
    away = [np.array([4.0 + size[0] * k, 4.0]) - whole.corners.min(0) for k in range(3)]  # on the bare table
    covered = [of_table(whole.corners * 0.5 + 0.5 * whole.corners.min(0) + to, (2, 6, None)) for to in away]
    cards = (*([whole] if has_whole else []), *covered)
    warnings = tuple(ReadingWarning("unsure", "a number of a card cannot be read", card.centre) for card in covered)
    reading = CometReading(cards, (), warnings, taught)
    monkeypatch.setattr(recognizer, "read_taught", lambda *_: reading)
    told = read_comet(picture.bgr, taught)
    assert len(told.cards) == (4 if has_whole else 0)
    assert [warning.at for warning in told.warnings if warning.code == "unsure"] == (
        [card.centre for card in covered] if has_whole else []
    )


@pytest.mark.parametrize(("backs", "presence", "count"), [(2, 0.95, 3), (1, 0.95, 0), (2, 0.8, 0)])
def test_one_card_read_whole_beside_two_that_surely_lie_face_down_says_that_the_deck_lies_here(
    monkeypatch, backs, presence, count
):
    """Of three faces that touch, seen from the side, one was read, askew, and nothing was told of four backs either."""
    taught = TaughtNumerals(learnt(printing()))
    bare = np.full((480, 640, 3), (60, 90, 120), np.uint8)
    corners = np.array([[0, 0], [60, 0], [60, 84], [0, 84]])
    whole = of_table(corners + 50, (2, 7, 9))
    down = [
        replace(of_table(corners + np.array([150 + 100 * k, 50]), (2, 7, 9)), edges=(BACK,) * 3, presence=presence)
        for k in range(backs)
    ]
    reading = CometReading((whole, *down), (), (), taught)
    monkeypatch.setattr(recognizer, "read_taught", lambda *_: reading)
    assert len(read_comet(bare, taught).cards) == count


def test_a_card_face_down_alone_in_a_piece_is_told_where_the_printing_is_known_to_lie():
    look = printing()
    profile = learnt(look, (*FACES[:4], (11, 13, 14), None))
    taught = TaughtNumerals(replace(profile, back=np.zeros((0, 0), np.float32)))
    faces = [(2, 3, 4), (5, 6, 7), (8, 11, 13), None]
    cards = [LaidComet(v, np.array([100.0 * k, 0.0]), 4.0 * k, look.size) for k, v in enumerate(faces)]
    picture = comet_photograph(np.random.default_rng(8), printing=look, cards=cards, hardness=0.0, across_px=130)
    whole = read_comet(picture.bgr, taught).cards
    known, (back,) = ([card for card in whole if (BACK in card.edges) == is_back] for is_back in (False, True))
    left, top = np.maximum(back.corners.min(0).astype(int) - 25, 0).tolist()
    right, bottom = (back.corners.max(0).astype(int) + 25).tolist()
    piece = np.ascontiguousarray(picture.bgr[top:bottom, left:right])
    for everywhere, told in ((known, [(BACK,) * 3]), ([], [])):
        unchanged = Unchanged(everywhere=everywhere, at=(left, top))
        seen = read_unknown(piece, taught, back.side * 3**0.5, unchanged).cards
        assert [card.edges for card in seen if card.edges != (None,) * 3] == told


def test_a_back_that_was_taught_badly_is_told_as_one_of_many_that_a_network_knows():
    look = printing()
    profile = learnt(look, (*FACES[:4], (11, 13, 14), None))
    noise = np.random.default_rng(1).normal(128, 40, profile.back.shape).astype(np.float32)
    cards = [
        LaidComet(None, np.array([0.0, 0.0]), 20.0, look.size),
        LaidComet((4, 5, 8), np.array([90.0, 0]), 0.0, look.size),
    ]
    picture = comet_photograph(np.random.default_rng(8), printing=look, cards=cards, hardness=0.0, across_px=170)
    reading = read_comet(picture.bgr, TaughtNumerals(replace(profile, back=noise)))
    assert sorted(set(card.edges) == {BACK} for card in reading.cards) == [False, True]


@pytest.mark.parametrize(
    ("number", "alike", "other_colour", "is_back"),
    [(0.1, 0.4, True, True), (0.95, 0.1, True, False), (0.1, 0.1, False, True), (0.1, 0.4, False, False)],
)
def test_what_the_network_takes_for_a_back_is_none_where_a_number_or_the_face_is_seen(
    number, alike, other_colour, is_back
):
    square = np.array([[0, 0], [10, 0], [10, 14], [0, 14]])
    sections = np.zeros((3, 15))
    sections[1, 4] = number
    one = Hypothesis(square, 0.9, sections, 0.02, alike, maybe_back=0.99, is_other_colour=other_colour)
    assert one.is_back == is_back


@pytest.mark.parametrize("has_line", [False, True])
def test_a_card_of_sixes_and_nines_alone_is_told_only_where_a_line_under_them_says_which_way_up_it_lies(has_line):
    look = replace(printing(tuple(replace(place, at_mm=(place.at_mm[0], 0.0)) for place in IN_A_ROW)), figures=())
    look = look if has_line else replace(look, line=None)
    laid = [((9, 9, 6), 0.0, 0.0), ((6, 6, 8), 80.0, 180.0), ((2, 5, 7), 160.0, 0.0)]
    cards = [LaidComet(values, np.array([x, 0.0]), turn_deg, look.size) for values, x, turn_deg in laid]
    rng = np.random.default_rng(5)
    picture = comet_photograph(rng, printing=look, cards=cards, hardness=0.0, across_px=120, yaw_deg=0.0)
    taught = TaughtNumerals(learnt(look))
    assert (taught.profile.standing > LIMITS.marked_standing) == has_line
    told = [card.values for card in sorted(read_comet(picture.bgr, taught).cards, key=lambda card: card.centre[0])]
    assert told[0] == ([6, 9, 9] if has_line else [None, None, None]) and told[2] == [2, 5, 7]
    assert told[1] in ([6, 6, 8], [None, None, None])


@pytest.mark.parametrize("cut", [(0, 0), (20, 30)])
def test_a_card_of_sixes_alone_is_open_where_it_is_outlined_beside_its_edges(cut):
    """Beside one of its colour its edge does not show: it was told as three nines, or not at all."""
    lesson, table = (cv2.imread(str(SCENES / f"pink-comet-{name}.jpg")) for name in ("lesson", "table"))
    faces = [[8, 7, 14], [6, 8, 7], [10, 9, 4], [5, 12, 2], [13, 11, 3], None]
    taught = TaughtNumerals(learn_comet("comet", [("pink", lesson)], [{"cards": [{"values": own} for own in faces]}]))
    told = read_comet(np.ascontiguousarray(table[cut[1] :, cut[0] :]), taught).cards
    (beside,) = [card for card in told if math.dist(card.centre + np.array(cut), (75, 245)) < 12]
    assert beside.edges == (None, None, None)
    assert ["2", "6", "8"] in [sorted(map(str, card.edges)) for card in told]


def test_a_card_of_numbers_printed_both_ways_up_says_the_same_upside_down():
    look = replace(printing(IN_CORNERS), line=None, figures=())
    laid = [((9, 9, 6), 0.0, 180.0), ((6, 9, 8), 90.0, 0.0), ((2, 5, 7), 180.0, 0.0)]
    cards = [LaidComet(values, np.array([x, 0.0]), turn_deg, look.size) for values, x, turn_deg in laid]
    rng = np.random.default_rng(5)
    picture = comet_photograph(rng, printing=look, cards=cards, hardness=0.0, across_px=150, yaw_deg=0.0)
    reading = read_comet(picture.bgr, TaughtNumerals(learnt(look)))
    told = [card.values for card in sorted(reading.cards, key=lambda card: card.centre[0])]
    assert told == [[6, 9, 9], [6, 8, 9], [2, 5, 7]]


@pytest.mark.parametrize(
    ("legible", "alike", "like_back", "maybe_back", "other_colour", "is_back"),
    [
        (0.7, 0.1, 0.4, 0.999, False, True),
        (0.7, 0.1, 0.9, 0.99, False, False),
        (0.7, 0.4, 0.9, 0.999, False, False),
        (0.9, 0.1, 0.9, 0.999, False, False),
        (0.5, 0.1, 0.4, 0.99, True, True),
        (0.5, 0.1, 0.4, 0.99, False, False),
    ],
)
def test_a_pattern_that_reads_as_numbers_is_a_back_where_all_else_says_so(
    legible, alike, like_back, maybe_back, other_colour, is_back
):
    square = np.array([[0, 0], [10, 0], [10, 14], [0, 14]])
    sections = np.zeros((3, 15))
    one = Hypothesis(square, 0.9, sections, legible, alike, legible, like_back, maybe_back, other_colour)
    assert one.is_back == is_back


def test_what_looks_as_a_taught_back_where_no_face_is_read_must_be_found_surely():
    square = np.array([[0, 0], [10, 0], [10, 14], [0, 14]])
    face = Hypothesis(square + 40, 1.0, np.zeros((3, 15)), 1.0, 0.9)
    for found, is_alone_told in ((0.4, False), (0.7, True)):
        back = Hypothesis(square, found, np.zeros((3, 15)), 0.01, 0.0, like_back=0.95)
        assert back.is_back and is_card(back, [face])
        assert is_card(back, []) == is_alone_told


@pytest.mark.parametrize(
    ("legible", "other_colour", "is_back"),
    [(0.02, False, True), (0.2, False, False), (0.2, True, True), (0.7, True, False)],
)
def test_what_looks_like_a_back_is_one_where_no_number_may_be_read_or_its_colour_is_no_faces(
    legible, other_colour, is_back
):
    square = np.array([[0, 0], [10, 0], [10, 14], [0, 14]])
    one = Hypothesis(square, 0.9, np.zeros((3, 15)), legible, 0.4, legible, 0.9, is_other_colour=other_colour)
    assert one.is_back == is_back


@pytest.mark.parametrize(
    ("faces", "code"),
    [
        ((*FACES[:4], (11, 13, 12)), "labels-contradict"),  # the Ace is called 12
        (((8, 2, 11), *FACES[1:]), "labels-contradict"),  # two of its numbers are swapped
    ],
)
def test_labels_that_contradict_what_is_seen_are_refused(faces, code):
    picture = taught_picture(printing())
    with pytest.raises(UsageError) as refused:
        learn_comet("comet", [("taught", picture.bgr)], labels_of(faces, picture))
    assert refused.value.code == code


def test_a_number_that_is_not_shown_is_named():
    faces = (*FACES[:4], (11, 13, 12))
    picture = taught_picture(printing(), faces)
    with pytest.raises(UsageError, match="no A:") as refused:
        learn_comet("comet", [("taught", picture.bgr)], labels_of(faces, picture))
    assert refused.value.code == "classes-missing"


def test_corners_where_no_card_lies_are_refused():
    picture = taught_picture(printing())
    labels = labels_of(FACES, picture)
    labels[0]["cards"][2]["corners"] = [[20, 20], [120, 20], [120, 160], [20, 160]]
    with pytest.raises(UsageError) as refused:
        learn_comet("comet", [("taught", picture.bgr)], labels)
    assert refused.value.code == "no-card"


def test_a_blurred_photograph_is_refused():
    picture = taught_picture(printing())
    small = picture.bgr[::9, ::9].repeat(9, axis=0).repeat(9, axis=1)
    with pytest.raises(UsageError):
        learn_comet(
            "comet", [("taught", small[: picture.bgr.shape[0], : picture.bgr.shape[1]])], labels_of(FACES, picture)
        )


@pytest.mark.parametrize(
    ("values", "code"), [([2, 3], "labels-differ"), ([1, 2, 3], "unknown-name"), ("2 3 4", "labels-differ")]
)
def test_labels_that_are_no_card_are_refused(values, code):
    with pytest.raises(UsageError) as refused:
        TEACHING.check_card("comet", {"values": values})
    assert refused.value.code == code


def test_a_number_of_a_sample_can_be_called_otherwise_or_left_out():
    sample = learnt(printing()).samples[0]
    assert [cutout.name for cutout in TEACHING.cutouts(sample)] == ["2", "8", "11"]
    assert TEACHING.relabelled(sample.label, 1, "A")["values"] == [2, 14, 11]
    left_out = TEACHING.relabelled(sample.label, 1, None)
    assert left_out["values"] == [2, None, 11]
    assert TEACHING.relabelled({**left_out, "values": [2, None, None]}, 0, None) is None
