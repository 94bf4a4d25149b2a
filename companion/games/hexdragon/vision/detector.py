"""The networks that find HexDragon tiles and make their outlines exact."""

from companion.vision.detection.detector import hexagon_detector

DETECTOR = hexagon_detector("hexdragon/detector/weights.onnx")
CORNER_REFINER = "hexdragon/corner_refiner/weights.onnx"
