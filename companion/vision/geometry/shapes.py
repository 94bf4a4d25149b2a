"""Flat pieces in a picture: their shapes, the codes of their poses, and points under a homography.

A detector answers an affine pose ``A = S R(t)`` by five numbers that do not tell turns which leave the piece as it is:
the logarithm of the symmetric ``S`` (3 numbers), and ``cos nt, sin nt`` for a piece that looks alike after an n-th of a
turn. What perspective does to it is one more vector (2 numbers), in the picture's axes.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CODE_SCALE = (1.0, 2.0, 1.0, 0.5, 0.5, 4.0, 4.0)
"""What training multiplies the numbers of a code with, so that all matter alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The shape of a piece in its unit frame.

    Attributes:
        unit: its corners (K, 2), clockwise with y down.
        symmetry: in how many turns within a full one it looks the same.
        width: from side to side, in the unit frame.
    """

    unit: Array
    symmetry: int
    width: float

    def pose_of(self, corners: NDArray[np.floating]) -> tuple[Array, Array]:
        """Centres (..., 2) and the affine maps (..., 2, 2) from the unit frame that fit outlines (..., K, 2) best."""
        outlines = np.asarray(corners, np.float64)
        centres = outlines.mean(-2)
        fit = self.unit @ np.linalg.inv(self.unit.T @ self.unit)
        return centres, (outlines - centres[..., None, :]).swapaxes(-1, -2) @ fit

    def width_px(self, corners: NDArray[np.floating]) -> Array:
        """The widths (...) of outlines (..., K, 2) in pixels, as if seen straight on."""
        return np.asarray(self.width * np.sqrt(np.abs(np.linalg.det(self.pose_of(corners)[1]))))

    def tilt_deg(self, corners: NDArray[np.floating]) -> Array:
        """How far pieces with outlines (..., K, 2) are tilted from being seen straight on, in degrees (...).

        >>> round(float(SQUARE.tilt_deg(SQUARE.unit * [2, 1])))
        60
        """
        longest, shortest = np.moveaxis(np.linalg.svd(self.pose_of(corners)[1], compute_uv=False), -1, 0)
        return np.asarray(np.degrees(np.arccos(shortest / np.maximum(longest, 1e-9))))

    def pose_code(self, corners: NDArray[np.floating]) -> tuple[Array, Array, Array]:
        """The centre (2,), the pose's code (5,) and the affine map (2, 2) of an outline (K, 2)."""
        centre, affine = self.pose_of(corners)
        return centre, affine_code(affine, self.symmetry), affine

    def corners_from_code(self, centres: Array, codes: Array) -> Array:
        """The outlines (..., K, 2) of centres (..., 2) and codes (..., 5 or 7), up to where they begin.

        >>> hexagon = HEXAGON.unit * [40, 30] + [100, 50]
        >>> bool(np.allclose(HEXAGON.corners_from_code(*HEXAGON.pose_code(hexagon)[:2]), hexagon))
        True
        >>> quad = np.array([[0.0, 0], [100, 10], [90, 80], [5, 70]])
        >>> bool(np.allclose(SQUARE.corners_from_code(*quad_code(quad)), quad, atol=1e-3))
        True
        """
        codes = np.asarray(codes, np.float64)
        affines = affines_from_code(codes[..., :5], self.symmetry)
        points = self.unit @ affines.swapaxes(-1, -2)
        if codes.shape[-1] > 5:
            away = (codes[..., None, 5:7] @ affines)[..., 0, :] / np.sqrt(np.abs(np.linalg.det(affines)))[..., None]
            points = points / np.maximum(1 + away @ self.unit.T, 0.2)[..., None]
        return np.asarray(np.asarray(centres)[..., None, :] + points)


_ANGLES = np.radians(np.arange(6) * 60.0 - 30.0)
HEXAGON = Shape(np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], 1), 6, float(np.sqrt(3.0)))
"""Of circumradius 1; edge 0, from corner 0 to corner 1, looks to the right."""
SQUARE = Shape(np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]), 4, 2.0)
"""Of side 2, the first corner at the top left."""


def quad_code(corners: NDArray[np.floating]) -> tuple[Array, Array]:
    """The middle as seen (2,) and the code (7,) of a square under perspective, its corners (4, 2) clockwise."""
    m = homography(corners)
    m = m / m[2, 2]
    centre, away = m[:2, 2], m[2, :2]
    affine = m[:2, :2] - np.outer(centre, away)
    perspective = np.linalg.solve(affine.T, away) * np.sqrt(abs(np.linalg.det(affine)))
    return centre, np.concatenate([affine_code(affine, 4), perspective])


def homography(corners: NDArray[np.floating]) -> Array:
    """The homography (3, 3) from the unit square to a quad (4, 2)."""
    unit = SQUARE.unit.astype(np.float32)
    return cv2.getPerspectiveTransform(unit, np.asarray(corners, np.float32)).astype(np.float64)


def mapped(target_from_source: NDArray[np.floating], points: NDArray[np.floating]) -> Array:
    """Points (..., 2) under a homography (3, 3)."""
    homogeneous = points @ target_from_source[:, :2].T + target_from_source[:, 2]
    return np.asarray(homogeneous[..., :2] / homogeneous[..., 2:])


def areas(polygons: NDArray[np.floating]) -> Array:
    """Signed areas of polygons (..., K, 2), positive when clockwise with y down."""
    after = np.concatenate([polygons[..., 1:, :], polygons[..., :1, :]], axis=-2)
    return np.asarray(0.5 * (polygons[..., 0] * after[..., 1] - polygons[..., 1] * after[..., 0]).sum(axis=-1))


def side_px(corners: NDArray[np.floating]) -> float:
    """The mean length of an outline's sides (K, 2)."""
    return float(np.mean(np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)))


def affine_code(affine: Array, symmetry: int) -> Array:
    """The code (5,) of an affine map (2, 2), the same for every turn that leaves the piece as it is.

    By polar decomposition: the logarithm of its symmetric part (xx, xy, yy), and the cosine and sine of its turn times
    ``symmetry``, how many turns leave the piece as it is.
    """
    values, vectors = np.linalg.eigh(affine @ affine.T)
    log_s = vectors @ np.diag(0.5 * np.log(values)) @ vectors.T
    turn = vectors @ np.diag(values**-0.5) @ vectors.T @ affine
    t = symmetry * np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])
    return np.array([log_s[0, 0], log_s[0, 1], log_s[1, 1], np.cos(t), np.sin(t)])


def affines_from_code(codes: Array, symmetry: int) -> Array:
    """The affine maps (..., 2, 2) of codes (..., 5), each up to a turn that leaves the piece as it is."""
    xx, xy, yy, cos, sin = np.moveaxis(codes, -1, 0)
    values, vectors = np.linalg.eigh(np.stack([np.stack([xx, xy], -1), np.stack([xy, yy], -1)], -2))
    s = (vectors * np.exp(values)[..., None, :]) @ vectors.swapaxes(-1, -2)
    t = np.arctan2(sin, cos) / symmetry
    turn = np.stack([np.stack([np.cos(t), -np.sin(t)], -1), np.stack([np.sin(t), np.cos(t)], -1)], -2)
    return np.asarray(s @ turn)
