"""Where display cases and loose cards of Hexapod lie: a network's answer turned into quads.

The network (`models/hexapod/detector`) looks at the picture at half size and answers for every fourth pixel: for a loose
card a middle's logit, the offset to it and the pose (see `hexapod_quads`); for a case's field the same and how
perspective leans it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.vision.detection.detector import brightened
from companion.vision.geometry.quads import corners_from_code, side_px
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import Network, logistic

STRIDE, CASE_STRIDE = 4, 8
"""How far apart the answers are; those for cases come twice as fine as they are."""
CARD_OFFSET, CASE_OFFSET = 8.0, 32.0
"""Units of the offsets, in pixels of the network's picture."""
POSE_SCALE = (1.0, 2.0, 1.0, 0.5, 0.5, 4.0, 4.0)
"""What training multiplies the code with, so that all matter alike."""
CARD_PLANES, CASE_PLANES = slice(0, 8), slice(8, 18)
MOST = 12
"""Of cases, and of cards, no more than this are told: a table has two and a few."""
COARSER = 2.2
"""The picture is looked at once more so much smaller, for what is large."""


@dataclass(frozen=True, slots=True, eq=False)
class Quad:
    """Something square that was found.

    Attributes:
        corners: (4, 2) pixels, clockwise as seen; where they begin means nothing yet.
        confidence: 0..1 that it is there.
    """

    corners: np.ndarray
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class Finds:
    """What was found, surest first."""

    cases: tuple[Quad, ...]
    cards: tuple[Quad, ...]


def find(net: Network, pyramid: Pyramid, least: float = 0.25) -> Finds:
    """Find the cases' fields and the loose cards.

    Args:
        net: the finder's network.
        pyramid: the picture.
        least: what is less certain is not told.
    """
    longest = max(pyramid.levels[0].shape[:2])
    factor = min(1.0, float(np.clip(longest / 2, 480, 640)) / longest)
    near, far = (at_scale(net, pyramid, one, least) for one in (factor, factor / COARSER))
    return Finds(_each_once(near.cases + far.cases), _each_once(near.cards + far.cards))


def at_scale(net: Network, pyramid: Pyramid, factor: float, least: float) -> Finds:
    """What the network finds in the picture at ``factor`` of its size; corners in full-size pixels."""
    small = pyramid.scaled(factor)
    out = _answer(net, small)
    scale = np.array(small.shape[1::-1]) / pyramid.levels[0].shape[1::-1]
    return Finds(
        _quads(out[CASE_PLANES, ::2, ::2], CASE_STRIDE, CASE_OFFSET, scale, least),
        _quads(out[CARD_PLANES], STRIDE, CARD_OFFSET, scale, least),
    )


def _quads(planes: np.ndarray, stride: int, unit: float, scale: np.ndarray, least: float) -> tuple[Quad, ...]:
    """The peaks of a heat as quads, none over another."""
    heat = logistic(planes[0])
    rows, cols = np.nonzero((heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat >= least))
    found: list[Quad] = []
    for i in np.argsort(-heat[rows, cols], kind="stable"):
        y, x = int(rows[i]), int(cols[i])
        centre = np.array([x, y]) * stride + (stride - 1) / 2 + planes[1:3, y, x] * unit
        code = np.zeros(7)
        code[: len(planes) - 3] = planes[3:, y, x] / np.array(POSE_SCALE[: len(planes) - 3])
        corners = corners_from_code(centre, code)
        quad = Quad(((corners + 0.5) / scale - 0.5).astype(np.float32), float(heat[y, x]))
        found.append(quad)
        if len(found) == 4 * MOST:
            break
    return _each_once(found)


def _each_once(quads: Sequence[Quad]) -> tuple[Quad, ...]:
    """The surest, none over another."""
    kept: list[Quad] = []
    for quad in sorted(quads, key=lambda one: -one.confidence):
        if len(kept) < MOST and not any(_overlap(quad, other) for other in kept):
            kept.append(quad)
    return tuple(kept)


def _overlap(quad: Quad, other: Quad) -> bool:
    """Nearer than two such things can lie; by the smaller, for a find may be far too large."""
    apart = float(np.linalg.norm(quad.corners.mean(0) - other.corners.mean(0)))
    return apart < 0.6 * min(side_px(quad.corners), side_px(other.corners))


def _answer(net: Network, small: np.ndarray) -> np.ndarray:
    """The network's planes for a picture, padded to whole strides: float32 (18, h/4, w/4)."""
    h, w = small.shape[:2]
    blob = cv2.copyMakeBorder(brightened(small), 0, -h % 32, 0, -w % 32, cv2.BORDER_REPLICATE)
    batch = blob.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255) - np.float32(0.5)
    return np.asarray(net.forward(batch)[0])
