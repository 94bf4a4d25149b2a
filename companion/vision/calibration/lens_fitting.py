"""How a lens bends, from pictures of the printed board held at several places and angles before it."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import UsageError
from companion.vision.calibration.aruco import find_board
from companion.vision.calibration.lens import Lens

Array = NDArray[np.float64]

LEAST_CORNERS = 12
LEAST_PICTURES = 4
ENOUGH_FOR_ALL = 10
"""From so many pictures on, all five numbers of the distortion are fitted; before, the last is taken as none."""
_ODD = 3.0
_TILT_DEG = 12.0
_REACH = 0.55


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
    """The board on a picture; None where too little of it is seen."""
    printed_mm, seen_px = find_board(bgr)
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
