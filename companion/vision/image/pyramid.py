"""A picture at full, half, quarter... size, rectified crops of it, and its noise."""

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

_BLOCK = 8
"""Side of the squares whose noise is measured, in pixels."""
_HARMLESS_NOISE = 2.0
"""Noise of fewer levels hides no edge. Dark faces on a dark table were all lost under 2.8."""

_WIDEST_MAP = 32766
"""`cv2.remap` looks up no more places in a row."""


@dataclass(frozen=True, slots=True, eq=False)
class Pyramid:
    """The picture at full, half, quarter... size.

    Attributes:
        levels: uint8 BGR.
        memo: what was worked out on the picture, to be looked up where it is asked for again.
    """

    levels: tuple[NDArray[np.uint8], ...]
    memo: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(bgr: NDArray[np.uint8], count: int = 4) -> "Pyramid":
        """Halve a picture, uint8 (h, w, 3), until it has ``count`` levels or is less than 32 pixels wide or high."""
        levels = [bgr]
        while len(levels) < count and min(levels[-1].shape[:2]) >= 32:
            h, w = levels[-1].shape[:2]
            half = cv2.resize(levels[-1], (w // 2, h // 2), interpolation=cv2.INTER_AREA)
            levels.append(np.asarray(half, np.uint8))
        return Pyramid(tuple(levels))

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels."""
        return self.levels[0].shape[1], self.levels[0].shape[0]

    def scaled(self, factor: float) -> NDArray[np.uint8]:
        """The picture at ``factor`` of its size, one pixel at least, from the smallest level that is not smaller."""
        h, w = self.levels[0].shape[:2]
        size = (max(1, round(w * factor)), max(1, round(h * factor)))
        fitting = [image for image in self.levels if image.shape[1] >= size[0] and image.shape[0] >= size[1]]
        if not fitting:
            return self.levels[0]
        best = fitting[-1]
        if (best.shape[1], best.shape[0]) == size:
            return best
        return np.asarray(cv2.resize(best, size, interpolation=cv2.INTER_AREA), np.uint8)

    def sample(self, points: NDArray[np.floating], level: int) -> NDArray[np.uint8]:
        """Colours (..., P, 3) uint8 at points (..., P, 2) given in full-size pixels."""
        rows = (points.reshape(-1, points.shape[-2], 2) + 0.5) * 0.5**level - 0.5
        x, y = rows[..., 0].astype(np.float32), rows[..., 1].astype(np.float32)
        return self._remapped(x, y, level).reshape(*points.shape[:-1], 3)

    def sample_plane(
        self, image_from_plane: NDArray[np.floating], points: NDArray[np.floating], level: int
    ) -> NDArray[np.uint8]:
        """Colours (N, P, 3) uint8 at points (2, N, P) of a plane, from a level; by a homography (3, 3) to the picture.

        As `sample` gives of the points brought to the picture, but faster.
        """
        level_from_plane = (_level_from_image(level) @ image_from_plane).astype(np.float32)
        x, y, w = np.tensordot(level_from_plane[:, :2], points.astype(np.float32), 1) + level_from_plane[:, 2:, None]
        return self._remapped(x / w, y / w, level)

    def _remapped(self, x: NDArray[np.float32], y: NDArray[np.float32], level: int) -> NDArray[np.uint8]:
        """Colours (N, P, 3) at places (N, P) given in pixels of a level."""
        level_image, parts = self.levels[level], []
        for k in range(0, max(1, x.shape[1]), _WIDEST_MAP):
            some = (x[:, k : k + _WIDEST_MAP], y[:, k : k + _WIDEST_MAP])
            parts.append(cv2.remap(level_image, *some, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
        return np.asarray(parts[0] if len(parts) == 1 else np.concatenate(parts, 1), np.uint8)

    def level_for(self, px_per_sample: float) -> int:
        """The level on which samples that far apart do not skip pixels."""
        return min(int(math.log2(max(px_per_sample, 1.0)) + 0.35), len(self.levels) - 1)


def _level_from_image(level: int) -> NDArray[np.float64]:
    """The affine map (3, 3) from the picture's pixels to those of a level."""
    scale = 0.5**level
    return np.array([[scale, 0, 0.5 * scale - 0.5], [0, scale, 0.5 * scale - 0.5], [0, 0, 1]])


Poses = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Pieces' centres (N, 2) in pixels, and the affine maps (N, 2, 2) from their unit frames; see `Shape.pose_of`."""


def sample_pieces(pyramid: Pyramid, poses: Poses, points: NDArray[np.floating], step: float) -> NDArray[np.float32]:
    """Colours at points of every piece's unit frame, from the picture at the scale that suits its size.

    Args:
        poses: of the pieces.
        points: (P, 2) in the unit frame.
        step: how far apart the points lie there.

    Returns:
        (N, P, 3) float32, 0..255.
    """
    centres, affines = poses
    sizes = np.sqrt(np.abs(np.linalg.det(affines))).tolist()
    levels = np.array([pyramid.level_for(size * step) for size in sizes], int)
    places = affines @ points.T + centres[..., None]  # (N, 2, P)
    places += 0.5
    places *= (0.5**levels)[:, None, None]
    places -= 0.5
    x, y = places.astype(np.float32).swapaxes(0, 1)
    different = set(levels.tolist())
    if len(different) == 1:
        return pyramid._remapped(x, y, different.pop()).astype(np.float32)
    colours = np.empty((len(centres), len(points), 3), np.float32)
    for level in different:
        is_there = levels == level
        colours[is_there] = pyramid._remapped(x[is_there], y[is_there], level)
    return colours


def warp(pyramid: Pyramid, image_from_crop: MatLike, size: tuple[int, int], px_per_pixel: float) -> NDArray[np.uint8]:
    """A rectified crop, uint8 (h, w, 3).

    Args:
        image_from_crop: the affine map (2, 3) or homography (3, 3) from the crop's pixels to the picture's.
        size: the crop's width and height.
        px_per_pixel: how many of the picture's pixels lie along one of the crop's, about.
    """
    level = pyramid.level_for(px_per_pixel)
    level_from_image = _level_from_image(level)
    flags, border = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, cv2.BORDER_REPLICATE
    if len(image_from_crop) == 2:
        matrix = level_from_image[:2] @ np.vstack([image_from_crop, [0, 0, 1]])
        crop = cv2.warpAffine(pyramid.levels[level], matrix, size, flags=flags, borderMode=border)
    else:
        matrix = level_from_image @ image_from_crop
        crop = cv2.warpPerspective(pyramid.levels[level], matrix, size, flags=flags, borderMode=border)
    return np.asarray(crop, np.uint8)


def bright_level(crops: NDArray[np.floating], percent: float) -> NDArray[np.float32]:
    """How bright the bright parts of crops (N, ..., 3) are, each by its brightest channel: (N,), 12 at least."""
    if not len(crops):
        return np.zeros(0, np.float32)
    level = percentiles(brightest_channel(crops).reshape(len(crops), -1), percent)
    return np.asarray(np.maximum(level, 12.0), np.float32)


def brightest_channel(pixels: NDArray[Any]) -> NDArray[Any]:
    """The largest of the three channels of pixels (..., 3): (...); several times as fast as numpy's ``max``."""
    return np.asarray(np.maximum(np.maximum(pixels[..., 0], pixels[..., 1]), pixels[..., 2]))


def percentiles(values: NDArray[Any], percent: float) -> NDArray[np.floating]:
    """The percentile of each row of values (N, K, ...): (N, ...); as numpy's own, but several times as fast."""
    at = (values.shape[1] - 1) * (percent / 100)
    below = int(at)
    above = min(below + 1, values.shape[1] - 1)
    ordered = np.partition(values, (below, above), axis=1)
    low, high = ordered[:, below], ordered[:, above]
    return np.asarray(low + (high - low) * (at - below))


def percentile(values: NDArray[np.uint8], percent: float) -> float:
    """The percentile of uint8 values (any shape, one at least), as numpy's own but several times as fast for few."""
    at = (values.size - 1) * (percent / 100)
    below = int(at)
    above = min(below + 1, values.size - 1)
    ordered = np.partition(values, (below, above), axis=None)
    low, high, share = float(ordered[below]), float(ordered[above]), at - below
    return low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)


def grid(width: int, height: int, reach: tuple[float, float]) -> NDArray[np.float64]:
    """The middles (height * width, 2) of a view's pixels, row by row; the view reaches so far to each side."""
    x = ((np.arange(width) + 0.5) / width * 2 - 1) * reach[0]
    y = ((np.arange(height) + 0.5) / height * 2 - 1) * reach[1]
    return np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)


def noise_levels(grey: NDArray[np.uint8]) -> float:
    """The noise of a picture (h, w), a standard deviation in levels of 255, by its evenest parts (Immerkaer 1996)."""
    bend = np.array([1, -2, 1], np.float32)
    rough = np.abs(cv2.sepFilter2D(grey, cv2.CV_16S, bend, bend))
    rows, cols = (side // _BLOCK for side in rough.shape)
    whole = rough[: rows * _BLOCK, : cols * _BLOCK].astype(np.float32)
    blocks = cv2.resize(whole, (cols, rows), interpolation=cv2.INTER_AREA)  # the means of the squares
    return float(np.sqrt(np.pi / 2) / 6 * percentiles(blocks.reshape(1, -1), 20)[0])


def steepness(grey: MatLike) -> NDArray[np.float32]:
    """How much a picture (h, w) changes from each pixel to the next, in its levels: (h, w)."""
    across, down = (cv2.Sobel(grey, cv2.CV_32F, *way, ksize=3, scale=1 / 8) for way in ((1, 0), (0, 1)))
    return np.asarray(cv2.magnitude(across, down), np.float32)


def denoised(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A picture (h, w, 3) as it is, or the median of each pixel's neighbours where noise could hide edges."""
    if min(bgr.shape[:2]) < _BLOCK or noise_levels(np.asarray(cv2.extractChannel(bgr, 1), np.uint8)) < _HARMLESS_NOISE:
        return bgr
    return np.asarray(cv2.medianBlur(bgr, 3), np.uint8)
