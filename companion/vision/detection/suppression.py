"""Outlines of cards and tiles, and of those that lie on one another the best."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.heatmaps import Candidate, areas

Floats = NDArray[np.float64]

OVERLAP = 0.35
"""The share of the smaller one that two cards may have in common."""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """A card's outline.

    Attributes:
        corners: (4 or 6, 2) float64 pixels, clockwise as seen, sharp.
        confidence: 0..1 that a card lies there.
    """

    corners: Floats
    confidence: float


T = TypeVar("T", Candidate, Outline)


def suppress(items: Sequence[T], overlap: float, max_ratio: float = np.inf) -> list[T]:
    """Non-maximum suppression: of outlines that share more than ``overlap`` of the smaller one, the first alone.

    Args:
        items: the best first.
        overlap: a share.
        max_ratio: of their areas; outlines that differ more both stay.
    """
    if not items:
        return []
    corners = np.array([item.corners for item in items])
    outlines, sizes = corners.astype(np.float32), np.maximum(1.0, areas(corners)).tolist()
    low, high = corners.min(1), corners.max(1)
    apart = ((low[:, None] > high) | (high[:, None] < low)).any(-1).tolist()
    kept: list[int] = []
    for i, size in enumerate(sizes):
        for k in kept:
            smaller, larger = sorted((size, sizes[k]))
            if apart[i][k] or larger > max_ratio * smaller:
                continue
            if cv2.intersectConvexConvex(outlines[i], outlines[k])[0] > overlap * smaller:
                break
        else:
            kept.append(i)
    return [items[i] for i in kept]
