"""The bands and tails of a HexDragon tile: curves from edge to edge, and what is drawn along them."""

import math
from typing import Protocol

from companion.printing.shapes import Band, Point, Polygon, Shape, polar

_STEPS = 18


class Inks(Protocol):
    """What of a drawing bands need."""

    @property
    def band(self) -> str:
        """Their colour."""

    @property
    def line(self) -> str:
        """The colour of the lines along them."""

    @property
    def band_mm(self) -> float:
        """Their width, the lines included."""

    @property
    def line_mm(self) -> float:
        """The lines' width, 0 for none."""

    @property
    def tail_at(self) -> float:
        """How far from the centre a tail comes to its point, a fraction of the apothem."""

    @property
    def taper(self) -> float:
        """How a tail narrows: 1 evenly, less for one that stays wide and ends bluntly."""

    @property
    def spine(self) -> str | None:
        """The colour of a line along their middle, None for none."""


def curve(path: tuple[int, int], side_mm: float, bow: float = 1.0) -> tuple[Point, ...]:
    """Points from the middle of one edge to the middle of another, meeting both squarely.

    >>> [round(v, 1) for v in curve((0, 2), 30.0)[9]]
    [3.5, -6.0]
    """
    apothem = side_mm * math.sqrt(3) / 2
    a, b = (polar(apothem, -60.0 * edge) for edge in path)
    apart = min((path[0] - path[1]) % 6, (path[1] - path[0]) % 6)
    # A cubic along a circle's arc of angle t and radius r has its handles at 4/3 tan(t/4) r.
    radius, turn = {1: (side_mm / 2, 120.0), 2: (1.5 * side_mm, 60.0), 3: (side_mm, 0.0)}[apart]
    handle = apothem / 1.5 if apart == 3 else 4 / 3 * math.tan(math.radians(turn / 4)) * radius
    handle = min(handle * bow, 0.95 * apothem)
    c, d = (polar(apothem - handle, -60.0 * edge) for edge in path)
    return tuple(_cubic(a, c, d, b, step / _STEPS) for step in range(_STEPS + 1))


def band_shapes(points: tuple[Point, ...], inks: Inks) -> tuple[Shape, ...]:
    """A band along points: its colour, cut off squarely at both ends, and a dark line along either side."""
    half = inks.band_mm / 2
    left, right = _offset(points, half), _offset(points, -half)
    fill = Polygon((*left, *reversed(right)), inks.band)
    spine = [] if inks.spine is None else [Band(_shortened(points, 1.0), inks.band_mm / 5, inks.spine)]
    if not inks.line_mm:
        return fill, *spine
    inner = half - inks.line_mm / 2
    return (
        fill,
        *spine,
        *(
            Band(_shortened(_offset(points, side), inks.line_mm / 2), inks.line_mm, inks.line)
            for side in (inner, -inner)
        ),
    )


def tail_shapes(edge: int, apothem_mm: float, inks: Inks) -> tuple[Shape, ...]:
    """A tail: a band from the edge that narrows to a point."""
    angle = -60.0 * edge
    root, tip = polar(apothem_mm, angle), polar(inks.tail_at * apothem_mm, angle)
    half = inks.band_mm / 2
    length = math.dist(root, tip)
    left, right = (
        tuple(
            polar(side * math.pow(1.0 - step / 8, inks.taper) * half, angle + 90, _between(root, tip, step / 8))
            for step in range(9)
        )
        for side in (1, -1)
    )
    body = Polygon((*left, *reversed(right)), inks.band)
    if not inks.line_mm or length <= 0:
        return (body,)
    return body, Band(_shortened((*left, *reversed(right)), inks.line_mm / 2), inks.line_mm, inks.line)


def _shortened(points: tuple[Point, ...], by_mm: float) -> tuple[Point, ...]:
    """The points, the first and the last drawn back: a line's round end must not reach over the tile's edge."""
    first = _between(points[0], points[1], min(1.0, by_mm / math.dist(points[0], points[1])))
    last = _between(points[-1], points[-2], min(1.0, by_mm / math.dist(points[-1], points[-2])))
    return first, *points[1:-1], last


def _between(a: Point, b: Point, share: float) -> Point:
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share


def _cubic(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x, y = (sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1))
    return x, y


def _offset(points: tuple[Point, ...], by_mm: float) -> tuple[Point, ...]:
    """The points moved sideways, square to the way they run."""
    out = []
    for k, (x, y) in enumerate(points):
        before, after = points[max(k - 1, 0)], points[min(k + 1, len(points) - 1)]
        length = math.dist(before, after)
        out.append((x - (after[1] - before[1]) / length * by_mm, y + (after[0] - before[0]) / length * by_mm))
    return tuple(out)
