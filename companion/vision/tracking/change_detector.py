"""What moves and what lies still: every eighth pixel of each frame against what was there before.

A table on which nothing has stirred since the last whole look costs a tenth of a millisecond a frame. Light that
changes as a whole (flicker, exposure) is divided out before anything is called a change.
"""

from dataclasses import dataclass

import cv2
import numpy as np

STEP = 8
"""One glance pixel stands for STEP x STEP picture pixels."""

_NOISE_FACTOR = 5.0
_LEAST_CHANGE = 7.0
_DARK = 0.2
_WHOLE_LOOK = 8
"""Every so many frames a quiet table too is looked at wholly, to follow light that drifts."""
_FOLLOW = 0.2
"""How fast what lies still follows a drifting light, a frame."""


@dataclass(frozen=True, slots=True, eq=False)
class Glance:
    """One frame, seen coarsely.

    Attributes:
        changed: bool (h, w), where the table differs from what was last accepted.
        still: int16 (h, w), for how many frames each place has not moved.
        dark: the lights went out, or the camera is covered.
    """

    changed: np.ndarray
    still: np.ndarray
    dark: bool


class Stillness:
    """Keeps what was accepted, and since when each place has been as it is. Colours are planes (3, h, w) float32."""

    def __init__(self) -> None:
        self._accepted: np.ndarray | None = None
        self._anchor = np.zeros((3, 0, 0), np.float32)
        self._still = np.zeros((0, 0), np.int16)
        self._noise = 2.0
        self._quiet: tuple[np.ndarray, Glance] | None = None
        self._since_whole_look = 0

    def look(self, bgr: np.ndarray) -> Glance:
        """Take in one frame.

        Args:
            bgr: uint8 (h, w, 3), always of the same size.
        """
        small = _every_eighth(bgr)
        self._since_whole_look += 1
        if self._quiet is not None and self._since_whole_look < _WHOLE_LOOK:
            was, glance = self._quiet
            if was.shape == small.shape and cv2.norm(small, was, cv2.NORM_INF) <= self._limit():
                self._still = np.minimum(self._still + np.int16(1), np.int16(30000))
                return Glance(glance.changed, self._still, dark=False)
        glance, is_quiet = self._whole_look(small)
        self._quiet = (small, glance) if is_quiet else None
        self._since_whole_look = 0
        return glance

    def _whole_look(self, small: np.ndarray) -> tuple[Glance, bool]:
        """One frame against what was there before; and whether nothing at all stirred."""
        seen = np.ascontiguousarray(small.transpose(2, 0, 1), np.float32)
        if self._accepted is None or self._accepted.shape != seen.shape:
            self._accepted, self._anchor = seen, seen
            self._still = np.zeros(seen.shape[1:], np.int16)
            return Glance(np.zeros(seen.shape[1:], bool), self._still, _is_black(seen)), False
        level = _level(seen) / _level(self._accepted)
        dark = level < _DARK or _is_black(seen)
        if not dark:
            seen *= np.float32(1.0 / level)
        moved = _largest(np.abs(seen - self._anchor))
        self._noise = 0.9 * self._noise + 0.1 * float(np.clip(np.median(moved[::3, ::3]), 0.3, 6.0))
        stirred = moved > self._limit()
        self._still = np.where(stirred, np.int16(0), np.minimum(self._still + np.int16(1), np.int16(30000)))
        follow = np.float32(1.0 - (1.0 - _FOLLOW) ** max(1, self._since_whole_look))
        self._anchor = np.where(stirred, seen, self._anchor + follow * (seen - self._anchor))
        changed = _largest(np.abs(self._anchor - self._accepted)) > self._limit() * 1.3
        return Glance(changed, self._still, dark), not dark and not stirred.any()

    def _limit(self) -> float:
        """Grey levels by which a place differs at least that has changed."""
        return max(_LEAST_CHANGE, _NOISE_FACTOR * self._noise)

    def accept(self, where: np.ndarray | None = None) -> None:
        """What lies there now is as it should be.

        Args:
            where: bool (h, w); None for the whole picture, which also makes the present light the usual one.
        """
        if self._accepted is None:
            return
        self._quiet = None
        self._accepted = self._anchor.copy() if where is None else np.where(where, self._anchor, self._accepted)


def _every_eighth(bgr: np.ndarray) -> np.ndarray:
    """The frame's glance pixels (h, w, 3), a little blurred: uint8."""
    begun = bgr[STEP // 2 - 1 :, STEP // 2 - 1 :]
    small = cv2.resize(begun, None, fx=1 / STEP, fy=1 / STEP, interpolation=cv2.INTER_NEAREST)
    return np.asarray(cv2.blur(small, (3, 3)))


def _largest(planes: np.ndarray) -> np.ndarray:
    """The largest of the three colours at each place (h, w)."""
    return np.asarray(np.maximum(np.maximum(planes[0], planes[1]), planes[2]))


def _level(planes: np.ndarray) -> float:
    """The usual brightness; a hand that covers less than half of the picture does not change it."""
    few = planes[:, ::4, ::4]
    return float(np.median(few[0] + few[1] + few[2])) + 3.0


def _is_black(planes: np.ndarray) -> bool:
    return float(np.percentile(_largest(planes[:, ::4, ::4]), 95)) < 18.0


def cells_of(polygon: np.ndarray, shape: tuple[int, int], grow: float = 1.0) -> np.ndarray:
    """The glance pixels inside a polygon of the picture.

    Args:
        polygon: (N, 2) picture pixels.
        shape: (h, w) of the glance.
        grow: the polygon is scaled by this about its middle first.

    Returns:
        bool (h, w).
    """
    middle = polygon.mean(0)
    points = ((polygon - middle) * grow + middle + 0.5) / STEP - 0.5
    mask = np.zeros(shape, np.uint8)
    cv2.fillPoly(mask, [np.round(points * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
    return mask.astype(bool)
