"""Whether a picture is fit to recognise cards on: enough light, evenly, without glare, and in focus."""

from dataclasses import dataclass

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from companion.vision.image.pyramid import steepness

Array = NDArray[np.float64]

DARK = 70.0
"""White paper films at least this bright, of 255, where cards can be told apart."""
VERY_DARK = 30.0
"""Where it films darker, cards cannot be told apart at all."""
GLARE_SHARE = 0.004
"""Patches blown out to plain white, together larger than this share of the picture, hide what is printed."""
UNEVEN = 0.15
"""The darkest part of the table has at least this share of the brightest's light."""
SOFT_PX = 1.6
"""An edge as soft as this, in pixels of a picture 1280 wide (the deviation of its blur), still shows a small symbol."""
VERY_SOFT_PX = 2.6
"""An edge as soft as this shows none."""

_WIDTH_PX, _LIGHT_WIDTH_PX = 640, 192
"""How wide the picture is on which light and glare are measured, and that on which the light's evenness is."""
_PARTS, _STEP_PX = (6, 4), 6
"""Columns and rows of parts whose light is compared, and how far apart the pixels are of which it is told."""
_BLUR_PX = 2.0
"""By so much, the deviation of a Gaussian, an edge is blurred once more to tell how soft it was."""


@dataclass(frozen=True, slots=True)
class Check:
    """One look at a picture.

    Attributes:
        name: light, evenness, glare or focus.
        state: ok, warn or fail.
        found: what was measured, for people.
        fix: what to do about it; empty when all is well.
        value: the measure.
    """

    name: str
    state: str
    found: str
    fix: str
    value: float

    def as_json(self) -> dict[str, str]:
        """For programs."""
        return {"name": self.name, "state": self.state, "found": self.found, "fix": self.fix}


def checks(bgr: NDArray[np.uint8]) -> tuple[Check, ...]:
    """All looks at a picture, uint8 BGR (h, w, 3)."""
    scale = min(1.0, _WIDTH_PX / bgr.shape[1])
    size = [max(1, round(scale * side)) for side in bgr.shape[1::-1]]
    small = np.asarray(cv2.resize(bgr, size, interpolation=cv2.INTER_AREA), np.uint8)
    return light(small), evenness(small), glare(small), focus(bgr)


def light(bgr: NDArray[np.uint8]) -> Check:
    """Whether bright things are bright on a picture, uint8 (h, w, 3)."""
    bright = float(np.percentile(bgr.max(axis=2), 97))
    found = f"the brightest things film at {bright:.0f} of 255"
    if bright >= DARK:
        return Check("light", "ok", found, "", bright)
    return Check("light", "fail" if bright < VERY_DARK else "warn", found, "too dark: more light on the table", bright)


def evenness(bgr: NDArray[np.uint8]) -> Check:
    """Whether the light falls alike on all parts of a picture (h, w, 3), whatever lies there.

    What is printed changes from one pixel to the next or not at all, light changes slowly everywhere: the median step
    of the brightness in each part is the light's, and the parts' steps together tell its fall over the picture.
    """
    log_light = _log_light(bgr)
    fall = _summed(_median_steps(log_light, 1), _median_steps(log_light, 0))
    share = float(np.exp(fall.min() - fall.max()))
    found = f"the darkest part has {100 * share:.0f} % of the brightest's light"
    if share >= UNEVEN:
        return Check("evenness", "ok", found, "", share)
    return Check("evenness", "warn", found, "uneven: move the lamp, or add one from the other side", share)


def glare(bgr: NDArray[np.uint8]) -> Check:
    """Whether patches of a picture (h, w, 3) are blown out, so that nothing printed there is left."""
    blown = (bgr.min(axis=2) >= 250).astype(np.uint8)
    blown = cv2.morphologyEx(blown, cv2.MORPH_OPEN, np.ones((5, 5), np.uint8))
    share = float(blown.mean())
    found = f"{100 * share:.1f} % of the picture is plain white"
    if share < GLARE_SHARE:
        return Check("glare", "ok", found, "", share)
    return Check("glare", "warn", found, "glare: move the lamp aside, or let the camera take less light", share)


def focus(bgr: NDArray[np.uint8]) -> Check:
    """How soft the sharpest edges of a picture (h, w, 3) are."""
    blur_px = softness_px(cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY))
    if blur_px is None:
        return Check("focus", "warn", "nothing with edges is in view", "lay some cards on the table", 0.0)
    usual_px = blur_px * 1280 / bgr.shape[1]
    found = f"edges are {blur_px:.1f} pixels soft"
    if usual_px <= SOFT_PX:
        return Check("focus", "ok", found, "", blur_px)
    fix = "not in focus: turn the lens, or clean it"
    return Check("focus", "fail" if usual_px > VERY_SOFT_PX else "warn", found, fix, blur_px)


def softness_px(grey: MatLike) -> float | None:
    """The blur of the sharpest edges, as the deviation of a Gaussian; None where there is none.

    An edge that is blurred once more by a known amount loses of its steepness the less the softer it was.
    """
    light = grey.astype(np.float32)
    steep, steeper = steepness(cv2.GaussianBlur(light, (0, 0), _BLUR_PX)), steepness(light)
    floor = max(float(np.percentile(steep, 99.0)), 2.0)
    rows, columns = np.nonzero((steep >= floor) & (steep >= cv2.dilate(steep, np.ones((3, 3), np.uint8))))
    if len(rows) < 20:
        return None
    near = cv2.dilate(steeper, np.ones((3, 3), np.uint8))[rows, columns]
    lost = np.maximum(near / steep[rows, columns], 1.0 + 1e-3)
    blur = _BLUR_PX / np.sqrt(lost**2 - 1)
    return float(np.percentile(blur, 25))


def _log_light(bgr: NDArray[np.uint8]) -> Array:
    """The logarithm of the light of a small picture."""
    grey = cv2.cvtColor(bgr, cv2.COLOR_BGR2GRAY)
    height = max(_PARTS[1] * 2 * _STEP_PX, round(grey.shape[0] * _LIGHT_WIDTH_PX / grey.shape[1]))
    small = cv2.resize(grey.astype(np.float32), (_LIGHT_WIDTH_PX, height), interpolation=cv2.INTER_AREA)
    return np.asarray(2.2 * np.log(cv2.GaussianBlur(small, (0, 0), 1.0) + 4.0), np.float64)


def _median_steps(log_light: Array, axis: int) -> Array:
    """The middle change from one part's middle to the next one's along an axis, for each part (rows, columns)."""
    columns, rows = _PARTS
    steps = (np.roll(log_light, -_STEP_PX, axis) - log_light) / _STEP_PX
    steps = np.take(steps, range(log_light.shape[axis] - _STEP_PX), axis)
    part_px = log_light.shape[axis] / (rows, columns)[axis]
    bands = [np.array_split(band, columns, axis=1) for band in np.array_split(steps, rows, axis=0)]
    medians: Array = np.array([[float(np.median(part)) for part in band] for band in bands])
    return np.asarray(medians * part_px)


def _summed(across: Array, down: Array) -> Array:
    """The surface over the parts whose steps agree best with those measured."""
    columns, rows = _PARTS
    number = np.arange(rows * columns).reshape(rows, columns)
    pairs = [
        (number[r, c], number[r, c + 1], (across[r, c] + across[r, c + 1]) / 2)
        for r in range(rows)
        for c in range(columns - 1)
    ]
    pairs += [
        (number[r, c], number[r + 1, c], (down[r, c] + down[r + 1, c]) / 2)
        for r in range(rows - 1)
        for c in range(columns)
    ]
    system = np.zeros((len(pairs), rows * columns))
    for row, (here, there, _) in zip(system, pairs, strict=True):
        row[here], row[there] = -1.0, 1.0
    surface, *_ = np.linalg.lstsq(system, np.array([step for *_, step in pairs]), rcond=None)
    return np.asarray(surface)
