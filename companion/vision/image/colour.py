"""Whether a picture has the colours by which some symbols differ: a camera's night mode, or a scan, has none."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.image.pyramid import Pyramid
from companion.vision.results import ReadingWarning

_MEASURED_PX = 240.0
"""The longer side of the picture that is measured: grain of single pixels is no colour."""
_FAINT = 0.08
"""Printed colours differ by more, in shares of white: on 36 pictures by 0.3 at least, and by 0.03 to 0.14 with a tenth
of their colour left, where insects were first taken for one another."""
NO_COLOUR = ReadingWarning("no-colour", "the picture has no colour: what only colour tells is left open")


def has_colour(pyramid: Pyramid, outlines: Sequence[NDArray[np.floating]]) -> bool:
    """The cards show colours, whatever tint the light has.

    Args:
        pyramid: the picture.
        outlines: (K, 2) each, of the cards.
    """
    small = pyramid.scaled(min(1.0, _MEASURED_PX / max(pyramid.size)))
    scale = np.array(small.shape[1::-1]) / pyramid.size
    mask = np.zeros(small.shape[:2], np.uint8)
    for outline in outlines:
        cv2.fillConvexPoly(mask, np.round((outline + 0.5) * scale - 0.5).astype(np.int32), 1)
    pixels = small[mask > 0].astype(np.float32)
    if not len(pixels):
        return True
    levelled = pixels / np.maximum(np.percentile(pixels, 90, axis=0), 8.0)
    return bool(np.percentile(levelled.max(1) - levelled.min(1), 98) > _FAINT)
