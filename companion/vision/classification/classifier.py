"""What the classifiers of all games share: which of their classes may be stated as fact, and how sure a card is."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np


class Classifier(Protocol):
    """Says what of a card's face is certain."""

    def accepted(self, probabilities: np.ndarray) -> tuple[str | None, ...]:
        """What may be stated as fact of a face's parts, from the probabilities of each (K, C); None where unsure."""


def confidence_of(presence: float, probabilities: np.ndarray, labels: Sequence[str | None]) -> float:
    """The confidence 0..1 of a card: that it is there, and its least certain stated part.

    Args:
        presence: 0..1, that there is a card.
        probabilities: of each class for each part (K, C).
        labels: what is stated of each part, None where unsure.
    """
    best = probabilities.max(-1)
    return presence * min((float(p) for label, p in zip(labels, best, strict=True) if label is not None), default=0.5)
