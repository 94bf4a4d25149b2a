"""Teaching layouts as a camera above a plain table sees them: drawn faces, a light, a little blur and noise."""

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.printing.layout import Layout, Place
from companion.printing.raster import raster
from companion.printing.shapes import Box, Shape

SIZE = (1280, 720)
TABLE = (96, 118, 138)
LAMP = (0.86, 0.97, 1.0)
DAYLIGHT = (1.0, 0.95, 0.88)
_DRAWN: dict[tuple[object, ...], tuple[Layout, NDArray[np.uint8]]] = {}
"""The photographs so far, each with its layout, which keeps the layout's id its own."""


def layout_picture(
    layout: Layout,
    *,
    light: Sequence[float] = DAYLIGHT,
    brightness: float = 0.9,
    turn_deg: float = 0.0,
    tilt: float = 0.12,
    seed: int = 0,
    left_out: Sequence[int] = (),
    size: tuple[int, int] = SIZE,
) -> NDArray[np.uint8]:
    """A photograph of a layout: uint8 BGR.

    Args:
        layout: what lies there.
        light: its colour, BGR.
        brightness: its strength, 1 the camera's brightest.
        turn_deg: how far the camera is turned.
        tilt: how much nearer the lower edge of the table is.
        seed: of the noise, and of how askew hands laid the cards.
        left_out: places that stay empty.
        size: width and height in pixels.
    """
    key = (id(layout), tuple(light), brightness, turn_deg, tilt, seed, tuple(left_out), size)
    if key not in _DRAWN:
        _DRAWN[key] = layout, _drawn(layout, light, brightness, turn_deg, tilt, seed, left_out, size)
    return _DRAWN[key][1].copy()


def _drawn(
    layout: Layout,
    light: Sequence[float],
    brightness: float,
    turn_deg: float,
    tilt: float,
    seed: int,
    left_out: Sequence[int],
    size: tuple[int, int],
) -> NDArray[np.uint8]:
    rng = np.random.default_rng(seed)
    places = [place for i, place in enumerate(layout.places) if i not in left_out]
    points = np.array([np.add(corner, place.at_mm) for place in layout.places for corner in place.outline])
    low, high = points.min(0) - 22.0, points.max(0) + 22.0
    px_per_mm = 6.0
    width, height = ((high - low) * px_per_mm).astype(int).tolist()
    table = np.full((height, width, 3), TABLE, np.float32)
    table += rng.normal(0, 3.0, (height, 1, 1)) + rng.normal(0, 1.5, table.shape)
    for place in places:
        _lay(table, place, low, px_per_mm, rng)
    w, h = size
    scale = 0.97 * min(w / width, h / height)
    box = (np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * [width, height]) / 2
    a = np.radians(turn_deg)
    seen = box @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) * scale
    seen *= 1 + tilt * seen[:, 1:] / h
    homography = cv2.getPerspectiveTransform(
        np.add(box, (width / 2, height / 2)).astype(np.float32), np.add(seen, (w / 2, h / 2)).astype(np.float32)
    )
    fine = cv2.GaussianBlur(table, (0, 0), max(0.3, 0.4 / scale))
    picture = cv2.warpPerspective(fine, homography, size, flags=cv2.INTER_AREA, borderValue=TABLE)
    lit = cv2.GaussianBlur(picture, (0, 0), 0.7) * brightness * np.asarray(light, np.float32)
    falling = np.linspace(1.05, 0.85, w, dtype=np.float32)[None, :, None]
    return np.clip(lit * falling + rng.normal(0, 2.0, picture.shape), 0, 255).astype(np.uint8)


@cache
def _drawn_face(face: tuple[Shape, ...], px_per_mm: float, reach: float) -> NDArray[np.float32]:
    return raster(face, px_per_mm, Box(-reach, -reach, reach, reach)).astype(np.float32)


def _lay(
    table: NDArray[np.float32],
    place: Place,
    low: NDArray[np.floating],
    px_per_mm: float,
    rng: np.random.Generator,
) -> None:
    """Draw a place's face where it is, a little askew, with a soft shadow."""
    reach = float(max(np.linalg.norm(corner) for corner in place.outline)) + 14.0
    drawn = _drawn_face(place.drawing, px_per_mm, reach)
    turned = cv2.getRotationMatrix2D((drawn.shape[1] / 2, drawn.shape[0] / 2), float(rng.normal(0, 2.0)), 1.0)
    drawn = cv2.warpAffine(drawn, turned, drawn.shape[1::-1], flags=cv2.INTER_AREA)
    x, y = ((np.add(place.at_mm, -reach) - low) * px_per_mm).round().astype(int)
    x0, y0 = max(x, 0), max(y, 0)
    x1, y1 = min(x + drawn.shape[1], table.shape[1]), min(y + drawn.shape[0], table.shape[0])
    drawn = drawn[y0 - y : y1 - y, x0 - x : x1 - x]
    cover = drawn[..., 3:] / 255
    shadow = cv2.GaussianBlur(np.roll(cover[..., 0], 5, axis=0), (0, 0), 5.0)[..., None]
    part = table[y0:y1, x0:x1]
    part *= 1 - 0.35 * shadow
    part *= 1 - cover
    part += drawn[..., :3] * cover
