"""A card's look as a whole: rectified, compared with what was taught, its outline moved to fit; and its colours.

A frame printed along the rim is easily taken for the card's edge; what was taught says how far the edge is from it.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.geometry import areas, homography, mapped
from companion.vision.image.pyramid import Pyramid, warp

Floats = NDArray[np.float32]
Colours = NDArray[np.floating]
_MARGIN = 0.14
"""How far around a card is looked, in shares of its height."""
_CRITERIA = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 30, 1e-3)
_SMOOTH = 5
"""The Gaussian kernel's size in pixels, for looks a little blurred or aside."""
_DARKEST = 4.0
"""So many levels make up for a camera's noise in the dark."""
_FINE = 2.5
"""In a look's pixels, the standard deviation of the Gaussian around a place whose mean its detail is told from."""
_RIM = 0.2
"""The share of a card along each side whose tones do not make a pattern."""
_CORE = 0.6
"""The share of a card around its middle whose colour is taken for its own."""
BACK_LOOK, PRINT_LOOK = (24, 18), (48, 36)
"""The height and width in pixels at which the patterns of backs are compared, and at which a card shows its print."""
GRID_SIDE = 8
"""A card's colours are seen at so many by so many points."""
GRID = 0.85 * np.stack(np.meshgrid(*2 * [np.linspace(-1, 1, GRID_SIDE)]), -1).reshape(-1, 2)
"""Those points (N, 2), in halves of a card's width and height from its middle."""


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """An outline moved to where a taught look fits, and the correlation of the two looks there, -1..1."""

    corners: Floats
    correlation: float


def look_at(pyramid: Pyramid, corners: NDArray[np.floating], shape: tuple[int, int], margin: int = 0) -> Floats:
    """A card (4, 2) seen straight on, grey (h, w) float32, with so many pixels around it."""
    image_from_look = _image_from_look(corners, shape)
    moved = image_from_look @ np.array([[1, 0, -margin], [0, 1, -margin], [0, 0, 1.0]])
    size = (shape[1] + 2 * margin, shape[0] + 2 * margin)
    area = abs(cv2.contourArea(np.asarray(corners, np.float32)))
    seen = warp(pyramid, moved, size, float(np.sqrt(area / (shape[0] * shape[1]))))
    return np.asarray(cv2.cvtColor(seen, cv2.COLOR_BGR2GRAY), np.float32)


def evenly_lit(look: Floats) -> Floats | None:
    """A card's look (h, w) without a light that fades across it, as a lamp's reflection does; None where none lies on
    it.
    """
    h, w = look.shape
    light = np.log(cv2.GaussianBlur(look, (_SMOOTH, _SMOOTH), 0) + _DARKEST)
    down, across = np.mgrid[-1 : 1 : h * 1j, -1 : 1 : w * 1j]
    inner = (slice(_SMOOTH, -_SMOOTH), slice(_SMOOTH, -_SMOOTH))
    plane = np.stack([np.ones_like(across), across, down], -1)
    fade, *_ = np.linalg.lstsq(plane[inner].reshape(-1, 3), light[inner].ravel(), rcond=None)
    fading = plane @ fade
    explained = float(fading[inner].var() / max(1e-9, float(light[inner].var())))
    if 2 * np.linalg.norm(fade[1:]) < LIMITS.fading_light or explained < LIMITS.mostly_light:
        return None
    return np.asarray((look + _DARKEST) * np.exp(fade[0] - fading) - _DARKEST, np.float32)


def _image_from_look(corners: NDArray[np.floating], shape: tuple[int, int]) -> NDArray[np.float64]:
    ends = _ends(shape).astype(np.float32)
    return cv2.getPerspectiveTransform(ends, np.asarray(corners, np.float32)).astype(np.float64)


def _ends(shape: tuple[int, int]) -> NDArray[np.float64]:
    """A look's corners (4, 2) in its pixels."""
    h, w = shape
    return np.array([[0, 0], [w, 0], [w, h], [0, h]]) - 0.5


def correlation(seen: Floats, taught: Floats, shown: NDArray[np.bool_] | None = None) -> float:
    """How alike two looks (h, w) are, whatever the light, -1..1; of what is shown (h, w) where that is given."""
    smooth = [cv2.GaussianBlur(one, (_SMOOTH, _SMOOTH), 0) for one in (seen, taught)]
    a, b = (one.ravel() if shown is None else one[shown] for one in smooth)
    a, b = a - cv2.mean(a)[0], b - cv2.mean(b)[0]
    return float(a @ b) / max(1e-6, float(np.sqrt((a @ a) * (b @ b))))


def correlation_either_way(look: Floats, other: Floats) -> float:
    """The correlation of two looks (h, w), either of which may stand upside down, -1..1."""
    return max(correlation(look, other), correlation(look, np.ascontiguousarray(other[::-1, ::-1])))


def look_correlation(
    pyramid: Pyramid, corners: NDArray[np.floating], taught: Floats, shown: NDArray[np.bool_] | None = None
) -> float:
    """The correlation of a card's look (4, 2) with a taught one (h, w), see `correlation`."""
    return correlation(look_at(pyramid, corners, (taught.shape[0], taught.shape[1])), taught, shown)


def align(pyramid: Pyramid, corners: NDArray[np.floating], taught: Floats, *, is_by_detail: bool = False) -> Alignment:
    """The outline (4, 2) moved to where a taught look fits best; as it is where that is no better, or far away.

    By their detail alone looks are as alike in a light that fades across them.
    """
    shape = (taught.shape[0], taught.shape[1])
    margin = round(_MARGIN * shape[0])
    around = look_at(pyramid, corners, shape, margin)
    if is_by_detail:
        around, taught = _detail(around), _detail(taught)
    first = correlation(around[margin:-margin, margin:-margin], taught)
    unmoved = Alignment(np.asarray(corners, np.float32), first)
    start = np.array([[1, 0, margin], [0, 1, margin], [0, 0, 1]], np.float32)
    everywhere = np.full(around.shape, 255, np.uint8)
    try:
        found, move = cv2.findTransformECC(taught, around, start, cv2.MOTION_HOMOGRAPHY, _CRITERIA, everywhere, _SMOOTH)
    except cv2.error:  # it does not converge: the looks have nothing in common
        return unmoved
    ends = _ends(shape)
    places = mapped(np.asarray(move, np.float64), ends) - margin
    if found < first or np.abs(places - ends).max() > LIMITS.farthest_alignment * shape[0]:
        return unmoved
    return Alignment(mapped(_image_from_look(corners, shape), places).astype(np.float32), float(found))


def _detail(look: Floats) -> Floats:
    """How much brighter each place of a look (h, w) is than those close around it, as a logarithm."""
    light = np.log(np.maximum(look, 0) + _DARKEST)
    return np.asarray(light - cv2.GaussianBlur(light, (0, 0), _FINE), np.float32)


def align_either_way(
    pyramid: Pyramid, corners: NDArray[np.floating], taught: Floats, *, is_by_detail: bool = False
) -> Alignment:
    """As `align`, of an outline (4, 2) that may stand upside down: the way that fits better."""
    ways = (align(pyramid, way, taught, is_by_detail=is_by_detail) for way in _either_way(corners))
    return max(ways, key=lambda fit: fit.correlation)


def align_likelier_way(pyramid: Pyramid, corners: NDArray[np.floating], taught: Floats) -> Alignment:
    """As `align_either_way`, of the way that looks more like the taught look before it is moved: in half the time."""
    likelier = max(_either_way(corners), key=lambda way: look_correlation(pyramid, way, taught))
    return align(pyramid, likelier, taught)


def _either_way(corners: NDArray[np.floating]) -> tuple[NDArray[np.floating], ...]:
    return corners, np.roll(corners, 2, 0)


def is_patterned(look: Floats) -> bool:
    """A look (h, w) shows more within its rim than one tone; an empty one (0,) shows none."""
    return bool(look.size) and contrast(look) > LIMITS.plain_back


def contrast(look: Floats) -> float:
    """How much the tones of a look (h, w) spread within its rim, of 255."""
    return float(within_rim(look).std())


def print_contrast(pyramid: Pyramid, corners: NDArray[np.floating]) -> float:
    """How much the tones of a card (4, 2) spread where its print is seen, of 255."""
    return contrast(look_at(pyramid, corners, PRINT_LOOK))


def within_rim(look: Floats) -> Floats:
    """The part of a look (h, w) that lies within its rim."""
    high, wide = (int(_RIM * side) for side in look.shape)
    return look[high:-high, wide:-wide]


def chromaticity(pyramid: Pyramid, corners: NDArray[np.floating]) -> Colours:
    """The mean colour (3,) of a card (4, 2) whatever its brightness; see `shares_of`."""
    return shares_of(card_colour(pyramid, corners))


def shares_of(colour: Colours) -> Colours:
    """A colour (3,) whatever its brightness: shares of blue, green and red."""
    return np.asarray(colour / colour.sum())


def card_colour(pyramid: Pyramid, corners: NDArray[np.floating]) -> Colours:
    """The mean colour (3,) of a card (4, 2) about its middle, BGR, 1..256."""
    inner = corners.mean(0) + _CORE * (corners - corners.mean(0))
    last = GRID_SIDE - 1
    ends = np.array([[0, 0], [last, 0], [last, last], [0, last]], np.float32)
    image_from_grid = cv2.getPerspectiveTransform(ends, inner.astype(np.float32)).astype(np.float64)
    px = float(np.sqrt(area_of(inner))) / GRID_SIDE
    seen = warp(pyramid, image_from_grid, (GRID_SIDE, GRID_SIDE), px)
    return np.asarray(seen.reshape(-1, 3).astype(np.float64).mean(0) + 1.0)


def colours_on(pyramid: Pyramid, corners: NDArray[np.floating]) -> Colours:
    """The colours (N, 4) of a card (4, 2), see `colours_at`."""
    return colours_at(pyramid, mapped(homography(corners), GRID), float(np.sqrt(area_of(corners))) / GRID_SIDE)


def colours_at(pyramid: Pyramid, points: NDArray[np.floating], px: float) -> Colours:
    """Colours (N, 4) at points (N, 2) so many pixels apart: shares of blue, green and red, and the logarithm of the
    brightness, weighed.
    """
    colours = pyramid.sample(points, pyramid.level_for(px)).astype(np.float64) + 4.0
    bright = colours.sum(1, keepdims=True)
    return np.concatenate([colours / bright / LIMITS.table_share, np.log(bright) / LIMITS.table_bright], 1)


def are_near(colours: Colours, others: Colours, within: float) -> NDArray[np.bool_]:
    """Which of some colours (N, 4) are near to which of others (M, 4): (N, M), see `colours_at`."""
    out = np.ones((len(colours), len(others)), np.bool_)
    for feature, its in zip(colours.T, others.T, strict=True):
        out &= np.abs(feature[:, None] - its) < within
    return out


def is_of_table(colours: Colours, table: Colours, around: NDArray[np.intp]) -> bool:
    """Half of the colours (N, 4) are the table's (M, 4): seen around two cards of ``around`` (M,), or most around one.

    What lies beside one of many cards alone may be a card that was not found.
    """
    is_near = are_near(colours, table, 1.0)
    shares = np.stack([is_near[:, around == card].mean(1) for card in np.unique(around)], 1)
    least = 2 if shares.shape[1] >= LIMITS.fewest_around else 1
    is_seen = ((shares > 0).sum(1) >= least) | (shares > LIMITS.mostly_around).any(1)
    return float(is_seen.mean()) > 0.5


def tint_distance(colour: Colours, other: Colours) -> float:
    """The largest difference of two colours' shares (3,) of blue, green and red."""
    return float(np.abs(colour - other).max())


def tint_distance_in_glare(colour: Colours, other: Colours) -> float:
    """As `tint_distance`, where white light may lie on either and take some of its colour."""
    faint, strong = sorted((colour, other), key=lambda one: float(np.linalg.norm(one - 1 / 3)))
    return tint_distance_under_glare(faint, strong)


def tint_distance_under_glare(colour: Colours, other: Colours, least: float = LIMITS.least_in_glare) -> float:
    """As `tint_distance`, where white light may lie on the first and leave so much of its colour at ``least``."""
    faint, strong = colour - 1 / 3, other - 1 / 3
    left = np.clip(faint @ strong / max(float(strong @ strong), 1e-6), least, 1)
    return float(np.abs(faint - left * strong).max())


def is_veiled(colour: Colours, other: Colours) -> bool:
    """The first colour is the other, of which white light took much: its hue is left."""
    return tint_distance_under_glare(colour, other, LIMITS.least_veiled) < LIMITS.veiled_colour


def area_of(corners: NDArray[np.floating]) -> float:
    """The area of an outline (4, 2)."""
    return float(areas(corners.astype(float)))
