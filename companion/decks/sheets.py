"""Sheets of paper to print and cut: where each card lies, fronts and backs that meet, the ruler and the credits.

A sheet's frame has its origin at the paper's top left corner, x to the right, y down, in millimetres. Cards are centred
on the paper, so that a back printed on the other side, turned over its long edge, lies behind its front.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot

from companion.decks import hexel
from companion.decks.marks import SIDE_MM, WHITE_MM, mark_shapes
from companion.decks.shapes import Band, Point, Polygon, Shape, moved, regular_polygon
from companion.errors import UsageError

PAPERS: dict[str, tuple[float, float]] = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
RULER_MM = 100

_MARGIN_MM = 10.0
_FOOTER_MM = 26.0
_GAP_MM = 4.0
_BLEED_MM = 1.8
_TICK_MM = 1.6
_TICK_FROM_MM = 0.2
_LINE = "#000000"
_TEXT_MM = 2.6
_CORNERS = ((-45.0, -45.0), (45.0, -45.0), (45.0, 45.0), (-45.0, 45.0))
_CORNER_NAMES = ("top left", "top right", "bottom right", "bottom left")
_MARK_WORDS = (
    "Cut along the lines, which keeps the white margin, and lay each mark at its corner of the table.",
    "Each black square is 30 mm wide. Without marks the cards are found as well.",
)

CREDITS: dict[str, tuple[str, ...]] = {
    "hexel": (
        "Hex'el is a game by Michael Corry: www.gamesofthegalaxy.com/hexelqr",
        "Published by Games of the Galaxy, CC BY-NC-ND 4.0: share it unchanged, with credit, not for money.",
        "These plain drawings are companion's own; for the real cards and the rules see the publisher.",
    ),
}


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
class Sheet:
    """One side of a sheet of paper.

    Attributes:
        paper_mm: its width and height.
        shapes: what is drawn, later ones on top.
        texts: what is written.
        places: the cards' centres.
    """

    paper_mm: tuple[float, float]
    shapes: tuple[Shape, ...]
    texts: tuple[Text, ...]
    places: tuple[Point, ...]


def sheets_of(what: str, paper: str) -> tuple[Sheet, ...]:
    """All sheets of a deck, or of ``marks``. Raises `UsageError` for what there is not."""
    return mark_sheets(paper) if what == "marks" else deck_sheets(what, paper)


def mark_sheets(paper: str) -> tuple[Sheet, ...]:
    """One sheet with the four table marks, which has no back."""
    paper_mm = _paper(paper)
    places = tuple((paper_mm[0] / 2 + x, 110.0 + y) for x, y in _CORNERS)
    marks = [shape for number, place in enumerate(places) for shape in moved(mark_shapes(number), place)]
    ruler, texts = _footer(paper_mm, "Table marks", _MARK_WORDS)
    names = tuple(
        Text((x - SIDE_MM / 2, y + SIDE_MM / 2 + WHITE_MM + 5), f"{number}: {_CORNER_NAMES[number]}")
        for number, (x, y) in enumerate(places)
    )
    return (Sheet(paper_mm, (*marks, *ruler), (*texts, *names), places),)


def deck_sheets(deck: str, paper: str) -> tuple[Sheet, ...]:
    """A deck's sheets, each front followed by its back. Raises `UsageError` for a deck or paper there is not.

    >>> [len(sheet.places) for sheet in deck_sheets("hexel36", "a4")]
    [9, 9, 9, 9, 9, 9, 9, 9]
    """
    if deck not in DECKS:
        raise UsageError(f"no such deck: {deck}; there are {', '.join(DECKS)}", code="unknown-deck")
    paper_mm = _paper(paper)
    edition = DECKS[deck]
    faces = hexel.FACES[edition]
    places = _places(paper_mm, 2 * hexel.APOTHEM_MM, 2 * hexel.SIDE_MM)
    sheets: list[Sheet] = []
    for first in range(0, len(faces), len(places)):
        batch = faces[first : first + len(places)]
        number = first // len(places) + 1
        title = f"Hex'el {edition}, sheet {number} of {-(-len(faces) // len(places))}"
        drawn = tuple(hexel.face_shapes(face, edition) for face in batch)
        sheets.append(_front(paper_mm, drawn, places, title))
        sheets.append(_back(paper_mm, len(batch), places, f"{title}, backs"))
    return tuple(sheets)


DECKS = {"hexel36": "36", "hexel46": "46"}


def _paper(paper: str) -> tuple[float, float]:
    if paper not in PAPERS:
        raise UsageError(f"no such paper: {paper}; there are {', '.join(PAPERS)}")
    return PAPERS[paper]


def _places(paper_mm: tuple[float, float], width_mm: float, height_mm: float) -> tuple[Point, ...]:
    """Centres of as many cards as there is room for, in rows from the top, the rows centred on the paper."""
    columns = int((paper_mm[0] - 2 * _MARGIN_MM + _GAP_MM + 1e-6) // (width_mm + _GAP_MM))
    rows = int((paper_mm[1] - _MARGIN_MM - _FOOTER_MM + _GAP_MM) // (height_mm + _GAP_MM))
    left = (paper_mm[0] - (columns - 1) * (width_mm + _GAP_MM)) / 2
    top = _MARGIN_MM + height_mm / 2
    return tuple(
        (left + column * (width_mm + _GAP_MM), top + row * (height_mm + _GAP_MM))
        for row in range(rows)
        for column in range(columns)
    )


def _front(
    paper_mm: tuple[float, float], faces: Sequence[tuple[Shape, ...]], places: Sequence[Point], title: str
) -> Sheet:
    used = tuple(places[: len(faces)])
    shapes: list[Shape] = []
    for face, place in zip(faces, used, strict=True):
        shapes += _cut_ticks(place)
        shapes += moved(face, place)
    ruler, texts = _footer(paper_mm, title, CREDITS["hexel"])
    return Sheet(paper_mm, (*shapes, *ruler), texts, used)


def _back(paper_mm: tuple[float, float], count: int, places: Sequence[Point], title: str) -> Sheet:
    """Seen from behind: left and right change sides. The colour runs on, for printers that do not meet exactly."""
    used = tuple((paper_mm[0] - x, y) for x, y in places[:count])
    bleed = Polygon(regular_polygon(6, hexel.SIDE_MM + _BLEED_MM, first_deg=30), hexel.BACK_COLOUR)
    shapes = [shape for place in used for shape in moved((bleed, *hexel.back_shapes()), place)]
    ruler, texts = _footer(paper_mm, title, CREDITS["hexel"])
    return Sheet(paper_mm, (*shapes, *ruler), texts, used)


def _cut_ticks(place: Point) -> tuple[Shape, ...]:
    """Where to lay the ruler: each edge's line, a little beyond both of its corners."""
    corners = hexel.outline()
    ticks: list[Shape] = []
    for k, corner in enumerate(corners):
        for other in (corners[k - 1], corners[(k + 1) % 6]):
            length = hypot(corner[0] - other[0], corner[1] - other[1])
            step = ((corner[0] - other[0]) / length, (corner[1] - other[1]) / length)
            ends = tuple((corner[0] + step[0] * far, corner[1] + step[1] * far) for far in (_TICK_FROM_MM, _TICK_MM))
            ticks.append(Band(ends, 0.1, _LINE))
    return moved(ticks, place)


def _footer(
    paper_mm: tuple[float, float], title: str, more: Sequence[str]
) -> tuple[tuple[Shape, ...], tuple[Text, ...]]:
    """The ruler that shows whether a printer kept the size, and what else is to be said."""
    y = paper_mm[1] - _FOOTER_MM + 6
    left = (paper_mm[0] - RULER_MM) / 2
    line = Band(((left, y), (left + RULER_MM, y)), 0.2, _LINE)
    ticks = [
        Band(((left + mm, y), (left + mm, y - (3.0 if mm % 50 == 0 else 2.0 if mm % 10 == 0 else 1.0))), 0.2, _LINE)
        for mm in range(0, RULER_MM + 1, 5)
    ]
    words = (f"{title}. Print at 100 %; this ruler is {RULER_MM} mm long.", *more)
    texts = tuple(Text((_MARGIN_MM, y + 4 + 3.6 * row), line) for row, line in enumerate(words))
    return (line, *ticks), texts
