"""The light in a photograph's room: its mood, tint and shadows, and the glare on what shines."""

from typing import NamedTuple

import cv2
import numpy as np

from models.drawing.canvas import Canvas, Field, in_three, tinted


class _Mood(NamedTuple):
    """How steeply the light falls off over the picture, and its tint (blue, green, red)."""

    slope: float
    tint: tuple[float, float, float]


_MOODS = {
    "soft": _Mood(0.3, (1, 1, 1)),
    "daylight": _Mood(0.6, (1.05, 1, 0.97)),
    "window": _Mood(1.2, (1.1, 1, 0.93)),
    "lamp": _Mood(0.8, (0.75, 0.95, 1.1)),
    "warm": _Mood(0.8, (0.6, 0.88, 1.12)),
    "cold": _Mood(0.5, (1.25, 1.02, 0.85)),
    "hard-shadow": _Mood(0.5, (1, 1, 1)),
    "dim": _Mood(0.8, (0.85, 0.96, 1.05)),
}
MOODS = tuple(_MOODS)
_WITH_A_LAMP = ("lamp", "warm", "dim")
_WITH_SHADOWS = ("hard-shadow", "window")


def lit(canvas: Canvas, mood: str, rng: np.random.Generator, hardness: float) -> tuple[Field, float]:
    """The painted table in that light: linear (h, w, 3), around 0..1, and the share of it under strong glare."""
    w, h = canvas.camera.size
    light = _light(mood, w, h, rng, hardness)
    image = canvas.albedo * light
    glare_share = 0.0
    if canvas.gloss.max() > 0 and rng.random() < 0.8:
        spot = _spot(w, h, rng, 0.05, 0.22)
        amount = float(rng.uniform(0.15, 0.9)) * light.mean()
        glare = spot * canvas.gloss * amount
        image += in_three(glare)
        glare_share = float((glare > 0.2).mean())
    if rng.random() < 0.25 * hardness:
        image += in_three(_spot(w, h, rng, 0.1, 0.5) * float(rng.uniform(0.02, 0.18)) * light.mean())
    return image, glare_share


def _light(mood: str, w: int, h: int, rng: np.random.Generator, hardness: float) -> Field:
    """Light over the picture (h, w, 3), around 1."""
    falling = _falling_off(mood, (max(8, w // 16), max(8, h // 16)), rng)
    light: Field = cv2.resize(falling, (w, h), interpolation=cv2.INTER_CUBIC)
    shadows = int(rng.integers(1, 4)) if mood in _WITH_SHADOWS else int(rng.random() < 0.3)
    light = tinted(light, np.array(_MOODS[mood].tint, np.float32))
    for _ in range(shadows):
        light = _shadowed(light, rng, hardness)
    return light


def _falling_off(mood: str, size: tuple[int, int], rng: np.random.Generator) -> Field:
    """How the light falls off to one side and, where there is one, around a lamp."""
    yy, xx = np.mgrid[0 : size[1], 0 : size[0]].astype(np.float32)
    u, v = xx / size[0] - 0.5, yy / size[1] - 0.5
    a = rng.uniform(0, 2 * np.pi)
    falling = np.exp(_MOODS[mood].slope * float(rng.uniform(0.2, 1.0)) * (np.cos(a) * u + np.sin(a) * v))
    if mood in _WITH_A_LAMP:
        cx, cy, r = rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5), rng.uniform(0.25, 0.8)
        falling = falling * (0.35 + np.exp(-((u - cx) ** 2 + (v - cy) ** 2) / (2 * r * r)))
    return np.asarray(falling.astype(np.float32))


def _shadowed(light: Field, rng: np.random.Generator, hardness: float) -> Field:
    """The light with the soft-edged shadow of something with corners in it, bluer than the light around."""
    h, w = light.shape[:2]
    corner = rng.uniform(-0.3, 1.3, 2) * [w, h]
    angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 8))))
    radius = rng.uniform(0.15, 0.8, len(angles)) * w
    points = corner + np.stack([np.cos(angles), np.sin(angles)], 1) * radius[:, None]
    mask = np.zeros((h, w), np.float32)
    cv2.fillPoly(mask, [np.round(points).astype(np.int32)], 1.0)
    softness_px = float(np.exp(rng.uniform(np.log(0.8), np.log(25)))) * w / 1280
    shade = cv2.GaussianBlur(mask, (0, 0), softness_px)
    depth = float(rng.uniform(0.25, 0.75)) * min(1.0, 0.4 + hardness)
    sky = np.array([1 - depth * 0.85, 1 - depth * 0.95, 1 - depth], np.float32)
    bare = 1 - shade
    light *= cv2.merge([bare + shade * one for one in sky])
    return light


def _spot(w: int, h: int, rng: np.random.Generator, least: float, most: float) -> Field:
    """A soft or hard-edged elongated patch of light, 0..1; its half axes are shares of the picture's width."""
    small = (w // 8, h // 8)
    yy, xx = np.mgrid[0 : small[1], 0 : small[0]].astype(np.float32)
    c, a = rng.uniform(0, 1, 2) * small, rng.uniform(0, np.pi)
    dx, dy = xx - c[0], yy - c[1]
    p, q = dx * np.cos(a) + dy * np.sin(a), -dx * np.sin(a) + dy * np.cos(a)
    r1, r2 = rng.uniform(least, most, 2) * small[0]
    value = np.exp(-(((p / r1) ** 2 + (q / r2) ** 2) ** float(rng.uniform(0.8, 4.0))))
    return np.asarray(cv2.resize(value.astype(np.float32), (w, h), interpolation=cv2.INTER_LINEAR))
