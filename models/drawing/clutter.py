"""Everyday things about a card table, polygons in mm: chips, mugs, phones, pens, dice, papers, other cards, hands."""

from collections.abc import Callable

import numpy as np

from models.drawing.backdrops import any_colour
from models.drawing.canvas import Ink
from models.drawing.hexel.printings import hexagon
from models.drawing.pinhole import Points

Part = tuple[Points, Ink, float]
"""An outline (N, 2) in mm around the thing's place, its ink and its gloss."""
Thing = list[Part]

NEIGHBOUR = ("chip", "chip", "mug", "phone", "pen", "die", "paper", "hand", "card", "token")
"""What lies beside the cards, the common more than once."""
OVER = ("hand", "finger", "chip", "pen", "mug")
"""What ends up on top of cards."""


def clutter_shape(rng: np.random.Generator, *, over: bool) -> Thing:
    """One thing lying about, its parts to be painted in order; ``over`` for one that may lie on cards."""
    kind = str(rng.choice(OVER if over else NEIGHBOUR))
    return _THINGS[kind](rng, _ink(rng, 30, 245, 255))


def _ink(rng: np.random.Generator, low: float, high: float, saturation: float) -> Ink:
    b, g, r = (float(v) for v in any_colour(rng, low, high, saturation))
    return b, g, r


def _disc(radius: float, centre: tuple[float, float] = (0.0, 0.0)) -> Points:
    a = np.radians(np.arange(0, 360, 8))
    return np.stack([centre[0] + radius * np.cos(a), centre[1] + radius * np.sin(a)], 1)


def _box(w: float, h: float, rng: np.random.Generator) -> Points:
    a = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    return np.asarray(np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2 @ turn)


def _limb(start: Points, angle: float, length: float, half: float) -> Points:
    """A bar with one round end."""
    d = np.array([np.cos(angle), np.sin(angle)])
    n = np.array([-d[1], d[0]])
    end = start + d * length
    a = np.linspace(-np.pi / 2, np.pi / 2, 9)
    cap = end + half * (np.cos(a)[:, None] * d + np.sin(a)[:, None] * n)
    return np.vstack([start - n * half, cap, start + n * half])


def _chip(rng: np.random.Generator, ink: Ink) -> Thing:
    r = float(rng.uniform(9, 21))
    inner = _ink(rng, 120, 250, 80)
    return [(_disc(r), ink, 0.4), (_disc(r * float(rng.uniform(0.4, 0.8))), inner, 0.4)]


def _mug(rng: np.random.Generator, ink: Ink) -> Thing:
    r = float(rng.uniform(32, 48))
    return [(_disc(r), ink, 0.8), (_disc(r * 0.86), _ink(rng, 20, 200, 120), 0.8)]


def _phone(rng: np.random.Generator, ink: Ink) -> Thing:
    return [(_box(72, 148, rng), (22.0, 20.0, 20.0), 1.0)]


def _pen(rng: np.random.Generator, ink: Ink) -> Thing:
    return [(_box(float(rng.uniform(6, 11)), 140, rng), ink, 0.5)]


def _die(rng: np.random.Generator, ink: Ink) -> Thing:
    return [(_box(16, 16, rng), ink, 0.3), (_disc(1.7), (250.0, 250.0, 250.0), 0.0)]


def _paper(rng: np.random.Generator, ink: Ink) -> Thing:
    sheet = _box(float(rng.uniform(60, 210)), float(rng.uniform(60, 297)), rng)
    return [(sheet, _ink(rng, 200, 252, 30), 0.0)]


def _playing_card(rng: np.random.Generator, ink: Ink) -> Thing:
    pip = _ink(rng, 30, 220, 255)
    sheet = _box(63, 88, rng)
    pips = [(_disc(5, (float(x), float(y))), pip, 0.0) for x, y in sheet * rng.uniform(0.3, 0.7)]
    return [(sheet, (238.0, 240.0, 242.0), 0.2), *pips]


def _token(rng: np.random.Generator, ink: Ink) -> Thing:
    return [(hexagon(float(rng.uniform(12, 50))), ink, 0.2)]


def _skin(rng: np.random.Generator) -> Ink:
    tone = float(rng.uniform(0.35, 1.05))
    return 135.0 * tone, 165.0 * tone, 222.0 * tone


def _finger(rng: np.random.Generator, ink: Ink) -> Thing:
    skin, length = _skin(rng), float(rng.uniform(60, 120))
    tip = rng.normal(0, 5, 2)
    return [(_limb(tip, float(rng.uniform(0, 2 * np.pi)), length, float(rng.uniform(7, 10))), skin, 0.1)]


def _hand(rng: np.random.Generator, ink: Ink) -> Thing:
    """Five fingers, a palm, and an arm bare or in a sleeve."""
    skin, towards = _skin(rng), rng.uniform(0, 2 * np.pi)
    out = np.array([np.cos(towards), np.sin(towards)])
    parts: Thing = []
    for k in range(5):
        angle = towards + (k - 2) * 0.22 + rng.normal(0, 0.05)
        parts.append((_limb(out * 75, angle + np.pi, 95.0 - 6 * abs(k - 2), 9.0), skin, 0.1))
    parts.append((_disc(42) * [1.0, 0.95] + out * 85, skin, 0.1))
    parts.append((_limb(out * 100, towards, 400.0, 32.0), skin if rng.random() < 0.5 else ink, 0.1))
    return parts


_THINGS: dict[str, Callable[[np.random.Generator, Ink], Thing]] = {
    "chip": _chip, "mug": _mug, "phone": _phone, "pen": _pen, "die": _die, "paper": _paper, "card": _playing_card,
    "token": _token, "finger": _finger, "hand": _hand,
}  # fmt: skip
