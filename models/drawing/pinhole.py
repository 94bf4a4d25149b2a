"""A camera for one photograph: somewhere above the table, leaning and turned, with the tableau in its picture.

The film's camera (`companion.simulator.optics`) looks at the middle of its picture and knows heights above the table;
this one aims any pixel at a point and knows the table's plane alone, which is all that flat cards need.
"""

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from companion.games.hexel.deck import APOTHEM_MM

Points = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Pinhole:
    """A pinhole over the table: ``image_from_table`` maps mm on the table's plane to a picture's pixels."""

    image_from_table: Points
    size: tuple[int, int]

    def project(self, points_mm: Points) -> Points:
        """Pixels (N, 2) of points (N, 2) on the table."""
        points = np.asarray(points_mm, np.float64).reshape(1, -1, 2)
        return np.asarray(cv2.perspectiveTransform(points, self.image_from_table)[0])


@dataclass(frozen=True, slots=True, eq=False)
class Stance:
    """How a camera is held: what it looks at in mm, how far it leans and turns, and how wide it sees."""

    size: tuple[int, int]
    look_at_mm: Points
    tilt_deg: float
    yaw_deg: float
    fov_deg: float

    def aimed(self, across_px: float, aim_px: Points) -> Pinhole:
        """The camera that sees a card where it looks about ``across_px`` wide (edge to edge), at pixel ``aim_px``."""
        w, h = self.size
        focal = 0.5 * w / np.tan(np.radians(self.fov_deg) / 2)
        rotation = _rotation(self.tilt_deg, self.yaw_deg)
        lens = np.array([[focal, 0, (w - 1) / 2], [0, focal, (h - 1) / 2], [0, 0, 1]])
        ray = np.linalg.inv(lens) @ np.array([aim_px[0], aim_px[1], 1.0])
        where = ray * (focal * 2 * APOTHEM_MM / across_px)
        moved = where - rotation @ np.array([self.look_at_mm[0], self.look_at_mm[1], 0.0])
        return Pinhole(lens @ np.column_stack([rotation[:, 0], rotation[:, 1], moved]), self.size)


def framed(
    core: Points, size: tuple[int, int], rng: np.random.Generator, across_px: float | None, hardness: float
) -> Pinhole:
    """A camera with these points (N, 2) of the table in its picture.

    Args:
        core: the corners in mm of all that should be seen.
        size: the picture's width and height in pixels.
        rng: the only source of chance.
        across_px: a card's width where the camera looks, whether all fits then or not; None for one that fits.
        hardness: 0 for a camera held nearly level, 1 for one that may lean by 40 degrees.
    """
    tilt = float(rng.choice([rng.uniform(0, 12), rng.uniform(0, 40)])) * min(1.0, 0.3 + hardness)
    yaw, fov = float(rng.uniform(0, 360)), float(rng.uniform(42, 74))
    stance = Stance(size, (core.min(0) + core.max(0)) / 2, tilt, yaw, fov)
    if across_px is not None:
        return stance.aimed(across_px, _wandering_aim(stance, core, across_px, rng))
    wanted = _fitting(stance, core, float(np.exp(rng.uniform(np.log(45), np.log(260)))) * size[0] / 1280)
    return _nudged_inside(stance, core, wanted, _wandering_aim(stance, core, wanted, rng))


def _rotation(tilt_deg: float, yaw_deg: float) -> Points:
    yaw, tilt = np.radians(yaw_deg), np.radians(tilt_deg)
    rz = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1]])
    rx = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    return np.asarray(rx @ rz)


def _middle(size: tuple[int, int]) -> Points:
    return np.array([size[0] / 2, size[1] / 2])


def _extent(stance: Stance, core: Points, across_px: float) -> Points:
    """How wide and high the points are in a picture aimed at its middle."""
    box = stance.aimed(across_px, _middle(stance.size)).project(core)
    return np.asarray(box.max(0) - box.min(0))


def _fitting(stance: Stance, core: Points, wanted: float) -> float:
    """A card's width at which the points fit the picture, no larger than wanted; cards of 40 px may be cut."""
    w, h = stance.size
    while wanted >= 40 * w / 1280 and not (_extent(stance, core, wanted) < [w - 12, h - 12]).all():
        wanted *= 0.93
    return wanted


def _wandering_aim(stance: Stance, core: Points, across_px: float, rng: np.random.Generator) -> Points:
    """A pixel to aim at, as far from the middle as the room around the points allows."""
    room = np.maximum(np.array(stance.size) - _extent(stance, core, across_px) - 12, 0) / 2
    return np.asarray(_middle(stance.size) + rng.uniform(-1, 1, 2) * room * 0.9)


def _nudged_inside(stance: Stance, core: Points, across_px: float, aim_px: Points) -> Pinhole:
    """The camera aimed there, then moved until the points lie inside: perspective shifts their box a little."""
    w, h = stance.size
    for _ in range(8):
        camera = stance.aimed(across_px, aim_px)
        box = camera.project(core)
        off = np.maximum(4 - box.min(0), 0) - np.maximum(box.max(0) - np.array([w - 5, h - 5]), 0)
        if np.abs(off).max() < 0.5:
            break
        aim_px = aim_px + off
    return camera
