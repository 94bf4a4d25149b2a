"""The looks of a learnt printing in the light of one picture: what its many symbols say about each other.

Another light shifts all patches of a symbol alike. The looks follow the patches that lie nearest to them, as far as
many patches speak for it, and each patch is then held against the looks as this light shows them (prototypes refined
by what is asked itself, as in Ren and others 2018). Two looks that lie close together are told apart more surely where
the picture's patches fall into two heaps between them. All that makes sure what was leant to; it never names another
symbol, and what is no symbol is told by the looks as they were learnt.

A card carries one or two kinds of symbol, never three: where a symbol is hard to tell, the card's other symbols often
decide. What is plainly seen stays, a third kind too.
"""

from itertools import combinations

import numpy as np

from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.networks import softmax


def apply_two_symbol_prior(probabilities: np.ndarray, plain: float) -> np.ndarray:
    """Probabilities once it is known that a card carries at most two kinds of symbol.

    Args:
        probabilities: (N, 6, K + 1) of each kind for each symbol by itself, last that it is none.
        plain: a symbol that is seen so surely stays as it is seen.

    Returns:
        (N, 6, K + 1).

    >>> p = np.array([[[0.97, 0.01, 0.01, 0.01]] * 3 + [[0.01, 0.6, 0.38, 0.01]] * 2 + [[0.01, 0.95, 0.03, 0.01]]])
    >>> bool(apply_two_symbol_prior(p, 0.93)[0, 3, 1] > 0.85)
    True
    """
    none = probabilities.shape[-1] - 1
    pairs = list(combinations(range(none), 2))
    allowed = np.zeros((len(pairs) + 1, none + 1))
    for row, pair in zip(allowed, pairs, strict=False):
        row[[*pair, none]] = 1.0
    allowed[-1] = 1.0
    share = np.einsum("nic,sc->nsi", np.asarray(probabilities, np.float64), allowed) + 1e-9
    prior = np.append(np.full(len(pairs), (1.0 - LIMITS.three_kinds) / len(pairs)), LIMITS.three_kinds)
    weight = prior * np.exp(LIMITS.trust_in_others * np.log(share).sum(-1))
    weight /= weight.sum(-1, keepdims=True)
    told = np.einsum("ns,nsi,sc,nic->nic", weight, 1.0 / share, allowed, probabilities)
    told /= told.sum(-1, keepdims=True)
    return np.where(probabilities.max(-1, keepdims=True) >= plain, probabilities, told).astype(np.float32)


def named(looks: np.ndarray, answers: np.ndarray, none_at: float, plain: float) -> np.ndarray:
    """Probability of each symbol and, last, of none of them: (N, 6, K + 1) float32.

    Args:
        looks: (K, E), the symbols' as they were learnt.
        answers: (N, 6, E), the network's to the patches of all cards of one picture.
        none_at: a patch at a greater squared distance from every look is no symbol.
        plain: a symbol told so surely is not doubted because of its card's others; see `kinds`.
    """
    fit_prototypes = _probabilities(_squared(looks, answers), none_at)
    followed = _followed(looks, answers, none_at, plain)
    lit = _probabilities(_pulled_apart(_squared(followed, answers), followed), none_at)
    kinds = lit[..., :-1] / np.maximum(lit[..., :-1].sum(-1, keepdims=True), 1e-9)
    lit = np.concatenate([kinds * (1 - fit_prototypes[..., -1:]), fit_prototypes[..., -1:]], axis=-1)
    leans_alike = lit.argmax(-1) == fit_prototypes.argmax(-1)
    return np.where(leans_alike[..., None], lit, fit_prototypes).astype(np.float32)


def _squared(looks: np.ndarray, answers: np.ndarray) -> np.ndarray:
    """Squared distances (N, 6, K)."""
    return np.asarray(((answers[:, :, None] - looks) ** 2).sum(-1))


def _probabilities(squared: np.ndarray, none_at: float) -> np.ndarray:
    none = np.full((*squared.shape[:2], 1), none_at, np.float32)
    logits = -LIMITS.sharpness * np.concatenate([squared, none], axis=-1)
    return np.asarray(softmax(logits), np.float32)


def _followed(looks: np.ndarray, answers: np.ndarray, none_at: float, plain: float) -> np.ndarray:
    """The looks (K, E) as this picture's light shows them."""
    off = answers[:, :, None] - looks
    is_near = (off**2).sum(-1).min(-1) < LIMITS.near_patch
    lit = looks
    for _ in range(LIMITS.rounds):
        kinds = apply_two_symbol_prior(_probabilities(_squared(lit, answers), none_at), plain)[..., :-1]
        share = kinds * is_near[..., None]
        shift = np.einsum("nik,nike->e", share, off) / (share.sum() + LIMITS.steady_patches)
        own = np.einsum("nik,nie->ke", share, answers)
        lit = (own + LIMITS.steady_patches * (looks + shift)) / (share.sum((0, 1))[:, None] + LIMITS.steady_patches)
    return np.asarray(lit, np.float32)


def _pulled_apart(squared: np.ndarray, looks: np.ndarray) -> np.ndarray:
    """The squared distances (N, 6, K), those to other looks than the nearest longer where two heaps tell them apart."""
    nearest, least = squared.argmin(-1), squared.min(-1, keepdims=True)
    surer = np.where(least < LIMITS.close_patch, _surer(squared, nearest, looks)[nearest], 1.0)
    return np.asarray(least + (squared - least) * surer)


def _surer(squared: np.ndarray, nearest: np.ndarray, looks: np.ndarray) -> np.ndarray:
    """How much surer each two looks (K, K) are told apart than training knew, 1 where nothing says so."""
    out = np.ones((len(looks), len(looks)))
    is_near = squared.min(-1) < LIMITS.near_patch
    for a, b in combinations(range(len(looks)), 2):
        apart = max(float(np.linalg.norm(looks[a] - looks[b])), 1e-6)
        along = (squared[..., a] - squared[..., b]) / (2.0 * apart)
        one, other = along[is_near & (nearest == a)], along[is_near & (nearest == b)]
        count = len(one) + len(other)
        if min(len(one), len(other)) < LIMITS.fewest_in_heap:
            continue
        spread = float(((one - one.mean()) ** 2).sum() + ((other - other.mean()) ** 2).sum())
        if other.mean() - one.mean() > LIMITS.heaps_apart * np.sqrt(spread / count):
            variance = (LIMITS.learnt_from * LIMITS.scatter + spread) / (LIMITS.learnt_from + count)
            out[a, b] = out[b, a] = float(np.clip(LIMITS.scatter / variance, 1.0, LIMITS.surer_most))
    return out
