"""Lines printed along hexagons' edges: of two edges that run along all sides of all of them the outer one is theirs.

Colours step at a printed line as they do at a tile's edge. Where sides have nothing beside them such lines show on most
of a picture's tiles, as far from the edge on each; a shadow or the grain of the table does not. Tiles that touch would
lie on one another if they reached to what steps beyond their edges.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.edge_refinement import CardFrame, colours_across, frames_of, lines_meeting
from companion.vision.geometry import shared_area
from companion.vision.image.pyramid import Pyramid

Floats = NDArray[np.float64]

_STEP = 0.004
_ACROSS = np.arange(-0.13, 0.06, _STEP)
_PLACES = _ACROSS[1:-1]
"""Where colours are seen, and where on both sides they are compared, across a side: in sizes of the tile, inwards
positive."""
_ALONG = np.linspace(0.2, 0.8, 21)
"""And along it."""
_ON_EDGE = 0.022
"""An outline's own edge lies so near to it."""
_FARTHEST, _NEAREST = 0.1, 0.018
"""So far from that edge another lies at most and at least."""
_FAINTEST, _LEAST_SHARE, _PARTED = 5.0, 0.25, 0.65
"""It steps by so many levels and by such a share of the other; between both colours step by less than this share."""
_MOST_SIDES = 30.0
"""The percentage of sides that may step by less: some lie in a shadow or at something of their own colour."""
_FEWEST_SIDES = 3
_WINDOW = 0.013
"""What steps so near to where most sides do is the same edge."""
_BESIDE, _MOST_SHARED = 1.12, 0.005
"""Tiles so many times as large as they are meet those that lie beside them; these would have so much in common at most.
Of 24 pictures of tiles with a printed frame they had 0.0045 in the median at most, of 15 others 0.0075 at least."""


def outer_edges(pyramid: Pyramid, outlines: Floats) -> Floats:
    """The outlines (N, 6, 2) of a picture's tiles, moved from the lines that are printed along their edges to these."""
    if not len(outlines):
        return outlines
    frames = frames_of(outlines)
    colours = np.median(colours_across(pyramid, outlines, _ACROSS, _ALONG, 1.5 * _STEP), axis=3)
    steps = np.abs(colours[:, 2:] - colours[:, :-2]).max(-1).swapaxes(1, 2)  # (N, 6, T)
    free = np.array([_is_free(frame, np.delete(outlines, i, axis=0)) for i, frame in enumerate(frames)])
    usual = _outer_edge(steps[free])
    if usual is None:
        return outlines
    near = np.abs(_PLACES - _PLACES[usual]) < _WINDOW
    seen = steps[..., near]
    weights = np.where(seen.max(-1, keepdims=True) > 0, seen, 1.0)
    where = (weights * _PLACES[near]).sum(-1) / weights.sum(-1)
    moved = lines_meeting(frames, np.stack([where, where], -1), np.ones(where.shape))
    wider = np.array([one.corners for one in moved])
    return outlines if _lie_on_one_another(outlines, wider) else wider


def _is_free(frame: CardFrame, others: Floats) -> NDArray[np.bool_]:
    """Beside which sides (6,) none of some other outlines (M, 6, 2) lies."""
    begin, along, inwards = frame.side_frames()
    beside = frame.to_picture(begin + along / 2 + _ACROSS[0] * frame.size * inwards)
    return np.array(
        [all(cv2.pointPolygonTest(o.astype(np.float32), point, False) < 0 for o in others) for point in beside.tolist()]
    )


def _outer_edge(steps: Floats) -> int | None:
    """Where free sides (S, T) step beyond their own edge: the outermost place; None where they do not."""
    if len(steps) < _FEWEST_SIDES:
        return None
    shown = np.percentile(steps, _MOST_SIDES, axis=0)
    own = int(np.argmax(np.where(np.abs(_PLACES) <= _ON_EDGE, shown, -1.0)))
    for k in range(1, own):
        is_peak = shown[k] >= shown[k - 1] and shown[k] >= shown[k + 1] and _PLACES[k] > -_FARTHEST
        is_plain = shown[k] >= max(_FAINTEST, _LEAST_SHARE * shown[own])
        is_apart = _PLACES[k] < _PLACES[own] - _NEAREST and shown[k:own].min() < _PARTED * min(shown[k], shown[own])
        if is_peak and is_plain and is_apart:
            return k
    return None


def _lie_on_one_another(outlines: Floats, wider: Floats) -> bool:
    """Whether tiles (N, 6, 2) that lie side by side would share some of their place if they were so much wider."""
    middles = outlines.mean(1, keepdims=True)
    reach = middles + _BESIDE * (outlines - middles)
    shared = [
        shared_area(wider[i], wider[k])
        for i in range(len(outlines))
        for k in range(i)
        if shared_area(reach[i], reach[k]) > 0
    ]
    return bool(shared) and float(np.median(shared)) > _MOST_SHARED
