"""Hexagons beside each other: which of them are tiles, which are printed on tiles, and which are but gaps.

The pictures in `tests/scenes` are path-traced from printings of our own; nothing was trained on them.
"""

from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.vision.detection.bare_cells import bare_cells
from companion.vision.detection.boards import NEIGHBOURS, Board
from companion.vision.detection.hexagon_boards import boards_last
from companion.vision.detection.outlines import detect_outlines
from companion.vision.detection.printed_frames import outer_edges
from companion.vision.detection.suppression import Outline
from companion.vision.geometry import UNIT_HEXAGON
from companion.vision.image.pyramid import Pyramid

SCENES = Path(__file__).parents[1] / "scenes"
Floats = NDArray[np.float64]
FRAMED = (
    ((301.0, 126.9), (294.8, 253.2), (172.7, 314.9), (60.0, 241.2), (75.8, 112.9), (194.6, 60.1)),
    ((519.2, 140.8), (521.0, 265.4), (407.7, 325.5), (295.0, 252.2), (302.1, 126.0), (412.8, 74.4)),
    ((731.0, 156.6), (739.9, 279.4), (634.4, 337.6), (522.0, 264.4), (521.4, 140.1), (624.9, 90.1)),
)
"""The corners of the cards of `framed-hexagons.jpg`."""


def scene(name: str) -> NDArray[np.uint8]:
    return np.asarray(cv2.imread(str(SCENES / name)), np.uint8)


def found_at(found: tuple[Outline, ...], x: float, y: float) -> list[Outline]:
    """The outlines around a place."""
    return [one for one in found if cv2.pointPolygonTest(one.corners.astype(np.float32), (x, y), False) > 0]


def size(outline: Outline) -> float:
    return float(np.sqrt(cv2.contourArea(outline.corners.astype(np.float32))))


def test_hexagons_within_bands_that_are_printed_along_cards_edges_are_no_cards() -> None:
    found = detect_outlines(scene("bands-around-hexagons.jpg"), 6)
    for x, y in ((162, 274), (243, 307), (173, 359), (252, 393), (230, 221), (312, 254), (151, 188)):
        assert [round(size(one) / 78, 1) for one in found_at(found, x, y)] == [1.0], (x, y)


def test_a_gap_between_cards_is_no_card() -> None:
    found = detect_outlines(scene("gaps-between-hexagons.jpg"), 6)
    for x, y in ((147, 156), (342, 194), (168, 289)):
        assert not found_at(found, x, y), (x, y)
    for x, y in ((298, 137), (269, 207), (242, 278), (316, 266), (222, 147), (214, 348), (194, 218)):
        assert len(found_at(found, x, y)) == 1, (x, y)


def test_what_a_board_has_drawn_on_it_is_no_tile() -> None:
    found = detect_outlines(scene("cells-of-a-board.jpg"), 6)
    assert sorted(round(size(one) / 96, 1) for one in found) == [1.0] * 5
    for x, y in ((333, 308), (393, 220), (349, 124), (227, 300), (241, 114)):
        assert len(found_at(found, x, y)) == 1, (x, y)


def test_the_table_shows_through_holes_among_cards() -> None:
    found = detect_outlines(scene("holes-among-hexagons.jpg"), 6)
    for x, y in ((207, 194), (274, 167)):
        assert not found_at(found, x, y), (x, y)
    for x, y in ((322, 209), (260, 233), (196, 259), (337, 146), (289, 104), (223, 130), (143, 221), (156, 155)):
        assert len(found_at(found, x, y)) == 1, (x, y)


def test_drawn_cells_are_taken_from_a_board_rim_by_rim_down_to_its_tiles() -> None:
    cells = [(q, r) for q in range(-2, 3) for r in range(-2, 3) if abs(q + r) <= 2]
    board = Board({cell: i for i, cell in enumerate(cells)}, np.array([[40.0, 0, 300], [0, 40, 240], [0, 0, 1]]), 0.97)
    tiles, paper, ink = {(0, 0), (1, 0)}, 200.0, 90.0
    colours = np.full((len(cells), 2, 6, 8, 3), paper)
    for i, cell in enumerate(cells):
        colours[i, 0] = ink if cell in tiles else paper
        for side, (dq, dr) in enumerate(NEIGHBOURS):
            colours[i, 1, side] = ink if (cell[0] + dq, cell[1] + dr) in tiles else paper
    assert bare_cells(board, board.outlines(cells), colours) == set(cells) - tiles


@pytest.mark.parametrize(("tiles", "is_board"), [(5, True), (4, False)])
def test_what_five_tiles_lie_on_is_their_board(tiles: int, is_board: bool) -> None:
    large = Outline(200 * UNIT_HEXAGON + 300, 0.98)
    small = [Outline(30 * UNIT_HEXAGON + (200 + 60 * k, 300), 0.4) for k in range(tiles)]
    assert (boards_last([large, *small])[-1] is large) == is_board


def test_tiles_are_looked_for_on_a_hexagon_that_may_be_their_board() -> None:
    found = detect_outlines(scene("tiles-on-a-board.jpg"), 6)
    tiles = ((430, 177), (487, 151), (319, 164), (436, 112), (325, 100), (259, 191), (364, 266), (383, 74), (480, 214))
    for x, y in tiles:
        assert any(np.linalg.norm(one.corners.mean(0) - (x, y)) < 8 and size(one) < 90 for one in found), (x, y)


def test_the_outer_edge_of_a_printed_frame_is_the_cards() -> None:
    found = detect_outlines(scene("framed-hexagons.jpg"), 6)
    assert len(found) == len(FRAMED)
    for card in FRAMED:
        true = np.array(card)
        (one,) = found_at(found, *true.mean(0).tolist())
        off = min(np.linalg.norm(true - np.roll(one.corners, k, 0), axis=1).max() for k in range(6))
        assert off < 0.04 * np.linalg.norm(true[1] - true[0])


def lay(picture: NDArray[np.uint8], corners: Floats, colour: tuple[int, int, int]) -> None:
    cv2.fillConvexPoly(picture, np.round(corners * 16).astype(np.int32), colour, cv2.LINE_AA, 4)


@pytest.mark.parametrize(("apart", "is_frame"), [(130.0, True), (105.0, False)])
def test_what_steps_beyond_hexagons_that_touch_is_no_frame(apart: float, is_frame: bool) -> None:
    """Hexagons of 60 pixels whose neighbours begin where a frame of 7 would end, and others that lie farther apart."""
    picture = np.full((500, 700, 3), 60, np.uint8)
    middles = [np.array([250.0 + apart * k, 240.0]) for k in range(3)]
    inner = np.array([60 * np.roll(UNIT_HEXAGON, 1, 1) * [-1, 1] + middle for middle in middles])
    for corners in inner:
        lay(picture, corners.mean(0) + 1.12 * (corners - corners.mean(0)), (40, 120, 160))
    for corners in inner:
        lay(picture, corners, (210, 215, 220))
    moved = outer_edges(Pyramid.of(picture, 5), inner)
    grown = np.linalg.norm(moved - moved.mean(1, keepdims=True), axis=2).mean() / 60
    assert grown == pytest.approx(1.12 if is_frame else 1.0, abs=0.02)


def test_one_hexagon_in_four_may_be_printed_on_a_larger_tile() -> None:
    cells = {(q, r): 10 * (q + 3) + r + 3 for q in range(-3, 4) for r in range(-3, 4)}
    board = Board(cells, np.array([[20.0, 2, 300], [-1, 18, 240], [1e-4, 2e-4, 1]]), 0.97)
    wide = board.of_larger_tiles()
    assert sorted(index for one in wide for index in one.cells.values()) == sorted(cells.values())
    for one in wide:
        for cell, index in one.cells.items():
            of_small = next(small for small, k in cells.items() if k == index)
            assert np.allclose(one.corners(cell).mean(0), board.corners(of_small).mean(0), atol=0.5)
            assert cv2.contourArea(one.corners(cell).astype(np.float32)) == pytest.approx(
                4 * cv2.contourArea(board.corners(of_small).astype(np.float32)), rel=0.03
            )
