"""Squares seen by a camera: how a network tells one by numbers, and the way from a quad to what is inside it.

A square is ambiguous by quarter turns: its pose is coded so (`affine_code`). What perspective does to it is one more
vector, in the picture's axes.
"""

import cv2
import numpy as np

from companion.vision.geometry.pose_code import affines_of, code_of
from companion.vision.image.pyramid import Pyramid

UNIT = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
"""The square's corners, clockwise as seen, the first at the top left."""


def homography(corners: np.ndarray) -> np.ndarray:
    """The homography (3, 3) from the unit square to a quad (4, 2)."""
    return cv2.getPerspectiveTransform(UNIT.astype(np.float32), np.asarray(corners, np.float32)).astype(np.float64)


def pose_code(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Code a quad (4, 2), clockwise with y down.

    Returns:
        The square's middle as seen (2,), and the code (7,).
    """
    m = homography(corners)
    m = m / m[2, 2]
    centre, away = m[:2, 2], m[2, :2]
    affine = m[:2, :2] - np.outer(centre, away)
    leaning = np.linalg.solve(affine.T, away) * np.sqrt(abs(np.linalg.det(affine)))
    return centre, np.concatenate([code_of(affine, 4), leaning])


def corners_from_code(centre: np.ndarray, code: np.ndarray) -> np.ndarray:
    """The quad (4, 2) that `pose_code` codes, up to where it begins.

    >>> quad = np.array([[0.0, 0], [100, 10], [90, 80], [5, 70]])
    >>> bool(np.allclose(corners_from_code(*pose_code(quad)), quad, atol=1e-3))
    True
    """
    affine = affines_of(code[:5], 4)
    away = affine.T @ np.asarray(code[5:7]) / np.sqrt(abs(np.linalg.det(affine)))
    depth = np.maximum(1 + UNIT @ away, 0.2)
    return np.asarray(centre + (UNIT @ affine.T) / depth[:, None])


def through(matrix: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points (..., 2) through a homography."""
    flat = points @ matrix[:, :2].T + matrix[:, 2]
    return np.asarray(flat[..., :2] / flat[..., 2:])


def side_px(corners: np.ndarray) -> float:
    """About how long a quad's sides are."""
    return float(np.mean(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)))


def straightened(
    pyramid: Pyramid, corners: np.ndarray, rows: int, cols: int, cell_px: float, margin: float
) -> np.ndarray:
    """A field of cells seen from above: uint8 (h, w, 3).

    Args:
        pyramid: the picture.
        corners: (4, 2) of the field, the first becoming the top left.
        rows: cells from top to bottom.
        cols: cells from left to right.
        cell_px: how fine.
        margin: how many cells around the field are shown too.
    """
    level = pyramid.level_for(2 * side_px(corners) / (rows + cols) / cell_px)
    image, scale = pyramid.levels[level], 1.0 / (1 << level)
    square = (np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], np.float64) + margin) * cell_px - 0.5
    source = ((corners + 0.5) * scale - 0.5).astype(np.float32)
    size = (round((cols + 2 * margin) * cell_px), round((rows + 2 * margin) * cell_px))
    m = cv2.getPerspectiveTransform(source, square.astype(np.float32))
    return cv2.warpPerspective(image, m, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
