"""The printed marks on a picture: ArUco markers at the table's corners, and the board that shows how a lens bends.

Corners alone are found to half a pixel, which is much for so small a thing that must tell how near it is. Every edge of
a marker's pattern together tells it to a few hundredths: Gauss and Newton over the eight numbers of a homography, the
light on the mark taken out at every step (B. D. Lucas and T. Kanade, An Iterative Image Registration Technique, 1981).

The printed patterns stand in `companion.printing.marks`. Arrays have one shape here, whatever OpenCV returns them in.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.printing import marks as printed
from companion.vision.geometry import mapped

Array = NDArray[np.float64]
Light = NDArray[Any]
"""Brightness, float32."""

_PER_CELL = 5
_MARGIN = 0.8
"""How much of the white around a mark is looked at, in cells."""
_ROUNDS = 12
_FARTHEST = 0.6
"""A pattern that wanders farther than this, in cells, has found something else."""
_LEAST_LIKE = 0.8
"""How well the picture must follow the pattern, as a correlation."""
_LINEAR = (np.arange(256) / 255.0).astype(np.float32) ** 2.2
_DICTIONARY = cv2.aruco.DICT_4X4_50
MARKS_MM: Mapping[int, float] = {
    **dict.fromkeys(range(len(printed.MARKS)), printed.SIDE_MM),
    **dict.fromkeys(range(printed.MAT_FIRST_ID, printed.MAT_FIRST_ID + len(printed.MAT_CODES)), printed.MAT_MARK_MM),
}
"""How wide each mark is printed, by id: the table's corners and the mats."""


def exact_corners(light: Light, corners_px: Array, pattern: Light) -> Array:
    """The corners (4, 2) of a mark.

    Args:
        light: the picture's brightness, linear, 0..1, (h, w).
        corners_px: (4, 2) as found, clockwise from the mark's top left.
        pattern: (n, n) of 0 for black and 1 for white, the black border included.

    Returns:
        The corners moved to where the pattern fits; as they were found where it does not.
    """
    cells = len(pattern)
    square = np.array([[0.0, 0], [cells, 0], [cells, cells], [0, cells]])
    begun, _ = cv2.findHomography(square, corners_px, 0)
    if begun is None:
        return corners_px
    points = _points(cells)
    cell_px = float(np.linalg.norm(corners_px - np.roll(corners_px, 1, axis=0), axis=1).mean()) / cells
    wanted, edges = _printed(pattern, points, blur_cells=0.7 / max(cell_px, 1.0))
    piece, shift = _cut(light, corners_px)
    homography = np.array([[1, 0, -shift[0]], [0, 1, -shift[1]], [0, 0, 1]]) @ np.asarray(begun, np.float64)
    homography, correlation = _moved(piece, homography / homography[2, 2], points, (wanted, edges))
    found = mapped(homography, square) + shift
    wandered = float(np.linalg.norm(found - corners_px, axis=1).max()) / max(cell_px, 1e-6)
    return found if correlation >= _LEAST_LIKE and wandered <= _FARTHEST else corners_px


def _points(cells: int) -> Array:
    count = round((cells + 2 * _MARGIN) * _PER_CELL)
    steps = (np.arange(count) + 0.5) / count * (cells + 2 * _MARGIN) - _MARGIN
    x, y = np.meshgrid(steps, steps)
    return np.stack([x.ravel(), y.ravel()], 1)


def _printed(pattern: Light, points: Array, blur_cells: float) -> tuple[Array, Array]:
    """The pattern (N,) at those points, as soft as the picture is likely to be, and how steep it is there."""
    fine = 8
    framed = np.pad(pattern, 2, constant_values=1.0)
    drawn = cv2.resize(framed, None, fx=fine, fy=fine, interpolation=cv2.INTER_NEAREST)
    soft = cv2.GaussianBlur(drawn, (0, 0), max(blur_cells * fine, 0.5))
    steep = cv2.magnitude(*(cv2.Sobel(soft, cv2.CV_32F, *way, ksize=3, scale=1 / 8) for way in ((1, 0), (0, 1))))
    at = ((points + 2) * fine - 0.5).astype(np.float32)
    x, y = at[:, 0], at[:, 1]
    seen, edges = (np.asarray(cv2.remap(one, x, y, cv2.INTER_LINEAR).ravel(), np.float64) for one in (soft, steep))
    return seen, edges


def _cut(light: Light, corners_px: Array) -> tuple[Light, Array]:
    """The picture around the mark, and where it begins."""
    reach = float(np.ptp(corners_px, axis=0).max()) / 2
    low = np.maximum(np.floor(corners_px.min(0) - reach), 0).astype(int)
    high = np.ceil(corners_px.max(0) + reach).astype(int) + 1
    piece = np.ascontiguousarray(light[low[1] : high[1], low[0] : high[0]])
    return cv2.GaussianBlur(piece, (0, 0), 0.6), low.astype(np.float64)


def _moved(piece: Light, homography: Array, points: Array, printed: tuple[Array, Array]) -> tuple[Array, float]:
    """The homography under which the piece follows the pattern best, and the correlation of the two.

    White paper that films too bright runs over into the black: all black things look smaller alike. That is taken out
    as the light is, by a share of the pattern's steepness; else the mark would seem farther away than it is.
    """
    wanted, edges = printed
    slope_x = cv2.Sobel(piece, cv2.CV_32F, 1, 0, ksize=3) / 8
    slope_y = cv2.Sobel(piece, cv2.CV_32F, 0, 1, ksize=3) / 8
    fall = wanted[:, None] * (points - points.mean(0))
    light_of = np.column_stack([wanted, edges, np.ones(len(points)), points, fall])
    explained = 0.0
    for _ in range(_ROUNDS):
        at = mapped(homography, points)
        seen, gx, gy = (_sampled(image, at) for image in (piece, slope_x, slope_y))
        lit, *_ = np.linalg.lstsq(light_of, seen, rcond=None)
        residual = seen - light_of @ lit
        explained = 1.0 - float(residual.var() / max(seen.var(), 1e-12))
        slopes = _slopes(homography, points, at, gx, gy)
        both = np.column_stack([slopes, light_of])
        step = np.linalg.lstsq(both, -residual, rcond=None)[0][:8]
        homography = homography + np.append(step, 0.0).reshape(3, 3)
        if np.abs(mapped(homography, points) - at).max() < 0.003:
            break
    return homography, float(np.sqrt(max(explained, 0.0)))


def _slopes(homography: Array, points: Array, at: Array, gx: Array, gy: Array) -> Array:
    """How the brightness seen at each point changes with the homography's first eight numbers, (N, 8)."""
    depth = points @ homography[2, :2] + homography[2, 2]
    ones = np.column_stack([points, np.ones(len(points))]) / depth[:, None]
    across = -(gx * at[:, 0] + gy * at[:, 1])
    return np.hstack([ones * gx[:, None], ones * gy[:, None], (ones * across[:, None])[:, :2]])


def _sampled(image: Light, at: Array) -> Array:
    x, y = at[:, 0].astype(np.float32), at[:, 1].astype(np.float32)
    return np.asarray(cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).ravel(), np.float64)


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


def find_lens_board(bgr: NDArray[np.uint8]) -> tuple[Array, Array]:
    """The lens board's inner corners: where on the board they are printed, in mm, and where seen; both (N, 2)."""
    corners, ids, _, _ = cv2.aruco.CharucoDetector(board()).detectBoard(bgr)
    if ids is None or corners is None or not len(ids):
        return np.zeros((0, 2)), np.zeros((0, 2))
    there = np.asarray(board().getChessboardCorners())[np.ravel(ids), :2]
    return np.asarray(there, np.float64), np.asarray(corners, np.float64).reshape(-1, 2)


def square_mm(side_mm: float = printed.SIDE_MM) -> Array:
    """A mark's corners (4, 2) in mm around its middle, in the order in which they are found."""
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
