"""How what lies on a table keeps its names from picture to picture.

A `CardTracker` follows cards; how they lie together is the game's: in a honeycomb whose cells have names, or anyhow.
A reading names its cells from an arbitrary card in an arbitrary direction; `register` finds the turn and shift of the
lattice by which it agrees with what is already known of the table.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from companion.rules.hexgrid import Cell, LatticeMap, rotated, turned
from companion.vision.results import DetectedCard, aligned, in_own_frame, is_near, renamed, sides_of, turned_card

_MIN_SHIFT = 0.1
"""Cards that lie this far from where they lay, in sides, were moved together: a bump."""
_MIN_FOUND_SHARE = 0.6
"""So large a share of the cells known must be found again before it is the same table."""
_STAYED = 0.05
"""A card seen this near to where it lay, in sides, was not moved."""
_APART = 4.0
"""Cards that all lie within so many sides may be one set, slid or lifted by a hand: they tell nothing of the camera."""
_NEAR = 0.5
"""A card seen within so many sides of where a known one was carried may be that one."""
_MIN_FOUND = 2
"""So many of the known cards must be found again, by the pattern that they lie in."""
_LEAST_SCALE = 0.7
"""A camera that was moved does not see the cards so much smaller, nor as much larger."""
_PAIRS = 120
"""So many pairs of a known card and one of its face are tried two by two, those whose face is rare first."""
_NO_PAIR = 10**6
"""The rarity of what is no pair of one face: larger than any pair's."""

Edges = tuple[str | None, ...]
"""The symbols of a card's edges in the order of the directions; None where one is not known."""


@dataclass(frozen=True, slots=True)
class Registration(LatticeMap):
    """The map from a reading's naming of cells to the known one; how many cards agree in face, and how many clash."""

    agreeing: int = 0
    clashing: int = 0


def agree(a: Edges, b: Edges) -> bool:
    """Nothing that both state differs.

    >>> agree(("red", None), ("red", "blue")), agree(("red",), ("blue",))
    (True, False)
    """
    return all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))


def register(known: Mapping[Cell, Edges], seen: Mapping[Cell, Edges]) -> Registration | None:
    """The registration on which most faces agree; None when no two cards agree.

    Symbols that are None on either side neither agree nor disagree; a face agrees when none of its symbols disagrees
    and at least four agree.
    """
    best: Registration | None = None
    for turns in range(6):
        turned_seen = {rotated(cell, turns): turned(edges, turns) for cell, edges in seen.items()}
        votes: Counter[Cell] = Counter()
        for (q, r), edges in turned_seen.items():
            for (kq, kr), face in known.items():
                if _same(edges, face):
                    votes[kq - q, kr - r] += 1
        for shift, agreeing in votes.most_common(4):
            clashing = sum(
                1
                for (q, r), edges in turned_seen.items()
                if (there := known.get((q + shift[0], r + shift[1]))) is not None and not agree(edges, there)
            )
            one = Registration(turns, shift, agreeing, clashing)
            if best is None or (agreeing - clashing, agreeing) > (best.agreeing - best.clashing, best.agreeing):
                best = one
    return best if best is not None and best.agreeing > best.clashing else None


def _same(a: Edges, b: Edges) -> bool:
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    return len(pairs) >= 4 and all(x == y for x, y in pairs)


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


def assign_cells(cards: list[DetectedCard], find: FindCells) -> list[DetectedCard]:
    """The cards with the cells that they fill together, those that had a cell keeping its name.

    Args:
        cards: at least one; those without a cell are new or loose.
        find: see `FindCells`.
    """
    lattice = find(np.stack([c.corners for c in cards]), [c.cell for c in cards])
    placed = list(zip(cards, lattice.cells, lattice.east, strict=True))
    known_from_found = _map_of_cells({cell: c.cell for c, cell, _ in placed if cell is not None and c.cell is not None})
    if known_from_found is None:
        known = {c.cell: c.edges for c in cards if c.cell is not None}
        fresh = {cell: turned_card(c, cell, east - c.east).edges for c, cell, east in placed if cell is not None}
        known_from_found = (register(known, fresh) if known else None) or LatticeMap()
    return [_placed(c, cell, east, known_from_found) for c, cell, east in placed]


def _placed(card: DetectedCard, cell: Cell | None, east: int, known_from_found: LatticeMap) -> DetectedCard:
    """The card in the known name of its cell; itself where it has that cell already."""
    if cell is None:
        return card if card.cell is None and east == card.east else turned_card(card, None, east - card.east)
    known, turns = known_from_found.cell(cell), east - card.east + known_from_found.turns
    return card if known == card.cell and turns % 6 == 0 else turned_card(card, known, turns)


def _carried_along(
    known: list[DetectedCard], source: NDArray[np.floating], target: NDArray[np.floating], off_px: float
) -> list[DetectedCard] | None:
    """The cards moved as most points (N, 2) are from source to target, within so many pixels; None for no such way."""
    carry, _ = cv2.findHomography(source.astype(np.float32), target.astype(np.float32), cv2.RANSAC, off_px)
    if carry is None:
        return None
    return [replace(c, corners=cv2.perspectiveTransform(c.corners[None].astype(np.float32), carry)[0]) for c in known]


def _median_shift(pairs: Sequence[tuple[DetectedCard, DetectedCard]]) -> float:
    """How far cards moved from where they were to where they are now, in sides, in the median."""
    shifts = [float(np.linalg.norm(np.subtract(now.centre, old.centre))) / now.side for old, now in pairs]
    return float(np.median(shifts))


def _from_east(card: DetectedCard) -> NDArray[np.floating]:
    """The card's corners beginning at its edge that looks east."""
    return np.roll(card.corners, -card.east, axis=0)


def _map_of_cells(known: Mapping[Cell, Cell]) -> LatticeMap | None:
    """The map that takes most found cells to their known names; None when fewer than two cells agree on one."""
    best, most = None, 1
    for turns in range(6):
        votes: Counter[Cell] = Counter()
        for found, (q, r) in known.items():
            found_q, found_r = rotated(found, turns)
            votes[q - found_q, r - found_r] += 1
        for shift, count in votes.items():
            if count > most:
                best, most = LatticeMap(turns, shift), count
    return best


class Layout(Protocol):
    """What a `CardTracker` asks about cards that lie together.

    Attributes:
        LIE_APART: whether none lies on another.
    """

    LIE_APART: bool

    def in_own_frame(self, card: DetectedCard) -> DetectedCard:
        """The card by itself, its face begun at its own first corner."""

    def aligned(self, card: DetectedCard, model: DetectedCard) -> DetectedCard:
        """The card by itself, its corners and face begun where those of ``model``, seen there before, begin."""

    def with_cells(self, cards: list[DetectedCard]) -> list[DetectedCard]:
        """The cards with the cells that they fill together, those that had a cell keeping its name."""

    def registered(self, known: Sequence[DetectedCard], seen: Sequence[DetectedCard]) -> list[DetectedCard] | None:
        """A whole reading's cards in the known naming of cells; None when they are not those of the known table."""

    def moved_together(self, known: list[DetectedCard], fresh: list[DetectedCard]) -> list[DetectedCard] | None:
        """Every known card at its new place when all were moved together; None when nothing moved.

        Args:
            known: the cards as they were, none left out.
            fresh: a new reading in the known naming of cells; those that it lacks are carried along with the others.
        """


class LatticeLayout:
    """Hexagons on a lattice: each has an axial cell, and its face turns with the naming of directions."""

    LIE_APART = True

    def __init__(self, find_cells: FindCells) -> None:
        """``find_cells`` says which cell each outline fills."""
        self._find_cells = find_cells

    def in_own_frame(self, card: DetectedCard) -> DetectedCard:
        """See `Layout`."""
        return in_own_frame(card)

    def aligned(self, card: DetectedCard, model: DetectedCard) -> DetectedCard:
        """See `Layout`."""
        return aligned(card, model)

    def with_cells(self, cards: list[DetectedCard]) -> list[DetectedCard]:
        """See `Layout`."""
        return assign_cells(cards, self._find_cells)

    def registered(self, known: Sequence[DetectedCard], seen: Sequence[DetectedCard]) -> list[DetectedCard] | None:
        """See `Layout`. Cards without a cell are left out: nothing but their place tells one from another."""
        cells = {c.cell: c.edges for c in known if c.cell is not None}
        there = [c for c in seen if c.cell is not None]
        match = register(cells, {c.cell: c.edges for c in there if c.cell is not None})
        if cells and (match is None or match.agreeing < _MIN_FOUND_SHARE * len(cells)):
            return None
        return there if match is None else [renamed(c, match) for c in there]

    def moved_together(self, known: list[DetectedCard], fresh: list[DetectedCard]) -> list[DetectedCard] | None:
        """See `Layout`."""
        was = {c.cell: c for c in known if c.cell is not None}
        pairs = [(was[c.cell], c) for c in fresh if c.cell in was]
        if not pairs or _median_shift(pairs) < _MIN_SHIFT:
            return None
        source = np.concatenate([_from_east(old) for old, _ in pairs])
        target = np.concatenate([_from_east(now) for _, now in pairs])
        return _carried_along(known, source, target, 0.2 * pairs[0][1].side)


Align = Callable[[Any, Any], DetectedCard]


class LooseLayout:
    """Cards that lie anyhow: each keeps a number of its own, ``(k, 0)``, while it is followed."""

    LIE_APART = False

    def __init__(self, align: Align) -> None:
        """``align`` begins a card's corners and face where those of another, seen there before, begin."""
        self._align = align

    def in_own_frame(self, card: DetectedCard) -> DetectedCard:
        """See `Layout`."""
        return replace(card, cell=None)

    def aligned(self, card: DetectedCard, model: DetectedCard) -> DetectedCard:
        """See `Layout`."""
        return self._align(card, model)

    def with_cells(self, cards: list[DetectedCard]) -> list[DetectedCard]:
        """See `Layout`: those without a number get the next ones."""
        following = max((card.cell[0] for card in cards if card.cell is not None), default=-1) + 1
        named = []
        for card in cards:
            named.append(card if card.cell is not None else replace(card, cell=(following, 0)))
            following += card.cell is None
        return named

    def registered(self, known: Sequence[DetectedCard], seen: Sequence[DetectedCard]) -> list[DetectedCard] | None:
        """See `Layout`. Where most cards lie where they lay, place tells; else the pattern they lie in."""
        numbered = self._numbered(known, seen, np.eye(2, 3))
        if sum(card.cell is not None for card in numbered) >= _MIN_FOUND_SHARE * len(known):
            return numbered
        carry = self._carry(known, seen)
        if carry is None:
            return None
        numbered = self._numbered(known, seen, carry)
        count = sum(card.cell is not None for card in numbered)
        return numbered if count >= max(_MIN_FOUND, _MIN_FOUND_SHARE * len(known)) else None

    def moved_together(self, known: list[DetectedCard], fresh: list[DetectedCard]) -> list[DetectedCard] | None:
        """See `Layout`. Not where only cards of one set moved, nor where some stayed where they lay."""
        was = {card.cell: card for card in known}
        pairs = [(was[card.cell], card) for card in fresh if card.cell in was]
        if not pairs or _median_shift(pairs) < _MIN_SHIFT or _within([now for _, now in pairs], _APART):
            return None
        if sum(is_near(c, old, _STAYED) and _same_face(c, old, self) for c in fresh for old in known) > len(pairs) / 4:
            return None
        source = np.concatenate([old.corners for old, _ in pairs])
        target = np.concatenate([self.aligned(now, _carried(old, pairs)).corners for old, now in pairs])
        return _carried_along(known, source, target, 0.2 * pairs[0][1].side)

    def _numbered(
        self, known: Sequence[DetectedCard], seen: Sequence[DetectedCard], carry: NDArray[np.floating]
    ) -> list[DetectedCard]:
        """The cards seen, each with the number of the known card of the same face that was carried there."""
        there = [(replace(card, corners=_mapped(card.corners, carry)), card.cell) for card in known]
        out: list[DetectedCard] = []
        for card in seen:
            cells = [cell for old, cell in there if is_near(card, old, _NEAR) and _same_face(card, old, self)]
            out.append(replace(card, cell=cells[0] if cells else None))
        return out

    def _carry(self, known: Sequence[DetectedCard], seen: Sequence[DetectedCard]) -> NDArray[np.floating] | None:
        """The turn, scale and shift (2, 3) that take most known cards onto cards of the same face."""
        if not known or not seen:
            return None
        is_same = np.array([[_same_values(a, b) for b in seen] for a in known])
        rarity = np.where(is_same, is_same.sum(0)[None] * is_same.sum(1)[:, None], _NO_PAIR)
        pairs = np.argwhere(is_same)[np.argsort(rarity[is_same], kind="stable")][:_PAIRS]
        first, second = np.triu_indices(len(pairs), 1)
        was, now = (np.array([c.centre for c in cards]) @ np.array([1, 1j]) for cards in (known, seen))
        (a, b), (c, d) = pairs[first].T, pairs[second].T
        is_apart = (a != c) & (b != d)
        a, b, c, d = (ends[is_apart] for ends in (a, b, c, d))
        turn = (now[d] - now[b]) / (was[c] - was[a])
        is_alike = (np.abs(turn) > _LEAST_SCALE) & (np.abs(turn) < 1 / _LEAST_SCALE)
        if not is_alike.any():
            return None
        a, b, turn = a[is_alike], b[is_alike], turn[is_alike]
        there = now[b][:, None] + turn[:, None] * (was[None] - was[a][:, None])
        off = np.abs(there[:, :, None] - now[None, None])
        agreeing = ((off < _NEAR * sides_of(seen)) & is_same).any(-1).sum(-1)
        best = int(agreeing.argmax())
        linear = np.array([[turn[best].real, -turn[best].imag], [turn[best].imag, turn[best].real]])
        return np.column_stack([linear, seen[b[best]].centre - linear @ known[a[best]].centre])


def _within(cards: Sequence[DetectedCard], sides: float) -> bool:
    """No two of the cards lie farther apart than that."""
    centres = np.array([card.centre for card in cards])
    far = float(np.linalg.norm(centres[:, None] - centres[None], axis=-1).max())
    return far < sides * float(np.median([card.side for card in cards]))


def _mapped(points: NDArray[np.floating], carry: MatLike) -> NDArray[np.floating]:
    return np.asarray(points @ carry[:, :2].T + carry[:, 2], np.float32)


def _carried(old: DetectedCard, pairs: Sequence[tuple[DetectedCard, DetectedCard]]) -> DetectedCard:
    """The known card turned about its place as all cards were turned: what its corners are compared with."""
    turn, _ = cv2.estimateAffinePartial2D(
        np.array([was.centre for was, _ in pairs], np.float32), np.array([now.centre for _, now in pairs], np.float32)
    )
    return old if turn is None else replace(old, corners=_mapped(old.corners, turn))


def _same_face(card: DetectedCard, old: DetectedCard, layout: LooseLayout) -> bool:
    return agree(layout.aligned(card, old).edges, old.edges)


def _same_values(a: DetectedCard, b: DetectedCard) -> bool:
    """Both are read fully and show the same."""
    return None not in a.edges and sorted(map(str, a.edges)) == sorted(map(str, b.edges))
