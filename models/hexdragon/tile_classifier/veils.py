"""What spoils views of tiles and stars: pens, fingers and mugs laid over them, lamps that burn them out, shadows.

What is hidden is not to be told.
"""

import numpy as np
from numpy.typing import NDArray

from companion.games.hexdragon.deck import curve
from companion.games.hexdragon.vision.classifier import BRIGHT, REACH, VIEW
from companion.printing.shapes import polar

_APOTHEM = float(np.sqrt(0.75))
_STEPS = (((np.arange(VIEW) + 0.5) / VIEW * 2 - 1) * REACH).astype(np.float32)
_X, _Y = np.meshgrid(_STEPS, _STEPS)
_DISC = np.hypot(_X, _Y) < 0.5
_GREY = np.full(3, 1 / 3, np.float32)


def _line(edge: int, end: int) -> list[tuple[float, float]]:
    """Nine points along the line from an edge to an end, an index of `classifier.ENDS`, in circumradii."""
    if end < 5:
        points = curve((edge, (edge + end + 1) % 6), 1.0)
        return [points[round(k)] for k in np.linspace(0, len(points) - 1, 9)]
    return [polar(share * _APOTHEM, -60.0 * edge) for share in np.linspace(0.35, 1.0, 9)]


_LINES = np.array([[_line(edge, end) for end in range(7)] for edge in range(6)])
_PIXELS = np.clip(np.round((_LINES / REACH + 1) * VIEW / 2 - 0.5).astype(int), 0, VIEW - 1)


def veiled(
    view: NDArray[np.float32],
    shown: NDArray[np.bool_],
    labels: NDArray[np.int64],
    hidden: int,
    rng: np.random.Generator,
) -> None:
    """Lay something over what is shown of a piece's view (VIEW, VIEW, 3) and change what should be told (8,), in place.

    An edge of whose line most is hidden becomes ``hidden``, one of whose line much is -1. A star stays one.
    """
    veil = _veil(rng) & shown
    if veil.sum() > 0.42 * shown.sum() or (labels[7] == 1 and veil[_DISC].mean() > 0.3):
        return
    ends = labels[:6]
    asked = np.flatnonzero((ends >= 0) & (ends < 7))
    at = _PIXELS[asked, ends[asked]]
    share = veil[at[..., 1], at[..., 0]].mean(-1)
    if any(ends[asked][share > 0.4] == 6):
        labels[6] = -1
    labels[asked] = np.where(share > 0.6, hidden, np.where(share > 0.35, -1, ends[asked]))
    ink = np.array([0.35, 0.5, 0.72]) * rng.uniform(0.3, 1.3) if rng.random() < 0.4 else rng.uniform(0, 1.1, 3)
    laid = ink * (1 + rng.normal(0, 0.12) * _X[veil] + rng.normal(0, 0.12) * _Y[veil])[:, None]
    if rng.random() < 0.4:  # its shadow
        aside = np.roll(veil, rng.integers(-3, 4, 2), axis=(0, 1))
        view[aside] *= rng.uniform(0.4, 0.9)
    view[veil] = np.clip(laid, 0.02, 1.25)


def dazzled(view: NDArray[np.float32], shown: NDArray[np.bool_], rng: np.random.Generator) -> None:
    """A lamp's burnt-out spot or a hard shadow on a view (VIEW, VIEW, 3), in place; brightness is measured anew."""
    if rng.random() < 0.6:
        far = np.hypot(_X - rng.uniform(-1.1, 1.1), _Y - rng.uniform(-1.1, 1.1)) / rng.uniform(0.4, 1.5)
        view *= (1 + rng.uniform(0.4, 2.5) * np.exp(-(far**2)))[..., None]
        np.minimum(view, rng.uniform(0.75, 1.1), out=view)
    else:
        angle = rng.uniform(0, 2 * np.pi)
        across = (_X * np.cos(angle) + _Y * np.sin(angle) - rng.uniform(-0.7, 0.7)) / rng.uniform(0.02, 0.2)
        view *= (1 - rng.uniform(0.2, 0.65) / (1 + np.exp(np.clip(across, -30, 30))))[..., None]
    view *= BRIGHT / max(float(np.percentile(view[shown][::3] @ _GREY, 80)), 0.03)


def _veil(rng: np.random.Generator) -> NDArray[np.bool_]:
    """Where it lies, (VIEW, VIEW) bool: a bar, a finger's end, the rim of something round, or two fingers."""
    angle = rng.uniform(0, 2 * np.pi)
    along, across = _X * np.cos(angle) + _Y * np.sin(angle), _Y * np.cos(angle) - _X * np.sin(angle)
    across = across - rng.uniform(-0.8, 0.8)
    kind = int(rng.integers(4))
    if kind == 0:
        return np.asarray((np.abs(across) < rng.uniform(0.08, 0.25)) & (along > rng.uniform(-2.0, 0.7)))
    if kind == 1:
        radius = rng.uniform(0.8, 2.0)
        return np.asarray(np.hypot(along - radius - rng.uniform(-0.1, 0.7), across) < radius)
    tip, half = rng.uniform(-0.2, 0.8), rng.uniform(0.12, 0.35)
    finger = np.hypot(np.minimum(along - tip, 0), across) < half
    if kind == 2:
        return np.asarray(finger)
    across = across + along * rng.normal(0, 0.15) - rng.choice([-1, 1]) * half * rng.uniform(1.6, 2.6)
    return np.asarray(finger | (np.hypot(np.minimum(along - tip - rng.normal(0, 0.2), 0), across) < half))
