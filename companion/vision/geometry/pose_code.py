"""An affine pose as a finder's network answers it: five numbers that do not tell turns which leave the piece as it is.

``A = S R(t)``: the logarithm of the symmetric ``S`` (3 numbers), and ``cos nt, sin nt`` for a piece that looks alike
after an n-th of a turn.
"""

import numpy as np

SCALE = (1.0, 2.0, 1.0, 0.5, 0.5)
"""What training multiplies the five numbers with, so that all matter alike."""


def code_of(affine: np.ndarray, symmetry: int) -> np.ndarray:
    """The code (5,) of an affine map (2, 2) from a unit piece that looks alike ``symmetry`` times in a turn."""
    values, vectors = np.linalg.eigh(affine @ affine.T)
    log_s = vectors @ np.diag(0.5 * np.log(values)) @ vectors.T
    turn = vectors @ np.diag(values**-0.5) @ vectors.T @ affine
    t = symmetry * np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])
    return np.array([log_s[0, 0], log_s[0, 1], log_s[1, 1], np.cos(t), np.sin(t)])


def affines_of(codes: np.ndarray, symmetry: int) -> np.ndarray:
    """The affine maps (..., 2, 2) of codes (..., 5), each up to a turn that leaves the piece as it is.

    >>> affine = np.array([[40.0, 2.0], [-3.0, 30.0]])
    >>> bool(np.allclose(affines_of(code_of(affine, 6), 6), affine))
    True
    """
    xx, xy, yy, cos, sin = np.moveaxis(np.asarray(codes, np.float64), -1, 0)
    values, vectors = np.linalg.eigh(np.stack([np.stack([xx, xy], -1), np.stack([xy, yy], -1)], -2))
    s = (vectors * np.exp(values)[..., None, :]) @ vectors.swapaxes(-1, -2)
    t = np.arctan2(sin, cos) / symmetry
    turn = np.stack([np.stack([np.cos(t), -np.sin(t)], -1), np.stack([np.sin(t), np.cos(t)], -1)], -2)
    return np.asarray(s @ turn)
