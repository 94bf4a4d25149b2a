"""A Comet table followed: each card told once when it lies, turned over or taken away; hands are no news."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.games import GAMES
from companion.vision.tracking import identity
from companion.vision.tracking.tracks import SettleTimes
from models.drawing.comet.cards import raster_back, raster_face
from models.drawing.comet.printings import reference

SIZE = (720, 480)
LOOK = reference("keyed")
RNG = np.random.default_rng(4)
GROUND = cv2.resize(RNG.uniform(60, 95, (120, 180, 3)).astype(np.float32), SIZE, interpolation=cv2.INTER_CUBIC)
NOISE = [RNG.normal(0, 1.5, (SIZE[1], SIZE[0], 3)) for _ in range(3)]
SEVENS, ACES, MIXED = ((7, 2, 9), 150, 150, 4), ((14, 14, 3), 232, 152, 5), ((10, 6, 12), 540, 330, 95)
BACK = (None, 400, 150, 0)


def scene(frames, *cards, hand=None):
    """So many pictures of cards (values, x, y, turn), with a hand reaching in from below to a point."""
    picture = GROUND.copy()
    for values, x, y, turn in cards:
        card = raster_back(LOOK, 1.2) if values is None else raster_face(values, LOOK, 1.2)
        h, w = card.shape[:2]
        place = cv2.getRotationMatrix2D((w / 2, h / 2), -turn, 1.0) + np.array([[0, 0, x - w / 2], [0, 0, y - h / 2]])
        laid = cv2.warpAffine(card, place, SIZE)
        alpha = laid[:, :, 3:].astype(np.float32) / 255
        picture = picture * (1 - alpha) + laid[:, :, :3] * alpha
    if hand is not None:
        cv2.line(picture, hand, (hand[0] + 60, SIZE[1] + 40), (120, 150, 210), 70, cv2.LINE_AA)
    return [np.clip(picture + NOISE[k % len(NOISE)], 0, 255).astype(np.uint8) for k in range(frames)]


def watched(*scenes):
    """What is told of scenes, one after the other."""
    reader = GAMES["comet"].recognizer()
    tracker = reader.tracker(reader.classifier(None, None), SettleTimes())
    return [told for pictures in scenes for picture in pictures for told in tracker.step(picture)]


def watched_laid_and_taken(below, upper):
    """What is told where a hand lays a card on a table of others, and later takes it away again."""
    at_work = (upper[1] + 20, upper[2] + 60)
    return watched(
        scene(8, *below),
        scene(6, *below, upper, hand=at_work),
        scene(16, *below, upper),
        scene(6, *below, upper, hand=at_work),
        scene(14, *below),
    )


def shown(told):
    return [(one["event"], one["values"]) for one in told if "values" in one]


def test_the_table_as_first_settled_is_one_line():
    told = watched(scene(8, SEVENS, ACES, BACK))
    assert [one["event"] for one in told] == ["table"]
    values = [card["values"] for card in told[0]["cards"]]
    assert sorted(v for v in values if v is not None) == [[2, 7, 9], [3, 14, 14]] and None in values


def test_a_card_laid_by_a_hand_is_told_once_when_the_hand_is_gone():
    told = watched(
        scene(8, SEVENS, ACES),
        scene(6, SEVENS, ACES, MIXED, hand=(530, 360)),
        scene(20, SEVENS, ACES, MIXED),
    )
    assert shown(told) == [("placed", [6, 10, 12])]


def test_a_card_that_is_read_again_the_other_way_up_where_it_lies_is_no_news():
    """It was told as moved and placed besides, or as placed beside itself: its twin seemed to lie elsewhere."""
    reader = GAMES["comet"].recognizer()
    tracker = reader.tracker(reader.classifier(None, None), SettleTimes())
    for picture in scene(8, SEVENS, ACES):
        tracker.step(picture)
    (track,) = (one for one in tracker.tracks if one.piece.centre[0] < 200)
    track.piece = replace(track.piece, corners=np.roll(track.piece.corners, 2, axis=0))
    told = []
    for picture in scene(30, SEVENS, ACES):
        picture[:, :150] = picture[:, :150] * 0.6
        told += tracker.step(picture)
    assert shown(told) == []


def test_a_card_taken_away_is_told_once():
    told = watched(scene(8, SEVENS, ACES, MIXED), scene(30, SEVENS, ACES))
    assert shown(told) == [("removed", [6, 10, 12])]


@pytest.mark.parametrize(("right", "down"), [(0, 50), (35, -35), (-40, 5)])
def test_a_card_taken_from_another_on_whose_numbers_it_lay_is_told(right, down):
    """While the lower one could not be read, nothing on it counted as known: the upper one's removal was no change.

    What of the lower one's numbers still shows may be read as others.
    """
    upper, at_work = (None, 150 + right, 150 + down, 4), (170 + right, 200)
    told = watched(
        scene(8, SEVENS, MIXED),
        scene(6, SEVENS, MIXED, upper, hand=at_work),
        scene(20, SEVENS, MIXED, upper),
        scene(6, SEVENS, MIXED, upper, hand=at_work),
        scene(12, SEVENS, MIXED),
    )
    assert shown(told) == [("placed", None), ("removed", None)]


@pytest.mark.parametrize(
    ("upper", "values"),
    [
        ((None, 175, 170, 30), None),
        (((10, 6, 12), 170, 160, 10), [6, 10, 12]),
        (((10, 6, 12), 425, 170, 30), [6, 10, 12]),
        (((10, 6, 12), 155, 155, 90), [6, 10, 12]),
        ((None, 425, 165, 25), None),
    ],
)
def test_a_card_laid_on_another_beside_which_that_shows_takes_it_not_away(upper, values):
    assert shown(watched_laid_and_taken((SEVENS, BACK), upper)) == [("placed", values), ("removed", values)]


def test_backs_laid_on_each_other_and_taken_away_are_told_one_by_one():
    first, second = (None, 420, 165, 15), (None, 390, 140, -20)
    pile = [(SEVENS, BACK), (SEVENS, BACK, first), (SEVENS, BACK, first, second), (SEVENS, BACK, first)]
    steps = [scene(8, SEVENS, BACK)]
    for cards in (*pile[1:], pile[0]):
        steps += [scene(6, *cards, hand=(400, 200)), scene(14, *cards)]
    assert shown(watched(*steps)) == [("placed", None), ("placed", None), ("removed", None), ("removed", None)]


def test_a_back_that_is_seen_a_little_beside_a_known_one_is_that_one(monkeypatch):
    """Backs in a row were outlined askew at first; under a shadow one was seen better, and told as laid on itself."""
    monkeypatch.setattr(identity, "shows_below", lambda *args: True)
    reader = GAMES["comet"].recognizer()
    tracker = reader.tracker(reader.classifier(None, None), SettleTimes())
    for picture in scene(8, SEVENS, BACK):
        tracker.step(picture)
    face, back = sorted(tracker.tracks, key=lambda track: track.piece.centre[0])
    aside = [replace(back.piece, corners=back.piece.corners + np.float32([off, 0])) for off in (14, 30)]
    assert [tracker._lies_on(card, back) for card in aside] == [False, True]
    assert tracker._lies_on(replace(back.piece, corners=face.piece.corners + np.float32([14, 0])), face)


@pytest.mark.parametrize("upper", [(None, 190, 150, 5), (None, 185, 158, -4), ((10, 6, 12), 185, 158, -4)])
def test_a_card_taken_from_two_that_it_covered_is_told(upper):
    """Both can be read again at once: nothing shows in the upper one's place that is not theirs."""
    values = None if upper[0] is None else sorted(upper[0])
    told = watched_laid_and_taken((SEVENS, ACES, (None, 540, 330, 95)), upper)
    assert shown(told) == [("placed", values), ("removed", values)]


def test_a_card_turned_over_is_told_as_gone_and_come():
    told = watched(scene(8, SEVENS, BACK), scene(30, SEVENS, ((4, 8, 13), 400, 150, 0)))
    assert shown(told) == [("removed", None), ("placed", [4, 8, 13])]


def test_two_cards_turned_over_at_once_are_both_told():
    told = watched(
        scene(8, BACK, (None, 150, 330, 3)),
        scene(40, ((4, 8, 13), 400, 150, 0), ((5, 5, 11), 150, 330, 3)),
    )
    assert sorted(shown(told), key=str) == [
        ("placed", [4, 8, 13]), ("placed", [5, 5, 11]), ("removed", None), ("removed", None),
    ]  # fmt: skip


def test_a_card_moved_elsewhere_is_told_once():
    elsewhere = ((10, 6, 12), 430, 130, 60)
    told = watched(scene(8, SEVENS, ACES, MIXED), scene(30, SEVENS, ACES, elsewhere))
    assert shown(told) == [("moved", [6, 10, 12])]


def test_a_card_carried_elsewhere_with_its_face_partly_hidden_is_told_once():
    """Its place was free, and told as such, long before the fingers left its numbers."""
    elsewhere = ((10, 6, 12), 320, 340, 60)
    told = watched(
        scene(8, SEVENS, ACES, MIXED),
        scene(4, SEVENS, ACES, MIXED, hand=(530, 350)),
        *(scene(1, SEVENS, ACES, hand=(x, 355)) for x in (460, 390)),
        scene(8, SEVENS, ACES, elsewhere, hand=(320, 360)),
        scene(20, SEVENS, ACES, elsewhere),
    )
    assert shown(told) == [("moved", [6, 10, 12])]


def test_a_card_lifted_and_laid_back_is_no_event():
    told = watched(
        scene(8, SEVENS, ACES, MIXED),
        scene(4, SEVENS, ACES, MIXED, hand=(530, 350)),
        *(scene(1, SEVENS, ACES, hand=(x, 345)) for x in (460, 390, 320, 320, 320, 320, 390, 460)),
        scene(4, SEVENS, ACES, MIXED, hand=(530, 350)),
        scene(20, SEVENS, ACES, MIXED),
    )
    assert shown(told) == []


def test_a_second_card_of_the_same_numbers_is_told_as_placed():
    twin = ((10, 6, 12), 430, 130, 60)
    told = watched(scene(8, SEVENS, ACES, MIXED), scene(30, SEVENS, ACES, MIXED, twin))
    assert shown(told) == [("placed", [6, 10, 12])]


def test_a_hand_over_known_cards_is_no_news():
    told = watched(
        scene(8, SEVENS, ACES, MIXED),
        scene(10, SEVENS, ACES, MIXED, hand=(230, 180)),
        scene(12, SEVENS, ACES, MIXED),
    )
    assert shown(told) == []


@pytest.mark.parametrize("told", [{"event": "placed", "values": None, "zone": "Vain", "corners": [[0, 0], [2, 2]]}])
def test_changes_are_said_in_words(told):
    assert GAMES["comet"].recognizer().in_words(told) == "placed at Vain: face down"
