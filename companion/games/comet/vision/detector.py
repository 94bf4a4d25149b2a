"""Where Comet cards lie: a small network's answer turned into four corners for each card.

The network (`models/comet/detector`) answers as the Hex'el finder does (see `companion.vision.detection.detector`), but a card's
pose is ambiguous by half a turn: it is coded by ``cos 2t, sin 2t``, for a card of 63 x 88 whose half height is 1.
"""

import cv2
import numpy as np

from companion.vision.detection.detector import Found, brightened, peaks
from companion.vision.geometry.pose_code import affines_of, code_of
from companion.vision.image.pyramid import Pyramid
from companion.vision.image.rectify import Form
from companion.vision.networks import Network

HALF_WIDTH = 63.0 / 88.0
UNIT_CARD = np.array([[-HALF_WIDTH, -1.0], [HALF_WIDTH, -1.0], [HALF_WIDTH, 1.0], [-HALF_WIDTH, 1.0]])
_FIT = UNIT_CARD @ np.diag([1 / (4 * HALF_WIDTH**2), 0.25])
"""The unit card's corners (4, 2) over their second moments."""

NET_WIDE_PX = 40.0
"""The width of a card, in the network's picture, at which it is found surely and cheaply."""
NET_TOO_WIDE_PX = 84.0
"""Cards that the network sees wider than this are looked at once more in a smaller picture."""
LIKELY = 0.5
"""Finds that say how wide cards are."""
CLOSE, PLAIN = 0.4, 0.9
"""Where there is none, the picture is looked at once more so much smaller: cards may be too near to be seen whole.

Only what is found surely then counts: there may be no cards."""


def affine_of(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centre (2,) and the affine map (2, 2) from the unit card that fits corners (4, 2) best."""
    quad = np.asarray(corners, np.float64)
    return quad.sum(0) / 4, quad.T @ _FIT


RECTANGLE = Form(UNIT_CARD, affine_of)


def widths_of(corners: np.ndarray) -> np.ndarray:
    """Cards' (..., 4, 2) widths in pixels, about: (...)."""
    a, b, c, d = np.moveaxis(np.asarray(corners, np.float64), -2, 0)
    right, down = (b + c - a - d) / 4, (c + d - a - b) / 4
    area = 4 * np.abs(right[..., 0] * down[..., 1] - right[..., 1] * down[..., 0])
    return np.asarray(np.sqrt(area * HALF_WIDTH))


def width_of(corners: np.ndarray) -> float:
    """A card's width in pixels, about."""
    return float(widths_of(corners))


def pose_code(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Code a card's pose from its corners (4, 2), clockwise with y down.

    Returns:
        Centre (2,), code (5,) and the affine map (2, 2) from the unit card to the picture.
    """
    centre, affine = affine_of(corners)
    return centre, code_of(affine, 2), affine


def corners_from_code(centre: np.ndarray, code: np.ndarray) -> np.ndarray:
    """The corners (..., 4, 2) that `pose_code` codes, up to half a turn; of centres (..., 2), codes (..., 5).

    >>> quad = UNIT_CARD @ [[40.0, 2.0], [-3.0, 44.0]] + [100, 50]
    >>> bool(np.allclose(corners_from_code(*pose_code(quad)[:2]), quad))
    True
    """
    return np.asarray(np.asarray(centre)[..., None, :] + UNIT_CARD @ affines_of(code, 2).swapaxes(-1, -2))


def find_comet_cards(
    net: Network, pyramid: Pyramid, width_px: float | None = None, least: float = 0.25
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
    seen_px = [width_of(f.corners) * factor for f in found if f.confidence > LIKELY]
    if seen_px and float(np.median(seen_px)) > NET_TOO_WIDE_PX:
        return _at_scale(net, pyramid, factor * 1.3 * NET_WIDE_PX / float(np.median(seen_px)), least)
    if not seen_px:
        close = _at_scale(net, pyramid, factor * CLOSE, least)
        return close if any(f.confidence > PLAIN for f in close) else found
    return found


def _at_scale(net: Network, pyramid: Pyramid, factor: float, least: float) -> tuple[Found, ...]:
    """The cards that the network sees in the picture at ``factor`` of its size; corners in full-size pixels."""
    small = pyramid.scaled(factor)
    out = _answer(net, small)
    centres, codes, sure = peaks(out, least)
    scale = np.array(small.shape[1::-1]) / pyramid.levels[0].shape[1::-1]
    quads = (corners_from_code(centres, codes) + 0.5) / scale - 0.5
    return tuple(Found(quads[i].astype(np.float32), float(sure[i])) for i in _once(quads))


def _once(quads: np.ndarray) -> list[int]:
    """Which outlines (N, 4, 2), surest first, do not lie nearer to a surer one than fanned cards can."""
    centres, wide = quads.mean(1), widths_of(quads)
    kept: list[int] = []
    for i in range(len(quads)):
        apart = np.linalg.norm(centres[kept] - centres[i], axis=1)
        if not (apart < 0.45 * np.maximum(wide[kept], wide[i])).any():
            kept.append(i)
    return kept


def _answer(net: Network, small: np.ndarray) -> np.ndarray:
    """The network's eight planes for a picture, padded to whole strides: float32 (8, h/4, w/4)."""
    h, w = small.shape[:2]
    padded = cv2.copyMakeBorder(brightened(small), 0, -h % 16, 0, -w % 16, cv2.BORDER_REPLICATE)
    batch = padded.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255) - np.float32(0.5)
    return np.asarray(net.forward(batch)[0])
