"""Flat pieces in a picture: their shapes, the codes of their poses, and homographies.

A detector answers an affine pose ``A = S R(t)`` by five numbers that do not tell turns which leave the piece as it is:
the logarithm of the symmetric ``S`` (3 numbers), and ``cos nt, sin nt`` for a piece that looks alike after an n-th of a
turn. What perspective does to it is one more vector (2 numbers), in the picture's axes.

`table_from_outlines` undoes a camera's tilt without any calibration: cards are regular hexagons of one size in one
plane. The origin and the length of a side stay unknown, so lengths on that table are in card sides.
"""

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CODE_SCALE = (1.0, 2.0, 1.0, 0.5, 0.5, 4.0, 4.0)
"""What training multiplies the numbers of a code with, so that all matter alike."""
_AFTER = np.array([1, 2, 3, 4, 5, 0])
_OVER_NEXT = np.array([2, 3, 4, 5, 0, 1])
_HALVES = np.array([np.roll([5.0, 4.0, 4.0, 5.0, 0.0, 0.0], first) for first in range(6)]) / 18.0
"""Shares of a hexagon's corners in the centres of gravity of its six halves, of four corners each."""

ANGLES = np.radians(60.0 * np.arange(6))
"""Of a regular hexagon's corners, from corner 0."""
UNIT_HEXAGON = np.stack([np.cos(ANGLES), np.sin(ANGLES)], 1)
"""Of circumradius 1, as the lattice of a board has it: corner 0 to the right; `HEXAGON` is turned by half a sixth."""
HEXAGON_ROLLS = (np.arange(6)[:, None] + np.arange(6)) % 6
"""The indices (6, 6) of a hexagon's corners, begun at each of them."""
_ODD = 0.2
"""An outline farther than this from a regular hexagon, on the levelled table, may be no card; see `TablePoses`."""
_TINY = 1e-9 * np.eye(3)
_LEVEL = 2e-4
"""A plane that leans by so little a side more is level."""
_ROUNDS = 4
_NEAR = 0.03
"""A vote that lies further off than this, in half sides, counts less the further it lies."""
_LEAST_WEIGHT = 0.05
"""What the votes must weigh together, against votes of the greatest weight everywhere."""
_STIFFNESS = 0.0005
"""What it takes, as a share of all votes, to bend the plane: few votes on one side do not lean a field."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The shape of a piece in its unit frame.

    Attributes:
        unit: its corners (K, 2), clockwise with y down.
        symmetry: in how many turns within a full one it looks the same.
        width: from side to side, in the unit frame.
    """

    unit: Array
    symmetry: int
    width: float
    _affine_fit: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_affine_fit", self.unit @ np.linalg.inv(self.unit.T @ self.unit))

    def pose_of(self, corners: NDArray[np.floating]) -> tuple[Array, Array]:
        """Centres (..., 2) and the affine maps (..., 2, 2) from the unit frame that fit outlines (..., K, 2) best."""
        outlines = np.asarray(corners, np.float64)
        centres = outlines.mean(-2)
        return centres, (outlines - centres[..., None, :]).swapaxes(-1, -2) @ self._affine_fit

    def width_px(self, corners: NDArray[np.floating]) -> Array:
        """The widths (...) of outlines (..., K, 2) in pixels, as if seen straight on."""
        return np.asarray(self.width * np.sqrt(np.abs(np.linalg.det(self.pose_of(corners)[1]))))

    def tilt_deg(self, corners: NDArray[np.floating]) -> Array:
        """How far pieces with outlines (..., K, 2) are tilted from being seen straight on, in degrees (...).

        >>> round(float(SQUARE.tilt_deg(SQUARE.unit * [2, 1])))
        60
        """
        longest, shortest = np.moveaxis(np.linalg.svd(self.pose_of(corners)[1], compute_uv=False), -1, 0)
        return np.asarray(np.degrees(np.arccos(shortest / np.maximum(longest, 1e-9))))

    def pose_code(self, corners: NDArray[np.floating]) -> tuple[Array, Array, Array]:
        """The centre (2,), the pose's code (5,) and the affine map (2, 2) of an outline (K, 2)."""
        centre, affine = self.pose_of(corners)
        return centre, affine_code(affine, self.symmetry), affine

    def corners_from_code(self, centres: Array, codes: Array) -> Array:
        """The outlines (..., K, 2) of centres (..., 2) and codes (..., 5 or 7), up to where they begin.

        >>> hexagon = HEXAGON.unit * [40, 30] + [100, 50]
        >>> bool(np.allclose(HEXAGON.corners_from_code(*HEXAGON.pose_code(hexagon)[:2]), hexagon))
        True
        >>> quad = np.array([[0.0, 0], [100, 10], [90, 80], [5, 70]])
        >>> bool(np.allclose(SQUARE.corners_from_code(*quad_code(quad)), quad, atol=1e-3))
        True
        """
        codes = np.asarray(codes, np.float64)
        affines = affines_from_code(codes[..., :5], self.symmetry)
        points = self.unit @ affines.swapaxes(-1, -2)
        if codes.shape[-1] > 5:
            away = (codes[..., None, 5:7] @ affines)[..., 0, :] / np.sqrt(np.abs(np.linalg.det(affines)))[..., None]
            points = points / np.maximum(1 + away @ self.unit.T, 0.2)[..., None]
        return np.asarray(np.asarray(centres)[..., None, :] + points)


_ANGLES = np.radians(np.arange(6) * 60.0 - 30.0)
HEXAGON = Shape(np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], 1), 6, float(np.sqrt(3.0)))
"""Of circumradius 1; edge 0, from corner 0 to corner 1, looks to the right."""
SQUARE = Shape(np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]), 4, 2.0)
"""Of side 2, the first corner at the top left."""


def quad_code(corners: NDArray[np.floating]) -> tuple[Array, Array]:
    """The middle as seen (2,) and the code (7,) of a square under perspective, its corners (4, 2) clockwise."""
    m = homography(corners)
    m = m / m[2, 2]
    centre, away = m[:2, 2], m[2, :2]
    affine = m[:2, :2] - np.outer(centre, away)
    perspective = np.linalg.solve(affine.T, away) * np.sqrt(abs(np.linalg.det(affine)))
    return centre, np.concatenate([affine_code(affine, 4), perspective])


def homography(corners: NDArray[np.floating]) -> Array:
    """The homography (3, 3) from the unit square to a quad (4, 2)."""
    unit = SQUARE.unit.astype(np.float32)
    return cv2.getPerspectiveTransform(unit, np.asarray(corners, np.float32)).astype(np.float64)


def mapped(target_from_source: NDArray[np.floating], points: NDArray[np.floating]) -> Array:
    """Points (..., 2) under a homography (3, 3)."""
    homogeneous = points @ target_from_source[:, :2].T + target_from_source[:, 2]
    return np.asarray(homogeneous[..., :2] / homogeneous[..., 2:])


def proportion_in_plane(
    corners: NDArray[np.floating], other: NDArray[np.floating], sides: tuple[float, float]
) -> float:
    """How oblong a rectangle (4, 2) is, its longer side over its shorter one, in the plane of another (4, 2).

    Args:
        corners: its own.
        other: those of the other.
        sides: the lengths of the other's first and second side.
    """
    in_plane = mapped(np.linalg.inv(homography(other)), corners) * sides
    lengths = np.linalg.norm(in_plane - np.roll(in_plane, -1, axis=0), axis=1)
    first, second = float(lengths[::2].mean()), float(lengths[1::2].mean())
    return max(first / second, second / first)


def turned(points: NDArray[np.floating], turn_deg: float) -> Array:
    """Points (..., 2) turned around the origin, clockwise as seen with y down.

    >>> turned(np.array([1.0, 0.0]), 90).round(9).tolist()
    [0.0, 1.0]
    """
    a = np.radians(turn_deg)
    return np.asarray(points @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]))


def shared_area(one: NDArray[np.floating], other: NDArray[np.floating]) -> float:
    """How much of the smaller of two convex outlines (K, 2) lies in the other, 0..1."""
    a, b = (np.asarray(outline, np.float32) for outline in (one, other))
    common = cv2.intersectConvexConvex(a, b)[0]
    return float(common) / max(1.0, min(cv2.contourArea(a), cv2.contourArea(b)))


def areas(polygons: NDArray[np.floating]) -> Array:
    """Signed areas of polygons (..., K, 2), positive when clockwise with y down."""
    before = np.concatenate([polygons[..., -1:, :], polygons[..., :-1, :]], axis=-2)
    turns = before[..., 0] * polygons[..., 1] - polygons[..., 0] * before[..., 1]
    return np.asarray(0.5 * turns.sum(axis=-1))


def side_px(corners: NDArray[np.floating]) -> float:
    """The mean length of an outline's sides (K, 2)."""
    return float(np.mean(np.linalg.norm(corners - np.concatenate([corners[-1:], corners[:-1]]), axis=1)))


def following(corners: NDArray[np.floating]) -> Array:
    """The corner after each of outlines (..., K, 2), the first after the last; several times as fast as ``np.roll``."""
    return np.concatenate([corners[..., 1:, :], corners[..., :1, :]], axis=-2)


def opposite_sides(corners: NDArray[np.floating]) -> Array:
    """The mean lengths of outlines' opposite sides, from the first side on: (..., 2) of quads, (..., 3) of hexagons."""
    sides = np.linalg.norm(following(corners) - corners, axis=-1)
    half = corners.shape[-2] // 2
    return np.asarray((sides[..., :half] + sides[..., half:]) / 2)


def affine_code(affine: Array, symmetry: int) -> Array:
    """The code (5,) of an affine map (2, 2), the same for every turn that leaves the piece as it is.

    By polar decomposition: the logarithm of its symmetric part (xx, xy, yy), and the cosine and sine of its turn times
    ``symmetry``, how many turns leave the piece as it is.
    """
    values, vectors = np.linalg.eigh(affine @ affine.T)
    log_s = vectors @ np.diag(0.5 * np.log(values)) @ vectors.T
    turn = vectors @ np.diag(values**-0.5) @ vectors.T @ affine
    t = symmetry * np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])
    return np.array([log_s[0, 0], log_s[0, 1], log_s[1, 1], np.cos(t), np.sin(t)])


def affines_from_code(codes: Array, symmetry: int) -> Array:
    """The affine maps (..., 2, 2) of codes (..., 5), each up to a turn that leaves the piece as it is."""
    xx, xy, yy, cos, sin = np.moveaxis(codes, -1, 0)
    values, vectors = np.linalg.eigh(np.stack([np.stack([xx, xy], -1), np.stack([xy, yy], -1)], -2))
    s = (vectors * np.exp(values)[..., None, :]) @ vectors.swapaxes(-1, -2)
    t = np.arctan2(sin, cos) / symmetry
    turn = np.stack([np.stack([np.cos(t), -np.sin(t)], -1), np.stack([np.sin(t), np.cos(t)], -1)], -2)
    return np.asarray(s @ turn)


@dataclass(frozen=True, slots=True, eq=False)
class TablePoses:
    """Cards on the table, all (N,).

    Attributes:
        centre: complex.
        side: complex, from the centre to corner 0 of the regular hexagon nearest to the outline.
        oddness: how far the outline is from any regular hexagon of side 1.
    """

    centre: NDArray[np.complex128]
    side: NDArray[np.complex128]
    oddness: Array


def table_poses(outlines: Array) -> TablePoses:
    """The poses of outlines (N, 6, 2) on the levelled table."""
    points = outlines[..., 0] + 1j * outlines[..., 1]
    centre = points.mean(axis=1)
    side = np.mean((points - centre[:, None]) * np.exp(-1j * ANGLES), axis=1)
    off = points - centre[:, None] - side[:, None] * np.exp(1j * ANGLES)
    oddness = np.sqrt(np.mean(np.abs(off) ** 2, axis=1)) + np.abs(np.log(np.abs(side)))
    return TablePoses(centre, side, oddness)


def table_from_outlines(corners: NDArray[np.floating]) -> Array:
    """The homography that makes all cards regular hexagons of side 1.

    The area at which a small figure is seen goes with the cube of its nearness, and nearness is linear in the picture:
    half cards tell the vanishing line by a linear fit. With it gone, the cards' middle second moments tell the
    stretch that remains. Outliers weigh little; but among few cards one that is no card pulls the whole table, and is
    left out where the others become far more regular without it.

    Args:
        corners: (N, 6, 2) pixels, N >= 1.

    Returns:
        3x3, last element 1 up to scale; the cards' mean centre maps near the origin, the picture is not turned.
    """
    outlines = np.asarray(corners, np.float64)
    table = _regular(outlines)
    while len(outlines) > 2:
        oddness = table_poses(mapped(table, outlines)).oddness
        worst = int(oddness.argmax())
        if oddness[worst] < _ODD:
            break
        others = np.delete(outlines, worst, axis=0)
        without = _regular(others)
        if table_poses(mapped(without, others)).oddness.mean() > 0.5 * np.delete(oddness, worst).mean():
            break
        table, outlines = without, others
    return table


def _regular(outlines: Array) -> Array:
    """The homography of `table_from_outlines`, of all these outlines."""
    middle = outlines.mean(axis=(0, 1))
    side = median(np.linalg.norm(outlines - np.roll(outlines, 1, axis=1), axis=2).reshape(-1, 1))[0]
    table: Array = np.array([[1 / side, 0, -middle[0] / side], [0, 1 / side, -middle[1] / side], [0, 0, 1.0]])
    for _ in range(3):  # the second and third pass remove what perspective did to the first
        level = _levelled(mapped(table, outlines))
        table = level @ table
        table = _unstretched(mapped(table, outlines)) @ table
        if np.abs(level[2, :2]).max() < _LEVEL:
            break
    return table


def _levelled(outlines: Array) -> Array:
    """The homography that moves the cards' vanishing line to infinity."""
    x, y = (outlines[:, _OVER_NEXT] - outlines).transpose(2, 0, 1)  # a half's two diagonals follow one another
    nearness = np.cbrt(np.maximum(0.5 * (x * y[:, _AFTER] - y * x[:, _AFTER]).ravel(), 1e-6))
    design = np.ones((3, len(nearness)))
    design[:2] = (_HALVES @ outlines).reshape(-1, 2).T
    scaled = design
    fit = np.array([0.0, 0.0, _middle(nearness)])
    for _ in range(6):
        before, fit = fit, np.linalg.solve(scaled @ design.T + _TINY, scaled @ nearness)
        if np.abs(fit - before).max() < 1e-4:
            break
        off = np.abs(fit @ design - nearness)
        scaled = design / (1.0 + (off / (2.0 * _middle(off) + 1e-9)) ** 2)
    line = fit[:2] / max(float(fit[2]), 1e-3)
    lowest = float((outlines.reshape(-1, 2) @ line).min())
    if lowest < -0.8:  # a card behind the horizon is a wrong find: stay in front of it
        line *= -0.8 / lowest
    return np.array([[1.0, 0, 0], [0, 1, 0], [line[0], line[1], 1]])


def _middle(values: Array) -> float:
    """The middle value, the upper of two: for weights as good as the median, and ten times as fast."""
    return float(np.partition(values, len(values) // 2)[len(values) // 2])


def median(values: NDArray[np.floating]) -> Array:
    """The median (...) of values (N, ...); for few many times as fast as numpy's own."""
    ordered = np.sort(values, axis=0)
    return np.asarray((ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2)


def _unstretched(outlines: Array) -> Array:
    """The affine map that makes the cards' middle shape a regular hexagon of side 1."""
    spread = outlines - outlines.mean(axis=1, keepdims=True)
    moments = median((spread.swapaxes(1, 2) @ spread / 3.0).reshape(-1, 4)).reshape(2, 2)
    values, vectors = np.linalg.eigh(moments)
    out = np.eye(3)
    out[:2, :2] = vectors / np.sqrt(np.maximum(values, 1e-9)) @ vectors.T
    return out


def fit_robust_homography(
    places: NDArray[np.floating], targets: NDArray[np.floating], weights: NDArray[np.floating]
) -> NDArray[np.float64] | None:
    """Fit the homography (3, 3) that maps places to their targets; None when the weights are too low for one.

    Iteratively reweighted least squares with Geman and McClure's weights.

    Args:
        places: (N, 2) about -2..2.
        targets: (N, 2) where each is wanted.
        weights: (N,) from 0 up.

    >>> spots = np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1], [0, 0]])
    >>> bool(np.allclose(fit_robust_homography(spots, spots + [0.5, 0], np.ones(5))[:2, 2], [0.5, 0], atol=0.01))
    True
    """
    weights = weights / max(float(weights.max()), 1e-9)
    if float(weights.mean()) < _LEAST_WEIGHT * 0.1:
        return None
    share = weights
    matrix = np.eye(3)
    for _ in range(_ROUNDS):
        found = _fit_weighted(places, targets, share, matrix)
        if found is None:
            return None
        matrix = found
        flat = places @ matrix[:, :2].T + matrix[:, 2]
        off = np.linalg.norm(flat[:, :2] / flat[:, 2:] - targets, axis=1)
        scale = max(_NEAR, 1.5 * _weighted_median(off, weights))
        share = weights / (1 + (off / scale) ** 2) ** 2
    return matrix if np.linalg.det(matrix) > 1e-3 else None


def _fit_weighted(
    places: NDArray[np.floating],
    targets: NDArray[np.floating],
    weights: NDArray[np.floating],
    before: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    """Weighted least squares of a homography with a last element of 1; its depth held near that of ``before``."""
    x, y = places.T
    u, v = targets.T
    depth = before[2, 0] * x + before[2, 1] * y + 1
    root = np.sqrt(weights) / np.maximum(depth, 0.2)
    equations = np.zeros((2, len(x), 8))
    for rows, target, first in ((equations[0], u, 0), (equations[1], v, 3)):
        for column, values in ((first, x), (first + 1, y), (6, -target * x), (7, -target * y)):
            np.multiply(values, root, out=rows[:, column])
        rows[:, first + 2] = root
    left = equations.reshape(-1, 8)
    right = np.concatenate([u * root, v * root])
    normal = left.T @ left
    normal[[6, 7], [6, 7]] += _STIFFNESS * float(weights.sum())
    try:
        a = np.linalg.solve(normal, left.T @ right)
    except np.linalg.LinAlgError:
        return None
    return np.append(a, 1.0).reshape(3, 3)


def _weighted_median(values: NDArray[np.floating], weights: NDArray[np.floating]) -> float:
    order = np.argsort(values)
    heap = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(heap, heap[-1] / 2)]])
