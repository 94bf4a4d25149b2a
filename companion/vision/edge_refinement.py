"""Cards' edges found by a small network in strips along their sides, and the corners where straight edges meet.

Strips are cut in the cards' frames, planes in which a card is an upright rectangle or a regular hexagon about as large
as on the picture, so that those of all cards look alike. A strip runs along one side, the card's inside below. The
network (`models/outline/refiner`) answers, for each column of a strip, how likely the edge runs at each place across
it, or that there is none. The straight line that gathers most of that likelihood is the side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import UNIT_HEXAGON, following
from companion.vision.image.pyramid import Pyramid, percentile
from companion.vision.networks import network, softmax

Floats = NDArray[np.float64]

_HEXAGON_SIZE = 1.25
"""The size of a hexagon in lengths of its side; of a rectangle it is the root of its area."""


@dataclass(frozen=True, slots=True, eq=False)
class CardFrame:
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
    def of(corners: Floats) -> "CardFrame":
        """The frame of a card whose corners (4 or 6, 2) on the picture are known roughly."""
        return frames_of(np.asarray(corners)[None])[0]

    def to_picture(self, points: Floats) -> Floats:
        """Points (..., 2) of the frame on the picture."""
        return projected(self.picture_from_frame, points)

    def from_picture(self, points: Floats) -> Floats:
        """Points (..., 2) of the picture in the frame."""
        return projected(np.asarray(np.linalg.inv(self.picture_from_frame)), points)

    def side_frames(self) -> tuple[Floats, Floats, Floats]:
        """Where the sides begin, their vectors and the unit vectors inwards, each (N, 2) in the frame."""
        along = following(self.corners) - self.corners
        return self.corners, along, inwards_of(along)


def frames_of(outlines: Floats) -> list[CardFrame]:
    """The frames of cards whose corners (M, 4 or 6, 2) on the picture are known roughly; see `CardFrame.of`."""
    outlines = np.asarray(outlines, np.float64)
    sides = np.linalg.norm(following(outlines) - outlines, axis=2)
    if outlines.shape[1] == 4:
        wide, high = np.maximum(1.0, (sides[:, :2] + sides[:, 2:]) / 2).T
        flat, sizes = np.zeros(outlines.shape), np.sqrt(wide * high)
        flat[:, 1:3, 0], flat[:, 2:, 1] = wide[:, None], high[:, None]
        pairs = zip(flat.astype(np.float32), outlines.astype(np.float32), strict=True)
        homographies = [np.asarray(cv2.getPerspectiveTransform(*pair), np.float64) for pair in pairs]
    else:
        side = np.maximum(1.0, sides.mean(1))
        flat, sizes = side[:, None, None] * UNIT_HEXAGON, side * _HEXAGON_SIZE
        homographies = list(fit_homographies(flat, outlines))
    return [CardFrame(*of_card) for of_card in zip(flat, sizes.tolist(), homographies, strict=True)]


def proportion_of(corners: Floats, focal_px: float, centre: Floats) -> float:
    """The longer side of a rectangle over its shorter one, from its corners (4, 2) on a picture.

    Args:
        corners: clockwise as seen.
        focal_px: the camera's focal length.
        centre: (2,) of the picture.
    """
    return float(proportions_of(corners[None], focal_px, centre)[0])


def proportions_of(outlines: Floats, focal_px: float, centre: Floats) -> Floats:
    """The proportions (N,) of rectangles (N, 4, 2); see `proportion_of`."""
    wide, high = sides_on_table(outlines, focal_px, centre)
    return np.maximum(wide / high, high / wide)


def sides_on_table(outlines: Floats, focal_px: float, centre: Floats) -> tuple[Floats, Floats]:
    """The lengths (N,) on the table of the first side of rectangles (N, 4, 2) and of the second, in one unit for each.

    Args:
        focal_px: the camera's focal length.
        centre: (2,) of the picture.
    """
    frames = frames_of(outlines)
    wide, high = np.array([frame.corners[2] for frame in frames]).T
    camera = np.array([[focal_px, 0, centre[0]], [0, focal_px, centre[1]], [0, 0, 1]])
    seen = np.linalg.inv(camera) @ np.array([frame.picture_from_frame for frame in frames])
    along, down = np.linalg.norm(seen[..., :2], axis=1).T
    return np.asarray(along * wide), np.asarray(down * high)


def inwards_of(along: Floats) -> Floats:
    """The unit vectors (..., 2) to the inside of sides (..., 2)."""
    across = np.stack([-along[..., 1], along[..., 0]], -1)
    return np.asarray(across / np.linalg.norm(along, axis=-1, keepdims=True))


def projected(homographies: Floats, points: Floats) -> Floats:
    """Points (..., P, 2) under homographies (..., 3, 3)."""
    at = points @ homographies[..., :2].swapaxes(-1, -2) + homographies[..., None, :, 2]
    return np.asarray(at[..., :2] / at[..., 2:])


def fit_homography(source: Floats, target: Floats, weights: Floats | None = None) -> Floats:
    """The homography (3, 3) that takes points (P, 2) nearest to others; see `fit_homographies`."""
    return np.asarray(fit_homographies(source[None], target[None], None if weights is None else weights[None])[0])


def fit_homographies(source: Floats, target: Floats, weights: Floats | None = None) -> Floats:
    """The homographies (M, 3, 3) that take points nearest to others, by least squares of the algebraic error.

    Args:
        source: (M, P, 2), P >= 4 points of each.
        target: (M, P, 2), where they should lie.
        weights: (M, P) of each point; all alike when None.
    """
    unit_from_source, unit_from_target = _to_unit(source), _to_unit(target)
    places = np.ones((*source.shape[:2], 3))
    places[..., :2] = projected(unit_from_source, source)
    wanted = projected(unit_from_target, target)
    rows = np.zeros((len(source), 2, source.shape[1], 9))
    for axis in (0, 1):
        rows[:, axis, :, 3 * axis : 3 * axis + 3] = places
        rows[:, axis, :, 6:] = -wanted[..., axis, None] * places
    if weights is not None:
        rows *= np.sqrt(weights)[:, None, :, None]
    equations = rows.reshape(len(source), -1, 9)
    _, vectors = np.linalg.eigh(equations.swapaxes(1, 2) @ equations)
    return np.asarray(np.linalg.inv(unit_from_target) @ vectors[..., 0].reshape(-1, 3, 3) @ unit_from_source)


def _to_unit(points: Floats) -> Floats:
    """The maps (M, 3, 3) that take points (M, P, 2) to about the unit circle."""
    middle = points.mean(1)
    spread = np.sqrt(((points - middle[:, None]) ** 2).sum(2).mean(1))
    scale = 1.0 / np.maximum(1e-9, spread)
    maps = np.zeros((len(points), 3, 3))
    maps[:, 0, 0] = maps[:, 1, 1] = scale
    maps[:, :2, 2] = -scale[:, None] * middle
    maps[:, 2, 2] = 1
    return maps


def colours_across(pyramid: Pyramid, outlines: Floats, across: Floats, along: Floats, detail: float) -> Floats:
    """The colours along lines beside the sides of outlines.

    Args:
        outlines: (N, K, 2) on the picture.
        across: (T,), how far inwards each line lies, in sizes of the card.
        along: (P,), which places along it, 0..1.
        detail: how much of the picture one colour is of, in sizes of the card.

    Returns:
        (N, T, K, P, 3), 0..255.
    """
    frames = frames_of(outlines)
    sizes = np.array([frame.size for frame in frames])
    corners = np.array([frame.corners for frame in frames])
    sides = following(corners) - corners
    lines = corners[:, :, None] + along[:, None] * sides[:, :, None]
    off = across[:, None, None] * sizes[:, None, None, None] * inwards_of(sides)[:, None]  # (N, T, K, 2)
    points = (lines[:, None] + off[:, :, :, None]).reshape(len(frames), -1, 2)
    seen_at = projected(np.array([frame.picture_from_frame for frame in frames]), points)
    levels = np.array([pyramid.level_for(detail * size) for size in sizes])
    colours = np.empty((*seen_at.shape[:2], 3))
    for level in set(levels.tolist()):
        colours[levels == level] = pyramid.sample(seen_at[levels == level], level)
    return colours.reshape(len(frames), len(across), -1, len(along), 3)


STRIP = 40
"""Samples of a strip, along and across."""
OUTSIDE, INSIDE = 0.3, 0.4
"""How far a strip reaches across the side, in sizes of the card."""
BEYOND = 0.1
"""How far a strip reaches beyond both ends of the side, in lengths of the side."""
COLUMNS = 10
"""Places along a strip where the network tells the edge."""
CLEAR = 0.8
"""An outline along so much of which edges show is exact. Of 111 own outlines of hexagons on path-traced layouts those
farther off than half a side show edges along 0.61 at most, those nearer than a tenth along 0.8 at least.
"""
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
_MOST_MOVED, _LOST = 0.6, 9.0
"""Corners that would move farther, in sizes of the card, stay where they were; how far those moved that meet nowhere.
"""


def cut_strips(pyramid: Pyramid, frame: CardFrame) -> NDArray[np.uint8]:
    """The strips (N, STRIP, STRIP, 3) of a card's N sides; rows go inwards, columns along."""
    strips = np.empty((len(frame.corners), STRIP, STRIP, 3), np.uint8)
    level = pyramid.level_for(frame.size * (OUTSIDE + INSIDE) / STRIP)
    shrink = 1.0 / (1 << level)
    to_level = np.array([[shrink, 0, (shrink - 1) / 2], [0, shrink, (shrink - 1) / 2], [0, 0, 1]])
    begin, along, inwards = frame.side_frames()
    step_along = along * (1 + 2 * BEYOND) / STRIP
    step_across = inwards * frame.size * (OUTSIDE + INSIDE) / STRIP
    origin = begin - along * BEYOND - inwards * frame.size * OUTSIDE + (step_along + step_across) / 2
    to_frame = np.zeros((len(strips), 3, 3))
    to_frame[:, :2] = np.stack([step_along, step_across, origin], -1)
    to_frame[:, 2, 2] = 1
    for strip, level_from_strip in zip(strips, to_level @ frame.picture_from_frame @ to_frame, strict=True):
        cv2.warpPerspective(
            pyramid.levels[level],
            level_from_strip,
            (STRIP, STRIP),
            dst=strip,
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


def edge_offsets(frame: CardFrame, corners: Floats) -> Floats:
    """Where an outline's sides cross the strips' columns: (N, COLUMNS) in sizes of the card, inwards positive.

    Args:
        frame: of the strips.
        corners: (N, 2) of the outline on the picture, in the order of the frame's corners.
    """
    true = frame.from_picture(corners)
    offsets = np.empty((len(true), COLUMNS))
    for side, (begin, along, inwards) in enumerate(zip(*frame.side_frames(), strict=True)):
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


def refine(pyramid: Pyramid, outlines: Sequence[Floats], reach: float = INSIDE) -> list[Refined]:
    """Outlines (4 or 6, 2) known roughly, each refined to the edges of its card.

    Args:
        outlines: corners on the picture, clockwise as seen; all have as many.
        reach: how far off an edge may lie, in sizes of the card.
    """
    refined: list[Refined] = []
    for begin in range(0, len(outlines), _BATCH):
        frames = frames_of(np.array(outlines[begin : begin + _BATCH]))
        strips = brightened_strips([cut_strips(pyramid, frame) for frame in frames])
        logits = np.asarray(network(NETWORK).forward(strips), np.float64).swapaxes(1, 2)
        likely = np.asarray(softmax(logits), np.float64)  # (strips, COLUMNS, STRIP + 1)
        ends, support = _lines(likely[..., :STRIP], reach)
        refined += lines_meeting(frames, ends.reshape(len(frames), -1, 2), support.reshape(len(frames), -1))
    return refined


def clear_outlines(
    pyramid: Pyramid, outlines: NDArray[np.floating], scales: Sequence[float] = (1.0,)
) -> list[Floats | None]:
    """The outline that each of some (N, 4 or 6, 2) has by its card's edges; None where edges do not show clearly.

    Args:
        scales: an outline may be so many times too small: the clearest of what is found from each is taken.
    """
    middles = outlines.mean(1, keepdims=True)
    begun = [(outlines - middles) * scale + middles for scale in scales]
    ways = [refine(pyramid, list(way.astype(np.float64))) for way in begun]
    best = [max(of_card, key=lambda one: float(one.support.mean())) for of_card in zip(*ways, strict=True)]
    return [one.corners if one.support.mean() >= CLEAR else None for one in best]


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
    scores = np.ascontiguousarray(np.log(near + _FLOOR).transpose(1, 2, 0), np.float32)  # (COLUMNS, STRIP, strips)
    ends, bins = _candidates(reach)
    total = np.zeros((len(ends), len(likely)), np.float32)
    for column in range(COLUMNS):
        total += scores[column].take(bins[:, column], axis=0)
    return _settled(likely, bins[total.argmax(0)])


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


def lines_meeting(frames: Sequence[CardFrame], ends: Floats, support: Floats) -> list[Refined]:
    """The outlines whose sides are lines beside those of cards' frames.

    Args:
        frames: of M cards.
        ends: (M, N, 2), how far inwards the lines lie at both ends of each side, in sizes of the card.
        support: (M, N), see `Refined`.
    """
    begin, sizes = np.array([frame.corners for frame in frames]), np.array([frame.size for frame in frames])
    homographies = np.array([frame.picture_from_frame for frame in frames])
    along = following(begin) - begin
    inwards = inwards_of(along) * sizes[:, None, None]
    first, second = begin + inwards * ends[..., :1], begin + along + inwards * ends[..., 1:]
    normal = np.stack([first[..., 1] - second[..., 1], second[..., 0] - first[..., 0]], -1)
    away = -(normal * first).sum(-1)
    before, away_before = np.roll(normal, 1, 1), np.roll(away, 1, 1)
    across = before[..., 0] * normal[..., 1] - before[..., 1] * normal[..., 0]
    meeting = np.stack(
        [
            before[..., 1] * away - normal[..., 1] * away_before,
            normal[..., 0] * away_before - before[..., 0] * away,
        ],
        -1,
    )
    flat = meeting / np.where(np.abs(across) < 1e-9, 1e-9, across)[..., None]
    if flat.shape[1] == 6:
        sure = np.minimum(support, np.roll(support, 1, 1)) ** 2 + 0.02
        flat = projected(fit_homographies(begin, flat, sure), begin)
    moved = np.abs(flat - begin).max((1, 2)) / sizes
    is_found = np.isfinite(moved) & (moved <= _MOST_MOVED)
    corners = projected(homographies, np.where(is_found[:, None, None], flat, begin))
    how_far = np.where(np.isfinite(moved), moved, _LOST).tolist()
    return [Refined(*of_card) for of_card in zip(corners, support, how_far, strict=True)]
