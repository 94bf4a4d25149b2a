"""The HexDragon pieces: which tiles there are, and how a tile, a star, the back and the board are printed.

A tile is what `companion.rules` says of it; its frame has the origin at the centre, x to the right, y down, a corner at
the top; direction ``d`` lies at ``-60 * d`` degrees. A `Drawing` holds every size and colour: the default is the
reference printing, and official or home-made sets differ.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from companion.games.hexdragon.artwork import band_shapes, curve, tail_shapes
from companion.games.hexdragon.rules.tiles import CLASSES, HEAD, SUPPLY_SET, TAIL, Tile, bodies, heads
from companion.printing.shapes import Disc, Point, Polygon, Shape, polar, regular_polygon
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
