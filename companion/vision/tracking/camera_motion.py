"""The camera's own motion: the homography of the whole picture since a reference frame, from tracked corners."""

import cv2
import numpy as np
from numpy.typing import NDArray

_SCALE = 4
"""Corners are tracked on a picture so many times smaller."""
_CORNERS = 250
_MIN_INLIERS = 14
_MIN_SHARE = 0.4
"""So many of the corners found again must move as one: the others lie under a hand."""
_INLIER_PX = 0.75
"""How far a corner may lie from where the homography takes it, in pixels of the small picture."""
_MIN_HULL = 0.08
"""The corners that move as one span so much of the picture: one card that a hand slides does not."""
_MIN_SHIFT_PX = 1.6
"""A motion of less is none: each card is brought into line by itself."""
_STANDING = 0.35
_SAME_LEVELS = 4
"""A camera that stands still sees more than this share of the corners with surroundings that differ by noise alone."""
_MAX_STRETCH = 1.35
"""A camera that was bumped does not see the table so many times larger or smaller."""

_SAME_MOTION_PX = 3.0
"""Two frames that are moved alike within so many pixels show a camera that stands still again."""

Homography = NDArray[np.float64]


class CameraMotion:
    """Compares frames with a reference frame."""

    def __init__(self) -> None:
        self._reference: NDArray[np.uint8] | None = None
        self._corners: NDArray[np.float32] | None = None
        self._before: Homography | None = None
        self.reference_s = -np.inf

    def set_reference(self, bgr: NDArray[np.uint8], now_s: float) -> None:
        """Compare with this frame, uint8 (h, w, 3), from now on."""
        self._reference, self._corners, self.reference_s = _small_grey(bgr), None, now_s
        self._before = None

    def forget(self) -> None:
        """The camera has not moved."""
        self._before = None

    def settle(self, bgr: NDArray[np.uint8]) -> tuple[bool, Homography | None]:
        """Whether the camera was moved, and the homography (3, 3) once it stands still again: two frames agree."""
        homography = self.estimate(bgr)
        before, self._before = self._before, homography
        if homography is None or before is None:
            return homography is not None, None
        off = displacement_px(homography @ np.linalg.inv(before), (bgr.shape[1], bgr.shape[0]))
        return True, homography if off <= _SAME_MOTION_PX else None

    def estimate(self, bgr: NDArray[np.uint8]) -> Homography | None:
        """The homography (3, 3) from the reference's pixels to the frame's; None when nothing moved as one.

        Pyramidal Lucas-Kanade tracks Shi-Tomasi corners both ways; RANSAC finds the motion that most of them share.
        """
        if self._reference is None:
            return None
        if self._corners is None:
            found = cv2.goodFeaturesToTrack(self._reference, _CORNERS, 0.01, 6)
            self._corners = np.zeros((0, 1, 2), np.float32) if found is None else np.asarray(found, np.float32)
        now = _small_grey(bgr)
        if len(self._corners) < _MIN_INLIERS or now.shape != self._reference.shape or self._stands_still(now):
            return None
        empty = np.zeros_like(self._corners)
        there, is_there, _ = cv2.calcOpticalFlowPyrLK(self._reference, now, self._corners, empty.copy())
        back, is_back, _ = cv2.calcOpticalFlowPyrLK(now, self._reference, there, empty.copy())
        off = np.linalg.norm(back - self._corners, axis=2)[:, 0]
        is_same = (is_there[:, 0] > 0) & (is_back[:, 0] > 0) & (off < 0.5)
        source, target = self._corners[is_same, 0], there[is_same, 0]
        if len(source) < _MIN_INLIERS:
            return None
        matrix, inliers = cv2.findHomography(source, target, cv2.RANSAC, _INLIER_PX)
        if matrix is None:
            return None
        agreeing = inliers[:, 0] > 0
        if agreeing.sum() < max(_MIN_INLIERS, _MIN_SHARE * len(source)) or not _spans(source[agreeing], now.shape):
            return None
        if float(np.median(np.linalg.norm((target - source)[agreeing], axis=1))) * _SCALE < _MIN_SHIFT_PX:
            return None
        scale = np.diag([_SCALE, _SCALE, 1.0])
        homography: Homography = scale @ matrix @ np.linalg.inv(scale)
        return homography if _is_a_bump(homography, (bgr.shape[1], bgr.shape[0])) else None

    def _stands_still(self, now: NDArray[np.uint8]) -> bool:
        """Whether many corners look as they did: a hand covers the others. Saves the tracking of all of them."""
        assert self._reference is not None and self._corners is not None
        off = cv2.blur(cv2.absdiff(self._reference, now), (5, 5))
        x, y = np.round(self._corners[:, 0]).astype(int).T
        return float((off[y, x] <= _SAME_LEVELS).mean()) > _STANDING


def displacement_px(homography: Homography, size: tuple[int, int]) -> float:
    """How far the picture's corners are moved at most, in pixels; ``size`` is width and height."""
    corners = _picture_corners(size)
    return float(np.linalg.norm(cv2.perspectiveTransform(corners[None], homography)[0] - corners, axis=1).max())


def _picture_corners(size: tuple[int, int]) -> NDArray[np.float32]:
    w, h = size
    return np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)


def _spans(points: NDArray[np.float32], shape: tuple[int, ...]) -> bool:
    return cv2.contourArea(cv2.convexHull(points)) >= _MIN_HULL * shape[0] * shape[1]


def _is_a_bump(homography: Homography, size: tuple[int, int]) -> bool:
    """Whether the picture keeps its size and its sides, nearly."""
    corners = _picture_corners(size)
    moved = cv2.perspectiveTransform(corners[None], homography)[0]
    stretch = np.linalg.norm(moved - np.roll(moved, 1, 0), axis=1) / np.linalg.norm(
        corners - np.roll(corners, 1, 0), axis=1
    )
    return bool(stretch.max() < _MAX_STRETCH and stretch.min() > 1 / _MAX_STRETCH)


def _small_grey(bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The frame's brightness, small, and as bright as any other."""
    small = cv2.resize(bgr, None, fx=1 / _SCALE, fy=1 / _SCALE, interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    return np.asarray(cv2.convertScaleAbs(grey, alpha=110.0 / max(float(np.median(grey)), 8.0)), np.uint8)
