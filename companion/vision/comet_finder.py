"""Where Comet cards lie: a small network's answer turned into four corners for each card.

The network (`models/comet-finder`) answers as the Hex'el finder does (see `companion.vision.finder`), but a card's
pose is ambiguous by half a turn: it is coded by ``cos 2t, sin 2t``, for a card of 63 x 88 whose half height is 1.
"""

import cv2
import numpy as np

from companion.vision.finder import POSE_SCALE, STRIDE, Found, brightened
from companion.vision.pyramid import Pyramid
from companion.vision.straight import Form

HALF_WIDTH = 63.0 / 88.0
UNIT_CARD = np.array([[-HALF_WIDTH, -1.0], [HALF_WIDTH, -1.0], [HALF_WIDTH, 1.0], [-HALF_WIDTH, 1.0]])
_INVERSE_MOMENTS = np.diag([1 / (4 * HALF_WIDTH**2), 0.25])

NET_WIDE_PX = 40.0
"""The width of a card, in the network's picture, at which it is found surely and cheaply."""
NET_TOO_WIDE_PX = 84.0
"""Cards that the network sees wider than this are looked at once more in a smaller picture."""


def affine_of(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centre (2,) and the affine map (2, 2) from the unit card that fits corners (4, 2) best."""
    quad = np.asarray(corners, np.float64)
    centre = quad.mean(0)
    return centre, (quad - centre).T @ UNIT_CARD @ _INVERSE_MOMENTS


RECTANGLE = Form(UNIT_CARD, affine_of)


def width_of(corners: np.ndarray) -> float:
    """A card's width in pixels, about."""
    return float(2 * HALF_WIDTH * np.sqrt(abs(np.linalg.det(affine_of(corners)[1]))))


def pose_code(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Code a card's pose from its corners (4, 2), clockwise with y down.

    Returns:
        Centre (2,), code (5,) and the affine map (2, 2) from the unit card to the picture.
    """
    centre, affine = affine_of(corners)
    values, vectors = np.linalg.eigh(affine @ affine.T)
    log_s = vectors @ np.diag(0.5 * np.log(values)) @ vectors.T
    turn = vectors @ np.diag(values**-0.5) @ vectors.T @ affine
    t = np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])
    return centre, np.array([log_s[0, 0], log_s[0, 1], log_s[1, 1], np.cos(2 * t), np.sin(2 * t)]), affine


def corners_from_code(centre: np.ndarray, code: np.ndarray) -> np.ndarray:
    """The corners (4, 2) that `pose_code` codes, up to half a turn.

    >>> quad = UNIT_CARD @ [[40.0, 2.0], [-3.0, 44.0]] + [100, 50]
    >>> bool(np.allclose(corners_from_code(*pose_code(quad)[:2]), quad))
    True
    """
    values, vectors = np.linalg.eigh(np.array([[code[0], code[1]], [code[1], code[2]]], np.float64))
    s = vectors @ np.diag(np.exp(values)) @ vectors.T
    t = np.arctan2(code[4], code[3]) / 2
    turn = np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
    return np.asarray(centre + UNIT_CARD @ (s @ turn).T)


def find_comet_cards(
    net: cv2.dnn.Net, pyramid: Pyramid, width_px: float | None = None, least: float = 0.25
) -> tuple[Found, ...]:
    """Find the cards on a picture.

    Args:
        net: the finder's network.
        pyramid: the picture.
        width_px: how wide cards are, when known; None for any.
        least: cards less certain than this are not told.

    Returns:
        The cards, surest first, either way up; empty when there is none.
    """
    if width_px is not None:
        return _at_scale(net, pyramid, min(1.0, NET_WIDE_PX / width_px), least)
    longest = max(pyramid.levels[0].shape[:2])
    factor = min(1.0, float(np.clip(longest / 2, 480, 960)) / longest)
    found = _at_scale(net, pyramid, factor, least)
    seen_px = [width_of(f.corners) * factor for f in found if f.confidence > 0.5]
    if seen_px and float(np.median(seen_px)) > NET_TOO_WIDE_PX:
        return _at_scale(net, pyramid, factor * 1.3 * NET_WIDE_PX / float(np.median(seen_px)), least)
    return found


def _at_scale(net: cv2.dnn.Net, pyramid: Pyramid, factor: float, least: float) -> tuple[Found, ...]:
    """The cards that the network sees in the picture at ``factor`` of its size; corners in full-size pixels."""
    small = pyramid.scaled(factor)
    out = _answer(net, small)
    heat = 1.0 / (1.0 + np.exp(-out[0]))
    rows, cols = np.nonzero((heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat >= least))
    scale = np.array(small.shape[1::-1]) / pyramid.levels[0].shape[1::-1]
    found: list[Found] = []
    for i in np.argsort(-heat[rows, cols]):
        y, x = int(rows[i]), int(cols[i])
        centre = np.array([x, y]) * STRIDE + (STRIDE - 1) / 2 + out[1:3, y, x] * 8.0
        corners = corners_from_code(centre, out[3:8, y, x] / np.array(POSE_SCALE))
        card = Found(((corners + 0.5) / scale - 0.5).astype(np.float32), float(heat[y, x]))
        if not any(_is_same(card, other) for other in found):
            found.append(card)
    return tuple(found)


def _is_same(card: Found, other: Found) -> bool:
    """The two lie nearer than fanned cards can: one card, seen twice."""
    apart = float(np.linalg.norm(card.corners.mean(0) - other.corners.mean(0)))
    return apart < 0.45 * max(width_of(card.corners), width_of(other.corners))


def _answer(net: cv2.dnn.Net, small: np.ndarray) -> np.ndarray:
    """The network's eight planes for a picture, padded to whole strides: float32 (8, h/4, w/4)."""
    h, w = small.shape[:2]
    blob = cv2.copyMakeBorder(brightened(small), 0, -h % 16, 0, -w % 16, cv2.BORDER_REPLICATE)
    net.setInput(blob.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255) - np.float32(0.5))
    return np.asarray(net.forward()[0], np.float32)
