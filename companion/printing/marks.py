"""The table marks: four ArUco markers for the corners of a mat, and the board that shows how a lens bends, as shapes.

Dictionary ``DICT_4X4_50``. Ids 0 to 3 are the marks, clockwise from the table's top left corner; the board's follow,
then the mats', so that none is taken for another. Changes when the marks or the board do.
"""

from companion.printing.shapes import Point, Polygon, Shape

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

BOARD_COLUMNS, BOARD_ROWS = 7, 9
"""Squares of the ChArUco board. An odd number of rows: OpenCV 4.6 changed how boards with an even one begin."""
BOARD_SQUARE_MM, BOARD_MARKER_MM = 24.0, 18.0
BOARD_FIRST_ID = 4
BOARD_CODES = (
    0x549E, 0x79CD, 0x9E2E, 0xC4F2, 0xFEDA, 0xCF56, 0xF991, 0x11A7, 0x0EB7, 0x2A0F, 0x24B1,
    0x263E, 0x4665, 0x6600, 0x6C5E, 0x76AF, 0x868B, 0xB02B, 0xCCD5, 0xDD82, 0xFE47, 0x9471,
    0xACE4, 0xA554, 0x2123, 0x346F, 0x4415, 0x57B2, 0x9ECF, 0xF0CB, 0x08AE,
)  # fmt: skip
"""The dictionary's patterns of the board's ids, in the order of its white squares, row by row: sixteen bits within the
black border, the first the top left, 1 for white."""

MAT_MM = (184.0, 236.0)
"""How wide and high a pot's mat is: it fits both papers, and two sets of three cards lying on their sides."""
MAT_FIRST_ID = 35
"""The mark on the first pot's mat; those of the other mats follow in table order, the Tail's last."""
MAT_CODES = (0x0929, 0x1875, 0x04FF, 0x0DF6, 0x1C5A, 0x1718, 0x2A28)
MAT_MARK_MM = 18.0
MAT_MARK_INSET_MM = 18.0
"""How far the middle of a mat's mark lies within its right and its top edge."""

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


def mat_mark_shapes(number: int) -> tuple[Shape, ...]:
    """The mark of a mat, counted from 0, centred on the origin; the mat's own white is around it.

    >>> len(mat_mark_shapes(0)) == 1 + MAT_CODES[0].bit_count()
    True
    """
    return _marker((0.0, 0.0), MAT_CODES[number], MAT_MARK_MM)


def board_shapes() -> tuple[Shape, ...]:
    """The ChArUco board without the paper around it, centred on the origin: its top left square is black.

    >>> sum(isinstance(shape, Polygon) and shape.fill == "#000000" for shape in board_shapes())
    63
    """
    codes = iter(BOARD_CODES)
    shapes: list[Shape] = []
    for row in range(BOARD_ROWS):
        for column in range(BOARD_COLUMNS):
            at = ((column - BOARD_COLUMNS / 2) * BOARD_SQUARE_MM, (row - BOARD_ROWS / 2) * BOARD_SQUARE_MM)
            if (row + column) % 2 == 0:
                shapes.append(Polygon(_square(at, BOARD_SQUARE_MM), _BLACK))
            else:
                middle = (at[0] + BOARD_SQUARE_MM / 2, at[1] + BOARD_SQUARE_MM / 2)
                shapes += _marker(middle, next(codes), BOARD_MARKER_MM)
    return tuple(shapes)


def _marker(middle: Point, code: int, side_mm: float) -> tuple[Shape, ...]:
    """A marker of sixteen bits within its black border."""
    cell = side_mm / 6
    x, y = middle[0] - side_mm / 2, middle[1] - side_mm / 2
    whites = [bit for bit in range(16) if code >> (15 - bit) & 1]
    black = Polygon(_square((x, y), side_mm), _BLACK)
    return black, *(
        Polygon(_square((x + (1 + bit % 4) * cell, y + (1 + bit // 4) * cell), cell), _WHITE) for bit in whites
    )


def _square(corner: Point, side_mm: float) -> tuple[Point, ...]:
    x, y = corner
    return (x, y), (x + side_mm, y), (x + side_mm, y + side_mm), (x, y + side_mm)
