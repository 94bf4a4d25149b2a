"""The size of cards in millimetres, and which outlines may be of cards that size."""

import numpy as np
from numpy.typing import NDArray

from companion.errors import UsageError
from companion.vision.edge_refinement import frames_of

SizeMm = tuple[float, float]
FOCAL_LENGTH = 0.9
"""Of a camera that is not calibrated, in longer sides of its picture: between a telephone's and a Pi camera's."""
MOST_OFF = 1.28
"""How far an outline's proportion may be off: corners are inexact and the focal length is a guess."""


def parse_size_mm(text: str) -> SizeMm:
    """Width and height of ``WxH``. Raises `UsageError` for anything else.

    >>> parse_size_mm("63x88")
    (63.0, 88.0)
    """
    parts = text.lower().split("x")
    try:
        width, height = (float(part) for part in parts)
    except ValueError:
        raise UsageError(f"--size-mm is {text!r}: give it as WxH, such as 63x88") from None
    if not (1 <= width <= 1000 and 1 <= height <= 1000):
        raise UsageError(f"--size-mm is {text!r}: a card is 1 to 1000 mm wide and high")
    return width, height


def has_size(corners: NDArray[np.float64], size_mm: SizeMm | None, picture_px: tuple[int, int]) -> bool:
    """Whether an outline may be that of a card of a size; always true of hexagons, and where no size is known.

    Args:
        corners: (4 or 6, 2) on the picture, clockwise as seen.
        size_mm: width and height.
        picture_px: the picture's.
    """
    if size_mm is None or len(corners) != 4:
        return True
    wanted = max(size_mm) / min(size_mm)
    found = proportion_of(corners, FOCAL_LENGTH * max(picture_px), np.array(picture_px) / 2)
    return bool(1 / MOST_OFF < found / wanted < MOST_OFF)


def proportion_of(corners: NDArray[np.float64], focal_px: float, centre: NDArray[np.float64]) -> float:
    """The longer side of a rectangle over its shorter one, from its corners (4, 2) on a picture.

    Args:
        corners: clockwise as seen.
        focal_px: the camera's focal length.
        centre: (2,) of the picture.
    """
    return float(proportions_of(corners[None], focal_px, centre)[0])


def proportions_of(outlines: NDArray[np.float64], focal_px: float, centre: NDArray[np.float64]) -> NDArray[np.float64]:
    """The proportions (N,) of rectangles (N, 4, 2); see `proportion_of`."""
    frames = frames_of(outlines)
    wide, high = np.array([frame.corners[2] for frame in frames]).T
    camera = np.array([[focal_px, 0, centre[0]], [0, focal_px, centre[1]], [0, 0, 1]])
    seen = np.linalg.inv(camera) @ np.array([frame.picture_from_frame for frame in frames])
    along, down = np.linalg.norm(seen[..., :2], axis=1).T
    ratios = along * wide / (down * high)
    return np.asarray(np.maximum(ratios, 1 / ratios))
