"""A camera for photographs in which things have a height: what lies higher is seen displaced.

Like `models.drawing.pinhole`, which knows the table's plane alone.
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

Points = npt.NDArray[Any]

_NARROWEST_PX = 110.0


@dataclass(frozen=True, slots=True, eq=False)
class Overhead:
    """A pinhole over the table.

    Attributes:
        lens: (3, 3) intrinsics.
        rotation: (3, 3) from the table's axes (z into the table) to the camera's.
        shift: (3,) the table's origin as the camera sees it.
        size: of its pictures.
    """

    lens: Points
    rotation: Points
    shift: Points
    size: tuple[int, int]

    def image_from_plane(self, height_mm: float = 0.0) -> Points:
        """The homography from mm on the plane so high above the table to pixels."""
        lifted = self.shift - height_mm * self.rotation[:, 2]
        return np.asarray(self.lens @ np.column_stack([self.rotation[:, 0], self.rotation[:, 1], lifted]))

    def project(self, points_mm: Points, height_mm: float = 0.0) -> Points:
        """Pixels (N, 2) of points (N, 2) so high above the table."""
        points = np.asarray(points_mm, np.float64).reshape(1, -1, 2)
        return np.asarray(cv2.perspectiveTransform(points, self.image_from_plane(height_mm))[0])


@dataclass(frozen=True, slots=True, eq=False)
class _Stance:
    size: tuple[int, int]
    look_at_mm: Points
    rotation: Points
    focal_px: float

    def aimed(self, px_per_mm: float, aim_px: Points) -> Overhead:
        """The camera that sees the point looked at in that scale, at that pixel."""
        w, h = self.size
        lens = np.array([[self.focal_px, 0, (w - 1) / 2], [0, self.focal_px, (h - 1) / 2], [0, 0, 1.0]])
        ray = np.linalg.inv(lens) @ np.array([aim_px[0], aim_px[1], 1.0])
        where = ray * (self.focal_px / px_per_mm)
        return Overhead(lens, self.rotation, where - self.rotation @ np.array([*self.look_at_mm, 0.0]), self.size)


def overhead(
    core: Points, size: tuple[int, int], rng: np.random.Generator, px_per_mm: float | None, hardness: float
) -> Overhead:
    """A camera with these points (N, 2) of the table in its picture.

    Args:
        core: the corners in mm of all that should be seen.
        size: the picture's width and height in pixels.
        rng: the only source of chance.
        px_per_mm: the scale where the camera looks; None for one at which all fits.
        hardness: 0 for a camera held nearly level, 1 for one that may lean by 40 degrees.
    """
    tilt = float(rng.choice([rng.uniform(0, 12), rng.uniform(0, 40)])) * min(1.0, 0.3 + hardness)
    focal = 0.5 * size[0] / np.tan(np.radians(float(rng.uniform(42, 74))) / 2)
    rotation = _rotation(tilt, float(rng.uniform(0, 360)))
    stance = _Stance(size, (core.min(0) + core.max(0)) / 2, rotation, float(focal))
    if px_per_mm is None:
        wanted = float(np.exp(rng.uniform(np.log(1.0), np.log(5.2)))) * size[0] / 1280
        px_per_mm = _fitting(stance, core, wanted)
    room = np.maximum(np.array(size) - _extent(stance, core, px_per_mm) - 12, 0) / 2
    return _nudged_inside(stance, core, px_per_mm, np.array(size) / 2 + rng.uniform(-1, 1, 2) * room * 0.9)


def _rotation(tilt_deg: float, yaw_deg: float) -> Points:
    yaw, tilt = np.radians(yaw_deg), np.radians(tilt_deg)
    about_z = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    return np.asarray(about_x @ about_z)


def _extent(stance: _Stance, core: Points, px_per_mm: float) -> Points:
    box = stance.aimed(px_per_mm, np.array(stance.size) / 2).project(core)
    return np.asarray(box.max(0) - box.min(0))


def _fitting(stance: _Stance, core: Points, px_per_mm: float) -> float:
    """The scale at which the points fit the picture, no larger than wanted; where cases get tiny they may be cut."""
    w, h = stance.size
    least = _NARROWEST_PX / 125 * w / 1280
    while px_per_mm >= least and not (_extent(stance, core, px_per_mm) < [w - 12, h - 12]).all():
        px_per_mm *= 0.93
    return px_per_mm


def _nudged_inside(stance: _Stance, core: Points, px_per_mm: float, aim_px: Points) -> Overhead:
    """The camera aimed there, then moved until the points lie inside: perspective shifts their box a little."""
    w, h = stance.size
    for _ in range(8):
        box = stance.aimed(px_per_mm, aim_px).project(core)
        off = np.maximum(4 - box.min(0), 0) - np.maximum(box.max(0) - np.array([w - 5, h - 5]), 0)
        aim_px = aim_px + off
        if np.abs(off).max() < 0.5:
            break
    return stance.aimed(px_per_mm, aim_px)
