"""Turns patches of symbols into numbers that lie close together for one symbol, whatever its printing.

See `models/hexel/embedding`.
"""

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.classifier import PATCH, contrast, over_face
from companion.vision.networks import Network

NETWORK = "hexel/embedding/weights.onnx"
LENGTH = 48
"""Of an embedding."""
_AT_ONCE = 600
"""So many patches are embedded together: more take half as long again each."""
_AGREEING = 4
"""So many of a card's six equal symbols show that it is seen clearly."""


def embedding_input(
    colours: NDArray[np.floating], faces: NDArray[np.floating], value: NDArray[np.floating]
) -> NDArray[np.float32]:
    """The embedding network's input: each patch divided by the card's face, and its contrast to the face.

    Args:
        colours: raw patches (N, 6, PATCH, PATCH, 3); see `raw_patches`.
        faces: (N, 3), the cards' faces.
        value: (3,), the face's colour after white balance.

    Returns:
        (N, 6, PATCH, PATCH, 6) float32 within 1.25.
    """
    return np.concatenate([over_face(colours, faces, value) - np.float32(0.5), contrast(colours)], axis=-1)


def embed(net: Network, patches: NDArray[np.float32]) -> NDArray[np.float32]:
    """The embeddings (N, S, E) of patches (N, S, PATCH, PATCH, 6); see `embedding_input`."""
    flat = np.ascontiguousarray(patches.reshape(-1, PATCH, PATCH, 6).transpose(0, 3, 1, 2))
    parts = [net.forward(flat[start : start + _AT_ONCE]) for start in range(0, max(1, len(flat)), _AT_ONCE)]
    return np.asarray(np.concatenate(parts).reshape(*patches.shape[:2], -1), np.float32)


def patch_variance(answers: NDArray[np.floating]) -> NDArray[np.float32]:
    """The variance (N,) of each card's six embeddings (N, 6, E)."""
    return np.asarray(_off_median(answers).mean(1))


def agreeing_off(answers: NDArray[np.floating]) -> NDArray[np.floating]:
    """The mean squared distance (...,) of those embeddings (..., 6, E) that agree to their median."""
    return np.asarray(np.sort(_off_median(answers), axis=-1)[..., :_AGREEING].mean(-1))


def _off_median(answers: NDArray[np.floating]) -> NDArray[np.floating]:
    """The squared distances (..., S) of embeddings (..., S, E) to their median."""
    return np.asarray(((answers - np.median(answers, axis=-2, keepdims=True)) ** 2).sum(-1))
