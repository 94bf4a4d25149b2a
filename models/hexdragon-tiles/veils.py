"""Things laid over views of tiles: pens, fingers, mugs; what they hide is not to be told."""

import numpy as np

from companion.decks.hexdragon_bands import curve
from companion.decks.shapes import polar
from companion.vision.paths import REACH, VIEW

_APOTHEM = float(np.sqrt(0.75))
_STEPS = ((np.arange(VIEW) + 0.5) / VIEW * 2 - 1) * REACH
_X, _Y = np.meshgrid(_STEPS, _STEPS)


def _line(edge: int, end: int) -> list[tuple[float, float]]:
    """Nine points along the line from an edge to an end, an index of `paths.ENDS`, in circumradii."""
    if end < 5:
        points = curve((edge, (edge + end + 1) % 6), 1.0)
        return [points[round(k)] for k in np.linspace(0, len(points) - 1, 9)]
    return [polar(share * _APOTHEM, -60.0 * edge) for share in np.linspace(0.35, 1.0, 9)]


_LINES = np.array([[_line(edge, end) for end in range(7)] for edge in range(6)])
_PIXELS = np.clip(np.round((_LINES / REACH + 1) * VIEW / 2 - 0.5).astype(int), 0, VIEW - 1)


def veiled(view: np.ndarray, told: np.ndarray, hidden: int, rng: np.random.Generator) -> None:
    """Lay something over part of a tile's view (VIEW, VIEW, 3) and change what should be told (8,), in place.

    An edge of whose line most is hidden becomes ``hidden``, one of whose line much is -1.
    """
    veil = _veil(rng)
    ends = told[:6]
    asked = np.flatnonzero((ends >= 0) & (ends < 7))
    at = _PIXELS[asked, ends[asked]]
    share = veil[at[..., 1], at[..., 0]].mean(-1)
    if veil[view.max(-1) > 0].mean() > 0.42:
        return
    if any(ends[asked][share > 0.4] == 6):
        told[6] = -1
    told[asked] = np.where(share > 0.5, hidden, np.where(share > 0.25, -1, ends[asked]))
    ink = np.array([0.35, 0.5, 0.72]) * rng.uniform(0.3, 1.3) if rng.random() < 0.4 else rng.uniform(0, 1.1, 3)
    view[veil & (view.max(-1) > 0)] = ink + rng.normal(0, 0.04, 3)


def _veil(rng: np.random.Generator) -> np.ndarray:
    """Where it lies, (VIEW, VIEW) bool: a bar, a finger's end, or the rim of something round."""
    angle = rng.uniform(0, 2 * np.pi)
    along, across = _X * np.cos(angle) + _Y * np.sin(angle), _Y * np.cos(angle) - _X * np.sin(angle)
    across = across - rng.uniform(-0.8, 0.8)
    kind = int(rng.integers(3))
    if kind == 0:
        return np.asarray((np.abs(across) < rng.uniform(0.08, 0.25)) & (along > rng.uniform(-2.0, 0.7)))
    if kind == 1:
        tip, half = rng.uniform(-0.2, 0.8), rng.uniform(0.12, 0.35)
        return np.asarray(np.hypot(np.minimum(along - tip, 0), across) < half)
    radius = rng.uniform(0.8, 2.0)
    return np.asarray(np.hypot(along - radius - rng.uniform(-0.1, 0.7), across) < radius)
