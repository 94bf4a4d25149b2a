"""Cards' frames: planes in which a card is an upright rectangle or a regular hexagon, about as large as on the picture.

Also fits homographies, of many cards at once.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import following

Floats = NDArray[np.float64]

_HEXAGON_SIZE = 1.25
"""The size of a hexagon in lengths of its side; of a rectangle it is the root of its area."""
_TURNS = np.radians(np.arange(6) * 60.0)
UNIT_HEXAGON = np.stack([np.cos(_TURNS), np.sin(_TURNS)], 1)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A card's frame.

    Attributes:
        corners: (N, 2) of the card in the frame.
        size: the card's, in the frame's units, which are about pixels.
        picture_from_frame: homography (3, 3).
    """

    corners: Floats
    size: float
    picture_from_frame: Floats

    @staticmethod
    def of(corners: Floats) -> "Frame":
        """The frame of a card whose corners (4 or 6, 2) on the picture are known roughly."""
        return frames_of(np.asarray(corners)[None])[0]

    def to_picture(self, points: Floats) -> Floats:
        """Points (..., 2) of the frame on the picture."""
        return projected(self.picture_from_frame, points)

    def from_picture(self, points: Floats) -> Floats:
        """Points (..., 2) of the picture in the frame."""
        return projected(np.asarray(np.linalg.inv(self.picture_from_frame)), points)

    def side_frames(self) -> tuple[Floats, Floats, Floats]:
        """Where the sides begin, their vectors and the unit vectors inwards, each (N, 2) in the frame."""
        along = following(self.corners) - self.corners
        return self.corners, along, inwards_of(along)


def frames_of(outlines: Floats) -> list[Frame]:
    """The frames of cards whose corners (M, 4 or 6, 2) on the picture are known roughly; see `Frame.of`."""
    outlines = np.asarray(outlines, np.float64)
    sides = np.linalg.norm(following(outlines) - outlines, axis=2)
    if outlines.shape[1] == 4:
        wide, high = np.maximum(1.0, (sides[:, :2] + sides[:, 2:]) / 2).T
        flat, sizes = np.zeros(outlines.shape), np.sqrt(wide * high)
        flat[:, 1:3, 0], flat[:, 2:, 1] = wide[:, None], high[:, None]
        pairs = zip(flat.astype(np.float32), outlines.astype(np.float32), strict=True)
        homographies = [np.asarray(cv2.getPerspectiveTransform(*pair), np.float64) for pair in pairs]
    else:
        side = np.maximum(1.0, sides.mean(1))
        flat, sizes = side[:, None, None] * UNIT_HEXAGON, side * _HEXAGON_SIZE
        homographies = list(fit_homographies(flat, outlines))
    return [Frame(*of_card) for of_card in zip(flat, sizes.tolist(), homographies, strict=True)]


def inwards_of(along: Floats) -> Floats:
    """The unit vectors (..., 2) to the inside of sides (..., 2)."""
    across = np.stack([-along[..., 1], along[..., 0]], -1)
    return np.asarray(across / np.linalg.norm(along, axis=-1, keepdims=True))


def projected(homographies: Floats, points: Floats) -> Floats:
    """Points (..., P, 2) under homographies (..., 3, 3)."""
    at = points @ homographies[..., :2].swapaxes(-1, -2) + homographies[..., None, :, 2]
    return np.asarray(at[..., :2] / at[..., 2:])


def fit_homography(source: Floats, target: Floats, weights: Floats | None = None) -> Floats:
    """The homography (3, 3) that takes points (P, 2) nearest to others; see `fit_homographies`."""
    return np.asarray(fit_homographies(source[None], target[None], None if weights is None else weights[None])[0])


def fit_homographies(source: Floats, target: Floats, weights: Floats | None = None) -> Floats:
    """The homographies (M, 3, 3) that take points nearest to others, by least squares of the algebraic error.

    Args:
        source: (M, P, 2), P >= 4 points of each.
        target: (M, P, 2), where they should lie.
        weights: (M, P) of each point; all alike when None.
    """
    unit_from_source, unit_from_target = _to_unit(source), _to_unit(target)
    places = np.ones((*source.shape[:2], 3))
    places[..., :2] = projected(unit_from_source, source)
    wanted = projected(unit_from_target, target)
    rows = np.zeros((len(source), 2, source.shape[1], 9))
    for axis in (0, 1):
        rows[:, axis, :, 3 * axis : 3 * axis + 3] = places
        rows[:, axis, :, 6:] = -wanted[..., axis, None] * places
    if weights is not None:
        rows *= np.sqrt(weights)[:, None, :, None]
    equations = rows.reshape(len(source), -1, 9)
    _, vectors = np.linalg.eigh(equations.swapaxes(1, 2) @ equations)
    return np.asarray(np.linalg.inv(unit_from_target) @ vectors[..., 0].reshape(-1, 3, 3) @ unit_from_source)


def _to_unit(points: Floats) -> Floats:
    """The maps (M, 3, 3) that take points (M, P, 2) to about the unit circle."""
    middle = points.mean(1)
    spread = np.sqrt(((points - middle[:, None]) ** 2).sum(2).mean(1))
    scale = 1.0 / np.maximum(1e-9, spread)
    maps = np.zeros((len(points), 3, 3))
    maps[:, 0, 0] = maps[:, 1, 1] = scale
    maps[:, :2, 2] = -scale[:, None] * middle
    maps[:, 2, 2] = 1
    return maps
