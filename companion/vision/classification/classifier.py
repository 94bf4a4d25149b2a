"""What the classifiers of all games promise."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from companion.vision.image.pyramid import Pyramid


class Classifier(Protocol):
    """Names what is printed on a game's pieces: on K parts of each, C classes."""

    def classify(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.floating]:
        """Probability of each class for each part of pieces (N, M, 2), in the order of their own corners: (N, K, C)."""

    def accept(self, probabilities: NDArray[np.floating]) -> tuple[str | None, ...]:
        """What may be stated as fact of a piece's parts, from the probabilities of each (K, C); None where unsure."""
