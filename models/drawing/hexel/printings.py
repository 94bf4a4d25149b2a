"""Printings of a Hex'el deck: how a card's face may look, and one drawn.

A printing says what a face is made of; `raster_card` draws one card of it. The reference values are those of the
cards as physical things: a regular hexagon of side 35 mm, symbols 12 mm across, centred at 0.76 of the apothem.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from companion.games.hexel.deck import APOTHEM_MM, CUT_LINE_MM, INKS, SIDE_MM, SYMBOL_AT, SYMBOL_MM

Array = npt.NDArray[Any]
Colour = tuple[int, int, int]
"""Blue, green, red, 0..255."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How one symbol is drawn.

    Attributes:
        shape: disc, ring, diamond, square, triangle, cross, star, hexagon, bar, letter or drop.
        colour: fill colour, or the line's colour of an open shape.
        hollow: line width as a fraction of the symbol's size for an open shape, 0 for a filled one.
        outline: colour of an outline drawn around a filled shape, or None.
        letter: the letter written in the symbol's middle, or "".
    """

    shape: str
    colour: Colour
    hollow: float = 0.0
    outline: Colour | None = None
    letter: str = ""


@dataclass(frozen=True, slots=True)
class Printing:
    """How a whole deck looks. Lengths in mm unless said."""

    marks: dict[str, Mark]
    face: Colour = (230, 240, 244)
    face_edge: Colour | None = None
    """Colour towards the rim for a gradient face."""
    hairline: Colour = (58, 58, 58)
    hairline_mm: float = CUT_LINE_MM
    border: Colour | None = None
    border_mm: float = 0.0
    symbol_mm: float = SYMBOL_MM
    radius_share: float = SYMBOL_AT
    middle: Colour | None = None
    """An ornament in the card's middle."""

    def raster(self, edges: Sequence[str], px_per_mm: float) -> Array:
        """See `raster_card`."""
        return raster_card(tuple(edges), self, px_per_mm)


def hex_colour(text: str) -> Colour:
    """A web colour as blue, green, red.

    >>> hex_colour("#C8322B")
    (43, 50, 200)
    """
    r, g, b = (int(text[i : i + 2], 16) for i in (1, 3, 5))
    return b, g, r


RED = Mark("disc", hex_colour(INKS["red"]))
REFERENCE = {
    "36": Printing(
        {
            "red": RED,
            "blue": Mark("disc", hex_colour(INKS["blue"])),
            "void": Mark("ring", hex_colour(INKS["void"]), hollow=0.2),
        }
    ),
    "46": Printing(
        {
            "red": RED,
            "blue": Mark("diamond", hex_colour(INKS["blue"])),
            "yellow": Mark("triangle", hex_colour(INKS["yellow"])),
        }
    ),
}


def varied(printing: Printing, rng: np.random.Generator, amount: float = 1.0) -> Printing:
    """The same printing from another press: inks, paper and sizes a little off, shapes kept."""

    def ink(colour: Colour) -> Colour:
        moved = np.array(colour, float) + rng.normal(0, 9 * amount, 3) + rng.normal(0, 8 * amount)
        return whole_colour(np.clip(moved, 8, 250))

    marks = {}
    for name, mark in printing.marks.items():
        hollow = mark.hollow * float(rng.uniform(0.8, 1.25)) if mark.hollow else 0.0
        marks[name] = replace(mark, colour=ink(mark.colour), hollow=hollow)
    return replace(
        printing,
        marks=marks,
        face=ink(printing.face),
        hairline=ink(printing.hairline),
        hairline_mm=float(rng.uniform(0.15, 0.7)),
        symbol_mm=SYMBOL_MM * float(rng.uniform(0.93, 1.07)),
        radius_share=SYMBOL_AT + float(rng.normal(0, 0.01)),
    )


def whole_colour(values: Array) -> Colour:
    """Three numbers as a colour, their fractions dropped."""
    b, g, r = (int(v) for v in values)
    return b, g, r


def hexagon(apothem: float, centre: tuple[float, float] = (0.0, 0.0)) -> Array:
    """The corners (6, 2) of a pointy-top hexagon, clockwise as seen with y down, the first at upper right."""
    angles = np.radians(np.arange(6) * 60.0 - 30.0)
    radius = apothem * 2.0 / np.sqrt(3.0)
    return np.stack([centre[0] + radius * np.cos(angles), centre[1] + radius * np.sin(angles)], 1)


def unit_shape(shape: str) -> Array:
    """Corners of a shape of size 1 (radius 0.5), its top (negative y) pointing away from the card's centre."""
    if shape == "diamond":
        return np.array([[0, -0.5], [0.5, 0], [0, 0.5], [-0.5, 0]])
    if shape == "square":
        return np.array([[-0.42, -0.42], [0.42, -0.42], [0.42, 0.42], [-0.42, 0.42]])
    if shape == "triangle":  # the point looks to the card's centre
        a = np.radians([90, 210, 330])
        return np.stack([np.cos(a), np.sin(a)], 1) * 0.55
    if shape == "cross":
        w = 0.17
        return np.array(
            [
                [-w, -0.5],
                [w, -0.5],
                [w, -w],
                [0.5, -w],
                [0.5, w],
                [w, w],
                [w, 0.5],
                [-w, 0.5],
                [-w, w],
                [-0.5, w],
                [-0.5, -w],
                [-w, -w],
            ]
        )
    if shape == "star":
        a = np.radians(np.arange(10) * 36 - 90)
        return np.stack([np.cos(a), np.sin(a)], 1) * np.where(np.arange(10) % 2 == 0, 0.55, 0.25)[:, None]
    if shape == "hexagon":
        return hexagon(0.43)
    if shape == "drop":
        a = np.radians(np.arange(0, 181, 15))
        return np.vstack([np.stack([0.36 * np.cos(a), 0.1 + 0.36 * np.sin(a)], 1), [[0, -0.55]]])
    a = np.radians(np.arange(0, 360, 10))
    return np.stack([np.cos(a), np.sin(a)], 1) * 0.5


_SUB = 4  # fixed-point bits of cv2's drawing


def fill_shape(image: Array, points: Array, colour: Colour | float) -> None:
    """Fill a polygon (N, 2), px, smooth at its edges."""
    cv2.fillPoly(image, [np.round(points * (1 << _SUB)).astype(np.int32)], colour, cv2.LINE_AA, _SUB)


def raster_card(edges: tuple[str, ...], printing: Printing, px_per_mm: float) -> Array:
    """One card's face, seen straight from above.

    Args:
        edges: six symbol names in order of direction, E first, counter-clockwise.
        printing: how the deck looks.
        px_per_mm: scale of the result.

    Returns:
        uint8 (S, S, 4) BGRA, the card's centre in the middle, transparent outside the card.
    """
    scale = px_per_mm * 2.0
    half = int(np.ceil((SIDE_MM + 1.0) * scale))
    image = np.zeros((2 * half, 2 * half, 3), np.uint8)
    centre = (half - 0.5, half - 0.5)
    image[:] = printing.hairline
    inner = APOTHEM_MM - printing.hairline_mm
    if printing.border is not None:
        fill_shape(image, hexagon(inner * scale, centre), printing.border)
        inner -= printing.border_mm
    if printing.face_edge is None:
        fill_shape(image, hexagon(inner * scale, centre), printing.face)
    else:
        for t in np.linspace(1, 0.15, 12):
            mixed = np.array(printing.face_edge, float) * t + np.array(printing.face, float) * (1 - t)
            fill_shape(image, hexagon(inner * scale * t, centre), whole_colour(mixed))
    if printing.middle is not None:
        fill_shape(image, hexagon(6.0 * scale, centre), printing.middle)
        fill_shape(image, hexagon(4.6 * scale, centre), printing.face)
    for d, name in enumerate(edges):
        _draw_mark(image, printing, printing.marks[name], d, centre, scale)
    alpha = np.zeros((2 * half, 2 * half), np.uint8)
    fill_shape(alpha, hexagon(APOTHEM_MM * scale, centre), 255)
    return cv2.resize(np.dstack([image, alpha]), (half, half), interpolation=cv2.INTER_AREA)


def _draw_mark(
    image: Array, printing: Printing, mark: Mark, direction: int, centre: tuple[float, float], scale: float
) -> None:
    angle = np.radians(-60.0 * direction)
    out = np.array([np.cos(angle), np.sin(angle)])
    at = np.array(centre) + out * printing.radius_share * APOTHEM_MM * scale
    turn = np.array([[-out[1], -out[0]], [out[0], -out[1]]])  # maps "up" (0, -1) to the outward direction
    unit = unit_shape(mark.shape)
    size = printing.symbol_mm * scale
    if mark.outline is not None:
        fill_shape(image, at + (unit * 1.14 * size) @ turn.T, mark.outline)
    fill_shape(image, at + (unit * size) @ turn.T, mark.colour)
    if mark.hollow:
        fill_shape(image, at + (unit * (1 - 2 * mark.hollow) * size) @ turn.T, printing.face)
    if mark.letter:
        height = cv2.getTextSize(mark.letter, cv2.FONT_HERSHEY_SIMPLEX, 1.0, 2)[0][1]
        factor = 0.55 * size / height
        (w, h), _ = cv2.getTextSize(mark.letter, cv2.FONT_HERSHEY_SIMPLEX, factor, 2)
        place = (int(at[0] - w / 2), int(at[1] + h / 2))
        cv2.putText(
            image,
            mark.letter,
            place,
            cv2.FONT_HERSHEY_SIMPLEX,
            factor,
            printing.face,
            max(1, int(size * 0.1)),
            cv2.LINE_AA,
        )
