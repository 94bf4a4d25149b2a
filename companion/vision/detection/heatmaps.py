"""What the outline detector's network says of a picture at one size: rectangles or hexagons, roughly placed.

The network (`models/outline/detector`) answers for every fourth pixel, once for each shape: a centre's logit, the
offset to that centre and the code of the card's affine pose (`poses`).
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.detector import brightened
from companion.vision.detection.poses import decode
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import logistic, network

NETWORK = "outline/detector/weights.onnx"
STRIDE, OFFSET_PX, PLANES = 4, 8.0, 8
NEAR, ALIKE = 0.2, 1.4
"""How far apart, in sizes, and how different in size two outlines of one card may be."""
_COARSEST = 16
"""The network halves its picture four times: sides are padded to whole ones of these."""


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

    def net_px(self, corners: NDArray[np.float64]) -> float:
        """The size of an outline (N, 2) as the network saw it, the root of its area."""
        return float(np.sqrt(abs(cv2.contourArea(corners.astype(np.float32))) * self.factor.prod()))

    def confidence_of(self, corners: NDArray[np.float64]) -> float:
        """The greatest confidence of the candidates that lie about where an outline (N, 2) does, of about its size."""
        centre, size = corners.mean(0), np.sqrt(abs(cv2.contourArea(corners.astype(np.float32))))
        like = (
            c.confidence
            for c in self.candidates
            if np.abs(c.corners.mean(0) - centre).max() < NEAR * size
            and 1 / ALIKE < c.net_px / max(1.0, self.net_px(corners)) < ALIKE
        )
        return max(like, default=0.0)


def answer_at(pyramid: Pyramid, factor: float, sides: int, least: float, name: str = NETWORK) -> ScaleAnswer:
    """What the network sees in the picture at ``factor`` of its size.

    Args:
        pyramid: the picture.
        factor: at most 1.
        sides: 4 or 6.
        least: less likely candidates are left out.
        name: of the network.
    """
    small = pyramid.scaled(factor)
    planes = answer(small, name)[PLANES * (sides == 6) :][:PLANES]
    heat = logistic(planes[0]).astype(np.float32)
    rows, cols = np.nonzero((heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat >= least))
    offsets = planes[1:3, rows, cols].T.astype(np.float64) * OFFSET_PX
    centres = np.stack([cols, rows], 1) * STRIDE + (STRIDE - 1) / 2 + offsets
    corners = decode(centres, planes[3:8, rows, cols].T.astype(np.float64), sides)
    scale = np.array(small.shape[1::-1]) / pyramid.levels[0].shape[1::-1]
    on_picture = (corners + 0.5) / scale - 0.5
    areas = [max(1.0, cv2.contourArea(c.astype(np.float32))) for c in corners]
    candidates = [
        Candidate(c, float(h), float(np.sqrt(a)))
        for c, h, a in zip(on_picture, heat[rows, cols], areas, strict=True)
        if np.isfinite(c).all()
    ]
    return ScaleAnswer(scale, tuple(candidates))


def answer(picture: NDArray[np.uint8], name: str = NETWORK) -> NDArray[np.float32]:
    """The network's planes (16, h/4, w/4) for a picture (h, w, 3) BGR."""
    h, w = picture.shape[:2]
    padded = cv2.copyMakeBorder(brightened(picture), 0, -h % _COARSEST, 0, -w % _COARSEST, cv2.BORDER_REPLICATE)
    batch = (padded.astype(np.float32).transpose(2, 0, 1)[None] - np.float32(127.5)) / np.float32(255)
    return np.ascontiguousarray(network(name).forward(batch)[0][:, : -(-h // STRIDE), : -(-w // STRIDE)])
