"""A Comet card's outline, made exact: a small network looks at the card through the outline and says how it is off."""

import cv2
import numpy as np

from companion.vision.comet_finder import UNIT_CARD, affine_of
from companion.vision.pyramid import Pyramid

VIEW = 48
REACH = 1.3
"""Half a view's width, in half heights of the card."""
GAIN = 10.0
"""What training multiplies corrections with."""


def _grid() -> np.ndarray:
    steps = ((np.arange(VIEW) + 0.5) / VIEW * 2 - 1) * REACH
    x, y = np.meshgrid(steps, steps)
    return np.stack([x, y], -1).reshape(-1, 2)


_GRID = _grid()


def cut_views(pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
    """Look at every card through its outline.

    Args:
        pyramid: the picture.
        corners: (N, 4, 2) pixels, clockwise.

    Returns:
        (N, VIEW, VIEW, 3) float32, each view's bright parts brought to the same level, about -0.5..0.75.
    """
    views = sampled(pyramid, corners, _GRID, 2 * REACH / VIEW).reshape(-1, VIEW, VIEW, 3)
    top = np.percentile(views[:, ::3, ::3].max(-1).reshape(len(views), -1), 90, axis=1) if len(views) else np.ones(0)
    return np.minimum(views / np.maximum(top, 12.0)[:, None, None, None].astype(np.float32), 1.25) - np.float32(0.5)


def sampled(pyramid: Pyramid, corners: np.ndarray, points: np.ndarray, step: float) -> np.ndarray:
    """Colours at points of every card's unit frame.

    Args:
        pyramid: the picture.
        corners: (N, 4, 2) pixels, clockwise.
        points: (P, 2) in half heights of the card.
        step: how far apart the points lie.

    Returns:
        (N, P, 3) float32, 0..255.
    """
    poses = [affine_of(c) for c in corners]
    levels = [pyramid.level_for(float(np.sqrt(abs(np.linalg.det(a)))) * step) for _, a in poses]
    colours = np.zeros((len(corners), len(points), 3), np.float32)
    for level in set(levels):
        chosen = [i for i in range(len(corners)) if levels[i] == level]
        places = np.stack([points @ poses[i][1].T + poses[i][0] for i in chosen])
        colours[chosen] = pyramid.sample(places, level)
    return colours


def refined(net: cv2.dnn.Net, pyramid: Pyramid, corners: np.ndarray) -> np.ndarray:
    """The outlines (N, 4, 2) moved to where the cards' edges are; float32, begun at the same corners."""
    if len(corners) == 0:
        return corners
    net.setInput(np.ascontiguousarray(cut_views(pyramid, corners).transpose(0, 3, 1, 2)))
    corrections = net.forward().reshape(-1, 2, 3) / GAIN
    out = np.empty_like(corners, dtype=np.float32)
    for i, correction in enumerate(corrections):
        centre, affine = affine_of(corners[i])
        better = UNIT_CARD @ (np.eye(2) + correction[:, :2]).T + correction[:, 2]
        out[i] = better @ affine.T + centre
    return out
