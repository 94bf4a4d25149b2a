"""Flat pieces seen straight on: the picture's colours at points of each piece's own unit frame."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from companion.vision.image.pyramid import Pyramid

Pose = tuple[np.ndarray, np.ndarray]
"""A piece's centre (2,) in pixels, and the affine map (2, 2) from its unit frame."""


@dataclass(frozen=True, slots=True, eq=False)
class Form:
    """A piece's shape.

    Attributes:
        unit: its corners (K, 2) in its unit frame.
        pose_of: the pose that fits an outline (K, 2) in pixels best.
    """

    unit: np.ndarray
    pose_of: Callable[[np.ndarray], Pose]


def sampled(pyramid: Pyramid, poses: Sequence[Pose], points: np.ndarray, step: float) -> np.ndarray:
    """Colours at points of every piece's unit frame, from the picture at the scale that suits its size.

    Args:
        pyramid: the picture.
        poses: of the pieces.
        points: (P, 2) in the unit frame.
        step: how far apart the points lie there.

    Returns:
        (N, P, 3) float32, 0..255.
    """
    levels = [pyramid.level_for(float(np.sqrt(abs(np.linalg.det(affine)))) * step) for _, affine in poses]
    colours = np.zeros((len(poses), len(points), 3), np.float32)
    for level in set(levels):
        chosen = [i for i in range(len(poses)) if levels[i] == level]
        places = np.stack([points @ poses[i][1].T + poses[i][0] for i in chosen])
        colours[chosen] = pyramid.sample(places, level)
    return colours


def grid(width: int, height: int, reach: tuple[float, float]) -> np.ndarray:
    """The middles (height * width, 2) of a view's pixels, row by row; the view reaches so far to each side."""
    x = ((np.arange(width) + 0.5) / width * 2 - 1) * reach[0]
    y = ((np.arange(height) + 0.5) / height * 2 - 1) * reach[1]
    return np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
