"""The marks and the board as OpenCV sees them."""

import cv2
import numpy as np

from companion.printing import marks
from companion.printing.material import sheets_of
from companion.printing.raster import raster
from companion.printing.shapes import Box, moved

PX_PER_MM = 4
DICTIONARY = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)


def drawn(shapes: tuple, wide_mm: float, high_mm: float) -> np.ndarray:
    """Shapes around the origin, in black on white paper."""
    box = Box(-wide_mm / 2, -high_mm / 2, wide_mm / 2, high_mm / 2)
    ink = raster(shapes, PX_PER_MM, box)
    return np.where(ink[..., 3] > 127, ink[..., 0], 255).astype(np.uint8)


def test_the_four_marks_are_found_with_their_ids() -> None:
    places = ((-50.0, -50.0), (50.0, -50.0), (50.0, 50.0), (-50.0, 50.0))
    shapes = tuple(s for n, at in enumerate(places) for s in moved(marks.mark_shapes(n), at))
    corners, ids, _ = cv2.aruco.ArucoDetector(DICTIONARY).detectMarkers(drawn(shapes, 200, 200))
    found = dict(zip(ids.ravel().tolist(), (np.asarray(c).reshape(4, 2) for c in corners), strict=True))
    assert sorted(found) == [0, 1, 2, 3]
    side_px = np.linalg.norm(found[0][0] - found[0][1])
    assert abs(side_px / PX_PER_MM - marks.SIDE_MM) < 0.5


def test_every_corner_of_the_board_is_found_where_it_is_printed() -> None:
    ids = np.arange(marks.BOARD_FIRST_ID, marks.BOARD_FIRST_ID + len(marks.BOARD_CODES), dtype=np.int32)
    size = (marks.BOARD_COLUMNS, marks.BOARD_ROWS)
    board = cv2.aruco.CharucoBoard(size, marks.BOARD_SQUARE_MM, marks.BOARD_MARKER_MM, DICTIONARY, ids)
    corners, found, _, _ = cv2.aruco.CharucoDetector(board).detectBoard(drawn(marks.board_shapes(), 190, 240))
    assert len(np.ravel(found)) == (size[0] - 1) * (size[1] - 1)
    middle = np.array([190, 240]) / 2 - np.array(size) * marks.BOARD_SQUARE_MM / 2
    printed = (board.getChessboardCorners()[np.ravel(found), :2] + middle) * PX_PER_MM - 0.5
    assert np.abs(np.asarray(corners).reshape(-1, 2) - printed).max() < 0.5


def test_the_mats_marks_are_found_with_their_ids() -> None:
    count = len(marks.MAT_CODES)
    shapes = tuple(s for n in range(count) for s in moved(marks.mat_mark_shapes(n), (40.0 * (n - 3), 0.0)))
    _, ids, _ = cv2.aruco.ArucoDetector(DICTIONARY).detectMarkers(drawn(shapes, 320, 60))
    assert sorted(np.ravel(ids)) == [marks.MAT_FIRST_ID + n for n in range(count)]


def test_every_printed_mat_carries_its_own_mark() -> None:
    found = []
    for sheet in sheets_of("comet-mats", "a4"):
        width, height = sheet.paper_mm
        ink = raster(sheet.shapes, 2, Box(0, 0, width, height))
        picture = np.where(ink[..., 3] > 127, ink[..., 0], 255).astype(np.uint8)
        _, ids, _ = cv2.aruco.ArucoDetector(DICTIONARY).detectMarkers(picture)
        found += np.ravel(ids).tolist()
    assert found == [marks.MAT_FIRST_ID + n for n in range(len(marks.MAT_CODES))]
