"""The Seven Card Comet deck: which cards there are, and how a face, the back and a pot's place are printed.

A face is its three numbers from top to bottom, 14 for the Ace. The card's frame has its origin at the centre, x to the
right, y down. Sizes and colours are those of the reference printing; official and home-made decks differ, and
recognition must not depend on them.
"""

import colorsys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import combinations_with_replacement
from typing import Literal

from companion.games.comet.artwork import STROKE, numeral_bands, text_width
from companion.printing.shapes import Band, Colour, Disc, Point, Polygon, Shape, polar

Values = tuple[int, int, int]
PrintingName = Literal["mono", "keyed"]

WIDTH_MM, HEIGHT_MM = 63.0, 88.0
ROUNDING_MM = 3.0
SECTION_MM = HEIGHT_MM / 3
NUMERAL_MM = 16.0
ACE = 14
NUMBERS = range(2, ACE + 1)

FACE_COLOUR = "#F2EFE8"
INK_COLOUR = "#1F2430"
LINE_COLOUR = "#8A8C90"
BACK_COLOUR = "#24305E"
BACK_INK_COLOUR = "#C3C8D6"

_CARDS = 123
_TRIPLES: tuple[Values, ...] = ((12, 12, 12), (13, 13, 13), (14, 14, 14))


def outline() -> tuple[Point, ...]:
    """The card's four sharp corners, clockwise as seen, the first at the top left."""
    x, y = WIDTH_MM / 2, HEIGHT_MM / 2
    return (-x, -y), (x, -y), (x, y), (-x, y)


def face_shapes(values: Values, printing: PrintingName = "mono") -> tuple[Shape, ...]:
    """What is printed on a face, later shapes on top.

    Args:
        values: the three numbers from top to bottom.
        printing: ``mono``, one face colour, or ``keyed``, a colour for each number.

    >>> len(face_shapes((2, 7, 14), "keyed")) > 6
    True
    """
    grounds = [FACE_COLOUR if printing == "mono" else key_colour(value) for value in values]
    shapes: list[Shape] = [Polygon(_section(k), ground) for k, ground in enumerate(grounds)]
    shapes += [_divider(k) for k in (1, 2)]
    for k, value in enumerate(values):
        shapes += _number(value, (0.0, (k - 1) * SECTION_MM))
    return (*shapes, *comet((6.5 - WIDTH_MM / 2, 9.0 - HEIGHT_MM / 2), 2.0, 7.5, INK_COLOUR))


def back_shapes() -> tuple[Shape, ...]:
    """What is printed on the back, the same in both printings."""
    x, y = WIDTH_MM / 2 - 2.5, HEIGHT_MM / 2 - 2.5
    frame = ((-x, -y), (x, -y), (x, y), (-x, y))
    stars = [
        Disc((s * (6.0 + 4.5 * k), -s * (12.0 + 8.0 * k)), 0.7, BACK_INK_COLOUR) for s in (-1, 1) for k in range(4)
    ]
    return (
        Polygon(rounded(WIDTH_MM, HEIGHT_MM, ROUNDING_MM), BACK_COLOUR),
        Polygon(frame, None, BACK_INK_COLOUR, 0.5),
        *stars,
        *comet((-10.0, 16.0), 6.5, 46.0, BACK_INK_COLOUR),
    )


def pot_shapes(number: int | None, width_mm: float, height_mm: float) -> tuple[Shape, ...]:
    """A pot's place on the table mat, its middle at the origin: a frame and its number, or a comet for the Tail."""
    frame = Polygon(rounded(width_mm, height_mm, 8.0), None, BACK_INK_COLOUR, 1.2)
    corner = (10.0 - width_mm / 2, 12.0 - height_mm / 2)
    if number is None:
        return frame, *comet((corner[0], corner[1] + 2.0), 3.0, 11.0, BACK_INK_COLOUR)
    return frame, *numeral_bands(str(number), corner, 12.0, BACK_INK_COLOUR)


def comet(head: Point, radius_mm: float, tail_mm: float, colour: Colour) -> tuple[Shape, ...]:
    """A disc with a tail that narrows to a point up and to the right."""
    left, right = polar(radius_mm, 215, head), polar(radius_mm, 35, head)
    return Disc(head, radius_mm, colour), Polygon((left, polar(tail_mm, -55, head), right), colour)


def key_colour(value: int) -> Colour:
    """The section colour of a number in the colour-keyed printing.

    >>> key_colour(2)
    '#DCA3A3'
    """
    red, green, blue = colorsys.hls_to_rgb(27 * (value - 2) % 360 / 360, 0.75, 0.45)
    return "#" + "".join(f"{round(255 * part):02X}" for part in (red, green, blue))


def label(value: int) -> str:
    """How a number is printed.

    >>> label(14), label(10)
    ('A', '10')
    """
    return "A" if value == ACE else str(value)


def rounded(width_mm: float, height_mm: float, radius_mm: float) -> tuple[Point, ...]:
    """A rectangle with rounded corners around the origin, clockwise as seen."""
    return (*_upper_rim(width_mm, height_mm, radius_mm), *_lower_rim(width_mm, height_mm, radius_mm))


def is_run(values: Iterable[int]) -> bool:
    """Three numbers in sequence; the Ace counts as 1 before the 2 and as 14 after the 13.

    >>> is_run((2, 3, 14)), is_run((12, 13, 14)), is_run((2, 13, 14))
    (True, True, False)
    """
    low, middle, high = sorted(values)
    return middle - low == high - middle == 1 or (low, middle, high) == (2, 3, ACE)


@cache
def deck() -> tuple[Values, ...]:
    """The 123 cards: three triples and a stand-in for the 120 that the published text does not list.

    None of the 120 holds a triple or a run, all are different, and all numbers occur about equally often: each next
    card is the one whose numbers came up least so far.
    """
    others = [v for v in combinations_with_replacement(NUMBERS, 3) if len(set(v)) > 1 and not is_run(v)]
    scattered = sorted(range(len(others)), key=lambda k: k * 157 % len(others))
    used, chosen = Counter(value for triple in _TRIPLES for value in triple), list(_TRIPLES)
    while len(chosen) < _CARDS:
        best = min(scattered, key=lambda k: _crowding(others[k], used))
        scattered.remove(best)
        chosen.append(others[best])
        used.update(others[best])
    return tuple(chosen)


def _crowding(values: Values, used: Counter[int]) -> int:
    """How often the numbers of a card came up, were it chosen."""
    after = used + Counter(values)
    return sum(after[value] ** 2 - used[value] ** 2 for value in set(values))


def _section(k: int) -> tuple[Point, ...]:
    """The outline of the card's k-th third from the top; those at its ends share its rounding."""
    x, top = WIDTH_MM / 2, (k - 1.5) * SECTION_MM
    if k == 0:
        return (*_upper_rim(WIDTH_MM, HEIGHT_MM, ROUNDING_MM), (x, top + SECTION_MM), (-x, top + SECTION_MM))
    if k == 2:
        return ((-x, top), (x, top), *_lower_rim(WIDTH_MM, HEIGHT_MM, ROUNDING_MM))
    return (-x, top), (x, top), (x, top + SECTION_MM), (-x, top + SECTION_MM)


def _upper_rim(width_mm: float, height_mm: float, radius_mm: float) -> tuple[Point, ...]:
    x, y = width_mm / 2 - radius_mm, height_mm / 2 - radius_mm
    return (*_corner((-x, -y), radius_mm, 180), *_corner((x, -y), radius_mm, 270))


def _lower_rim(width_mm: float, height_mm: float, radius_mm: float) -> tuple[Point, ...]:
    x, y = width_mm / 2 - radius_mm, height_mm / 2 - radius_mm
    return (*_corner((x, y), radius_mm, 0), *_corner((-x, y), radius_mm, 90))


def _corner(centre: Point, radius_mm: float, from_deg: float) -> tuple[Point, ...]:
    return tuple(polar(radius_mm, from_deg + 15 * k, centre) for k in range(7))


def _divider(k: int) -> Band:
    y = (k - 1.5) * SECTION_MM
    return Band(((4.0 - WIDTH_MM / 2, y), (WIDTH_MM / 2 - 4.0, y)), 0.35, LINE_COLOUR)


def _number(value: int, centre: Point) -> tuple[Band, ...]:
    """A number as print; 6 and 9 underlined, for a card is read from both sides of the table."""
    bands = numeral_bands(label(value), centre, NUMERAL_MM, INK_COLOUR)
    if value not in (6, 9):
        return bands
    x = (text_width(label(value)) * (1 - STROKE) + STROKE) * NUMERAL_MM / 2
    y = centre[1] + NUMERAL_MM / 2 + 2.4
    return *bands, Band(((centre[0] - x, y), (centre[0] + x, y)), 1.6, INK_COLOUR)
