"""A hand and its sleeved arm as seen from above, drawn once as a lit relief and handed out as a picture with opacity.

The hand's frame is in mm: the fingertips lie around the origin, the arm runs along +y. A relief of rounded limbs gives
the light something to fall on; that is what makes it look like a hand and not like a paper cut-out.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from companion.simulator.optics import Matrix, mm_from_px

Relief = npt.NDArray[Any]
Point = tuple[float, float]

LEFT_MM, TOP_MM = -75.0, -25.0
WIDTH_MM, LENGTH_MM = 150.0, 1150.0
_SCALE = 1.4
_CUFF_MM = 160.0
_SKIN_TONES = ((118, 152, 214), (96, 132, 196), (72, 104, 160), (140, 172, 226))
_SLEEVES = ((62, 46, 34), (58, 58, 120), (70, 84, 60), (52, 52, 54))


@dataclass(frozen=True, slots=True)
class Limb:
    """A rounded bone: two ends in mm, their radii, and how high their middle lines lie."""

    start: Point
    end: Point
    radii_mm: tuple[float, float]
    heights_mm: tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Hand:
    """A drawn hand: premultiplied BGRA and where its pixels lie in the hand's frame."""

    picture: npt.NDArray[Any]
    mm_from_px: Matrix


@dataclass(frozen=True, slots=True, eq=False)
class _Shapes:
    """What all hands have in common, each (h, w, ...) of the hand's frame.

    Attributes:
        sleeve: its height above the table in mm, 0 where there is none.
        tint: how red the skin is.
        shade: the light on the skin.
        opacity: of the hand and the sleeve.
    """

    sleeve: Relief
    tint: Relief
    shade: Relief
    opacity: Relief


@cache
def _shapes() -> _Shapes:
    skin, sleeve = _relief(_HAND), _relief(_ARM)
    sleeve[: round((_CUFF_MM - TOP_MM) * _SCALE)] = 0
    opacity = cv2.GaussianBlur(((sleeve > 0) | (skin > 0)).astype(np.float32), (0, 0), 0.7)[..., None]
    return _Shapes(sleeve, _redness((skin.shape[0], skin.shape[1])), _shade(skin, 0.5), opacity)


def draw_hand(rng: np.random.Generator) -> Hand:
    """One person's hand, thumb to the left, fingers together as when they hold a card."""
    common = _shapes()
    sleeve, opacity = common.sleeve, common.opacity
    shape = (sleeve.shape[0], sleeve.shape[1])
    skin_colour = np.array(_SKIN_TONES[rng.integers(len(_SKIN_TONES))], np.float32) * _mottled(rng, shape, 0.05)
    cloth = np.array(_SLEEVES[rng.integers(len(_SLEEVES))], np.float32) * _woven(rng, shape)
    over = sleeve > 0
    sleeve_folds = sleeve + over * _folds(rng, shape)
    colour = np.where(over[..., None], cloth * _shade(sleeve_folds, 0.45), skin_colour * common.tint * common.shade)
    picture = np.concatenate([np.clip(colour, 0, 255) * opacity, opacity * 255], axis=2)
    return Hand(np.round(picture).astype(np.uint8), mm_from_px(LEFT_MM, TOP_MM, _SCALE))


def _finger(
    root: tuple[float, float], joint: tuple[float, float], tip: tuple[float, float], radius: float
) -> list[Limb]:
    return [
        Limb(root, joint, (radius * 1.12, radius), (18, 22)),
        Limb(joint, tip, (radius, radius * 0.82), (22, 7)),
    ]


_HAND = [
    *_finger((-22, 78), (-17, 38), (-11, 3), 8.6),
    *_finger((-4, 72), (-2, 32), (4, -4), 8.8),
    *_finger((14, 76), (16, 38), (17, 4), 8.3),
    *_finger((30, 86), (31, 56), (28, 24), 7.2),
    Limb((-34, 118), (-44, 78), (13, 10.5), (12, 14)),
    Limb((-44, 78), (-27, 24), (10.5, 8.2), (14, 6)),
    Limb((-20, 84), (-10, 142), (15, 21), (14, 16)),
    Limb((-3, 80), (0, 142), (14, 22), (17, 17)),
    Limb((14, 84), (9, 142), (14, 22), (16, 16)),
    Limb((29, 92), (16, 140), (12, 18), (12, 14)),
    Limb((2, 142), (4, 215), (29, 26), (14, 18)),
]
_ARM = [Limb((4, _CUFF_MM + 18), (10, 420), (36, 45), (16, 24)), Limb((10, 420), (24, 1300), (45, 62), (24, 40))]


def _relief(limbs: list[Limb]) -> Relief:
    """The height of limbs above the table in mm, (h, w) of the hand's frame."""
    height = np.zeros((round(LENGTH_MM * _SCALE), round(WIDTH_MM * _SCALE)), np.float32)
    for limb in limbs:
        part = _window(limb, height.shape)
        np.maximum(height[part], _limb(limb, part), out=height[part])
    return height


def _window(limb: Limb, shape: tuple[int, ...]) -> tuple[slice, slice]:
    """The rows and columns that a limb may reach."""
    ends, reach = np.array([limb.start, limb.end]), max(limb.radii_mm)
    low = np.floor((ends.min(axis=0) - reach - (LEFT_MM, TOP_MM)) * _SCALE).astype(int)
    high = np.ceil((ends.max(axis=0) + reach - (LEFT_MM, TOP_MM)) * _SCALE).astype(int) + 1
    return slice(max(low[1], 0), min(high[1], shape[0])), slice(max(low[0], 0), min(high[0], shape[1]))


def _limb(limb: Limb, part: tuple[slice, slice]) -> Relief:
    """The height of one limb in mm in a part of the frame: two spheres and what spans them."""
    rows, columns = np.mgrid[part].astype(np.float32)
    x, y = columns / _SCALE + LEFT_MM, rows / _SCALE + TOP_MM
    (ax, ay), (bx, by) = limb.start, limb.end
    dx, dy = bx - ax, by - ay
    along = np.clip(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy), 0, 1)
    away = (x - ax - along * dx) ** 2 + (y - ay - along * dy) ** 2
    radius = limb.radii_mm[0] + along * (limb.radii_mm[1] - limb.radii_mm[0])
    middle = limb.heights_mm[0] + along * (limb.heights_mm[1] - limb.heights_mm[0])
    return np.where(away < radius**2, middle + np.sqrt(np.maximum(radius**2 - away, 0)), 0).astype(np.float32)


def _shade(relief: Relief, contrast: float) -> Relief:
    """Light from the upper left, and darkness where the relief lies lower than its surroundings."""
    smooth = cv2.GaussianBlur(relief, (0, 0), 1.6)
    slope_x, slope_y = (cv2.Sobel(smooth, cv2.CV_32F, dx, 1 - dx, ksize=3) / 8 * _SCALE for dx in (1, 0))
    facing = (0.45 * slope_x + 0.35 * slope_y + 0.82) / np.sqrt(slope_x**2 + slope_y**2 + 1)
    hollow = np.clip((cv2.GaussianBlur(relief, (0, 0), 6) - relief) / 14, 0, 1)
    return ((1 - contrast + contrast * np.clip(facing, 0, 1.3) * 1.2) * (1 - 0.5 * hollow))[..., None]


def _mottled(rng: np.random.Generator, shape: tuple[int, int], amount: float) -> Relief:
    coarse = rng.standard_normal((shape[0] // 24, shape[1] // 24)).astype(np.float32)
    fine = rng.standard_normal((shape[0] // 4, shape[1] // 4)).astype(np.float32)
    blotches, pores = (cv2.resize(noise, shape[::-1], interpolation=cv2.INTER_CUBIC) for noise in (coarse, fine))
    return (1 + amount * blotches + 0.4 * amount * pores)[..., None]


def _woven(rng: np.random.Generator, shape: tuple[int, int]) -> Relief:
    return (1 + 0.10 * cv2.GaussianBlur(rng.standard_normal(shape).astype(np.float32), (0, 0), 0.8))[..., None]


def _folds(rng: np.random.Generator, shape: tuple[int, int]) -> Relief:
    ridges = rng.standard_normal((shape[0] // 40, 3)).astype(np.float32)
    return 5.0 * cv2.resize(ridges, shape[::-1], interpolation=cv2.INTER_CUBIC)


def _redness(shape: tuple[int, int]) -> Relief:
    """How a hand's skin is tinted: fingertips and knuckles are redder than its back; nails are paler."""
    tint = np.ones((*shape, 3), np.float32)
    for x, y, radius, colour in _MARKS:
        part = _window(Limb((x, y), (x, y), (2 * radius, 2 * radius), (0, 0)), shape)
        rows, columns = np.mgrid[part].astype(np.float32)
        away = np.hypot(columns / _SCALE + LEFT_MM - x, rows / _SCALE + TOP_MM - y)
        spot = 1 / (1 + np.exp((away - radius) / (0.25 * radius)))[..., None]
        tint[part] *= 1 - spot + spot * np.array(colour, np.float32)
    return tint


_RED, _PALE = (0.88, 0.92, 1.0), (1.22, 1.16, 1.08)
_TIPS = ((-11, 3), (4, -4), (17, 4), (28, 24), (-27, 24))
_MARKS = (
    [(x, y + 2, 9.0, _RED) for x, y in _TIPS]
    + [(x, y, 8.0, _RED) for x, y in ((-22, 78), (-4, 72), (14, 76), (30, 86), (-17, 38), (-2, 32), (16, 38))]
    + [(x, y - 1, 3.6, _PALE) for x, y in _TIPS]
)
