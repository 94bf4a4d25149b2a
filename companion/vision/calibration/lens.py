"""How a lens bends what it sees: pixels of a picture to those of a straightened one, and back.

The straightened picture has the same size and the same focal length. The model is Brown's, with the five numbers in
OpenCV's order k1, k2, p1, p2, k3 (D. C. Brown, Close-Range Camera Calibration, 1971).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ROUNDS = 40


@dataclass(frozen=True, slots=True)
class Lens:
    """A lens on its sensor, for pictures of one size.

    Attributes:
        focal_px: across and down.
        centre_px: where the line of sight meets the picture.
        distortion: k1, k2, p1, p2, k3.
        rms_px: how far, in the mean, the board's corners lay from where this lens would show them.
        pictures: how many pictures of the board told this.
    """

    focal_px: tuple[float, float]
    centre_px: tuple[float, float]
    distortion: tuple[float, float, float, float, float]
    rms_px: float
    pictures: int

    def matrix(self) -> Array:
        """The 3x3 camera matrix."""
        (fx, fy), (cx, cy) = self.focal_px, self.centre_px
        return np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])

    def bent(self, straight_px: NDArray[np.floating]) -> Array:
        """Where the picture shows points (..., 2) of the straightened one."""
        return self._px(self._bent(self._rays(straight_px)))

    def straightened(self, points_px: NDArray[np.floating]) -> Array:
        """Points (..., 2) of the picture in the straightened one."""
        seen = self._rays(points_px)
        straight = seen
        for _ in range(_ROUNDS):
            straight = np.clip(straight + (seen - self._bent(straight)), -4.0, 4.0)
        return self._px(straight)

    def scaled(self, factor: float) -> "Lens":
        """The same lens for pictures of another size; pixels count from their centres."""
        (fx, fy), (cx, cy) = self.focal_px, self.centre_px
        centre = ((cx + 0.5) * factor - 0.5, (cy + 0.5) * factor - 0.5)
        return Lens((fx * factor, fy * factor), centre, self.distortion, self.rms_px * factor, self.pictures)

    def _rays(self, points_px: NDArray[np.floating]) -> Array:
        return np.asarray((np.asarray(points_px, np.float64) - self.centre_px) / self.focal_px)

    def _px(self, rays: Array) -> Array:
        return np.asarray(rays * self.focal_px + self.centre_px)

    def _bent(self, rays: Array) -> Array:
        k1, k2, p1, p2, k3 = self.distortion
        x, y = rays[..., 0], rays[..., 1]
        r2 = x * x + y * y
        radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
        bent_x = x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x)
        bent_y = y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y
        return np.stack([bent_x, bent_y], axis=-1)
