"""How Comet cards are found: their shape, and the configuration of the shared detector."""

import numpy as np

from companion.vision.detection.detector import Head, HeatmapDetector
from companion.vision.geometry import Shape

HALF_WIDTH = 63.0 / 88.0
"""A card of 63 x 88 mm whose half height is 1."""


def card_shape(half_width: float) -> Shape:
    """A card whose half height is 1, so wide."""
    x = half_width
    return Shape(np.array([[-x, -1.0], [x, -1.0], [x, 1.0], [-x, 1.0]]), 2, 2 * x)


CARD = card_shape(HALF_WIDTH)
DETECTOR = HeatmapDetector(
    weights="comet/detector/weights.onnx",
    heads=(Head(CARD, spacing=0.45),),  # fanned cards lie so near
    good_px=40.0,
    too_wide_px=84.0,
    coarser=(0.4,),
    coarser_confidence=0.9,  # there may be no cards
)
CORNER_REFINER = "comet/corner_refiner/weights.onnx"
