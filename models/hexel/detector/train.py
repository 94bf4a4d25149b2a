"""Trains the detector of Hex'el cards: where they lie and how each is turned and foreshortened.

    python -m models.hexel.detector.train --cache DIR [--pictures 5000] [--steps 9000]

Draws its own photographs (`models.drawing.hexel.photograph`, seeds from 1,000,000 up); see `models.detection`.
"""

from pathlib import Path

import cv2
import numpy as np

from models.dataset import Column, cached, ragged
from models.detection import Heatmap, Sample, train_detector
from models.drawing.hexel.photograph import random_photograph
from models.networks import HeatmapDetector
from models.trainer import parser


def draw(seed: int) -> tuple[Column, ...]:
    """One half-size picture (1, 304, 400, 3), how many cards it has (1,), their corners (N, 6, 2), how hidden (N,)."""
    picture = random_photograph(np.random.default_rng(seed), (38, 330))
    half = cv2.resize(picture.bgr, (400, 304), interpolation=cv2.INTER_AREA)
    cards = picture.truth["cards"] + picture.truth["loose"]
    corners = np.array([c["corners"] for c in cards], np.float32).reshape(-1, 6, 2) / 2 - 0.25
    return half[None], np.array([len(cards)]), corners, np.array([c["covered"] for c in cards], np.float32)


def samples(cache: Path, count: int) -> list[Sample]:
    """The drawn pictures."""
    columns, seeds = ("images", "lengths", "corners", "hidden"), range(1_000_000, 1_000_000 + count)
    images, lengths, corners, hidden = cached(cache, "detector", columns, draw, seeds).values()
    nothing = np.zeros((0, 6, 2), np.float32)
    rows = zip(images, ragged(corners, lengths), ragged(hidden, lengths), strict=True)
    return [Sample(*row, nothing) for row in rows]


def main() -> None:
    options = parser(__doc__, steps=9000, rate=3e-3, batch=12)
    options.add_argument("--pictures", type=int, default=5000)
    a = options.parse_args()
    train_detector(a, HeatmapDetector(), samples(a.cache, a.pictures), Heatmap())


if __name__ == "__main__":
    main()
