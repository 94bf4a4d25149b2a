"""The colours of the cards on a picture: whether they show any, and the tint of the light they lie in."""

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.image.pyramid import Pyramid

_COLOUR_PX, _TINT_PX = 240.0, 480.0
"""The longer side of the picture whose colours and whose tint are measured: grain of single pixels is no colour, and
bright lines on dark faces are thin."""
_FAINT = 0.08
"""Printed colours differ by more, in shares of white: on 36 pictures by 0.3 at least, and by 0.03 to 0.14 with a tenth
of their colour left, where insects were first taken for one another."""
_BRIGHT_PERCENT, _LESS_BRIGHT_PERCENTS = 95.0, (80.0, 65.0, 50.0, 35.0, 20.0)
_BURNT_OUT, _DARKEST_LEVEL = 250.0, 4.0

Shown = tuple[Pyramid, Sequence[NDArray[np.floating]]]
"""A picture, and the outlines (K, 2) of cards on it."""


def has_colour(pyramid: Pyramid, outlines: Sequence[NDArray[np.floating]]) -> bool:
    """Whether cards show colours, whatever the light's tint: night-mode pictures and grey scans show none.

    Args:
        pyramid: the picture.
        outlines: (K, 2) each, of the cards.
    """
    pixels = _pixels(pyramid, outlines, _COLOUR_PX)
    if not len(pixels):
        return True
    levelled = pixels / np.maximum(np.percentile(pixels, 90, axis=0), 8.0)
    return bool(np.percentile(levelled.max(1) - levelled.min(1), 98) > _FAINT)


class Tint(NamedTuple):
    """The tint of the light on cards. It holds that of what is printed too: only tints of one printing compare.

    Attributes:
        channels: the logarithm of each channel (3,), 0 in the mean.
        is_burnt_out: a channel of what is brightest is; the tint is then that of less bright parts.
    """

    channels: NDArray[np.float32]
    is_burnt_out: bool

    def off(self, channels: NDArray[np.floating]) -> float:
        """The logarithm of how much more it dims one channel than another, beside another tint's channels (3,)."""
        return float(np.ptp(self.channels - channels))


def tint_of(shown: Sequence[Shown]) -> Tint:
    """The tint of the light on cards, by their brightest parts that are not burnt out."""
    pixels = np.concatenate([_pixels(pyramid, outlines, _TINT_PX) for pyramid, outlines in shown])
    if not len(pixels):
        return Tint(np.zeros(3, np.float32), False)
    bright, *less_bright = np.percentile(pixels, (_BRIGHT_PERCENT, *_LESS_BRIGHT_PERCENTS), axis=0)
    level = next((one for one in (bright, *less_bright) if one.max() < _BURNT_OUT), less_bright[-1])
    channels = np.log(np.maximum(level, _DARKEST_LEVEL))
    return Tint(np.asarray(channels - channels.mean(), np.float32), bool(bright.max() >= _BURNT_OUT))


def _pixels(pyramid: Pyramid, outlines: Sequence[NDArray[np.floating]], longer_side_px: float) -> NDArray[np.float32]:
    """The pixels (N, 3) of cards on a picture made so small."""
    small = pyramid.scaled(min(1.0, longer_side_px / max(pyramid.size)))
    scale = np.array(small.shape[1::-1]) / pyramid.size
    mask = np.zeros(small.shape[:2], np.uint8)
    for outline in outlines:
        cv2.fillConvexPoly(mask, np.round((outline + 0.5) * scale - 0.5).astype(np.int32), 1)
    return small[mask > 0].astype(np.float32)
