"""The networks that find Hex'el cards and make their outlines exact."""

from companion.vision.detection.detector import hexagon_detector

DETECTOR = hexagon_detector("hexel/detector/weights.onnx")
CORNER_REFINER = "hexel/corner_refiner/weights.onnx"
