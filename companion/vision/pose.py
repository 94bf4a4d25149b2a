"""A card's outline, made exact: a small network looks at the card through the outline as found and says how it is off.

The view is the card rectified by its outline, 48 x 48 pixels, 1.3 circumradii to each side; the answer is an affine
correction in the outline's own unit frame.
"""

import cv2
import numpy as np

from companion.vision.finder import UNIT_HEXAGON, affine_of
from companion.vision.pyramid import Pyramid

VIEW = 48
REACH = 1.3
"""Half a view's width, in circumradii."""
GAIN = 10.0
"""What training multiplies corrections with."""


def _view_points() -> np.ndarray:
    steps = ((np.arange(VIEW) + 0.5) / VIEW * 2 - 1) * REACH
    x, y = np.meshgrid(steps, steps)
    return np.stack([x, y], -1).reshape(-1, 2)


_VIEW_POINTS = _view_points()


def cut_views(pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
    """Look at every card through its outline.

    Args:
        pyramid: the picture.
        corners: (N, 6, 2) pixels, clockwise.

    Returns:
        (N, VIEW, VIEW, 3) float32, each view's bright parts brought to the same level, about -0.5..0.75.
    """
    poses = [affine_of(c) for c in corners]
    sizes = [float(np.sqrt(abs(np.linalg.det(a)))) for _, a in poses]
    levels = [pyramid.level_for(s * 2 * REACH / VIEW) for s in sizes]
    views = np.zeros((len(corners), VIEW, VIEW, 3), np.float32)
    for level in set(levels):
        chosen = [i for i in range(len(corners)) if levels[i] == level]
        points = np.stack([_VIEW_POINTS @ poses[i][1].T + poses[i][0] for i in chosen])
        views[chosen] = pyramid.sample(points, level).reshape(-1, VIEW, VIEW, 3)
    top = np.percentile(views[:, ::3, ::3].max(-1).reshape(len(views), -1), 90, axis=1) if len(views) else np.ones(0)
    return np.minimum(views / np.maximum(top, 12.0)[:, None, None, None].astype(np.float32), 1.25) - np.float32(0.5)


def refined(net: cv2.dnn.Net, pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
    """The outlines (N, 6, 2) moved to where the cards' edges are; float32, begun at the same corners."""
    if len(corners) == 0:
        return corners
    net.setInput(np.ascontiguousarray(cut_views(pyramid, corners).transpose(0, 3, 1, 2)))
    corrections = net.forward().reshape(-1, 2, 3) / GAIN
    out = np.empty_like(corners, dtype=np.float32)
    for i, correction in enumerate(corrections):
        centre, affine = affine_of(corners[i])
        better = UNIT_HEXAGON @ (np.eye(2) + correction[:, :2]).T + correction[:, 2]
        out[i] = better @ affine.T + centre
    return out
