"""The shapes that faces are drawn from: plain data in millimetres, x to the right, y down, later ones on top.

Changes when a face needs a shape that cannot be said with these. Print and simulator draw the same shapes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

Point = tuple[float, float]
Colour = str
"""``#RRGGBB``."""


@dataclass(frozen=True, slots=True)
class Disc:
    """A filled circle."""

    centre: Point
    radius_mm: float
    fill: Colour


@dataclass(frozen=True, slots=True)
class Ring:
    """An open circle: ``radius_mm`` runs along the middle of its line."""

    centre: Point
    radius_mm: float
    width_mm: float
    colour: Colour


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled polygon; with ``line_mm`` its outline is drawn over the fill, half inside and half outside."""

    points: tuple[Point, ...]
    fill: Colour | None
    line: Colour | None = None
    line_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Band:
    """A line of even width through points, with round joins and round ends."""

    points: tuple[Point, ...]
    width_mm: float
    colour: Colour


Shape = Disc | Ring | Polygon | Band


@dataclass(frozen=True, slots=True)
class Box:
    """An upright rectangle, in the frame of the shapes."""

    left_mm: float
    top_mm: float
    right_mm: float
    bottom_mm: float

    @property
    def width_mm(self) -> float:
        """How wide it is."""
        return self.right_mm - self.left_mm

    @property
    def height_mm(self) -> float:
        """How high it is."""
        return self.bottom_mm - self.top_mm


def regular_polygon(
    sides: int, radius_mm: float, centre: Point = (0.0, 0.0), first_deg: float = 0.0
) -> tuple[Point, ...]:
    """Corners on a circle, clockwise as seen (y points down), the first at ``first_deg`` from the x axis.

    >>> [(round(x), round(y)) for x, y in regular_polygon(4, 10)]
    [(10, 0), (0, 10), (-10, 0), (0, -10)]
    """
    return tuple(polar(radius_mm, first_deg + 360 * k / sides, centre) for k in range(sides))


def polar(radius_mm: float, angle_deg: float, centre: Point = (0.0, 0.0)) -> Point:
    """The point at a distance and an angle; angles grow clockwise as seen.

    >>> [round(v, 6) for v in polar(2, 90, (1, 1))]
    [1.0, 3.0]
    """
    angle = math.radians(angle_deg)
    return centre[0] + radius_mm * math.cos(angle), centre[1] + radius_mm * math.sin(angle)


def moved(shapes: Sequence[Shape], by: Point) -> tuple[Shape, ...]:
    """The same shapes elsewhere: where a sheet puts a face.

    >>> moved((Disc((0, 0), 1, "#000000"),), (5, 6))
    (Disc(centre=(5, 6), radius_mm=1, fill='#000000'),)
    """
    return tuple(_moved(shape, by) for shape in shapes)


def bounds(shapes: Sequence[Shape]) -> Box:
    """The least box that holds all shapes, lines included.

    >>> bounds((Ring((0, 0), 4, 2, "#000000"), Disc((10, 0), 1, "#000000")))
    Box(left_mm=-5.0, top_mm=-5.0, right_mm=11, bottom_mm=5.0)
    """
    corners = [corner for shape in shapes for corner in _extremes(shape)]
    xs, ys = [x for x, _ in corners], [y for _, y in corners]
    return Box(min(xs), min(ys), max(xs), max(ys))


def _moved(shape: Shape, by: Point) -> Shape:
    if isinstance(shape, Disc | Ring):
        return replace(shape, centre=_sum(shape.centre, by))
    return replace(shape, points=tuple(_sum(point, by) for point in shape.points))


def _sum(a: Point, b: Point) -> Point:
    return a[0] + b[0], a[1] + b[1]


def _extremes(shape: Shape) -> list[Point]:
    match shape:
        case Disc(centre, radius):
            return _around(centre, radius)
        case Ring(centre, radius, width):
            return _around(centre, radius + width / 2)
        case Band(points, width):
            return [corner for point in points for corner in _around(point, width / 2)]
        case Polygon(points, _, line, width):
            return [corner for point in points for corner in _around(point, width / 2 if line else 0.0)]


def _around(centre: Point, reach: float) -> list[Point]:
    x, y = centre
    return [(x - reach, y - reach), (x + reach, y + reach)]
