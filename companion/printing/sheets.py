"""Sheets of paper to print and cut: where each card lies, fronts and backs that meet, the ruler and what is said.

A sheet's frame has its origin at the paper's top left corner, x to the right, y down, in millimetres. Cards are centred
on the paper, so that a back printed on the other side, turned over its long edge, lies behind its front.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import hypot

from companion.errors import UsageError
from companion.printing.shapes import Band, Colour, Point, Polygon, Shape, moved

PAPERS: dict[str, tuple[float, float]] = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
RULER_MM = 100
MARGIN_MM = 10.0
TOP_MM = 6.4
FOOTER_MM = 26.0

_BLEED_MM = 1.8
_TICK_MM = 1.6
_TICK_FROM_MM = 0.2
_LINE = "#000000"
_TEXT_MM = 2.6


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text.

    Attributes:
        at: where its baseline begins.
        height_mm: of its capital letters, roughly.
    """

    at: Point
    words: str
    height_mm: float = _TEXT_MM


@dataclass(frozen=True, slots=True)
class Clipped:
    """The part of some shapes that shows through a window: a face within its cut, a board within its sheet."""

    shapes: tuple[Shape, ...]
    window: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One side of a sheet of paper.

    Attributes:
        paper_mm: its width and height.
        shapes: what is drawn, later ones on top.
        texts: what is written.
        places: the middles of the things to cut out.
        is_back: whether it is printed on the other side of the sheet before it.
        clipped: what lies under the shapes.
    """

    paper_mm: tuple[float, float]
    shapes: tuple[Shape, ...]
    texts: tuple[Text, ...]
    places: tuple[Point, ...]
    is_back: bool = False
    clipped: tuple[Clipped, ...] = ()


@dataclass(frozen=True, slots=True)
class Piece:
    """A card to cut out, its frame's origin at its middle.

    Attributes:
        face: what is printed on it.
        outline: where it is cut.
        back: what is printed behind it.
        back_colour: runs on beyond the cut, for printers that do not meet exactly.
        gap_mm: free room to the next one; without any, one cut serves two.
    """

    face: tuple[Shape, ...]
    outline: tuple[Point, ...]
    back: tuple[Shape, ...]
    back_colour: Colour
    gap_mm: float = 4.0

    @property
    def width_mm(self) -> float:
        """From its left to its right."""
        return _span([x for x, _ in self.outline])

    @property
    def height_mm(self) -> float:
        """From its top to its bottom."""
        return _span([y for _, y in self.outline])


def card_sheets(pieces: Sequence[Piece], paper: str, title: str, words: Sequence[str]) -> tuple[Sheet, ...]:
    """Pieces of one size on as many sheets as they need, each front followed by its back.

    Raises:
        UsageError: there is no such paper.
    """
    paper_mm = paper_size(paper)
    places = _places(paper_mm, pieces[0].width_mm, pieces[0].height_mm, pieces[0].gap_mm)
    count = -(-len(pieces) // len(places))
    sheets: list[Sheet] = []
    for number in range(count):
        batch = pieces[number * len(places) : (number + 1) * len(places)]
        named = f"{title}, sheet {number + 1} of {count}"
        sheets.append(_front(paper_mm, batch, places, named, words))
        sheets.append(_back(paper_mm, batch, places, f"{named}, backs", words))
    return tuple(sheets)


def paper_size(paper: str) -> tuple[float, float]:
    """Width and height of a paper. Raises `UsageError` for one there is not."""
    if paper not in PAPERS:
        raise UsageError(f"no such paper: {paper}; there are {', '.join(PAPERS)}")
    return PAPERS[paper]


def footer(
    paper_mm: tuple[float, float], title: str, more: Sequence[str]
) -> tuple[tuple[Shape, ...], tuple[Text, ...]]:
    """The ruler that shows whether a printer kept the size, and what else is to be said."""
    y = paper_mm[1] - FOOTER_MM + 6
    left = (paper_mm[0] - RULER_MM) / 2
    line = Band(((left, y), (left + RULER_MM, y)), 0.2, _LINE)
    ticks = [
        Band(((left + mm, y), (left + mm, y - (3.0 if mm % 50 == 0 else 2.0 if mm % 10 == 0 else 1.0))), 0.2, _LINE)
        for mm in range(0, RULER_MM + 1, 5)
    ]
    words = (f"{title}. Print at 100 %; this ruler is {RULER_MM} mm long.", *more)
    texts = tuple(Text((MARGIN_MM, y + 3.6 + 3.4 * row), line) for row, line in enumerate(words))
    return (line, *ticks), texts


def grown(outline: Sequence[Point], by_mm: float) -> tuple[Point, ...]:
    """A convex outline, clockwise as seen, all its edges moved outwards.

    >>> grown(((-1, -1), (1, -1), (1, 1), (-1, 1)), 1)
    ((-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0))
    """
    edges = list(zip(outline, (*outline[1:], outline[0]), strict=True))
    outwards = [((b[1] - a[1]) / _length(a, b), (a[0] - b[0]) / _length(a, b)) for a, b in edges]
    points = []
    for k, (x, y) in enumerate(outline):
        (ax, ay), (bx, by) = outwards[k - 1], outwards[k]
        scale = by_mm / (1 + ax * bx + ay * by)
        points.append((x + scale * (ax + bx), y + scale * (ay + by)))
    return tuple(points)


def _span(values: Sequence[float]) -> float:
    return max(values) - min(values)


def _length(a: Point, b: Point) -> float:
    return hypot(b[0] - a[0], b[1] - a[1])


def _places(paper_mm: tuple[float, float], width_mm: float, height_mm: float, gap_mm: float) -> tuple[Point, ...]:
    """Centres of as many cards as there is room for, in rows from the top, the rows centred on the paper."""
    columns = int((paper_mm[0] - 2 * MARGIN_MM + gap_mm + 1e-6) // (width_mm + gap_mm))
    rows = int((paper_mm[1] - TOP_MM - FOOTER_MM + gap_mm + 1e-6) // (height_mm + gap_mm))
    left = (paper_mm[0] - (columns - 1) * (width_mm + gap_mm)) / 2
    top = TOP_MM + height_mm / 2
    return tuple(
        (left + column * (width_mm + gap_mm), top + row * (height_mm + gap_mm))
        for row in range(rows)
        for column in range(columns)
    )


def _front(
    paper_mm: tuple[float, float], pieces: Sequence[Piece], places: Sequence[Point], title: str, words: Sequence[str]
) -> Sheet:
    used = tuple(places[: len(pieces)])
    ticks = [tick for piece, place in zip(pieces, used, strict=True) for tick in _cut_ticks(piece.outline, place)]
    faces = [
        Clipped(moved(piece.face, place), tuple((x + place[0], y + place[1]) for x, y in piece.outline))
        for piece, place in zip(pieces, used, strict=True)
    ]
    ruler, texts = footer(paper_mm, title, words)
    return Sheet(paper_mm, (*ticks, *ruler), texts, used, clipped=tuple(faces))


def _back(
    paper_mm: tuple[float, float], pieces: Sequence[Piece], places: Sequence[Point], title: str, words: Sequence[str]
) -> Sheet:
    """Seen from behind: left and right change sides. The colour runs on, for printers that do not meet exactly."""
    used = tuple((paper_mm[0] - x, y) for x, y in places[: len(pieces)])
    bleeds = [Polygon(grown(piece.outline, _BLEED_MM), piece.back_colour) for piece in pieces]
    shapes = [shape for bleed, place in zip(bleeds, used, strict=True) for shape in moved((bleed,), place)]
    shapes += [shape for piece, place in zip(pieces, used, strict=True) for shape in moved(piece.back, place)]
    ruler, texts = footer(paper_mm, title, words)
    return replace(Sheet(paper_mm, (*shapes, *ruler), texts, used), is_back=True)


def _cut_ticks(outline: Sequence[Point], place: Point) -> tuple[Shape, ...]:
    """Where to lay the ruler: each edge's line, a little beyond both of its corners."""
    ticks: list[Shape] = []
    for k, corner in enumerate(outline):
        for other in (outline[k - 1], outline[(k + 1) % len(outline)]):
            length = _length(corner, other)
            step = ((corner[0] - other[0]) / length, (corner[1] - other[1]) / length)
            ends = tuple((corner[0] + step[0] * far, corner[1] + step[1] * far) for far in (_TICK_FROM_MM, _TICK_MM))
            ticks.append(Band(ends, 0.1, _LINE))
    return moved(ticks, place)
