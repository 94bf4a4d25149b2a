"""What names the insects in a field's cells: the described kinds, or a printing that was learnt.

Changes when kinds get their names in another way.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from companion.vision.discriminant import Discriminant
from companion.vision.insects import INSECT, KINDS, Cells

SHARPNESS = 56.0
"""What a likeness is multiplied with before it becomes a probability, more than in training."""
_STANDING = 20.0
"""What it is multiplied with where it speaks for a way up."""
_PARTED = 0.5
"""What the discriminants' logits are multiplied with: what scatters on one photograph is less than what does on all."""
NONE_AT = 0.66
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
        alike = self._alike(cells, SHARPNESS)
        is_shown = 1 / (1 + np.exp(SHARPNESS * NONE_AT - np.logaddexp.reduce(alike, axis=-1, keepdims=True)))
        out = np.zeros_like(alike)
        logits = _PARTED * self.parting.logits(cells.likeness)
        e = np.exp(logits - logits.max(-1, keepdims=True))
        out[..., [KINDS.index(kind) for kind in self.parting.kinds]] = e / e.sum(-1, keepdims=True)
        return np.asarray(out * is_shown)

    def fit(self, cells: Cells) -> float:
        """See `InsectNamer`."""
        alike = self._alike(cells, _STANDING).max(-1)
        return float((cells.state[..., INSECT] * alike).sum()) + Described().fit(cells)

    def _alike(self, cells: Cells, sharpness: float) -> np.ndarray:
        """(rows, cols, 8) how like its most like examples a cell is to each kind, times ``sharpness``."""
        alike = sharpness * cells.likeness @ self.examples.T
        out = np.full((*alike.shape[:2], len(KINDS)), -sharpness, np.float32)
        for k in range(len(KINDS)):
            mine = alike[..., self.of_kind == k]
            if mine.shape[-1]:
                top = mine.max(-1)
                out[..., k] = top + np.log(np.exp(mine - top[..., None]).sum(-1))
        return out
