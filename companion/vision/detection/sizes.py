"""The size of cards: in millimetres, which outlines may be of that size, and rectangles held against others.

Cards of one deck have one size. Where an outline differs, a side may have been taken for a neighbour's, a corner for
another's, or a line printed within the card for its edge.
"""

import numpy as np
from numpy.typing import NDArray

from companion.errors import UsageError
from companion.vision.edge_refinement import CardFrame, proportion_of
from companion.vision.geometry import areas, opposite_sides

SizeMm = tuple[float, float]
Floats = NDArray[np.float64]
_NEIGHBOURS = 4
"""So many of the others around say how large cards are there."""
_AS_LARGE, _OTHER = 0.07, 0.45
"""Logarithms of a width or height over that of the cards around: less is no difference, more is something else."""
_AROUND, _LEAST_AROUND, _LIKE_THOSE = 6, 3, 0.1
"""So many of the cards around are asked whether an outline is two; so many of them, and most, must be as large as their
median, by logarithms that differ by less."""
_AS_WIDE, _LONGER = 0.12, (0.3, 0.8)
"""Logarithms over the width and length of one card: two cards that lie on or beside each other are as wide as one and
longer by so much, a part of a card is shorter by as much."""
_CORNER = 0.08
"""A corner that lies so far from where the other three have it, in sizes of the card, may lie off; so may they."""
_AS_LONG, _SEEN_PX, _FARTHER = 0.08, 2.0, 0.08
"""By so much the logarithm of a side may be off, by so many pixels more, and by so much more times the root of the
leverage, which is 0.6 in the median beside six known cards, 2.6 beside three, 21 beside one. Of 6,510 drawn cards and
tiles with corners 1.5 px off, beside 1 to 13 others, 99.9 % are within that, all of those beside four or more."""
_RIDGE = 0.2
"""Of the regression for how sizes change over the picture, in squared lengths of a card: the best of 0.2, 1 and 10."""
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


def are_as_large(
    outlines: NDArray[np.floating], known: NDArray[np.floating], picture_px: tuple[int, int], slack: float = 0.0
) -> NDArray[np.bool_]:
    """Which outlines (N, K, 2) have sides as long as those of known cards (M, K, 2) on the table, (N,).

    The third root of the area that something has on a plane in perspective changes evenly over the picture. The change
    is estimated by ridge regression: known cards near each other say little of it. It tells how the table is tilted.
    The farther from them, the more a side may be off.

    Args:
        outlines: clockwise as seen.
        known: one at least.
        picture_px: width and height of the picture.
        slack: by so much more the logarithm of a side may be off.
    """
    large, middles = np.maximum(1.0, areas(known)), known.mean(1)
    roots, length, middle = np.cbrt(large), float(np.sqrt(np.median(large))), middles.mean(0)
    off, larger = (middles - middle) / length, roots / np.median(roots) - 1
    spread = np.linalg.inv(off.T @ off + _RIDGE * np.eye(2))
    slope = spread @ off.T @ larger / length

    def lengths(corners: NDArray[np.floating]) -> Floats:
        near = np.maximum(0.2, 1 + (corners - middle) @ slope)
        rays = (corners - np.array(picture_px) / 2) / (FOCAL_LENGTH * max(picture_px))
        on_table = np.concatenate([rays, np.ones((*rays.shape[:-1], 1))], -1) / near[..., None]
        return np.log(np.maximum(1e-9, np.sort(opposite_sides(on_table), axis=1)))

    away = (outlines.mean(1) - middle) / length
    leverages = (away @ spread * away).sum(1) + 1 / len(known)
    longer = np.abs(lengths(outlines) - np.median(lengths(known), axis=0)).max(1)
    seen = _SEEN_PX / np.maximum(1.0, opposite_sides(outlines).min(1))
    return np.asarray(longer < slack + _AS_LONG + seen + _FARTHER * np.sqrt(leverages))


def as_large_as(corners: Floats, others: Floats) -> list[Floats]:
    """A rectangle (4, 2) made as large as the nearest of others (N, 4, 2), in each way that may put it right.

    One whose width or height is another has one side or the other moved, one of which both are larger or smaller all
    four; there is no way for one that is as large, or so unlike that it is no such card.
    """
    off = _off(corners, others)
    is_off = (np.abs(off) > _AS_LARGE) & (np.abs(off) < _OTHER)
    if is_off.all() and (off[0] > 0) == (off[1] > 0):
        return [_stretched(corners, np.exp(off), (0.5, 0.5))]
    for side in (0, 1):
        if is_off[side] and abs(off[1 - side]) <= _AS_LARGE:
            factors = np.where(np.arange(2) == side, np.exp(off), 1.0)
            return [_stretched(corners, factors, (hold, hold)) for hold in (0.0, 1.0)]
    return []


def is_pair_or_part(corners: Floats, others: Floats) -> bool:
    """Whether a rectangle (4, 2) is as wide as most of the nearest of others (N, 4, 2), and as long as two of them that
    lie on or beside each other, or as a part of one.
    """
    mine = np.log(np.sort(opposite_sides(corners)))
    near = _nearest(corners, others, 0.5 * float(np.exp(mine.mean())), _AROUND)
    if len(near) < _LEAST_AROUND:
        return False
    lengths = np.log(np.sort(opposite_sides(others[near]), axis=1))
    one = np.median(lengths, axis=0)
    alike = np.count_nonzero(np.abs(lengths - one).max(1) < _LIKE_THOSE)
    if alike < max(_LEAST_AROUND, 0.6 * len(near)):
        return False
    return any(
        abs(mine[side] - one[like]) < _AS_WIDE and _LONGER[0] < abs(mine[1 - side] - one[1 - like]) < _LONGER[1]
        for side in (0, 1)
        for like in (0, 1)
    )


def completed(corners: Floats, others: Floats) -> list[Floats]:
    """A rectangle (4, 2) about as large as the nearest of others (N, 4, 2), each of its corners put where the other
    three have it; none where all four agree.
    """
    across = corners[[3, 0, 1, 2]] + corners[[1, 2, 3, 0]] - corners[[2, 3, 0, 1]]
    size = np.sqrt(opposite_sides(corners).prod())
    moved = float(np.linalg.norm(across[0] - corners[0]) / size)  # of all four the same
    if moved < _CORNER or np.abs(_off(corners, others)).max() > _AS_LARGE:
        return []
    return [np.where(np.arange(4)[:, None] == k, across, corners) for k in range(4)]


def _off(corners: Floats, others: Floats) -> Floats:
    """The logarithms of the nearest others' width and height over a rectangle's (2,); 0 where there are no others."""
    mine = opposite_sides(corners)
    near = _nearest(corners, others, 0.5 * float(mine.min()), _NEIGHBOURS)
    if not near:
        return np.zeros(2)
    usual = np.sort(np.median(np.sort(opposite_sides(others[near]), axis=1), axis=0))
    return np.asarray(np.log((usual if mine[0] <= mine[1] else usual[::-1]) / mine))


def _nearest(corners: Floats, others: Floats, beyond: float, count: int) -> list[int]:
    """The indices of the nearest of others (N, 4, 2) whose centres lie farther than ``beyond`` from a rectangle's."""
    apart = np.linalg.norm(others.mean(1) - corners.mean(0), axis=1)
    return [int(k) for k in np.argsort(apart) if apart[k] > beyond][:count]


def _stretched(corners: Floats, factors: Floats, hold: tuple[float, float]) -> Floats:
    """A rectangle (4, 2) made wider and higher, with what lies at shares ``hold`` of both held in its place."""
    frame = CardFrame.of(corners)
    kept = frame.corners[2] * np.array(hold)
    return frame.to_picture(kept + (frame.corners - kept) * factors)
