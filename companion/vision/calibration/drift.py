"""Whether the camera still stands where it was calibrated, and where it stands now: the marks tell.

The marks' places on the table are part of a calibration. Seen elsewhere in the picture, all of them, the camera was
moved; where they still lie as they lay to one another, the table is found again by them. One mark that was pushed is
not the camera.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.calibration.aruco import find_marks
from companion.vision.calibration.calibration import Calibration, WrongSize
from companion.vision.geometry import mapped

Array = NDArray[np.float64]
ZoneOf = Callable[[tuple[float, float]], str | None]

MOVED_MM = 4.0
"""Marks seen farther than this from their places were moved, or the camera was."""
RIGID_MM = 2.5
"""Marks that still lie as they lay to one another fit their places this well, from wherever they are seen."""

LOST = "The camera or the marks were moved: the zones are not used until the table is calibrated again."
MOVED_CHECKS = 5
"""For so many looks people hear that the camera was moved and found again."""


@dataclass(frozen=True, slots=True, eq=False)
class DriftCheck:
    """What one picture says about a calibration.

    Attributes:
        calibration: to be used for this picture; None when it can no longer be trusted.
        code: ``""`` while all is as it was, else ``camera-moved``, ``calibration-lost`` or ``calibration-size``.
        message: what people should hear about that.
        is_reported: whether marks in view say so.
    """

    calibration: Calibration | None
    code: str = ""
    message: str = ""
    is_reported: bool = False

    def zone_of(self, point_px: tuple[float, float]) -> str | None:
        """The zone that a pixel shows; None outside all, and where the calibration cannot be trusted."""
        return None if self.calibration is None else self.calibration.zone_of(point_px)


def zoned(payload: Mapping[str, Any], zone_of: ZoneOf) -> dict[str, Any]:
    """A reading or a change as it is printed, with the zone filled in of every card whose game has zones."""
    if "zone" in payload and payload.get("corners"):
        x, y = np.mean(payload["corners"], axis=0)
        return {**payload, "zone": zone_of((float(x), float(y)))}
    return {
        **payload,
        **{part: [zoned(card, zone_of) for card in payload[part]] for part in ("cards",) if part in payload},
    }


def check_drift(calibration: Calibration, bgr: NDArray[np.uint8]) -> DriftCheck:
    """Hold a calibration against a picture, uint8 (h, w, 3), and put it right by the marks where it can be."""
    try:
        here = calibration.for_size((bgr.shape[1], bgr.shape[0]))
    except WrongSize as error:
        return DriftCheck(None, error.code, f"The zones are not used: {error.message}.")
    seen = {number: at for number, at in find_marks(bgr).items() if number in here.marks}
    off_mm = {number: _off_mm(here, at, here.marks[number]) for number, at in seen.items()}
    steady = [number for number, off in off_mm.items() if off <= MOVED_MM]
    if len(seen) < 2 or len(steady) >= 2 or 2 * len(steady) > len(seen):
        return DriftCheck(here, is_reported=len(seen) >= 2)
    again = registered(here, seen)
    if again is None:
        return DriftCheck(None, "calibration-lost", LOST, is_reported=True)
    return DriftCheck(again, "camera-moved", "The camera was moved; the table was found again by its marks.", True)


def registered(calibration: Calibration, seen: Mapping[int, Array]) -> Calibration | None:
    """The calibration with the table where the marks (4, 2) px say it is; None when they do not fit one another."""
    if len(seen) < 2:
        return None
    points_mm = np.concatenate([calibration.marks[number] for number in seen])
    return _refitted(calibration, np.concatenate(list(seen.values())), points_mm, np.max)


def followed(calibration: Calibration, before_px: Array, after_px: Array) -> Calibration | None:
    """The calibration after the camera was moved, by things that lay still meanwhile.

    Args:
        calibration: as it was.
        before_px: (N, K, 2) the things' corners before.
        after_px: (N, K, 2) the same corners after.

    Returns:
        None where they do not tell: fewer than two things, or they no longer lie as they lay.
    """
    if len(before_px) < 2 or before_px.shape != after_px.shape:
        return None
    there_mm = calibration.table_mm(before_px.reshape(-1, 2))
    return _refitted(calibration, after_px.reshape(-1, 2).astype(np.float64), there_mm, np.median)


def _refitted(
    calibration: Calibration, seen_px: Array, there_mm: Array, usual: Callable[[Array], np.floating]
) -> Calibration | None:
    """The calibration with the table where points (N, 2) say it is; None where their ``usual`` distance is too far."""
    undistorted = seen_px if calibration.lens is None else calibration.lens.undistort(seen_px)
    homography, _ = cv2.findHomography(undistorted, there_mm, 0)
    if homography is None:
        return None
    table: Array = np.asarray(homography, np.float64)
    if float(usual(np.linalg.norm(mapped(table, undistorted) - there_mm, axis=1))) > RIGID_MM:
        return None
    return replace(calibration, table_from_undistorted=table)


class DriftMonitor:
    """A calibration held against the table as time goes by.

    Attributes:
        now: how the camera stands, and what people should hear of it.
    """

    def __init__(self, calibration: Calibration) -> None:
        self.now = DriftCheck(calibration)
        self._calibration = calibration
        self._moved_for = 0

    def check(self, bgr: NDArray[np.uint8]) -> DriftCheck:
        """Hold the calibration against one more picture, uint8 (h, w, 3)."""
        seen = check_drift(self._calibration, bgr)
        if self.now.calibration is None and not seen.is_reported and seen.calibration is not None:
            return self.now  # nothing in view says that it can be trusted again
        if seen.code == "camera-moved" and seen.calibration is not None:
            self._calibration = seen.calibration
            self._moved_for = MOVED_CHECKS
        elif not seen.code and self._moved_for > 1:
            self._moved_for -= 1
            seen = replace(self.now, calibration=seen.calibration)
        self.now = seen
        return seen

    def follow(self, before: Sequence[NDArray[np.floating]], after: Sequence[NDArray[np.floating]]) -> None:
        """Hear that the camera was moved, from cards (K, 2) px seen before and after; marks in view know better."""
        if self.now.calibration is None or not before or len(before) != len(after):
            return
        fresh = followed(self.now.calibration, np.stack(before), np.stack(after))
        if fresh is None:
            self.now = DriftCheck(None, "calibration-lost", LOST)
            return
        self._calibration = fresh
        self.now = DriftCheck(fresh, "camera-moved", "The camera was moved; the table was found again by its cards.")
        self._moved_for = MOVED_CHECKS

    def zone_of(self, point_px: tuple[float, float]) -> str | None:
        """See `DriftCheck`."""
        return self.now.zone_of(point_px)


def _off_mm(calibration: Calibration, corners_px: Array, there_mm: Array) -> float:
    return float(np.linalg.norm(calibration.table_mm(corners_px).mean(0) - there_mm.mean(0)))
