"""Trains the corner refiner of Comet cards: how far an outline, as found, is off.

    python -m models.comet.corner_refiner.train --cache DIR --faces typefaces.npz [--pictures 1700]

Learns from the pictures of `models/comet/drawings.py`.
"""

from companion.games.comet.vision.detector import CARD
from models.comet.drawings import drawings, options, unseen
from models.refinement import train_refiner


def main() -> None:
    a = options(__doc__, steps=0, rate=3e-3).parse_args()
    training, held_out = drawings(a.cache, a.faces, a.pictures, a.more, a.hard), unseen(a.cache, a.faces, a.held_out)
    train_refiner(a, (training["views"], training["corrections"]), (held_out["views"], held_out["corrections"]), CARD)


if __name__ == "__main__":
    main()
