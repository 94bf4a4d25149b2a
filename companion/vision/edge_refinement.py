"""Cards' edges found by a small network in strips along their sides, and the corners where straight edges meet.

Every card has a frame, a plane in which it is an upright rectangle or a regular hexagon; its unit is the card's size in
pixels, so that strips of all cards look alike. A strip runs along one side, the card's inside below. The network
(`models/outline/refiner`) answers, for each column of a strip, how likely the edge runs at each place across it, or
that there is none. The straight line that gathers most of that likelihood is the side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.image.pyramid import Pyramid, percentile
from companion.vision.networks import network, softmax

Floats = NDArray[np.float64]

STRIP = 40
"""Samples of a strip, along and across."""
OUTSIDE, INSIDE = 0.3, 0.4
"""How far a strip reaches across the side, in sizes of the card."""
BEYOND = 0.1
"""How far a strip reaches beyond both ends of the side, in lengths of the side."""
COLUMNS = 10
"""Places along a strip where the network tells the edge."""
NETWORK = "outline/refiner/weights.onnx"
_FLOOR = 0.02
"""Added to every likelihood: what a column says against a line is worth no more than this."""
_WINDOW = 2
"""Bins on both sides of a line whose likelihood is its own."""
_MOST_SLOPE = 0.3
"""How much farther out one end of a side may lie than the other, in sizes of the card."""
_PRIOR = 0.01
"""How many columns that a side lies where it was thought to lie is worth."""
_BATCH = 64
"""Cards whose strips go through the network at a time."""
_HEXAGON_SIZE = 1.25
"""The size of a hexagon in lengths of its side; of a rectangle it is the root of its area."""
_TURNS = np.radians(np.arange(6) * 60.0)


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A card's frame.

    Attributes:
        corners: (N, 2) of the card in the frame.
        size: the card's, in the frame's units, which are about pixels.
        picture_from_frame: homography (3, 3).
    """

    corners: Floats
    size: float
    picture_from_frame: Floats

    @staticmethod
    def of(corners: Floats) -> "Frame":
        """The frame of a card whose corners (4 or 6, 2) on the picture are known roughly."""
        quad = np.asarray(corners, np.float64)
        sides = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
        if len(quad) == 4:
            w, h = max(1.0, (sides[0] + sides[2]) / 2), max(1.0, (sides[1] + sides[3]) / 2)
            flat = np.array([[0, 0], [w, 0], [w, h], [0, h]])
            to_picture = cv2.getPerspectiveTransform(flat.astype(np.float32), quad.astype(np.float32))
            return Frame(flat, float(np.sqrt(w * h)), np.asarray(to_picture, np.float64))
        side = max(1.0, float(sides.mean()))
        flat = side * np.stack([np.cos(_TURNS), np.sin(_TURNS)], 1)
        return Frame(flat, side * _HEXAGON_SIZE, fit_homography(flat, quad))

    def to_picture(self, points: Floats) -> Floats:
        """Points (..., 2) of the frame on the picture."""
        return _projected(self.picture_from_frame, points)

    def from_picture(self, points: Floats) -> Floats:
        """Points (..., 2) of the picture in the frame."""
        return _projected(np.asarray(np.linalg.inv(self.picture_from_frame)), points)

    def side_frame(self, side: int) -> tuple[Floats, Floats, Floats]:
        """Where a side begins, its vector and the unit vector inwards, each (2,) in the frame."""
        begin, end = self.corners[side], self.corners[(side + 1) % len(self.corners)]
        along = end - begin
        return begin, along, np.array([-along[1], along[0]]) / np.linalg.norm(along)


def _projected(homography: Floats, points: Floats) -> Floats:
    shape = np.shape(points)
    at = np.asarray(points, np.float64).reshape(-1, 2) @ homography[:, :2].T + homography[:, 2]
    return np.asarray((at[:, :2] / at[:, 2:]).reshape(shape))


def fit_homography(source: Floats, target: Floats, weights: Floats | None = None) -> Floats:
    """The homography (3, 3) that takes points (N, 2) nearest to others, by least squares of the algebraic error.

    Args:
        source: N >= 4 points.
        target: where they should lie.
        weights: (N,) of each point; all alike when None.
    """
    to_unit = [_to_unit(points) for points in (source, target)]
    (x, y), (u, v) = (_projected(t, p).T for t, p in zip(to_unit, (source, target), strict=True))
    one, nil = np.ones_like(x), np.zeros_like(x)
    rows = np.concatenate(
        [
            np.stack([x, y, one, nil, nil, nil, -u * x, -u * y, -u], 1),
            np.stack([nil, nil, nil, x, y, one, -v * x, -v * y, -v], 1),
        ]
    )
    if weights is not None:
        rows = rows * np.sqrt(np.tile(weights, 2))[:, None]
    _, vectors = np.linalg.eigh(rows.T @ rows)
    return np.asarray(np.linalg.inv(to_unit[1]) @ vectors[:, 0].reshape(3, 3) @ to_unit[0])


def _to_unit(points: Floats) -> Floats:
    middle = points.mean(0)
    scale = 1.0 / max(1e-9, float(np.sqrt(((points - middle) ** 2).sum(1).mean())))
    return np.array([[scale, 0, -scale * middle[0]], [0, scale, -scale * middle[1]], [0, 0, 1]])


def cut_strips(pyramid: Pyramid, frame: Frame) -> NDArray[np.uint8]:
    """The strips (N, STRIP, STRIP, 3) of a card's N sides; rows go inwards, columns along."""
    strips = np.empty((len(frame.corners), STRIP, STRIP, 3), np.uint8)
    level = pyramid.level_for(frame.size * (OUTSIDE + INSIDE) / STRIP)
    shrink = 1.0 / (1 << level)
    to_level = np.array([[shrink, 0, (shrink - 1) / 2], [0, shrink, (shrink - 1) / 2], [0, 0, 1]])
    for side in range(len(frame.corners)):
        begin, along, inwards = frame.side_frame(side)
        step_along = along * (1 + 2 * BEYOND) / STRIP
        step_across = inwards * frame.size * (OUTSIDE + INSIDE) / STRIP
        origin = begin - along * BEYOND - inwards * frame.size * OUTSIDE + (step_along + step_across) / 2
        to_frame = np.eye(3)
        to_frame[:2] = np.column_stack([step_along, step_across, origin])
        cv2.warpPerspective(
            pyramid.levels[level],
            to_level @ frame.picture_from_frame @ to_frame,
            (STRIP, STRIP),
            dst=strips[side],
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REPLICATE,
        )
    return strips


def column_places() -> Floats:
    """Where the network's columns (COLUMNS,) lie along a side, 0 at its begin and 1 at its end."""
    return np.asarray((np.arange(COLUMNS) + 0.5) / COLUMNS * (1 + 2 * BEYOND) - BEYOND)


def bin_places() -> Floats:
    """Where the network's bins (STRIP,) lie across a side, in sizes of the card, inwards positive."""
    return np.asarray((np.arange(STRIP) + 0.5) / STRIP * (OUTSIDE + INSIDE) - OUTSIDE)


def edge_offsets(frame: Frame, corners: Floats) -> Floats:
    """Where an outline's sides cross the strips' columns: (N, COLUMNS) in sizes of the card, inwards positive.

    Args:
        frame: of the strips.
        corners: (N, 2) of the outline on the picture, in the order of the frame's corners.
    """
    true = frame.from_picture(corners)
    offsets = np.empty((len(true), COLUMNS))
    for side in range(len(true)):
        begin, along, inwards = frame.side_frame(side)
        ends = np.stack([true[side], true[(side + 1) % len(true)]]) - begin
        u = ends @ along / (along @ along)
        v = ends @ inwards / frame.size
        span = u[1] - u[0]
        offsets[side] = v[0] + (column_places() - u[0]) * (v[1] - v[0]) / (span if abs(span) > 1e-6 else 1e-6)
    return offsets


def brightened_strips(strips: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
    """Strips of cards, a card's each (N, STRIP, STRIP, 3), as the network takes them: (all, 3, STRIP, STRIP)."""
    parts = []
    for card in strips:
        some = card[:, ::3, ::3]
        low, high = percentile(some, 2), percentile(some, 98)
        values = card.astype(np.float32)
        values -= np.float32((low + high) / 2)
        values *= np.float32(1 / max(20.0, high - low))
        parts.append(values)
    return np.ascontiguousarray(np.concatenate(parts).transpose(0, 3, 1, 2), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Refined:
    """An outline refined.

    Attributes:
        corners: (N, 2) pixels, sharp.
        support: (N,) share of each side, from corner to corner in their order, along which an edge was found, 0..1.
        moved: how far the corners moved, in sizes of the card: the largest.
    """

    corners: Floats
    support: Floats
    moved: float


def refine(pyramid: Pyramid, outlines: Sequence[Floats], name: str = NETWORK, reach: float = INSIDE) -> list[Refined]:
    """Outlines (4 or 6, 2) known roughly, each refined to the edges of its card.

    Args:
        pyramid: the picture.
        outlines: corners on the picture, clockwise as seen.
        name: of the network.
        reach: how far off an edge may lie, in sizes of the card.
    """
    refined: list[Refined] = []
    for begin in range(0, len(outlines), _BATCH):
        frames = [Frame.of(corners) for corners in outlines[begin : begin + _BATCH]]
        strips = brightened_strips([cut_strips(pyramid, frame) for frame in frames])
        logits = np.asarray(network(name).forward(strips), np.float64).swapaxes(1, 2)
        likely = np.asarray(softmax(logits), np.float64)  # (strips, COLUMNS, STRIP + 1)
        ends, support = _lines(likely[..., :STRIP], reach)
        at = np.cumsum([0] + [len(frame.corners) for frame in frames])
        for frame, a, b in zip(frames, at[:-1], at[1:], strict=True):
            refined.append(_meet(frame, ends[a:b], support[a:b]))
    return refined


@cache
def _candidates(reach: float) -> tuple[Floats, NDArray[np.int64]]:
    """Lines by their offsets at both ends of a side (L, 2), and the bin of each at every column (L, COLUMNS)."""
    places, u = bin_places(), column_places()
    v0, v1 = (grid.ravel() for grid in np.meshgrid(places[2:-2], places[2:-2], indexing="ij"))
    close = (np.abs(v0 - v1) <= _MOST_SLOPE) & (np.maximum(np.abs(v0), np.abs(v1)) <= reach)
    ends = np.stack([v0[close], v1[close]], 1)
    across = ends[:, :1] + (ends[:, 1:] - ends[:, :1]) * u
    bins = np.round((across - places[0]) / (places[1] - places[0])).astype(np.int64)
    return ends, np.clip(bins, 0, STRIP - 1)


def _lines(likely: Floats, reach: float) -> tuple[Floats, Floats]:
    """The best line of each strip, its offsets at the side's ends (S, 2), and how much of it is supported (S,)."""
    near = likely.copy()
    near[..., 1:] += likely[..., :-1]
    near[..., :-1] += likely[..., 1:]
    scores = np.log(near + _FLOOR).astype(np.float32)
    ends, bins = _candidates(reach)
    total = np.zeros((len(likely), len(ends)), np.float32)
    for column in range(COLUMNS):
        total += scores[:, column][:, bins[:, column]]
    best = total.argmax(1)
    return _settled(likely, bins[best])


def _settled(likely: Floats, bins: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Lines between the bins: of each column's likelihood near the best line the mean, and through those a line."""
    places, u = bin_places(), column_places()
    window = np.clip(bins[..., None] + np.arange(-_WINDOW, _WINDOW + 1), 0, STRIP - 1)
    mass = np.take_along_axis(likely, window, -1)
    weight = mass.sum(-1)
    across = (mass * places[window]).sum(-1) / np.maximum(weight, 1e-9)
    support = weight[:, 1:-1].mean(1)
    columns = np.concatenate([u, [0.0, 1.0]])
    weights = np.concatenate([weight**2, np.full((len(weight), 2), _PRIOR / 2)], 1)
    values = np.concatenate([across, np.zeros((len(weight), 2))], 1)
    mean_w = weights.sum(1, keepdims=True)
    mean_u = (weights * columns).sum(1, keepdims=True) / mean_w
    mean_v = (weights * values).sum(1, keepdims=True) / mean_w
    slope = (weights * (columns - mean_u) * (values - mean_v)).sum(1, keepdims=True)
    slope /= (weights * (columns - mean_u) ** 2).sum(1, keepdims=True)
    return np.concatenate([mean_v - slope * mean_u, mean_v + slope * (1 - mean_u)], 1), support


def _meet(frame: Frame, ends: Floats, support: Floats) -> Refined:
    """The outline whose sides are the lines with those offsets (N, 2) at their ends."""
    begin, along = frame.corners, np.roll(frame.corners, -1, 0) - frame.corners
    inwards = np.stack([-along[:, 1], along[:, 0]], 1) / np.linalg.norm(along, axis=1, keepdims=True) * frame.size
    first, second = begin + inwards * ends[:, :1], begin + along + inwards * ends[:, 1:]
    normal = np.stack([first[:, 1] - second[:, 1], second[:, 0] - first[:, 0]], 1)
    away = -(normal * first).sum(1)
    before, away_before = np.roll(normal, 1, 0), np.roll(away, 1)
    across = before[:, 0] * normal[:, 1] - before[:, 1] * normal[:, 0]
    meeting = np.stack(
        [before[:, 1] * away - normal[:, 1] * away_before, normal[:, 0] * away_before - before[:, 0] * away], 1
    )
    flat = meeting / np.where(np.abs(across) < 1e-9, 1e-9, across)[:, None]
    if len(flat) == 6:
        sure = np.minimum(support, np.roll(support, 1)) ** 2 + 0.02
        to_frame = fit_homography(frame.corners, flat, sure)
        flat = Frame(frame.corners, frame.size, to_frame).to_picture(frame.corners)
    moved = float(np.abs(flat - frame.corners).max() / frame.size)
    if not np.isfinite(moved) or moved > 0.6:
        return Refined(frame.to_picture(frame.corners), support, moved if np.isfinite(moved) else 9.0)
    return Refined(frame.to_picture(flat), support, moved)
