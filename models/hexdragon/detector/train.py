"""Trains the detector of HexDragon: where tiles and stars lie and how each is turned and foreshortened.

    python -m models.hexdragon.tile_classifier.draw --cache DIR
    python -m models.hexdragon.detector.train --cache DIR --warm-start models/hexel/detector/weights.onnx

The network is that of Hex'el, which it begins with.
"""

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.vision.geometry import HEXAGON
from models.detection import Heatmap, Outlines, Sample, train_detector
from models.hexdragon.tile_classifier.draw import pictures, read
from models.networks import HeatmapDetector
from models.trainer import parser


def sample(path: Path, truth: dict[str, Any]) -> Sample:
    """A picture at half size with its tiles and stars."""
    half = np.asarray(cv2.resize(read(path), None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    tiles = np.array([tile["corners"] for tile in truth["tiles"]], np.float32).reshape(-1, 6, 2)
    stars = [_as_tile(np.array(star["corners"]), tiles)[None] for star in truth["stars"]]
    hidden = np.array([piece["covered"] for piece in truth["tiles"] + truth["stars"]], np.float32)
    corners = np.asarray(np.concatenate([tiles, *stars]) / 2 - 0.25, np.float32)
    return Sample(half, corners, hidden, np.zeros((0, 6, 2), np.float32))


def _as_tile(star: Outlines, tiles: Outlines) -> Outlines:
    """A star's outline: that of a tile in its cell, turned as the nearest tile is."""
    centre, _ = HEXAGON.pose_of(star)
    near = tiles[np.linalg.norm(tiles.mean(1) - centre, axis=1).argmin()]
    return np.asarray(centre + HEXAGON.unit @ HEXAGON.pose_of(near)[1].T, np.float32)


def main() -> None:
    a = parser(__doc__, steps=1800, rate=6e-4, batch=10).parse_args()
    train_detector(a, HeatmapDetector(), [sample(*picture) for picture in pictures(a.cache)], Heatmap())


if __name__ == "__main__":
    main()
