"""A camera that trembles on its arm: each frame is warped back onto the accepted picture before they are compared.

Lucas and Kanade's method for a similarity: by the picture's gradients a shift, a turn and a zoom explain the residual,
but for what hands and cards cover. Larger motions are the camera's being moved, see `camera_motion`.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.tracking.masks import Mask, Planes

_MOST = 0.5
"""A motion farther than so many mask pixels is none that trembling makes."""
_LEAST = 0.02
"""One that is nowhere as far is none at all."""
_OUTLIER, _ITERATIONS = 15.0, 4
"""Grey levels of residual from which on a place shows another thing than before; so often it is solved anew."""
_RESIDUAL = 0.9
"""Where no more than this share of the squared residual is left, the camera trembled; shade explains nothing so."""
_BLOCKS, _TEXTURED = (8, 5), 5.0
"""Blocks of the picture, across and down, and the mean squared gradient of those that would show a motion.

A cup that stands on one card may look like a turn there, but moves no other.
"""
_EVERY_SECOND = np.s_[::2, ::2]
"""The mask pixels that are looked at."""
_RIDGE = 500.0
"""What the normal equations' diagonal is raised by: without texture nothing is said to move."""
_SMOOTHED_S = 0.5
"""The time constant by which it is told where the camera points for good."""
_ASIDE, _TREMBLING = 0.15, 0.1
"""Mask pixels by which it points aside for good, and from there trembles no farther."""


class Stabilizer:
    """Takes trembling out of frames.

    The gradients of the picture that frames are compared with are kept as long as it stays the same.
    """

    def __init__(self) -> None:
        self._reference: Planes | None = None
        self._jacobian = np.zeros((4, 0), np.float32)
        self._motion = self._smoothed = np.zeros(4)
        self._at_s = 0.0

    def stabilized(self, seen: Planes, accepted: Planes, now_s: float) -> Planes:
        """A frame (3, h, w) as it would look if the camera stood as it did for the accepted picture (3, h, w)."""
        self._motion = self._estimate(seen[1], accepted)
        weight = 1 - np.exp((self._at_s - now_s) / _SMOOTHED_S)
        self._smoothed, self._at_s = self._smoothed + weight * (self._motion - self._smoothed), now_s
        return np.stack([_warped_back(plane, self._motion) for plane in seen]) if self._motion.any() else seen

    def lasting_motion(self) -> NDArray[np.float64] | None:
        """See `ChangeDetector.lasting_motion`; in mask pixels."""
        is_aside = np.abs(self._smoothed).max() >= _ASIDE
        if self._reference is None or not is_aside or np.abs(self._motion - self._smoothed).max() > _TREMBLING:
            return None
        return np.vstack([_similarity(self._motion, *self._reference.shape[1:]), [0, 0, 1]])

    def forget(self) -> None:
        """The accepted picture is as the camera sees it now."""
        self._motion = self._smoothed = np.zeros(4)

    def _estimate(self, seen: NDArray[np.float32], accepted: Planes) -> NDArray[np.float64]:
        """How a frame's green (h, w) is moved, see `_similarity`; zeros where no motion explains the residual."""
        if self._reference is not accepted:
            self._reference, self._jacobian = accepted, _jacobian(accepted[1])
        motion, target = np.zeros(4), accepted[1][_EVERY_SECOND]
        residual = before = target - seen[_EVERY_SECOND]
        is_inlier = np.abs(before) < _OUTLIER
        least_explained = (1 - _RESIDUAL) * float(np.square(before[is_inlier]).sum())
        for iteration in range(_ITERATIONS):
            jacobian = self._jacobian * (np.abs(residual) < _OUTLIER).ravel()
            right_side = jacobian @ residual.ravel()
            step = np.linalg.solve(jacobian @ self._jacobian.T + _RIDGE * np.eye(4), right_side)
            motion += step
            if np.abs(motion).max() > _MOST or (iteration == 0 and step @ right_side < least_explained):
                return np.zeros(4)
            if np.abs(step).max() < _LEAST:
                break
            residual = target - _warped_back(seen, motion)[_EVERY_SECOND]
        explained = np.where(is_inlier, np.square(before) - np.square(residual), np.float32(0.0))
        is_motion = explained.sum() > least_explained and self._explains_most_blocks(explained, is_inlier)
        return motion if is_motion else np.zeros(4)

    def _explains_most_blocks(self, explained: NDArray[np.float32], is_inlier: Mask) -> bool:
        """Whether of most blocks with some texture a motion explains some of the squared residual (h, w)."""
        texture = np.square(self._jacobian[:2]).sum(0).reshape(is_inlier.shape) * is_inlier
        gains, textures = (cv2.resize(one, _BLOCKS, interpolation=cv2.INTER_AREA) for one in (explained, texture))
        is_textured = textures > _TEXTURED
        return bool(is_textured.any() and (gains[is_textured] > 0).mean() > 0.5)


def _jacobian(plane: NDArray[np.float32]) -> NDArray[np.float32]:
    """How a picture (h, w) changes with a shift to the right and down, a zoom and a turn (4, N), at N places."""
    down, across = np.zeros((2, *plane.shape), np.float32)
    down[1:-1] = (plane[2:] - plane[:-2]) / 2
    across[:, 1:-1] = (plane[:, 2:] - plane[:, :-2]) / 2
    h, w = plane.shape
    x, y = ((np.arange(side, dtype=np.float32) - (side - 1) / 2) / (w / 2) for side in (w, h))
    down, across, x, y = down[_EVERY_SECOND], across[_EVERY_SECOND], x[None, ::2], y[::2, None]
    return np.stack([across, down, across * x + down * y, down * x - across * y]).reshape(4, -1)


def _warped_back(plane: NDArray[np.float32], motion: NDArray[np.float64]) -> NDArray[np.float32]:
    """A picture (h, w) as it was before a motion."""
    h, w = plane.shape
    how = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    back = cv2.warpAffine(plane, _similarity(motion, h, w), (w, h), flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(back, np.float32)


def _similarity(motion: NDArray[np.float64], h: int, w: int) -> NDArray[np.float64]:
    """The map (2, 3) of a motion: shift to the right and down, zoom and turn in mask pixels at the right rim."""
    right, down, zoom, turn = motion * [1, 1, 2 / w, 2 / w]
    out = np.array([[1 + zoom, -turn, right], [turn, 1 + zoom, down]])
    middle = np.array([(w - 1) / 2, (h - 1) / 2])
    out[:, 2] += middle - out[:, :2] @ middle
    return out
