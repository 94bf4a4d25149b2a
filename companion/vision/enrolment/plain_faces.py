"""Rectangles on a photograph whose ground is even, whatever lies around them: a plain card on a cloth of its colour."""

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.suppression import Outline
from companion.vision.edge_refinement import refine
from companion.vision.geometry import areas
from companion.vision.image.components import measure_components
from companion.vision.image.pyramid import Pyramid

Floats = NDArray[np.float64]

_WIDTH_PX = 640
"""Photographs are looked at so wide."""
_WINDOWS_PX, _EVEN = (3, 5, 9), (2.0, 3.5, 6.0)
"""A place is even where the levels of a window so wide deviate by less than that, in each channel: of each all are
tried."""
_LEAST_PX2, _LARGEST = 300, (0.5, 0.7)
"""A region has so many pixels, and is no wider and higher than these shares of the photograph."""
_FILLED, _LONGEST = 0.4, 2.5
"""It fills so much of the rectangle around it, for print is not even, and that is so many times as long as wide."""


def plain_faces(pyramid: Pyramid) -> list[Outline]:
    """The outlines of even regions that are about rectangular, those with the clearest edges first; of a card some.

    A region is bounded where it ends, not by an edge between two colours: a ground whose grain is as light in places
    as the card has no such edge all along.
    """
    outlines = list(_rectangles(np.asarray(pyramid.levels[0], np.uint8)))
    for _ in range(2):
        refined = refine(pyramid, outlines)
        outlines = [one.corners for one in refined]
    found = (Outline(one.corners, float(one.support.mean())) for one in refined)
    return sorted(found, key=lambda one: -one.confidence)


def _rectangles(bgr: NDArray[np.uint8]) -> Iterator[Floats]:
    """The rectangles around even regions, each window and limit by itself."""
    scale = min(1.0, _WIDTH_PX / bgr.shape[1])
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.float32)
    for window in _WINDOWS_PX:
        mean, square = (cv2.blur(values, (window, window)) for values in (small, small * small))
        deviation = np.sqrt(np.maximum(square - mean * mean, 0.0)).max(2)
        for limit in _EVEN:
            for box, size in _boxes((deviation < limit).astype(np.uint8)):
                (x, y), (wide, high), turn_deg = box
                if size < _FILLED * wide * high or max(wide, high) > _LONGEST * min(wide, high):
                    continue
                corners = cv2.boxPoints(((x, y), (wide + window, high + window), turn_deg)).astype(np.float64)
                yield ((corners if areas(corners[None])[0] > 0 else corners[::-1]) + 0.5) / scale - 0.5


def _boxes(even: NDArray[np.uint8]) -> Iterator[tuple[cv2.typing.RotatedRect, int]]:
    """The least boxes around the regions of a mask that may be cards, and how many pixels each region has."""
    h, w = even.shape
    labels, stats = measure_components(even, 4)
    for number, (x, y, wide, high, size) in enumerate(stats.tolist(), 1):
        if size < _LEAST_PX2 or wide > _LARGEST[0] * w or high > _LARGEST[1] * h:
            continue
        region = (labels[y : y + high, x : x + wide] == number).astype(np.uint8)
        yield cv2.minAreaRect(cv2.findNonZero(region) + np.array([x, y])), size
