"""A card's outline, made exact: a small network looks at the card through the outline as found and says how it is off.

The view is the card rectified by its outline, 48 x 48 pixels, 1.3 units to each side; the answer is an affine
correction in the outline's own unit frame.
"""

import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import HEXAGON, Shape
from companion.vision.image.pyramid import Pyramid, bright_level, grid, sample_pieces
from companion.vision.networks import network

VIEW = 48
REACH = 1.3
"""Half a view's width, in units of the card's frame: circumradii of a hexagon, half heights of a rectangle."""
GAIN = 10.0
"""What training multiplies corrections with."""

_VIEW_POINTS = grid(VIEW, VIEW, (REACH, REACH))


def cut_views(pyramid: Pyramid, corners: NDArray[np.floating], shape: Shape = HEXAGON) -> NDArray[np.float32]:
    """Look at every card through its outline.

    Args:
        pyramid: the picture.
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
        pyramid: the picture.
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
