"""Reading Comet photographs: right on calm pictures, open where the way up cannot be told, never wrong as a fact."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.errors import UsageError
from companion.games import GAMES
from companion.games.comet.vision import classifier
from companion.games.comet.vision import recognizer as comet_reading
from companion.games.comet.vision.recognizer import read_comet, read_unknown
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.calibration.calibration import Calibration
from companion.vision.calibration.drift import zoned
from companion.vision.detection.detector import Detection, HeatmapDetector
from companion.vision.image.codec import load_picture
from companion.vision.networks import network
from companion.vision.tracking.regions import Unchanged
from models.drawing.comet.layouts import LaidComet
from models.drawing.comet.photograph import comet_photograph
from models.drawing.comet.printings import reference

PICTURES = Path(__file__).resolve().parents[3] / "scenes"
SCENES = Path(__file__).resolve().parents[5] / "shared" / "scenes" / "comet"


def lying(values, x=0.0, y=0.0, turn=0.0):
    return LaidComet(values, np.array([x, y]), turn, (63.0, 88.0))


def calm(cards, kind="mono", seed=1, **more):
    return comet_photograph(
        np.random.default_rng(seed), printing=reference(kind), cards=cards, hardness=0.0, across_px=90, **more
    )


def key(values):
    return None if values is None else tuple(values)


def read(picture):
    return Counter(key(card.values) for card in read_comet(picture.bgr).cards)


def wanted(picture):
    return Counter(key(entry["values"]) for entry in picture.truth["cards"])


def test_a_card_read_whole_among_others_may_have_a_side_that_hardly_shows() -> None:
    picture = cv2.imread(str(PICTURES / "comet-beside-a-line.jpg"))
    assert ("3", "7", "7") in {card.edges for card in read_comet(np.asarray(picture)).cards}


def test_a_picture_without_cards_warns_that_nothing_was_found():
    reading = read_comet(np.full((480, 640, 3), 90, np.uint8))
    assert reading.cards == () and [w.code for w in reading.warnings] == ["nothing-found"]


@pytest.mark.parametrize(("middle", "told"), [(8, None), (5, [5, None, None])])
def test_an_eight_beside_numbers_that_cannot_be_read_is_not_stated_for_it_may_be_two_rings(middle, told):
    picture = calm([lying((3, middle, 12)), lying((2, 5, 7), 120.0)])
    for k in (0, 2):
        mark = np.array(picture.truth["cards"][0]["marks"][k])
        blank = np.round(mark.mean(0) + 1.4 * (mark - mark.mean(0))).astype(np.int32)
        cv2.fillConvexPoly(picture.bgr, blank, picture.bgr[blank[0, 1], blank[0, 0]].tolist())
    numbers = [card.values for card in read_comet(picture.bgr).cards]
    expected = [None] * 3 if told is None else told
    assert sorted(map(str, numbers)) == sorted(map(str, [expected, [2, 5, 7]]))


@pytest.mark.parametrize("kind", ["mono", "keyed"])
@pytest.mark.parametrize("turn", [0, 65, 130, 180, 290])
def test_every_number_is_read_whichever_way_the_cards_lie(kind, turn):
    faces = [(2, 3, 4), (5, 6, 7), (8, 9, 10), (11, 12, 13), (14, 10, 12), None]
    cards = [lying(v, 112.0 * (k % 3), 112.0 * (k // 3), turn + 3.0 * k) for k, v in enumerate(faces)]
    picture = calm(cards, kind, seed=turn)
    assert read(picture) == wanted(picture)


@pytest.mark.parametrize("turn", [0, 130])
def test_beside_known_cards_only_the_new_one_is_read_as_in_the_whole_picture(turn):
    faces = [(2, 3, 4), (5, 6, 7), None, (8, 11, 13), (14, 10, 12)]
    picture = calm([lying(v, 112.0 * (k % 3), 112.0 * (k // 3), turn + 3.0 * k) for k, v in enumerate(faces)])
    whole = read_comet(picture.bgr).cards
    assert len(whole) == len(faces)
    for new in whole:
        known = [card for card in whole if card is not new]
        unchanged = Unchanged(known, everywhere=known)
        (told,) = read_unknown(picture.bgr, None, new.side * 3**0.5, unchanged).cards
        assert (told.values, np.abs(told.corners - new.corners).max() < 3) == (new.values, True)


@pytest.mark.parametrize("turn", [0, 180])
def test_a_card_the_way_up_that_known_ones_lie_is_looked_at_once(turn, monkeypatch):
    faces = [(2, 3, 4), (5, 6, 7), (8, 11, 13)]
    picture = calm([lying(v, 112.0 * k, 0, turn + 3.0 * k) for k, v in enumerate(faces)])
    new, *known = read_comet(picture.bgr).cards
    looks = []

    class Counted:
        def forward(self, batch):
            looks.append(len(batch))
            return network("comet/numeral_classifier/weights.onnx").forward(batch)

    monkeypatch.setattr(classifier, "network", lambda name: Counted())
    (told,) = read_unknown(picture.bgr, None, new.side * 3**0.5, Unchanged(known, everywhere=known)).cards
    assert (told.values, len(looks)) == (new.values, 1)


def test_a_card_slid_under_a_known_one_is_read_though_only_a_strip_of_it_is_new():
    picture = calm([lying((4, 7, 10), 0), lying((3, 11, 13), 40)])
    (above,) = (card for card in read_comet(picture.bgr).cards if card.values == [3, 11, 13])
    unchanged = Unchanged([above], everywhere=[above], is_at=lambda outline: True)
    (below,) = read_unknown(picture.bgr, None, above.side * 3**0.5, unchanged).cards
    assert below.values == [4, 7, 10]


def test_fanned_cards_are_each_read():
    picture = calm([lying((4, 7, 10), 0), lying((3, 11, 13), 43, 2, 3), lying((2, 5, 14), 86, 5, 6)])
    assert read(picture) == wanted(picture)


def test_a_card_upside_down_beside_one_upright_is_read():
    picture = calm([lying((2, 6, 10), 0), lying((9, 4, 13), 66, 0, 180)])
    assert read(picture) == wanted(picture)


def test_a_card_whose_way_up_cannot_be_told_is_left_open():
    look = replace(reference("mono"), line=None, comet=0.0)  # a 6 of these numerals, turned about, is its 9
    cards = [lying((6, 6, 9)), lying((9, 9, 9), 80.0)]
    rng = np.random.default_rng(2)
    picture = comet_photograph(rng, printing=look, cards=cards, hardness=0.0, across_px=110)
    reading = read_comet(picture.bgr)
    assert [card.values for card in reading.cards] == [[None] * 3] * 2
    assert [w.code for w in reading.warnings] == ["unsure", "unsure"]


def test_corners_begin_at_the_top_left_as_the_card_is_read():
    picture = calm([lying((2, 5, 13), turn=170.0), lying((3, 4, 10), 90.0, 0.0, 20.0)])
    told = {key(card["values"]): np.array(card["corners"]) for card in read_comet(picture.bgr).as_json()["cards"]}
    for entry in picture.truth["cards"]:
        assert np.abs(told[key(entry["values"])] - entry["corners"]).max() < 6


def found_so_surely(monkeypatch, picture, outlines, *confidences):
    """The finder's answer is these outlines (N, 4, 2); what is read on the picture with it."""
    answer = tuple(Detection(np.array(o, np.float32), sure) for o, sure in zip(outlines, confidences, strict=True))
    monkeypatch.setattr(HeatmapDetector, "detect", lambda *_: answer)
    return read(picture)


def test_an_outline_that_lies_askew_over_two_cards_is_no_third(monkeypatch):
    picture = calm([lying((4, 7, 10)), lying((3, 11, 13), 64.0)])
    there = [np.array(entry["corners"]) for entry in picture.truth["cards"]]
    askew = there[0] + (there[1] - there[0]).mean(0) * 0.4
    assert found_so_surely(monkeypatch, picture, [*there, askew], 0.9, 0.9, 0.85) == wanted(picture)


def test_two_burnt_cards_without_an_edge_between_them_are_two_of_which_nothing_is_told(monkeypatch):
    picture = calm([lying((4, 7, 10)), lying((3, 11, 13), 63.0), lying((2, 5, 14), 150.0)])
    *pair, third = [np.array(entry["corners"]) for entry in picture.truth["cards"]]
    both = cv2.boxPoints(cv2.minAreaRect(np.concatenate(pair).astype(np.float32)))
    cv2.fillPoly(picture.bgr, [np.round(both).astype(np.int32)], (255, 255, 255))
    begins = int(np.linalg.norm(both[1] - both[0]) > np.linalg.norm(both[2] - both[1]))
    told = found_so_surely(monkeypatch, picture, [np.roll(both, -begins, 0), third], 0.5, 0.9)
    assert told == {(None, None, None): 2, (2, 5, 14): 1}


def test_a_thing_much_larger_than_the_cards_beside_it_is_none(monkeypatch):
    picture = calm([lying((4, 7, 10)), lying(None, 80.0), lying((2, 5, 14), 160.0)])
    left, back, right = [np.array(entry["corners"]) for entry in picture.truth["cards"]]
    large = (back - back.mean(0)) * 1.45 + back.mean(0)
    assert found_so_surely(monkeypatch, picture, [left, right, back], 0.9, 0.9, 0.8)[None] == 1
    monkeypatch.setattr(comet_reading, "LIMITS", replace(LIMITS, refinements=0))
    assert None not in found_so_surely(monkeypatch, picture, [left, right, large], 0.9, 0.9, 0.8)


def test_a_number_on_an_outline_hardly_found_is_told_where_it_is_as_large_as_the_cards_beside_it(monkeypatch):
    picture = calm([lying((4, 7, 10)), lying((3, 11, 13), 80.0)])
    there = [np.array(entry["corners"]) for entry in picture.truth["cards"]]
    x, y = there[1].mean(0)
    cv2.circle(picture.bgr, (round(x), round(y)), 30, (40, 60, 50), -1)
    told = found_so_surely(monkeypatch, picture, there, 0.9, 0.3)
    assert told[(4, 7, 10)] == 1 and sum(told.values()) == 2
    assert found_so_surely(monkeypatch, picture, there[1:], 0.3) == {}


def test_the_input_is_not_written_to():
    picture = calm([lying((2, 5, 13))], size=(640, 480)).bgr
    before = picture.copy()
    picture.flags.writeable = False
    read_comet(picture)
    assert (picture == before).all()


def test_a_reading_is_plain_json_with_no_zone_of_its_own():
    told = json.loads(json.dumps(read_comet(calm([lying((2, 5, 13)), lying(None, 90.0)]).bgr).as_json()))
    assert set(told) == {"cards", "warnings"} and len(told["cards"]) == 2
    assert all(
        set(card) == {"values", "corners", "zone", "confidence"} and card["zone"] is None for card in told["cards"]
    )


def test_a_file_that_is_no_profile_is_refused(tmp_path):
    (tmp_path / "p.json").write_text("{}")
    with pytest.raises(UsageError, match="is no profile"):
        GAMES["comet"].recognizer().classifier(None, tmp_path / "p.json")


@pytest.mark.skipif(not SCENES.is_dir(), reason="the sample photographs lie in ../shared, which is not here")
@pytest.mark.parametrize("number", [0, 1, 6, 7, 8])
def test_sample_photographs_are_read_card_by_card(number):
    truth = [json.loads(line) for line in (SCENES / "truth.jsonl").read_text().splitlines()]
    record = next(one for one in truth if one["image"] == f"comet-pub-{number:02}.jpg")
    picture = load_picture(SCENES / record["image"])
    assert picture is not None
    told = Counter(key(card.values) for card in read_comet(picture).cards if any(card.values or ()))
    assert told == Counter(key(card["values"]) for card in record["cards"] if card["values"] is not None)


def test_a_card_gets_the_name_of_the_pot_in_which_its_middle_lies():
    picture = calm([lying((2, 5, 13)), lying((3, 4, 10), 160.0)])
    there = {key(entry["values"]): np.array(entry["corners"]) for entry in picture.truth["cards"]}
    pot = (there[2, 5, 13] - there[2, 5, 13].mean(0)) * 0.6 + there[2, 5, 13].mean(0)
    calibration = Calibration("home", "test", (1280, 720), np.eye(3), zones={"Vain": pot})
    told = zoned(read_comet(picture.bgr).as_json(), calibration.zone_of)
    assert {key(card["values"]): card["zone"] for card in told["cards"]} == {(2, 5, 13): "Vain", (3, 4, 10): None}
