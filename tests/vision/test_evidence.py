"""The picture a move was read from: kept clean enough to be read again, drawn upon only when it is shown."""

from dataclasses import dataclass

import cv2
import numpy as np
import pytest

from companion.games.hexel.vision.recognizer import read_hexel
from companion.vision.evidence import draw_labels, draw_marks, evidence_picture, marks_of
from companion.vision.image.codec import decode_picture
from companion.vision.results import DetectedCard, Reading
from models.drawing.hexel.photograph import photograph


@dataclass(frozen=True)
class Written:
    """A card, and the line that tells it."""

    corners: np.ndarray
    words: str

    def line(self) -> str:
        return self.words


@pytest.fixture(scope="module")
def table() -> tuple[np.ndarray, Reading]:
    """A calm table of six cards, and its reading."""
    rng = np.random.default_rng(21)
    picture = photograph(rng, edition="36", printing="exact", cards=6, across_px=95, hardness=0.0)
    return picture.bgr, read_hexel(picture.bgr)


def test_a_kept_picture_is_read_again_as_it_was(table: tuple[np.ndarray, Reading]) -> None:
    bgr, reading = table
    kept = decode_picture(evidence_picture(bgr, reading.cards, reading.cards[-1:]))
    assert kept is not None
    again = read_hexel(kept)
    assert {c.cell: c.edges for c in again.cards} == {c.cell: c.edges for c in reading.cards}
    assert float(np.abs(kept.astype(int) - bgr).mean()) < 3.0, "nothing is painted on it"


def test_what_was_recognised_travels_with_it(table: tuple[np.ndarray, Reading]) -> None:
    bgr, reading = table
    news = reading.cards[-1]
    marks = marks_of(evidence_picture(bgr, reading.cards, [news]))
    assert marks is not None
    assert [mark.is_new for mark in marks] == [True] + [False] * (len(reading.cards) - 1)
    assert (marks[0].face, marks[0].east) == (news.edges, news.east)
    assert np.allclose(marks[0].corners, news.corners, atol=0.06)


def test_a_wide_picture_is_kept_smaller_with_its_marks_in_place() -> None:
    wide = np.full((100, 4608, 3), 127, np.uint8)
    corners = np.array([[4000, 10], [4100, 10], [4150, 50], [4100, 90], [4000, 90], [3950, 50]], np.float32)
    card = DetectedCard((0, 0), ("red",) * 6, corners, 0.9, 0.9, np.zeros((6, 4)))
    jpeg = evidence_picture(wide, [card], [card])
    picture, marks = decode_picture(jpeg), marks_of(jpeg)
    assert picture is not None
    assert marks is not None
    assert picture.shape[1] == 2304
    assert np.allclose(marks[0].corners, corners / 2)
    assert len(marks) == 1


def test_it_is_drawn_for_people_to_look_at(table: tuple[np.ndarray, Reading]) -> None:
    bgr, reading = table
    news = reading.cards[-1]
    shown = decode_picture(draw_marks(evidence_picture(bgr, reading.cards, [news])))
    assert shown is not None
    scale = shown.shape[1] / bgr.shape[1]
    x, y = np.round((news.corners[0] + news.corners[1]) / 2 * scale).astype(int)
    b, g, r = shown[y, x].astype(int)
    assert g > r + 60, "the outline of the card that the move is about is green"
    assert g > b + 60


def test_a_reading_is_labelled_without_where_the_cards_lie(table: tuple[np.ndarray, Reading]) -> None:
    bgr, reading = table
    corners = reading.cards[0].corners
    told = [Written(corners, line) for line in ("red  0.97", "  (-1, 0)  red  0.97", "red at 30,40  0.97")]
    assert len({draw_labels(bgr, [card]) for card in told}) == 1


def test_the_card_that_a_move_is_about_is_shown_close(table: tuple[np.ndarray, Reading]) -> None:
    bgr, reading = table
    news = reading.cards[0]
    piece = decode_picture(draw_marks(evidence_picture(bgr, reading.cards, [news]), close=True))
    assert piece is not None
    wide, high = (news.corners.max(0) - news.corners.min(0)).tolist()
    assert max(wide, high) < max(piece.shape[:2]) < 1.5 * max(wide, high)
    x0, y0 = np.maximum(news.corners.min(0) - 0.15 * max(wide, high), 0).astype(int)
    there = bgr[y0 : y0 + piece.shape[0], x0 : x0 + piece.shape[1]].astype(int)
    assert np.abs(there - piece).mean() < 12, "the card itself, with nothing drawn on it"


@pytest.mark.parametrize("face", [("7", "7", None), (), ("blue", "odd")])
def test_a_card_of_any_shape_is_drawn(face: tuple[str | None, ...]) -> None:
    corners = np.array([[20, 20], [120, 20], [120, 80], [20, 80]], np.float32)
    card = DetectedCard(None, face, corners, 0.9, 0.9, np.zeros((6, 4)))
    grey = np.full((100, 160, 3), 127, np.uint8)
    shown = decode_picture(draw_marks(evidence_picture(grey, [], [card])))
    assert shown is not None
    assert shown[20, 70, 1] > 160


def test_a_picture_from_before_is_shown_as_it_is_and_has_no_marks() -> None:
    _, data = cv2.imencode(".jpg", np.full((30, 40, 3), 99, np.uint8))
    jpeg = data.tobytes()
    assert marks_of(jpeg) is None
    assert draw_marks(jpeg) == jpeg
    for broken in (b"", b"\xff\xd8", b"no picture", jpeg[:40]):
        assert marks_of(broken) is None
        assert draw_marks(broken) == broken


def test_a_comment_of_another_form_is_left_alone() -> None:
    jpeg = evidence_picture(np.full((30, 40, 3), 99, np.uint8), [], [])
    assert marks_of(jpeg) == ()
    assert marks_of(jpeg.replace(b"companion 2 [", b"companion 9 [")) is None


HEXAGON = "[[10,10],[60,10],[80,50],[60,90],[10,90],[0,50]]"


@pytest.mark.parametrize(
    "told",
    [
        "[" * 60_000, "{", "null", "5", "[[1]]",
        f'[[{HEXAGON},[5,5,5,5,5,5],0,true,null]]',
        f'[[{HEXAGON},["+x","+3","+3","+3","+3","+3"],0,true,null]]',
        f'[[{HEXAGON},["red"],"x",true,null]]',
        f'[[{HEXAGON},["red"],0,1,null]]',
        f'[[{HEXAGON},["red"],0,true,5]]',
        '[[[],["red"],0,true,null]]', '[[[1,2,3],["red"],0,true,null]]', '[["abc",["red"],0,true,null]]',
        '[[[[NaN,1],[1,1],[2,2]],["red"],0,true,null]]', '[[[[1e8,1],[1,1],[2,2]],["red"],0,true,null]]',
    ],
)  # fmt: skip
def test_a_comment_with_other_things_in_it_is_none(told: str) -> None:
    jpeg = commented(told)
    assert marks_of(jpeg) is None
    assert [draw_marks(jpeg, close) for close in (False, True)] == [jpeg, jpeg]


@pytest.mark.parametrize("corner", ["[5,5]", "[-5000,-5000]"])
def test_a_card_beside_the_picture_is_shown_by_the_whole_picture(corner: str) -> None:
    jpeg = commented(f'[[[{corner},{corner},{corner}],["red"],0,true,null]]')
    shown = decode_picture(draw_marks(jpeg, close=True))
    assert shown is not None and shown.shape == (30, 40, 3)


def commented(told: str) -> bytes:
    """A picture whose comment begins as this house's and says something."""
    _, data = cv2.imencode(".jpg", np.full((30, 40, 3), 99, np.uint8))
    text = b"companion 2 " + told.encode()
    return b"\xff\xd8\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text + data.tobytes()[2:]


def test_more_cards_than_a_comment_holds_leave_the_news() -> None:
    corners = np.linspace(0, 1000, 12).reshape(6, 2).astype(np.float32)
    card = DetectedCard((0, 0), ("void",) * 6, corners, 0.9, 0.9, np.zeros((6, 4)))
    crowd = [DetectedCard((0, n), ("void",) * 6, corners, 0.9, 0.9, np.zeros((6, 4))) for n in range(900)]
    marks = marks_of(evidence_picture(np.full((30, 40, 3), 99, np.uint8), crowd, [card]))
    assert marks is not None
    assert [mark.is_new for mark in marks] == [True]


def test_a_line_is_drawn_between_the_edges_that_a_tile_joins() -> None:
    angles = np.radians(np.arange(0, 360, 60))
    corners = np.stack([100 + 60 * np.cos(angles), 100 + 60 * np.sin(angles)], 1).astype(np.float32)
    face = ("+3", "tail", "head:red", "+3", None, "star:purple")
    tile = DetectedCard((0, 0), face, corners, 0.9, 0.9, np.zeros((6, 4)))
    shown = decode_picture(draw_marks(evidence_picture(np.full((200, 200, 3), 127, np.uint8), [], [tile])))
    assert shown is not None
    b, g, r = shown[100, 100].astype(int)
    assert r > g > b + 40, "edge 0 is joined with the one across, through the middle"


def test_the_zone_that_a_card_lay_in_is_kept() -> None:
    left, right = (np.array([[x, 20], [x + 60, 20], [x + 60, 60], [x, 60]], np.float32) for x in (10, 110))
    cards = [DetectedCard(None, ("7", "7", "7"), corners, 0.9, 0.9, np.zeros((3, 4))) for corners in (left, right)]
    jpeg = evidence_picture(np.full((80, 200, 3), 127, np.uint8), cards, [], lambda at: "Vain" if at[0] < 100 else None)
    marks = marks_of(jpeg)
    assert marks is not None
    assert [mark.zone for mark in marks] == ["Vain", None]
