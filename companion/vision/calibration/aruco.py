"""The printed marks on a picture: ArUco markers at the table's corners, and the board that shows how a lens bends.

The printed patterns stand in `companion.printing.marks`. Arrays have one shape here, whatever OpenCV returns them in.
"""

from collections.abc import Mapping
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.printing import marks as printed
from companion.vision.calibration.subpixel_corners import Light, exact_corners

Array = NDArray[np.float64]

_LINEAR = (np.arange(256) / 255.0).astype(np.float32) ** 2.2
_DICTIONARY = cv2.aruco.DICT_4X4_50

MARKS_MM: Mapping[int, float] = {
    **dict.fromkeys(range(len(printed.MARKS)), printed.SIDE_MM),
    **dict.fromkeys(range(printed.MAT_FIRST_ID, printed.MAT_FIRST_ID + len(printed.MAT_CODES)), printed.MAT_MARK_MM),
}
"""How wide each mark is printed, by id: the table's corners and the mats."""


def find_marks(bgr: NDArray[np.uint8]) -> Mapping[int, Array]:
    """The marks on a picture, uint8 BGR or grey: id to corners (4, 2) px, clockwise from the mark's own top left."""
    grey = bgr if bgr.ndim == 2 else cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    corners, ids, _ = _detector().detectMarkers(grey)
    if ids is None:
        return {}
    found = dict(zip(np.ravel(ids).tolist(), corners, strict=True))
    light = cv2.LUT(grey, _LINEAR)
    return {
        number: exact_corners(light, np.asarray(found[number], np.float64).reshape(4, 2), _pattern(number))
        for number in MARKS_MM
        if number in found
    }


def find_board(bgr: NDArray[np.uint8]) -> tuple[Array, Array]:
    """The lens board's inner corners: where on the board they are printed, in mm, and where seen; both (N, 2)."""
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board()).detectBoard(bgr)
    if ids is None or corners is None or not len(ids):
        return np.zeros((0, 2)), np.zeros((0, 2))
    there = np.asarray(board().getChessboardCorners())[np.ravel(ids), :2]
    return np.asarray(there, np.float64), np.asarray(corners, np.float64).reshape(-1, 2)


def square_mm(side_mm: float = printed.SIDE_MM) -> Array:
    """A mark's corners around its middle, in the order in which they are found."""
    half = side_mm / 2
    return np.array([[-half, -half], [half, -half], [half, half], [-half, half]])


@lru_cache(maxsize=1)
def board() -> cv2.aruco.CharucoBoard:
    """The board that `companion print` prints."""
    dictionary = cv2.aruco.getPredefinedDictionary(_DICTIONARY)
    first = printed.BOARD_FIRST_ID
    ids = np.arange(first, first + len(printed.BOARD_CODES), dtype=np.int32)
    size = (printed.BOARD_COLUMNS, printed.BOARD_ROWS)
    return cv2.aruco.CharucoBoard(size, printed.BOARD_SQUARE_MM, printed.BOARD_MARKER_MM, dictionary, ids)


@lru_cache(maxsize=1)
def _detector() -> cv2.aruco.ArucoDetector:
    wishes = cv2.aruco.DetectorParameters()
    wishes.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    wishes.perspectiveRemovePixelPerCell = 8  # small marks in a lean picture: by less, one bit in sixteen is misread
    wishes.perspectiveRemoveIgnoredMarginPerCell = 0.3
    return cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(_DICTIONARY), wishes)


@lru_cache(maxsize=64)
def _pattern(number: int) -> Light:
    """A mark's cells, 0 for black and 1 for white, its black border included."""
    dictionary = cv2.aruco.getPredefinedDictionary(_DICTIONARY)
    drawn = cv2.aruco.generateImageMarker(dictionary, number, dictionary.markerSize + 2)
    return np.asarray(drawn, np.float32) / 255
