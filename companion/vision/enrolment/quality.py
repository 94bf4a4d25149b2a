"""Whether cards on a photograph can teach: near enough, seen from above, in focus, in enough light and in colour."""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.errors import TeachingRefused
from companion.vision.enrolment.sample import CropFrame, rectify_card
from companion.vision.geometry import side_px
from companion.vision.image.pyramid import Pyramid, noise_levels, steepness

STEEPEST = 2.4
"""A card drawn out so many times longer than wide lies 65 degrees aslant: half of what is printed on it is lost."""
DARKEST = 42.0
"""The brightest twentieth of a card films at least this bright, of 255."""
BURNT_OUT = 0.97
"""More of a card than this is plain white: no print is left."""
SOFTEST = 0.05
"""An edge is at most so soft, as a share of a card's side: beyond it letters and lines run into one another."""
NOISIEST, NOISIEST_PICTURE = 20.0, 22.0
"""Standard deviation of a sensor's noise, in levels of 255, beyond which small print drowns: of a card's crop, where
that of neighbouring pixels is averaged, and of a photograph, to whose print it may come as large as a pixel of it. Of
329 real, rendered and drawn photographs none has more than 7.5; what burns out hides some."""
GREYEST = 2.5
"""A picture in which the colours of no pixel in a thousand lie further apart has none."""
_WHITE_ALL_OVER = 0.5
"""A photograph of which more is plain white shows no cards."""
_BLUR_PX = 4.0
_MEASURED_SIDE_PX = 100.0
"""The side of a card whose softness is measured: small ones have too few edges as they are."""


def require_quality(
    name: str,
    pyramid: Pyramid,
    outlines: Sequence[NDArray[np.floating]],
    frame: CropFrame,
    least_side_px: float,
    fields: int = 1,
    most_white: float = BURNT_OUT,
    softest: float = SOFTEST,
) -> None:
    """Refuse cards that a photograph shows too badly to learn from.

    Args:
        name: the photograph's, for people.
        outlines: (K, 2) of its cards.
        frame: of their crops.
        least_side_px: sides shorter than this are too short.
        fields: how many things that are to be told apart lie along a side.
        most_white: the share of a card that may be plain white.
        softest: how soft an edge may be, as a share of a side.

    Raises:
        TeachingRefused: ``too-small``, ``too-steep``, ``too-dark``, ``burnt-out``, ``blurred``, ``noisy`` or
            ``no-colours``, with what to do.
    """
    for number, outline in enumerate(outlines, 1):
        side = side_px(outline)
        where = f"{name}: card {number}"
        if side < least_side_px:
            raise TeachingRefused(
                f"{where} is too small, its sides have {side:.0f} pixels of {least_side_px:.0f}; go nearer",
                code="too-small",
            )
        if aslant(outline, frame) > STEEPEST:
            raise TeachingRefused(f"{where} is seen too much from the side; hold the camera above it", code="too-steep")
        crop = rectify_card(pyramid, outline, frame)
        _require_light(where, crop, most_white)
        _require_sharp(where, pyramid, outline, side / fields, softest)
    grey = np.asarray(cv2.cvtColor(pyramid.levels[0], cv2.COLOR_BGR2GRAY), np.uint8)
    if len(outlines) and noise_levels(grey) > NOISIEST_PICTURE:
        raise TeachingRefused(f"{name} drowns in noise; more light on the table", code="noisy")
    if len(outlines) and _is_grey(pyramid):
        raise TeachingRefused(f"{name} has no colours; take a picture in colour", code="no-colours")


def require_any_quality(
    name: str,
    pyramid: Pyramid,
    outlines: NDArray[np.floating],
    frame: CropFrame,
    least_side_px: float,
    fields: int = 1,
    most_white: float = BURNT_OUT,
    softest: float = SOFTEST,
) -> None:
    """As `require_quality`, where none of the cards (N, K, 2) can teach: by what is wrong with the first."""
    refusals = []
    for outline in outlines:
        try:
            require_quality(name, pyramid, [outline], frame, least_side_px, fields, most_white, softest)
        except TeachingRefused as refused:
            refusals.append(refused)
    if len(refusals) == len(outlines):
        raise refusals[0]


def require_lit(name: str, pyramid: Pyramid) -> None:
    """Refuse a photograph that is dark, or white, all over. Raises `TeachingRefused` ``too-dark`` or ``burnt-out``."""
    if (bright := _brightness(pyramid)) < DARKEST:
        raise TeachingRefused(f"{name} is too dark, {bright:.0f} of 255; more light on the table", code="too-dark")
    if _white_share(pyramid) > _WHITE_ALL_OVER:
        raise TeachingRefused(f"{name} is burnt out to white; softer light, or move the lamp aside", code="burnt-out")


def is_lit(pyramid: Pyramid) -> bool:
    """Whether a photograph is neither dark nor white all over; see `require_lit`."""
    return _brightness(pyramid) >= DARKEST and _white_share(pyramid) <= _WHITE_ALL_OVER


def _brightness(pyramid: Pyramid) -> float:
    """How bright the brightest hundredth of a photograph is at least, of 255."""
    return float(np.percentile(pyramid.levels[-1].max(-1), 99))


def _white_share(pyramid: Pyramid) -> float:
    """The share of a photograph that is plain white."""
    return float((pyramid.levels[-1].min(-1) >= 250).mean())


def aslant(outline: NDArray[np.floating], frame: CropFrame) -> float:
    """How much longer than wide the view draws out a card (K, 2): 1 from above, 2 from 60 degrees aside."""
    flat, seen = (np.asarray(at, np.float64) - np.mean(at, axis=0) for at in (frame.corners, outline))
    affine, *_ = np.linalg.lstsq(flat, seen, rcond=None)
    least, most = sorted(np.linalg.svd(affine, compute_uv=False))
    return float(most / max(least, 1e-6))


def _require_light(where: str, crop: NDArray[np.uint8], most_white: float) -> None:
    bright = float(np.percentile(crop.max(-1), 95))
    if bright < DARKEST:
        raise TeachingRefused(f"{where} is too dark, {bright:.0f} of 255; more light on the table", code="too-dark")
    white = float((crop.min(-1) >= 250).mean())
    if white > most_white:
        raise TeachingRefused(f"{where} is burnt out to white; softer light, or move the lamp aside", code="burnt-out")
    noise = noise_levels(np.asarray(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), np.uint8))
    if noise > NOISIEST:
        raise TeachingRefused(f"{where} drowns in noise; more light on the table", code="noisy")


def _require_sharp(where: str, pyramid: Pyramid, outline: NDArray[np.floating], side: float, softest: float) -> None:
    margin = 0.15 * side
    low, high = outline.min(0) - margin, outline.max(0) + margin
    picture = pyramid.levels[0]
    x0, y0 = np.maximum(np.floor(low).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(high).astype(int), (picture.shape[1], picture.shape[0]))
    scale = _MEASURED_SIDE_PX / side
    grey = cv2.resize(picture[y0:y1, x0:x1], None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)
    if softness(cv2.cvtColor(grey, cv2.COLOR_BGR2GRAY).astype(np.float32)) > softest * _MEASURED_SIDE_PX:
        raise TeachingRefused(f"{where} is blurred; hold the camera still, and let it focus", code="blurred")


def softness(grey: NDArray[np.float32]) -> float:
    """How soft the steepest edges of a crop (h, w) are, in pixels: the deviation of a Gaussian that blurs them so.

    An edge that is blurred once more by a known amount loses of its steepness the less the softer it was.
    """
    steep, steeper = steepness(np.asarray(cv2.GaussianBlur(grey, (0, 0), _BLUR_PX), np.float32)), steepness(grey)
    edges = steep >= max(float(np.percentile(steep, 97)), 1.0)
    if not edges.any():
        return float("inf")
    near = cv2.dilate(steeper, np.ones((5, 5), np.uint8))[edges]
    lost = np.maximum(near / steep[edges], 1.0 + 1e-3)
    return float(np.percentile(_BLUR_PX / np.sqrt(lost**2 - 1), 25))


def _is_grey(pyramid: Pyramid) -> bool:
    picture = pyramid.levels[min(1, len(pyramid.levels) - 1)].astype(np.float32)
    return bool(np.percentile(picture.max(-1) - picture.min(-1), 99.9) <= GREYEST)
