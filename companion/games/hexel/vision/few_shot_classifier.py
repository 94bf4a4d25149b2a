"""Naming learnt symbols, those in doubt once more: by half of the patch, by its own light, by its likes on the card.

Symbols are printed alike on both sides of the line from the card's middle outwards. What lies over one side is dropped
by mirroring the other; a shadow or a veil over a part of the card is divided out by the patch's own bare face. An
answer counts that lies clearly nearer to some look than the patch as it is. Symbols that look the same on one card
share their doubt. What is burnt out to white is no symbol.
"""

from dataclasses import dataclass

import numpy as np

from companion.games.hexel.vision.classifier import (
    PATCH,
    accept_symbols,
    bare_face,
    contrast,
    levels_apart,
    over_face,
    raw_patches,
)
from companion.games.hexel.vision.prototype_adaptation import apply_two_symbol_prior, named
from companion.games.hexel.vision.prototypes import SymbolProfile, embed, embedding_input
from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import Network, network


def symbol_probabilities(
    net: Network, profile: SymbolProfile, pyramid: Pyramid, corners: np.ndarray, plain: float
) -> np.ndarray:
    """Probability of each of the profile's symbols and, last, of none of them: (N, 6, K + 1) float32.

    Args:
        net: the likeness network.
        profile: what was learnt.
        pyramid: the picture.
        corners: (N, 6, 2) pixels of its cards.
        plain: a symbol told so surely is not looked at again; see also `relit.named`.
    """
    if len(corners) == 0:
        return np.zeros((0, 6, len(profile.symbols) + 1), np.float32)
    colours, faces = raw_patches(pyramid, corners)
    answers = embed(net, embedding_input(colours, faces, profile.face_value))
    told = named(profile.looks, answers, LIMITS.none_at, plain)
    sure = told[..., :-1].max(-1) >= plain
    shown = is_shown(colours)
    again = ~sure & shown & (sure.sum(1) >= LIMITS.fewest_plain)[:, None]
    if again.any():
        better, fresh = _nearer(net, profile, colours, faces, answers, again)
        told[better] = named(profile.looks, fresh, LIMITS.none_at, plain)[better]
        answers = fresh
    told = _pool_similar_symbols(told, answers, plain)
    told[~shown] = np.eye(len(profile.symbols) + 1, dtype=np.float32)[-1]
    return told


def _pool_similar_symbols(told: np.ndarray, answers: np.ndarray, plain: float) -> np.ndarray:
    """Probabilities (N, 6, K + 1), those in doubt as sure as the mean of the symbols on the card that look the same."""
    off = ((answers[:, :, None] - answers[:, None]) ** 2).sum(-1)
    likes = off < LIMITS.like_squared
    logs = np.log(np.maximum(told, 1e-6))
    mean = np.exp(np.einsum("nij,njc->nic", likes, logs) / likes.sum(2)[..., None])
    mean /= mean.sum(-1, keepdims=True)
    helps = (told.max(-1) < plain) & (mean.max(-1) > told.max(-1)) & (likes.sum(2) >= LIMITS.fewest_likes)
    return np.where(helps[..., None], mean, told).astype(np.float32)


def is_shown(colours: np.ndarray) -> np.ndarray:
    """Which raw patches (N, 6, PATCH, PATCH, 3) show anything at all: (N, 6) bool; not those burnt out to white."""
    return np.asarray(levels_apart(colours) >= LIMITS.shown_levels)


def _nearer(
    net: Network,
    profile: SymbolProfile,
    colours: np.ndarray,
    faces: np.ndarray,
    answers: np.ndarray,
    again: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Which patches (N, 6) of those asked for lie nearer to a look seen otherwise, and all answers with theirs."""
    card, edge = np.nonzero(again)
    views = _otherwise(colours, faces, profile.face_value, card, edge)
    seen = embed(net, views.reshape(-1, 1, PATCH, PATCH, 6))
    seen = seen.reshape(len(views), len(card), -1)
    off = ((seen[:, :, None] - profile.looks) ** 2).sum(-1).min(-1)
    first = ((answers[card, edge][:, None] - profile.looks) ** 2).sum(-1).min(-1)
    best, least = off.argmin(0), off.min(0)
    counts = (least < LIMITS.near_prototype) & (least < LIMITS.nearer_share * first)
    fresh, better = answers.copy(), np.zeros(again.shape, bool)
    fresh[card[counts], edge[counts]] = seen[best, np.arange(len(card))][counts]
    better[card[counts], edge[counts]] = True
    return better, fresh


def _otherwise(
    colours: np.ndarray, faces: np.ndarray, value: np.ndarray, card: np.ndarray, edge: np.ndarray
) -> np.ndarray:
    """Four other views (4, M, PATCH, PATCH, 6) of patches: each half mirrored, and measured against themselves."""
    patch, half = colours[card, edge], PATCH // 2
    mirrored = patch[:, :, ::-1]
    out = []
    for left, right in ((patch, mirrored), (mirrored, patch)):
        six = colours[card].copy()
        six[np.arange(len(card)), edge] = np.concatenate([left[:, :, :half], right[:, :, half:]], axis=2)
        out.append(embedding_input(six, faces[card], value)[np.arange(len(card)), edge])
    alone = patch[:, None].repeat(2, axis=1)
    own = np.maximum(bare_face(alone)[:, 0, 0, 0], 6.0)
    for face in (own, faces[card]):
        over = over_face(alone, face, value) - np.float32(0.5)
        out.append(np.concatenate([over, contrast(alone)], axis=-1)[:, 0])
    return np.stack(out)


@dataclass(frozen=True, slots=True)
class FewShotSymbols:
    """A deck's own printing."""

    profile: SymbolProfile

    @property
    def names(self) -> tuple[str | None, ...]:
        """See `SymbolClassifier`."""
        return (*self.profile.symbols, None)

    def classify(self, pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
        """See `Classifier`."""
        alone = symbol_probabilities(
            network("hexel/embedding/weights.onnx"), self.profile, pyramid, corners, LIMITS.sure_symbol
        )
        return apply_two_symbol_prior(alone, LIMITS.sure_symbol)

    def settled(self, probabilities: np.ndarray) -> "FewShotSymbols":
        """Itself: a profile knows its deck."""
        return self

    def accept(self, probabilities: np.ndarray) -> tuple[str | None, ...]:
        """See `Classifier`."""
        return accept_symbols(probabilities, self.names)
