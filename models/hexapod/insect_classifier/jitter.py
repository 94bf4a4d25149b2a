"""A kept view as it may be met: cut as a finder that errs would, in another light, blurred, noisy, with things over it.

Changes when what the network learns from is to be harder, or hard in another way.
"""

from importlib import import_module
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.classifier import CELL_PX, prepared
from companion.vision.geometry.shapes import mapped

draw: Any = import_module("models.hexapod.insect_classifier.draw")

_KEPT = round(draw.MARGIN * CELL_PX)
"""How many pixels beyond the field a kept view shows."""

_ASTRAY = 0.05
"""So many views are cut so far beside the field that their cells are none."""

Seen = tuple[np.ndarray, np.ndarray, np.ndarray]
"""A view (3, H, W), the share of each of its cells that a thing hides, and where each cell's middle shows, in cells."""


def jittered(image: np.ndarray, middles: NDArray[np.floating], rng: np.random.Generator) -> Seen:
    """A kept view, a little other every time.

    Args:
        image: the view.
        middles: (n, n, 2) where the cells' middles show, in cells of the field.
        rng: the only source of chance.
    """
    cells = len(middles)
    side = (cells + 2) * CELL_PX
    image, hidden = _covered(image, cells, rng) if rng.random() < 0.25 else (image, np.zeros((cells, cells)))
    field = np.array([[0, 0], [cells, 0], [cells, cells], [0, cells]], np.float32) * CELL_PX
    wide = float(rng.choice([0.4, 1.0, 1.8]))
    off = rng.normal(0, 0.05, (4, 2)) + rng.normal(0, 0.07, 2) + (field / (cells * CELL_PX) - 0.5) * rng.normal(0, 0.08)
    off = np.clip(off * wide, -0.42, 0.42)
    if rng.random() < _ASTRAY:
        off, hidden = off + _away(rng), np.ones_like(hidden)
    source = field + _KEPT - 0.5 + off.astype(np.float32) * CELL_PX
    to = field + np.float32(CELL_PX - 0.5)
    m = np.asarray(cv2.getPerspectiveTransform(source.astype(np.float32), to), np.float64)
    cut = cv2.warpPerspective(image, m, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    shown = (mapped(np.asarray(m, np.float64), middles.astype(np.float64) * CELL_PX + _KEPT - 0.5) + 0.5) / CELL_PX - 1
    faulty = _noisy(_blurred(_lit(cut, rng), rng), rng)
    out: np.ndarray = prepared(np.clip(faulty, 0, 255).astype(np.uint8))
    return out * np.float32(rng.uniform(0.9, 1.05)) + np.float32(rng.normal(0, 0.02)), hidden, shown


def _away(rng: np.random.Generator) -> np.ndarray:
    """A step of about half a cell to a whole one, along the grid or across it: (2,)."""
    step = rng.choice([-1, 1], 2) * rng.uniform(0.5, 0.9, 2)
    return step * [(1, 0), (0, 1), (1, 1)][int(rng.integers(3))]


def _covered(image: np.ndarray, cells: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A kept view with a thing over it, and the share (cells, cells) of each cell that it hides."""
    mask, side = np.zeros(image.shape[:2], np.uint8), len(image)
    at, way = rng.uniform(0.1, 0.9, 2) * side, rng.uniform(0, 2 * np.pi)
    wide = float(np.exp(rng.uniform(np.log(4), np.log(45))))
    middle = (round(float(at[0])), round(float(at[1])))
    if rng.random() < 0.6:
        end = at + 2 * side * np.array([np.cos(way), np.sin(way)])
        cv2.line(mask, middle, (round(float(end[0])), round(float(end[1]))), 255, round(wide), cv2.LINE_AA)
    else:
        cv2.circle(mask, middle, round(0.7 * wide), 255, -1 if rng.random() < 0.6 else 4, cv2.LINE_AA)
    tone = rng.integers(0, 256, 3) if rng.random() < 0.6 else np.array([70, 105, 160]) * rng.uniform(0.4, 1.5)
    share = mask[..., None].astype(np.float32) / 255
    shaded = np.clip(tone * (1 + 0.25 * np.linspace(-1, 1, side)[:, None, None] * rng.normal()), 0, 255)
    field = share[_KEPT : _KEPT + cells * CELL_PX, _KEPT : _KEPT + cells * CELL_PX, 0]
    hidden = field.reshape(cells, CELL_PX, cells, CELL_PX).mean((1, 3))
    return (image * (1 - share) + shaded * share).astype(np.uint8), hidden


def _lit(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """In a light of another tint and strength, at times dim, burnt out, or with a patch of glare: float32."""
    strength = rng.uniform(0.6, 1.1)
    chance = float(rng.random())
    if chance < 0.12:
        strength = np.exp(rng.uniform(np.log(0.2), np.log(0.6)))
    elif chance < 0.2:
        strength = rng.uniform(1.1, 1.5)
    curve = np.exp(rng.normal(0, 0.25)) if rng.random() < 0.3 else 1.0
    gains = strength * np.exp(rng.normal(0, 0.1, 3))
    table = 255 * gains * (np.arange(256)[:, None] / 255) ** curve
    lit: np.ndarray = cv2.LUT(image, table.astype(np.float32).reshape(256, 1, 3))
    return lit + _patch(len(image), rng) * np.float32(255 * strength) if rng.random() < 0.08 else lit


def _patch(side: int, rng: np.random.Generator) -> np.ndarray:
    """An elongated patch of light (side, side, 1), 0..1."""
    small = side // 4
    y, x = np.mgrid[0:small, 0:small].astype(np.float32) / small
    (u, v), way = rng.uniform(0, 1, 2), rng.uniform(0, np.pi)
    along = (x - u) * np.cos(way) + (y - v) * np.sin(way)
    across = (y - v) * np.cos(way) - (x - u) * np.sin(way)
    long, short = rng.uniform(0.08, 0.5, 2)
    light = np.exp(-(((along / long) ** 2 + (across / short) ** 2) ** rng.uniform(0.8, 3.0))) * rng.uniform(0.1, 0.6)
    return np.asarray(cv2.resize(light.astype(np.float32), (side, side))[..., None])


def _blurred(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Out of focus at times, at times shaken."""
    if rng.random() < 0.12:
        image = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.4, 1.2)))
    if rng.random() < 0.06:
        long, way = rng.uniform(1.0, 3.5), rng.uniform(0, np.pi)
        reach = np.array([np.cos(way), np.sin(way)]) * long / 2
        kernel = np.zeros((5, 5), np.float32)
        for x, y in np.linspace(-reach, reach, 9) + 2:
            kernel[int(y) : int(y) + 2, int(x) : int(x) + 2] += np.outer([1 - y % 1, y % 1], [1 - x % 1, x % 1])
        image = cv2.filter2D(image, -1, kernel / kernel.sum())
    return image


def _noisy(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """With a sensor's noise."""
    noise = rng.uniform(0, 6) if rng.random() < 0.93 else rng.uniform(6, 12)
    return np.asarray(image + np.float32(noise) * rng.standard_normal(image.shape, np.float32))
