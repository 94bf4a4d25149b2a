"""A camera above the simulated table: where a point of the table, or above it, lands in the picture.

The table's frame is in mm, x to the right and y down as seen from above. Pixels have their origin at the centre of the
top left pixel. A pinhole without distortion: what a calibrated camera looks like after its lens has been straightened.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[Any]


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
        turn = _about_x(self.tilt_deg) @ _about_z(self.yaw_deg)
        nearest = turn @ np.array([-self.aim[0], -self.aim[1], -height_mm]) + (0.0, 0.0, self.distance_mm)
        focal = self.px_per_mm * self.distance_mm
        lens = np.array([[focal, 0, (self.size[0] - 1) / 2], [0, focal, (self.size[1] - 1) / 2], [0, 0, 1.0]])
        seen: Matrix = np.column_stack([turn[:, 0], turn[:, 1], nearest])
        return np.asarray(lens @ seen)

    def project(self, points_mm: npt.ArrayLike, height_mm: float = 0.0) -> npt.NDArray[Any]:
        """Points of the table, or of a plane above it, as pixels, ``(N, 2)``."""
        return applied(self.px_from_mm(height_mm), points_mm)

    def seen_mm(self) -> npt.NDArray[Any]:
        """The four corners of the picture on the table, ``(4, 2)``, clockwise from the top left."""
        right, bottom = self.size[0] - 1, self.size[1] - 1
        return applied(np.linalg.inv(self.px_from_mm()), [(0, 0), (right, 0), (right, bottom), (0, bottom)])


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
