"""Views of star tokens and of round things that are none, drawn straight into the tile reader's view.

Discs of the same size, paper and inks, on what lies on free cells; only what is printed in their middle differs.
"""

from typing import Any

import cv2
import numpy as np

from companion.decks.hexdragon import COLOURS, SIDE_MM, STAR_DISC_MM
from companion.decks.shapes import polar, regular_polygon
from companion.simulator.hexdragon_drawings import drawing_of
from companion.vision.paths import BRIGHT, OWNERS, REACH, VIEW

_FINE = 4
"""Drawn so many times finer than a view."""
_PER_MM = VIEW * _FINE / 2 / REACH / SIDE_MM
_MARKS = ("ring", "rings", "dot", "square", "many-sided", "flower", "blank", "triangle", "bar", "letter")


def star_views(backgrounds: np.ndarray, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Half star tokens, half others: views (count, VIEW, VIEW, 3) uint8 and labels (count, 8) as `train` has them.

    Args:
        backgrounds: (M, VIEW, VIEW, 3) uint8 views of places where no piece lies.
        count: how many to draw.
        rng: the only source of chance.
    """
    views, labels = [], []
    for k in range(count):
        kind = str(rng.choice(["reference", "varied", "varied", "invented"]))
        look, owner = drawing_of(kind, rng), str(rng.choice(COLOURS))
        ground = backgrounds[int(rng.integers(len(backgrounds)))]
        at = rng.uniform(-6.5, 6.5, 2)
        mark = "star" if k % 2 == 0 else str(rng.choice(_MARKS))
        views.append(_token(ground, look, owner, at, mark, rng))
        named = kind != "invented" and mark == "star"
        labels.append([-1] * 6 + [OWNERS.index(owner) if named else -1, 1 if mark == "star" else 2])
    return np.array(views), np.array(labels, np.int64)


def _token(
    ground: np.ndarray, look: Any, owner: str, at: np.ndarray, mark: str, rng: np.random.Generator
) -> np.ndarray:
    """One view: a disc with a mark on a place, as sharp or blurred as pictures are."""
    shown = ground.max(-1, keepdims=True) > 0
    image = cv2.resize(ground.astype(np.float32) * 1.2, (VIEW * _FINE, VIEW * _FINE), interpolation=cv2.INTER_LINEAR)
    ink, paper = _bgr(look.inks[owner]), _bgr(look.star_paper)
    radius = STAR_DISC_MM / 2 * (1.0 if mark == "star" else float(rng.uniform(0.6, 1.15)))
    _fill(
        image, regular_polygon(32, radius * float(rng.uniform(1.0, 1.1))), at + rng.normal(0, 0.5, 2), np.full(3, 25.0)
    )
    _fill(image, regular_polygon(32, radius), at, paper)
    if rng.random() < 0.15:
        _fill(image, regular_polygon(32, radius * 0.96), at, ink if rng.random() < 0.5 else np.full(3, 60.0))
        _fill(image, regular_polygon(32, radius * float(rng.uniform(0.88, 0.94))), at, paper)
    half = look.star_mm / 2 * float(rng.uniform(0.9, 1.1)) * radius / (STAR_DISC_MM / 2)
    for points, colour in _marked(mark, half, look.star_points, ink, paper, rng):
        _fill(image, points, at, colour)
    image = cv2.GaussianBlur(image, (0, 0), _FINE * float(rng.uniform(0.3, 1.5)))
    view = cv2.resize(image, (VIEW, VIEW), interpolation=cv2.INTER_AREA)
    bright = max(float(np.percentile(view[shown[..., 0]].mean(-1), 80)), 6.0)
    return np.asarray(np.clip(np.round(view * (BRIGHT / bright * 200) * shown), 0, 250).astype(np.uint8))


def _marked(
    mark: str, half: float, arms: int, ink: np.ndarray, paper: np.ndarray, rng: np.random.Generator
) -> list[tuple[Any, np.ndarray]]:
    """The outlines and colours, one over another, of what is printed on a disc."""
    turn, share = float(rng.uniform(0, 360)), float(rng.uniform(0.5, 1.0))
    sides = {"triangle": 3, "square": 4, "many-sided": int(rng.integers(5, 9))}
    if mark in ("star", "flower"):
        inner = float(rng.uniform(0.36, 0.48)) if mark == "star" else float(rng.uniform(0.72, 0.95))
        count = arms if mark == "star" else int(rng.integers(4, 10))
        return [([polar(half * (inner if k % 2 else 1), turn + 180 / count * k) for k in range(2 * count)], ink)]
    if mark in sides:
        return [(regular_polygon(sides[mark], half * share, (0.0, 0.0), turn), ink)]
    if mark in ("bar", "letter"):
        a, b = (polar(half * share, turn + off) for off in (0, 180))
        side = np.array(polar(half * float(rng.uniform(0.1, 0.3)), turn + 90))
        bar = [np.array(a) + side, np.array(b) + side, np.array(b) - side, np.array(a) - side]
        foot = [np.array(b) + side, np.array(b) - side, np.array(b) - side * 4, np.array(b) * 0.6 - side * 4]
        return [(bar, ink), (foot, ink)] if mark == "letter" else [(bar, ink)]
    circles = {"ring": [1.0, 0.7], "rings": [1.1, 0.85, 0.6, 0.35], "dot": [share], "blank": []}[mark]
    scale = float(rng.uniform(0.75, 1.1))
    return [(regular_polygon(32, half * c * scale), paper if i % 2 else ink) for i, c in enumerate(circles)]


def _fill(image: np.ndarray, points: Any, at: np.ndarray, colour: np.ndarray) -> None:
    pixels = (np.array(points) + at) * _PER_MM + VIEW * _FINE / 2 - 0.5
    cv2.fillPoly(image, [np.round(pixels * 16).astype(np.int32)], colour.tolist(), cv2.LINE_AA, 4)


def _bgr(web: str) -> np.ndarray:
    return np.array([int(web[i : i + 2], 16) for i in (5, 3, 1)], float)
