"""The camera's own motion since a reference frame: a bump that moves the whole picture, and trembling on its arm.

A bump is a homography from tracked corners. Trembling is taken out by warping each frame back onto the accepted picture
before they are compared: Lucas and Kanade's method for a similarity, by the picture's gradients a shift, a turn and a
zoom explain the residual, but for what hands and cards cover.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

_SCALE = 4
"""Corners are tracked on a picture so many times smaller."""
_CORNERS = 250
"""So many corners are tracked at most."""
_MIN_INLIERS = 14
"""Fewer corners that move as one tell no motion."""
_MIN_SHARE = 0.4
"""So many of the corners found again must move as one: the others lie under a hand."""
_INLIER_PX = 0.75
"""How far a corner may lie from where the homography takes it, in pixels of the small picture."""
_MIN_HULL = 0.08
"""The corners that move as one span so much of the picture: one card that a hand slides does not."""
_MIN_SHIFT_PX = 1.6
"""A motion of less is none: each card is brought into line by itself."""
_STANDING, _SAME_LEVELS = 0.35, 4
"""A camera that stands still sees more than this share of the corners as they were, within so many grey levels."""
_AROUND = (5, 5)
"""A corner is compared by so many pixels around it."""
_SAME_GAIN = 0.05
"""Corners whose brightness changed by factors that differ by no more than this logarithm see one change of light."""
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
        if len(self._corners) < _MIN_INLIERS or now.shape != self._reference.shape:
            return None
        as_bright = self._as_bright(now, self._corners[:, 0], self._corners[:, 0])
        if self._stands_still(as_bright):
            return None
        source, target = self._track(as_bright)
        source, target = self._track(self._as_bright(now, source, target))  # where they lie now tells it better
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
        off = np.asarray(cv2.absdiff(self._reference, now), np.uint8)
        return float((_levels(off, self._corners[:, 0]) <= _SAME_LEVELS).mean()) > _STANDING

    def _as_bright(
        self, now: NDArray[np.uint8], source: NDArray[np.float32], target: NDArray[np.float32]
    ) -> NDArray[np.uint8]:
        """The frame made as bright as the reference, by corners (N, 2) and where they may be.

        Corners that are brighter or darker than they were are tracked badly.
        """
        assert self._reference is not None
        return _brighter(now, _gain(_levels(self._reference, source), _levels(now, target)))

    def _track(self, now: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The corners (N, 2) that are found again, and where."""
        assert self._reference is not None and self._corners is not None
        empty = np.zeros_like(self._corners)
        there, is_there, _ = cv2.calcOpticalFlowPyrLK(self._reference, now, self._corners, empty.copy())
        back, is_back, _ = cv2.calcOpticalFlowPyrLK(now, self._reference, there, empty.copy())
        off = np.linalg.norm(back - self._corners, axis=2)[:, 0]
        is_same = (is_there[:, 0] > 0) & (is_back[:, 0] > 0) & (off < 0.5)
        return self._corners[is_same, 0], there[is_same, 0]


def _levels(picture: NDArray[np.uint8], points: NDArray[np.float32]) -> NDArray[np.uint8]:
    """What a small picture (h, w) shows around points (N, 2): the mean of some pixels (N,)."""
    h, w = picture.shape
    x, y = np.clip(np.round(points), 0, (w - 1, h - 1)).astype(int).T
    return np.asarray(cv2.blur(picture, _AROUND)[y, x], np.uint8)


def _brighter(picture: NDArray[np.uint8], gain: float) -> NDArray[np.uint8]:
    return np.asarray(cv2.convertScaleAbs(picture, alpha=gain), np.uint8)


def _gain(was: NDArray[np.uint8], seen: NDArray[np.uint8]) -> float:
    """By what a frame is to be made brighter so that most places (N,) are as bright as they were.

    The whole picture does not tell it: a white sleeve makes that brighter, and nothing on the table.
    """
    if not len(was):
        return 1.0
    ratios = np.sort(np.log((was + 1.0) / (seen + 1.0)))
    alike = np.searchsorted(ratios, ratios + _SAME_GAIN) - np.arange(len(ratios))
    first = int(np.argmax(alike))
    return float(np.exp(np.median(ratios[first : first + alike[first]])))


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
    return _brighter(np.asarray(grey, np.uint8), 110.0 / max(float(np.median(grey)), 8.0))


_FARTHEST, _AS_BEFORE = 0.5, 1.25
"""A motion farther than so many mask pixels is none that trembling makes; so many times as far after one before."""
_NO_MOTION = 0.02
"""One that is nowhere as far is none at all."""
_OTHER_THING, _ITERATIONS = 15.0, 4
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
        self._reference: NDArray[np.float32] | None = None
        self._jacobian = np.zeros((4, 0), np.float32)
        self._motion = self._smoothed = np.zeros(4)
        self._at_s = 0.0

    def stabilized(self, seen: NDArray[np.float32], accepted: NDArray[np.float32], now_s: float) -> NDArray[np.float32]:
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

    def _estimate(self, seen: NDArray[np.float32], accepted: NDArray[np.float32]) -> NDArray[np.float64]:
        """How a frame's green (h, w) is moved, see `_similarity`; zeros where no motion explains the residual."""
        if self._reference is not accepted:
            self._reference, self._jacobian = accepted, _jacobian(accepted[1])
        motion, target = np.zeros(4), accepted[1][_EVERY_SECOND]
        residual = before = target - seen[_EVERY_SECOND]
        is_inlier = np.abs(before) < _OTHER_THING
        least_explained = (1 - _RESIDUAL) * float(np.square(before[is_inlier]).sum())
        farthest = _FARTHEST * (_AS_BEFORE if self._motion.any() else 1.0)
        for iteration in range(_ITERATIONS):
            jacobian = self._jacobian * (np.abs(residual) < _OTHER_THING).ravel()
            right_side = jacobian @ residual.ravel()
            step = np.linalg.solve(jacobian @ self._jacobian.T + _RIDGE * np.eye(4), right_side)
            motion += step
            # the first step may go too far: the next ones come back
            if np.abs(motion).max() > 2 * farthest or (iteration == 0 and step @ right_side < least_explained):
                return np.zeros(4)
            if np.abs(step).max() < _NO_MOTION:
                break
            residual = target - _warped_back(seen, motion)[_EVERY_SECOND]
        explained = np.where(is_inlier, np.square(before) - np.square(residual), np.float32(0.0))
        is_near = np.abs(motion).max() <= farthest
        is_motion = is_near and explained.sum() > least_explained and self._explains_most_blocks(explained, is_inlier)
        return motion if is_motion else np.zeros(4)

    def _explains_most_blocks(self, explained: NDArray[np.float32], is_inlier: NDArray[np.bool_]) -> bool:
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
