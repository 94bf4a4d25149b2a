"""What is learnt of a Comet printing: where its numbers stand, how they look there, and the card's look as a whole."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.places import NumberPlaces
from companion.games.comet.vision.results import NUMBERS
from companion.vision.enrolment.profile import Profile

NETWORK = "comet/number_classifier/weights.onnx"
EMBEDDED = 64
"""Numbers of a view's embedding."""
LOOK_HIGH = 64
"""How high a card's look is kept, in pixels; its width follows from the card's."""


@dataclass(frozen=True, slots=True, eq=False)
class CometProfile(Profile):
    """A printing, as it was learnt.

    Attributes:
        half_width: the card's width over its height, as it is read.
        slots: which number stands at each place (P,), 0 to 2.
        at: the places' middles in the card's frame (P, 2), see `places`.
        high: how high numerals stand there (P,).
        turned: 1 where they stand upside down, else 0 (P,).
        numbers: which number each sample shows (S,).
        embeddings: those of views of the numbers (S, EMBEDDED), of length 1, or zeros where no sample of a number
            shows it.
        face: what all faces have in common, seen straight on (h, w), grey.
        back: the back seen straight on (h, w), grey; empty where it was not shown.
        back_tint: the logarithms of the back's colour over that of the faces beside it, blue, green and red (3,); empty
            where it was not shown, and in a file from before it was kept.
        standing: how plainly each of its sixes and nines stands upright, as log-odds of what the network answers for it
            and for it upside down, of the least plain: many where a line is printed under them, about 0 else and in a
            file from before it was kept.
        flush_right: how much farther right the numbers of one figure stand than those of two, in their heights: about 0
            where they are centred, less where they begin below each other, 1 in a file from before it was kept.
    """

    GAME: ClassVar[str] = "comet"
    VERSION: ClassVar[int] = 1
    NETWORKS: ClassVar[tuple[str, ...]] = (NETWORK,)
    half_width: float
    slots: NDArray[np.float32]
    at: NDArray[np.float32]
    high: NDArray[np.float32]
    turned: NDArray[np.float32]
    numbers: NDArray[np.float32]
    embeddings: NDArray[np.float32]
    face: NDArray[np.float32]
    back: NDArray[np.float32]
    standing: float = 0.0
    back_tint: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    flush_right: float = 1.0

    @property
    def places(self) -> NumberPlaces:
        """Where the numbers stand."""
        return NumberPlaces(self.slots.astype(np.intp), self.at, self.high, self.turned > 0.5, self.half_width)

    def summary(self) -> str:
        """See `Profile`."""
        prints = len(self.slots) // 3
        often = "" if prints < 2 else f", each printed {prints} times"
        back = "and its back" if self.back.size else "without its back, which was not shown"
        return f"the {len(set(self.numbers.tolist()))} numbers of {self.deck}{often}, {back}"

    def is_consistent(self) -> bool:
        """See `Profile`."""
        count = len(self.slots)
        return (
            is_half_width(self.half_width)
            and self.slots.shape == self.high.shape == self.turned.shape == (count,)
            and self.at.shape == (count, 2)
            and self.places.is_consistent()
            and self.embeddings.shape == (len(self.numbers), EMBEDDED)
            and set(self.numbers.tolist()) == set(NUMBERS)
            and self.face.shape == look_shape(self.half_width)
            and self.back.shape in ((0,), self.face.shape)
            and self.back_tint.shape in ((0,), (3,))
        )


def is_half_width(value: float) -> bool:
    """Whether a card may be so wide, in its heights."""
    return 0.3 < value < 3.0


def look_shape(half_width: float) -> tuple[int, int]:
    """Height and width in pixels of a card's look."""
    return LOOK_HIGH, max(8, round(LOOK_HIGH * half_width))
