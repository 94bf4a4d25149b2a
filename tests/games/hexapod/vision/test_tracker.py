"""A Hexapod table followed: each card laid is told once, with the case and the place; hands are no news."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.games import GAMES
from companion.games.hexapod.vision import orientation
from companion.games.hexapod.vision import tracker as case_tracker
from companion.games.hexapod.vision.classifier import INSECT, KINDS, PretrainedInsects
from companion.vision.tracking.tracks import SettleTimes

HOME = ((380, 320), 0)
FIRST = (1, 1, (("blue", "gold"), ("green", "dung")))
SECOND = (2, 2, (("dung", "leaf"), ("moth", "moth")))
STACK = ((720, 250), 0)
TOP, BELOW = (("leaf", "leaf"), ("stag", "gold")), (("gold", "green"), ("blue", "blue"))
TOP = (("stag", "leaf"), ("stag", "gold"))

CORNERS = ((0, 0), (0, 2), (2, 0), (3, 0), (2, 2), (3, 2), (2, 3), (3, 3))
ELSEWHERE = tuple((row, col, BELOW) for row, col in CORNERS)
"""Cards on every cell of a case but its top right one and the one below."""


def case(*cards):
    return [(*HOME, cards)]


def new_tracker():
    reader = GAMES["hexapod"].recognizer()
    return reader.tracker(reader.classifier(None, None), SettleTimes())


def watched(*scenes, by=None):
    """What is told of scenes, each a number of frames and what draws one."""
    tracker = by or new_tracker()
    told = []
    for count, picture in scenes:
        for _ in range(count):
            told += tracker.step(picture())
    return told


def blotted(picture, *places, radius=24):
    """The picture with things on it, none of which is an insect."""
    for place in places:
        cv2.circle(picture, place, radius, (60, 90, 60), -1, cv2.LINE_AA)
    return picture


def changes(told):
    return [
        (one["event"], one.get("board"), one.get("row"), one.get("col"), one["cells"]) for one in told if "cells" in one
    ]


def as_lists(cells):
    return [list(row) for row in cells]


def test_the_table_as_first_settled_is_one_line(frame):
    told = watched((8, lambda: frame(case(FIRST), [(*STACK, TOP)])))
    assert [one["event"] for one in told] == ["table"]
    assert len(told[0]["boards"]) == 1 and told[0]["loose"][0]["cells"] == as_lists(TOP)


def test_a_card_laid_by_a_hand_is_told_once_when_the_hand_is_gone(frame):
    told = watched(
        (8, lambda: frame(case(FIRST))),
        (6, lambda: frame(case(FIRST, SECOND), hand=(420, 380))),
        (20, lambda: frame(case(FIRST, SECOND))),
    )
    assert changes(told) == [("placed", 0, 2, 2, as_lists(SECOND[2]))]


def test_the_first_card_in_an_empty_case_says_which_way_up_the_case_lies(frame):
    upside_down = [(HOME[0], 180, (FIRST,))]
    told = watched((8, lambda: frame([(HOME[0], 180, ())])), (20, lambda: frame(upside_down)))
    assert changes(told) == [("placed", 0, 1, 1, as_lists(FIRST[2]))]


class WaylessSpiders(PretrainedInsects):
    """A printing whose spiders look the same whichever way up."""

    __slots__ = ()

    def fit(self, cells):
        others = (cells.state[..., INSECT] > 0.5) & (self.kinds(cells).argmax(-1) != KINDS.index("spider"))
        return float(np.log(cells.up[others][:, 0] + 0.01).sum())


def test_a_card_that_first_says_which_way_up_its_case_lies_is_told_and_not_the_one_that_lay_there(frame, monkeypatch):
    """A spider lay there, perhaps in either of two places: it was told, and the card laid in the other one never."""
    monkeypatch.setattr(orientation, "_log_clarity", lambda cells: 0.0)
    spider, laid = (0, 1, (("spider",) * 2,) * 2), (3, 2, (("stag", "blue"), ("stag", "gold")))
    told = watched(
        (20, lambda: frame([(HOME[0], 180, (spider,))])),
        (6, lambda: frame([(HOME[0], 180, (spider, laid))], hand=(420, 380))),
        (20, lambda: frame([(HOME[0], 180, (spider, laid))])),
        by=GAMES["hexapod"].recognizer().tracker(WaylessSpiders(needs_upright=True), SettleTimes()),
    )
    assert {kind for board in told[0]["boards"] for row in board["cells"] for kind in row} == {None}
    assert changes(told) == [("placed", 0, 3, 2, as_lists(laid[2]))]


def test_a_hand_that_comes_and_goes_is_no_news(frame):
    told = watched(
        (8, lambda: frame(case(FIRST))),
        (10, lambda: frame(case(FIRST), hand=(400, 330))),
        (12, lambda: frame(case(FIRST))),
    )
    assert changes(told) == []


def test_the_table_is_quiet_once_a_hand_has_left_that_lay_on_the_first_picture(frame):
    tracker = new_tracker()
    told = watched((12, lambda: frame(case(FIRST), hand=(800, 560))), (24, lambda: frame(case(FIRST))), by=tracker)
    assert changes(told) == []
    assert tracker.is_quiet


def test_a_loose_card_that_was_first_seen_under_a_cup_is_no_card_laid(frame):
    lying = [(*STACK, TOP)]
    told = watched(
        (25, lambda: cv2.circle(frame(case(FIRST), lying), (747, 277), 26, (60, 90, 60), -1, cv2.LINE_AA)),
        (25, lambda: frame(case(FIRST), lying)),
    )
    assert told[0]["event"] == "table" and None in told[0]["loose"][0]["cells"][1]
    assert changes(told) == []


def test_a_card_is_told_at_once_though_another_in_the_case_could_never_be_read(frame):
    tracker, far = new_tracker(), (3, 3, SECOND[2])
    x, y = HOME[0][0] - 30, HOME[0][1] - 30  # a chip lies on one cell of the first card

    def chip(*cards):
        return blotted(frame(case(*cards)), (x, y))

    (table,) = watched((25, lambda: chip(FIRST)), by=tracker)
    assert None in [kind for row in table["boards"][0]["cells"][1:3] for kind in row[1:3]]
    assert changes(watched((8, lambda: chip(FIRST, far)), by=tracker)) == [("placed", 0, 3, 3, as_lists(far[2]))]


def test_a_card_of_which_a_cell_can_never_be_read_is_told_with_it_and_holds_no_other_back(frame):
    tracker, far = new_tracker(), (0, 3, SECOND[2])
    x, y = HOME[0][0] + 45, HOME[0][1] + 45  # on the last cell of the second card

    def smudged(*cards):
        return blotted(frame(case(*cards)), (x, y))

    told = watched((8, lambda: frame(case(FIRST))), (12, lambda: smudged(FIRST, SECOND)), by=tracker)
    assert changes(told[1:]) == [("placed", 0, 2, 2, [["dung", "leaf"], ["moth", None]])]
    assert (told[-1]["code"], told[-1]["at"]) == ("unsure", pytest.approx([x, y], abs=6))
    told = watched((10, lambda: smudged(FIRST, SECOND, far)), by=tracker)
    assert changes(told) == [("placed", 0, 0, 3, as_lists(far[2]))]
    told = watched((10, lambda: smudged(FIRST, SECOND)), (12, lambda: smudged(FIRST)), by=tracker)
    assert [one[0] for one in changes(told)] == ["removed", "removed"]


def test_a_card_taken_from_over_a_cell_that_cannot_be_read_is_told(frame):
    x, y = HOME[0][0] + 45, HOME[0][1] + 45  # where the last cell of the second card was

    def smudged(*cards):
        return blotted(frame(case(*cards)), (x, y))

    told = watched((8, lambda: frame(case(FIRST, SECOND))), (12, lambda: smudged(FIRST)))
    assert [one[0] for one in changes(told)] == ["removed"]


def test_a_card_that_cannot_be_read_at_all_is_said_to_be_one_perhaps_for_as_long_as_it_lies_there(frame):
    tracker = new_tracker()
    x, y = HOME[0]

    cells = [(x + dx, y + dy) for dx, dy in ((0, 0), (45, 0), (0, 45), (45, 45))]
    watched((8, lambda: frame(case(FIRST))), by=tracker)
    told = watched((20, lambda: blotted(frame(case(FIRST, SECOND)), *cells, radius=20)), by=tracker)
    assert [(one["event"], one["code"]) for one in told] == [("notice", "maybe-card")]
    assert told[0]["at"] == pytest.approx([x + 23, y + 23], abs=24)
    assert "maybe-card" in tracker.active_notices
    assert changes(watched((12, lambda: frame(case(FIRST, SECOND))), by=tracker)) == [
        ("placed", 0, 2, 2, as_lists(SECOND[2]))
    ]
    assert "maybe-card" not in tracker.active_notices


class MisreadingInsects(PretrainedInsects):
    """Takes green beetles for dung beetles, and the other way round, while it is dim."""

    __slots__ = ()
    is_dim = False

    def kinds(self, cells):
        seen = super().kinds(cells).copy()
        if MisreadingInsects.is_dim:
            green, dung = KINDS.index("green"), KINDS.index("dung")
            seen[..., [green, dung]] = seen[..., [dung, green]]
        return seen


@pytest.mark.parametrize("where", ["loose", "in a case"])
def test_a_card_that_reads_otherwise_in_a_shadow_is_no_card_laid(frame, where, monkeypatch):
    card = (("blue", "green"), ("stag", "gold"))
    lying = (case(FIRST), [(*STACK, card)]) if where == "loose" else (case(FIRST, SECOND), [])
    (x, y), reach = (STACK[0], 100) if where == "loose" else (HOME[0], 200)
    mask = np.zeros((640, 960), np.float32)
    mask[y - reach : y + reach, x - reach : x + reach] = 1.0
    shade = 1 - 0.5 * cv2.GaussianBlur(mask, (0, 0), 4)[..., None]
    tracker = GAMES["hexapod"].recognizer().tracker(MisreadingInsects(), SettleTimes())
    (table,) = watched((8, lambda: frame(*lying)), by=tracker)
    assert "green" in str(table)
    monkeypatch.setattr(MisreadingInsects, "is_dim", True)
    assert changes(watched((30, lambda: np.asarray(frame(*lying) * shade, np.uint8)), by=tracker)) == []


def test_a_shadow_that_covers_one_card_and_goes_is_no_card_laid_over_equal_insects(frame):
    equal = (1, 1, (("stag", "green"), ("stag", "green")))
    mask = np.zeros((640, 960, 1), np.float32)
    mask[252:343, 312:403] = 1.0
    shade = 1 - 0.5 * cv2.GaussianBlur(mask, (0, 0), 4)[..., None]
    told = watched(
        (8, lambda: frame(case(equal))),
        (15, lambda: np.asarray(frame(case(equal)) * shade, np.uint8)),
        (12, lambda: frame(case(equal))),
    )
    assert changes(told) == []


@pytest.mark.parametrize(
    ("cup", "others"),
    [((245, 253, 240), ELSEWHERE), ((200, 215, 225), ELSEWHERE), ((245, 253, 240), ELSEWHERE[:7:2] + ELSEWHERE[1:2])],
    ids=["white", "as pale as the cards", "some floor shows"],
)
def test_a_cup_across_the_rim_of_a_case_takes_no_card_away(frame, cup, others):
    lying = case((0, 3, (("blue", "leaf"), ("green", "leaf"))), *others)
    told = watched(
        (8, lambda: frame(lying)),
        (30, lambda: cv2.circle(frame(lying), (450, 205), 50, cup, -1, cv2.LINE_AA)),
        (15, lambda: frame(lying)),
    )
    assert changes(told) == []


@pytest.mark.parametrize("rests", [8, 25])
def test_a_cup_that_hides_a_card_for_a_while_is_no_card_laid_over_equal_insects(frame, rests):
    def under_a_cup():
        return cv2.circle(frame(case(FIRST, SECOND)), HOME[0], 50, (200, 210, 40), -1, cv2.LINE_AA)

    told = watched(
        (8, lambda: frame(case(FIRST, SECOND))), (rests, under_a_cup), (20, lambda: frame(case(FIRST, SECOND)))
    )
    assert changes(told) == []


def test_a_phone_on_a_case_is_no_case_though_its_screen_is_as_pale():
    lying = cv2.imread(str(Path(__file__).parent / "scenes" / "two-cases.jpg"))
    with_phone = lying.copy()
    phone = np.array([[50, 86], [219, 12], [366, 346], [198, 420]])
    for share, ink in ((1.0, (26, 28, 30)), (0.9, (168, 175, 161))):
        corners = phone.mean(0) + share * (phone - phone.mean(0))
        cv2.fillConvexPoly(with_phone, np.round(corners).astype(np.int32), ink, cv2.LINE_AA)
    told = watched((8, lambda: lying), (30, lambda: with_phone), (15, lambda: lying))
    assert [one["event"] for one in told] == ["table"]


def test_a_card_taken_out_of_a_case_is_told_with_what_shows_then(frame):
    told = watched((8, lambda: frame(case(FIRST, SECOND))), (25, lambda: frame(case(FIRST))))
    assert [(e, b, r, c) for e, b, r, c, _ in changes(told)] == [("removed", 0, 2, 3)] or changes(told)[0][
        0
    ] == "removed"
    assert len(changes(told)) == 1


def test_a_card_taken_from_those_it_was_laid_on_is_told_as_removed(frame):
    over = (1, 1, BELOW)
    told = watched(
        (8, lambda: frame(case(FIRST, SECOND))),
        (12, lambda: frame(case(FIRST, SECOND, over))),
        (12, lambda: frame(case(FIRST, SECOND))),
        (12, lambda: frame(case(FIRST, SECOND, over))),
    )
    shown = [[*FIRST[2][0]], [FIRST[2][1][0], SECOND[2][0][0]]]
    laid = ("placed", 0, 1, 1, as_lists(BELOW))
    assert changes(told) == [laid, ("removed", 0, 1, 1, shown), laid]


def test_a_card_taken_from_one_with_some_of_its_kinds_is_told_whole(frame):
    """It lay on a card with two of its kinds in the same cells: only the other two cells were told."""
    row, col, cells = FIRST
    over = (row, col, (cells[0][::-1], cells[1]))
    told = watched(
        (8, lambda: frame(case(FIRST, SECOND))),
        (12, lambda: frame(case(FIRST, SECOND, over))),
        (12, lambda: frame(case(FIRST, SECOND))),
    )
    assert changes(told) == [("placed", 0, row, col, as_lists(over[2])), ("removed", 0, row, col, as_lists(cells))]


def test_a_card_drawn_from_a_stack_shows_the_one_below(frame):
    told = watched(
        (8, lambda: frame(case(FIRST), [(*STACK, TOP)])),
        (6, lambda: frame(case(FIRST), [(*STACK, TOP)], hand=(720, 280))),
        (20, lambda: frame(case(FIRST), [(*STACK, BELOW)])),
    )
    assert changes(told) == [("placed", None, None, None, as_lists(BELOW))]


def test_a_stack_taken_away_is_told_once(frame):
    told = watched((8, lambda: frame(case(FIRST), [(*STACK, TOP)])), (30, lambda: frame(case(FIRST))))
    assert [one[0] for one in changes(told)] == ["removed"]


def test_a_case_that_is_pushed_aside_is_told_as_moved_and_its_cards_are_no_news(frame):
    told = watched((8, lambda: frame(case(FIRST, SECOND))), (30, lambda: frame([((500, 300), 12, (FIRST, SECOND))])))
    assert [(one["event"], one["board"]) for one in told[1:]] == [("moved", 0)]


def test_a_case_that_is_nudged_is_followed_without_a_word(frame):
    told = watched(
        (8, lambda: frame(case(FIRST))),
        (12, lambda: frame([((388, 325), 2, (FIRST,))])),
        (12, lambda: frame([((396, 330), 4, (FIRST,))])),
        (20, lambda: frame([((396, 330), 4, (FIRST, SECOND))])),
    )
    assert changes(told) == [("placed", 0, 2, 2, as_lists(SECOND[2]))]


def test_darkness_is_said_and_then_light(frame):
    told = watched(
        (8, lambda: frame(case(FIRST))),
        (4, lambda: frame(case(FIRST)) // 30),
        (8, lambda: frame(case(FIRST))),
    )
    assert [one["code"] for one in told if one["event"] == "notice"] == ["dark", "light-back"]


def test_a_hand_that_rests_on_a_loose_card_takes_nothing_away(frame):
    lying = (case(FIRST), [(*STACK, TOP)])
    told = watched(
        (8, lambda: frame(*lying)),
        (70, lambda: frame(*lying, hand=STACK[0])),
        (12, lambda: frame(*lying)),
    )
    assert changes(told) == []


def test_half_a_card_that_light_has_burnt_out_is_told_unread_and_not_as_a_card_beside(frame):
    x, y = HOME[0]
    half = (1, 2, (("leaf", "gold"), ("blue", "dung")))

    def burnt(picture, *, is_laid):
        picture[y - 67 : y + 22, x + 23 : x + 67] = 255
        return blotted(picture, (x + 45, y - 45), radius=14) if is_laid else picture

    told = watched(
        (8, lambda: burnt(frame(case(FIRST)), is_laid=False)),
        (20, lambda: burnt(frame(case(FIRST, half)), is_laid=True)),
    )
    assert changes(told) == [("placed", 0, 1, 2, [["leaf", None], ["blue", None]])]


def test_a_cell_so_thinly_printed_that_it_looks_unchanged_is_read_with_its_card(frame, monkeypatch):
    cell_shares = case_tracker.cell_shares

    def thin(field, mask):
        shares = cell_shares(field, mask)
        shares[1, 2] = 0.0
        return shares

    monkeypatch.setattr(case_tracker, "cell_shares", thin)
    tracker, over = new_tracker(), (1, 2, (("blue", "gold"), ("leaf", "leaf")))
    watched((8, lambda: frame(case(FIRST))), by=tracker)
    told = watched((8, lambda: frame(case(FIRST, over))), (12, lambda: frame(case(FIRST))), by=tracker)
    assert changes(told) == [
        ("placed", 0, 1, 2, as_lists(over[2])),
        ("removed", 0, 1, 2, [["gold", None], ["dung", None]]),
    ]
