"""How HexDragon tiles are found: the configuration of the shared detector."""

from companion.vision.detection.detector import Head, HeatmapDetector
from companion.vision.geometry import HEXAGON

DETECTOR = HeatmapDetector(
    weights="hexdragon/detector/weights.onnx",
    heads=(Head(HEXAGON, spacing=0.5),),
    good_px=44.0,
    too_wide_px=92.0,
    too_small_px=30.0,
    coarser=(0.4, 0.16),
    coarser_confidence=0.85,
)
CORNER_REFINER = "hexdragon/corner_refiner/weights.onnx"
