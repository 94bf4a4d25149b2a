"""A mark's corners, made exact: the printed pattern laid over the picture and moved until it fits.

Corners alone are found to half a pixel, which is much for so small a thing that must tell how near it is. Every edge of
the pattern together tells it to a few hundredths: Gauss and Newton over the eight numbers of a homography, the light
on the mark taken out at every step (B. D. Lucas and T. Kanade, An Iterative Image Registration Technique, 1981).
"""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

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
