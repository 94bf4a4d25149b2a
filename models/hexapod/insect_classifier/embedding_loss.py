"""What the embedding of a deck's insects is asked for: to lie nearest to their kind, and to be parted by discriminants.

Changes when insects of a learnt printing get their names in another way.
"""

from typing import NamedTuple

import torch
from torch import nn

from companion.games.hexapod.vision.classifier import EMBEDDING, KINDS

SHARPNESS = 16.0
"""What an embedding is multiplied with before it becomes a probability."""
_SHRUNK, _MIN_SEPARATION, _LEAST = 0.5, 0.5, 1e-4
"""As in `companion/games/hexapod/vision/classifier.py`, about."""
_LEAST_SHOWN = 2
"""So many insects of a kind tell how it scatters."""

Answers = tuple[torch.Tensor, float]
"""A loss, and the share of insects told right."""


class Insects(NamedTuple):
    """Insects of one deck: unit vectors (N, D), and the kind of each (N,), from 1 up."""

    vectors: torch.Tensor
    kinds: torch.Tensor


def insects_of(views: list[tuple[torch.Tensor, torch.Tensor]]) -> Insects:
    """The insects of views of one deck: of each, the network's planes (N, C, H, W) and its cells' kinds (N, h, w)."""
    units = [
        nn.functional.normalize(planes[:, EMBEDDING, 1:-1, 1:-1], dim=1).permute(0, 2, 3, 1) for planes, _ in views
    ]
    vectors = torch.cat([unit.reshape(-1, unit.shape[-1]) for unit in units])
    kinds = torch.cat([some.reshape(-1) for _, some in views])
    is_one = (kinds > 0) & (kinds <= len(KINDS))
    return Insects(vectors[is_one], kinds[is_one])


def nearest(known: Insects, asked: Insects) -> Answers:
    """Insects are to lie nearest to those of their kind on the one picture that shows every kind."""
    asked = _shown(asked, known.kinds.unique())
    if not len(asked.kinds):
        return asked.vectors.sum() * 0, float("nan")
    ambiguous_pairs = SHARPNESS * asked.vectors @ known.vectors.T
    of_kind = range(1, len(KINDS) + 1)
    logits = torch.stack([torch.logsumexp(ambiguous_pairs.masked_fill(known.kinds != k, -1e4), 1) for k in of_kind], 1)
    return _answers(logits, asked.kinds - 1)


def parted(known: Insects, asked: Insects) -> Answers:
    """Insects are to be told by what parts the kinds in several looks at that picture: Fisher's discriminants."""
    shown = [k for k in range(1, len(KINDS) + 1) if int((known.kinds == k).sum()) >= _LEAST_SHOWN]
    asked = _shown(asked, torch.tensor(shown))
    if not len(asked.kinds) or len(shown) < 2:
        return asked.vectors.sum() * 0, float("nan")
    own = [known.vectors[known.kinds == k] for k in shown]
    means = torch.stack([one.mean(0) for one in own])
    off = [one - one.mean(0) for one in own]
    scatter = torch.stack([one.T @ one / len(one) for one in off]).mean(0)
    dims = scatter.shape[0]
    even = scatter.trace() / dims + _LEAST
    weights = torch.linalg.solve((1 - _SHRUNK) * scatter + _SHRUNK * even * torch.eye(dims), means.T).T
    logits = _MIN_SEPARATION * (asked.vectors @ weights.T - 0.5 * (means * weights).sum(1))
    return _answers(logits, torch.tensor([shown.index(int(k)) for k in asked.kinds]))


def _shown(insects: Insects, kinds: torch.Tensor) -> Insects:
    is_shown = torch.isin(insects.kinds, kinds)
    return Insects(insects.vectors[is_shown], insects.kinds[is_shown])


def _answers(logits: torch.Tensor, wanted: torch.Tensor) -> Answers:
    return nn.functional.cross_entropy(logits, wanted), float((logits.argmax(1) == wanted).float().mean())
