"""How what lies on a table keeps its names from picture to picture.

A `CardTracker` follows cards; how they lie together is the game's: in a honeycomb whose cells have names, or anyhow.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.rules.hexgrid import Cell, rotated
from companion.vision.results import DetectedCard, aligned, in_own_frame, renamed, turned
from companion.vision.tracking.registration import register

MOVED = 0.1
"""Cards that lie this far from where they lay, in sides, were moved together: a bump."""
ENOUGH = 0.6
"""So large a share of the cells known must be found again before it is the same table."""


class LatticePlacement(Protocol):
    """Which cell each of some cards fills, and which of its edges looks in direction 0."""

    @property
    def cells(self) -> tuple[Cell | None, ...]:
        """None for a card that fills none."""

    @property
    def east(self) -> tuple[int, ...]:
        """The edge from corner ``east`` to the next."""


FindCells = Callable[[NDArray[np.floating], Sequence[Cell | None]], LatticePlacement]
"""The cells of outlines (N, 6, 2), from the cells of those that are known."""


def celled(cards: list[DetectedCard], find: "FindCells") -> list[DetectedCard]:
    """The cards with the cells that they fill together, those that had a cell keeping its name.

    Args:
        cards: at least one; those without a cell are new or loose.
        find: see `FindCells`.
    """
    lattice = find(np.stack([c.corners for c in cards]), [c.cell for c in cards])
    placed = list(zip(cards, lattice.cells, lattice.east, strict=True))
    same = naming({cell: c.cell for c, cell, _ in placed if cell is not None and c.cell is not None})
    if same is None:
        known = {c.cell: c.edges for c in cards if c.cell is not None}
        fresh = {cell: turned(c, cell, east - c.east).edges for c, cell, east in placed if cell is not None}
        match = register(known, fresh) if known else None
        same = (match.turns, match.shift) if match is not None else (0, (0, 0))
    return [_placed(c, cell, east, *same) for c, cell, east in placed]


def _placed(card: DetectedCard, cell: Cell | None, east: int, turns: int, shift: Cell) -> DetectedCard:
    """The card in its cell of a lattice that is turned and then shifted; itself where it has that cell already."""
    if cell is None:
        return card if card.cell is None and east == card.east else turned(card, None, east - card.east)
    q, r = rotated(cell, turns)
    cell, by = (q + shift[0], r + shift[1]), east - card.east + turns
    return card if cell == card.cell and by % 6 == 0 else turned(card, cell, by)


def moved_since(known: list[DetectedCard], fresh: list[DetectedCard]) -> list[DetectedCard] | None:
    """The known cards where they lie after the camera or the table was moved.

    Args:
        known: the cards as they were, none left out.
        fresh: a new reading in the known naming of cells; it may lack cards.

    Returns:
        Every known card at its new place, those not seen again carried along with the others; None when nothing moved.
    """
    was = {c.cell: c for c in known if c.cell is not None}
    pairs = [(was[c.cell], c) for c in fresh if c.cell in was]
    if not pairs:
        return None
    far = [float(np.linalg.norm(np.subtract(now.centre, old.centre))) / now.side for old, now in pairs]
    if float(np.median(far)) < MOVED:
        return None
    source = np.concatenate([_from_east(old) for old, _ in pairs])
    target = np.concatenate([_from_east(now) for _, now in pairs])
    carry, _ = cv2.findHomography(source, target, cv2.RANSAC, 0.2 * pairs[0][1].side)
    if carry is None:
        return None
    return [replace(c, corners=cv2.perspectiveTransform(c.corners[None].astype(np.float32), carry)[0]) for c in known]


def _from_east(card: DetectedCard) -> NDArray[np.floating]:
    """The card's corners beginning at its edge that looks east."""
    return np.roll(card.corners, -card.east, axis=0)


def naming(pairs: Mapping[Cell, Cell]) -> tuple[int, Cell] | None:
    """The turn and shift that take most fresh cells to their old names; None when fewer than two cells tell."""
    best: tuple[int, int, Cell] | None = None
    for turns in range(6):
        votes: dict[Cell, int] = {}
        for fresh, (q, r) in pairs.items():
            fq, fr = rotated(fresh, turns)
            votes[q - fq, r - fr] = votes.get((q - fq, r - fr), 0) + 1
        for shift, count in votes.items():
            if count >= 2 and (best is None or count > best[0]):
                best = (count, turns, shift)
    return None if best is None else (best[1], best[2])


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
        """``find_cells`` says which cell each outline fills."""
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
