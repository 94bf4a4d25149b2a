"""How display cases and loose cards of Hexapod are found: the configuration of the shared detector."""

from dataclasses import dataclass

from companion.vision.detection.detector import Detection, Head, HeatmapDetector
from companion.vision.geometry import SQUARE
from companion.vision.image.pyramid import Pyramid

CASES = Head(
    SQUARE, spacing=0.6, planes=(8, 18), stride=8, offset_px=32.0, is_by_smaller=True, max_count=12
)  # by the smaller of two: a find may be far too large
CARDS = Head(SQUARE, spacing=0.6, is_by_smaller=True, max_count=12)
DETECTOR = HeatmapDetector("hexapod/detector/weights.onnx", (CASES, CARDS), longest_px=640, multiple=32)
COARSER = 2.2
"""The picture is searched once more so much smaller, for what is large."""


@dataclass(frozen=True, slots=True, eq=False)
class Finds:
    """What was found, surest first."""

    cases: tuple[Detection, ...]
    cards: tuple[Detection, ...]


def detect_fields(pyramid: Pyramid, least: float) -> Finds:
    """What may be a case's field or a loose card, not less certain than ``least``."""
    factor = DETECTOR.first_factor(pyramid)
    scales = [DETECTOR.detect_at(pyramid, one, least) for one in (factor, factor / COARSER)]
    cases, cards = (head.suppress([*near, *far]) for head, near, far in zip(DETECTOR.heads, *scales, strict=True))
    return Finds(cases, cards)
