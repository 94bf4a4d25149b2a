"""What is printed in one piece: boards, mats, cases and marks, over several sheets where it is larger than the paper.

Such sheets overlap by a strip. Circles with a cross are printed twice, on both sheets of a seam: laid over one another
they say how the sheets lie. One sheet is cut along its seam line and glued on the strip of the other.
"""

from collections.abc import Sequence
from itertools import pairwise

from companion.printing.shapes import Band, Box, Point, Ring, Shape, bounds, moved
from companion.printing.sheets import FOOTER_MM, MARGIN_MM, TOP_MM, Clipped, Sheet, Text, footer, paper_size

OVERLAP_MM = 10.0
REGISTER_MM = 3.0
_SEAM_WORDS = "Cut along the dashed seams, and lay the circles with a cross over one another."
_LINE = "#000000"
_DASH_MM, _DASH_EVERY_MM = 3.0, 6.0
_SLACK_MM = 1e-6


def poster_sheets(
    shapes: Sequence[Shape],
    paper: str,
    title: str,
    words: Sequence[str],
    texts: Sequence[Text] = (),
    places: Sequence[Point] = ((0.0, 0.0),),
) -> tuple[Sheet, ...]:
    """Shapes in one piece, on one sheet or on as many as their size takes.

    Args:
        shapes: what is drawn, in a frame of its own.
        paper: a key of `PAPERS`.
        title: what it is.
        words: more lines for the foot of every sheet.
        texts: what is written on it, in its own frame.
        places: the middles of what is to be cut out, in its own frame.

    Raises:
        UsageError: there is no such paper.
    """
    paper_mm = paper_size(paper)
    room = (paper_mm[0] - 2 * MARGIN_MM, paper_mm[1] - TOP_MM - FOOTER_MM)
    box = bounds(tuple(shapes))
    if box.width_mm <= room[0] + _SLACK_MM and box.height_mm <= room[1] + _SLACK_MM:
        return (_one_sheet(tuple(shapes), box, paper_mm, footer(paper_mm, title, words), texts, places),)
    columns, rows = _cuts(box.left_mm, box.right_mm, room[0]), _cuts(box.top_mm, box.bottom_mm, room[1])
    grid = [(row, column) for row in range(len(rows) - 1) for column in range(len(columns) - 1)]
    return tuple(
        _part(
            tuple(shapes),
            (columns, rows),
            at,
            paper_mm,
            footer(paper_mm, f"{title}, sheet {k + 1} of {len(grid)}", (_SEAM_WORDS, *words)),
        )
        for k, at in enumerate(grid)
    )


def _one_sheet(
    shapes: tuple[Shape, ...],
    box: Box,
    paper_mm: tuple[float, float],
    foot: tuple[tuple[Shape, ...], tuple[Text, ...]],
    texts: Sequence[Text],
    places: Sequence[Point],
) -> Sheet:
    to = (paper_mm[0] / 2 - (box.left_mm + box.right_mm) / 2, TOP_MM - box.top_mm)
    written = tuple(Text((text.at[0] + to[0], text.at[1] + to[1]), text.words, text.height_mm) for text in texts)
    ruler, footer_texts = foot
    middles = tuple((x + to[0], y + to[1]) for x, y in places)
    return Sheet(paper_mm, (*moved(shapes, to), *ruler), (*footer_texts, *written), middles)


def _cuts(low: float, high: float, room_mm: float) -> tuple[float, ...]:
    """Where the seams run, from the first edge to the last: even parts that leave room for the strips."""
    count = 1
    while (high - low) / count + (2 * OVERLAP_MM if count > 1 else 0.0) > room_mm + _SLACK_MM:
        count += 1
    return tuple(low + (high - low) * k / count for k in range(count + 1))


def _part(
    shapes: tuple[Shape, ...],
    cuts: tuple[tuple[float, ...], tuple[float, ...]],
    at: tuple[int, int],
    paper_mm: tuple[float, float],
    foot: tuple[tuple[Shape, ...], tuple[Text, ...]],
) -> Sheet:
    (columns, rows), (row, column) = cuts, at
    part = Box(columns[column], rows[row], columns[column + 1], rows[row + 1])
    strip = Box(
        part.left_mm - OVERLAP_MM * (column > 0),
        part.top_mm - OVERLAP_MM * (row > 0),
        part.right_mm + OVERLAP_MM * (column < len(columns) - 2),
        part.bottom_mm + OVERLAP_MM * (row < len(rows) - 2),
    )
    to = (paper_mm[0] / 2 - (strip.left_mm + strip.right_mm) / 2, TOP_MM - strip.top_mm)
    ruler, footer_texts = foot
    left, top, right, bottom = (
        strip.left_mm + to[0],
        strip.top_mm + to[1],
        strip.right_mm + to[0],
        strip.bottom_mm + to[1],
    )
    window = ((left, top), (right, top), (right, bottom), (left, bottom))
    marks = moved([*_seams(cuts, part), *_register(cuts, strip)], to)
    middle = ((part.left_mm + part.right_mm) / 2 + to[0], (part.top_mm + part.bottom_mm) / 2 + to[1])
    return Sheet(paper_mm, (*marks, *ruler), footer_texts, (middle,), clipped=(Clipped(moved(shapes, to), window),))


def _seams(cuts: tuple[tuple[float, ...], tuple[float, ...]], part: Box) -> list[Shape]:
    """Dashes along the part's edges at which another sheet goes on."""
    columns, rows = cuts
    lines: list[tuple[Point, Point]] = []
    for x in (part.left_mm, part.right_mm):
        if columns[0] < x < columns[-1]:
            lines.append(((x, part.top_mm), (x, part.bottom_mm)))
    for y in (part.top_mm, part.bottom_mm):
        if rows[0] < y < rows[-1]:
            lines.append(((part.left_mm, y), (part.right_mm, y)))
    return [dash for line in lines for dash in _dashed(*line)]


def _dashed(a: Point, b: Point) -> list[Shape]:
    length = abs(b[0] - a[0]) + abs(b[1] - a[1])
    step = ((b[0] - a[0]) / length, (b[1] - a[1]) / length)
    starts = [k * _DASH_EVERY_MM for k in range(int((length - _DASH_MM) / _DASH_EVERY_MM) + 1)]
    return [
        Band(tuple((a[0] + step[0] * far, a[1] + step[1] * far) for far in (start, start + _DASH_MM)), 0.15, _LINE)
        for start in starts
    ]


def _register(cuts: tuple[tuple[float, ...], tuple[float, ...]], strip: Box) -> list[Shape]:
    """The circles with a cross that lie within a sheet: two on every seam between two of them, at a third and two."""
    columns, rows = cuts
    points = [(x, a + (b - a) * k / 3) for x in columns[1:-1] for a, b in _pairs(rows) for k in (1, 2)]
    points += [(a + (b - a) * k / 3, y) for y in rows[1:-1] for a, b in _pairs(columns) for k in (1, 2)]
    return [shape for point in points if _holds(strip, point) for shape in moved(_mark(), point)]


def _pairs(cuts: tuple[float, ...]) -> list[tuple[float, float]]:
    return list(pairwise(cuts))


def _holds(box: Box, point: Point) -> bool:
    return box.left_mm <= point[0] <= box.right_mm and box.top_mm <= point[1] <= box.bottom_mm


def _mark() -> tuple[Shape, ...]:
    reach = REGISTER_MM + 1.0
    return (
        Ring((0.0, 0.0), REGISTER_MM, 0.2, _LINE),
        Band(((-reach, 0.0), (reach, 0.0)), 0.1, _LINE),
        Band(((0.0, -reach), (0.0, reach)), 0.1, _LINE),
    )
