"""Cards' edges found by a small network in strips along their sides, and the corners where straight edges meet.

The network (`models/outline/refiner`) answers, for each column of a strip, how likely the edge runs at each place
across it, or that there is none. The straight line that gathers most of that likelihood is the side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import network, softmax
from companion.vision.refinement.strips import (
    COLUMNS,
    STRIP,
    Frame,
    bin_places,
    brightened_strips,
    column_places,
    cut_strips,
    fit_homography,
)

Floats = NDArray[np.float64]

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


def refine(pyramid: Pyramid, outlines: Sequence[Floats], name: str = NETWORK) -> list[Refined]:
    """Outlines (4 or 6, 2) known roughly, each refined to the edges of its card.

    Args:
        pyramid: the picture.
        outlines: corners on the picture, clockwise as seen.
        name: of the network.
    """
    refined: list[Refined] = []
    for begin in range(0, len(outlines), _BATCH):
        frames = [Frame.of(corners) for corners in outlines[begin : begin + _BATCH]]
        strips = brightened_strips([cut_strips(pyramid, frame) for frame in frames])
        logits = np.asarray(network(name).forward(strips), np.float64).swapaxes(1, 2)
        likely = np.asarray(softmax(logits), np.float64)  # (strips, COLUMNS, STRIP + 1)
        ends, support = _lines(likely[..., :STRIP])
        at = np.cumsum([0] + [len(frame.corners) for frame in frames])
        for frame, a, b in zip(frames, at[:-1], at[1:], strict=True):
            refined.append(_meet(frame, ends[a:b], support[a:b]))
    return refined


@cache
def _candidates() -> tuple[Floats, NDArray[np.int64]]:
    """Lines by their offsets at both ends of a side (L, 2), and the bin of each at every column (L, COLUMNS)."""
    places, u = bin_places(), column_places()
    v0, v1 = (grid.ravel() for grid in np.meshgrid(places[2:-2], places[2:-2], indexing="ij"))
    close = np.abs(v0 - v1) <= _MOST_SLOPE
    ends = np.stack([v0[close], v1[close]], 1)
    across = ends[:, :1] + (ends[:, 1:] - ends[:, :1]) * u
    bins = np.round((across - places[0]) / (places[1] - places[0])).astype(np.int64)
    return ends, np.clip(bins, 0, STRIP - 1)


def _lines(likely: Floats) -> tuple[Floats, Floats]:
    """The best line of each strip, its offsets at the side's ends (S, 2), and how much of it is supported (S,)."""
    near = likely.copy()
    near[..., 1:] += likely[..., :-1]
    near[..., :-1] += likely[..., 1:]
    scores = np.log(near + _FLOOR).astype(np.float32)
    ends, bins = _candidates()
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
