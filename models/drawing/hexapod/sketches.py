"""Insects that nobody has drawn yet: bodies, legs, wings, horns and patterns put together by chance, head up.

A sketch is made of shapes in mm around the middle of the cells that the insect fills (`companion.printing.shapes`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from companion.printing.shapes import Band, Colour, Disc, Point, Polygon, Shape

Sketch = tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Inks:
    """What a sketch is drawn with; ``line`` None draws no outlines, ``fill`` None nothing but outlines."""

    body: Colour
    limbs: Colour
    mark: Colour
    fill: Colour | None
    line: Colour | None
    line_mm: float


@dataclass(frozen=True, slots=True)
class Build:
    """How an insect is built, lengths in mm: tail to head along y, the head at ``-length / 2``."""

    length: float
    width: float
    limb_mm: float
    reach: float


def inks(rng: np.random.Generator, body: Colour, style: str) -> Inks:
    """Inks for a body's colour: ``flat``, ``outlined``, ``silhouette`` or ``line``."""
    dark, mark = shaded(body, float(rng.uniform(0.25, 0.7))), shaded(body, float(rng.choice([0.3, 1.6, 2.4])))
    width = float(rng.uniform(0.3, 0.9))
    if style == "silhouette":
        return Inks(body, body, body, body, None, 0.0)
    if style == "line":
        return Inks(body, body, body, None, body, width)
    limbs = body if rng.random() < 0.3 else dark
    return Inks(body, limbs, mark, body, dark if style == "outlined" else None, width)


def single(rng: np.random.Generator, ink: Inks) -> Sketch:
    """An insect for one cell."""
    build = Build(float(rng.uniform(13, 20)), float(rng.uniform(6, 14)), float(rng.uniform(0.5, 1.5)), 11.2)
    has_wings = rng.random() < 0.2
    return _insect(rng, ink, build, wings=has_wings)


def couple(rng: np.random.Generator, ink: Inks) -> Sketch:
    """Two small insects that touch, in one cell."""
    build = Build(float(rng.uniform(7.5, 12)), float(rng.uniform(4.2, 6.5)), float(rng.uniform(0.4, 0.9)), 5.5)
    apart, lift = build.width * float(rng.uniform(0.5, 0.62)), float(rng.uniform(-2, 2))
    one = _insect(rng, ink, build, wings=False)
    turns = rng.uniform(-30, 30, 2)
    left = turned(one, float(turns[0]), (-apart, lift))
    return *left, *turned(one, float(turns[1]), (apart, -lift))


def tall(rng: np.random.Generator, ink: Inks) -> Sketch:
    """An insect over two cells one above the other."""
    build = Build(float(rng.uniform(33, 44)), float(rng.uniform(8, 15)), float(rng.uniform(0.9, 2.0)), 11.5)
    return _insect(rng, ink, build, wings=False, jaws=rng.random() < 0.7)


def wide(rng: np.random.Generator, ink: Inks) -> Sketch:
    """An insect over two cells side by side, its wings spread."""
    build = Build(float(rng.uniform(13, 20)), float(rng.uniform(2.5, 5.5)), float(rng.uniform(0.4, 1.0)), 21.5)
    return _insect(rng, ink, build, wings=True)


def spider(rng: np.random.Generator, ink: Inks) -> Sketch:
    """Eight legs across four cells."""
    half, abdomen = float(rng.uniform(17, 23)), float(rng.uniform(5, 10))
    lift, limb = float(rng.uniform(-3, 5)), float(rng.uniform(0.8, 2.2))
    angles = np.sort(rng.uniform(12, 30) + np.linspace(0, 130, 4) + rng.normal(0, 5, 4))
    legs = [leg for angle in angles for leg in _spider_leg(float(angle), half, limb, ink, rng)]
    head = Disc((0.0, lift - abdomen * 0.9), abdomen * float(rng.uniform(0.4, 0.7)), ink.body)
    body = _filled(oval((0.0, lift + abdomen * 0.5), abdomen * float(rng.uniform(0.7, 1.0)), abdomen), ink)
    return *legs, head, body, *_pattern(rng, ink, (0.0, lift + abdomen * 0.5), abdomen * 0.6, abdomen * 0.8)


DRAWN: dict[str, Callable[[np.random.Generator, Inks], Sketch]] = {
    "blue": single, "green": single, "gold": single, "dung": single, "leaf": couple,
    "stag": tall, "moth": wide, "spider": spider,
}  # fmt: skip
"""What fills the cells of each kind."""


def turned(sketch: Sketch, turn_deg: float, by: Point = (0.0, 0.0)) -> Sketch:
    """A sketch turned clockwise as seen, then moved."""
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    return reshaped(sketch, lambda p: (by[0] + c * p[0] - s * p[1], by[1] + s * p[0] + c * p[1]))


def reshaped(sketch: Sketch, move: Callable[[Point], Point], width: float = 1.0) -> Sketch:
    """A sketch with every point moved and every line that much wider."""
    return tuple(_reshaped(shape, move, width) for shape in sketch)


def shaded(colour: Colour, factor: float) -> Colour:
    """A colour darker (below 1) or lighter.

    >>> shaded("#804020", 0.5)
    '#402010'
    """
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    lifted = [p * factor if factor <= 1 else 255 - (255 - p) / factor for p in parts]
    return "#" + "".join(f"{round(min(255.0, max(0.0, p))):02X}" for p in lifted)


def oval(middle: Point, half_width: float, half_height: float, power: float = 1.0, taper: float = 0.0) -> list[Point]:
    """A closed outline: rounder or boxier by ``power``, narrower towards the tail by ``taper``."""
    points = []
    for k in range(28):
        c, s = math.cos(2 * math.pi * k / 28), math.sin(2 * math.pi * k / 28)
        x, y = math.copysign(abs(c) ** power, c), math.copysign(abs(s) ** power, s)
        points.append((middle[0] + half_width * x * (1 - taper * max(0.0, y)), middle[1] + half_height * y))
    return points


def _insect(rng: np.random.Generator, ink: Inks, build: Build, *, wings: bool, jaws: bool = False) -> Sketch:
    """Abdomen, thorax and head from the tail up, what grows on them, and a pattern."""
    top = build.length / 2 * float(rng.uniform(0.55, 0.85) if jaws else rng.uniform(0.75, 0.95))
    bottom, half = build.length / 2, build.width / 2
    head, thorax = (build.length * float(v) for v in (rng.uniform(0.1, 0.2), rng.uniform(0.1, 0.3)))
    head_y, thorax_y = -top + head / 2, -top + head * 0.9 + thorax / 2
    abdomen_top = thorax_y + thorax * 0.3
    middle, tall_half = (0.0, (abdomen_top + bottom) / 2), (bottom - abdomen_top) / 2
    abdomen = oval(middle, half, tall_half, float(rng.uniform(0.75, 1.1)), float(rng.choice([0.0, 0.0, 0.3, 0.6])))
    chest = oval((0.0, thorax_y), half * float(rng.uniform(0.5, 1.0)), thorax / 2)
    face = oval((0.0, head_y), half * float(rng.uniform(0.25, 0.75)), head / 2)
    parts: list[Shape] = []
    parts += _legs(rng, ink, build, thorax_y, middle[1] + 0.4 * tall_half)
    parts += _horns(rng, ink, build, -top, jaws)
    parts += _wings(rng, ink, build, thorax_y) if wings else []
    bodies = [_filled(outline, ink) for outline in (face, chest, abdomen)]
    parts += [Polygon(tuple(face), ink.limbs), *bodies[1:]] if rng.random() < 0.5 and ink.fill else bodies
    return *parts, *_pattern(rng, ink, middle, half, tall_half)


def _filled(outline: list[Point], ink: Inks) -> Polygon:
    return Polygon(tuple(outline), ink.fill, ink.line, ink.line_mm if ink.line else 0.0)


def _legs(rng: np.random.Generator, ink: Inks, build: Build, first_y: float, last_y: float) -> list[Shape]:
    legs: list[Shape] = []
    reach = min(build.reach, build.width / 2 + float(rng.uniform(2.0, 5.5)) * (build.length / 18) ** 0.5)
    knee, spread = float(rng.uniform(0.4, 0.8)), float(rng.uniform(0.1, 0.35)) * build.length
    for k, y in enumerate(np.linspace(first_y, last_y, 3)):
        foot = y + (k - 1) * spread + rng.normal(0, 0.4)
        bend = y + (foot - y) * float(rng.uniform(0.0, 0.6)) - float(rng.uniform(0, 1.2))
        for side in (-1, 1):
            points = ((0.0, float(y)), (side * reach * knee, float(bend)), (side * reach, float(foot)))
            legs.append(Band(points, build.limb_mm, ink.limbs))
    return legs


def _horns(rng: np.random.Generator, ink: Inks, build: Build, top: float, jaws: bool) -> list[Shape]:
    """Feelers, horns or forked jaws above the head; at times none."""
    room = build.length / 2 + top + (0.5 if jaws else 1.5)
    if room < 0.8 or (not jaws and rng.random() < 0.12):
        return []
    out = float(rng.uniform(0.1, 0.5)) * min(build.reach, build.length / 2)
    middle, tip = (out, top - room * 0.5), (out * float(rng.uniform(0.1, 1.6)), top - room)
    width = build.limb_mm * float(rng.uniform(0.6, 1.3)) * (1.2 if jaws else 1.0)
    ways = [[(0.4, top + 1.0), middle, tip]]
    if jaws:
        ways.append([middle, (middle[0] * 0.3, middle[1] - room * 0.15)])
    horns: list[Shape] = [Band(tuple((s * x, y) for x, y in way), width, ink.limbs) for way in ways for s in (-1, 1)]
    if not jaws and rng.random() < 0.25:
        horns += [Disc((s * tip[0], tip[1]), width * 1.1, ink.limbs) for s in (-1, 1)]
    return horns


def _wings(rng: np.random.Generator, ink: Inks, build: Build, y: float) -> list[Shape]:
    """Two pairs of wings, angular or round, at times with a spot on each."""
    reach, high = build.reach * float(rng.uniform(0.8, 1.0)), float(rng.uniform(0.3, 0.55)) * build.length
    upper = [
        (0.6, y),
        (reach * 0.6, y - high),
        (reach, y - high * float(rng.uniform(0.3, 1.1))),
        (reach * 0.85, y + high * 0.3),
        (0.6, y + 1.5),
    ]
    low = float(rng.uniform(0.5, 0.85)) * reach
    lower = [
        (0.6, y + 1.0),
        (low, y + high * 0.2),
        (low * 0.9, y + high * float(rng.uniform(0.9, 1.4))),
        (0.6, y + high),
    ]
    if rng.random() < 0.5:
        upper, lower = _rounded(upper), _rounded(lower)
    spot = float(rng.uniform(0.08, 0.16)) * reach if rng.random() < 0.7 else 0.0
    wings: list[Shape] = []
    for outline in (lower, upper):
        x, mid = (float(np.mean([p[axis] for p in outline])) for axis in (0, 1))
        for side in (-1, 1):
            wings.append(_filled([(side * px, py) for px, py in outline], ink))
            wings += (
                [Disc((side * x, mid), spot, ink.limbs), Disc((side * x, mid), spot * 0.4, ink.mark)] if spot else []
            )
    return wings


def _rounded(outline: list[Point]) -> list[Point]:
    """The outline with its corners cut twice."""
    for _ in range(2):
        pairs = list(zip(outline, outline[1:] + outline[:1], strict=True))
        outline = [(a[0] * u + b[0] * (1 - u), a[1] * u + b[1] * (1 - u)) for a, b in pairs for u in (0.75, 0.25)]
    return outline


def _pattern(rng: np.random.Generator, ink: Inks, middle: Point, half: float, tall_half: float) -> list[Shape]:
    """A line between the wing cases, spots, stripes, or nothing."""
    x, y = middle
    kind = str(rng.choice(["line", "line", "spots", "stripes", "none"]))
    colour = ink.mark if ink.fill else ink.body
    width = float(rng.uniform(0.3, 0.8))
    marks: list[Shape] = []
    if kind == "line":
        marks.append(Band(((x, y - tall_half), (x, y + tall_half * 0.95)), width, colour))
    if kind == "spots":
        radius = float(rng.uniform(0.1, 0.2)) * half
        for _ in range(int(rng.integers(1, 5))):
            dx, dy = float(rng.uniform(0.2, 0.65)) * half, float(rng.uniform(-0.7, 0.7)) * tall_half
            marks += [Disc((x + side * dx, y + dy), max(radius, 0.5), colour) for side in (-1, 1)]
    if kind == "stripes":
        for dy in np.linspace(-0.6, 0.6, int(rng.integers(2, 5))) * tall_half:
            reach = half * 0.8 * math.sqrt(max(0.05, 1 - (dy / tall_half) ** 2))
            marks.append(
                Band(((x - reach, y + float(dy)), (x + reach, y + float(dy))), max(0.5, tall_half * 0.12), colour)
            )
    return marks


def _spider_leg(angle_deg: float, half: float, limb: float, ink: Inks, rng: np.random.Generator) -> list[Shape]:
    """A kneed leg on both sides; 0 degrees is up, 180 down."""
    a, b = math.radians(angle_deg), math.radians(angle_deg + float(rng.normal(0, 12)))
    knee = (half * 0.5 * math.sin(a), -half * 0.5 * math.cos(a) - half * float(rng.uniform(0.0, 0.12)))
    foot = (min(half, 23.5) * math.sin(b), -min(half, 23.5) * math.cos(b))
    return [Band(tuple((s * x, y) for x, y in ((0.0, 0.0), knee, foot)), limb, ink.limbs) for s in (-1, 1)]


def _reshaped(shape: Shape, move: Callable[[Point], Point], width: float) -> Shape:
    match shape:
        case Disc(centre, radius, fill):
            return Disc(move(centre), radius, fill)
        case Polygon(points, fill, line, line_mm):
            return Polygon(tuple(map(move, points)), fill, line, line_mm * width)
        case Band(points, width_mm, colour):
            return Band(tuple(map(move, points)), width_mm * width, colour)
    return shape
