"""The lanterns as they are printed: pale hexagons with a spot of their colour at each edge."""

from companion.printing.shapes import Disc, Point, Polygon, Shape, polar, regular_polygon

SIDE_MM = 35.0
SPOT_AT, SPOT_MM = 0.66, 12.0
"""Where the middle of a spot lies, in sides from the card's middle, and how wide it is."""
BACK_COLOUR = "#46505A"
INKS = {"red": "#C8322B", "green": "#2E8B3D", "blue": "#2458B8"}


def outline() -> tuple[Point, ...]:
    """The card's six corners, clockwise as seen."""
    return regular_polygon(6, SIDE_MM, first_deg=30)


def face_shapes(colour: str) -> tuple[Shape, ...]:
    """What is printed on a lantern."""
    spots = (Disc(polar(SPOT_AT * SIDE_MM, 60.0 * k), SPOT_MM / 2, INKS[colour]) for k in range(6))
    return Polygon(outline(), "#F4F0E6", "#3A3A3A", 0.4), *spots


def back_shapes() -> tuple[Shape, ...]:
    """What is printed behind it."""
    return (Polygon(outline(), BACK_COLOUR, "#3A3A3A", 0.4),)
