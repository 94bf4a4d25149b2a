"""Where a taught printing shows its numbers, each of them seen alone, and the ink that may be numbers.

A card's own frame has its origin in the middle of the card as it is read, x to the right, y down, half its height 1. A
view of one number shows it upright, its numeral always as high, with what is printed around it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.geometry import mapped
from companion.vision.image.components import measure_components
from companion.vision.image.pyramid import Pyramid, percentiles, warp

Floats = NDArray[np.float32]
VIEW_WIDE, VIEW_HIGH = 48, 32
NUMERAL_PX = 16.8
"""How high a numeral stands in a view."""
_MIDDLE = np.array([(VIEW_WIDE - 1) / 2, (VIEW_HIGH - 1) / 2])
_GRID = (np.stack(np.meshgrid(np.arange(VIEW_WIDE), np.arange(VIEW_HIGH)), -1).reshape(-1, 2) - _MIDDLE).T
"""A view's pixels from its middle (2, K)."""
_ASIDE, _SCALED, _TURNED = 0.08, 0.1, 0.06
"""How far off a numeral's pose is told, in its heights, as a logarithm, and in radians."""
_MOVED, _GROWN, _ROTATED = 0.08, 0.06, 0.06
"""How far off outlines are, in half heights of a card, as a logarithm, and in radians."""
_FIGURE_WIDE = 0.8
"""How far apart two figures of a number stand, in its heights."""
_SAME_PLACE = 0.15
"""Two places nearer than so many half heights of a card are the same."""
_LOWEST, _FARTHEST = 0.02, 4.0
"""Half heights of a card: no numeral is lower, none stands farther from the card's middle or is higher."""
_LEAST_CONTRAST = 6.0
"""Of 255: a view of less contrast shows nothing, and is not stretched to more."""
Boxes = NDArray[np.float64]
"""Middles and heights (N, 3) in a card's frame."""
_PX_PER_UNIT = 200.0
"""How large a card's half height is looked at."""
_BLOCKS = (31, 75, 151)
"""The neighbourhoods in pixels whose mean parts ink from ground."""
_STEP = 7
"""Of 255: ink differs from that mean by more."""
_LOWEST_INK, _HIGHEST_INK = 0.09, 0.87
"""How high numerals are, in half heights of the card; at most in halves of its shorter side."""
_MOST_BOXES = 220
"""So many boxes around ink are kept at most."""


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

    def is_consistent(self) -> bool:
        """Whether the three numbers stand on the card, some the same way up, and large enough to be read."""
        are_on_card = np.abs(self.at).max(initial=0.0) < _FARTHEST and self.high.max(initial=0.0) < _FARTHEST
        are_there = set(self.slots.tolist()) == {0, 1, 2} and bool(self.prints)
        return are_there and bool(are_on_card and (self.high > _LOWEST).all())

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

    def by_print(self, values: NDArray[np.floating]) -> NDArray[np.floating]:
        """What is told of each place (P, ...) by the three numbers, for each time that they are printed (R, 3, ...)."""
        return np.array([values[three] for three in self.prints]).reshape(-1, 3, *values.shape[1:])

    @property
    def is_alike_turned(self) -> bool:
        """Whether each number is printed at the opposite place upside down too: no way up is the card's own."""
        across = np.linalg.norm(self.at[:, None] + self.at, axis=-1) < _SAME_PLACE
        is_turned_over = self.is_turned[:, None] != self.is_turned
        return bool((across & is_turned_over & (self.slots[:, None] == self.slots)).any(1).all())

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
        points = self.at.T[..., None] + step[:, None] * _GRID[:, None]
        for view, quad in zip(views, corners, strict=True):
            level = pyramid.level_for(self._half_high_px(quad) * float(np.abs(step).min()))
            view[:] = pyramid.sample_plane(card_to_image(quad, self.half_width), points, level).reshape(view.shape)
        return views

    def before(self, corners: NDArray[np.floating]) -> NDArray[np.float64]:
        """Where on the picture another figure of each place's number would stand before the one there: (P, 2).

        Args:
            corners: (4, 2) of a card, the first its top left.
        """
        step = np.where(self.is_turned, -_FIGURE_WIDE, _FIGURE_WIDE) * self.high
        return mapped(card_to_image(corners, self.half_width), self.at - np.stack([step, np.zeros_like(step)], 1))

    def numerals_px(self, corners: NDArray[np.floating]) -> NDArray[np.floating]:
        """How high the numerals of cards (N, 4, 2) stand on the picture, in pixels: (N, P)."""
        return np.outer([self._half_high_px(quad) for quad in corners], self.high)

    def _half_high_px(self, corners: NDArray[np.floating]) -> float:
        """Half the height of a card (4, 2) on the picture, by its area."""
        return float(np.sqrt(abs(cv2.contourArea(np.asarray(corners, np.float32))) / (4 * self.half_width)))


def card_to_image(corners: NDArray[np.floating], half_width: float) -> NDArray[np.float64]:
    """The homography (3, 3) from a card's frame to the picture."""
    unit = np.array([[-half_width, -1], [half_width, -1], [half_width, 1], [-half_width, 1]], np.float32)
    return cv2.getPerspectiveTransform(unit, np.asarray(corners, np.float32)).astype(np.float64)


def normalised(views: NDArray[np.uint8]) -> Floats:
    """Views (N, VIEW_HIGH, VIEW_WIDE, 3) as the network takes them: even in light and contrast, (N, 3, h, w)."""
    level = _channels(views)
    level -= level.mean(-1, keepdims=True)
    spread = np.sqrt(np.einsum("nck,nck->n", level, level) / (level.shape[1] * level.shape[2]))
    level /= np.maximum(spread, _LEAST_CONTRAST)[:, None, None]
    return level.reshape(len(views), 3, *views.shape[1:3])


def _channels(views: NDArray[np.uint8]) -> Floats:
    """The channels of views (N, h, w, 3), each in a row of its own (N, 3, h * w): means are taken faster so."""
    return np.ascontiguousarray(views.reshape(len(views), -1, 3).swapaxes(1, 2), np.float32)


def sharpness(views: NDArray[np.uint8]) -> NDArray[np.floating]:
    """How steep the steepest edges of views (N, VIEW_HIGH, VIEW_WIDE, 3) are, (N,) in shares of their contrast a pixel.

    It is measured in the channel of the most contrast: 0.55 in the median of clear numerals, 0.3 of soft ones.
    """
    levels = _channels(views)
    rows = levels[np.arange(len(levels)), levels.std(-1).argmax(-1)]
    low, high = (percentiles(rows, percent) for percent in (3, 97))
    shown = rows.reshape(views.shape[:3])
    slopes = np.hypot(np.diff(shown, axis=2)[:, :-1], np.diff(shown, axis=1)[:, :, :-1])
    return np.asarray(percentiles(slopes.reshape(len(slopes), -1), 98) / np.maximum(high - low, _LEAST_CONTRAST))


def correct_outlines(
    corners: NDArray[np.floating], places: NumberPlaces, poses: NDArray[np.floating], shown: NDArray[np.floating]
) -> Floats:
    """Outlines (N, 4, 2) moved to where their numerals say that the cards lie.

    Args:
        corners: begun at the top left.
        places: the printing's.
        poses: of the numerals from their places as `NumberViews` has them (N, P, 4).
        shown: how surely each is seen at all (N, P).
    """
    moves = _moves(places, np.asarray(poses, float), np.asarray(shown, float))
    unit = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]]) * [places.half_width, 1]
    moved = [
        mapped(card_to_image(quad, places.half_width), _displaced(unit, move))
        for quad, move in zip(corners, moves, strict=True)
    ]
    return np.array(moved, np.float32)


def _displaced(points: NDArray[np.floating], move: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (P, 2) of a card's frame shifted, scaled and turned by (4,)."""
    turned = np.stack([-points[:, 1], points[:, 0]], 1)
    return np.asarray(points + move[:2] + move[2] * points + move[3] * turned)


def _moves(places: NumberPlaces, poses: NDArray[np.float64], shown: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of cards the likeliest shift (2), growth and turn, (N, 4), by least squares."""
    x, y = places.at.astype(float).T
    one, zero = np.ones_like(x), np.zeros_like(x)
    rows = np.stack(
        [
            np.stack([one, zero, x, -y], 1) / (_ASIDE * places.high)[:, None],
            np.stack([zero, one, y, x], 1) / (_ASIDE * places.high)[:, None],
            np.stack([zero, zero, one, zero], 1) / _SCALED,
            np.stack([zero, zero, zero, one], 1) / _TURNED,
        ]
    )  # (4, P, 4)
    aside = poses[..., :2] * (np.where(places.is_turned, -1.0, 1.0) / _ASIDE)[:, None]
    seen = np.stack([aside[..., 0], aside[..., 1], poses[..., 2] / _SCALED, poses[..., 3] / _TURNED])  # (4, N, P)
    weights = np.where(shown > LIMITS.shown_numeral, shown, 0.0)
    prior = np.diag(1 / np.array([_MOVED, _MOVED, _GROWN, _ROTATED]) ** 2)
    left = np.einsum("np,kpa,kpb->nab", weights, rows, rows) + prior
    right = np.einsum("np,kpa,knp->na", weights, rows, seen)
    return np.asarray(np.linalg.solve(left, right[..., None])[..., 0])


def places_at(
    boxes: Boxes, is_turned: NDArray[np.bool_], half_width: float, slots: NDArray[np.intp] | None = None
) -> NumberPlaces:
    """Places at boxes (N, 3), upside down where ``is_turned`` (N,); all of the first number without ``slots`` (N,)."""
    which = np.zeros(len(boxes), np.intp) if slots is None else slots
    return NumberPlaces(which, boxes[:, :2].astype(np.float32), boxes[:, 2].astype(np.float32), is_turned, half_width)


def ink_boxes(pyramid: Pyramid, corners: NDArray[np.floating], half_width: float) -> Boxes:
    """Boxes around what may be numbers on a card: middles and heights (N, 3) in its frame."""
    size = (round(2 * half_width * _PX_PER_UNIT), round(2 * _PX_PER_UNIT))
    card_from_pixel = np.array([[1 / _PX_PER_UNIT, 0, -half_width], [0, 1 / _PX_PER_UNIT, -1], [0, 0, 1.0]])
    area = abs(cv2.contourArea(np.asarray(corners, np.float32)))
    px = float(np.sqrt(area / (size[0] * size[1])))
    seen = warp(pyramid, card_to_image(corners, half_width) @ card_from_pixel, size, px)
    highest = _HIGHEST_INK * min(half_width, 1.0) * _PX_PER_UNIT
    found = [
        box
        for channel in (cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY), *cv2.split(seen))
        for ink in _inks(cv2.GaussianBlur(channel, (5, 5), 0))
        for box in _components(ink, highest)
    ]
    boxes = _distinct_boxes(np.array(found, np.float64).reshape(-1, 4))
    return np.stack(
        [
            (boxes[:, 0] + boxes[:, 2] / 2) / _PX_PER_UNIT - half_width,
            (boxes[:, 1] + boxes[:, 3] / 2) / _PX_PER_UNIT - 1,
            boxes[:, 3] / _PX_PER_UNIT,
        ],
        1,
    )


def _inks(smooth: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Where a channel differs from the mean around: what is brighter, then what is darker, for each neighbourhood."""
    for block in _BLOCKS:
        mean = cv2.boxFilter(smooth, -1, (block, block), borderType=cv2.BORDER_REPLICATE)
        yield cv2.threshold(cv2.subtract(smooth, mean), _STEP, 255, cv2.THRESH_BINARY)[1]
        yield cv2.threshold(cv2.subtract(mean, smooth), _STEP - 1, 255, cv2.THRESH_BINARY)[1]


def _components(ink: NDArray[Any], highest: float) -> list[tuple[float, float, float, float]]:
    """Boxes (x, y, w, h) around connected ink as high as numerals, and around two of them side by side."""
    x, y, w, h, held = measure_components(ink, 4)[1].T.astype(float)
    is_numeral = (h > _LOWEST_INK * _PX_PER_UNIT) & (h < highest)
    is_numeral &= (w > 0.08 * h) & (w < 1.6 * h) & (held > 0.08 * w * h)
    ones = list(zip(*np.stack([x, y, w, h])[:, is_numeral].tolist(), strict=True))
    boxes = [*ones]
    for a in ones:
        for b in ones:
            gap = b[0] - (a[0] + a[2])
            if 0 <= gap < 0.5 * a[3] and abs(a[1] - b[1]) < 0.15 * a[3] and abs(a[3] - b[3]) < 0.18 * a[3]:
                top, bottom = min(a[1], b[1]), max(a[1] + a[3], b[1] + b[3])
                boxes.append((a[0], top, b[0] + b[2] - a[0], bottom - top))
    return boxes


def _distinct_boxes(boxes: NDArray[np.float64]) -> NDArray[np.float64]:
    """The boxes without those that are nearly another one."""
    kept = np.empty((min(len(boxes), _MOST_BOXES), 4))
    count = 0
    for box in boxes:
        if count == len(kept):
            break
        if not (np.abs(kept[:count] - box).max(1) < 0.08 * box[3]).any():
            kept[count] = box
            count += 1
    return kept[:count]
