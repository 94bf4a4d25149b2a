"""A deck's printing, learnt from one photograph: what its face and its symbols look like.

A symbol's look is the mean of a small network's answers (`models/hexel/embedding`) to the patches of that symbol on the
photograph; a patch is named by the look it lies nearest to. The profile is a small JSON file.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from companion.errors import TeachingRefused
from companion.games.hexel.vision.classifier import (
    FACE_VALUE,
    PATCH,
    contrast,
    cut_patches,
    levels_apart,
    over_face,
    raw_patches,
)
from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.enrolment.profile import Profile, expected_doubts
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import Network

_NUMBERS = 48
"""Of an embedding: what the network answers."""


@dataclass(frozen=True, slots=True, eq=False)
class SymbolProfile(Profile):
    """What was learnt of a printing.

    Attributes:
        symbols: the names of the symbols.
        looks: (K, E) float32, the mean likeness of each symbol.
        face_value: (3,) float32, what the card's face is worth after dividing out the light, BGR.
    """

    GAME: ClassVar[str] = "hexel"
    VERSION: ClassVar[int] = 4
    NETWORKS: ClassVar[tuple[str, ...]] = ("hexel/embedding/weights.onnx",)
    symbols: tuple[str, ...]
    looks: np.ndarray
    face_value: np.ndarray

    def summary(self) -> str:
        """What was learnt, for people."""
        return f"{', '.join(self.symbols)} of {self.deck}{expected_doubts(self.ambiguous_pairs)}"

    def is_consistent(self) -> bool:
        """See `Profile`."""
        count = len(self.symbols)
        return count > 1 and self.looks.shape == (count, _NUMBERS) and self.face_value.shape == (3,)

    @property
    def ambiguous_pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of symbols that are hard to tell apart."""
        return _nearer_than(LIMITS.alike_squared, self.symbols, self.looks)


def face_value_of(pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
    """What a deck's face is worth, (3,): plain white for a light face; a dark one in parts of its brightest print.

    Args:
        pyramid: a photograph of some of its cards.
        corners: (N, 6, 2) pixels of those cards.
    """
    patches, faces = cut_patches(pyramid, corners, LIMITS.dim_face)
    face = np.median(faces, axis=0)
    bright = float(np.percentile((patches * (faces / LIMITS.dim_face)[:, None, None, None]).max(-1), 95))
    if face.max() > 0.6 * bright:
        return np.full(3, FACE_VALUE, np.float32)
    return np.asarray(FACE_VALUE * face / bright, np.float32)


def embedding_input(colours: np.ndarray, faces: np.ndarray, value: np.ndarray) -> np.ndarray:
    """What the likeness network looks at: each patch over the card's face, and as it stands out from it.

    Args:
        colours: raw patches (N, 6, PATCH, PATCH, 3); see `symbols.raw_patches`.
        faces: (N, 3), the cards' faces.
        value: (3,), what the deck's face is worth.

    Returns:
        (N, 6, PATCH, PATCH, 6) float32 within 1.25.
    """
    return np.concatenate([over_face(colours, faces, value) - np.float32(0.5), contrast(colours)], axis=-1)


def embed(net: Network, seen: np.ndarray) -> np.ndarray:
    """The network's answers (N, S, E) to patches (N, S, PATCH, PATCH, 6); see `embedding_input`."""
    return np.asarray(
        net.forward(np.ascontiguousarray(seen.reshape(-1, PATCH, PATCH, 6).transpose(0, 3, 1, 2))).reshape(
            *seen.shape[:2], -1
        ),
        np.float32,
    )


def fit_prototypes(
    net: Network,
    deck: str,
    photographs: Sequence[tuple[Pyramid, np.ndarray, Sequence[Sequence[str | None]]]],
    weights: Sequence[float] | None = None,
) -> SymbolProfile:
    """Learn a printing: a symbol's look is the mean of what it looks like on each photograph.

    Args:
        net: the likeness network.
        deck: the deck's name.
        photographs: pictures with the corners (N, 6, 2) of their cards and each card's six symbols in the order of its
            own edges: direction 0 is the edge between its corners 0 and 1.
        weights: of each photograph; None for the same.

    Raises:
        TeachingRefused: ``unclear``, none of the cards of a symbol is seen clearly.
    """
    value = np.median([face_value_of(pyramid, corners) for pyramid, corners, _ in photographs], axis=0)
    looks_of: dict[str, list[np.ndarray]] = {}
    weight_of: dict[str, list[float]] = {}
    burnt: set[str | None] = set()
    for (pyramid, corners, names), weight in zip(photographs, weights or [1.0] * len(photographs), strict=True):
        answers: dict[str, list[np.ndarray]] = {}
        colours, faces = raw_patches(pyramid, corners)
        is_seen = np.median(levels_apart(colours), axis=1) >= LIMITS.seen_levels
        for six, edges, seen in zip(embed(net, embedding_input(colours, faces, value)), names, is_seen, strict=True):
            is_clear = bool(seen) and (len(set(edges)) > 1 or bool(unlikeness(six[None])[0] <= LIMITS.unclear))
            burnt.update(edges if not seen else ())
            for answer, name in zip(six, edges, strict=True):
                if name is not None:
                    answers.setdefault(name, []).extend([answer] if is_clear else [])
        for name, own in answers.items():
            looks_of.setdefault(name, []).extend([_agreeing(np.stack(own)).mean(0)] if own else [])
            weight_of.setdefault(name, []).extend([weight] if own else [])
    unclear = [name for name, own in looks_of.items() if not own]
    if unclear and unclear[0] in burnt:
        raise TeachingRefused(
            f"the symbol {unclear[0]} does not show: too much light lies on the cards, or too little; photograph them "
            "in softer light",
            code="unclear",
        )
    if unclear:
        raise TeachingRefused(
            f"the symbol {unclear[0]} is not seen clearly: lay the cards on a plain ground, larger in the picture",
            code="unclear",
        )
    symbols = tuple(sorted(looks_of))
    looks = np.stack([np.average(looks_of[s], axis=0, weights=weight_of[s]) for s in symbols]).astype(np.float32)
    return SymbolProfile(deck, symbols, looks, value.astype(np.float32))


def _nearer_than(squared: float, symbols: Sequence[str], looks: np.ndarray) -> tuple[tuple[str, str], ...]:
    """The pairs of symbols whose looks (K, E) have a smaller squared distance."""
    kinds = range(len(symbols))
    near = [(a, b) for a in kinds for b in range(a) if ((looks[a] - looks[b]) ** 2).sum() < squared]
    return tuple((symbols[b], symbols[a]) for a, b in near)


def unlikeness(answers: np.ndarray) -> np.ndarray:
    """How much the six patches of each card differ, (N,), from the network's answers (N, 6, E)."""
    return np.asarray(((answers - np.median(answers, axis=1, keepdims=True)) ** 2).sum(-1).mean(1))


def _agreeing(answers: np.ndarray) -> np.ndarray:
    """The better half of a symbol's answers (M, E): something may lie on one or another of its patches."""
    off = ((answers - np.median(answers, axis=0)) ** 2).sum(-1)
    return np.asarray(answers[np.argsort(off)[: max(2, (len(answers) + 1) // 2)]])
