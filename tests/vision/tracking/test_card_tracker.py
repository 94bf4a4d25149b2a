"""Following a table: each card told once, when it lies still and free; hands, light and bumps are no cards.

After that the life of a track, arrow by arrow of the diagram in `companion/vision/tracking/README.md`.

The table is drawn here with plain white hexagons and read by a reader that finds white hexagons, so that these tests
are about time, not about recognition.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.games.hexel.vision.classifier import CLASSES, PretrainedSymbols, SymbolClassifier
from companion.games.hexel.vision.lattice import Lattice, find_lattice
from companion.rules.hexgrid import Cell
from companion.vision.detection.conditions import MIRRORED
from companion.vision.geometry import HEXAGON
from companion.vision.results import DetectedCard, Reading, ReadingWarning
from companion.vision.tracking import camera_motion, card_tracker, tracks
from companion.vision.tracking.camera_motion import CameraMotion
from companion.vision.tracking.card_tracker import CardTracker
from companion.vision.tracking.change_detector import ObservedFrame
from companion.vision.tracking.layouts import LatticeLayout, assign_cells
from companion.vision.tracking.regions import Unchanged
from companion.vision.tracking.tracks import TRANSITIONS, SettleTimes, TableEvent, Track, TrackState, add_reading

Place = Cell | np.ndarray
"""A cell, or a point of the picture."""

DIAGRAM = Path(tracks.__file__).with_name("README.md")
SIDE = 34.0
SIZE = (400, 640)
EMPTY = np.full((*SIZE, 3), (60, 90, 120), np.uint8)
GRAIN = np.floor(np.random.default_rng(0).normal(0, 3, (SIZE[0] + 64, SIZE[1] + 64, 3))).astype(np.int16)
LINE: list[Cell] = [(0, 0), (1, 0), (2, 0)]
NEW: Cell = (0, 1)
RED, BLUE = (np.eye(len(CLASSES), dtype=np.float32)[[k] * 6] * 0.98 + 0.002 for k in (0, CLASSES.index("blue-disc")))


def centre(cell: Cell) -> np.ndarray:
    q, r = cell
    return np.asarray(np.array([180.0, 180.0]) + SIDE * np.array([np.sqrt(3) * (q + r / 2), 1.5 * r]) * 1.01)


def picture(
    cells: Sequence[Place],
    *,
    hand: tuple[float, float] | None = None,
    light: float = 1.0,
    shift: tuple[float, float] = (0.0, 0.0),
    seed: int = 0,
    blue: Cell | None = None,
) -> np.ndarray:
    """A table with cards, one of them perhaps blue, noise, and perhaps a hand that reaches in from below to a place."""
    image = EMPTY.copy()
    for cell in cells:
        at = centre(cell) if isinstance(cell, tuple) else np.asarray(cell)
        points = HEXAGON.unit * (SIDE * 0.97) + at + shift
        ground = (235, 200, 200) if cell is blue else (235, 235, 235)
        cv2.fillPoly(image, [np.round(points * 16).astype(np.int32)], ground, cv2.LINE_AA, 4)
    if hand is not None:
        x, y = hand
        cv2.rectangle(image, (int(x - 25), int(y)), (int(x + 25), SIZE[0]), (90, 120, 170), -1)
    lit = image if light == 1.0 else cv2.convertScaleAbs(image, alpha=light)
    return np.asarray(cv2.add(lit, grain(seed), dtype=cv2.CV_8U))


def grain(seed: int) -> np.ndarray:
    """The noise of a picture, cut from one sheet, each elsewhere: to make it takes far longer than to read by it."""
    y, x = np.random.default_rng(seed).integers(0, 64, 2).tolist()
    return GRAIN[y : y + SIZE[0], x : x + SIZE[1]]


def _find_cells(corners: np.ndarray, known: Sequence[Cell | None]) -> Lattice:
    return find_lattice(corners)


def read(bgr: np.ndarray, classifier: SymbolClassifier | None, across_px: float | None) -> Reading:
    """White and pale blue hexagons are cards; one that is partly hidden cannot be read."""
    white = (cv2.GaussianBlur(bgr, (3, 3), 0).min(-1) > 0.75 * max(60, int(np.percentile(bgr, 99.5)))).astype(np.uint8)
    white = cv2.erode(white, np.ones((3, 3), np.uint8))
    count, parts, stats, centres = cv2.connectedComponentsWithStats(white)
    whole = 2.598 * SIDE**2
    cards = []
    for i in range(1, count):
        area = stats[i][4]
        if not 0.4 * whole < area < 1.1 * whole:
            continue
        is_whole = area > 0.78 * whole
        blue, _, red, _ = cv2.mean(bgr, (parts == i).astype(np.uint8))
        name, print_ = ("blue", BLUE) if blue > red + 15 else ("red", RED)
        edges = (name,) * 6 if is_whole else (None,) * 6
        corners = (HEXAGON.unit * SIDE + centres[i]).astype(np.float32)
        cards.append(
            DetectedCard(None, edges, corners, 0.9, 0.95, print_ if is_whole else np.full_like(RED, 1 / len(CLASSES)))
        )
    named = assign_cells(cards, _find_cells) if cards else []
    tableau = tuple(c for c in named if c.cell is not None)
    return Reading(tableau, tuple(c for c in named if c.cell is None), (), classifier)


def settler(**patience: Any) -> CardTracker:
    return CardTracker(read, LatticeLayout(_find_cells), PretrainedSymbols("36"), SettleTimes(**patience))


class Table:
    """Feeds a settler and remembers what it told, with the frame."""

    def __init__(self) -> None:
        self.settler = settler()
        self.frame = 0
        self.told: list[tuple[int, dict[str, Any]]] = []

    def show(self, cells: Sequence[Place], frames: int = 1, **how: Any) -> None:
        for _ in range(frames):
            self.frame += 1
            self.told += [(self.frame, t) for t in self.settler.step(picture(cells, seed=self.frame, **how))]

    def cards(self) -> tuple[DetectedCard, ...]:
        return self.settler.cards or ()

    def news(self) -> list[str]:
        return [t["event"] if t["event"] != "notice" else t["code"] for _, t in self.told]


@pytest.fixture
def table() -> Table:
    """A table on which three cards lie in a line, already told."""
    one = Table()
    one.show(LINE, 8)
    assert one.news() == ["table"]
    one.told.clear()
    return one


def lay(table: Table, cells: Sequence[Place], cell: Cell) -> None:
    """A hand comes from below, lays a card, holds it a moment, and leaves."""
    x, y = centre(cell)
    for reach in (380, 330, 290, 250):
        table.show(cells, hand=(x, max(y + 10, reach)))
    table.show([*cells, cell], 5, hand=(x, y + 8))
    for reach in (y + 45, y + 90, y + 150, y + 220):
        table.show([*cells, cell], hand=(x, min(399, reach)))
    table.show([*cells, cell], 8)


def test_a_card_still_appears_where_another_is_seen_across_it_in_the_same_look(table: Table) -> None:
    card = replace(table.cards()[0], corners=table.cards()[0].corners + np.float32(150))
    across = replace(card, corners=card.corners + np.array([0.9 * SIDE, 0.0], np.float32), edges=(None,) * 6)
    appearing = [table.settler._gather(one) for one in (card, across)]
    assert [track.state for track in appearing] == [TrackState.APPEARING] * 2
    table.settler._now_s += 0.1
    jumped = table.settler._gather(replace(card, corners=card.corners + np.array([0.4 * SIDE, 0.0], np.float32)))
    assert [track.state for track in (jumped, *appearing)] == [TrackState.APPEARING, TrackState.GONE, TrackState.GONE]


@pytest.mark.parametrize(("presence", "fresh"), [((0.86, 0.67), 1), ((0.95, 0.92), 2)])
def test_what_is_hardly_seen_across_a_surer_card_may_be_fingers_that_hold_it(
    table: Table, presence: tuple[float, float], fresh: int
) -> None:
    card = replace(table.cards()[0], corners=table.cards()[0].corners + np.float32(150), presence=presence[0])
    across = replace(card, corners=card.corners - np.array([0.7 * SIDE, 0.0], np.float32), presence=presence[1])
    for one in (across, card):
        table.settler._gather(one)
    explained = table.settler._explained()
    fingers = across.corners.mean(0) - (0.8 * SIDE, 0)
    assert len(table.settler._fresh()) == fresh
    assert [bool(explained[int(y) // 8, int(x) // 8]) for x, y in (fingers, card.centre)] == [fresh == 2, True]


def test_a_card_that_a_hand_holds_is_held_until_little_of_the_hand_is_left_around_it(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = [0.08]
    monkeypatch.setattr(card_tracker, "share_around", lambda card, hands: around[0])
    table.show([*LINE, NEW], 3)
    assert table.news() == ["placed"], "so little does not hold a card"
    table.told.clear()
    around[0] = 0.2
    table.show([*LINE, NEW, (1, 1)], 4)
    around[0] = 0.08
    table.show([*LINE, NEW, (1, 1)], 4)
    assert table.news() == []
    around[0] = 0.02
    table.show([*LINE, NEW, (1, 1)], 9)
    assert table.news() == ["placed"]


def test_a_card_in_the_shadow_of_an_arm_beside_it_is_told_while_the_arm_stays(table: Table) -> None:
    x, y = (int(v) for v in centre(NEW))
    for k in range(15):
        image = picture([*LINE, NEW], hand=(x + 110 + 3 * (k % 2), y + 20), seed=4000 + k)
        shade = image[y - 30 :, x : x + 90]
        shade[...] = np.where(shade.min(-1, keepdims=True) < 190, shade * 0.65, shade)
        table.told += [(k, event) for event in table.settler.step(image)]
    assert table.news() == ["placed"]


def test_a_card_that_cannot_be_read_in_a_lamps_light_lies_there_with_nothing_on_it() -> None:
    table, unread, lamp = Table(), centre(LINE[1]), np.zeros(SIZE)

    def dazzled(bgr: np.ndarray, classifier: SymbolClassifier | None, across_px: float | None) -> Reading:
        reading = read(bgr, classifier, across_px)
        some = (c for c in reading.cards if not lamp.any() or np.hypot(*(np.array(c.centre) - unread)) > SIDE)
        return replace(reading, cards=tuple(some))

    table.settler = CardTracker(dazzled, LatticeLayout(_find_cells), PretrainedSymbols("36"))
    ys, xs = np.mgrid[: SIZE[0], : SIZE[1]]
    for k in range(80):
        if k in (20, 40):  # the lamp is switched on, and moved
            x, y = unread[0] + k, unread[1] + 10
            lamp = np.exp(-((((xs - x) ** 2 + (ys - y) ** 2) / 45**2) ** 2))
        image = picture(LINE, seed=9000 + k).astype(np.float32)
        cv2.circle(image, (int(unread[0]), int(unread[1])), 12, (90, 40, 30), -1)
        lit = np.clip(image * (0.5 + 0.8 * lamp[..., None]), 0, 255).astype(np.uint8)
        table.told += [(k, event) for event in table.settler.step(lit)]
        if k in (35, 55):
            assert [track.state for track in table.settler.tracks] == [TrackState.STILL] * 3
    assert table.news() == ["table"]


def test_a_mirrored_picture_is_said_once_until_another_reading_of_it_all_is_not() -> None:
    table, warnings = Table(), [MIRRORED.warning, MIRRORED.unsure("a card", (180.0, 180.0))]

    def in_mirror(bgr: np.ndarray, classifier: SymbolClassifier | None, across_px: float | None) -> Reading:
        return replace(read(bgr, classifier, across_px), warnings=tuple(warnings))

    table.settler = CardTracker(in_mirror, LatticeLayout(_find_cells), PretrainedSymbols("36"))
    table.show(LINE, 20)
    assert table.news() == ["table", "mirrored"] and table.settler.active_notices.keys() == {"mirrored"}
    warnings.clear()
    for k in range(60):
        another = picture([np.array(at) for at in ((450.0, 100.0), (520.0, 300.0), (330.0, 330.0))], seed=7000 + k)
        another = np.where(another.min(-1, keepdims=True) > 190, another, another[..., ::-1] + np.uint8(40))
        table.told += [(k, event) for event in table.settler.step(another)]
    assert table.news()[2:] == ["table-lost", "table", "table-found"] and not table.settler.active_notices


def test_what_may_be_a_card_is_said_once_at_its_spot_when_it_counts_as_a_thing() -> None:
    table, looks = Table(), 0

    def with_a_doubt(bgr: np.ndarray, classifier: SymbolClassifier | None, across_px: float | None) -> Reading:
        """A disc of another colour may be a card, and is in doubt in the first look at it."""
        nonlocal looks
        reading = read(bgr, classifier, across_px)
        y, x = np.nonzero(cv2.inRange(bgr, (150, 0, 0), (255, 140, 140)))
        looks += bool(len(x))
        if looks != 1:
            return reading
        doubt = ReadingWarning("unsure", "a star perhaps", (float(x.mean()), float(y.mean())))
        return replace(reading, warnings=(doubt,))

    table.settler = CardTracker(with_a_doubt, LatticeLayout(_find_cells), PretrainedSymbols("36"))
    table.show(LINE, 8)
    for k in range(40):
        image = picture(LINE, seed=8000 + k)
        cv2.circle(image, (420, 280), 16, (190, 110, 60), -1)
        table.told += [(k, event) for event in table.settler.step(image)]
    table.show(LINE, 20)
    assert table.news() == ["table", "maybe-card"] and looks > 1
    said = table.told[-1][1]
    assert said["message"].startswith("A star perhaps") and np.hypot(*np.subtract(said["at"], (420, 280))) < 3


def misreading_tracker(edges: tuple[str | None, ...]) -> CardTracker:
    """A tracker that reads such edges on a card that is partly hidden."""

    def misread(bgr: np.ndarray, classifier: SymbolClassifier | None, across_px: float | None) -> Reading:
        reading = read(bgr, classifier, across_px)
        cards, loose = (
            tuple(replace(c, edges=c.edges if None not in c.edges else edges) for c in some)
            for some in (reading.cards, reading.loose)
        )
        return replace(reading, cards=cards, loose=loose)

    return CardTracker(misread, LatticeLayout(_find_cells), PretrainedSymbols("36"))


def test_a_known_card_that_is_misread_beside_a_cup_on_it_is_no_other_card() -> None:
    table = Table()
    table.settler = misreading_tracker(("blue",) * 6)
    table.show(LINE, 8)
    x, y = (int(v) for v in centre(LINE[2]))
    for k in range(12):
        image = picture(LINE, seed=8000 + k)
        cv2.circle(image, (x + 48, y + 20), 42, (60, 110, 150), -1)
        table.told += [(k, event) for event in table.settler.step(image)]
    table.show(LINE, 8)
    assert table.news() == ["table"]


def test_a_known_card_of_which_a_cup_hides_a_part_for_long_is_no_other_card() -> None:
    table = Table()
    table.settler = misreading_tracker(("blue", None, "red", "red", "red", "red"))
    table.show(LINE, 8)
    x, y = (int(v) for v in centre(LINE[2]))
    for k in range(40):
        image = picture(LINE, seed=8000 + k)
        cv2.circle(image, (x + 8, y), 16, (60, 110, 150), -1)
        table.told += [(k, event) for event in table.settler.step(image)]
    table.show(LINE, 8)
    assert table.news() == ["table"]


@pytest.mark.parametrize("lower", [0, 20])
def test_a_card_misread_under_a_cup_that_lies_on_its_neighbour_too_is_no_other_card(lower: int) -> None:
    table = Table()
    table.settler = misreading_tracker(("blue", *("red",) * 5))
    table.show(LINE, 8)
    x, y = (int(v) for v in centre(LINE[2]))
    for k in range(30):
        image = picture(LINE, seed=8000 + k)
        cv2.circle(image, (x - 22, y + lower), 24, (60, 110, 150), -1)
        table.told += [(k, event) for event in table.settler.step(image)]
    table.show(LINE, 8)
    assert table.news() == ["table"]


def test_a_table_that_cannot_be_read_fully_is_read_a_few_times_before_it_is_told() -> None:
    looks: list[int] = []

    def half_read(bgr: np.ndarray, classifier: SymbolClassifier | None, across_px: float | None) -> Reading:
        looks.append(len(table.told))
        whole = read(bgr, classifier, across_px)
        return replace(whole, cards=tuple(replace(card, edges=(None, *card.edges[1:])) for card in whole.cards))

    table = Table()
    table.settler = CardTracker(half_read, LatticeLayout(_find_cells), PretrainedSymbols("36"))
    table.show(LINE, 25)
    assert table.news() == ["table"] and 14 <= table.told[0][0] <= 17
    assert len(looks) <= 5


def test_a_card_laid_before_the_table_first_settled_is_placed() -> None:
    table = Table()
    table.show(LINE, 1)
    lay(table, LINE, NEW)
    assert table.news() == ["table", "placed"]
    assert len(table.told[0][1]["cards"]) == len(LINE)
    assert np.allclose(np.mean(table.told[1][1]["corners"], 0), centre(NEW), atol=2)


def test_a_card_laid_in_the_first_moments_is_placed_in_the_frame_that_tells_the_table() -> None:
    table = Table()
    x, y = centre(NEW)
    table.show(LINE, 1)
    for k, reach in enumerate((60, 20, 8, 40, 100)):
        image = picture([*LINE, NEW], hand=(x, y + reach), seed=6000 + k)
        image[:180, 400 + 9 * k : 560 + 9 * k] = (90, 120, 170)  # somebody else, who leaves too
        table.told += [(0, event) for event in table.settler.step(image)]
    table.show([*LINE, NEW], 8)
    assert table.news() == ["table", "placed"]
    assert table.told[1][0] == table.told[0][0], "the next hand may come in the very next frame"


def test_a_card_held_in_view_while_the_table_first_settles_is_no_part_of_it() -> None:
    table = Table()
    table.show(LINE, 1)
    for k in range(30):
        image = picture(LINE, hand=(500, 260), seed=3000 + k)
        held = HEXAGON.unit * (SIDE * 0.97) + (500, 240)
        cv2.fillPoly(image, [np.round(held * 16).astype(np.int32)], (235, 235, 235), cv2.LINE_AA, 4)
        table.told += [(k, event) for event in table.settler.step(image)]
    table.show(LINE, 20)
    assert [event["event"] for _, event in table.told if event["event"] != "notice"] == ["table"]
    assert len(table.told[0][1]["cards"]) == len(LINE) and not table.told[0][1]["loose"]


@pytest.mark.parametrize("first, step", [(350, 30), (285, 12), (290, 8)])
def test_a_card_that_a_hand_brings_nearer_from_the_first_picture_on_is_no_part_of_the_table(
    first: int, step: int
) -> None:
    table = Table()
    for k in range(40):
        reach = max(250, first - step * k)
        image = picture(LINE, hand=(500, reach + 20), seed=3000 + k)
        held = HEXAGON.unit * (SIDE * 0.97) + (500, reach)
        cv2.fillPoly(image, [np.round(held * 16).astype(np.int32)], (235, 235, 235), cv2.LINE_AA, 4)
        cv2.rectangle(image, (485, reach + 4), (515, SIZE[0]), (90, 120, 170), -1)
        table.told += [(k, event) for event in table.settler.step(image)]
    assert table.told[0][1]["event"] == "table"
    assert len(table.told[0][1]["cards"]) == len(LINE) and not table.told[0][1]["loose"]


def test_cards_under_a_hand_in_the_first_picture_are_part_of_the_table() -> None:
    table = Table()
    x, y = centre(LINE[1])
    table.show(LINE, 2, hand=(x, y - 10))
    table.show(LINE, 12)
    assert table.news() == ["table"] and len(table.told[0][1]["cards"]) == len(LINE)


def test_a_table_beside_which_people_keep_moving_is_told_after_a_second_and_played_on() -> None:
    table = Table()
    for k in range(40):
        table.show(LINE if k < 20 else [*LINE, NEW], hand=(470 + 40 * (k % 4), 60))
    assert [(event["event"], frame < 15) for frame, event in table.told] == [("table", True), ("placed", False)]
    assert len(table.told[0][1]["cards"]) == len(LINE)


def test_an_empty_table_over_which_somebody_moves_cards_is_told_and_the_first_card_read_beside_them() -> None:
    def confused(bgr: np.ndarray, classifier: SymbolClassifier | None, across_px: float | None) -> Reading:
        """A reader that takes the whole picture for another game where it shows a hand."""
        if across_px is None and (cv2.absdiff(bgr, np.full_like(bgr, (90, 120, 170))).max(-1) < 12).mean() > 0.01:
            return Reading((), (), (), classifier)
        return read(bgr, classifier, across_px)

    table = Table()
    table.settler = CardTracker(confused, LatticeLayout(_find_cells), PretrainedSymbols("36"))
    for k in range(30):
        x, y = 430.0 + 60 * (k % 4), 150.0
        table.show([np.array([x, y])] if k < 15 else [np.array([x, y]), NEW], hand=(x, y + 20))
    assert [(event["event"], frame < 15) for frame, event in table.told] == [("table", True), ("placed", False)]
    assert not table.told[0][1]["cards"] and not table.told[0][1]["loose"]
    assert np.allclose(np.mean(table.told[1][1]["corners"], 0), centre(NEW), atol=2)


def test_a_card_beside_a_hand_that_sways_is_read_as_soon_as_it_lies_free(table: Table) -> None:
    x, y = centre(NEW) + np.array([3.2 * SIDE, 0.0])
    for k in range(36):
        cells: list[Place] = [*LINE, np.array([x + 4 * (k % 2), y])]
        table.show(cells if k < 20 else [*cells, NEW], hand=(x, y + 40 + 4 * (k % 2)))
    assert [(event["event"], frame) for frame, event in table.told if event["event"] != "notice"] == [("placed", 31)]


def test_an_idle_table_says_nothing(table: Table) -> None:
    table.show(LINE, 60)
    assert table.news() == []


def test_a_card_laid_by_a_hand_is_told_once_and_not_before_it_is_free(table: Table) -> None:
    lay(table, LINE, (0, 1))
    assert table.news() == ["placed"]
    frame, told = table.told[0]
    assert np.allclose(np.mean(told["corners"], 0), centre((0, 1)), atol=2)
    assert frame - 8 >= 5, "told while the hand still held it"


def test_where_a_hand_is_at_work_is_looked_at_now_and_then_and_at_once_when_it_has_gone() -> None:
    looks: list[int] = []

    def counted(bgr: np.ndarray, classifier: SymbolClassifier | None, across_px: float | None) -> Reading:
        looks.append(table.frame)
        return read(bgr, classifier, across_px)

    table = Table()
    table.settler = CardTracker(counted, LatticeLayout(_find_cells), PretrainedSymbols("36"), SettleTimes())
    table.show(LINE, 8)
    looks.clear()
    x, y = centre((0, 1))
    for k in range(20):
        table.show(LINE, hand=(x + 20 * (k % 2), y + 30))
    assert 2 <= len(looks) <= 4, "nothing but the hand lies still: it is seldom looked at"
    looks.clear()
    for k in range(9):
        table.show([*LINE, (2, 1)], hand=(x - 30 + 20 * (k % 2), y + 30))
    assert 2 <= len(looks) <= 5, "a card lies still beside it"
    table.show([*LINE, (2, 1), (0, 1)], 4)
    assert table.news() == ["table", "placed", "placed"]


def test_what_no_outline_shows_is_looked_for_where_no_hand_is_at_work() -> None:
    looks: list[bool] = []

    def piece(bgr: np.ndarray, classifier: Any, across_px: float, unchanged: Unchanged) -> Reading:
        looks.append(unchanged.is_thorough)
        return read(bgr, classifier, across_px)

    table = Table()
    layout, classifier = LatticeLayout(_find_cells), PretrainedSymbols("36")
    table.settler = CardTracker(read, layout, classifier, SettleTimes(), read_unknown=piece)
    table.show(LINE, 8)
    x, y = centre((0, 1))
    for k in range(20):
        table.show(LINE, hand=(x + 20 * (k % 2), y + 30))
    assert looks and not any(looks)
    looks.clear()
    table.show([*LINE, (0, 1)], 8)
    assert looks[-1]
    assert table.news() == ["table", "placed"]


def test_a_card_told_by_several_readings_none_of_which_tells_it_all_is_told_removed_too() -> None:
    looks: list[int] = []
    faint = RED.copy()
    faint[0] = np.eye(len(CLASSES), dtype=np.float32)[0] * 0.8 + 0.2 / len(CLASSES)

    def in_part(bgr: np.ndarray, classifier: SymbolClassifier | None, across_px: float | None) -> Reading:
        seen = read(bgr, classifier, across_px)
        if across_px is None:
            return seen
        looks.append(len(seen.cards))
        edges: tuple[str | None, ...] = (None,) + ("red",) * 5
        cards = tuple(replace(card, edges=edges, probabilities=faint) for card in seen.cards)
        return Reading(cards if len(looks) <= 3 else (), (), (), classifier)  # after that nothing is made out

    table = Table()
    table.settler = CardTracker(in_part, LatticeLayout(_find_cells), PretrainedSymbols("36"), SettleTimes())
    table.show(LINE, 8)
    table.show([*LINE, NEW], 12)
    assert table.news() == ["table", "placed"] and None not in table.told[-1][1]["edges"]
    table.show(LINE, 8)
    assert table.news() == ["table", "placed", "removed"]


def test_a_card_taken_away_at_the_pictures_rim_is_told_and_is_no_hand_that_reaches_in(table: Table) -> None:
    at = np.array([480.0, SIZE[0] - SIDE - 4.0])
    for k in range(24):
        hand = (at[0], at[1] - 20) if 2 < k < 8 or 14 < k < 20 else None
        table.show([*LINE, at] if 4 < k < 17 else LINE, hand=hand)
    table.show(LINE, 4)
    assert table.news() == ["placed", "removed"]


def test_cards_keep_the_names_of_their_cells_when_others_come(table: Table) -> None:
    before = {tuple(np.round(c.centre)): c.cell for c in table.cards()}
    lay(table, LINE, (0, 1))
    lay(table, [*LINE, (0, 1)], (1, 1))
    after = {tuple(np.round(c.centre)): c.cell for c in table.cards()}
    assert {k: after.get(k) for k in before} == before
    assert len(set(after.values())) == 5


def test_a_hand_that_comes_and_goes_is_no_news(table: Table) -> None:
    x, y = centre((1, 0))
    for reach in (390, 300, 220, y, y - 20, y, y, y, 220, 300, 390):
        table.show(LINE, hand=(x, reach))
    table.show(LINE, 20)
    assert table.news() == []


def test_a_hand_resting_on_cards_is_mentioned_and_takes_no_card_away(table: Table) -> None:
    x, y = centre((1, 0))
    table.show(LINE, 60, hand=(x, y - 10))
    assert table.news() == ["hand-resting"]
    table.show(LINE, 20)
    assert table.news() == ["hand-resting"]
    assert len(table.cards()) == 3


def test_a_card_held_for_long_is_not_told_though_one_side_of_the_arm_is_hardly_lighter_than_the_table(
    table: Table,
) -> None:
    at = np.array([500.0, 200.0])
    x, y = at.astype(int)
    arm = np.array([60.0, 90, 120]) + np.linspace(1, 0, 80)[None, :, None] * np.array([20.0, 25, 50])
    for k in range(150):
        image = picture([*LINE, at]).astype(np.float32)
        image[y + 24 :, x - 40 : x + 40] = arm
        image += grain(k) * np.float32(2 / 3)
        table.told += [(k, told) for told in table.settler.step(np.clip(image, 0, 255).astype(np.uint8))]
    assert table.news() == ["hand-resting"]


def show_cup(table: Table, at: np.ndarray, radius: float, frames: int) -> None:
    """Frames on which a round thing stands on the table."""
    for k in range(frames):
        image = picture(LINE, seed=2000 + k)
        cv2.circle(image, tuple(np.round(at).astype(int).tolist()), round(radius), (30, 110, 120), -1, cv2.LINE_AA)
        table.told += [(k, event) for event in table.settler.step(image)]


def test_what_has_lain_on_the_table_for_long_is_looked_at_seldom_until_something_stirs() -> None:
    looks = []

    class Counting(CardTracker):
        def _process(self, view: ObservedFrame) -> list[TableEvent]:
            looks.append(view.now_s)
            return super()._process(view)

    table = Table()
    table.settler = Counting(read, LatticeLayout(_find_cells), PretrainedSymbols("36"))
    table.show(LINE, 8)
    x, y = centre(LINE[2])
    table.show(LINE, 60, hand=(x, y))
    looks.clear()
    table.show(LINE, 50, hand=(x, y))
    assert 4 <= len(looks) < 25
    table.told.clear()
    table.show(LINE[:2], 8)
    assert table.news() == ["removed"]


def test_a_cup_as_large_as_a_card_that_stands_on_most_of_one_takes_nothing_away(table: Table) -> None:
    show_cup(table, centre(LINE[2]) + np.array([7.0, 8.0]), 0.85 * SIDE, 40)
    table.show(LINE, 15)
    assert table.news() == []


def test_a_cup_that_stands_on_most_of_one_card_and_part_of_another_takes_nothing_away(table: Table) -> None:
    show_cup(table, centre(LINE[2]) - np.array([12.0, 4.0]), 0.95 * SIDE, 40)
    table.show(LINE, 15)
    assert table.news() == []


def test_a_card_taken_away_is_told_once(table: Table) -> None:
    table.show(LINE[:2], 40)
    assert table.news() == ["removed"]


def test_flicker_and_a_jump_of_the_exposure_are_no_news(table: Table) -> None:
    for i in range(20):
        table.show(LINE, light=1.0 + 0.04 * (-1) ** i)
    table.show(LINE, 20, light=0.7)
    assert table.news() == []


def test_lights_out_and_on_again_are_said_and_place_nothing(table: Table) -> None:
    table.show(LINE, 6, light=0.02)
    table.show(LINE, 15)
    assert table.news() == ["dark", "light-back"]


@pytest.mark.parametrize(
    ("light", "said"),
    [
        ([0.0], ["dark", "light-back"]),
        ([0.0] * 30, ["dark", "light-back"]),
        ([0.07] * 8, ["dark", "light-back"]),
        ([k / 15 for k in range(15)], ["dark", "light-back"]),
        ([0.6] * 2, []),
        ([1.6] * 2, []),
    ],
    ids=["one dark frame", "three dark seconds", "a dim start", "light that fades in", "less light", "more light"],
)
def test_a_table_begins_when_the_light_has_settled(light: list[float], said: list[str]) -> None:
    """After a first dark frame no table was ever told, as after all that a camera's exposure takes to settle."""
    table = Table()
    for share in light:
        table.show(LINE, light=share)
    table.show(LINE, 8)
    assert table.news() == [*said, "table"]
    assert len(table.cards()) == len(LINE)
    lay(table, LINE, NEW)
    assert table.news()[-1] == "placed" and len(table.cards()) == len(LINE) + 1


def test_a_table_begins_though_its_light_never_settles() -> None:
    table = Table()
    for i in range(40):
        table.show(LINE, light=1.0 if i % 2 else 0.7)
    assert table.news() == ["table"]


def test_a_bumped_camera_is_said_and_places_nothing(table: Table) -> None:
    table.show(LINE, 25, shift=(21.0, 13.0))
    assert table.news() == ["camera-moved"]
    table.told.clear()
    x = centre((0, 1))[0] + 21
    table.show(LINE, hand=(x, 300), shift=(21.0, 13.0))
    table.show([*LINE, (0, 1)], 12, shift=(21.0, 13.0))
    assert table.news() == ["placed"]


def test_a_bump_that_the_cards_were_already_followed_through_moves_them_no_second_time(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    shift = (3.0, 1.0)
    motion: list[tuple[bool, np.ndarray | None]] = [(False, None)]
    monkeypatch.setattr(CameraMotion, "settle", lambda self, bgr: motion[0])
    monkeypatch.setattr(camera_motion, "_FARTHEST", 0.0)  # it is taken for no trembling either
    table.show(LINE, 12, shift=shift)
    where = [centre(cell) + shift for cell in LINE]
    assert np.allclose(sorted(card.centre for card in table.cards()), where, atol=1.5)
    motion[0] = (True, np.array([[1, 0, shift[0]], [0, 1, shift[1]], [0, 0, 1]]))
    table.show(LINE, 1, shift=shift, hand=(210.0, 100.0))
    assert np.allclose(sorted(card.centre for card in table.cards()), where, atol=1.5)
    assert table.news() == []


def test_a_camera_that_trembles_hides_no_card_and_tells_none(table: Table) -> None:
    rng = np.random.default_rng(1)
    for k in range(90):
        cells = [*LINE, NEW] if 30 <= k < 60 else LINE
        hand = (*centre(NEW),) if k in (28, 29, 30, 58, 59, 60) else None
        table.show(cells, hand=hand, shift=tuple(rng.normal(0, 1.2, 2).tolist()))
    assert table.news() == ["placed", "removed"]
    assert next(frame - 8 for frame, _ in table.told) < 40


def test_outlines_follow_a_camera_that_has_sunk_a_little(table: Table) -> None:
    shift = (3.0, 1.0)
    table.show(LINE, 12, shift=shift)
    where = [centre(cell) + shift for cell in LINE]
    assert np.allclose(sorted(card.centre for card in table.cards()), where, atol=1.0)
    assert table.news() == []


def test_a_card_taken_away_while_the_camera_is_bumped_is_told_as_removed(table: Table) -> None:
    table.show(LINE[:2], 40, shift=(21.0, 13.0))
    assert table.news() == ["camera-moved", "removed"]
    assert len(table.cards()) == 2


def test_a_card_that_cannot_be_read_is_told_late_with_a_notice(table: Table) -> None:
    show_spotted(table, NEW, 30)
    assert table.news() == ["placed", "unsure"]
    assert table.told[0][1]["edges"] == [None] * 6


def test_a_card_that_was_read_in_part_is_told_once_more_when_it_is_read_whole(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_in_part(bgr: np.ndarray, classifier: SymbolClassifier | None, across_px: float | None) -> Reading:
        seen = read(bgr, classifier, across_px)
        cards = [replace(c, edges=tuple(e or ("red", None)[d % 2] for d, e in enumerate(c.edges))) for c in seen.cards]
        return replace(seen, cards=tuple(cards))

    table.settler = CardTracker(read_in_part, LatticeLayout(_find_cells), PretrainedSymbols("36"))
    show_spotted(table, NEW, 30)
    assert table.news() == ["table"]
    table.told.clear()
    table.show([*LINE, NEW], 30)
    assert table.news() == ["moved"]
    assert table.told[0][1]["edges"] == ["red"] * 6 and len(table.cards()) == 4


def test_a_card_that_could_not_be_read_is_told_once_more_when_it_can(table: Table) -> None:
    show_spotted(table, NEW, 30)
    table.told.clear()
    table.show([*LINE, NEW], 30)
    assert table.news() == ["moved"]
    assert table.told[0][1]["edges"] == ["red"] * 6


def test_a_card_that_the_reader_misses_in_a_small_piece_is_read_in_a_larger_one() -> None:
    def misses(bgr: np.ndarray, classifier: SymbolClassifier | None, across_px: float | None) -> Reading:
        is_small = across_px is not None and bgr.shape[0] < 160
        return Reading((), (), (), classifier) if is_small else read(bgr, classifier, across_px)

    table = Table()
    table.settler = CardTracker(misses, LatticeLayout(_find_cells), PretrainedSymbols("36"), SettleTimes())
    table.show(LINE, 8)
    table.show([*LINE, NEW], 8)
    assert table.news() == ["table", "placed"]


def test_two_cards_laid_at_once_are_both_told(table: Table) -> None:
    table.show(LINE, hand=(300, 300))
    table.show([*LINE, (0, 1), (2, -1)], 12)
    assert table.news() == ["placed", "placed"]
    assert [event.get("tied", False) for _, event in table.told] == [False, True]


@pytest.mark.parametrize("order", [[NEW, (2, -1)], [(2, -1), NEW]])
def test_two_plays_a_fifth_of_a_second_apart_are_told_in_their_order(table: Table, order: list[Cell]) -> None:
    x, y = 560.0, 380.0
    table.show(LINE, 2, hand=(x, y))
    table.show([*LINE, order[0]], 2, hand=(x, y))
    table.show([*LINE, *order], 2, hand=(x, y))
    table.show([*LINE, *order], 12)
    assert table.news() == ["placed", "placed"]
    middles = [np.mean(event["corners"], 0) for _, event in table.told]
    assert [min(order, key=lambda cell: float(np.linalg.norm(centre(cell) - at))) for at in middles] == order
    assert not any("tied" in event for _, event in table.told)


DOTS = [tuple(place) for place in HEXAGON.unit * 0.6 * SIDE]


def of_table_colour(cells: Sequence[Cell], seed: int) -> np.ndarray:
    """Cards that are hardly lighter than the table and show six small dots."""
    image = EMPTY.copy()
    for cell in cells:
        at = centre(cell)
        cv2.fillPoly(image, [np.round((HEXAGON.unit * SIDE * 0.97 + at) * 16).astype(np.int32)], (65, 95, 125), 16, 4)
        for dot in DOTS:
            cv2.circle(image, tuple(int(v) for v in np.round(at + dot)), 2, (160, 180, 190), -1, cv2.LINE_AA)
    return np.asarray(cv2.add(image, grain(seed), dtype=cv2.CV_8U))


def read_dots(bgr: np.ndarray, classifier: SymbolClassifier | None, across_px: float | None) -> Reading:
    """Where dots stand in a circle, a card lies."""
    ring = np.zeros((2 * int(SIDE) + 1,) * 2, np.uint8)
    for dot in DOTS:
        cv2.circle(ring, tuple(int(v) for v in np.round(SIDE + np.array(dot))), 3, 1, -1)
    dots = (bgr.min(-1) > 110).astype(np.float32)
    filled = cv2.filter2D(cv2.dilate(dots, np.ones((3, 3))), -1, ring.astype(np.float32)) / ring.sum()
    count, _, _, centres = cv2.connectedComponentsWithStats((filled > 0.75).astype(np.uint8))
    cards = [
        DetectedCard(None, ("red",) * 6, (HEXAGON.unit * SIDE + centres[k]).astype(np.float32), 0.9, 0.95, RED)
        for k in range(1, count)
    ]
    named = assign_cells(cards, _find_cells) if cards else []
    tableau, loose = (tuple(c for c in named if (c.cell is None) == is_loose) for is_loose in (False, True))
    return Reading(tableau, loose, (), classifier)


def test_a_card_of_the_tables_colour_is_seen_by_what_is_printed_on_it() -> None:
    """Brown cards on brown wood: their dots alone were crumbs of a change, and the rest hardly was one."""
    tracker, told = CardTracker(read_dots, LatticeLayout(_find_cells), PretrainedSymbols("36")), []
    for k in range(60):
        cells = LINE if not 12 <= k < 36 else [*LINE, NEW]
        told += [event["event"] for event in tracker.step(of_table_colour(cells, k))]
    assert told == ["table", "placed", "removed"]


def test_a_loose_card_is_placed_without_a_cell_and_moved_when_it_joins(table: Table) -> None:
    table.show([*LINE, np.array([520.0, 300.0])], 12)
    assert [t["cell"] for _, t in table.told] == [None]


# ------------------------------------------------------------ the states of a track


def track_at(table: Table, place: Cell) -> Track[DetectedCard] | None:
    near = (t for t in table.settler.tracks if np.linalg.norm(t.piece.centre - centre(place)) < 20)
    return next(near, None)


def state_at(table: Table, place: Cell) -> TrackState | None:
    """The state of the track at a place; None where there is none."""
    track = track_at(table, place)
    return track and track.state


def reason_at(table: Table, place: Cell) -> str:
    track = track_at(table, place)
    assert track is not None
    return track.reason


def show_until(table: Table, cells: Sequence[Place], place: Cell, state: TrackState) -> None:
    """Show a table until a card's track is in a state, ten frames at most."""
    for _ in range(10):
        table.show(cells)
        if state_at(table, place) is state:
            return
    raise AssertionError(f"the track at {place} never was {state.value}")


def show_spotted(table: Table, place: tuple[int, int], frames: int) -> None:
    """Frames on which a card has a stain that nobody can read."""
    x, y = centre(place)
    for k in range(frames):
        image = picture([*LINE, place], seed=1000 + k)
        cv2.circle(image, (int(x) + 6, int(y)), 16, (40, 60, 80), -1)
        table.told += [(k, event) for event in table.settler.step(image)]


def test_the_diagram_shows_exactly_the_transitions_that_are_allowed() -> None:
    drawn = set(re.findall(r"^ +(\w+) --> (\w+):", DIAGRAM.read_text(encoding="utf-8"), re.MULTILINE))
    assert drawn == {(a.value, b.value) for a, after in TRANSITIONS.items() for b in after}


def test_a_track_takes_no_other_way() -> None:
    track = Track("card", 0.0)
    with pytest.raises(ValueError, match="from appearing to leaving"):
        track.enter(TrackState.LEAVING, 1.0)


def test_appearing_to_still(table: Table) -> None:
    show_spotted(table, NEW, 5)
    assert state_at(table, NEW) is TrackState.APPEARING
    assert reason_at(table, NEW) == "it cannot be read fully yet" and table.news() == []
    table.show([*LINE, NEW], 4)
    assert state_at(table, NEW) is TrackState.STILL and table.news() == ["placed"]


def test_appearing_to_gone(table: Table) -> None:
    show_spotted(table, NEW, 5)
    table.show(LINE, 8)
    assert state_at(table, NEW) is None and table.news() == []


def test_still_to_covered_and_back(table: Table) -> None:
    x, y = centre((1, 0))
    table.show(LINE, 3, hand=(x, y - 10))
    assert state_at(table, (1, 0)) is TrackState.COVERED and reason_at(table, (1, 0)) == "a hand is over it"
    table.show(LINE, 8)
    assert state_at(table, (1, 0)) is TrackState.STILL and table.news() == []


def test_still_to_leaving_to_gone(table: Table) -> None:
    seen = []
    for _ in range(8):
        table.show(LINE[:2])
        seen.append(state_at(table, LINE[2]))
    assert TrackState.LEAVING in seen and seen[-1] is None and table.news() == ["removed"]


def test_leaving_to_still(table: Table) -> None:
    show_until(table, LINE[:2], LINE[2], TrackState.LEAVING)
    table.show(LINE, 6)
    assert state_at(table, LINE[2]) is TrackState.STILL and table.news() == []


def test_leaving_to_covered(table: Table) -> None:
    show_until(table, LINE[:2], LINE[2], TrackState.LEAVING)
    x, y = centre(LINE[2])
    table.show(LINE[:2], 2, hand=(x, y - 10))
    assert state_at(table, LINE[2]) is TrackState.COVERED and table.news() == []


def test_covered_to_leaving(table: Table) -> None:
    x, y = centre(LINE[2])
    table.show(LINE, 3, hand=(x, y - 10))
    assert state_at(table, LINE[2]) is TrackState.COVERED
    seen = []
    for _ in range(8):
        table.show(LINE[:2])
        seen.append(state_at(table, LINE[2]))
    assert TrackState.LEAVING in seen and table.news() == ["removed"]


def test_still_to_gone_when_another_face_shows(table: Table) -> None:
    before = track_at(table, LINE[0])
    table.show(LINE, 30, blue=LINE[0])
    assert before is not None and before.state is TrackState.GONE and table.news() == ["removed", "placed"]


def test_covered_to_gone_when_another_face_shows_after_the_hand(table: Table) -> None:
    before = track_at(table, LINE[2])
    x, y = centre(LINE[2])
    table.show(LINE, 4, hand=(x, y - 10), blue=LINE[2])
    assert before is not None and before.state is TrackState.COVERED
    table.show(LINE, 30, blue=LINE[2])
    assert before.state is TrackState.GONE and table.news() == ["removed", "placed"]


class _SureAtNine:
    """Accepts what is nine in ten likely."""

    def accept(self, probabilities):
        return tuple("rs"[row.argmax()] if row.max() >= 0.9 else None for row in probabilities)


class _WithCorrelatedErrors(_SureAtNine):
    """And knows that all frames err alike."""

    def discounted(self, likely, mean):
        return mean


_SURE_AT_NINE = _SureAtNine()


def told_of(shares, classifier=_SURE_AT_NINE, silver=None):
    """What a card shows, read some times, each time with such a share for red, else, or so surely, for silver."""
    corners = np.array([[0, 0], [10, 0], [10, 10], [0, 10]], np.float32)
    track = Track(None, 0.0)
    for k, share in enumerate(shares):
        seen = np.array([[share, 1 - share if silver is None else silver]], np.float32)
        card = DetectedCard(None, classifier.accept(seen), corners, 0.5, 1.0, seen)
        add_reading(track, card, classifier, 0.1 * k)
    return track.piece.edges[0]


def test_readings_that_agree_are_surer_together_than_any_alone():
    assert told_of([0.8]) is None and told_of([0.8] * 3) == "r"
    assert told_of([0.95, 0.7, 0.95]) == "r"  # a look in doubt undoes nothing
    assert told_of([0.99, 0.001, 0.99]) == "r"  # nor does one that errs surely
    assert told_of([0.7] * 20) is None  # frames err alike: many are no proof
    assert told_of([0.7] * 20, silver=0.0) is None  # nor is what a doubt took from red in each of them
    assert told_of([0.8] * 3, _WithCorrelatedErrors()) is None and told_of([0.95] * 3, _WithCorrelatedErrors()) == "r"
