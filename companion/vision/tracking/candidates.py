"""Cards that are seen where none is known, each gathering evidence over several looks until it can be told."""

from dataclasses import dataclass, replace

import numpy as np

from companion.vision.classification.classifier import Classifier
from companion.vision.results import SeenCard, confidence_of, is_near
from companion.vision.tracking.layouts import Layout

_LOOKS = 6
"""So many looks have a say, the latest of them."""


@dataclass(slots=True, eq=False)
class Candidate:
    """A card seen where none was known: as the looks together say it is, their mean probabilities, and since when."""

    card: SeenCard
    evidence: np.ndarray
    looks: int
    since: int


class Candidates:
    """The candidates of one table."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._held: list[Candidate] = []

    @property
    def cards(self) -> list[SeenCard]:
        """As the looks at each say it is."""
        return [held.card for held in self._held]

    def gather(self, card: SeenCard, namer: Classifier | None, frame: int) -> Candidate:
        """The evidence for a card, this look at it included; ``namer`` says what the looks together state."""
        for held in self._held:
            if is_near(card, held.card, 0.15):
                self._add(held, self._layout.aligned(card, held.card), namer)
                return held
        own = self._layout.aligned(card, card)
        self.drop_near(card)
        self._held.append(Candidate(own, own.probabilities.copy(), 1, frame))
        return self._held[-1]

    def drop(self, candidate: Candidate) -> None:
        """Let go of one, which was told."""
        self._held.remove(candidate)

    def drop_near(self, card: SeenCard) -> None:
        """Let go of those that lie where this card does."""
        self._held = [held for held in self._held if not is_near(held.card, card, 1.0)]

    def drop_before(self, frame: int) -> None:
        """Let go of those that were first seen so long ago."""
        self._held = [held for held in self._held if held.since > frame]

    def clear(self) -> None:
        """Let go of all."""
        self._held.clear()

    def _add(self, held: Candidate, now: SeenCard, namer: Classifier | None) -> None:
        held.looks += 1
        held.evidence += (now.probabilities - held.evidence) / min(held.looks, _LOOKS)
        mean = held.evidence
        edges = _cleared(namer.accept(mean), mean, now) if namer else now.edges
        sure = confidence_of(now.presence, mean, edges)
        held.card = replace(now, edges=edges, probabilities=mean, confidence=sure)


def _cleared(edges: tuple[str | None, ...], mean: np.ndarray, now: SeenCard) -> tuple[str | None, ...]:
    """What all looks together say; where they leave a doubt, what this look says plainly, if they lean to the same."""
    leaning = mean.argmax(-1) == now.probabilities.argmax(-1)
    return tuple(n if e is None and same else e for e, n, same in zip(edges, now.edges, leaning, strict=True))
