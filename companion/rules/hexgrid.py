"""Axial cells, directions, neighbours and corners of a pointy-top hex grid.

Terms and coordinates follow Red Blob Games (https://www.redblobgames.com/grids/hexagons/). Direction ``d`` in 0..5 is
E, NE, NW, W, SW, SE; the opposite of ``d`` is ``(d + 3) % 6``.
"""

from collections.abc import Sequence
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


def cells_within(radius: int) -> tuple[Cell, ...]:
    """All cells within ``radius`` steps of the origin, row by row.

    >>> len(cells_within(2)), len(cells_within(3))
    (19, 37)
    """
    span = range(-radius, radius + 1)
    return tuple((q, r) for r in span for q in span if abs(q + r) <= radius)
