"""The looks of a learnt printing in the light of one picture: what its many symbols say about each other.

Another light shifts all patches of a symbol alike. The looks follow the patches that lie nearest to them, as far as
many patches speak for it, and each patch is then held against the looks as this light shows them (prototypes refined
by what is asked itself, as in Ren and others 2018). Two looks that lie close together are told apart more surely where
the picture's patches fall into two heaps between them. All that makes sure what was leant to; it never names another
symbol, and what is no symbol is told by the looks as they were learnt.
"""

from itertools import combinations

import numpy as np

from companion.games.hexel.vision.two_symbol_prior import with_two_kinds
from companion.vision.networks import softmax

_SHARPNESS = 1.5
"""How much surer a look's nearness is than the training's softmax made it."""
_NEAR = 6.0
"""Only patches within this squared distance of a look move it, or are part of a heap."""
_STEADY = 8.0
"""So many patches as a look's own learning weighs, and as many that all looks shift alike or not at all."""
_ROUNDS = 2
_SCATTER = 1.0 / 3.0
"""The variance of patches between two looks that the sharpness stands for."""
_LEARNT_FROM = 12.0
"""So many patches weighs that variance against what a picture shows."""
_HEAPS = 4.5
"""Two heaps lie so many times their scatter apart; the halves of one heap lie 2.7 times."""
_FEWEST = 6
"""Patches that make a heap."""
_SURER = 3.0
"""How much surer two heaps make at most."""
_CLOSE = 3.0
"""Only of a patch within this squared distance of its look."""


def named(looks: np.ndarray, answers: np.ndarray, none_at: float, plain: float) -> np.ndarray:
    """Probability of each symbol and, last, of none of them: (N, 6, K + 1) float32.

    Args:
        looks: (K, E), the symbols' as they were learnt.
        answers: (N, 6, E), the network's to the patches of all cards of one picture.
        none_at: a patch at a greater squared distance from every look is no symbol.
        plain: a symbol told so surely is not doubted because of its card's others; see `kinds`.
    """
    learnt = _probabilities(_squared(looks, answers), none_at)
    followed = _followed(looks, answers, none_at, plain)
    lit = _probabilities(_pulled_apart(_squared(followed, answers), followed), none_at)
    kinds = lit[..., :-1] / np.maximum(lit[..., :-1].sum(-1, keepdims=True), 1e-9)
    lit = np.concatenate([kinds * (1 - learnt[..., -1:]), learnt[..., -1:]], axis=-1)
    leans_alike = lit.argmax(-1) == learnt.argmax(-1)
    return np.where(leans_alike[..., None], lit, learnt).astype(np.float32)


def _squared(looks: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Squared distances (N, 6, K)."""
    return np.asarray(((answers[:, :, None] - looks) ** 2).sum(-1))


def _probabilities(squared: np.ndarray, none_at: float) -> np.ndarray:
    none = np.full((*squared.shape[:2], 1), none_at, np.float32)
    logits = -_SHARPNESS * np.concatenate([squared, none], axis=-1)
    return np.asarray(softmax(logits), np.float32)


def _followed(looks: np.ndarray, answers: np.ndarray, none_at: float, plain: float) -> np.ndarray:
    """The looks (K, E) as this picture's light shows them."""
    off = answers[:, :, None] - looks
    is_near = (off**2).sum(-1).min(-1) < _NEAR
    lit = looks
    for _ in range(_ROUNDS):
        kinds = with_two_kinds(_probabilities(_squared(lit, answers), none_at), plain)[..., :-1]
        share = kinds * is_near[..., None]
        shift = np.einsum("nik,nike->e", share, off) / (share.sum() + _STEADY)
        own = np.einsum("nik,nie->ke", share, answers)
        lit = (own + _STEADY * (looks + shift)) / (share.sum((0, 1))[:, None] + _STEADY)
    return np.asarray(lit, np.float32)


def _pulled_apart(squared: np.ndarray, looks: np.ndarray) -> np.ndarray:
    """The squared distances (N, 6, K), those to other looks than the nearest longer where two heaps tell them apart."""
    nearest, least = squared.argmin(-1), squared.min(-1, keepdims=True)
    surer = np.where(least < _CLOSE, _surer(squared, nearest, looks)[nearest], 1.0)
    return np.asarray(least + (squared - least) * surer)


def _surer(squared: np.ndarray, nearest: np.ndarray, looks: np.ndarray) -> np.ndarray:
    """How much surer each two looks (K, K) are told apart than training knew, 1 where nothing says so."""
    out = np.ones((len(looks), len(looks)))
    is_near = squared.min(-1) < _NEAR
    for a, b in combinations(range(len(looks)), 2):
        apart = max(float(np.linalg.norm(looks[a] - looks[b])), 1e-6)
        along = (squared[..., a] - squared[..., b]) / (2.0 * apart)
        one, other = along[is_near & (nearest == a)], along[is_near & (nearest == b)]
        count = len(one) + len(other)
        if min(len(one), len(other)) < _FEWEST:
            continue
        spread = float(((one - one.mean()) ** 2).sum() + ((other - other.mean()) ** 2).sum())
        if other.mean() - one.mean() > _HEAPS * np.sqrt(spread / count):
            variance = (_LEARNT_FROM * _SCATTER + spread) / (_LEARNT_FROM + count)
            out[a, b] = out[b, a] = float(np.clip(_SCATTER / variance, 1.0, _SURER))
    return out
