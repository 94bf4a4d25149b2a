"""Trains the corner refiner of HexDragon: tiles lie edge to edge, on boards whose cells are printed.

python -m models.hexdragon.tile_classifier.draw --cache DIR
python -m models.hexdragon.corner_refiner.train --cache DIR --warm-start models/hexel/corner_refiner/weights.onnx
"""

from pathlib import Path
from typing import Any

import numpy as np

from companion.vision.image.pyramid import Pyramid
from models.hexdragon.tile_classifier.draw import pictures, read
from models.refinement import Views, train_refiner, views_of
from models.trainer import parser

VIEWS = 2


def views(path: Path, truth: dict[str, Any], rng: np.random.Generator) -> Views:
    """Views and corrections from one picture."""
    seen = [np.array(one["corners"]) for one in truth["tiles"] if "cut" not in one and one["covered"] <= 0.45]
    return views_of(Pyramid.of(read(path)), seen, rng, VIEWS)


def dataset(cache: Path) -> Views:
    """All views, kept beside the pictures."""
    kept = cache / "corner-views.npz"
    if not kept.exists():
        rng = np.random.default_rng(5)
        x, y = zip(*(views(path, truth, rng) for path, truth in pictures(cache)), strict=True)
        np.savez(kept, x=np.concatenate(x), y=np.concatenate(y))
    with np.load(kept) as file:
        return file["x"], file["y"]


def main() -> None:
    a = parser(__doc__, steps=0, rate=8e-4).parse_args()
    x, y = dataset(a.cache)
    held_out = len(x) // 20
    train_refiner(a, (x[:-held_out], y[:-held_out]), (x[-held_out:], y[-held_out:]))


if __name__ == "__main__":
    main()
