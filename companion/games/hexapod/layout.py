"""What to lay to teach a Hexapod printing: a display case that shows every kind, most cells of which are free."""

from functools import cache

from companion.games.hexapod.artwork import DRAWINGS, SPAN
from companion.games.hexapod.deck import CELL_MM, case_shapes
from companion.printing.layout import Layout, Place
from companion.printing.shapes import Shape, moved

ANY = "any"
"""In a layout's cells: whatever lies there."""
_SINGLES = ("blue", "green", "gold", "dung", "leaf")
_CELLS = (
    _SINGLES,
    (ANY,) * 5,
    (ANY,) * 5,
    ("stag", "moth", "moth", "spider", "spider"),
    ("stag", ANY, ANY, "spider", "spider"),
)
_INSECTS = (
    *((kind, (0, column)) for column, kind in enumerate(_SINGLES)),
    ("stag", (3, 0)),
    ("moth", (3, 1)),
    ("spider", (3, 3)),
)
"""Each kind and the row and column of its first cell."""
_WORDS = (
    "Lay cards in a display case, one over another where need be, until its top row shows blue, green, gold, dung, "
    "leaf, from left to right, and its two lowest rows a stag, a moth and the Spider, from left to right, the moth in "
    "the upper of the two. What the other cells show does not matter."
)


@cache
def layouts(deck: str) -> tuple[Layout, ...]:
    """The teaching layout: one case of 5 x 5."""
    half = 2.5 * CELL_MM
    corners = ((-half, -half), (half, -half), (half, half), (-half, half))
    label = {"rows": 5, "cols": 5, "cells": [list(row) for row in _CELLS]}
    drawn = moved((*case_shapes(), *_insects()), (-half, -half))
    place = Place(label, "the display case", (0.0, 0.0), corners, drawn, "hexapod-lay-one")
    return (Layout("boards", _WORDS, ((place,),), "hexapod-lay"),)


def span(kind: str) -> tuple[int, int]:
    """Rows and columns that an insect fills."""
    return SPAN.get(kind, (1, 1))


def _insects() -> tuple[Shape, ...]:
    shapes: list[Shape] = []
    for kind, (row, column) in _INSECTS:
        high, wide = span(kind)
        middle = (CELL_MM * (column + wide / 2), CELL_MM * (row + high / 2))
        shapes += moved(DRAWINGS[kind], middle)
    return tuple(shapes)
