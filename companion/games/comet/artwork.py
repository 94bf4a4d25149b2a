"""The house's own plain numerals: the ten digits and the A as lines of even width, one millimetre form for all decks.

Changes when a numeral should look otherwise. A glyph is written in a frame one unit high, from the middle of its top
line to the middle of its bottom line, x from 0 to its own width.
"""

import math
from collections.abc import Mapping

from companion.printing.shapes import Band, Colour, Point

Line = tuple[Point, ...]

STROKE = 0.17
"""How wide a line is, as a fraction of the numeral's height."""
_GAP = 0.3
"""Free room between the middles of two digits' lines, as a fraction of the path's height."""
_STEP_DEG = 12.0


def numeral_bands(text: str, centre: Point, height_mm: float, colour: Colour) -> tuple[Band, ...]:
    """A number, or A, centred at a point.

    Args:
        text: made of the digits and ``A``.
        centre: the middle of its box.
        height_mm: from the upper rim of its highest line to the lower rim of its lowest.
        colour: the ink.

    >>> len(numeral_bands("12", (0.0, 0.0), 10, "#000000"))
    2
    """
    stroke = STROKE * height_mm
    tall = height_mm - stroke
    left, top = centre[0] - text_width(text) * tall / 2, centre[1] - tall / 2
    bands = []
    for glyph in text:
        bands += [_inked(line, left, top, tall, stroke, colour) for line in _GLYPHS[glyph]]
        left += (_width(glyph) + _GAP) * tall
    return tuple(bands)


def text_width(text: str) -> float:
    """The width of a text's lines, in heights of its path.

    >>> text_width("11") > text_width("1")
    True
    """
    return sum(_width(glyph) for glyph in text) + _GAP * (len(text) - 1)


def _inked(line: Line, left: float, top: float, tall: float, stroke: float, colour: Colour) -> Band:
    return Band(tuple((left + x * tall, top + y * tall) for x, y in line), stroke, colour)


def _width(glyph: str) -> float:
    return max(x for line in _GLYPHS[glyph] for x, _ in line)


def _arc(centre: Point, across: Point, from_deg: float, to_deg: float) -> Line:
    """Points of an upright ellipse, clockwise as seen, by its half axes."""
    steps = max(2, round((to_deg - from_deg) / _STEP_DEG))
    angles = [math.radians(from_deg + (to_deg - from_deg) * k / steps) for k in range(steps + 1)]
    return tuple((centre[0] + across[0] * math.cos(a), centre[1] + across[1] * math.sin(a)) for a in angles)


_SIX: tuple[Line, ...] = (
    _arc((0.3, 0.68), (0.3, 0.32), 0, 360),
    _arc((0.52, 0.68), (0.52, 0.68), 180, 264),
)

_GLYPHS: Mapping[str, tuple[Line, ...]] = {
    "0": (_arc((0.3, 0.5), (0.3, 0.5), 0, 360),),
    "1": (((0.0, 0.2), (0.26, 0.0), (0.26, 1.0)),),
    "2": ((*_arc((0.29, 0.28), (0.29, 0.28), 192, 395), (0.0, 1.0), (0.6, 1.0)),),
    "3": ((*_arc((0.28, 0.245), (0.25, 0.245), 205, 450), *_arc((0.28, 0.745), (0.3, 0.255), 270, 515)),),
    "4": (((0.47, 1.0), (0.47, 0.0), (0.0, 0.7), (0.64, 0.7)),),
    "5": (((0.54, 0.0), (0.1, 0.0), *_arc((0.28, 0.68), (0.3, 0.32), 225, 515)),),
    "6": _SIX,
    "7": (((0.0, 0.0), (0.58, 0.0), (0.18, 1.0)),),
    "8": (_arc((0.3, 0.245), (0.25, 0.245), 0, 360), _arc((0.3, 0.745), (0.3, 0.255), 0, 360)),
    "9": tuple(tuple((0.6 - x, 1 - y) for x, y in line) for line in _SIX),
    "A": (((0.0, 1.0), (0.34, 0.0), (0.68, 1.0)), ((0.12, 0.66), (0.56, 0.66))),
}
