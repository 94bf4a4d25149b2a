"""What names a Comet card's sections, and what of them may be stated as fact: numerals are read as print."""

import numpy as np

from companion.games.comet.vision.numeral_crops import NUMBERS, Opinions, cut_cards, opinions
from companion.games.comet.vision.results import BACK
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import network

SURE = 0.9
"""A number less certain than this is unsure: its part of the reading is null and a warning says where."""
NAMES = (*map(str, NUMBERS), BACK, None)
"""What the classes of `numerals.Opinions.sections` are called."""


class Numerals:
    """The one namer there is: no deck needs to be learnt."""

    @property
    def names(self) -> tuple[str | None, ...]:
        """See `namers.Namer`."""
        return NAMES

    def opinions(self, pyramid: Pyramid, corners: np.ndarray) -> Opinions:
        """What the network thinks of cards (N, 4, 2)."""
        return opinions(network("comet/numeral_classifier/weights.onnx"), cut_cards(pyramid, corners))

    def probabilities(self, pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
        """See `namers.Namer`: of the three sections of cards (N, 4, 2), (N, 3, 15)."""
        return self.opinions(pyramid, corners).sections()

    def settled(self, probabilities: np.ndarray) -> "Numerals":
        """See `namers.Namer`: nothing on the table changes what numerals are called."""
        return self

    def accepted(self, probabilities: np.ndarray) -> tuple[str | None, ...]:
        """See `namers.Namer`. A 6 that may be a 9 upside down is no more likely than its way up, and so unsure."""
        best, sure = probabilities.argmax(-1), probabilities.max(-1)
        return tuple(NAMES[k] if p >= SURE else None for k, p in zip(best.tolist(), sure.tolist(), strict=True))
