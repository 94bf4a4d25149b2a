"""What the outline detector's network says of a picture at one size: rectangles or hexagons, roughly placed.

The network (`models/outline/detector`) answers for every fourth pixel, once for each shape: a centre's logit, the
offset to that centre and the code of the card's affine pose: five numbers, by `encode` and `decode`.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.detector import OFFSET_PX, STRIDE, network_answer
from companion.vision.geometry import SQUARE, UNIT_HEXAGON, affine_code, affines_from_code
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import logistic

Floats = NDArray[np.float64]

TYPICAL_PX = 40.0
"""Half a side of a card at which the code's sizes are zero."""
CODE_SCALE = np.array([1.0, 2.0, 1.0, 0.7, 0.7])
"""What the network's five numbers are multiplied with, so that all matter alike."""
UNIT_SHAPES = {4: SQUARE.unit, 6: UNIT_HEXAGON}
"""The square of side 2 and the hexagon of circumradius 1, by their number of corners; clockwise with y down."""
_SECOND_MOMENT = {4: 4.0, 6: 3.0}
NETWORK = "outline/detector/weights.onnx"
PLANES = 8
"""Planes of the network's answer about one shape: the heat, the offset (2) and the code (5)."""
MAX_DISTANCE, MAX_SIZE_RATIO = 0.2, 1.4
"""How far apart, in sizes, and how different in size two outlines of one card may be."""
_LEVELS = (np.arange(256, dtype=np.float32) - np.float32(127.5)) / np.float32(255)
"""As `networks.LEVELS`, rounded as when the network was trained."""
_COARSEST = 16
"""The network halves its picture four times: sides are padded to whole ones of these."""


def affine_of(corners: Floats) -> tuple[Floats, Floats]:
    """Centre (2,) and the affine map (2, 2) from the unit shape that fits corners (4 or 6, 2) best.

    >>> centre, affine = affine_of(SQUARE.unit * [30, 20] + [5, 6])
    >>> centre.tolist(), affine.tolist()
    ([5.0, 6.0], [[30.0, 0.0], [0.0, 20.0]])
    """
    quad = np.asarray(corners, np.float64)
    centre = quad.mean(0)
    return centre, (quad - centre).T @ UNIT_SHAPES[len(quad)] / _SECOND_MOMENT[len(quad)]


def encode(affine: Floats, sides: int) -> Floats:
    """The code (5,) of an affine map from the unit shape; the same for every turn that leaves the shape as it is."""
    return np.asarray(affine_code(affine / TYPICAL_PX, sides) * CODE_SCALE)


def decode(centres: Floats, codes: Floats, sides: int) -> Floats:
    """The corners (N, sides, 2) of centres (N, 2) and codes (N, 5), clockwise as seen.

    >>> corners = UNIT_HEXAGON * 33 + [100, 50]
    >>> centre, affine = affine_of(corners)
    >>> bool(np.allclose(decode(centre[None], encode(affine, 6)[None], 6)[0], corners))
    True
    """
    sizes = np.clip(np.asarray(codes, np.float64) / CODE_SCALE, -6, 6)
    affines = affines_from_code(sizes, sides) * TYPICAL_PX
    return np.asarray(np.asarray(centres)[:, None] + UNIT_SHAPES[sides] @ affines.swapaxes(-1, -2))


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A place where a card may lie.

    Attributes:
        corners: (4 or 6, 2) on the full picture.
        confidence: the network's, 0..1.
        net_px: the card's size as the network saw it, the root of its area.
    """

    corners: NDArray[np.float64]
    confidence: float
    net_px: float


@dataclass(frozen=True, slots=True, eq=False)
class ScaleAnswer:
    """What the network saw of the whole picture at one size.

    Attributes:
        factor: (2,) of that size to the full picture, across and down.
        candidates: the peaks.
    """

    factor: NDArray[np.float64]
    candidates: tuple[Candidate, ...]

    def net_px(self, outlines: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sizes (M,) of outlines (M, K, 2) as the network saw them, the roots of their areas."""
        return np.asarray(np.sqrt(areas(outlines) * self.factor.prod()))

    def confidences_of(self, outlines: NDArray[np.float64]) -> NDArray[np.float64]:
        """The greatest confidence (M,) of the candidates that lie where an outline (M, K, 2) does, as large."""
        if not self.candidates or not len(outlines):
            return np.zeros(len(outlines))
        middles, sizes, px = outlines.mean(1), np.sqrt(areas(outlines)), self.net_px(outlines)
        centres = np.array([c.corners.mean(0) for c in self.candidates])
        ratios = np.array([c.net_px for c in self.candidates]) / np.maximum(1.0, px)[:, None]
        is_like = np.abs(centres - middles[:, None]).max(-1) < MAX_DISTANCE * sizes[:, None]
        is_like &= (ratios > 1 / MAX_SIZE_RATIO) & (ratios < MAX_SIZE_RATIO)
        return np.asarray(np.where(is_like, [c.confidence for c in self.candidates], 0.0).max(1))


def areas(outlines: NDArray[np.float64]) -> NDArray[np.float64]:
    """The areas (N,) within outlines (N, K, 2)."""
    x, y = np.moveaxis(outlines - outlines[:, :1], -1, 0)
    return np.asarray(np.abs((x * np.roll(y, -1, 1) - y * np.roll(x, -1, 1)).sum(1)) / 2)


def answer_at(pyramid: Pyramid, factor: float, sides: int, min_confidence: float, name: str = NETWORK) -> ScaleAnswer:
    """What the network sees in the picture at ``factor`` of its size.

    Args:
        factor: at most 1.
        sides: 4 or 6.
        min_confidence: candidates below are left out.
    """
    small = pyramid.scaled(factor)
    planes = answer(small, name)[PLANES * (sides == 6) :][:PLANES]
    heat = logistic(planes[0]).astype(np.float32)
    rows, cols = np.nonzero((heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat >= min_confidence))
    offsets = planes[1:3, rows, cols].T.astype(np.float64) * OFFSET_PX
    centres = np.stack([cols, rows], 1) * STRIDE + (STRIDE - 1) / 2 + offsets
    corners = decode(centres, planes[3:8, rows, cols].T.astype(np.float64), sides)
    scale = np.array(small.shape[1::-1]) / pyramid.levels[0].shape[1::-1]
    on_picture = (corners + 0.5) / scale - 0.5
    sizes = np.sqrt(np.maximum(1.0, areas(corners)))
    candidates = [
        Candidate(c, float(h), float(size))
        for c, h, size in zip(on_picture, heat[rows, cols], sizes, strict=True)
        if np.isfinite(c).all()
    ]
    return ScaleAnswer(scale, tuple(candidates))


def answer(picture: NDArray[np.uint8], name: str = NETWORK) -> NDArray[np.float32]:
    """The network's planes (16, h/4, w/4) for a picture (h, w, 3) BGR."""
    h, w = picture.shape[:2]
    planes = network_answer(name, picture, _COARSEST, _LEVELS)
    return planes[:, : -(-h // STRIDE), : -(-w // STRIDE)]
