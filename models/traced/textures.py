"""Pictures of tables: felt, wood, bricks, speckles, weave, leather, photographs, plain paint."""

import colorsys
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from models.drawing.art import Art

Rng = np.random.Generator
Floats = NDArray[Any]

KINDS = ("felt", "felt", "wood", "wood", "wood", "brick", "speckle", "weave", "leather", "photo", "plain")
"""Of tables, each as often as it stands here."""
SIDE_PX = 1536


def colour(hue: float, saturation: float, value: float) -> Floats:
    """A colour (3,) BGR, 0..255."""
    red, green, blue = colorsys.hsv_to_rgb(hue % 1, saturation, value)
    return np.array([blue, green, red]) * 255


def noise(rng: Rng, cells: float, octaves: int = 5, stretch: float = 1.0) -> Floats:
    """A cloudy field (SIDE_PX, SIDE_PX) of deviation 1, with so many clouds across."""
    out = np.zeros((SIDE_PX, SIDE_PX), np.float32)
    for octave in range(octaves):
        count = cells * 2**octave
        grid = rng.normal(0, 1, (max(2, int(count)), max(2, int(count * stretch)))).astype(np.float32)
        padded = np.pad(grid, 1, mode="wrap")
        out += cv2.resize(padded, (SIDE_PX, SIDE_PX), interpolation=cv2.INTER_CUBIC) * 0.55**octave
    return np.asarray(out / out.std())


def table(rng: Rng, kind: str, art: Art) -> NDArray[np.uint8]:
    """A table's picture (SIDE_PX, SIDE_PX, 3) BGR."""
    return np.asarray(np.clip(_DRAWN[kind](rng, art), 0, 255), np.uint8)


def _felt(rng: Rng, art: Art) -> Floats:
    hue = rng.choice([0.33, 0.4, 0.6, 0.62, 0.0, 0.08, 0.75, 0.1])
    base = colour(hue, rng.uniform(0.2, 0.8), rng.uniform(0.12, 0.6))
    return base * (1 + 0.05 * noise(rng, 300, 2) + 0.03 * noise(rng, 4))[..., None]


def _wood(rng: Rng, art: Art) -> Floats:
    base = colour(rng.uniform(0.04, 0.1), rng.uniform(0.35, 0.7), rng.uniform(0.2, 0.75))
    grain = noise(rng, 4, 6, 12.0)
    rings = np.sin(noise(rng, 2, 3, 4.0) * 2 + np.linspace(0, 60, SIDE_PX)[None])
    seen = base * (1 + 0.10 * grain + 0.07 * rings)[..., None]
    if rng.random() < 0.6:
        boards = int(rng.integers(3, 8))
        for k in range(boards):
            x = int(k * SIDE_PX / boards)
            seen[:, x : x + int(SIDE_PX / boards)] *= rng.uniform(0.85, 1.12)
            seen[:, x : x + 4] *= 0.55
    return np.asarray(seen)


def _brick(rng: Rng, art: Art) -> Floats:
    seen = np.empty((SIDE_PX, SIDE_PX, 3))
    seen[:] = colour(rng.uniform(0, 1), rng.uniform(0, 0.2), rng.uniform(0.3, 0.8))
    high = int(SIDE_PX / rng.integers(8, 20))
    wide = int(high * rng.uniform(1, 3))
    base = colour(rng.uniform(0, 0.12), rng.uniform(0.1, 0.7), rng.uniform(0.2, 0.7))
    for row, y in enumerate(range(0, SIDE_PX, high)):
        for x in range(-(row % 2) * wide // 2, SIDE_PX, wide):
            seen[y + 4 : y + high - 4, max(0, x + 4) : max(0, x + wide - 4)] = base * rng.uniform(0.8, 1.2)
    return seen * (1 + 0.07 * noise(rng, 40, 4))[..., None]


def _speckle(rng: Rng, art: Art) -> Floats:
    base = colour(rng.uniform(0, 1), rng.uniform(0, 0.15), rng.uniform(0.15, 0.9))
    return base * (1 + 0.18 * noise(rng, 200, 3))[..., None]


def _weave(rng: Rng, art: Art) -> Floats:
    base = colour(rng.uniform(0, 1), rng.uniform(0.1, 0.6), rng.uniform(0.2, 0.8))
    wave = np.sin(np.arange(SIDE_PX) * 2 * np.pi / rng.integers(6, 20))
    return base * (1 + 0.12 * wave[None] + 0.12 * wave[:, None] + 0.05 * noise(rng, 60, 3))[..., None]


def _leather(rng: Rng, art: Art) -> Floats:
    base = colour(rng.uniform(0, 0.12), rng.uniform(0.2, 0.7), rng.uniform(0.08, 0.5))
    folds = noise(rng, 60, 3)
    return np.asarray(base * (1 - 0.2 * np.exp(-folds * folds * 8) + 0.05 * noise(rng, 5))[..., None])


def _photo(rng: Rng, art: Art) -> Floats:
    picture = art.pictures[int(rng.integers(len(art.pictures)))]
    return np.asarray(cv2.resize(picture, (SIDE_PX, SIDE_PX)), np.float64)


def _plain(rng: Rng, art: Art) -> Floats:
    base = colour(rng.uniform(0, 1), rng.uniform(0, 0.5), rng.uniform(0.1, 0.95))
    return np.ones((SIDE_PX, SIDE_PX, 3)) * base * (1 + 0.02 * noise(rng, 100, 2))[..., None]


_DRAWN = {
    "felt": _felt, "wood": _wood, "brick": _brick, "speckle": _speckle, "weave": _weave, "leather": _leather,
    "photo": _photo, "plain": _plain,
}  # fmt: skip
