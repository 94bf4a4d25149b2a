"""The table marks: four ArUco markers for the corners of a mat, as shapes.

Dictionary ``DICT_4X4_50``, ids 0 to 3, clockwise from the table's top left corner. Changes when the marks do.
"""

from companion.decks.shapes import Point, Polygon, Shape

SIDE_MM = 30.0
WHITE_MM = 6.0
"""The white around a marker, without which its black border is not found."""
MARKS: tuple[tuple[str, ...], ...] = (
    ("######", "#.#..#", "##.#.#", "###..#", "###.##", "######"),
    ("######", "######", "#....#", "#.##.#", "#.#.##", "######"),
    ("######", "###..#", "###..#", "###.##", "#..#.#", "######"),
    ("######", "#.##.#", "#.##.#", "##.###", "##..##", "######"),
)
"""The dictionary's own patterns, ``#`` for black, border included; the index is the id."""

_BLACK, _WHITE, _CUT = "#000000", "#FFFFFF", "#3A3A3A"
_CUT_MM = 0.2


def mark_shapes(number: int) -> tuple[Shape, ...]:
    """One mark with its white margin and the line to cut along, centred on the origin.

    >>> len(mark_shapes(0)) == 2 + sum(row.count(".") for row in MARKS[0])
    True
    """
    rows = MARKS[number]
    cell = SIDE_MM / len(rows)
    whites = [(x, y) for y, row in enumerate(rows) for x, bit in enumerate(row) if bit == "."]
    corners = [(x * cell - SIDE_MM / 2, y * cell - SIDE_MM / 2) for x, y in whites]
    cut = Polygon(_square((-SIDE_MM / 2 - WHITE_MM,) * 2, SIDE_MM + 2 * WHITE_MM), _WHITE, _CUT, _CUT_MM)
    black = Polygon(_square((-SIDE_MM / 2,) * 2, SIDE_MM), _BLACK)
    return cut, black, *(Polygon(_square(corner, cell), _WHITE) for corner in corners)


def _square(corner: Point, side_mm: float) -> tuple[Point, ...]:
    x, y = corner
    return (x, y), (x + side_mm, y), (x + side_mm, y + side_mm), (x, y + side_mm)
