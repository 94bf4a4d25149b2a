"""One homography through many votes, of which some are wrong."""

import numpy as np
from numpy.typing import NDArray

_ROUNDS = 4
_NEAR = 0.03
"""A vote that lies further off than this, in half sides, counts less the further it lies."""
_LEAST_WEIGHT = 0.05
"""What the votes must weigh together, against votes of the greatest weight everywhere."""
_STIFFNESS = 0.0005
"""What it takes, as a share of all votes, to bend the plane: few votes on one side do not lean a field."""


def fit_robust_homography(
    places: NDArray[np.floating], targets: NDArray[np.floating], weights: NDArray[np.floating]
) -> NDArray[np.float64] | None:
    """Fit the homography (3, 3) that maps places to their targets; None when the weights are too low for one.

    Iteratively reweighted least squares with Geman and McClure's weights.

    Args:
        places: (N, 2) about -2..2.
        targets: (N, 2) where each is wanted.
        weights: (N,) from 0 up.

    >>> spots = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1], [0, 0]])
    >>> bool(np.allclose(fit_robust_homography(spots, spots + [0.5, 0], np.ones(5))[:2, 2], [0.5, 0], atol=0.01))
    True
    """
    weights = weights / max(float(weights.max()), 1e-9)
    if float(weights.mean()) < _LEAST_WEIGHT * 0.1:
        return None
    share = weights
    matrix = np.eye(3)
    for _ in range(_ROUNDS):
        found = _fitted(places, targets, share, matrix)
        if found is None:
            return None
        matrix = found
        flat = places @ matrix[:, :2].T + matrix[:, 2]
        off = np.linalg.norm(flat[:, :2] / flat[:, 2:] - targets, axis=1)
        scale = max(_NEAR, 1.5 * _weighted_median(off, weights))
        share = weights / (1 + (off / scale) ** 2) ** 2
    return matrix if np.linalg.det(matrix) > 1e-3 else None


def _fitted(
    places: NDArray[np.floating],
    targets: NDArray[np.floating],
    weights: NDArray[np.floating],
    before: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    """Weighted least squares of a homography with a last element of 1; its depth held near that of ``before``."""
    x, y = places.T
    u, v = targets.T
    depth = before[2, 0] * x + before[2, 1] * y + 1
    root = np.sqrt(weights) / np.maximum(depth, 0.2)
    equations = np.zeros((2, len(x), 8))
    for rows, target, first in ((equations[0], u, 0), (equations[1], v, 3)):
        for column, values in ((first, x), (first + 1, y), (6, -target * x), (7, -target * y)):
            np.multiply(values, root, out=rows[:, column])
        rows[:, first + 2] = root
    left = equations.reshape(-1, 8)
    right = np.concatenate([u * root, v * root])
    normal = left.T @ left
    normal[[6, 7], [6, 7]] += _STIFFNESS * float(weights.sum())
    try:
        a = np.linalg.solve(normal, left.T @ right)
    except np.linalg.LinAlgError:
        return None
    return np.append(a, 1.0).reshape(3, 3)


def _weighted_median(values: NDArray[np.floating], weights: NDArray[np.floating]) -> float:
    order = np.argsort(values)
    heap = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(heap, heap[-1] / 2)]])
