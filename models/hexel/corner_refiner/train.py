"""Trains the corner refiner of Hex'el cards: how far a card's outline, as found, is off.

    python -m models.hexel.corner_refiner.train --cache DIR [--pictures 1600]

Draws its own photographs (`models.drawing.hexel.photograph`, seeds from 3,000,000 up).
"""

import numpy as np

from companion.vision.image.pyramid import Pyramid
from models.dataset import cached
from models.drawing.hexel.photograph import random_photograph
from models.refinement import Views, train_refiner, views_of
from models.trainer import parser

VIEWS = 4


def draw(seed: int) -> Views:
    """Views and corrections from one photograph."""
    rng = np.random.default_rng(seed)
    picture = random_photograph(rng, (40, 300))
    cards = picture.truth["cards"] + picture.truth["loose"]
    seen = [np.array(card["corners"]) for card in cards if not card.get("cut") and card["covered"] <= 0.45]
    return views_of(Pyramid.of(picture.bgr), seen, rng, VIEWS)


def main() -> None:
    options = parser(__doc__, steps=0, rate=2e-3)
    options.add_argument("--pictures", type=int, default=1600)
    options.add_argument("--held-out", type=int, default=60)
    a = options.parse_args()
    training, held_out = (
        cached(a.cache, "corner-views", ("x", "y"), draw, range(first, first + count))
        for first, count in ((3_000_000, a.pictures), (3_900_000, a.held_out))
    )
    train_refiner(a, (training["x"], training["y"]), (held_out["x"], held_out["y"]))


if __name__ == "__main__":
    main()
