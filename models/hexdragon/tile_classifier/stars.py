"""Views of star tokens and of round things that are none, drawn straight into the tile reader's view.

Discs of the same size, paper and inks, on what lies on free cells; only what is printed in their middle differs. Stars
have few arms or many, plump ones or thin, are filled, hollow or outlined, and may be pale on a disc of ink.
"""

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexdragon.deck import COLOURS, SIDE_MM, STAR_DISC_MM
from companion.games.hexdragon.vision.classifier import BRIGHT, OWNERS, REACH, VIEW
from companion.printing.shapes import polar, regular_polygon
from models.drawing.hexdragon.printings import drawing_of

_FINE = 4
"""Drawn so many times finer than a view."""
_PER_MM = VIEW * _FINE / 2 / REACH / SIDE_MM
_MARKS = (
    "ring", "rings", "dot", "square", "many-sided", "flower", "blank", "triangle", "bar", "letter", "cross", "moon",
    "sign", "chip",
)  # fmt: skip
_SIGNS = "0123456789ABCDEGKRS$?&"
Part = tuple[Any, NDArray[np.float64]]
"""An outline in mm and its colour."""


def star_views(
    backgrounds: NDArray[np.uint8], count: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Half star tokens, half others: views (count, VIEW, VIEW, 3) uint8 and labels (count, 8) as `views` has them.

    Args:
        backgrounds: (M, VIEW, VIEW, 3) uint8 views of places where no piece lies.
        count: how many to draw.
        rng: the only source of chance.
    """
    views, labels = [], []
    for k in range(count):
        kind = str(rng.choice(["reference", "varied", "varied", "invented"]))
        style, owner = drawing_of(kind, rng), str(rng.choice(COLOURS))
        ground = backgrounds[int(rng.integers(len(backgrounds)))]
        at = rng.uniform(-6.5, 6.5, 2)
        mark = "star" if k % 2 == 0 else str(rng.choice(_MARKS))
        views.append(_token(ground, style, owner, at, mark, rng))
        named = kind != "invented" and mark == "star"
        labels.append([-1] * 6 + [OWNERS.index(owner) if named else -1, 1 if mark == "star" else 2])
    return np.array(views), np.array(labels, np.int64)


def _token(
    ground: NDArray[np.uint8], style: Any, owner: str, at: NDArray[np.float64], mark: str, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """One view: a disc with a mark on a place, as sharp or blurred as pictures are."""
    shown = ground.max(-1, keepdims=True) > 0
    size = (VIEW * _FINE, VIEW * _FINE)
    image = np.asarray(cv2.resize(ground.astype(np.float32) * 1.2, size, interpolation=cv2.INTER_LINEAR), np.float32)
    ink, paper = _bgr(style.inks[owner]), _bgr(style.star_paper)
    if rng.random() < 0.12:
        ink, paper = np.full(3, float(rng.uniform(200, 250))), ink
    radius = STAR_DISC_MM / 2 * float(rng.uniform(0.92, 1.06) if mark == "star" else rng.uniform(0.6, 1.15))
    _disc(image, radius, at, ink, paper, rng)
    half = style.star_mm / 2 * float(rng.uniform(0.85, 1.1)) * radius / (STAR_DISC_MM / 2)
    parts = _star(half, style.star_points, ink, paper, rng) if mark == "star" else _mark(mark, half, ink, paper, rng)
    for points, colour in parts:
        _fill(image, points, at, colour)
    if mark == "sign":
        _write(image, at, half, ink, rng)
    blurred = cv2.GaussianBlur(image, (0, 0), _FINE * float(rng.uniform(0.3, 1.5)))
    view = cv2.resize(blurred, (VIEW, VIEW), interpolation=cv2.INTER_AREA)
    bright = max(float(np.percentile(view[shown[..., 0]].mean(-1), 80)), 6.0)
    return np.asarray(np.clip(np.round(view * (BRIGHT / bright * 200) * shown), 0, 250).astype(np.uint8))


def _disc(
    image: NDArray[np.float32],
    radius: float,
    at: NDArray[np.float64],
    ink: NDArray[np.float64],
    paper: NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    """Its shadow, its side where it is thick and seen aslant, its paper, sometimes a ring along its rim."""
    _fill(image, _round(radius * float(rng.uniform(1.0, 1.1))), at + rng.normal(0, 0.5, 2), np.full(3, 25.0))
    if rng.random() < 0.3:
        side, away = paper * float(rng.uniform(0.4, 0.85)), rng.normal(0, 1.2, 2)
        for share in (1.0, 0.5):
            _fill(image, _round(radius), at + away * share, side)
    _fill(image, _round(radius), at, paper)
    if rng.random() < 0.2:
        _fill(image, _round(radius * 0.96), at, ink if rng.random() < 0.5 else np.full(3, 60.0))
        _fill(image, _round(radius * float(rng.uniform(0.84, 0.94))), at, paper)


def _star(
    half: float, arms: int, ink: NDArray[np.float64], paper: NDArray[np.float64], rng: np.random.Generator
) -> list[Part]:
    """A star: its own arms or others, filled, outlined or hollow."""
    if rng.random() < 0.25:
        arms = int(rng.choice([4, 5, 5, 6, 7, 8]))
    turn, inner = float(rng.uniform(0, 360)), float(rng.uniform(0.32, 0.52))

    def outline(size: float) -> list[tuple[float, float]]:
        return [polar(half * size * (inner if k % 2 else 1), turn + 180 / arms * k) for k in range(2 * arms)]

    style = rng.random()
    if style < 0.1:
        return [(outline(1.0), np.full(3, 40.0)), (outline(float(rng.uniform(0.8, 0.9))), ink)]
    if style < 0.16:
        return [(outline(1.0), ink), (outline(float(rng.uniform(0.4, 0.62))), paper)]
    return [(outline(1.0), ink)]


def _mark(
    mark: str, half: float, ink: NDArray[np.float64], paper: NDArray[np.float64], rng: np.random.Generator
) -> list[Part]:
    """The outlines and colours, one over another, of what is printed on a disc that bears no star."""
    turn, share = float(rng.uniform(0, 360)), float(rng.uniform(0.5, 1.0))
    sides = {"triangle": 3, "square": 4, "many-sided": int(rng.integers(5, 9))}
    if mark == "flower":
        inner, petals = float(rng.uniform(0.72, 0.95)), int(rng.integers(4, 10))
        return [([polar(half * (inner if k % 2 else 1), turn + 180 / petals * k) for k in range(2 * petals)], ink)]
    if mark in sides:
        return [(regular_polygon(sides[mark], half * share, (0.0, 0.0), turn), ink)]
    if mark in ("bar", "letter", "cross"):
        a, b = (np.array(polar(half * share, turn + off)) for off in (0, 180))
        side = np.array(polar(half * float(rng.uniform(0.1, 0.3)), turn + 90))
        bar = [a + side, b + side, b - side, a - side]
        foot = [b + side, b - side, b - side * 4, b * 0.6 - side * 4]
        over = [np.array([-y, x]) for x, y in bar]
        return [(bar, ink), *([(foot, ink)] if mark == "letter" else [(over, ink)] if mark == "cross" else [])]
    if mark == "moon":
        return [(_round(half * share), ink), (_round(half * share * 0.85) + polar(half * share * 0.4, turn), paper)]
    if mark == "chip":
        spots, reach = int(rng.integers(4, 9)), half * 1.15
        wide = float(rng.uniform(0.3, 0.6)) * 180 / spots
        fans = [[polar(reach, turn + 360 / spots * k + off) for off in (-wide, wide)] for k in range(spots)]
        return [*(([(0.0, 0.0), *fan], ink) for fan in fans), (_round(reach * float(rng.uniform(0.55, 0.8))), paper)]
    circles = {"ring": [1.0, 0.7], "rings": [1.1, 0.85, 0.6, 0.35], "dot": [share]}.get(mark, [])
    scale = float(rng.uniform(0.75, 1.1))
    return [(_round(half * c * scale), paper if i % 2 else ink) for i, c in enumerate(circles)]


def _write(
    image: NDArray[np.float32], at: NDArray[np.float64], half: float, ink: NDArray[np.float64], rng: np.random.Generator
) -> None:
    """A letter or digit on a disc, upright or lying."""
    sign, size = str(rng.choice(list(_SIGNS))), half * _PER_MM / 16
    mark: NDArray[np.float32] = np.zeros(image.shape[:2], np.float32)
    x, y = (at * _PER_MM + VIEW * _FINE / 2).tolist()
    cv2.putText(mark, sign, (int(x - 9 * size), int(y + 10 * size)), 0, size, 1.0, max(2, round(size * 4)), cv2.LINE_AA)
    turn = cv2.getRotationMatrix2D((x, y), float(rng.uniform(0, 360)), 1.0)
    turned = cv2.warpAffine(mark, turn, (mark.shape[1], mark.shape[0]))
    image += (ink - image) * turned[..., None]


def _round(radius: float) -> NDArray[np.float64]:
    return np.array(regular_polygon(32, radius))


def _fill(image: NDArray[np.float32], points: Any, at: NDArray[np.float64], colour: NDArray[np.float64]) -> None:
    pixels = (np.array(points) + at) * _PER_MM + VIEW * _FINE / 2 - 0.5
    cv2.fillPoly(image, [np.round(pixels * 16).astype(np.int32)], colour.tolist(), cv2.LINE_AA, 4)


def _bgr(web: str) -> NDArray[np.float64]:
    return np.array([int(web[i : i + 2], 16) for i in (5, 3, 1)], np.float64)
