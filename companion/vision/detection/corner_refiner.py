"""A card's outline, made exact: a small network looks at the card through the outline as found and says how it is off.

The view is the card rectified by its outline, 48 x 48 pixels, 1.3 units to each side; the answer is an affine
correction in the outline's own unit frame.
"""

import numpy as np

from companion.vision.detection.detector import UNIT_HEXAGON, affine_of
from companion.vision.image.pyramid import Pyramid
from companion.vision.image.rectify import Form, grid, sampled
from companion.vision.networks import Network

VIEW = 48
REACH = 1.3
"""Half a view's width, in units of the card's frame: circumradii of a hexagon, half heights of a rectangle."""
GAIN = 10.0
"""What training multiplies corrections with."""


HEXAGON = Form(UNIT_HEXAGON, affine_of)
_VIEW_POINTS = grid(VIEW, VIEW, (REACH, REACH))


def cut_views(pyramid: Pyramid, corners: np.ndarray, form: Form = HEXAGON) -> np.ndarray:
    """Look at every card through its outline.

    Args:
        pyramid: the picture.
        corners: (N, K, 2) pixels, clockwise.
        form: the cards' shape.

    Returns:
        (N, VIEW, VIEW, 3) float32, each view's bright parts brought to the same level, about -0.5..0.75.
    """
    views = sampled(pyramid, [form.pose_of(c) for c in corners], _VIEW_POINTS, 2 * REACH / VIEW)
    views = views.reshape(-1, VIEW, VIEW, 3)
    top = np.percentile(views[:, ::3, ::3].max(-1).reshape(len(views), -1), 90, axis=1) if len(views) else np.ones(0)
    return np.minimum(views / np.maximum(top, 12.0)[:, None, None, None].astype(np.float32), 1.25) - np.float32(0.5)


def refined(net: Network, pyramid: Pyramid, corners: np.ndarray, form: Form = HEXAGON, times: int = 1) -> np.ndarray:
    """The outlines (N, K, 2) moved to where the cards' edges are; float32, begun at the same corners.

    A second time, from where the first led to, mends what lay far off.
    """
    if len(corners) == 0:
        return corners
    for _ in range(times):
        corners = _moved(net, pyramid, corners, form)
    return corners


def _moved(net: Network, pyramid: Pyramid, corners: np.ndarray, form: Form) -> np.ndarray:
    views = cut_views(pyramid, corners, form).transpose(0, 3, 1, 2)
    corrections = net.forward(views).reshape(-1, 2, 3) / GAIN
    out = np.empty_like(corners, dtype=np.float32)
    for i, correction in enumerate(corrections):
        centre, affine = form.pose_of(corners[i])
        better = form.unit @ (np.eye(2) + correction[:, :2]).T + correction[:, 2]
        out[i] = better @ affine.T + centre
    return out
