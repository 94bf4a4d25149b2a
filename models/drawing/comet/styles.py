"""Printings with their numbers anywhere on the card: in a row, in a column, in discs, in corners, light on dark.

They measure `companion learn --game comet`, and train what must find a card whatever is printed on it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from models.drawing.comet.layouts import LaidComet
from models.drawing.comet.printings import CometPrinting, Figure, Holder, Ink, Place, Typeface, invented

_LUMA = np.array([0.114, 0.587, 0.299])
_LEAST_CONTRAST = 70.0
"""Of 255, between a numeral and its ground: no deck is sold that players cannot read."""
_HOLDERS = ("disc", "hexagon", "box", "lozenge")
_HOLDER_SIZE = 1.75
"""In numerals' heights: two digits fit."""


def styled(typefaces: Sequence[Typeface], rng: np.random.Generator, style: str | None = None) -> CometPrinting:
    """A printing nobody has seen, in one of `STYLES`."""
    kind = str(rng.choice(sorted(STYLES))) if style is None else style
    is_turned = bool(rng.random() < (0.2 if kind in ("row", "corners") else 0.06))
    printing = replace(invented(typefaces, rng), is_turned=is_turned, margin_mm=0.0, has_columns=kind == "row")
    places = STYLES[kind](printing.extent, rng)
    high = min(place.numeral_mm for place in places)
    printing = _legible(replace(printing, own_places=places))
    if printing.line is not None:
        printing = replace(
            printing, line=(high * float(rng.uniform(0.06, 0.1)), high * float(rng.uniform(0.06, 0.12)), 0.0)
        )
    if kind != "row" or rng.random() < 0.3:
        printing = replace(printing, divider_mm=0.0)
    if kind != "row" or rng.random() < 0.6:
        printing = replace(printing, grounds=(printing.grounds[0],) * len(printing.grounds))
    if kind != "row" or rng.random() < 0.3:
        printing = replace(printing, comet=0.0)
    if rng.random() < (0.6 if kind == "column" else 0.25):
        printing = _held(printing, rng)
    art = _art(printing, rng) if rng.random() < 0.5 else ()
    return replace(printing, figures=(*art, *(_frame(printing, rng) if rng.random() < 0.5 else ())))


def teaching_cards(printing: CometPrinting, rng: np.random.Generator) -> list[LaidComet]:
    """Five upright cards side by side that show every number, and perhaps one face down at their end."""
    numbers = [int(v) for v in rng.permutation([*range(2, 15), *rng.choice(range(2, 15), 2, replace=False)])]
    faces = [(numbers[k], numbers[k + 1], numbers[k + 2]) for k in range(0, 15, 3)]
    wide = printing.extent[0]
    laid = []
    for k, values in enumerate([*faces, *([None] if rng.random() < 0.5 else [])]):
        at = np.array([(k - 2) * (wide + float(rng.uniform(6, 12))), float(rng.normal(0, 5))])
        turn = float(rng.normal(0, 2.5)) + (-90.0 if printing.is_turned else 0.0)
        laid.append(LaidComet(values, at, turn, printing.size))
    return laid


def _row(extent: tuple[float, float], rng: np.random.Generator) -> tuple[Place, ...]:
    width, height = extent
    step = width * float(rng.uniform(0.26, 0.33))
    y = float(rng.choice([0.0, rng.uniform(-0.36, 0.36)])) * height
    room = step * 0.86
    return tuple(Place(k, ((k - 1) * step, y), room * float(rng.uniform(0.62, 0.8)), room) for k in range(3))


def _column(extent: tuple[float, float], rng: np.random.Generator) -> tuple[Place, ...]:
    width, height = extent
    step = height * float(rng.uniform(0.19, 0.3))
    x = float(rng.choice([-1.0, 1.0])) * width * float(rng.uniform(0.2, 0.34))
    y = float(rng.choice([0.0, rng.uniform(-1, 1)])) * (height * 0.45 - 1.5 * step)
    high = min(step / 1.85, width * 0.26)
    room = 2.0 * (width / 2 - abs(x)) * 0.88
    return tuple(Place(k, (x, y + (k - 1) * step), high * float(rng.uniform(0.8, 1.0)), room) for k in range(3))


def _corners(extent: tuple[float, float], rng: np.random.Generator) -> tuple[Place, ...]:
    """Each number twice: in one corner below each other, and upside down in the opposite one."""
    width, height = extent
    high = float(rng.uniform(7.5, 10.5))
    step, room = high * float(rng.uniform(1.25, 1.5)), high * 1.5
    x, y = width / 2 - high * float(rng.uniform(0.95, 1.2)), height / 2 - high * float(rng.uniform(0.85, 1.1))
    upright = [Place(k, (-x, -y + k * step), high, room) for k in range(3)]
    return (*upright, *(Place(p.slot, (-p.at_mm[0], -p.at_mm[1]), high, room, 180) for p in upright))


def _opposite(extent: tuple[float, float], rng: np.random.Generator) -> tuple[Place, ...]:
    """A number in one corner, one in the middle, one in the opposite corner."""
    width, height = extent
    high = float(rng.uniform(10, 15))
    way = float(rng.choice([-1.0, 1.0]))
    x, y = width / 2 - high * 0.85, height / 2 - high * 0.85
    sizes = (high, high * float(rng.choice([1.0, 1.5])), high)
    return tuple(
        Place(k, (way * (k - 1) * x, (k - 1) * y), size, min(1.6 * size, 1.9 * (width / 2 - abs(k - 1) * x)))
        for k, size in enumerate(sizes)
    )


def _middle(extent: tuple[float, float], rng: np.random.Generator) -> tuple[Place, ...]:
    """One above the other in the middle, nearer to each other than thirds of the card."""
    step = extent[1] * float(rng.uniform(0.18, 0.3))
    y = float(rng.choice([0.0, rng.uniform(-1, 1)])) * (extent[1] * 0.45 - 1.5 * step)
    high = step * float(rng.uniform(0.6, 0.75))
    return tuple(Place(k, (0.0, y + (k - 1) * step), high, extent[0] * 0.8) for k in range(3))


STYLES: dict[str, Callable[[tuple[float, float], np.random.Generator], tuple[Place, ...]]] = {
    "column": _column,
    "corners": _corners,
    "middle": _middle,
    "opposite": _opposite,
    "row": _row,
}
"""Where the numbers are printed, by name: from width and height of the card as it is read."""


def _legible(printing: CometPrinting) -> CometPrinting:
    """The printing, its numerals in black or white where they hardly differ from some ground."""
    levels = np.array(printing.grounds) @ _LUMA
    if np.abs(levels - np.array(printing.ink) @ _LUMA).min() > _LEAST_CONTRAST:
        return printing
    return replace(printing, ink=(20.0, 20.0, 20.0) if levels.min() > 255 - levels.max() else (244.0, 244.0, 244.0))


def _held(printing: CometPrinting, rng: np.random.Generator) -> CometPrinting:
    """The printing with each number on a form of its own, all of one colour or a colour for each number."""
    ground, ink = np.array(printing.grounds[0]), np.array(printing.ink)
    dark_holder = bool(ground.mean() > 128)
    level = rng.uniform(20, 75) if dark_holder else rng.uniform(180, 250)
    keyed = bool(rng.random() < 0.4)
    tints = rng.normal(0, 28, (13, 3)) if keyed else np.repeat(rng.normal(0, 18, (1, 3)), 13, axis=0)
    inks: tuple[Ink, ...] = tuple(_colour(level + tint) for tint in tints)
    ink = np.full(3, rng.uniform(215, 250) if dark_holder else rng.uniform(5, 45))
    high = min(place.numeral_mm for place in printing.own_places)
    middles = np.array([place.at_mm for place in printing.own_places])
    nearest = min(float(np.linalg.norm(a - b)) for k, a in enumerate(middles) for b in middles[:k])
    share = min(1.0, nearest / (_HOLDER_SIZE * high))
    places = tuple(
        replace(p, numeral_mm=p.numeral_mm * share, room_mm=p.numeral_mm * share * _HOLDER_SIZE * 0.72)
        for p in printing.own_places
    )
    holder = Holder(str(rng.choice(_HOLDERS)), _HOLDER_SIZE, inks)
    return replace(printing, own_places=places, holder=holder, ink=_colour(ink), line=None)


def _art(printing: CometPrinting, rng: np.random.Generator) -> tuple[Figure, ...]:
    """A few forms over the card that leave its numbers' ground alone."""
    width, height = printing.extent
    ground = np.array(printing.grounds[0])
    free = [np.array(p.at_mm) for p in printing.places]
    reach = [max(p.numeral_mm, p.room_mm * 0.6) for p in printing.places]
    figures: list[Figure] = []
    for _ in range(int(rng.integers(1, 6))):
        at = rng.uniform(-0.42, 0.42, 2) * [width, height]
        size = float(rng.uniform(0.08, 0.3)) * width
        if any(np.linalg.norm(at - p) < size + r for p, r in zip(free, reach, strict=True)):
            continue
        angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 9))))
        points = at + size * np.stack([np.cos(angles), np.sin(angles)], 1)
        ink = _colour(ground + rng.choice([-1, 1]) * rng.uniform(25, 120) + rng.normal(0, 30, 3))
        figures.append(Figure(tuple((float(x), float(y)) for x, y in points), ink))
    return tuple(figures)


def _frame(printing: CometPrinting, rng: np.random.Generator) -> tuple[Figure, ...]:
    """A line along the rim."""
    inset, wide = float(rng.uniform(1.2, 3.5)), float(rng.uniform(0.4, 1.6))
    x, y = printing.extent[0] / 2 - inset, printing.extent[1] / 2 - inset
    room = [(x - abs(p.at_mm[0]) - p.room_mm / 2, y - abs(p.at_mm[1]) - p.numeral_mm / 2) for p in printing.places]
    if min(min(both) for both in room) < wide:
        return ()  # no deck is printed with numbers on its frame
    ground = np.array(printing.grounds[0])
    tone = _colour(ground + rng.choice([-1, 1]) * rng.uniform(40, 150) + rng.normal(0, 25, 3))
    return (Figure(((-x, -y), (x, -y), (x, y), (-x, y), (-x, -y)), tone, wide),)


def _colour(values: np.ndarray) -> Ink:
    b, g, r = (float(v) for v in np.clip(values, 4, 252))
    return b, g, r
