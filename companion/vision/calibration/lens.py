"""How a lens bends what it sees: pixels of a picture to those of an undistorted one and back, and how it is measured.

The undistorted picture has the same size and the same focal length. The model is Brown's, with the five numbers in
OpenCV's order k1, k2, p1, p2, k3 (D. C. Brown, Close-Range Camera Calibration, 1971).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import UsageError
from companion.vision.calibration.aruco import find_lens_board

Array = NDArray[np.float64]

_ROUNDS = 40
"""Of the iteration that takes the distortion out of a point."""
LEAST_CORNERS = 12
"""A picture that shows fewer of the board's corners tells nothing."""
LEAST_PICTURES = 4
ENOUGH_FOR_ALL = 10
"""From so many pictures on, all five numbers of the distortion are fitted; before, the last is taken as none."""
_ODD = 3.0
"""A picture that fits so many times worse than the middle one is left out."""
_TILT_DEG, _REACH = 12.0, 0.55
"""By so much the board's tilt differs between pictures at least, and over so large a share of the picture, across and
down, its corners were seen."""


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

    def distort(self, undistorted_px: NDArray[np.floating]) -> Array:
        """Where the picture shows points (..., 2) of the undistorted one."""
        return self._px(self._bent(self._rays(undistorted_px)))

    def undistort(self, points_px: NDArray[np.floating]) -> Array:
        """Points (..., 2) of the picture in the undistorted one."""
        seen = self._rays(points_px)
        undistorted = seen
        for _ in range(_ROUNDS):
            undistorted = np.clip(undistorted + (seen - self._bent(undistorted)), -4.0, 4.0)
        return self._px(undistorted)

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
        """Rays (..., 2) as the lens bends them: Brown's model, three radial and two tangential numbers."""
        k1, k2, p1, p2, k3 = self.distortion
        x, y = rays[..., 0], rays[..., 1]
        r2 = x * x + y * y
        radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
        bent_x = x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x)
        bent_y = y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y
        return np.stack([bent_x, bent_y], axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class BoardView:
    """The board on one picture: its corners as printed in mm and as seen in px, both (N, 2)."""

    printed_mm: Array
    seen_px: Array


@dataclass(frozen=True, slots=True, eq=False)
class LensFit:
    """A lens, and what people should hear about how well it is known."""

    lens: Lens
    advice: tuple[str, ...]


def board_view(bgr: NDArray[np.uint8]) -> BoardView | None:
    """The board on a picture, uint8 (h, w, 3); None where too little of it is seen."""
    printed_mm, seen_px = find_lens_board(bgr)
    return BoardView(printed_mm, seen_px) if len(printed_mm) >= LEAST_CORNERS else None


def fit_lens(views: Sequence[BoardView], size: tuple[int, int]) -> LensFit:
    """The lens that shows the board as it was seen.

    Args:
        views: of one camera at one size and one focus.
        size: the pictures' width and height.

    Raises:
        UsageError: there are too few views.
    """
    if len(views) < LEAST_PICTURES:
        raise UsageError(
            f"the lens needs {LEAST_PICTURES} pictures of the board or more, better {ENOUGH_FOR_ALL}; "
            f"on {len(views)} it was found",
            code="too-few-boards",
        )
    lens, turns, off_px = _solved(views, size)
    good = [view for view, off in zip(views, off_px, strict=True) if off <= _ODD * np.median(off_px)]
    if LEAST_PICTURES <= len(good) < len(views):
        lens, turns, _ = _solved(good, size)
    return LensFit(lens, _advice(good, turns, lens, size))


def _solved(views: Sequence[BoardView], size: tuple[int, int]) -> tuple[Lens, list[Array], list[float]]:
    """A lens, how the board was turned on every view, and how badly each view fits it, in pixels."""
    printed = [np.column_stack([v.printed_mm, np.zeros(len(v.printed_mm))]).astype(np.float32) for v in views]
    seen = [v.seen_px.reshape(-1, 1, 2).astype(np.float32) for v in views]
    flags = 0 if len(views) >= ENOUGH_FOR_ALL else cv2.CALIB_FIX_K3
    rms_px, matrix, bent, turns, moves = cv2.calibrateCamera(printed, seen, size, None, None, flags=flags)
    k1, k2, p1, p2, k3 = (float(v) for v in np.ravel(bent)[:5])
    lens = Lens(
        (float(matrix[0, 0]), float(matrix[1, 1])),
        (float(matrix[0, 2]), float(matrix[1, 2])),
        (k1, k2, p1, p2, k3),
        float(rms_px),
        len(views),
    )
    off = []
    for board, points, turn, move in zip(printed, seen, turns, moves, strict=True):
        shown, _ = cv2.projectPoints(board, turn, move, matrix, bent)
        off.append(float(np.sqrt(np.mean(np.sum((shown.reshape(-1, 2) - points.reshape(-1, 2)) ** 2, axis=1)))))
    return lens, [np.asarray(cv2.Rodrigues(turn)[0][:, 2], np.float64) for turn in turns], off


def _advice(views: Sequence[BoardView], normals: Sequence[Array], lens: Lens, size: tuple[int, int]) -> tuple[str, ...]:
    """What to do for a lens that is measured better, for people; ``size`` is the pictures' (width, height)."""
    advice = []
    spread = max(float(np.degrees(np.arccos(np.clip(a @ b, -1, 1)))) for a in normals for b in normals)
    if spread < _TILT_DEG:
        advice.append("Tilt the board more, this way and that: seen only flat, it says little of the focal length.")
    reach = np.ptp(np.concatenate([view.seen_px for view in views]), axis=0) / size
    if float(reach.min()) < _REACH:
        advice.append("Hold the board also near the picture's rims: there the lens bends most.")
    if lens.rms_px > max(1.0, size[0] / 1280):
        advice.append("The board does not fit any lens well: is it flat, and were the pictures sharp?")
    return tuple(advice)
