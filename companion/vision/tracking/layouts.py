"""How what lies on a table keeps its names from picture to picture.

A `CardTracker` follows cards; how they lie together is the game's: in a honeycomb whose cells have names, or anyhow.
"""

from collections.abc import Sequence
from typing import Protocol

from companion.vision.results import DetectedCard, aligned, in_own_frame, renamed
from companion.vision.tracking.lattice_identity import FindCells, celled, moved_since
from companion.vision.tracking.registration import register

ENOUGH = 0.6
"""So large a share of the cells known must be found again before it is the same table."""


class Layout(Protocol):
    """What a `CardTracker` asks about cards that lie together."""

    def own(self, card: DetectedCard) -> DetectedCard:
        """The card by itself, its face begun at its own first corner."""

    def aligned(self, card: DetectedCard, model: DetectedCard) -> DetectedCard:
        """The card by itself, its corners and face begun where those of ``model``, seen there before, begin."""

    def named(self, cards: list[DetectedCard]) -> list[DetectedCard]:
        """The cards with the cells that they fill together, those that had a cell keeping its name."""

    def rematched(self, known: Sequence[DetectedCard], seen: Sequence[DetectedCard]) -> list[DetectedCard] | None:
        """A whole reading's cards in the known naming of cells; None when they are not those of the known table."""

    def moved(self, known: list[DetectedCard], fresh: list[DetectedCard]) -> list[DetectedCard] | None:
        """Every known card at its new place when all were moved together; None when nothing moved."""


class LatticeLayout:
    """Hexagons on a lattice: each has an axial cell, and its face turns with the naming of directions."""

    def __init__(self, find_cells: FindCells) -> None:
        """``find_cells`` says which cell each outline (N, 6, 2) fills."""
        self._find_cells = find_cells

    def own(self, card: DetectedCard) -> DetectedCard:
        """See `Layout`."""
        return in_own_frame(card)

    def aligned(self, card: DetectedCard, model: DetectedCard) -> DetectedCard:
        """See `Layout`."""
        return aligned(card, model)

    def named(self, cards: list[DetectedCard]) -> list[DetectedCard]:
        """See `Layout`."""
        return celled(cards, self._find_cells)

    def rematched(self, known: Sequence[DetectedCard], seen: Sequence[DetectedCard]) -> list[DetectedCard] | None:
        """See `Layout`. Cards without a cell are left out: nothing but their place tells one from another."""
        cells = {c.cell: c.edges for c in known if c.cell is not None}
        there = [c for c in seen if c.cell is not None]
        match = register(cells, {c.cell: c.edges for c in there if c.cell is not None})
        if cells and (match is None or match.agreeing < ENOUGH * len(cells)):
            return None
        return there if match is None else [renamed(c, match.turns, match.shift) for c in there]

    def moved(self, known: list[DetectedCard], fresh: list[DetectedCard]) -> list[DetectedCard] | None:
        """See `Layout`."""
        return moved_since(known, fresh)
