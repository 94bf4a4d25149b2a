"""Tells learnt kinds apart along what parts them: Fisher's linear discriminants, from many looks at one photograph.

Two kinds that lie close together in a likeness are still told apart where the looks at each hardly scatter that way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SHRUNK = 0.5
"""How far the scatter is taken to be alike in all directions: a photograph shows some directions of it only (Ledoit and
Wolf 2004 say why to shrink at all; between 0.3 and 0.6 nothing changed)."""
_LEAST = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Discriminant:
    """What tells K kinds apart.

    Attributes:
        kinds: the K kinds' names.
        weights: (K, D) float32.
        offsets: (K,) float32.
    """

    kinds: tuple[str, ...]
    weights: NDArray[np.float32]
    offsets: NDArray[np.float32]

    def logits(self, vectors: NDArray[np.floating]) -> NDArray[np.float32]:
        """How likely vectors (..., D) are of each kind, as logarithms up to a common one: (..., K)."""
        return np.asarray(vectors @ self.weights.T + self.offsets)


def fit_discriminant(vectors: NDArray[np.floating], kinds: Sequence[str]) -> Discriminant:
    """What tells kinds apart, each as likely as the others.

    Args:
        vectors: (N, D) of looks.
        kinds: the kind of each.
    """
    names, of_kind = np.unique(np.asarray(kinds), return_inverse=True)
    means = np.stack([vectors[of_kind == k].mean(0) for k in range(len(names))])
    off = [vectors[of_kind == k] - means[k] for k in range(len(names))]
    scatter = np.mean([one.T @ one / len(one) for one in off], axis=0)
    dims = vectors.shape[1]
    even = max(float(np.trace(scatter)) / dims, _LEAST)
    weights = np.linalg.solve((1 - _SHRUNK) * scatter + _SHRUNK * even * np.eye(dims), means.T).T
    offsets = -0.5 * (means * weights).sum(1)
    return Discriminant(tuple(names.tolist()), weights.astype(np.float32), offsets.astype(np.float32))
