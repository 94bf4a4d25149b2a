"""What names the insects in a field's cells: the described kinds, or a printing that was learnt.

Changes when kinds get their names in another way.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from companion.games.hexapod.vision.cell_crops import INSECT, KINDS, Cells
from companion.vision.classification.discriminant import Discriminant
from companion.vision.networks import logistic, softmax

SHARPNESS = 56.0
"""What a likeness is multiplied with before it becomes a probability, more than in training."""
_STANDING = 20.0
"""What it is multiplied with where it speaks for a way up."""
_PARTED = 0.8
"""What the discriminants' logits are multiplied with: what scatters on one photograph is less than what does on all."""
NONE_AT = 0.65
"""An insect that is less like every example than this is sooner of a kind that was not shown."""


class InsectNamer(Protocol):
    """Names what lies in the cells of a field.

    Attributes:
        rows: cells of a display case from top to bottom.
        cols: from left to right.
    """

    @property
    def rows(self) -> int:
        """See above."""

    @property
    def cols(self) -> int:
        """See above."""

    @property
    def must_stand(self) -> bool:
        """Whether a field is to be shown upright for its kinds to be named."""

    def kinds(self, cells: Cells) -> np.ndarray:
        """(rows, cols, 8) probabilities of `insects.KINDS` in cells that show an insect."""

    def fit(self, cells: Cells) -> float:
        """How well a field agrees with the printing as it is shown: greater where it stands upright."""


@dataclass(frozen=True, slots=True)
class Described:
    """The kinds as the cards are described, by whatever hand they are drawn."""

    rows: int = 5
    cols: int = 5
    must_stand: bool = False

    def kinds(self, cells: Cells) -> np.ndarray:
        """See `InsectNamer`."""
        return cells.kind

    def fit(self, cells: Cells) -> float:
        """See `InsectNamer`."""
        return float((cells.state[..., INSECT] * np.log(np.maximum(cells.up[..., 0], 1e-4))).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Likened:
    """A printing that was learnt: an insect like its examples is of the kind that its discriminants say.

    Attributes:
        examples: (N, D) unit vectors.
        of_kind: (N,) index in `insects.KINDS` of each.
        parting: what tells the kinds apart.
        rows: see `InsectNamer`.
        cols: see `InsectNamer`.
    """

    examples: np.ndarray
    of_kind: np.ndarray
    parting: Discriminant
    rows: int = 5
    cols: int = 5
    must_stand: bool = True

    def kinds(self, cells: Cells) -> np.ndarray:
        """See `InsectNamer`; what is missing to 1 is that it is none of those that were shown."""
        alike = SHARPNESS * cells.likeness @ self.examples.T
        is_shown = logistic(np.logaddexp.reduce(alike, axis=-1, keepdims=True) - SHARPNESS * NONE_AT)
        out = np.zeros((*alike.shape[:2], len(KINDS)), np.float32)
        shown = [KINDS.index(kind) for kind in self.parting.kinds]
        out[..., shown] = softmax(_PARTED * self.parting.logits(cells.likeness))
        return np.asarray(out * is_shown)

    def fit(self, cells: Cells) -> float:
        """See `InsectNamer`."""
        alike = _STANDING * cells.likeness @ self.examples.T
        to_kinds = [np.logaddexp.reduce(alike[..., self.of_kind == k], axis=-1) for k in np.unique(self.of_kind)]
        return float((cells.state[..., INSECT] * np.max(to_kinds, axis=0)).sum()) + Described().fit(cells)
