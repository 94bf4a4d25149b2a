"""What the six symbols of a Hex'el card say about each other: a card carries one or two kinds, never three.

Legality as a prior: where a symbol is hard to tell, the card's other symbols often decide. What is plainly seen stays,
a third kind too.
"""

from itertools import combinations

import numpy as np

_THREE_KINDS = 0.01
"""How likely a face of three kinds is held to be, against the faces that are printed."""
_TRUST = 0.7
"""The six symbols lie in the same light: their witness counts for less than that of six strangers."""


def with_two_kinds(probabilities: np.ndarray, plain: float) -> np.ndarray:
    """Probabilities once it is known that a card carries at most two kinds of symbol.

    Args:
        probabilities: (N, 6, K + 1) of each kind for each symbol by itself, last that it is none.
        plain: a symbol that is seen so surely stays as it is seen.

    Returns:
        (N, 6, K + 1).

    >>> p = np.array([[[0.97, 0.01, 0.01, 0.01]] * 3 + [[0.01, 0.6, 0.38, 0.01]] * 2 + [[0.01, 0.95, 0.03, 0.01]]])
    >>> bool(with_two_kinds(p, 0.93)[0, 3, 1] > 0.85)
    True
    """
    none = probabilities.shape[-1] - 1
    pairs = list(combinations(range(none), 2))
    allowed = np.zeros((len(pairs) + 1, none + 1))
    for row, pair in zip(allowed, pairs, strict=False):
        row[[*pair, none]] = 1.0
    allowed[-1] = 1.0
    share = np.einsum("nic,sc->nsi", np.asarray(probabilities, np.float64), allowed) + 1e-9
    prior = np.append(np.full(len(pairs), (1.0 - _THREE_KINDS) / len(pairs)), _THREE_KINDS)
    weight = prior * np.exp(_TRUST * np.log(share).sum(-1))
    weight /= weight.sum(-1, keepdims=True)
    told = np.einsum("ns,nsi,sc,nic->nic", weight, 1.0 / share, allowed, probabilities)
    told /= told.sum(-1, keepdims=True)
    return np.where(probabilities.max(-1, keepdims=True) >= plain, probabilities, told).astype(np.float32)
