"""The Hex'el decks: which faces there are, and how a face and the back are printed.

A face is its six symbols in the order of the directions 0..5. The card's frame has its origin at the centre, x to the
right, y down, a corner at the top; direction ``d`` lies at ``-60 * d`` degrees. Sizes and colours are those of the
reference printing; official and home-made decks differ, and recognition must not depend on them.
"""

import math
from itertools import combinations, product

from companion.printing.shapes import Disc, Point, Polygon, Ring, Shape, polar, regular_polygon
from companion.rules.hexgrid import turned

Face = tuple[str, ...]

SYMBOLS: dict[str, tuple[str, str, str]] = {"36": ("red", "blue", "void"), "46": ("red", "blue", "yellow")}
SIDE_MM = 35.0
APOTHEM_MM = SIDE_MM * math.sqrt(3) / 2
SYMBOL_AT = 0.76
"""Where a symbol's middle stands on the apothem, as a fraction."""
SYMBOL_MM = 12.0
VOID_LINE_MM = 2.4
CUT_LINE_MM = 0.4

FACE_COLOUR = "#F4F0E6"
CUT_COLOUR = "#3A3A3A"
BACK_COLOUR = "#46505A"
BACK_LINE_COLOUR = "#C9CED3"
INKS = {"red": "#C8322B", "blue": "#2458B8", "void": "#2B2B2B", "yellow": "#E2B21B"}


def outline() -> tuple[Point, ...]:
    """The card's six corners, clockwise as seen, the first at the lower right."""
    return regular_polygon(6, SIDE_MM, first_deg=30)


def face_shapes(edges: Face, edition: str) -> tuple[Shape, ...]:
    """What is printed on a face, later shapes on top.

    >>> [type(shape).__name__ for shape in face_shapes(("red",) * 5 + ("void",), "36")][-2:]
    ['Disc', 'Ring']
    """
    return (_blank(FACE_COLOUR), *(_symbol(name, d, edition) for d, name in enumerate(edges)))


def back_shapes() -> tuple[Shape, ...]:
    """What is printed on the back, the same in both editions."""
    mark = regular_polygon(6, 0.3 * SIDE_MM, first_deg=30)
    return _blank(BACK_COLOUR), Polygon(mark, None, BACK_LINE_COLOUR, 0.8)


def one_of_each(edition: str, *, mirrored_same: bool) -> tuple[Face, ...]:
    """The single-symbol faces, then one of every arrangement of two symbols that no turn makes the same.

    Args:
        edition: a key of `SYMBOLS`.
        mirrored_same: whether two arrangements that mirror each other count as one.
    """
    singles = tuple((symbol,) * 6 for symbol in SYMBOLS[edition])
    pairs = combinations(SYMBOLS[edition], 2)
    return singles + tuple(face for pair in pairs for face in _arrangements(pair, mirrored_same))


def _deck_36() -> tuple[Face, ...]:
    """Hex'el 36: every arrangement under rotation and reflection, one card of each: 3 + 3 x 11."""
    return one_of_each("36", mirrored_same=True)


def _deck_46() -> tuple[Face, ...]:
    """Hex'el 46: a stand-in, as the published text gives the count and the three single-symbol cards but no list.

    Every arrangement under rotation alone (3 + 3 x 12 = 39) and a second copy of every fifth two-symbol one (7).
    """
    faces = one_of_each("46", mirrored_same=False)
    return faces + faces[3:34:5]


def _arrangements(pair: tuple[str, str], mirrored_same: bool) -> tuple[Face, ...]:
    faces = [face for face in product(pair, repeat=6) if len(set(face)) == 2]
    return tuple(face for face in faces if face == min(_sames(face, mirrored_same), key=lambda f: _rank(f, pair)))


def _sames(face: Face, mirrored_same: bool) -> list[Face]:
    kept = [turned(face, turns) for turns in range(6)]
    return kept + [turned(face[::-1], turns) for turns in range(6)] if mirrored_same else kept


def _rank(face: Face, pair: tuple[str, str]) -> tuple[int, ...]:
    return tuple(pair.index(symbol) for symbol in face)


def _blank(colour: str) -> Polygon:
    cut_inside = regular_polygon(6, SIDE_MM - CUT_LINE_MM / math.sqrt(3), first_deg=30)
    return Polygon(cut_inside, colour, CUT_COLOUR, CUT_LINE_MM)


def _symbol(name: str, direction: int, edition: str) -> Shape:
    angle = -60.0 * direction
    centre, ink, half = polar(SYMBOL_AT * APOTHEM_MM, angle), INKS[name], SYMBOL_MM / 2
    if name == "void":
        return Ring(centre, half - VOID_LINE_MM / 2, VOID_LINE_MM, ink)
    if name == "yellow":
        return Polygon(regular_polygon(3, SYMBOL_MM / math.sqrt(3), centre, angle + 180), ink)
    if name == "blue" and edition == "46":
        return Polygon(regular_polygon(4, half, centre, angle), ink)
    return Disc(centre, half, ink)


FACES: dict[str, tuple[Face, ...]] = {"36": _deck_36(), "46": _deck_46()}
"""The faces of each edition's deck, one entry for one card."""
