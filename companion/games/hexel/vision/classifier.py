"""How symbols get their names: by the printings that training knew, or by a deck's own look, learnt from a picture."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from companion.games.hexel.vision.patch_tta import symbol_probabilities
from companion.games.hexel.vision.prototypes import SymbolProfile
from companion.games.hexel.vision.symbol_crops import CLASSES, NAMES, class_probabilities, cut_patches
from companion.games.hexel.vision.two_symbol_prior import with_two_kinds
from companion.vision.classification.classifier import Classifier
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import network

SURE = 0.93
"""A symbol less certain than this is unsure: its part of the reading is null and a warning says where."""

EDITION_CLASSES = {"36": ("red", "blue-disc", "void"), "46": ("red", "blue-diamond", "yellow")}


class Namer(Classifier, Protocol):
    """Names the symbols of one deck."""

    @property
    def names(self) -> tuple[str | None, ...]:
        """What each class is called; None for no symbol at all."""

    def probabilities(self, pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
        """Of every class for the six symbols of cards (N, 6, 2), in order of their own edges: (N, 6, C)."""

    def settled(self, probabilities: np.ndarray) -> "Namer":
        """The namer once it has seen the table's symbols (N, 6, C): one edition for the whole table."""

    def accepted(self, probabilities: np.ndarray) -> tuple[str | None, ...]:
        """The symbols (6,) that may be stated as fact from their probabilities (6, C); None where unsure."""


@dataclass(frozen=True, slots=True)
class Printed:
    """The reference printing and its kin. ``edition`` None until it is known."""

    edition: str | None = None

    @property
    def names(self) -> tuple[str | None, ...]:
        """See `Namer`."""
        return NAMES

    def probabilities(self, pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
        """See `Namer`."""
        patches, _ = cut_patches(pyramid, corners)
        return class_probabilities(network("hexel/symbol_classifier/weights.onnx"), patches)

    def settled(self, probabilities: np.ndarray) -> "Printed":
        """With the edition that the table's symbols speak for, unless it was known."""
        if self.edition is not None:
            return self
        weight = probabilities.reshape(-1, len(CLASSES)).sum(0)
        score = {e: sum(float(weight[CLASSES.index(c)]) for c in classes) for e, classes in EDITION_CLASSES.items()}
        return replace(self, edition=max(score, key=lambda e: score[e]))

    def accepted(self, probabilities: np.ndarray) -> tuple[str | None, ...]:
        """See `Namer`; a symbol of another edition is doubted."""
        allowed = [self.edition is None or c in EDITION_CLASSES[self.edition] for c in CLASSES]
        return plainly(probabilities, tuple(n if ok else None for n, ok in zip(NAMES, allowed, strict=True)))


@dataclass(frozen=True, slots=True)
class Learnt:
    """A deck's own printing."""

    profile: SymbolProfile

    @property
    def names(self) -> tuple[str | None, ...]:
        """See `Namer`."""
        return (*self.profile.symbols, None)

    def probabilities(self, pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
        """See `Namer`."""
        alone = symbol_probabilities(network("hexel/embedding/weights.onnx"), self.profile, pyramid, corners, SURE)
        return with_two_kinds(alone, SURE)

    def settled(self, probabilities: np.ndarray) -> "Learnt":
        """Itself: a profile knows its deck."""
        return self

    def accepted(self, probabilities: np.ndarray) -> tuple[str | None, ...]:
        """See `Namer`."""
        return plainly(probabilities, self.names)


def plainly(probabilities: np.ndarray, names: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """The names (6,) of what is certain; of a third kind on one card the least certain is doubted."""
    best, sure = probabilities.argmax(-1), probabilities.max(-1)
    told = [names[k] if p >= SURE else None for k, p in zip(best, sure, strict=True)]
    _doubt_third_kind(told, sure)
    return tuple(told)


def _doubt_third_kind(names: list[str | None], sure: np.ndarray) -> None:
    """A card has one or two kinds of symbol: of a third, the least certain kind becomes unsure."""
    while len(kinds := {n for n in names if n is not None}) > 2:
        weakest = min(kinds, key=lambda k: sum(float(s) for n, s in zip(names, sure, strict=True) if n == k))
        for d in range(6):
            if names[d] == weakest:
                names[d] = None
