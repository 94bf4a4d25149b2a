"""Where cards lie: a network's heatmaps decoded into outlines, at the scale that suits the cards' size, and made exact.

A detector's network looks at the picture, made smaller, and answers for every fourth pixel, for each kind of piece: the
logit of a centre, the offset to it, and the code of the piece's pose (`geometry`).

A second network makes the outlines exact: it looks at each card rectified by its outline, 48 x 48 pixels and 1.3 units
to each side, and answers an affine correction in the outline's own unit frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from companion.vision.geometry import CODE_SCALE, HEXAGON, Shape, median
from companion.vision.image.pyramid import Pyramid, bright_level, brightest_channel, grid, percentile, sample_pieces
from companion.vision.networks import LEVELS, logistic, network, picture_planes

STRIDE = 4
OFFSET_PX = 8.0
"""The unit of the offsets, in pixels of the network's picture."""
LIKELY = 0.5
"""Detections that say how wide cards are, and where a closer look is worth its time."""
_CLEAR_CONFIDENCE = 0.8
"""Where no detection is as sure, cards may be too near: of large ones their symbols are seen, at 0.7 at most."""
_AROUND = 2.0
"""So many cards' widths around the cards a closer look reaches: one that was missed lies beside others."""
VIEW = 48
REACH = 1.3
"""Half a view's width, in units of the card's frame: circumradii of a hexagon, half heights of a rectangle."""
GAIN = 10.0
"""What training multiplies corrections of outlines with."""
_VIEW_POINTS = grid(VIEW, VIEW, (REACH, REACH))


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """A piece found on the picture.

    Attributes:
        corners: (K, 2) float32 pixels, clockwise as seen, begun at any of those that look alike.
        confidence: 0..1 that it lies there.
    """

    corners: NDArray[np.float32]
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """One kind of piece that a detector's network finds.

    Attributes:
        shape: the piece's.
        spacing: two pieces, of the smaller width where ``is_by_smaller``, lie at least so many widths apart.
        planes: the first and the end of the planes about it in the network's answer: the heat, the offset, the code.
        stride: how far apart in the network's picture its heat is decoded.
        offset_px: the unit of its offsets.
        max_count: only so many are kept, those of the highest confidence; None for no limit.
    """

    shape: Shape
    spacing: float
    planes: tuple[int, int] = (0, 8)
    stride: int = STRIDE
    offset_px: float = OFFSET_PX
    is_by_smaller: bool = False
    max_count: int | None = None

    def decode(
        self, answer: NDArray[np.floating], min_confidence: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        """Outlines (N, K, 2) in the network's picture, surest first, and their confidences (N,)."""
        skipped = self.stride // STRIDE
        planes = answer[slice(*self.planes), ::skipped, ::skipped]
        heat = logistic(planes[0])
        rows, cols = np.nonzero((heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat >= min_confidence))
        order = np.argsort(-heat[rows, cols], kind="stable")[: None if self.max_count is None else 4 * self.max_count]
        y, x = rows[order], cols[order]
        centres = np.stack([x, y], 1) * self.stride + (self.stride - 1) / 2 + planes[1:3, y, x].T * self.offset_px
        codes = planes[3:, y, x].T / np.array(CODE_SCALE[: len(planes) - 3])
        return self.shape.corners_from_code(centres, codes), heat[y, x]

    def suppress(self, found: Sequence[Detection]) -> tuple[Detection, ...]:
        """The detections, surest first, each piece once."""
        if not found:
            return ()
        ordered = sorted(found, key=lambda one: -one.confidence)
        outlines = corners_of(ordered, len(self.shape.unit))
        widths = self.shape.width_px(outlines)
        pairs = (np.minimum if self.is_by_smaller else np.maximum).outer(widths, widths)
        kept = suppress_overlaps(distances(outlines) < self.spacing * pairs)
        return tuple(ordered[i] for i in kept[: self.max_count])


@dataclass(frozen=True, slots=True, eq=False)
class HeatmapDetector:
    """A game's detector: its network, and at which scales the picture is searched.

    Attributes:
        weights: the network's file; see `networks.network`.
        heads: the kinds of pieces.
        good_px: the width of a card, in the network's picture, at which it is found surely and cheaply.
        too_wide_px: where cards are wider there, the picture is searched once more, smaller.
        too_small_px: where they are smaller, it is searched once more, larger, where they lie.
        coarser: where none is sure, it is searched so much smaller, one after the other, for cards too near to be seen
            whole; the first counts where one has a confidence above ``coarser_confidence``.
        longest_px: the longest side of the network's first picture at most.
        multiple: of how many pixels the network's picture is a multiple.
    """

    weights: str
    heads: tuple[Head, ...]
    good_px: float = 0.0
    too_wide_px: float = np.inf
    too_small_px: float = 0.0
    coarser: tuple[float, ...] = ()
    coarser_confidence: float = 1.0
    longest_px: int = 960
    multiple: int = 16

    def detect(self, pyramid: Pyramid, min_confidence: float, width_px: float | None = None) -> tuple[Detection, ...]:
        """Find the cards, where the network knows one kind of piece.

        Args:
            min_confidence: detections below are left out.
            width_px: how wide cards are, when known: the picture is then searched at the cheapest scale.

        Returns:
            The cards, surest first; empty when there is none.
        """
        if width_px is not None:
            return self.detect_at(pyramid, min(1.0, self.good_px / width_px), min_confidence)[0]
        factor = self.first_factor(pyramid)
        (found,) = self.detect_at(pyramid, factor, min_confidence)
        if all(one.confidence < _CLEAR_CONFIDENCE for one in found):
            for coarser in self.coarser:
                (close,) = self.detect_at(pyramid, factor * coarser, min_confidence)
                if any(one.confidence > self.coarser_confidence for one in close):
                    return close
        likely = [one for one in found if one.confidence > LIKELY]
        if not likely:
            return found
        width = float(median(self.heads[0].shape.width_px(corners_of(likely))))
        if width * factor > self.too_wide_px:
            return self.detect_at(pyramid, 1.3 * self.good_px / width, min_confidence)[0]
        if width * factor < self.too_small_px:
            return self._closer(pyramid, found, width, min_confidence)
        return found

    def first_factor(self, pyramid: Pyramid) -> float:
        """The scale at which a picture is searched first: half its size, for all usual pictures."""
        longest = max(pyramid.size)
        return min(1.0, float(np.clip(longest / 2, 480, self.longest_px)) / longest)

    def detect_at(
        self, pyramid: Pyramid, factor: float, min_confidence: float, box: NDArray[np.floating] | None = None
    ) -> tuple[tuple[Detection, ...], ...]:
        """What the network finds in the picture at ``factor`` of its size, for each head; corners in full-size pixels.

        With a ``box`` (left, top, right and bottom in full-size pixels) only in that part of it.
        """
        small = pyramid.scaled(factor)
        begin, end = (0, 0), small.shape[1::-1]
        if box is not None:
            begin, end = np.clip(np.round(box * factor).astype(int).reshape(2, 2), 0, end)
        answer = network_answer(self.weights, small[begin[1] : end[1], begin[0] : end[0]], self.multiple)
        scale = np.array(small.shape[1::-1]) / pyramid.size
        detections = []
        for head in self.heads:
            outlines, confidences = head.decode(answer, min_confidence)
            corners = ((outlines + begin + 0.5) / scale - 0.5).astype(np.float32)
            detections.append(
                head.suppress([Detection(c, float(p)) for c, p in zip(corners, confidences, strict=True)])
            )
        return tuple(detections)

    def _closer(
        self, pyramid: Pyramid, found: tuple[Detection, ...], width: float, min_confidence: float
    ) -> tuple[Detection, ...]:
        """The cards once small ones are looked at larger; what the closer look says nothing about stays as found."""
        likely = np.concatenate([one.corners for one in found if one.confidence > LIKELY])
        box = np.concatenate([likely.min(0) - _AROUND * width, likely.max(0) + _AROUND * width])
        (inside,) = self.detect_at(pyramid, min(1.0, self.good_px / width), min_confidence, box)
        apart = distances(corners_of(found), corners_of(inside)).min(1, initial=np.inf)
        stays = [
            one
            for one, far in zip(found, apart, strict=True)
            if far >= self.heads[0].spacing * width
            and (one.confidence > LIKELY or (one.corners < box[:2]).any() or (one.corners > box[2:]).any())
        ]
        return tuple(sorted([*inside, *stays], key=lambda one: -one.confidence))


def hexagon_detector(weights: str) -> HeatmapDetector:
    """A detector of hexagonal cards, which the network in a file finds best where they are 30 to 92 pixels wide."""
    return HeatmapDetector(
        weights,
        heads=(Head(HEXAGON, spacing=0.5),),
        good_px=44.0,
        too_wide_px=92.0,
        too_small_px=30.0,
        coarser=(0.4, 0.16),
        coarser_confidence=0.85,
    )


def network_answer(
    weights: str, picture: NDArray[np.uint8], multiple: int, levels: NDArray[np.float32] = LEVELS
) -> NDArray[np.float32]:
    """A network's planes for every fourth pixel of a picture, brightened and padded: float32 (P, h/4, w/4).

    Args:
        weights: the network's file; see `networks.network`.
        picture: uint8 BGR (h, w, 3).
        multiple: of how many pixels the padded picture's sides are multiples.
        levels: see `picture_planes`.
    """
    h, w = picture.shape[:2]
    padded = cv2.copyMakeBorder(brightened(picture), 0, -h % multiple, 0, -w % multiple, cv2.BORDER_REPLICATE)
    return np.asarray(network(weights).forward(picture_planes(padded, levels)[None])[0], np.float32)


def brightened(bgr: MatLike) -> NDArray[np.uint8]:
    """A picture, uint8 (h, w, 3), its bright parts brought to one level, so that a dim room looks like a lit one."""
    top = percentile(brightest_channel(np.asarray(bgr[::4, ::4], np.uint8)), 97)
    return np.asarray(cv2.convertScaleAbs(bgr, alpha=230.0 / max(top, 12.0)), np.uint8)


def corners_of(found: Sequence[Detection], count: int = 6) -> NDArray[np.float32]:
    """Their outlines (N, K, 2) float32; of ``count`` corners each where there are none."""
    return np.array([one.corners for one in found], np.float32) if found else np.zeros((0, count, 2), np.float32)


def distances(outlines: NDArray[np.floating], others: NDArray[np.floating] | None = None) -> NDArray[np.float64]:
    """How far apart the centres of outlines (N, K, 2) and others (M, K, 2), or of themselves, lie: (N, M)."""
    centres = outlines.mean(1)
    there = centres if others is None else others.mean(1)
    return np.asarray(np.linalg.norm(centres[:, None] - there[None], axis=-1))


def suppress_overlaps(clashes: NDArray[np.bool_]) -> list[int]:
    """Non-maximum suppression: which of N things, the best first, clash (N, N) with none that was kept before."""
    kept: list[int] = []
    for i, row in enumerate(clashes):
        if not row[kept].any():
            kept.append(i)
    return kept


def cut_views(pyramid: Pyramid, corners: NDArray[np.floating], shape: Shape = HEXAGON) -> NDArray[np.float32]:
    """Look at every card through its outline.

    Args:
        corners: (N, K, 2) pixels, clockwise.
        shape: the cards'.

    Returns:
        (N, VIEW, VIEW, 3) float32, each view's bright parts brought to the same level, about -0.5..0.75.
    """
    views = sample_pieces(pyramid, shape.pose_of(corners), _VIEW_POINTS, 2 * REACH / VIEW)
    views = views.reshape(-1, VIEW, VIEW, 3)
    views /= bright_level(views[:, ::3, ::3], 90)[:, None, None, None]
    np.minimum(views, np.float32(1.25), out=views)
    views -= np.float32(0.5)
    return views


def refine_corners(
    weights: str, pyramid: Pyramid, corners: NDArray[np.floating], shape: Shape = HEXAGON, times: int = 1
) -> NDArray[np.float32]:
    """The outlines (N, K, 2) moved to where the cards' edges are; float32, begun at the same corners.

    A second time, from where the first led to, mends what lay far off.

    Args:
        weights: the network's file; see `networks.network`.
        corners: the outlines as found.
        shape: the cards'.
        times: how often.
    """
    for _ in range(times if len(corners) else 0):
        net = network(weights)
        corrections = (
            net.forward(np.ascontiguousarray(cut_views(pyramid, corners, shape).transpose(0, 3, 1, 2))).reshape(
                -1, 2, 3
            )
            / GAIN
        )
        centres, affines = shape.pose_of(corners)
        better = shape.unit @ (np.eye(2) + corrections[..., :2]).swapaxes(-1, -2) + corrections[:, None, :, 2]
        corners = (better @ affines.swapaxes(-1, -2) + centres[:, None]).astype(np.float32)
    return corners
