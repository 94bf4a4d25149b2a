"""Where Hex'el cards lie: a small network's answer turned into six corners for each card.

The network (`models/hexel/detector`) looks at the picture at half size and answers for every fourth pixel: a centre's
logit, the offset to it, and the code of the card's affine pose (`affine_code`), which knows no turns of 60 degrees.
"""

from dataclasses import dataclass
from math import hypot

import cv2
import numpy as np

from companion.vision.geometry.pose_code import SCALE, affines_of, code_of
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import Network, logistic

STRIDE = 4
UNIT_HEXAGON = np.stack(
    [np.cos(np.radians(np.arange(6) * 60.0 - 30.0)), np.sin(np.radians(np.arange(6) * 60.0 - 30.0))], 1
)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A card found on the picture.

    Attributes:
        corners: (6, 2) float32 pixels, clockwise as seen.
        confidence: 0..1 that a card lies there.
    """

    corners: np.ndarray
    confidence: float


def affine_of(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centre (2,) and the affine map (2, 2) from the unit hexagon (circumradius 1) that fits corners (6, 2) best."""
    quad = np.asarray(corners, np.float64)
    centre = quad.mean(0)
    return centre, (quad - centre).T @ UNIT_HEXAGON / 3.0  # the unit hexagon's corners have second moment 3


def pose_code(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Code a card's pose from its corners.

    Args:
        corners: (6, 2), clockwise with y down.

    Returns:
        Centre (2,), code (5,) and the affine map (2, 2) from the unit hexagon to the picture.
    """
    centre, affine = affine_of(corners)
    return centre, code_of(affine, 6), affine


def corners_from_code(centre: np.ndarray, code: np.ndarray) -> np.ndarray:
    """The corners (..., 6, 2) that `pose_code` codes, up to where they begin; of centres (..., 2), codes (..., 5).

    >>> quad = UNIT_HEXAGON * [40, 30] + [100, 50]
    >>> bool(np.allclose(corners_from_code(*pose_code(quad)[:2]), quad))
    True
    """
    return np.asarray(np.asarray(centre)[..., None, :] + UNIT_HEXAGON @ affines_of(code, 6).swapaxes(-1, -2))


def brightened(bgr: np.ndarray) -> np.ndarray:
    """The picture with its bright parts brought to the same level, so that a dim room looks like a lit one; uint8."""
    top = float(np.percentile(bgr[::4, ::4].max(2), 97))
    return cv2.convertScaleAbs(bgr, alpha=230.0 / max(top, 12.0))


NET_ACROSS_PX = 44.0
"""The width of a card, in the network's picture, at which it is found surely and cheaply."""
NET_TOO_WIDE_PX = 92.0
"""Cards that the network sees wider than this are looked at once more in a smaller picture."""
NET_TOO_SMALL_PX = 30.0
"""Cards that the network sees narrower than this are looked at once more, larger, where they lie."""
_LIKELY = 0.5
"""Finds that say how wide cards are, and where a closer look is worth its time."""
_AROUND = 2.0
"""So many cards' widths around the cards a closer look reaches: one that was missed lies beside others."""


def find_cards(
    net: Network, pyramid: Pyramid, across_px: float | None = None, least: float = 0.25
) -> tuple[Found, ...]:
    """Find the cards on a picture.

    Args:
        net: the finder's network.
        pyramid: the picture.
        across_px: how wide cards are, edge to edge, when known; None for any.
        least: cards less certain than this are not told.

    Returns:
        The cards, surest first; empty when there is none.
    """
    longest = max(pyramid.levels[0].shape[:2])
    if across_px is not None:
        return _at_scale(net, pyramid, min(1.0, NET_ACROSS_PX / across_px), least)
    factor = min(1.0, float(np.clip(longest / 2, 480, 960)) / longest)  # half size, for all usual pictures
    found = _at_scale(net, pyramid, factor, least)
    widths = [_across(f.corners) for f in found if f.confidence > _LIKELY]
    if not widths:
        return found
    across = float(np.median(widths))
    if across * factor > NET_TOO_WIDE_PX:
        return _at_scale(net, pyramid, 1.3 * NET_ACROSS_PX / across, least)
    if across * factor < NET_TOO_SMALL_PX:
        return _closer(net, pyramid, found, across, least)
    return found


def _closer(net: Network, pyramid: Pyramid, found: tuple[Found, ...], across: float, least: float) -> tuple[Found, ...]:
    """The cards once small ones are looked at larger; what the closer look says nothing about stays as found."""
    likely = np.concatenate([f.corners for f in found if f.confidence > _LIKELY])
    box = np.concatenate([likely.min(0) - _AROUND * across, likely.max(0) + _AROUND * across])
    inside = _at_scale(net, pyramid, min(1.0, NET_ACROSS_PX / across), least, box)
    taken = [(*f.corners.mean(0), across) for f in inside]
    stays = [
        f
        for f in found
        if (f.confidence > _LIKELY or (f.corners < box[:2]).any() or (f.corners > box[2:]).any())
        and not any(_overlap((*f.corners.mean(0), across), other) for other in taken)
    ]
    return tuple(sorted([*inside, *stays], key=lambda f: -f.confidence))


def _across(corners: np.ndarray) -> float:
    """A card's width between opposite edges, in pixels."""
    return float(np.sqrt(3.0 * abs(np.linalg.det(affine_of(corners)[1]))))


def _at_scale(
    net: Network, pyramid: Pyramid, factor: float, least: float, box: np.ndarray | None = None
) -> tuple[Found, ...]:
    """The cards that the network sees in the picture at ``factor`` of its size; corners in full-size pixels.

    With a ``box`` (left, top, right and bottom in full-size pixels) only in that part of it.
    """
    small = pyramid.scaled(factor)
    begin, end = (0, 0), small.shape[1::-1]
    if box is not None:
        begin, end = np.clip(np.round(box * factor).astype(int).reshape(2, 2), 0, end)
    out = _answer(net, small[begin[1] : end[1], begin[0] : end[0]])
    centres, codes, sure = peaks(out, least)
    scale = np.array(small.shape[1::-1]) / pyramid.levels[0].shape[1::-1]
    quads = (corners_from_code(begin + centres, codes) + 0.5) / scale - 0.5
    found: list[Found] = []
    taken: list[tuple[float, float, float]] = []
    for corners, certainty in zip(quads.astype(np.float32), sure, strict=True):
        place = (float(corners[:, 0].mean()), float(corners[:, 1].mean()), _across(corners))
        if not any(_overlap(place, other) for other in taken):
            found.append(Found(corners, float(certainty)))
            taken.append(place)
    return tuple(found)


def peaks(planes: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a finder's planes (8, h, w) tell of cards, surest first: centres (N, 2), codes (N, 5), certainties (N,).

    Centres are in pixels of the network's picture; what is less certain than ``least`` is left out.
    """
    heat = logistic(planes[0])
    rows, cols = np.nonzero((heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat >= least))
    order = np.argsort(-heat[rows, cols])
    y, x = rows[order], cols[order]
    centres = np.stack([x, y], 1) * STRIDE + (STRIDE - 1) / 2 + planes[1:3, y, x].T * 8.0
    return centres, planes[3:8, y, x].T / np.array(SCALE), heat[y, x]


def _overlap(card: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    """Two, each its centre and width, lie nearer than cards can: one card, seen twice."""
    return hypot(card[0] - other[0], card[1] - other[1]) < 0.5 * max(card[2], other[2])


def _answer(net: Network, small: np.ndarray) -> np.ndarray:
    """The network's eight planes for a picture, padded to whole strides: float32 (8, h/4, w/4)."""
    h, w = small.shape[:2]
    blob = cv2.copyMakeBorder(brightened(small), 0, -h % 16, 0, -w % 16, cv2.BORDER_REPLICATE)
    batch = blob.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255) - np.float32(0.5)
    return np.asarray(net.forward(batch)[0])
