"""Augments a stored view: an inaccurate crop, other light, blur, noise, and things lying over it."""

from importlib import import_module
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.classifier import CELL_PX, prepared
from companion.vision.geometry import mapped

draw: Any = import_module("models.hexapod.insect_classifier.draw")

_KEPT = round(draw.MARGIN * CELL_PX)
"""Margin of a stored view around the field, in pixels."""

_ASTRAY = 0.05
"""Share of views that are cropped so far beside the field that they show none of its cells."""

Seen = tuple[NDArray[np.float32], NDArray[np.floating], NDArray[np.float64]]
"""A view (3, H, W), the hidden share of each cell (n, n), and the cells' centres (n, n, 2), in cells."""


def jittered(image: NDArray[np.uint8], middles: NDArray[np.floating], rng: np.random.Generator) -> Seen:
    """Augment a stored view at random.

    Args:
        image: the view, uint8 (H, W, 3).
        middles: (n, n, 2) the cells' centres, in cells of the field.
        rng: the only source of randomness.
    """
    cells = len(middles)
    side = (cells + 2) * CELL_PX
    hidden: NDArray[np.floating] = np.zeros((cells, cells))
    if rng.random() < 0.25:
        image, hidden = _covered(image, cells, rng)
    field = np.array([[0, 0], [cells, 0], [cells, cells], [0, cells]], np.float32) * CELL_PX
    wide = float(rng.choice([0.4, 1.0, 1.8]))
    off = rng.normal(0, 0.05, (4, 2)) + rng.normal(0, 0.07, 2) + (field / (cells * CELL_PX) - 0.5) * rng.normal(0, 0.08)
    off = np.clip(off * wide, -0.42, 0.42)
    if rng.random() < _ASTRAY:
        off, hidden = off + _away(rng), np.ones_like(hidden)
    source = field + _KEPT - 0.5 + off.astype(np.float32) * CELL_PX
    to = field + np.float32(CELL_PX - 0.5)
    m = np.asarray(cv2.getPerspectiveTransform(source.astype(np.float32), to), np.float64)
    crop = cv2.warpPerspective(image, m, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    shown = (mapped(np.asarray(m, np.float64), middles.astype(np.float64) * CELL_PX + _KEPT - 0.5) + 0.5) / CELL_PX - 1
    augmented = _noisy(_blurred(_lit(np.asarray(crop, np.uint8), rng), rng), rng)
    out: NDArray[np.float32] = prepared(np.clip(augmented, 0, 255).astype(np.uint8))
    return out * np.float32(rng.uniform(0.9, 1.05)) + np.float32(rng.normal(0, 0.02)), hidden, shown


def _away(rng: np.random.Generator) -> NDArray[np.float64]:
    """A random step (2,) of half a cell to a whole one, along the grid or diagonally."""
    step = rng.choice([-1, 1], 2) * rng.uniform(0.5, 0.9, 2)
    return step * [(1, 0), (0, 1), (1, 1)][int(rng.integers(3))]


def _covered(
    image: NDArray[np.uint8], cells: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint8], NDArray[np.floating]]:
    """A view with a thing lying over it, and the hidden share (cells, cells) of each cell."""
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


def _lit(image: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.float32]:
    """A view in light of another tint and strength, sometimes dim, overexposed, or with a patch of glare."""
    strength = rng.uniform(0.6, 1.1)
    chance = float(rng.random())
    if chance < 0.12:
        strength = np.exp(rng.uniform(np.log(0.2), np.log(0.6)))
    elif chance < 0.2:
        strength = rng.uniform(1.1, 1.5)
    curve = np.exp(rng.normal(0, 0.25)) if rng.random() < 0.3 else 1.0
    gains = strength * np.exp(rng.normal(0, 0.1, 3))
    table = 255 * gains * (np.arange(256)[:, None] / 255) ** curve
    lit = np.asarray(cv2.LUT(image, table.astype(np.float32).reshape(256, 1, 3)), np.float32)
    return lit + _patch(len(image), rng) * np.float32(255 * strength) if rng.random() < 0.08 else lit


def _patch(side: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """An elongated patch of light (side, side, 1), 0..1."""
    small = side // 4
    y, x = np.mgrid[0:small, 0:small].astype(np.float32) / small
    (u, v), way = rng.uniform(0, 1, 2), rng.uniform(0, np.pi)
    along = (x - u) * np.cos(way) + (y - v) * np.sin(way)
    across = (y - v) * np.cos(way) - (x - u) * np.sin(way)
    long, short = rng.uniform(0.08, 0.5, 2)
    light = np.exp(-(((along / long) ** 2 + (across / short) ** 2) ** rng.uniform(0.8, 3.0))) * rng.uniform(0.1, 0.6)
    return np.asarray(cv2.resize(light.astype(np.float32), (side, side))[..., None], np.float32)


def _blurred(image: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """A view sometimes out of focus, sometimes with motion blur."""
    if rng.random() < 0.12:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.4, 1.2))), np.float32)
    if rng.random() < 0.06:
        long, way = rng.uniform(1.0, 3.5), rng.uniform(0, np.pi)
        reach = np.array([np.cos(way), np.sin(way)]) * long / 2
        kernel = np.zeros((5, 5), np.float32)
        for x, y in np.linspace(-reach, reach, 9) + 2:
            kernel[int(y) : int(y) + 2, int(x) : int(x) + 2] += np.outer([1 - y % 1, y % 1], [1 - x % 1, x % 1])
        image = np.asarray(cv2.filter2D(image, -1, kernel / kernel.sum()), np.float32)
    return image


def _noisy(image: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """A view with sensor noise."""
    noise = rng.uniform(0, 6) if rng.random() < 0.93 else rng.uniform(6, 12)
    return np.asarray(image + np.float32(noise) * rng.standard_normal(image.shape, np.float32), np.float32)
