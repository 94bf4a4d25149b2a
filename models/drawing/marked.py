"""Photographs of flat things on a table, marks and boards and cards, through a lens that bends: what calibrating sees.

The table is painted as a pinhole would see it, larger and finer than the photograph, lit, then bent by the lens and
developed with a cheap camera's faults. Everything comes from one `np.random.Generator`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, floor

import cv2
import numpy as np

from companion.printing.raster import raster
from companion.printing.shapes import Box, Shape, bounds
from companion.simulator.optics import mm_from_px, placed
from models.drawing.backdrops import backdrop
from models.drawing.canvas import Canvas, Field
from models.drawing.exposure import exposed
from models.drawing.lighting import MOODS, lit
from models.drawing.pinhole import Pinhole, Points

Bent = Callable[[Points], Points]
"""Where the undistorted picture shows points (N, 2) of the photograph."""

_FINER = 1.6
_RIM = 0.2
_COARSE_PX = 8
_PX_PER_MM = 4
_FINER_DRAWN = 3
"""Small things are drawn finer and shrunk: filling a polygon adds half a pixel all around it, a mark grows."""
_SMALL_MM = 80.0


@dataclass(frozen=True, slots=True)
class Lying:
    """A flat thing on the table: its shapes around their own origin, where that lies in mm, and how it is turned."""

    shapes: tuple[Shape, ...]
    at: tuple[float, float]
    turn_deg: float = 0.0
    gloss: float = 0.0


def marked_photograph(
    rng: np.random.Generator,
    camera: Pinhole,
    things: Sequence[Lying],
    undistort: Bent = lambda points: points,
    *,
    table: str | None = None,
    mood: str | None = None,
    hardness: float = 1.0,
) -> Field:
    """Draw one photograph, uint8 (h, w, 3) BGR.

    Args:
        rng: the only source of chance.
        camera: where the undistorted picture shows the table.
        things: what lies there, later ones on top.
        undistort: what the lens does.
        table: one of `backdrops.TABLES`; None for any.
        mood: one of `lighting.MOODS`; None for any.
        hardness: 0 for a calm room and a good camera, 1 for all conditions.
    """
    larger = np.array([[_FINER, 0, _RIM * camera.size[0]], [0, _FINER, _RIM * camera.size[1]], [0, 0, 1.0]])
    size = (round((_FINER + 2 * _RIM) * camera.size[0]), round((_FINER + 2 * _RIM) * camera.size[1]))
    wide = Pinhole(larger @ camera.image_from_table, size)
    canvas = Canvas(wide, backdrop(rng, wide.image_from_table, size, table))
    for thing in things:
        box, drawn = _drawn(thing.shapes)
        own = mm_from_px(box.left_mm, box.top_mm, _PX_PER_MM)
        canvas.put(drawn, wide.image_from_table @ placed(thing.at, thing.turn_deg) @ own, thing.gloss)
    chosen = str(rng.choice(MOODS)) if mood is None else mood
    image, _ = lit(canvas, chosen, rng, hardness)
    bgr, _ = exposed(_bent(image, larger, camera.size, undistort), rng, hardness, is_dim=chosen == "dim")
    return bgr


@lru_cache(maxsize=16)
def _drawn(shapes: tuple[Shape, ...]) -> tuple[Box, Field]:
    """The shapes as a raster, and the whole millimetres that it covers."""
    exact = bounds(shapes)
    box = Box(*(floor(v) for v in (exact.left_mm, exact.top_mm)), *(ceil(v) for v in (exact.right_mm, exact.bottom_mm)))
    finer = _FINER_DRAWN if max(box.width_mm, box.height_mm) <= _SMALL_MM else 1
    drawn = raster(shapes, _PX_PER_MM * finer, box)
    size = (drawn.shape[1] // finer, drawn.shape[0] // finer)
    return box, drawn if finer == 1 else cv2.resize(drawn, size, interpolation=cv2.INTER_AREA)


def _bent(image: Field, larger: Field, size: tuple[int, int], undistort: Bent) -> Field:
    """The fine undistorted picture as the lens puts it on the sensor, each pixel the mean of four looks."""
    columns, rows = np.meshgrid(
        np.arange(-_COARSE_PX, size[0] + 2 * _COARSE_PX, _COARSE_PX, dtype=np.float64),
        np.arange(-_COARSE_PX, size[1] + 2 * _COARSE_PX, _COARSE_PX, dtype=np.float64),
    )
    undistorted = undistort(np.stack([columns.ravel(), rows.ravel()], 1)) @ larger[:2, :2].T + larger[:2, 2]
    field = undistorted.reshape(*columns.shape, 2).astype(np.float32)
    total = np.zeros((size[1], size[0], 3), np.float32)
    for dx, dy in ((-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)):
        x, y = np.meshgrid(np.arange(size[0]) + dx, np.arange(size[1]) + dy)
        u, v = (x / _COARSE_PX + 1).astype(np.float32), (y / _COARSE_PX + 1).astype(np.float32)
        at = cv2.remap(field, u, v, cv2.INTER_LINEAR)
        total += cv2.remap(image, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(total / 4)
