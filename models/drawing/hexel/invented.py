"""Printings of a Hex'el deck that nobody has printed yet: other faces, hues, shapes, sizes and places.

Only such as players could tell apart: two symbols of nearly one tint and nearly one shape are on no publisher's cards.
"""

import cv2
import numpy as np

from models.drawing.hexel.printings import (
    Array,
    Colour,
    Mark,
    Printing,
    fill_shape,
    hex_colour,
    unit_shape,
    whole_colour,
)

_TINTS, _SHAPES = 30.0, 0.25
"""Two symbols of a deck differ so much in tint or so much in shape at least; see `_is_distinguishable`."""


def invented(symbols: tuple[str, ...], rng: np.random.Generator) -> Printing:
    """A printing nobody has seen: dark, gradient or bordered faces, other hues, shapes, sizes and places."""
    dark = bool(rng.random() < 0.35)
    if dark:
        face = whole_colour(np.clip(rng.uniform(10, 75) + rng.normal(0, 14, 3), 0, 110))
    else:
        face = whole_colour(np.clip(rng.uniform(185, 252) + rng.normal(0, 10, 3), 150, 255))
    hue = rng.uniform(0, 180)
    shapes = list(
        rng.permutation(["disc", "disc", "diamond", "square", "triangle", "star", "hexagon", "cross", "drop"])
    )
    marks: dict[str, Mark] = {}
    for i, name in enumerate(symbols):
        mark = _invented_mark(shapes[i], hue + i * 60, dark, rng)
        while not all(_is_distinguishable(mark, other) for other in marks.values()):
            mark = _invented_mark(shapes[i], rng.uniform(0, 180), dark, rng)
        marks[name] = mark
    border = None
    if rng.random() < 0.4:
        border = hex_colour("#B8912E") if rng.random() < 0.5 else _hue(rng, rng.uniform(0, 180), dark)
    edge = None
    if rng.random() < 0.3:
        edge = whole_colour(np.clip(np.array(face, float) * rng.uniform(0.75, 1.15), 0, 255))
    return Printing(
        marks,
        face=face,
        face_edge=edge,
        hairline=(58, 58, 58) if rng.random() < 0.7 else whole_colour(rng.uniform(0, 255, 3)),
        hairline_mm=float(rng.uniform(0.1, 0.9)),
        border=border,
        border_mm=float(rng.uniform(0.8, 2.2)) if border else 0.0,
        symbol_mm=float(rng.uniform(8.5, 15.0)),
        radius_share=float(rng.uniform(0.66, 0.79)),
        middle=_hue(rng, rng.uniform(0, 180), dark) if rng.random() < 0.2 else None,
    )


def _invented_mark(shape: str, hue: float, dark: bool, rng: np.random.Generator) -> Mark:
    grey = rng.random() < 0.2
    level = int(rng.uniform(170, 245)) if dark else int(rng.uniform(15, 90))
    colour = (level, level, level) if grey else _hue(rng, hue + rng.normal(0, 8), dark)
    hollow = float(rng.uniform(0.14, 0.28)) if rng.random() < 0.25 or (grey and rng.random() < 0.6) else 0.0
    outline = (20, 20, 20) if not hollow and rng.random() < 0.25 else None
    if outline and dark:
        outline = (235, 235, 235)
    letter = str(rng.choice(list("RBVYXOKSM"))) if not hollow and rng.random() < 0.15 else ""
    return Mark(shape if rng.random() < 0.6 else "disc", colour, hollow, outline, letter)


def _is_distinguishable(mark: Mark, other: Mark) -> bool:
    """No deck is printed with two symbols that players would mix up."""
    apart = float(np.linalg.norm(np.subtract(mark.colour, other.colour)))
    if bool(mark.hollow) == bool(other.hollow) and apart <= (90 if mark.shape == other.shape else 30):
        return False
    return _tints_apart(mark.colour, other.colour) >= _TINTS or _shapes_apart(mark, other) >= _SHAPES


def _tints_apart(one: Colour, other: Colour) -> float:
    """How far apart two colours lie in CIELAB (1976)."""
    lab = cv2.cvtColor(np.array([[one, other]], np.float32) / 255.0, cv2.COLOR_BGR2LAB)[0]
    return float(np.linalg.norm(lab[0] - lab[1]))


def _shapes_apart(mark: Mark, other: Mark) -> float:
    """How much of two marks laid over each other only one of them covers, 0..1."""
    one, two = _stamp(mark), _stamp(other)
    return 1.0 - float(np.minimum(one, two).sum() / np.maximum(one, two).sum())


def _stamp(mark: Mark) -> Array:
    """What a mark covers, 64 by 64, 0..1."""
    stamp = np.zeros((64, 64), np.uint8)
    unit = unit_shape(mark.shape) * 50.0
    fill_shape(stamp, unit + 32.0, 255)
    if mark.hollow:
        fill_shape(stamp, unit * (1 - 2 * mark.hollow) + 32.0, 0)
    return stamp.astype(np.float32) / 255.0


def _hue(rng: np.random.Generator, hue: float, dark: bool) -> Colour:
    s = int(rng.uniform(120, 255))
    v = int(rng.uniform(90, 200)) if not dark else int(rng.uniform(150, 255))
    pixel = cv2.cvtColor(np.array([[[int(hue) % 180, s, v]]], np.uint8), cv2.COLOR_HSV2BGR)[0, 0]
    return whole_colour(pixel)
