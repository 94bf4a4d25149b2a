"""Whether an outline without print is bare table: a gap between cards lacks an edge where no card lies beside it."""

from collections.abc import Sequence

import cv2
import numpy as np

from companion.games.comet.vision.detector import CARD
from companion.vision.image.pyramid import Pyramid
from companion.vision.image.rectify import sample_pieces

_ALONG = np.linspace(-0.6, 0.6, 7)
_INSIDE, _OUTSIDE = 0.9, 1.12
_LEAST = 0.1
"""By how much of its brightness a card differs from the table beside it at least."""


def is_gap(pyramid: Pyramid, corners: np.ndarray, others: Sequence[np.ndarray]) -> bool:
    """No edge is to be seen along some side of an outline (4, 2) that no other card (4, 2) lies beside."""
    inside, outside = _rim(_INSIDE), _rim(_OUTSIDE)
    centre, affine = CARD.pose_of(corners)
    places = outside.reshape(-1, 2) @ affine.T + centre
    is_free = np.array([not any(_holds(other, place) for other in others) for place in places]).reshape(4, -1)
    colours = sample_pieces(
        pyramid, CARD.pose_of(corners[None]), np.concatenate([inside, outside]).reshape(-1, 2), 0.1
    )[0]
    near, far = colours.reshape(2, 4, -1, 3)
    open_sides = [side for side in range(4) if is_free[side].mean() > 0.7]
    steps = [_step(near[side][is_free[side]], far[side][is_free[side]]) for side in open_sides]
    return bool(steps) and min(steps) < _LEAST


def _rim(scale: float) -> np.ndarray:
    """Points (4, P, 2) along the sides of the unit card made larger or smaller."""
    quad = CARD.unit * scale
    ends = np.roll(quad, -1, 0)
    return np.stack([(a + b) / 2 + _ALONG[:, None] * (b - a) / 2 for a, b in zip(quad, ends, strict=True)])


def _step(near: np.ndarray, far: np.ndarray) -> float:
    """How much the colours within a side differ from those beyond it, in shares of their brightness."""
    inner, outer = np.median(near, axis=0), np.median(far, axis=0)
    return float(np.abs(inner - outer).max() / max(8.0, float(np.maximum(inner, outer).max())))


def _holds(outline: np.ndarray, place: np.ndarray) -> bool:
    x, y = place.tolist()
    return cv2.pointPolygonTest(outline.astype(np.float32), (x, y), False) >= 0
