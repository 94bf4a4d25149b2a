"""Axial cells, directions, neighbours and corners of a pointy-top hex grid.

Terms and coordinates follow Red Blob Games (https://www.redblobgames.com/grids/hexagons/). Direction ``d`` in 0..5 is
E, NE, NW, W, SW, SE; the opposite of ``d`` is ``(d + 3) % 6``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

Cell = tuple[int, int]
T = TypeVar("T")

DIRECTIONS: tuple[Cell, ...] = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
DIRECTION_NAMES = ("E", "NE", "NW", "W", "SW", "SE")


def neighbour(cell: Cell, direction: int) -> Cell:
    """The cell one step away.

    >>> neighbour((2, -1), 4)
    (1, 0)
    """
    dq, dr = DIRECTIONS[direction % 6]
    return cell[0] + dq, cell[1] + dr


def neighbours(cell: Cell) -> tuple[Cell, ...]:
    """The six cells around, in order of direction.

    >>> neighbours((0, 0)) == DIRECTIONS
    True
    """
    return tuple(neighbour(cell, d) for d in range(6))


def opposite(direction: int) -> int:
    """The direction that looks back.

    >>> opposite(1)
    4
    """
    return (direction + 3) % 6


def distance(a: Cell, b: Cell) -> int:
    """Steps between two cells.

    >>> distance((0, 0), (2, -1))
    2
    """
    dq, dr = a[0] - b[0], a[1] - b[1]
    return (abs(dq) + abs(dr) + abs(dq + dr)) // 2


def direction_between(a: Cell, b: Cell) -> int | None:
    """The direction from ``a`` to its neighbour ``b``, or None when they do not touch.

    >>> direction_between((0, 0), (0, -1)), direction_between((0, 0), (2, 0))
    (2, None)
    """
    step = (b[0] - a[0], b[1] - a[1])
    return DIRECTIONS.index(step) if step in DIRECTIONS else None


def rotated(cell: Cell, turns: int) -> Cell:
    """The cell after ``turns`` counter-clockwise turns of 60 degrees about the origin: direction d becomes d + turns.

    >>> [rotated((1, 0), t) for t in range(6)] == list(DIRECTIONS)
    True
    """
    q, r = cell
    for _ in range(turns % 6):
        q, r = q + r, -q
    return q, r


def turned(edges: Sequence[T], turns: int) -> tuple[T, ...]:
    """A card's six edges after ``turns`` counter-clockwise turns of it: what was at direction d is at d + turns.

    >>> turned(("red", "blue", "blue", "blue", "blue", "blue"), 2).index("red")
    2
    """
    return tuple(edges[(d - turns) % 6] for d in range(6))


@dataclass(frozen=True, slots=True)
class LatticeMap:
    """From one naming of a lattice's cells and directions to another: turns about the origin by sixths,
    counter-clockwise, then a shift.

    Which card is (0, 0) and which direction is E is free. A mirror image is never the same table.
    """

    turns: int = 0
    shift: Cell = (0, 0)

    def cell(self, cell: Cell) -> Cell:
        """A cell in the other naming.

        >>> LatticeMap(1, (2, 0)).cell((1, 0))
        (3, -1)
        """
        q, r = rotated(cell, self.turns)
        return q + self.shift[0], r + self.shift[1]

    def edges(self, edges: Sequence[T]) -> tuple[T, ...]:
        """A card's six symbols in the order of the other naming's directions.

        >>> LatticeMap(1).edges(("E", "NE", "NW", "W", "SW", "SE"))
        ('SE', 'E', 'NE', 'NW', 'W', 'SW')
        """
        return turned(edges, self.turns)

    def table(self, cards: Mapping[Cell, Sequence[T]]) -> dict[Cell, tuple[T, ...]]:
        """All cards of a table, cell to edges, in the other naming."""
        return {self.cell(cell): self.edges(edges) for cell, edges in cards.items()}

    def inverse(self) -> "LatticeMap":
        """The map back.

        >>> there = LatticeMap(2, (3, -1))
        >>> there.inverse().cell(there.cell((5, 7)))
        (5, 7)
        """
        q, r = rotated(self.shift, -self.turns % 6)
        return LatticeMap(-self.turns % 6, (-q, -r))

    def after(self, first: "LatticeMap") -> "LatticeMap":
        """This map applied after another.

        >>> LatticeMap(1, (0, 2)).after(LatticeMap(4, (1, 0))).cell((0, 0)) == LatticeMap(1, (0, 2)).cell((1, 0))
        True
        """
        return LatticeMap((self.turns + first.turns) % 6, self.cell(first.shift))


def maps_between(one: Mapping[Cell, Sequence[T]], other: Mapping[Cell, Sequence[T]]) -> tuple[LatticeMap, ...]:
    """All maps by which one table's cards are another's; a symmetrical table has several, other cards have none.

    >>> maps_between({(0, 0): "abcdef"}, {(4, 1): tuple("fabcde")})
    (LatticeMap(turns=1, shift=(4, 1)),)
    """
    if not one:
        return () if other else (LatticeMap(),)
    first = next(iter(one))
    found = []
    for turns, (to_q, to_r) in product(range(6), other):
        q, r = rotated(first, turns)
        candidate = LatticeMap(turns, (to_q - q, to_r - r))
        if candidate.table(one) == dict(other):
            found.append(candidate)
    return tuple(found)


def cells_within(radius: int) -> tuple[Cell, ...]:
    """All cells within ``radius`` steps of the origin, row by row.

    >>> len(cells_within(2)), len(cells_within(3))
    (19, 37)
    """
    span = range(-radius, radius + 1)
    return tuple((q, r) for r in span for q in span if abs(q + r) <= radius)
