"""How each kind of insect is drawn: shapes in mm around the middle of the cells it fills, head up.

Plain drawings of companion's own: ovals, polygons and bands. A cell is 25 mm, a stag two cells high, a moth two wide,
the Spider two by two.
"""

import math
from collections.abc import Mapping, Sequence

from companion.printing.shapes import Band, Colour, Disc, Point, Polygon, Shape

SPAN: Mapping[str, tuple[int, int]] = {"stag": (2, 1), "moth": (1, 2), "spider": (2, 2)}
"""Rows and columns that an insect fills, where that is not one cell."""

BLUE, GREEN, GOLD = "#2D5FA8", "#3F8F4E", "#D9A520"
BLACK, RED, BROWN, SAND = "#1E1C1C", "#B93A2E", "#5A3A22", "#CDB892"
_DARK = {BLUE: "#1C3A69", GREEN: "#245A30", GOLD: "#7E5E14", RED: "#6E1F18"}
_GREY = "#6B6866"
_EYE, _SPARK = "#33241A", "#F2EADB"
_FUR = "#7A5F42"


def _beetle(colour: Colour) -> tuple[Shape, ...]:
    """An oval body with a line between the wing cases, six legs, short horns."""
    dark = _DARK[colour]
    return (
        *_legs((-3.2, 1.2, 5.0), 4.0, ((8.2, -3.2), (9.0, 0.4), (8.4, 4.0)), 0.8, dark),
        *_both_sides(((1.0, -7.8), (1.9, -9.2), (1.3, -10.0)), 0.7, dark),
        Disc((0.0, -6.9), 2.0, dark),
        Polygon(_oval((0.0, -4.3), 3.5, 2.2), dark),
        Polygon(_oval((0.0, 2.4), 4.7, 6.6), colour, dark, 0.4),
        Band(((0.0, -3.6), (0.0, 8.6)), 0.5, dark),
    )


def _dung() -> tuple[Shape, ...]:
    """A round body with a broad head and strong legs."""
    return (
        *_legs((-3.0, 1.0, 5.0), 5.0, ((9.6, -2.6), (10.2, 0.6), (9.4, 3.2)), 1.3, BLACK),
        *_both_sides(((2.2, -7.6), (3.2, -9.0), (2.2, -9.8)), 1.1, BLACK),
        Polygon(_oval((0.0, -6.2), 4.9, 2.5), BLACK),
        Polygon(_oval((0.0, 1.6), 6.9, 7.0), BLACK),
        Band(((-5.9, -1.9), (5.9, -1.9)), 0.4, _GREY),
        Band(((0.0, -1.9), (0.0, 8.2)), 0.4, _GREY),
    )


def _leaf() -> tuple[Shape, ...]:
    """A couple: two small ovals that touch, one a little behind."""
    return *_leaf_beetle((-3.1, 1.6), -14.0), *_leaf_beetle((3.1, -1.2), 24.0)


def _leaf_beetle(middle: Point, turn_deg: float) -> tuple[Shape, ...]:
    dark = _DARK[RED]
    legs = [
        Band((_turned((side * 2.0, y), middle, turn_deg), _turned((side * 3.9, 1.5 * y), middle, turn_deg)), 0.5, dark)
        for side in (-1, 1)
        for y in (-1.6, 0.4, 2.2)
    ]
    body = tuple(_turned(point, middle, turn_deg) for point in _oval((0.0, 0.0), 2.6, 4.0))
    line = (_turned((0.0, -2.6), middle, turn_deg), _turned((0.0, 3.6), middle, turn_deg))
    return *legs, Disc(_turned((0.0, -3.9), middle, turn_deg), 1.4, dark), Polygon(body, RED), Band(line, 0.4, dark)


def _stag() -> tuple[Shape, ...]:
    """Tall, over two cells one above the other, with long forked jaws."""
    dark = "#33200F"
    return (
        *_legs((-3.6, 4.4, 11.0), 5.4, ((10.2, -5.0), (11.0, 2.4), (10.4, 7.0)), 1.2, dark),
        *_both_sides(((1.6, -11.4), (5.4, -14.2), (5.0, -18.4), (1.4, -21.4)), 1.5, dark),
        *_both_sides(((5.4, -16.2), (2.6, -15.8)), 1.2, dark),
        Polygon(_oval((0.0, -9.8), 3.8, 2.6), dark),
        Polygon(_oval((0.0, -4.8), 5.6, 3.8), BROWN, dark, 0.4),
        Polygon(_oval((0.0, 8.2), 6.7, 11.2), BROWN, dark, 0.4),
        Band(((0.0, -2.4), (0.0, 19.0)), 0.5, dark),
    )


def _moth() -> tuple[Shape, ...]:
    """Wide, over two cells side by side, its wings spread, an eye spot on each."""
    upper = ((1.2, -3.6), (12.0, -9.8), (21.4, -9.4), (18.4, 1.0), (4.6, 1.6), (1.2, 0.4))
    lower = ((1.2, 0.4), (6.0, 1.8), (15.6, 2.6), (13.2, 9.0), (8.4, 8.6), (1.2, 4.0))
    wings = [
        Polygon(tuple((side * x, y) for x, y in wing), SAND, _FUR, 0.4) for wing in (lower, upper) for side in (-1, 1)
    ]
    spots = [
        shape
        for side in (-1, 1)
        for middle, radius in (((14.6, -4.8), 2.0), ((10.2, 5.2), 1.5))
        for shape in (
            Disc((side * middle[0], middle[1]), radius, _EYE),
            Disc((side * middle[0], middle[1]), 0.7, _SPARK),
        )
    ]
    feelers = _both_sides(((0.6, -6.6), (3.6, -10.4)), 0.5, _FUR)
    return *wings, *spots, *feelers, Polygon(_oval((0.0, 0.6), 1.8, 7.8), _FUR), Disc((0.0, -6.4), 1.6, _FUR)


def _spider() -> tuple[Shape, ...]:
    """One black spider across all four cells, with eight legs and two red eyes."""
    ways = (
        ((3.0, -6.0), (9.6, -13.0), (8.2, -21.0)),
        ((3.6, -4.4), (13.6, -8.0), (18.0, -16.8)),
        ((3.6, -2.2), (14.0, 6.0), (19.4, 13.0)),
        ((2.6, -0.4), (8.4, 13.0), (10.4, 21.0)),
    )
    return (
        *(leg for way in ways for leg in _both_sides(way, 1.5, BLACK)),
        Disc((0.0, -4.8), 4.6, BLACK),
        Polygon(_oval((0.0, 6.6), 6.8, 8.8), BLACK),
        Polygon(((0.0, 2.6), (2.0, 6.4), (0.0, 10.2), (-2.0, 6.4)), _GREY),
        Disc((-1.7, -7.4), 0.8, RED),
        Disc((1.7, -7.4), 0.8, RED),
    )


def _legs(
    at_y: Sequence[float], from_x: float, feet: Sequence[Point], width_mm: float, colour: Colour
) -> tuple[Band, ...]:
    """Three pairs of legs: each from the body out to a knee and on to its foot, which lies as far from it in y."""
    ways = [
        ((0.3 * from_x, y), ((from_x + foot[0]) / 2, y + 0.25 * foot[1]), (foot[0], y + foot[1]))
        for y, foot in zip(at_y, feet, strict=True)
    ]
    return tuple(leg for way in ways for leg in _both_sides(way, width_mm, colour))


def _both_sides(points: Sequence[Point], width_mm: float, colour: Colour) -> tuple[Band, Band]:
    """A band and its mirror image on the left."""
    return Band(tuple(points), width_mm, colour), Band(tuple((-x, y) for x, y in points), width_mm, colour)


def _oval(middle: Point, half_width: float, half_height: float) -> tuple[Point, ...]:
    turns = [math.radians(12 * k) for k in range(30)]
    return tuple((middle[0] + half_width * math.cos(t), middle[1] + half_height * math.sin(t)) for t in turns)


def _turned(point: Point, middle: Point, turn_deg: float) -> Point:
    """A point of a small drawing, turned clockwise as seen and put at its place."""
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    return middle[0] + c * point[0] - s * point[1], middle[1] + s * point[0] + c * point[1]


DRAWINGS: Mapping[str, tuple[Shape, ...]] = {
    "blue": _beetle(BLUE),
    "green": _beetle(GREEN),
    "gold": _beetle(GOLD),
    "dung": _dung(),
    "leaf": _leaf(),
    "stag": _stag(),
    "moth": _moth(),
    "spider": _spider(),
}
"""What each kind looks like."""
