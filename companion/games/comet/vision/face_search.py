"""Where cards of a taught face may lie that no outline shows: the picture, from afar, compared with the turned face.

Cards that touch, or lie fanned out, hide each other's edges; what is printed on them still shows.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.image.pyramid import Pyramid

Floats = NDArray[np.float64]
_HIGH_PX = 26
"""How high a card is looked at."""
_TURNS = 24
"""A full turn in so many steps: a look turned by half a step still resembles the face."""
_APART = 0.3
"""Of outlines whose middles are nearer, in heights of a card, the likeliest is looked at."""


def search_faces(
    pyramid: Pyramid, face: NDArray[np.float32], half_width: float, high_px: float, most: int
) -> list[Floats]:
    """Outlines (4, 2), begun at the top left, where a face about so high may lie; the likeliest first.

    Args:
        pyramid: the picture.
        face: what all faces have in common (h, w), grey.
        half_width: the cards' width over their height.
        high_px: how high cards are on the picture.
        most: so many of them, the likeliest.
    """
    factor = min(1.0, _HIGH_PX / high_px)
    small = cv2.cvtColor(np.asarray(pyramid.scaled(factor), np.uint8), cv2.COLOR_BGR2GRAY)
    high = high_px * factor
    size = (max(6, round(high * half_width)), max(6, round(high)))
    wanted = cv2.resize(face, size, interpolation=cv2.INTER_AREA)
    h, w = small.shape
    across = int(np.ceil(np.hypot(h, w))) + 2 * max(size)
    found: list[tuple[float, Floats]] = []
    for step in range(_TURNS):
        middle = ((w - 1) / 2, (h - 1) / 2)
        turned_from_small = np.asarray(cv2.getRotationMatrix2D(middle, step * 360 / _TURNS, 1.0), np.float64)
        turned_from_small[:, 2] += (across - w) / 2, (across - h) / 2
        turned = cv2.warpAffine(small, turned_from_small, (across, across), borderMode=cv2.BORDER_REPLICATE)
        alike = cv2.matchTemplate(turned.astype(np.float32), wanted, cv2.TM_CCOEFF_NORMED)
        is_peak = (alike >= LIMITS.faintly_like_face) & (alike >= cv2.dilate(alike, np.ones((5, 5), np.uint8)))
        back = cv2.invertAffineTransform(turned_from_small)
        corners = np.array([[0, 0], [size[0], 0], [size[0], size[1]], [0, size[1]]]) - 0.5
        for y, x in np.argwhere(is_peak).tolist():
            on_small = (corners + np.array([x, y])) @ back[:, :2].T + back[:, 2]
            found.append((float(alike[y, x]), (on_small + 0.5) / factor - 0.5))
    apart: list[Floats] = []
    for _, outline in sorted(found, key=lambda one: -one[0]):
        if all(np.linalg.norm(outline.mean(0) - other.mean(0)) > _APART * high_px for other in apart):
            apart.append(outline)
            if len(apart) == most:
                break
    return apart
