"""The table's plane from things of known shape that lie on it: marks, cards, one sheet of paper.

Each thing's own size is known, where it lies is not. What is sought is the one homography under which all of them, each
laid down somewhere and turned anyhow, are seen where they are seen: least squares in pixels (Levenberg and Marquardt)
over the homography and every thing's place. With a lens that was measured the homography has six numbers instead of
eight, and a few things tell much more.
"""

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import areas, mapped

Array = NDArray[np.float64]

_UNIT_MM = 100.0
"""The length that the fit counts as 1."""
_ROUNDS = 40
_ODD = 4.0
"""A thing that fits so many times worse than the middle one is a wrong find."""
_ODD_LEAST_MM = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A table's plane.

    Attributes:
        table_from_undistorted: 3x3, from (undistorted) pixels to mm, in the frame of the first thing that was kept.
        placed_mm: (N, K, 2) where each thing lies by its own shape; of one that was left out, as it is seen.
        kept: (N,) bool, which things the fit rests on.
        residual_mm: root mean square, over the corners and corrected for what was fitted, of how far they are seen from
            where they lie; None where nothing is left over to tell.
    """

    table_from_undistorted: Array
    placed_mm: Array
    kept: NDArray[np.bool_]
    residual_mm: float | None

    def framed(self, origin_mm: Array, along_mm: Array) -> "Fitted":
        """The same plane, its origin at a point (2,) of this frame and its x axis towards another."""
        way = along_mm - origin_mm
        c, s = way / np.linalg.norm(way)
        turn = np.array([[c, s], [-s, c]])
        move = np.eye(3)
        move[:2, :2], move[:2, 2] = turn, -turn @ origin_mm
        placed = (self.placed_mm - origin_mm) @ turn.T
        return Fitted(move @ self.table_from_undistorted, placed, self.kept, self.residual_mm)


def fit_table(seen_px: Array, shapes_mm: Array, lens_matrix: Array | None = None) -> Fitted:
    """Fit the table's plane.

    Args:
        seen_px: (N, K, 2) corners as seen, undistorted if the lens is known, clockwise; N >= 1, K >= 4.
        shapes_mm: (N, K, 2) the same corners of each thing by itself, clockwise with y down.
        lens_matrix: 3x3 of the lens; None where it is not known.
    """
    kept = np.ones(len(seen_px), bool)
    fit = _solved(seen_px, shapes_mm, lens_matrix)
    off = _off_mm(fit, seen_px, shapes_mm)
    odd = off > np.maximum(_ODD * np.median(off), _ODD_LEAST_MM)
    if len(seen_px) > 3 and odd.any() and not odd.all():
        kept = ~odd
        fit = _solved(seen_px[kept], shapes_mm[kept], lens_matrix)
    return _summary(fit, seen_px, shapes_mm, kept)


def laid(shape_mm: Array, at_mm: Array) -> Array:
    """A shape's corners (K, 2), moved and turned to lie as nearly as can be at points of the table."""
    return mapped(_motion(_pose(shape_mm, at_mm)), shape_mm)


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    undistorted_from_table: Array
    left_over: int
    square_mm: float


def _solved(seen_px: Array, shapes_mm: Array, lens_matrix: Array | None) -> _Fit:
    """The best of what is found from several beginnings."""
    camera = _usual_camera(seen_px) if lens_matrix is None else lens_matrix
    rays = mapped(np.asarray(np.linalg.inv(camera), np.float64), seen_px)
    shapes = shapes_mm / _UNIT_MM
    planes = [_refined(_Free(), start, rays, shapes) for start in _initial_poses(rays, shapes)]
    best = min(planes, key=lambda plane: plane[1])
    numbers = 8
    if lens_matrix is not None:
        best = _refined(_Posed(), best[0], rays, shapes)
        numbers = 6
    undistorted_from_table = camera @ best[0] @ np.diag([1 / _UNIT_MM, 1 / _UNIT_MM, 1.0])
    left_over = rays.size - numbers - 3 * (len(rays) - 1)
    return _Fit(undistorted_from_table / undistorted_from_table[2, 2], left_over, best[1])


def _usual_camera(seen_px: Array) -> Array:
    """Brings pixels to about the size of rays, so that numbers of one kind are of one size."""
    middle = seen_px.reshape(-1, 2).mean(0)
    reach = float(np.abs(seen_px.reshape(-1, 2) - middle).max()) + 1.0
    return np.array([[reach, 0, middle[0]], [0, reach, middle[1]], [0, 0, 1.0]])


def _initial_poses(rays: Array, shapes: Array) -> list[Array]:
    """Planes to begin from: as the largest thing alone tells, and as the sizes of all tell."""
    sizes = areas(rays)
    largest = int(np.argmax(np.abs(sizes)))
    alone, _ = cv2.findHomography(shapes[largest], rays[largest], 0)
    starts = [np.asarray(alone, np.float64)] if alone is not None else []
    if len(rays) >= 3:
        starts.append(_levelled_start(rays, shapes, sizes, largest))
    return starts


def _levelled_start(rays: Array, shapes: Array, sizes: Array, largest: int) -> Array:
    """The area at which a thing is seen goes with the cube of its nearness, which is linear over the picture."""
    nearness = np.cbrt(np.maximum(sizes / areas(shapes), 1e-12))
    middles = rays.mean(axis=1)
    line, *_ = np.linalg.lstsq(np.column_stack([middles, np.ones(len(middles))]), nearness, rcond=None)
    tilt = np.array([[1.0, 0, 0], [0, 1, 0], [line[0] / line[2], line[1] / line[2], 1]])
    flat = mapped(tilt, rays[largest])
    affine, _ = cv2.estimateAffine2D(shapes[largest], flat)
    return np.asarray(np.linalg.inv(tilt) @ np.vstack([affine, [0, 0, 1]]), np.float64)


class _Free:
    """A plane as the eight numbers of a homography."""

    def numbers(self, plane: Array) -> Array:
        return np.asarray((plane / plane[2, 2]).ravel()[:8])

    def plane(self, numbers: Array) -> Array:
        return np.append(numbers, 1.0).reshape(3, 3)


class _Posed:
    """A plane as a camera sees it whose lens is known: how it is turned, and where it is."""

    def numbers(self, plane: Array) -> Array:
        scale = (np.linalg.norm(plane[:, 0]) + np.linalg.norm(plane[:, 1])) / 2
        columns = plane / scale * np.sign(plane[2, 2])
        u, _, v = np.linalg.svd(np.column_stack([columns[:, :2], np.cross(columns[:, 0], columns[:, 1])]))
        turn, _ = cv2.Rodrigues(u @ v)
        return np.concatenate([np.ravel(turn), columns[:, 2]])

    def plane(self, numbers: Array) -> Array:
        turn, _ = cv2.Rodrigues(numbers[:3])
        return np.column_stack([turn[:, :2], numbers[3:6]])


def _refined(kind: _Free | _Posed, start: Array, rays: Array, shapes: Array) -> tuple[Array, float]:
    """The plane that fits best, in the first thing's frame, and the mean square misfit on the table in mm."""
    first = kind.numbers(start)
    table = np.asarray(np.linalg.inv(kind.plane(first)), np.float64)
    poses = np.array([_pose(shape, mapped(table, seen)) for shape, seen in zip(shapes, rays, strict=True)])
    plane = kind.plane(first) @ _motion(poses[0])  # the first thing's frame is the table's
    begun = np.asarray(np.linalg.inv(plane), np.float64)
    others = [_pose(shape, mapped(begun, seen)) for shape, seen in zip(shapes[1:], rays[1:], strict=True)]
    count = len(kind.numbers(plane))

    def misfit(numbers: Array) -> Array:
        placed = _placed(shapes, numbers[count:].reshape(-1, 3))
        return np.asarray((mapped(kind.plane(numbers[:count]), placed) - rays).ravel())

    found = _least_squares(misfit, np.concatenate([kind.numbers(plane), np.ravel(others)]))
    best = kind.plane(found[:count])
    placed = _placed(shapes, found[count:].reshape(-1, 3))
    off = mapped(np.asarray(np.linalg.inv(best), np.float64), rays) - placed
    return best, float(np.mean((off * _UNIT_MM) ** 2))


def _placed(shapes: Array, poses: Array) -> Array:
    """The shapes laid down: the first as it is, the others turned by and moved to (N - 1, 3)."""
    points = shapes[..., 0] + 1j * shapes[..., 1]
    points[1:] = points[1:] * np.exp(1j * poses[:, 2:]) + (poses[:, :1] + 1j * poses[:, 1:2])
    return np.stack([points.real, points.imag], axis=-1)


def _pose(shape: Array, at: Array) -> Array:
    """Where a shape lies, x, y and turn, that is seen at these points of the table."""
    own, there = shape[:, 0] + 1j * shape[:, 1], at[:, 0] + 1j * at[:, 1]
    turn = np.angle(np.sum((there - there.mean()) * np.conj(own - own.mean())))
    move = there.mean() - own.mean() * np.exp(1j * turn)
    return np.array([move.real, move.imag, turn])


def _motion(pose: Array) -> Array:
    x, y, turn = pose
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, -s, x], [s, c, y], [0, 0, 1.0]])


def _least_squares(misfit: Callable[[Array], Array], start: Array) -> Array:
    """Where the sum of squares is least near a beginning."""
    at, wrong = start, misfit(start)
    damping = 1e-3
    for _ in range(_ROUNDS):
        slopes = _slopes(misfit, at)
        normal, down = slopes.T @ slopes, slopes.T @ wrong
        step = np.linalg.lstsq(normal + damping * np.diag(np.diag(normal) + 1e-12), -down, rcond=None)[0]
        fresh = misfit(at + step)
        if fresh @ fresh < wrong @ wrong:
            gained = 1 - (fresh @ fresh) / (wrong @ wrong + 1e-30)
            at, wrong, damping = at + step, fresh, damping / 5
            if gained < 1e-9:
                break
        else:
            damping *= 8
    return at


def _slopes(misfit: Callable[[Array], Array], at: Array) -> Array:
    steps = 1e-6 * np.maximum(np.abs(at), 1e-2)
    return np.stack(
        [(misfit(at + e) - misfit(at - e)) / (2 * h) for e, h in zip(np.diag(steps), steps, strict=True)], 1
    )


def _off_mm(fit: _Fit, seen_px: Array, shapes_mm: Array) -> Array:
    """How far each thing's corners, in the mean, are seen from where they would lie."""
    there = mapped(np.asarray(np.linalg.inv(fit.undistorted_from_table), np.float64), seen_px)
    lies = np.stack([laid(shape, at) for shape, at in zip(shapes_mm, there, strict=True)])
    return np.asarray(np.sqrt(np.mean(np.sum((there - lies) ** 2, axis=2), axis=1)))


def _summary(fit: _Fit, seen_px: Array, shapes_mm: Array, kept: NDArray[np.bool_]) -> Fitted:
    """The fit as callers take it: where each shape lies in mm, and how far off in the mean."""
    table = np.asarray(np.linalg.inv(fit.undistorted_from_table), np.float64)
    there = mapped(table, seen_px)
    placed = np.stack([laid(shape, at) for shape, at in zip(shapes_mm, there, strict=True)])
    placed[~kept] = there[~kept]
    corners = int(kept.sum()) * seen_px.shape[1]
    residual = None if fit.left_over <= 0 else float(np.sqrt(fit.square_mm * 4 * corners / fit.left_over))
    return Fitted(table / table[2, 2], placed, kept, residual)
