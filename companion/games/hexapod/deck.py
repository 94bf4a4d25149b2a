"""The Hexapod deck and display case: which cards there are, and how faces, the back and the case are printed.

A card is 2 x 2 kinds, row by row. Its frame has its origin at the card's centre, x to the right, y down; a case's frame
has it at the top left corner of the field. Sizes and colours are those of the reference printing; official and
home-made decks differ, and recognition must not depend on them.
"""

import math
from collections.abc import Sequence
from functools import cache
from random import Random

from companion.games.hexapod.artwork import DRAWINGS, SPAN
from companion.games.hexapod.rules.cases import SINGLES
from companion.printing.shapes import Band, Point, Polygon, Shape, moved, polar

Cells = tuple[tuple[str, str], tuple[str, str]]
"""The kinds that a card shows, row by row."""

CELL_MM = 25.0
SIDE_MM = 2 * CELL_MM
ROUNDING_MM = 2.0
FRAME_MM = 6.0

FACE_COLOUR = "#F6F3EA"
LINE_COLOUR = "#C9C4B6"
LINE_MM = 0.3
BACK_COLOUR = "#46505A"
BACK_LINE_COLOUR = "#C9CED3"
FRAME_COLOUR = "#6B4A2F"
FLOOR_COLOUR = "#E9E2CF"
FLOOR_LINE_COLOUR = "#C4BBA4"

SPIDER: Cells = (("spider", "spider"), ("spider", "spider"))
INSECT_CARDS = 41
_BIG_EVERY = 4
"""One card of so many shows a stag or a moth."""


def outline() -> tuple[Point, ...]:
    """The card's four sharp corners, clockwise as seen, the first at the top left."""
    half = SIDE_MM / 2
    return (-half, -half), (half, -half), (half, half), (-half, half)


def face_shapes(card: Sequence[Sequence[str]]) -> tuple[Shape, ...]:
    """What is printed on a face, later shapes on top.

    Args:
        card: 2 x 2 kinds; a stag, a moth and the Spider fill all their cells.

    >>> len(face_shapes(SPIDER)) > 8
    True
    """
    ends = SIDE_MM / 2 - LINE_MM
    lines = [
        Band(points, LINE_MM, LINE_COLOUR) for points in (((0.0, -ends), (0.0, ends)), ((-ends, 0.0), (ends, 0.0)))
    ]
    face = Polygon(_rounded(), FACE_COLOUR)
    return (face, *lines, *(shape for kind, middle in insects(card) for shape in moved(DRAWINGS[kind], middle)))


def back_shapes() -> tuple[Shape, ...]:
    """What is printed on every back: a plain ground and an upright oval."""
    turns = [math.radians(10 * k) for k in range(36)]
    oval = tuple((7.5 * math.sin(turn), 11.5 * math.cos(turn)) for turn in turns)
    return Polygon(_rounded(), BACK_COLOUR), Polygon(oval, None, BACK_LINE_COLOUR, 0.8)


def case_shapes(rows: int = 5, cols: int = 5) -> tuple[Shape, ...]:
    """An empty display case: its frame, its floor and the faint lines between the cells.

    >>> from companion.printing.shapes import bounds
    >>> bounds(case_shapes(5, 5)).width_mm
    137.0
    """
    width, height = CELL_MM * cols, CELL_MM * rows
    down = [Band(((CELL_MM * c, 0.0), (CELL_MM * c, height)), LINE_MM, FLOOR_LINE_COLOUR) for c in range(1, cols)]
    across = [Band(((0.0, CELL_MM * r), (width, CELL_MM * r)), LINE_MM, FLOOR_LINE_COLOUR) for r in range(1, rows)]
    frame = Polygon(_box(-FRAME_MM, -FRAME_MM, width + FRAME_MM, height + FRAME_MM), FRAME_COLOUR)
    return frame, Polygon(_box(0.0, 0.0, width, height), FLOOR_COLOUR), *down, *across


def insects(card: Sequence[Sequence[str]]) -> tuple[tuple[str, Point], ...]:
    """The insects of a card, each with the middle of the cells that it fills, in the card's frame.

    >>> insects((("moth", "moth"), ("blue", "dung")))
    (('moth', (0.0, -12.5)), ('blue', (-12.5, 12.5)), ('dung', (12.5, 12.5)))
    """
    left = {(row, col): kind for row, line in enumerate(card) for col, kind in enumerate(line)}
    found: list[tuple[str, Point]] = []
    while left:
        row, col = min(left)
        kind = left[row, col]
        high, wide = SPAN.get(kind, (1, 1))
        for place in [(row + r, col + c) for r in range(high) for c in range(wide)]:
            left.pop(place, None)
        found.append((kind, (CELL_MM * (col - 1 + wide / 2), CELL_MM * (row - 1 + high / 2))))
    return tuple(found)


@cache
def deck() -> tuple[Cells, ...]:
    """The 41 insect cards, a stand-in: the published text shows the cards only as pictures. The Spider comes besides.

    Every fourth card shows a stag or a moth; the rest is drawn once and for all, beetles more often than others.
    """
    chance = Random("hexapod")
    return tuple(_card(chance, number) for number in range(INSECT_CARDS))


def _card(chance: Random, number: int) -> Cells:
    a, b, c, d = chance.choices(SINGLES, weights=(5, 5, 5, 2, 3), k=4)
    if number % _BIG_EVERY:
        return (a, b), (c, d)
    shapes: Sequence[Cells] = (
        (("moth", "moth"), (c, d)),
        ((a, b), ("moth", "moth")),
        (("stag", b), ("stag", d)),
        ((a, "stag"), (c, "stag")),
    )
    return chance.choice(shapes)


def _box(left: float, top: float, right: float, bottom: float) -> tuple[Point, ...]:
    return (left, top), (right, top), (right, bottom), (left, bottom)


def _rounded() -> tuple[Point, ...]:
    """The cut outline, whose corners are a little round."""
    inner = SIDE_MM / 2 - ROUNDING_MM
    corners = (((-inner, -inner), 180), ((inner, -inner), 270), ((inner, inner), 0), ((-inner, inner), 90))
    return tuple(polar(ROUNDING_MM, first + 18 * k, middle) for middle, first in corners for k in range(6))
