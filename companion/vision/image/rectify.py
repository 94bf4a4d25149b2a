"""Rectified crops: pieces of the picture as if seen straight on, and the level of their bright parts."""

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.image.pyramid import Pyramid

Poses = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Pieces' centres (N, 2) in pixels, and the affine maps (N, 2, 2) from their unit frames; see `Shape.pose_of`."""


def sample_pieces(pyramid: Pyramid, poses: Poses, points: np.ndarray, step: float) -> np.ndarray:
    """Colours at points of every piece's unit frame, from the picture at the scale that suits its size.

    Args:
        pyramid: the picture.
        poses: of the pieces.
        points: (P, 2) in the unit frame.
        step: how far apart the points lie there.

    Returns:
        (N, P, 3) float32, 0..255.
    """
    centres, affines = poses
    levels = np.array([pyramid.level_for(float(size) * step) for size in np.sqrt(np.abs(np.linalg.det(affines)))], int)
    colours = np.zeros((len(centres), len(points), 3), np.float32)
    for level in set(levels.tolist()):
        is_there = levels == level
        places = points @ affines[is_there].swapaxes(-1, -2) + centres[is_there, None]
        colours[is_there] = pyramid.sample(places, level)
    return colours


def warp(pyramid: Pyramid, image_from_crop: np.ndarray, size: tuple[int, int], px_per_pixel: float) -> np.ndarray:
    """A rectified crop, uint8 (h, w, 3).

    Args:
        pyramid: the picture.
        image_from_crop: the affine map (2, 3) or homography (3, 3) from the crop's pixels to the picture's.
        size: the crop's width and height.
        px_per_pixel: how many of the picture's pixels lie along one of the crop's, about.
    """
    level = pyramid.level_for(px_per_pixel)
    scale = 0.5**level
    level_from_image = np.array([[scale, 0, 0.5 * scale - 0.5], [0, scale, 0.5 * scale - 0.5], [0, 0, 1]])
    flags, border = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, cv2.BORDER_REPLICATE
    if len(image_from_crop) == 2:
        matrix = level_from_image[:2] @ np.vstack([image_from_crop, [0, 0, 1]])
        return cv2.warpAffine(pyramid.levels[level], matrix, size, flags=flags, borderMode=border)
    matrix = level_from_image @ image_from_crop
    return cv2.warpPerspective(pyramid.levels[level], matrix, size, flags=flags, borderMode=border)


def bright_level(crops: np.ndarray, percent: float) -> NDArray[np.float32]:
    """How bright the bright parts of crops (N, ..., 3) are, each by its brightest channel: (N,), 12 at least."""
    if not len(crops):
        return np.zeros(0, np.float32)
    level = np.percentile(crops.max(-1).reshape(len(crops), -1), percent, axis=1)
    return np.asarray(np.maximum(level, 12.0), np.float32)


def grid(width: int, height: int, reach: tuple[float, float]) -> np.ndarray:
    """The middles (height * width, 2) of a view's pixels, row by row; the view reaches so far to each side."""
    x = ((np.arange(width) + 0.5) / width * 2 - 1) * reach[0]
    y = ((np.arange(height) + 0.5) / height * 2 - 1) * reach[1]
    return np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
