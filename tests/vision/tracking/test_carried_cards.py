"""A card lifted and laid back is no event; a card turned, pushed or carried is one, whatever the hand hides meanwhile.

The table is drawn: white hexagons with a pale dot at one edge, and a hand that reaches in from below.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from companion.games.hexdragon.vision.lattice import fit_grid
from companion.games.hexel.vision.lattice import Lattice, find_lattice
from companion.rules.hexgrid import Cell
from companion.vision.geometry import HEXAGON
from companion.vision.results import DetectedCard, Reading, edge_places
from companion.vision.tracking.card_tracker import CardTracker
from companion.vision.tracking.identity import Takers, turned_face
from companion.vision.tracking.layouts import FindCells, LatticeLayout, assign_cells
from companion.vision.tracking.tracks import Track, TrackState

SIDE, SIZE = 34.0, (400, 640)
GRAIN = np.random.default_rng(0).normal(0, 3, (3, *SIZE, 3))
HAND = (90, 120, 170)
Card = tuple[float, float, int, str]
"""Where it lies, at which edge its dot is, and the dot's colour."""
PALE = {"green": (185, 240, 185), "blue": (240, 185, 185)}


def at(q: int, r: int) -> tuple[float, float]:
    return 180.0 + SIDE * 1.01 * np.sqrt(3) * (q + r / 2), 180.0 + SIDE * 1.515 * r


LINE: list[Card] = [(*at(0, 0), 0, "blue"), (*at(1, 0), 2, "blue")]
LAST: Card = (*at(2, 0), 1, "green")


def picture(cards: Sequence[Card], hand: tuple[float, float] | None = None, frame: int = 0) -> np.ndarray:
    image = np.full((*SIZE, 3), (60, 90, 120), np.uint8)
    for x, y, dot, colour in cards:
        points = HEXAGON.unit * (SIDE * 0.95) + (x, y)
        cv2.fillPoly(image, [np.round(points * 16).astype(np.int32)], (235, 235, 235), cv2.LINE_AA, 4)
        spot = edge_places(points, 0)[dot]
        cv2.circle(image, (round(spot[0]), round(spot[1])), 6, PALE[colour], -1, cv2.LINE_AA)
    if hand is not None:
        cv2.rectangle(image, (int(hand[0] - 25), int(hand[1])), (int(hand[0] + 25), SIZE[0]), HAND, -1)
    return np.clip(image + GRAIN[frame % 3], 0, 255).astype(np.uint8)


def _find_cells(corners: np.ndarray, known: Sequence[Cell | None]) -> Lattice:
    return find_lattice(corners)


def read(bgr: np.ndarray, classifier: Any, across_px: float | None) -> Reading:
    """White hexagons are cards; one of which a part is hidden cannot be read."""
    white = (cv2.GaussianBlur(bgr, (3, 3), 0).min(-1) > 165).astype(np.uint8)
    count, _, stats, middles = cv2.connectedComponentsWithStats(cv2.erode(white, np.ones((3, 3), np.uint8)))
    smooth = cv2.blur(bgr, (5, 5)).astype(int)
    cards = []
    for i in range(1, count):
        area = stats[i][4] / (2.598 * SIDE**2)
        if 0.4 < area < 1.1:
            corners = (HEXAGON.unit * SIDE + middles[i]).astype(np.float32)
            faces = [_name(smooth, spot) for spot in edge_places(corners, 0)]
            edges = tuple(faces if area > 0.78 else [None] * 6)
            shares = np.array([[0.98 * (edge == name) + 0.01 for name in ("white", "green", "blue")] for edge in edges])
            cards.append(DetectedCard(None, edges, corners, 0.9, 0.95, shares.astype(np.float32)))
    named = assign_cells(cards, _find_cells) if cards else []
    tableau, loose = (tuple(c for c in named if (c.cell is None) == is_loose) for is_loose in (False, True))
    return Reading(tableau, loose, (), classifier)


def _name(smooth: np.ndarray, spot: np.ndarray) -> str:
    x, y = np.clip(spot.round().astype(int), 0, [SIZE[1] - 1, SIZE[0] - 1])
    blue, green, red = smooth[min(y, len(smooth) - 1), min(x, smooth.shape[1] - 1)]
    return "blue" if blue > green + 15 else "green" if green > red + 15 else "white"


class Table:
    """Feeds a tracker and remembers what it told."""

    def __init__(self, *cards: Card, find: FindCells = _find_cells) -> None:
        self.tracker = CardTracker(read, LatticeLayout(find))
        self.told: list[dict[str, Any]] = []
        self._frame = 0
        self.show(8, *cards)
        assert [event["event"] for event in self.told] == ["table"]
        self.told.clear()

    def show(self, frames: int, *cards: Card, hand: tuple[float, float] | None = None) -> None:
        for _ in range(frames):
            self._frame += 1
            self.told += self.tracker.step(picture(cards, hand, self._frame))

    def reach(self, card: Card, *cards: Card) -> None:
        """A hand comes from below to a card."""
        x, y = card[:2]
        for reach in (330, 290, 250):
            self.show(1, *cards, hand=(x, max(reach, y + 8)))
        self.show(3, *cards, hand=(x, y + 8))

    def events(self) -> list[str]:
        return [event["event"] for event in self.told if event["event"] != "notice"]


def turned(card: Card, by: int) -> Card:
    return (*card[:2], (card[2] + by) % 6, card[3])


def moved(card: Card, x: float, y: float) -> Card:
    return (card[0] + x, card[1] + y, *card[2:])


@pytest.mark.parametrize("by", [1, 3, 5])
def test_a_card_turned_where_it_lies_is_moved_once(by: int) -> None:
    table = Table(*LINE, LAST)
    table.reach(LAST, *LINE, LAST)
    table.show(3, *LINE, turned(LAST, by), hand=(LAST[0], LAST[1] + 8))
    table.show(16, *LINE, turned(LAST, by))
    assert table.events() == ["moved"]
    one = table.told[0]
    assert one["cell"] == one["from"] and len(table.tracker.cards or ()) == 3
    shown = {tuple(card.cell or ()): card.edges for card in table.tracker.cards or ()}
    assert shown[tuple(one["cell"])] == tuple(one["edges"])


@pytest.mark.parametrize("far", [28.0, 40.0, 56.0])
def test_a_card_pushed_so_that_its_old_place_and_its_new_one_overlap_is_moved_once(far: float) -> None:
    table, pushed = Table(*LINE, LAST), moved(LAST, far, 0)
    table.reach(LAST, *LINE, LAST)
    for k in (1, 2, 3):
        table.show(1, *LINE, moved(LAST, far * k / 3, 0), hand=(LAST[0] + far * k / 3, LAST[1] + 8))
    table.show(16, *LINE, pushed)
    assert table.events() == ["moved"] and len(table.tracker.cards or ()) == 3
    assert np.allclose(np.mean(table.told[0]["corners"], 0), pushed[:2], atol=2)


def test_the_only_card_on_the_honeycomb_keeps_its_cell_when_it_is_pushed_as_another_is_laid() -> None:
    """HexDragon's start tile was pushed aside by the first one that was laid, and took the name of a cell beside it."""
    table, pushed = Table(LINE[0], find=fit_grid), moved(LINE[0], 30, 0)
    table.show(16, pushed, (pushed[0] - SIDE * 1.01 * np.sqrt(3), pushed[1], 3, "green"))
    (one,) = (event for event in table.told if event.get("from") is not None)
    assert one["event"] == "moved" and one["cell"] == one["from"]


@pytest.mark.parametrize("seconds", [0.3, 0.9])
def test_a_card_carried_elsewhere_is_moved_once_when_it_lies(seconds: float) -> None:
    table, there = Table(*LINE, LAST), (*at(1, 1), 4, "green")
    table.reach(LAST, *LINE, LAST)
    for k in range(int(10 * seconds)):
        table.show(1, *LINE, hand=(LAST[0] - 4 * k, LAST[1] + 90))
    table.show(4, *LINE, there, hand=(there[0], there[1] + 8))
    assert table.events() == []
    table.show(16, *LINE, there)
    assert table.events() == ["moved"] and table.told[0]["from"] != table.told[0]["cell"]
    assert len(table.tracker.cards or ()) == 3


def test_a_card_lifted_and_laid_back_is_no_event() -> None:
    table = Table(*LINE, LAST)
    table.reach(LAST, *LINE, LAST)
    for k in range(9):
        table.show(1, *LINE, hand=(LAST[0] + 3 * k, LAST[1] + 90))
    table.show(3, *LINE, LAST, hand=(LAST[0], LAST[1] + 8))
    table.show(16, *LINE, LAST)
    assert table.events() == [] and len(table.tracker.cards or ()) == 3


def test_a_card_that_a_hand_took_out_of_view_is_told_at_once() -> None:
    table = Table(*LINE, LAST)
    table.reach(LAST, *LINE, LAST)
    table.show(1, *LINE, hand=(LAST[0], LAST[1] + 90))
    table.show(5, *LINE)
    assert table.events() == ["removed"]


def test_a_card_is_told_as_gone_after_two_seconds_while_the_hand_that_took_it_stays() -> None:
    table = Table(*LINE, LAST)
    table.reach(LAST, *LINE, LAST)
    for k in range(18):
        table.show(1, *LINE, hand=(LAST[0] + 3 * (k % 3), LAST[1] + 90))
    assert table.events() == []
    for k in range(9):
        table.show(1, *LINE, hand=(LAST[0] + 3 * (k % 3), LAST[1] + 90))
    assert table.events() == ["removed"]


def test_of_two_cards_alike_that_go_nothing_shows_which_one_was_moved() -> None:
    another = (*at(3, 0), 4, "green")
    table, there = Table(*LINE, LAST, another), (*at(1, 1), 1, "green")
    table.reach(LAST, *LINE, LAST, another)
    table.show(8, *LINE, hand=(LAST[0], LAST[1] + 90))
    table.show(20, *LINE, there)
    assert sorted(table.events()) == ["placed", "removed", "removed"]


def test_a_card_laid_while_another_alike_lies_is_placed_at_once() -> None:
    table, new = Table(*LINE, LAST), (*at(1, 1), 3, "green")
    table.show(2, *LINE, LAST, hand=(new[0], new[1] + 8))
    table.show(2, *LINE, LAST, new, hand=(new[0], new[1] + 8))
    table.show(4, *LINE, LAST, new)
    assert table.events() == ["placed"] and len(table.tracker.cards or ()) == 4


def test_a_face_is_the_same_however_it_is_turned() -> None:
    one = Table(*LINE, LAST).tracker.cards or ()
    faces = [turned_face(replace(one[0], edges=one[0].edges[k:] + one[0].edges[:k])) for k in range(6)]
    assert len(set(faces)) == 1 and turned_face(replace(one[0], edges=(None, *one[0].edges[1:]))) is None


def test_a_hand_is_followed_for_as_long_as_it_is_in_view() -> None:
    card = (Table(*LINE, LAST).tracker.cards or ())[0]
    track, takers = Track(card, 0.0, TrackState.STILL), Takers()
    x, y = (int(v) // 8 for v in card.centre)
    for step in range(6):
        hands = np.zeros((50, 80), bool)
        hands[y : y + 9, x + 3 * step : x + 3 * step + 5] = True
        hands[40:, 70:] = True  # another hand
        takers.follow([track] if step == 0 else [], hands, np.zeros_like(hands), 0.1 * step)
        assert takers.are_in_view(track)
    gone = hands & (np.arange(50) >= 40)[:, None]
    takers.follow([], gone, np.zeros_like(hands), 0.6)
    assert not takers.are_in_view(track)


def test_what_rests_where_a_hand_was_is_not_that_hand() -> None:
    card = (Table(*LINE, LAST).tracker.cards or ())[0]
    track, takers = Track(card, 0.0, TrackState.STILL), Takers()
    x, y = (int(v) // 8 for v in card.centre)
    hands = np.zeros((50, 80), bool)
    hands[y : y + 9, x : x + 9] = True
    takers.follow([track], hands, np.zeros_like(hands), 0.0)
    assert takers.are_in_view(track)
    takers.follow([], hands, hands, 0.1)
    assert not takers.are_in_view(track)
