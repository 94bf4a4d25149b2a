"""Painting a photograph flat, before any light falls on it: each pixel's paint in linear values, and its gloss."""

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from models.drawing.pinhole import Pinhole, Points

Field = npt.NDArray[Any]
Ink = tuple[float, float, float]
"""Blue, green, red, 0..255."""

_LINEAR = (np.arange(256) / 255.0).astype(np.float32) ** 2.2


class Canvas:
    """Albedo (h, w, 3), linear, and gloss (h, w), 0..1, of the picture being painted."""

    def __init__(self, camera: Pinhole, ground: Field) -> None:
        self.camera = camera
        self.albedo = _linear(ground)
        self.gloss = np.zeros(ground.shape[:2], np.float32)

    def put(self, bgra: Field, image_from_raster: Field, gloss: float = 0.0) -> None:
        """Lay a flat BGRA raster over the picture through a homography."""
        rows, columns = bgra.shape[:2]
        rim = np.array([[[0, 0], [columns, 0], [columns, rows], [0, rows]]], np.float64)
        part = self._part(cv2.perspectiveTransform(rim, image_from_raster)[0], 1)
        if part is not None:
            y, x = part
            shift = np.array([[1, 0, -x.start], [0, 1, -y.start], [0, 0, 1.0]])
            extent = (x.stop - x.start, y.stop - y.start)
            patch = cv2.warpPerspective(bgra, shift @ image_from_raster, extent, flags=cv2.INTER_LINEAR)
            alpha = patch[..., 3].astype(np.float32) / 255
            self._blend(part, alpha, _linear(patch[..., :3]) * in_three(alpha), gloss)

    def polygon(self, points: Points, ink: Ink, gloss: float = 0.0) -> None:
        """Paint a polygon (N, 2) given in pixels."""
        part = self._part(points, 2)
        if part is not None:
            y, x = part
            mask = np.zeros((y.stop - y.start, x.stop - x.start), np.uint8)
            cv2.fillPoly(mask, [np.round((points - [x.start, y.start]) * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
            colour = (np.array(ink, np.float32) / 255) ** 2.2
            alpha = mask.astype(np.float32) / 255
            self._blend(part, alpha, tinted(alpha, colour), gloss)

    def _part(self, points: Points, margin_px: int) -> tuple[slice, slice] | None:
        """The rows and columns of the picture around the points; None where they are outside it."""
        x0, y0 = (int(v) for v in np.maximum(np.floor(points.min(0)).astype(int) - margin_px, 0))
        x1, y1 = (int(v) for v in np.minimum(np.ceil(points.max(0)).astype(int) + margin_px + 1, self.camera.size))
        return (slice(y0, y1), slice(x0, x1)) if x1 > x0 and y1 > y0 else None

    def _blend(self, part: tuple[slice, slice], alpha: Field, paint: Field, gloss: float) -> None:
        """Cover by alpha (h, w); the paint (h, w, 3) is made so thin already."""
        bare = 1 - alpha
        self.albedo[part] *= in_three(bare)
        self.albedo[part] += paint
        self.gloss[part] *= bare
        self.gloss[part] += gloss * alpha


def in_three(plane: Field) -> Field:
    """A plane (h, w) for each channel: (h, w, 3). NumPy itself is slow where it spreads one over three."""
    return np.asarray(cv2.merge([plane] * 3))


def tinted(plane: Field, tint: Field) -> Field:
    """A plane (h, w) times each channel's tint (3,): (h, w, 3)."""
    return np.asarray(cv2.merge([plane * one for one in tint]))


def _linear(bgr: Field) -> Field:
    """sRGB-like uint8 to linear float32."""
    return np.asarray(cv2.LUT(bgr, _LINEAR))
