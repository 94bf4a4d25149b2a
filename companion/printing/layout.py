"""Teaching layouts: which cards to lay where, so that one photograph teaches a printing; and their printed sheet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any

from companion.printing.posters import poster_sheets
from companion.printing.shapes import Band, Box, Disc, Point, Ring, Shape, bounds, moved
from companion.printing.sheets import FOOTER_MM, MARGIN_MM, TOP_MM, Sheet, Text, paper_size

_TICK_MM, _AWAY_MM, _LINE_MM = 2.0, 1.0, 0.4
_LINE = "#8A8A8A"
_WORDS_MM, _ROW_MM = 6.0, 3.6
_FOOT_MM = 28.0
"""For the words below the places."""
_LETTERS = 105
"""Of a line of words."""
_DRAWN_SHARE = 0.45
"""An example is drawn so much smaller than its card: the card covers it, and where none lies no card is seen."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a card lies in a layout.

    Attributes:
        label: the card as `read` prints it, without its place; what may be anything is null.
        words: what to lay there, as in ``the card with six red symbols``.
        at_mm: its middle on the sheet.
        outline: its corners around that, clockwise.
        drawing: an example of its face, around the middle.
        phrase: the name in the page's catalogue under which other languages have its words, if they do.
        shows: what the phrase fills in: the class that the card shows.
    """

    label: Mapping[str, Any]
    words: str
    at_mm: Point
    outline: tuple[Point, ...]
    drawing: tuple[Shape, ...]
    phrase: str = ""
    shows: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """What to lay, in the order in which people read: top to bottom, left to right.

    Attributes:
        part: the field of a reading under which its cards stand, such as ``cards``.
        words: how to lay them.
        rows: the places, row by row.
        phrase: as `Place.phrase` for its words; it fills in what the places show.
    """

    part: str
    words: str
    rows: tuple[tuple[Place, ...], ...]
    phrase: str = ""

    @property
    def places(self) -> tuple[Place, ...]:
        """All places in reading order."""
        return tuple(place for row in self.rows for place in row)

    def relabelled(self, number: int, label: Mapping[str, Any]) -> "Layout":
        """The layout with another card at a place; as it is where it has no such place."""
        places = iter([replace(one, label=label) if n == number else one for n, one in enumerate(self.places)])
        return replace(self, rows=tuple(tuple(next(places) for _ in row) for row in self.rows))

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """The layout drawn, every card in its full size."""
        return tuple(shape for place in self.places for shape in moved(place.drawing, place.at_mm))

    @property
    def box(self) -> Box:
        """The box around it."""
        return bounds(self.shapes)

    def as_json(self) -> dict[str, Any]:
        """The label that a photograph of it has, and the words for each card."""
        return {
            "words": self.words,
            "places": [place.words for place in self.places],
            self.part: [dict(place.label) for place in self.places],
        }


def in_rows(cards: Sequence[Place], per_row: int, step_mm: tuple[float, float]) -> tuple[tuple[Place, ...], ...]:
    """Places row by row, so far apart across and down."""
    return tuple(
        tuple(
            replace(card, at_mm=(column * step_mm[0], begin // per_row * step_mm[1]))
            for column, card in enumerate(cards[begin : begin + per_row])
        )
        for begin in range(0, len(cards), per_row)
    )


def layout_sheets(layout: Layout, title: str, credits: Sequence[str], paper: str) -> tuple[Sheet, ...]:
    """The sheet of a layout: lay each card on its place, or all of them beside the sheet. In full size if it fits."""
    places = layout.places
    width, height = paper_size(paper)
    ticks = [tick for place in places for tick in moved(_ticks(place.outline), place.at_mm)]
    box = bounds(ticks)
    room = (width - 2 * MARGIN_MM, height - TOP_MM - FOOTER_MM - _FOOT_MM)
    scale = min(1.0, room[0] / box.width_mm, room[1] / box.height_mm)
    drawn = [
        shape
        for place in places
        for shape in moved(
            scaled(place.drawing, _DRAWN_SHARE * scale), (place.at_mm[0] * scale, place.at_mm[1] * scale)
        )
    ]
    texts = [
        Text(
            ((place.at_mm[0] + min(x for x, _ in place.outline)) * scale,
             (place.at_mm[1] + max(y for _, y in place.outline)) * scale + _WORDS_MM),
            place.words,
        )
        for place in places
    ]  # fmt: skip
    size = "in full size" if scale == 1 else f"at {100 * scale:.0f} % of their size: lay the cards beside this sheet"
    left, low = box.left_mm * scale, box.bottom_mm * scale + 2 * _WORDS_MM
    texts += [
        Text((left, low + _ROW_MM * row), line)
        for row, line in enumerate(wrap(f"{layout.words} The places are drawn {size}.", _LETTERS))
    ]
    return poster_sheets((*scaled(ticks, scale), *drawn), paper, title, credits, texts)


def scaled(shapes: Sequence[Shape], by: float) -> tuple[Shape, ...]:
    """The same shapes larger or smaller around the origin.

    >>> scaled((Disc((2, 0), 1, "#000000"),), 2)
    (Disc(centre=(4, 0), radius_mm=2, fill='#000000'),)
    """
    return tuple(_scaled(shape, by) for shape in shapes)


def _scaled(shape: Shape, by: float) -> Shape:
    match shape:
        case Disc(centre, radius):
            return replace(shape, centre=_times(centre, by), radius_mm=radius * by)
        case Ring(centre, radius, width):
            return replace(shape, centre=_times(centre, by), radius_mm=radius * by, width_mm=width * by)
        case Band(points, width):
            return replace(shape, points=tuple(_times(p, by) for p in points), width_mm=width * by)
    return replace(shape, points=tuple(_times(p, by) for p in shape.points), line_mm=shape.line_mm * by)


def _times(point: Point, by: float) -> Point:
    return point[0] * by, point[1] * by


def _ticks(outline: Sequence[Point]) -> list[Shape]:
    """A short line outside each corner of a place: a drawn outline would pass for a card."""
    ticks: list[Shape] = []
    for x, y in outline:
        away = (x * x + y * y) ** 0.5
        ends = tuple((x + x / away * far, y + y / away * far) for far in (_AWAY_MM, _AWAY_MM + _TICK_MM))
        ticks.append(Band(ends, _LINE_MM, _LINE))
    return ticks
