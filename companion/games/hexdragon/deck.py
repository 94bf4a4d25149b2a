"""The HexDragon pieces: which tiles there are, and how a tile, a star, the back and the board are printed.

A tile is what `companion.rules` says of it; its frame has the origin at the centre, x to the right, y down, a corner at
the top; direction ``d`` lies at ``-60 * d`` degrees. A `Drawing` holds every size and colour: the default is the
reference printing, and official or home-made sets differ.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.games.hexdragon.rules.tiles import CLASSES, HEAD, SUPPLY_SET, TAIL, Tile, bodies, heads
from companion.printing.shapes import Band, Disc, Point, Polygon, Shape, polar, regular_polygon
from companion.rules.hexgrid import cells_within

SIDE_MM = 30.0
APOTHEM_MM = SIDE_MM * math.sqrt(3) / 2
HEAD_LINE, TAIL_LINE = HEAD, TAIL
"""What `Tile.across` says of an edge whose line ends on the tile, at a head or at a tail."""
COLOURS = ("red", "blue", "yellow", "purple")
OWNER_INKS = {"red": "#C23B34", "blue": "#2B66B0", "yellow": "#E0B020", "purple": "#7A4098"}
HEADS_EACH = 3
"""Heads a player has of the 15 of their colour."""
BODY_CLASSES = CLASSES
"""A body's class by the distances its paths bridge, in order."""
STAR_DISC_MM = 32.0
BOARD_RADIUS = {1: 2, 2: 2, 3: 3, 4: 3}
"""How many rings of cells lie around the start tile, by players."""
SETS = {1: 1, 2: 1, 3: 2, 4: 2}
"""Supply sets in play, by players."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """How a set is printed. Lengths in mm; fractions are of the apothem.

    Attributes:
        inks: each owner's colour.
        face: the tile's paper; ``hairline`` and its width run along the cut edge.
        band_mm: width of a band, its dark lines included; 0 in ``line_mm`` for bands without them.
        bow: how a curve bends: 1 along circles, more for a wider swing through the middle.
        head_at: where a head's middle stands on the way to its edge, a fraction.
        tail_at: how far from the centre a tail comes to its point, a fraction.
        edging_mm: width of the owner's colour around a head tile, 0 for none.
        head_sides: 0 for a round head, else its corners.
        eye_mm: how wide an eye is, 0 for none.
        taper: how a tail narrows: 1 evenly, less for one that stays wide and ends bluntly.
        spine: a line along the middle of every band, its colour; None for none.
        star_points: how many arms a star has.
    """

    inks: Mapping[str, str] = field(default_factory=lambda: OWNER_INKS)
    face: str = "#EFE7D2"
    hairline: str = "#3A3A3A"
    hairline_mm: float = 0.3
    band: str = "#3E7D4F"
    line: str = "#234B2F"
    band_mm: float = 8.0
    line_mm: float = 1.0
    bow: float = 1.0
    head_mm: float = 16.0
    head_at: float = 0.45
    head_sides: int = 0
    eye_mm: float = 4.4
    tail_at: float = 0.35
    taper: float = 0.75
    spine: str | None = None
    edging_mm: float = 2.5
    star_paper: str = "#FFFFFF"
    star_mm: float = 26.0
    star_points: int = 5


REFERENCE = Drawing()
_STEPS = 18
"""Of a curve from edge to edge."""
BOARD_COLOUR, CELL_LINE_COLOUR = "#D9CFB6", "#B7AD98"
BACK_COLOUR, BACK_LINE_COLOUR = "#4A443C", "#B9B0A2"


def outline() -> tuple[Point, ...]:
    """The tile's six corners, clockwise as seen, the first at the lower right."""
    return regular_polygon(6, SIDE_MM, first_deg=30)


def face_shapes(tile: Tile, owner: str | None = None, drawing: Drawing = REFERENCE) -> tuple[Shape, ...]:
    """What is printed on a tile's face, later shapes on top.

    >>> [type(shape).__name__ for shape in face_shapes(BODY_SET[0])].count("Polygon")
    5
    """
    edging = [_rim(drawing.inks[owner], drawing.edging_mm)] if owner and drawing.edging_mm else []
    joined = [shape for path in tile.paths for shape in band_shapes(curve(path, SIDE_MM, drawing.bow), drawing)]
    tails = [shape for tail in tile.tails for shape in tail_shapes(tail, APOTHEM_MM, drawing)]
    head = [] if tile.head is None else _head(tile.head, drawing.inks[owner or COLOURS[0]], drawing)
    return (_paper(drawing.face), *joined, *tails, *head, *edging, _rim(drawing.hairline, drawing.hairline_mm))


def back_shapes() -> tuple[Shape, ...]:
    """What is printed on a tile's back."""
    mark = regular_polygon(6, 0.45 * SIDE_MM, first_deg=30)
    return _paper(BACK_COLOUR), Polygon(mark, None, BACK_LINE_COLOUR, 0.8)


def star_shapes(owner: str, drawing: Drawing = REFERENCE) -> tuple[Shape, ...]:
    """A star token, its frame's origin at its centre.

    >>> [type(shape).__name__ for shape in star_shapes("red")]
    ['Disc', 'Polygon']
    """
    half = drawing.star_mm / 2
    arms = drawing.star_points
    points = tuple(polar(half if k % 2 == 0 else 0.4 * half, 180 / arms * k - 90) for k in range(2 * arms))
    return Disc((0, 0), STAR_DISC_MM / 2, drawing.star_paper), Polygon(points, drawing.inks[owner])


def board_shapes(radius: int) -> tuple[Shape, ...]:
    """A board, its frame's origin at the middle cell's centre; its cells lie as `cell_centre` says.

    >>> len(board_shapes(2))
    20
    """
    cells = [regular_polygon(6, SIDE_MM, cell_centre(q, r), 30) for q, r in cells_within(radius)]
    return (
        Polygon(board_outline(radius), BOARD_COLOUR, CELL_LINE_COLOUR, 0.6),
        *(Polygon(cell, None, CELL_LINE_COLOUR, 0.8) for cell in cells),
    )


def board_outline(radius: int, margin_mm: float = 9.0) -> tuple[Point, ...]:
    """A board's six corners: a large hexagon, flat at the top, that holds all its cells with a margin."""
    apothem = (1.5 * radius + 1) * SIDE_MM + margin_mm
    return regular_polygon(6, apothem * 2 / math.sqrt(3))


def cell_centre(q: int, r: int) -> Point:
    """Where a cell's centre lies on the board, tiles edge to edge.

    >>> [round(v, 1) for v in cell_centre(0, 1)]
    [26.0, 45.0]
    """
    return 2 * APOTHEM_MM * (q + r / 2), 1.5 * SIDE_MM * r


def _one_set() -> tuple[Tile, ...]:
    """The bodies of one supply set: each class is one tile up to rotation."""
    first = {tile.class_name: tile for tile in reversed(bodies())}
    return tuple(first[name] for name, count in SUPPLY_SET.items() for _ in range(count))


def _paper(colour: str) -> Polygon:
    return Polygon(outline(), colour)


def _rim(colour: str, width_mm: float) -> Polygon:
    """A line inside the cut edge."""
    inside = regular_polygon(6, SIDE_MM - width_mm / math.sqrt(3), first_deg=30)
    return Polygon(inside, None, colour, width_mm)


def _head(edge: int, ink: str, drawing: Drawing) -> list[Shape]:
    """The neck from the edge, the head upon it, two eyes that look to the edge."""
    angle = -60.0 * edge
    centre, reach = polar(drawing.head_at * APOTHEM_MM, angle), drawing.head_mm / 2
    neck = band_shapes((polar(APOTHEM_MM, angle), centre), drawing)
    if drawing.head_sides:
        corners = regular_polygon(drawing.head_sides, reach * 1.1, centre, angle)
        face: Shape = Polygon(corners, ink, drawing.line, drawing.line_mm * 0.8)
        return [*neck, face, *_eyes(centre, angle, drawing)]
    rim = [Disc(centre, reach + 0.4 * drawing.line_mm, drawing.line)] if drawing.line_mm else []
    return [*neck, *rim, Disc(centre, reach, ink), *_eyes(centre, angle, drawing)]


def _eyes(centre: Point, angle: float, drawing: Drawing) -> list[Shape]:
    shapes: list[Shape] = []
    for side in (-50.0, 50.0) if drawing.eye_mm else ():
        at = polar(0.28 * drawing.head_mm, angle + side, centre)
        pupil = Disc(polar(0.4, angle, at), 0.22 * drawing.eye_mm, "#202020")
        shapes += [Disc(at, drawing.eye_mm / 2, "#FFFFFF"), pupil]
    return shapes


BODY_SET: tuple[Tile, ...] = _one_set()
"""The 20 bodies of one supply set."""
HEADS: tuple[Tile, ...] = heads()
"""The 15 heads of a colour, head edge E."""


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


def band_shapes(points: tuple[Point, ...], drawing: Drawing) -> tuple[Shape, ...]:
    """A band along points: its colour, cut off squarely at both ends, and a dark line along either side."""
    half = drawing.band_mm / 2
    left, right = _offset(points, half), _offset(points, -half)
    fill = Polygon((*left, *reversed(right)), drawing.band)
    spine = [] if drawing.spine is None else [Band(_shortened(points, 1.0), drawing.band_mm / 5, drawing.spine)]
    if not drawing.line_mm:
        return fill, *spine
    inner = half - drawing.line_mm / 2
    return (
        fill,
        *spine,
        *(
            Band(_shortened(_offset(points, side), drawing.line_mm / 2), drawing.line_mm, drawing.line)
            for side in (inner, -inner)
        ),
    )


def tail_shapes(edge: int, apothem_mm: float, drawing: Drawing) -> tuple[Shape, ...]:
    """A tail: a band from the edge that narrows to a point."""
    angle = -60.0 * edge
    root, tip = polar(apothem_mm, angle), polar(drawing.tail_at * apothem_mm, angle)
    half = drawing.band_mm / 2
    length = math.dist(root, tip)
    left, right = (
        tuple(
            polar(side * math.pow(1.0 - step / 8, drawing.taper) * half, angle + 90, _between(root, tip, step / 8))
            for step in range(9)
        )
        for side in (1, -1)
    )
    body = Polygon((*left, *reversed(right)), drawing.band)
    if not drawing.line_mm or length <= 0:
        return (body,)
    return body, Band(_shortened((*left, *reversed(right)), drawing.line_mm / 2), drawing.line_mm, drawing.line)


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
