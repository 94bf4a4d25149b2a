"""Where a taught printing shows its numbers, and each of them seen alone.

A card's own frame has its origin in the middle of the card as it is read, x to the right, y down, half its height 1. A
view of one number shows it upright, its numeral always as high, with what is printed around it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.image.pyramid import Pyramid

Floats = NDArray[np.float32]
VIEW_WIDE, VIEW_HIGH = 48, 32
NUMERAL_PX = 16.8
"""How high a numeral stands in a view."""
_MIDDLE = np.array([(VIEW_WIDE - 1) / 2, (VIEW_HIGH - 1) / 2])
_GRID = np.stack(np.meshgrid(np.arange(VIEW_WIDE), np.arange(VIEW_HIGH)), -1).reshape(-1, 2) - _MIDDLE
"""A view's pixels from its middle."""
_LEAST_CONTRAST = 6.0
"""Of 255: a view of less contrast shows nothing, and is not stretched to more."""


@dataclass(frozen=True, slots=True, eq=False)
class NumberPlaces:
    """Where the numbers stand, each perhaps printed more than once.

    Attributes:
        slots: which of the card's three numbers stands at each place (P,), 0 to 2 in the order in which they are read.
        at: the places' middles in the card's frame (P, 2).
        high: how high the numerals stand there (P,).
        is_turned: whether they stand upside down (P,).
        half_width: the card's, as it is read.
    """

    slots: NDArray[np.intp]
    at: Floats
    high: Floats
    is_turned: NDArray[np.bool_]
    half_width: float

    @staticmethod
    def from_rows(rows: Sequence[Sequence[float]], half_width: float) -> "NumberPlaces":
        """Places from what `as_rows` gives."""
        slots, x, y, high, turned = np.array(rows, np.float32).reshape(-1, 5).T
        return NumberPlaces(slots.astype(np.intp), np.stack([x, y], 1), high, turned > 0.5, half_width)

    @property
    def prints(self) -> list[NDArray[np.intp]]:
        """The places of the card's three numbers (3,), for each time that they are printed the same way up."""
        return [
            np.array(slots)
            for is_turned in (False, True)
            for slots in zip(
                *(np.flatnonzero((self.slots == k) & (self.is_turned == is_turned)) for k in range(3)), strict=False
            )
        ]

    def as_rows(self) -> list[list[float]]:
        """Each place as its slot, x, y, height, and 1 where it is upside down."""
        columns = [self.slots, *self.at.T, self.high, self.is_turned]
        return [[round(float(one), 4) for one in row] for row in zip(*columns, strict=True)]

    def views(self, pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.uint8]:
        """Each place of cards (N, 4, 2), their first corner the top left: (N, P, VIEW_HIGH, VIEW_WIDE, 3)."""
        views = np.zeros((len(corners), len(self.slots), VIEW_HIGH, VIEW_WIDE, 3), np.uint8)
        if not len(self.slots):
            return views
        step = np.where(self.is_turned, -1.0, 1.0) * self.high / NUMERAL_PX
        points = self.at[:, None] + step[:, None, None] * _GRID
        for view, quad in zip(views, corners, strict=True):
            image_from_card = card_to_image(quad, self.half_width)
            area = abs(cv2.contourArea(np.asarray(quad, np.float32)))
            level = pyramid.level_for(float(np.sqrt(area / (4 * self.half_width)) * np.abs(step).min()))
            homogeneous = points @ image_from_card[:, :2].T + image_from_card[:, 2]
            view[:] = pyramid.sample(homogeneous[..., :2] / homogeneous[..., 2:], level).reshape(view.shape)
        return views


def card_to_image(corners: NDArray[np.floating], half_width: float) -> NDArray[np.float64]:
    """The homography (3, 3) from a card's frame to the picture."""
    unit = np.array([[-half_width, -1], [half_width, -1], [half_width, 1], [-half_width, 1]], np.float32)
    return cv2.getPerspectiveTransform(unit, np.asarray(corners, np.float32)).astype(np.float64)


def normalised(views: NDArray[np.uint8]) -> Floats:
    """Views (N, VIEW_HIGH, VIEW_WIDE, 3) as the network takes them: even in light and contrast, (N, 3, h, w)."""
    level = views.transpose(0, 3, 1, 2).astype(np.float32)
    level -= level.mean((2, 3), keepdims=True)
    spread = level.std((1, 2, 3), keepdims=True)
    return np.asarray(level / np.maximum(spread, _LEAST_CONTRAST))
