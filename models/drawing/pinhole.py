"""A camera for one photograph: somewhere above the table, leaning and turned, with the tableau in its picture.

The film's camera (`companion.simulator.optics`) looks at the middle of its picture; this one aims any pixel at a point.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.deck import APOTHEM_MM

Points = NDArray[np.float64]

_RIM_PX = 12
"""What is seen keeps half of this from the picture's rims."""


def _projected(image_from_plane: Points, points_mm: Points) -> Points:
    points = np.asarray(points_mm, np.float64).reshape(1, -1, 2)
    return np.asarray(cv2.perspectiveTransform(points, image_from_plane)[0], np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Pinhole:
    """A pinhole over the table: ``image_from_table`` maps mm on the table's plane to a picture's pixels."""

    image_from_table: Points
    size: tuple[int, int]

    def project(self, points_mm: Points) -> Points:
        """Pixels (N, 2) of points (N, 2) on the table."""
        return _projected(self.image_from_table, points_mm)


@dataclass(frozen=True, slots=True, eq=False)
class Overhead:
    """A pinhole that knows heights: what lies higher is seen displaced.

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
        return _projected(self.image_from_plane(height_mm), points_mm)

    def flat(self) -> Pinhole:
        """The same camera for what lies on the table itself."""
        return Pinhole(self.image_from_plane(), self.size)


@dataclass(frozen=True, slots=True, eq=False)
class Stance:
    """How a camera is held: what it looks at in mm, how far it leans and turns, and how wide it sees."""

    size: tuple[int, int]
    look_at_mm: Points
    tilt_deg: float
    yaw_deg: float
    fov_deg: float

    def view(self, px_per_mm: float, aim_px: Points) -> Overhead:
        """The camera that sees the point it looks at in that scale, at that pixel."""
        w, h = self.size
        focal = 0.5 * w / np.tan(np.radians(self.fov_deg) / 2)
        rotation = _rotation(self.tilt_deg, self.yaw_deg)
        lens = np.array([[focal, 0, (w - 1) / 2], [0, focal, (h - 1) / 2], [0, 0, 1]])
        ray = np.linalg.inv(lens) @ np.array([aim_px[0], aim_px[1], 1.0])
        where = ray * (focal / px_per_mm)
        return Overhead(lens, rotation, where - rotation @ np.array([*self.look_at_mm, 0.0]), self.size)

    def aimed(self, across_px: float, aim_px: Points) -> Pinhole:
        """The camera that sees a card where it looks about ``across_px`` wide (edge to edge), at pixel ``aim_px``."""
        return self.view(across_px / (2 * APOTHEM_MM), aim_px).flat()

    def wandering_aim(self, core: Points, px_per_mm: float, rng: np.random.Generator) -> Points:
        """A pixel to aim at, as far from the middle as the room around the points (N, 2) allows."""
        room = np.maximum(np.array(self.size) - self._extent(core, px_per_mm) - _RIM_PX, 0) / 2
        return np.asarray(np.array(self.size) / 2 + rng.uniform(-1, 1, 2) * room * 0.9)

    def fitting(self, core: Points, px_per_mm: float, least: float) -> float:
        """The scale at which the points fit the picture, no larger than given; below ``least`` they may be cut."""
        while px_per_mm >= least and not (self._extent(core, px_per_mm) < np.array(self.size) - _RIM_PX).all():
            px_per_mm *= 0.93
        return px_per_mm

    def nudged_inside(self, core: Points, px_per_mm: float, aim_px: Points) -> Overhead:
        """The camera aimed there, then moved until the points lie inside: perspective shifts their box a little."""
        for _ in range(8):
            camera = self.view(px_per_mm, aim_px)
            box = camera.project(core)
            off = np.maximum(4 - box.min(0), 0) - np.maximum(box.max(0) - np.array(self.size) + 5, 0)
            if np.abs(off).max() < 0.5:
                break
            aim_px = aim_px + off
        return camera

    def _extent(self, core: Points, px_per_mm: float) -> Points:
        """How wide and high the points are in a picture aimed at its middle."""
        box = self.view(px_per_mm, np.array(self.size) / 2).project(core)
        return np.asarray(box.max(0) - box.min(0))


def framed(
    core: Points,
    size: tuple[int, int],
    rng: np.random.Generator,
    across_px: float | None,
    hardness: float,
    yaw_deg: float | None = None,
) -> Pinhole:
    """A camera with these points (N, 2) of the table in its picture.

    Args:
        core: the corners in mm of all that should be seen.
        size: the picture's width and height in pixels.
        rng: the only source of chance.
        across_px: a card's width where the camera looks, whether all fits then or not; None for one that fits.
        hardness: 0 for a camera held nearly level, 1 for one that may lean by 40 degrees.
        yaw_deg: from which side it looks; None for any.
    """
    tilt = _tilt(rng, hardness)
    yaw, fov = float(rng.uniform(0, 360)), float(rng.uniform(42, 74))
    stance = Stance(size, (core.min(0) + core.max(0)) / 2, tilt, yaw if yaw_deg is None else yaw_deg, fov)
    wide = 2 * APOTHEM_MM
    if across_px is not None:
        return stance.aimed(across_px, stance.wandering_aim(core, across_px / wide, rng))
    wanted = float(np.exp(rng.uniform(np.log(45), np.log(260)))) * size[0] / 1280
    scale = stance.fitting(core, wanted / wide, 40 * size[0] / 1280 / wide)
    return stance.nudged_inside(core, scale, stance.wandering_aim(core, scale, rng)).flat()


def overhead(
    core: Points, size: tuple[int, int], rng: np.random.Generator, px_per_mm: float | None, hardness: float
) -> Overhead:
    """A camera that knows heights with these points (N, 2) of the table in its picture; see `framed`.

    ``px_per_mm`` is the scale where the camera looks; None for one at which all fits.
    """
    tilt, fov = _tilt(rng, hardness), float(rng.uniform(42, 74))
    stance = Stance(size, (core.min(0) + core.max(0)) / 2, tilt, float(rng.uniform(0, 360)), fov)
    if px_per_mm is None:
        wanted = float(np.exp(rng.uniform(np.log(1.0), np.log(5.2)))) * size[0] / 1280
        px_per_mm = stance.fitting(core, wanted, 0.88 * size[0] / 1280)
    return stance.nudged_inside(core, px_per_mm, stance.wandering_aim(core, px_per_mm, rng))


def _tilt(rng: np.random.Generator, hardness: float) -> float:
    return float(rng.choice([rng.uniform(0, 12), rng.uniform(0, 40)])) * min(1.0, 0.3 + hardness)


def _rotation(tilt_deg: float, yaw_deg: float) -> Points:
    yaw, tilt = np.radians(yaw_deg), np.radians(tilt_deg)
    rz = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    rx = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    return np.asarray(rx @ rz)
