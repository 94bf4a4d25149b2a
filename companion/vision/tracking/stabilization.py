"""A camera that trembles on its arm: each frame is brought back onto the accepted picture before they are compared.

Lucas and Kanade's method for a similarity: by the picture's gradients a shift, a turn and a zoom explain what differs,
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
_OTHER, _ROUNDS = 15.0, 4
"""Grey levels from which on a place shows another thing than before; so often is that looked at anew."""
_BETTER = 0.9
"""Where no more than this share of the squared differences is left, the camera trembled; shade explains nothing so."""
_PARTS, _TEXTURED = (8, 5), 5.0
"""Parts of the picture, across and down, and the mean squared slope of those that would show a motion.

A cup that stands on one card may look like a turn there, but moves no other.
"""
_SOME = np.s_[::2, ::2]
"""Places that are looked at."""
_STIFFNESS = 500.0
"""What the squared gradients are added to: without texture nothing is said to move."""
_USUAL_S = 0.5
"""Where the camera usually points is told from so long ago on."""
_ASIDE, _TREMBLING = 0.15, 0.1
"""Mask pixels by which it points aside for good, and from there trembles no farther."""


class Stabilizer:
    """Takes trembling out of frames.

    The gradients of the picture that frames are compared with are kept as long as it stays the same.
    """

    def __init__(self) -> None:
        self._of: Planes | None = None
        self._slopes = np.zeros((4, 0), np.float32)
        self._motion = self._usual = np.zeros(4)
        self._at_s = 0.0

    def stabilized(self, seen: Planes, accepted: Planes, now_s: float) -> Planes:
        """A frame (3, h, w) as it would look if the camera stood as it did for the accepted picture (3, h, w)."""
        self._motion = self._motion_of(seen[1], accepted)
        new = 1 - np.exp((self._at_s - now_s) / _USUAL_S)
        self._usual, self._at_s = self._usual + new * (self._motion - self._usual), now_s
        return np.stack([_moved(plane, self._motion) for plane in seen]) if self._motion.any() else seen

    def lasting_motion(self) -> NDArray[np.float64] | None:
        """See `ChangeDetector.lasting_motion`; in mask pixels."""
        if np.abs(self._usual).max() < _ASIDE or np.abs(self._motion - self._usual).max() > _TREMBLING:
            return None
        h, w = self._of.shape[1:] if self._of is not None else (1, 1)
        return np.vstack([_seen_from_accepted(self._motion, h, w), [0, 0, 1]])

    def forget(self) -> None:
        """The accepted picture is as the camera sees it now."""
        self._motion = self._usual = np.zeros(4)

    def _motion_of(self, seen: NDArray[np.float32], accepted: Planes) -> NDArray[np.float64]:
        """How a frame's green (h, w) is moved (4,); zeros where that explains nothing of what differs."""
        if self._of is not accepted:
            self._of, self._slopes = accepted, _slopes(accepted[1])
        motion = np.zeros(4)
        meant = accepted[1][_SOME]
        differs = before = meant - seen[_SOME]
        is_alike = np.abs(before) < _OTHER
        all_of_it = float(np.square(before[is_alike]).sum())
        for first in (True, *[False] * (_ROUNDS - 1)):
            told = self._slopes * (np.abs(differs) < _OTHER).ravel()
            wanted = told @ differs.ravel()
            step = np.linalg.solve(told @ self._slopes.T + _STIFFNESS * np.eye(4), wanted)
            motion += step
            if np.abs(motion).max() > _MOST or (first and step @ wanted < (1 - _BETTER) * all_of_it):
                return np.zeros(4)
            if np.abs(step).max() < _LEAST:
                break
            differs = meant - _moved(seen, motion)[_SOME]
        explained = np.where(is_alike, np.square(before) - np.square(differs), np.float32(0.0))
        is_better = explained.sum() > (1 - _BETTER) * all_of_it and self._is_all_over(explained, is_alike)
        return motion if is_better else np.zeros(4)

    def _is_all_over(self, explained: NDArray[np.float32], is_alike: Mask) -> bool:
        """Whether in most parts of the picture with some texture a motion explains something of what differs."""
        texture = np.square(self._slopes[:2]).sum(0).reshape(is_alike.shape) * is_alike
        gains, textures = (cv2.resize(one, _PARTS, interpolation=cv2.INTER_AREA) for one in (explained, texture))
        return bool((gains[textures > _TEXTURED] > 0).mean() > 0.5) if (textures > _TEXTURED).any() else False


def _slopes(plane: NDArray[np.float32]) -> NDArray[np.float32]:
    """How a picture (h, w) changes with a shift to the right and down, a zoom and a turn (4, N), at N places."""
    down, across = np.zeros((2, *plane.shape), np.float32)
    down[1:-1] = (plane[2:] - plane[:-2]) / 2
    across[:, 1:-1] = (plane[:, 2:] - plane[:, :-2]) / 2
    h, w = plane.shape
    x, y = ((np.arange(side, dtype=np.float32) - (side - 1) / 2) / (w / 2) for side in (w, h))
    down, across, x, y = down[_SOME], across[_SOME], x[None, ::2], y[::2, None]
    return np.stack([across, down, across * x + down * y, down * x - across * y]).reshape(4, -1)


def _moved(plane: NDArray[np.float32], motion: NDArray[np.float64]) -> NDArray[np.float32]:
    """A picture (h, w) moved back."""
    h, w = plane.shape
    how = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    back = cv2.warpAffine(plane, _seen_from_accepted(motion, h, w), (w, h), flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(back, np.float32)


def _seen_from_accepted(motion: NDArray[np.float64], h: int, w: int) -> NDArray[np.float64]:
    """The map (2, 3) of a motion: shift to the right and down, zoom and turn in mask pixels at the right rim."""
    right, down, zoom, turn = motion * [1, 1, 2 / w, 2 / w]
    out = np.array([[1 + zoom, -turn, right], [turn, 1 + zoom, down]])
    middle = np.array([(w - 1) / 2, (h - 1) / 2])
    out[:, 2] += middle - out[:, :2] @ middle
    return out
