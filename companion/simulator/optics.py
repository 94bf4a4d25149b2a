"""A camera above the simulated table: where it stands, and where a point lands in its picture.

The table's frame is in mm, x to the right and y down as seen from above. Pixels have their origin at the centre of the
top left pixel. A pinhole without distortion: what a calibrated camera looks like after its lens has been corrected.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from companion.simulator.gestures import Point
from companion.simulator.lying import Pose

Matrix = npt.NDArray[Any]
RIM_MM = 26.0
"""Free room between the outermost thing's edge and the picture's."""
_BEYOND_MM = 110.0
"""How far outside the picture an idle hand waits."""
LARGEST_PX_PER_MM = 1.6


@dataclass(frozen=True, slots=True)
class Camera:
    """Where the camera stands and what it sees.

    Attributes:
        size: width and height of its pictures in pixels.
        px_per_mm: the scale on the table where the camera looks at.
        aim: the point of the table in the picture's middle.
        distance_mm: from the lens to that point.
        tilt_deg: how far it leans from looking straight down, towards the picture's top.
        yaw_deg: how far it is turned around its line of sight.
    """

    size: tuple[int, int] = (1280, 720)
    px_per_mm: float = 1.35
    aim: tuple[float, float] = (0.0, 0.0)
    distance_mm: float = 900.0
    tilt_deg: float = 6.0
    yaw_deg: float = 0.0

    def px_from_mm(self, height_mm: float = 0.0) -> Matrix:
        """The homography from the plane ``height_mm`` above the table to pixels.

        >>> at = Camera(tilt_deg=0, aim=(10, 20)).px_from_mm() @ (10, 20, 1)
        >>> (at / at[2]).tolist()
        [639.5, 359.5, 1.0]
        """
        return _px_from_mm(self, height_mm)

    def project(self, points_mm: npt.ArrayLike, height_mm: float = 0.0) -> npt.NDArray[Any]:
        """Points of the table, or of a plane above it, as pixels, ``(N, 2)``."""
        return applied(self.px_from_mm(height_mm), points_mm)

    def seen_mm(self) -> npt.NDArray[Any]:
        """The four corners of the picture on the table, ``(4, 2)``, clockwise from the top left."""
        right, bottom = self.size[0] - 1, self.size[1] - 1
        return applied(np.linalg.inv(self.px_from_mm()), [(0, 0), (right, 0), (right, bottom), (0, bottom)])


@lru_cache(256)
def _px_from_mm(camera: Camera, height_mm: float) -> Matrix:
    """See `Camera.px_from_mm`: a film asks for the same few heights in every frame. The answer is read only."""
    turn = _about_x(camera.tilt_deg) @ _about_z(camera.yaw_deg)
    nearest = turn @ np.array([-camera.aim[0], -camera.aim[1], -height_mm]) + (0.0, 0.0, camera.distance_mm)
    focal = camera.px_per_mm * camera.distance_mm
    lens = np.array([[focal, 0, (camera.size[0] - 1) / 2], [0, focal, (camera.size[1] - 1) / 2], [0, 0, 1.0]])
    matrix = np.asarray(lens @ np.column_stack([turn[:, 0], turn[:, 1], nearest]))
    matrix.flags.writeable = False
    return matrix


def applied(homography: Matrix, points: npt.ArrayLike) -> npt.NDArray[Any]:
    """Points ``(N, 2)`` through a homography."""
    flat = np.asarray(points, np.float64).reshape(-1, 2)
    mapped = np.column_stack([flat, np.ones(len(flat))]) @ homography.T
    return (mapped[:, :2] / mapped[:, 2:]).astype(np.float32)


def placed(at: tuple[float, float], turn_deg: float) -> Matrix:
    """From a thing's own frame to the table's: turned clockwise as seen, then put at a point."""
    turn = _about_z(turn_deg)
    turn[:2, 2] = at
    return turn


def mm_from_px(left_mm: float, top_mm: float, px_per_mm: float) -> Matrix:
    """From a drawing's pixels to the mm it was drawn from (see `companion.printing.raster.raster`)."""
    return np.array(
        [[1 / px_per_mm, 0, left_mm + 0.5 / px_per_mm], [0, 1 / px_per_mm, top_mm + 0.5 / px_per_mm], [0, 0, 1]]
    )


def _about_z(angle_deg: float) -> Matrix:
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _about_x(angle_deg: float) -> Matrix:
    c, s = math.cos(math.radians(angle_deg)), math.sin(math.radians(angle_deg))
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def viewpoint(
    points: Sequence[Point],
    size: tuple[int, int],
    rng: np.random.Generator,
    *,
    around_mm: float,
    beside_mm: float = 0.0,
    yaws_deg: Iterable[float] | None = None,
    largest: float = LARGEST_PX_PER_MM,
) -> Camera:
    """A camera with some tilt, turned so that the points fill the picture best and lying in its middle.

    Args:
        points: what must be seen, in mm on the table.
        size: width and height of the pictures.
        rng: the only source of chance.
        around_mm: free room around every point.
        beside_mm: how much wider the picture must be, for a deck.
        yaws_deg: how the camera may be turned; any way when None.
        largest: pixels for a millimetre in pictures 1280 wide, at the most.
    """
    seen = np.array(points, np.float64)
    start = float(rng.uniform(0, 60))
    tilt = float(rng.uniform(4, 9))
    ways = [start + step for step in range(0, 180, 10)] if yaws_deg is None else list(yaws_deg)
    yaw = max(ways, key=lambda deg: _fit(seen, deg, size, 2 * around_mm, beside_mm)[0])
    scale, aim = _fit(seen, yaw, size, 2 * around_mm, beside_mm)
    scale = min(0.94 * scale, largest * size[0] / 1280)
    return Camera(size, scale, aim, 1150 / scale, tilt, yaw)


def seats(camera: Camera, count: int) -> tuple[Point, ...]:
    """Places outside the picture from which hands come, the near side first, then across and to the sides."""
    top_left, top_right, bottom_right, bottom_left = (corner.astype(float) for corner in camera.seen_mm())
    near, far = (bottom_left + bottom_right) / 2, (top_left + top_right) / 2
    left, right = (top_left + bottom_left) / 2, (top_right + bottom_right) / 2
    around = (near, far, left, right, bottom_left, top_right)
    return tuple(_beyond(around[k % len(around)], camera.aim) for k in range(count))


def deck_place(camera: Camera, points: Sequence[Point], deck_mm: float) -> Pose:
    """A place near the picture's rim for a deck of that radius, as far from all points as can be."""
    inset = deck_mm * camera.px_per_mm
    right, bottom = camera.size[0] - 1 - inset, camera.size[1] - 1 - inset
    rim = [(x, y) for x, y in product(np.linspace(inset, right, 9), np.linspace(inset, bottom, 6))]
    centres = camera.project(points)
    free = [min(math.hypot(x - cx, y - cy) for cx, cy in centres) for x, y in rim]
    near_rim = [min(x - inset, right - x, y - inset, bottom - y) for x, y in rim]
    best = rim[max(range(len(rim)), key=lambda k: free[k] - 0.5 * near_rim[k])]
    on_table = np.linalg.inv(camera.px_from_mm()) @ (*best, 1.0)
    return Pose(float(on_table[0] / on_table[2]), float(on_table[1] / on_table[2]), 17.0)


def _fit(
    centres: npt.NDArray[np.float64], yaw_deg: float, size: tuple[int, int], room_mm: float, beside_mm: float
) -> tuple[float, Point]:
    """The scale at which the points fit a picture turned by that yaw, and the place in their middle."""
    c, s = math.cos(math.radians(yaw_deg)), math.sin(math.radians(yaw_deg))
    turn = np.array([[c, -s], [s, c]])
    turned = centres @ turn.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    scale = min(size[0] / (high[0] - low[0] + room_mm + beside_mm), size[1] / (high[1] - low[1] + room_mm))
    x, y = turn.T @ ((low + high) / 2)
    return float(scale), (float(x), float(y))


def _beyond(corner: npt.NDArray[np.float64], aim: Point) -> Point:
    outwards = corner - aim
    x, y = corner + outwards / np.linalg.norm(outwards) * _BEYOND_MM
    return float(x), float(y)
