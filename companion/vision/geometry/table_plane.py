"""How the table must be seen for every card on it to be regular: outlines in, one homography out.

Cards are regular hexagons of one size in one plane. That is enough to undo a camera's tilt without any calibration, up
to where the origin is and how long a card's side is; lengths on the table are therefore in card sides.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry.shapes import Array, areas, mapped

_HALVES = (np.arange(6)[:, None] + np.arange(4)) % 6
"""The corners of a hexagon's six halves."""
_HALF = np.array([5.0, 4.0, 4.0, 5.0]) / 18.0
"""Shares of the four corners of half a hexagon in that half's centre of gravity."""

ANGLES = np.radians(60.0 * np.arange(6))
_ODD = 0.2
"""An outline farther than this from a regular hexagon, on a table levelled with it, may be no card; see `Poses`."""


@dataclass(frozen=True, slots=True, eq=False)
class Poses:
    """Cards on the table, all (N,).

    Attributes:
        centre: complex.
        side: complex, from the centre to corner 0 of the regular hexagon nearest to the outline.
        oddness: how far the outline is from any regular hexagon of side 1.
    """

    centre: NDArray[np.complex128]
    side: NDArray[np.complex128]
    oddness: Array


def poses_of(outlines: Array) -> Poses:
    """The poses of outlines (N, 6, 2) on the levelled table."""
    points = outlines[..., 0] + 1j * outlines[..., 1]
    centre = points.mean(axis=1)
    side = np.mean((points - centre[:, None]) * np.exp(-1j * ANGLES), axis=1)
    off = points - centre[:, None] - side[:, None] * np.exp(1j * ANGLES)
    oddness = np.sqrt(np.mean(np.abs(off) ** 2, axis=1)) + np.abs(np.log(np.abs(side)))
    return Poses(centre, side, oddness)


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
        oddness = poses_of(mapped(table, outlines)).oddness
        worst = int(oddness.argmax())
        if oddness[worst] < _ODD:
            break
        others = np.delete(outlines, worst, axis=0)
        without = _regular(others)
        if poses_of(mapped(without, others)).oddness.mean() > 0.5 * np.delete(oddness, worst).mean():
            break
        table, outlines = without, others
    return table


def _regular(outlines: Array) -> Array:
    """The homography of `table_from_outlines`, of all these outlines."""
    middle = outlines.mean(axis=(0, 1))
    side = _median(np.linalg.norm(outlines - np.roll(outlines, 1, axis=1), axis=2).reshape(-1, 1))[0]
    table: Array = np.array([[1 / side, 0, -middle[0] / side], [0, 1 / side, -middle[1] / side], [0, 0, 1.0]])
    for _ in range(3):  # the second and third pass remove what perspective did to the first
        table = _levelled(mapped(table, outlines)) @ table
        table = _unstretched(mapped(table, outlines)) @ table
    return table


def _levelled(outlines: Array) -> Array:
    """The homography that moves the cards' vanishing line to infinity."""
    halves = outlines[:, _HALVES]
    nearness = np.cbrt(np.maximum(areas(halves).ravel(), 1e-6))
    at = (_HALF @ halves).reshape(-1, 2)
    design = np.column_stack([at, np.ones(len(at))])
    weight = np.ones(len(at))
    fit = np.array([0.0, 0.0, _middle(nearness)])
    for _ in range(6):
        scaled = design * weight[:, None]
        before, fit = fit, np.linalg.solve(scaled.T @ design + 1e-9 * np.eye(3), scaled.T @ nearness)
        if np.abs(fit - before).max() < 1e-4:
            break
        off = np.abs(design @ fit - nearness)
        weight = 1.0 / (1.0 + (off / (2.0 * _middle(off) + 1e-9)) ** 2)
    line = fit[:2] / max(fit[2], 1e-3)
    lowest = float((outlines.reshape(-1, 2) @ line).min())
    if lowest < -0.8:  # a card behind the horizon is a wrong find: stay in front of it
        line *= -0.8 / lowest
    return np.array([[1.0, 0, 0], [0, 1, 0], [line[0], line[1], 1]])


def _middle(values: Array) -> float:
    """The middle value, the upper of two: for weights as good as the median, and ten times as fast."""
    return float(np.partition(values, len(values) // 2)[len(values) // 2])


def _median(values: Array) -> Array:
    """The median (K,) of values (N, K); for so few many times as fast as numpy's own."""
    ordered = np.sort(values, axis=0)
    middle: Array = (ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2
    return middle


def _unstretched(outlines: Array) -> Array:
    """The affine map that makes the cards' middle shape a regular hexagon of side 1."""
    spread = outlines - outlines.mean(axis=1, keepdims=True)
    moments = _median((np.einsum("nkx,nky->nxy", spread, spread) / 3.0).reshape(-1, 4)).reshape(2, 2)
    values, vectors = np.linalg.eigh(moments)
    out = np.eye(3)
    out[:2, :2] = vectors @ np.diag(1.0 / np.sqrt(np.maximum(values, 1e-9))) @ vectors.T
    return out
