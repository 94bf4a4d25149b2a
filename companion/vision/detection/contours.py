"""Outlines proposed without any network: areas between edges that are as good as rectangles or hexagons.

Plain card stock, touching or alone, is an area that edges bound. What is proposed is for others to judge.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEVELS = (10.0, 22.0, 45.0)
"""Steps of grey, from one pixel to the next but one, that count as an edge."""
LEAST_SHARE = 0.87
"""How much of the polygon around it an area's hull must fill: a card's rounded corners are missing."""
LEAST_SOLID = 0.8
"""How much of its hull an area must fill."""


def propose(picture: NDArray[np.uint8], sides: int, least_px: float, most_share: float = 0.45) -> list[Floats]:
    """Polygons (sides, 2) around areas that edges bound, clockwise as seen; many are no cards, some twice.

    Args:
        picture: (H, W, 3) BGR, best about 700 pixels wide.
        sides: 4 or 6.
        least_px: root of the smallest area.
        most_share: of the picture that a card may cover.
    """
    found: list[Floats] = []
    smooth = cv2.GaussianBlur(picture, (0, 0), 0.8)
    steps = cv2.morphologyEx(smooth, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)).max(2)
    most = most_share * picture.shape[0] * picture.shape[1]
    for level in LEVELS:
        flat = (steps < level).astype(np.uint8)
        flat[[0, -1]], flat[:, [0, -1]] = 0, 0
        contours, _ = cv2.findContours(flat, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            x, y, w, h = cv2.boundingRect(contour)
            if max(w, h) < least_px or w * h > 2 * most or min(x, y) < 2:
                continue
            polygon = _polygon_of(contour, sides, least_px**2, most)
            if polygon is not None:
                found.append(polygon)
    return found


def _polygon_of(contour: NDArray[np.int32], sides: int, least: float, most: float) -> Floats | None:
    """The polygon around an area's outer contour, None where the area is not nearly one."""
    hull = cv2.convexHull(contour)
    area = cv2.contourArea(hull)
    if not least <= area <= most or cv2.contourArea(contour) < LEAST_SOLID * area or len(hull) < sides:
        return None
    around = np.asarray(cv2.approxPolyN(hull, sides, None, -1, True), np.float64).reshape(-1, 2)
    if len(around) != sides or area < LEAST_SHARE * abs(cv2.contourArea(around.astype(np.float32))):
        return None
    if cv2.contourArea(around.astype(np.float32), oriented=True) < 0:
        around = around[::-1]
    centre = around.mean(0)
    reach = np.linalg.norm(around - centre, axis=1, keepdims=True)
    return np.asarray(around + (around - centre) / np.maximum(reach, 1e-6) * 1.8)  # the edge itself is outside the area
