"""Printings of Hexapod: how its insects, cards and display cases may look, from the reference art to invented ones.

A printing holds its insects as small pictures, drawn once; `card_raster` puts a card together from them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from companion.games.hexapod.artwork import DRAWINGS, SPAN
from companion.games.hexapod.deck import (
    BACK_COLOUR,
    CELL_MM,
    FACE_COLOUR,
    FLOOR_COLOUR,
    FLOOR_LINE_COLOUR,
    FRAME_COLOUR,
    LINE_COLOUR,
    SIDE_MM,
    insects,
)
from companion.printing.raster import raster
from companion.printing.shapes import Box, Colour, Point, Shape
from models.drawing.hexapod.sketches import DRAWN, Inks, Sketch, inks, reshaped
from models.drawing.hexel.printings import hex_colour

Array = npt.NDArray[Any]

PX_PER_MM = 5.0
_STYLES = ("flat", "flat", "outlined", "outlined", "silhouette", "line")
_ONE_INK = {False: (10.0, 80.0), True: (170.0, 245.0)}
"""How bright the one ink of a deck of outlines or shadows is, on light cards and on dark ones."""
_HUES = {"blue": (215, 14), "green": (132, 22), "gold": (42, 7), "leaf": (5, 9), "stag": (22, 8), "moth": (38, 10)}
"""The middle and the spread of the hue, in degrees, of the kinds that are named or known by their colour."""
_TONES = {
    "blue": (0.55, 0.35, 0.8), "green": (0.5, 0.3, 0.7), "gold": (0.75, 0.6, 0.95), "leaf": (0.7, 0.5, 0.85),
    "stag": (0.55, 0.2, 0.5), "moth": (0.3, 0.6, 0.9), "dung": (0.2, 0.05, 0.18), "spider": (0.2, 0.04, 0.16),
}  # fmt: skip
"""Middle saturation, least and greatest brightness, 0..1."""


@dataclass(frozen=True, slots=True)
class CaseLook:
    """How display cases look; ``frame_mm`` 0 has no frame but a printed outline."""

    frame: Colour = FRAME_COLOUR
    frame_mm: float = 6.0
    frame_high_mm: float = 6.0
    floor: Colour = FLOOR_COLOUR
    line: Colour = FLOOR_LINE_COLOUR
    line_mm: float = 0.3


@dataclass(frozen=True, slots=True, eq=False)
class Printing:
    """How a deck and its cases look.

    Attributes:
        pictures: for each kind, BGRA, `PX_PER_MM` fine, all the cells that it fills.
        face: the cards' ground.
        line: the lines between a card's cells.
        line_mm: their width, 0 for none.
        back: the backs' ground.
        case: the display cases.
    """

    pictures: dict[str, Array]
    face: Colour
    line: Colour
    line_mm: float
    back: Colour
    case: CaseLook


def reference() -> Printing:
    """The reference art."""
    pictures = {kind: _picture(kind, sketch) for kind, sketch in DRAWINGS.items()}
    return Printing(pictures, FACE_COLOUR, LINE_COLOUR, 0.3, BACK_COLOUR, CaseLook())


def varied(rng: np.random.Generator) -> Printing:
    """The same insects by another hand or from another press: as the cards are described, nothing more certain."""
    if rng.random() < 0.5:
        pictures = {kind: _picture(kind, _by_another_hand(sketch, rng)) for kind, sketch in DRAWINGS.items()}
    else:
        pictures = _described(rng)
    face = tinted(rng, 225, 252, 14)
    return Printing(
        {kind: _pressed(picture, rng) for kind, picture in pictures.items()},
        face,
        tinted(rng, 130, 220, 20),
        float(rng.choice([0.0, 0.3, 0.3, 0.6])),
        BACK_COLOUR if rng.random() < 0.5 else tinted(rng, 20, 200, 120),
        case_style(rng),
    )


def invented(rng: np.random.Generator, dark: float = 0.15) -> Printing:
    """Insects that look like nothing seen before; no two kinds that players would mix up.

    Args:
        rng: the only source of chance.
        dark: the share of decks whose cards are dark.
    """
    is_dark = rng.random() < dark
    face = tinted(rng, 15, 70, 25) if is_dark else tinted(rng, 195, 253, 30 if rng.random() < 0.3 else 10)
    style, is_photo = str(rng.choice(_STYLES)), rng.random() < 0.3
    chosen: dict[str, tuple[Inks, int]] = {}
    shape = int(rng.integers(1 << 30))
    share = rng.random() < 0.35 and style not in ("silhouette", "line")
    common = tinted(rng, *_ONE_INK[is_dark], 40) if style in ("silhouette", "line") and rng.random() < 0.6 else None
    for kind in DRAWN:
        shape = shape if share and kind in ("green", "gold") else int(rng.integers(1 << 30))
        ink = inks(rng, common or _seen_on(face, rng), style)
        while common is None and any(_apart(ink.body, other.body) < 80 for other, _ in chosen.values()):
            ink = inks(rng, _seen_on(face, rng), style)
        chosen[kind] = (ink, shape)
    pictures = {kind: _picture(kind, DRAWN[kind](np.random.default_rng(s), ink)) for kind, (ink, s) in chosen.items()}
    pictures = {kind: _lifelike(p, rng) if is_photo else _pressed(p, rng) for kind, p in pictures.items()}
    line = tinted(rng, 90, 220, 30)
    return Printing(
        pictures, face, line, float(rng.choice([0.0, 0.3, 0.7])), tinted(rng, 20, 230, 150), case_style(rng)
    )


def case_style(rng: np.random.Generator) -> CaseLook:
    """A case as in the reference, a little off, or any other that people may build or print."""
    if rng.random() < 0.45:
        frame, floor = _off(FRAME_COLOUR, rng, 14), _off(FLOOR_COLOUR, rng, 9)
        line = _off(FLOOR_LINE_COLOUR, rng, 12)
        return CaseLook(
            frame, float(rng.uniform(4, 8)), float(rng.uniform(2, 9)), floor, line, float(rng.uniform(0.2, 0.5))
        )
    is_light = rng.random() < 0.7
    floor = tinted(rng, 170, 252, 40) if is_light else tinted(rng, 20, 150, 120)
    frame = tinted(rng, 15, 240, 150)
    while _apart(frame, floor) < 60:
        frame = tinted(rng, 15, 240, 150)
    line = _off(floor, rng, 6) if rng.random() < 0.15 else _darker(floor, float(rng.uniform(0.5, 0.92)))
    has_frame = rng.random() < 0.8
    wide, high = (
        (float(rng.uniform(2.5, 12)), float(rng.uniform(0.5, 14))) if has_frame else (float(rng.uniform(0.6, 2)), 0.0)
    )
    return CaseLook(frame, wide, high, floor, line, float(rng.uniform(0.2, 1.2)))


def card_raster(cells: Sequence[Sequence[str]], printing: Printing, px_per_mm: float) -> Array:
    """One card's face seen from above: uint8 (S, S, 3) BGR, opaque."""
    side = round(SIDE_MM * PX_PER_MM)
    image = np.empty((side, side, 3), np.uint8)
    image[:] = hex_colour(printing.face)
    if printing.line_mm:
        half, width = side // 2, max(1, round(printing.line_mm * PX_PER_MM))
        cv2.line(image, (half, 0), (half, side), hex_colour(printing.line), width)
        cv2.line(image, (0, half), (side, half), hex_colour(printing.line), width)
    for kind, middle in insects(cells):
        picture = printing.pictures[kind]
        height, width = picture.shape[:2]
        x = round((middle[0] + SIDE_MM / 2) * PX_PER_MM - width / 2)
        y = round((middle[1] + SIDE_MM / 2) * PX_PER_MM - height / 2)
        part = image[y : y + height, x : x + width]
        opacity = picture[:, :, 3:].astype(np.float32) / 255
        part[:] = (part * (1 - opacity) + picture[:, :, :3] * opacity).astype(np.uint8)
    size = max(8, round(SIDE_MM * px_per_mm))
    return cv2.resize(image, (size, size), interpolation=cv2.INTER_AREA) if size < side else image


def tinted(rng: np.random.Generator, low: float, high: float, colourful: float) -> Colour:
    """A colour of any hue in a range of brightness, 0..255."""
    value, saturation = float(rng.uniform(low, high)), float(rng.uniform(0, colourful))
    return _hsv(float(rng.uniform(0, 360)), saturation / 255, value / 255)


def _described(rng: np.random.Generator) -> dict[str, Array]:
    """Insects drawn anew by the words for them: a blue, a green and a gold beetle of one build, and so on."""
    style = str(rng.choice(["flat", "outlined"]))
    seeds = {kind: int(rng.integers(1 << 30)) for kind in DRAWN}
    if rng.random() < 0.8:
        seeds |= {"green": seeds["blue"], "gold": seeds["blue"]}
    return {
        kind: _picture(kind, DRAWN[kind](np.random.default_rng(seed), inks(rng, _named(kind, rng), style)))
        for kind, seed in seeds.items()
    }


def _named(kind: str, rng: np.random.Generator) -> Colour:
    """A colour that people would call by the kind's own."""
    hue, spread = _HUES.get(kind, (float(rng.uniform(0, 360)), 0))
    saturation, low, high = _TONES[kind]
    return _hsv(
        hue + float(rng.normal(0, spread / 2)), saturation * float(rng.uniform(0.7, 1.3)), float(rng.uniform(low, high))
    )


def _by_another_hand(sketch: Sketch, rng: np.random.Generator) -> Sketch:
    """The same drawing with its colours, lines and proportions a little off."""
    wide, high, lean = (float(rng.normal(m, s)) for m, s in ((0.95, 0.06), (0.95, 0.05), (0, 0.03)))
    bend, phase = rng.normal(0, 0.5, 2), rng.uniform(0, 6.3, 2)

    def move(point: Point) -> Point:
        x, y = point
        return (
            x * wide + lean * y + float(bend[0]) * math.sin(y / 6 + float(phase[0])),
            y * high + float(bend[1]) * math.sin(x / 6 + float(phase[1])),
        )

    return reshaped(sketch, move, float(rng.uniform(0.6, 1.5)))


def _picture(kind: str, sketch: tuple[Shape, ...]) -> Array:
    """A sketch drawn over all the cells of its kind."""
    rows, cols = SPAN.get(kind, (1, 1))
    x, y = cols * CELL_MM / 2, rows * CELL_MM / 2
    return raster(tuple(sketch), PX_PER_MM, Box(-x, -y, x, y))


def _pressed(picture: Array, rng: np.random.Generator) -> Array:
    """The inks a little off."""
    out = picture.copy()
    shift = rng.normal(0, 9, 3) + rng.normal(0, 7)
    out[:, :, :3] = np.clip(picture[:, :, :3].astype(np.float32) + shift, 4, 250).astype(np.uint8)
    return out


def _lifelike(picture: Array, rng: np.random.Generator) -> Array:
    """Rounded by light from one side and grained, as on a photograph of an insect."""
    opacity = picture[:, :, 3].astype(np.float32) / 255
    height = cv2.GaussianBlur(opacity, (0, 0), float(rng.uniform(4, 9)))
    away = float(rng.uniform(0, 2 * np.pi))
    slope = np.cos(away) * cv2.Sobel(height, cv2.CV_32F, 1, 0) + np.sin(away) * cv2.Sobel(height, cv2.CV_32F, 0, 1)
    grain = cv2.GaussianBlur(rng.normal(0, 1, opacity.shape).astype(np.float32), (0, 0), float(rng.uniform(0.8, 2.5)))
    grain = grain * (float(rng.uniform(0.05, 0.2)) / max(float(grain.std()), 1e-6))
    light = np.clip(1 + slope * float(rng.uniform(1, 4)) + grain, 0.3, 1.9)
    out = picture.copy()
    out[:, :, :3] = np.clip(picture[:, :, :3] * light[:, :, None], 0, 255).astype(np.uint8)
    return out


def _seen_on(face: Colour, rng: np.random.Generator) -> Colour:
    """An ink that can be seen on a ground."""
    while True:
        colour = tinted(rng, 10, 245, 255)
        if _apart(colour, face) > 110:
            return colour


def _off(colour: Colour, rng: np.random.Generator, spread: float) -> Colour:
    b, g, r = np.clip(np.array(hex_colour(colour), float) + rng.normal(0, spread, 3) + rng.normal(0, spread), 5, 252)
    return _web(float(b), float(g), float(r))


def _darker(colour: Colour, factor: float) -> Colour:
    b, g, r = hex_colour(colour)
    return _web(b * factor, g * factor, r * factor)


def _apart(a: Colour, b: Colour) -> float:
    return float(np.linalg.norm(np.subtract(hex_colour(a), hex_colour(b))))


def _hsv(hue_deg: float, saturation: float, value: float) -> Colour:
    pixel = np.array([[[hue_deg % 360, min(1.0, max(0.0, saturation)), min(1.0, max(0.0, value))]]], np.float32)
    b, g, r = (255 * cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0]).tolist()
    return _web(b, g, r)


def _web(b: float, g: float, r: float) -> Colour:
    return "#" + "".join(f"{round(v):02X}" for v in (r, g, b))
