"""What a HexDragon tile shows: views of whole tiles cut from a picture, and a network's answers to them.

A view is the tile rectified by its outline, 48 x 48 pixels, a little more than the tile; what lies beyond its edges is
left black. Brightness is measured by the tile's own bright parts and the light's colour by all tiles together, so the
room's light drops out. The network is blind to which colours a set is printed in; only owners' names need colours.
"""

from dataclasses import dataclass

import numpy as np

from companion.vision.geometry.shapes import HEXAGON
from companion.vision.image.pyramid import Pyramid
from companion.vision.image.rectify import grid, sample_pieces
from companion.vision.networks import Network, softmax

VIEW = 48
REACH = 1.06
"""Half a view's width, in circumradii."""
BRIGHT = 0.75
"""What a tile's bright parts become."""
MOST = 1.25
"""Brighter a view is not."""
ENDS = ("+1", "+2", "+3", "+4", "+5", "tail", "head")
"""What an edge's line leads to: the edge so many directions on, a tail, a head."""
OWNERS = ("red", "blue", "yellow", "purple")
KINDS = ("tile", "star", "other")


def _inside(points: np.ndarray, apothem: float) -> np.ndarray:
    angles = np.radians(60.0 * np.arange(6))
    normals = np.stack([np.cos(angles), np.sin(angles)])
    return np.asarray((points @ normals).max(-1) <= apothem)


_POINTS = grid(VIEW, VIEW, (REACH, REACH))
_SHOWN = _inside(_POINTS, 1.03 * np.sqrt(0.75)).reshape(VIEW, VIEW)
_MEASURED = _inside(_POINTS, 0.9 * np.sqrt(0.75))


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What the network says of some places.

    Attributes:
        ends: (N, 6, 7) probability of each of `ENDS` for each edge, in order of the outline's own directions.
        owners: (N, 4) of each of `OWNERS`, where there is a head or a star.
        kinds: (N, 3) of each of `KINDS`.
    """

    ends: np.ndarray
    owners: np.ndarray
    kinds: np.ndarray


def cut_tiles(
    pyramid: Pyramid, corners: np.ndarray, cast: np.ndarray | None = None, most: float = MOST
) -> tuple[np.ndarray, np.ndarray]:
    """Look at every tile through its outline.

    Args:
        pyramid: the picture.
        corners: (N, 6, 2) pixels, clockwise.
        cast: the light's colour (3,) where it is known; None for that of these tiles.
        most: what is brighter is cut off: the network knows nothing brighter than `MOST`.

    Returns:
        Views (N, VIEW, VIEW, 3) float32, 0..most; and the light's colour (3,), BGR, about 1.
    """
    n = len(corners)
    if n == 0:
        return np.zeros((0, VIEW, VIEW, 3), np.float32), np.ones(3, np.float32) if cast is None else cast
    views = sample_pieces(pyramid, HEXAGON.pose_of(corners), _POINTS, 2 * REACH / VIEW)
    bright = np.maximum(np.percentile(views[:, _MEASURED][:, ::3], 80, axis=1), 6.0)  # (N, 3)
    level_of = bright.mean(1, keepdims=True)
    if cast is None:
        cast = np.median(bright / level_of, axis=0).astype(np.float32)
    scaled = views * (BRIGHT / (level_of * cast)).astype(np.float32)[:, None]
    out = np.minimum(scaled, most).reshape(n, VIEW, VIEW, 3)
    out[:, ~_SHOWN] = 0.0
    return out, cast


def answers_to(net: Network, views: np.ndarray) -> Answers:
    """The network's answers to views (N, VIEW, VIEW, 3), cut off at `MOST`."""
    n = len(views)
    if n == 0:
        return Answers(np.zeros((0, 6, 7), np.float32), np.zeros((0, 4), np.float32), np.zeros((0, 3), np.float32))
    out = net.forward(np.ascontiguousarray(np.minimum(views, MOST).transpose(0, 3, 1, 2)) - np.float32(0.5)).reshape(
        n, -1
    )
    return Answers(softmax(out[:, :42].reshape(n, 6, 7)), softmax(out[:, 42:46]), softmax(out[:, 46:]))
