"""The bands that a flickering lamp leaves across a picture.

A lamp on the mains flickers twice a period, and a rolling shutter takes one row after another: rows alternate between
lighter and darker, and the bands wander from frame to frame. Each row has one gain, and the gains make a wave; a lamp
that does not swell and fade evenly adds one twice as fine.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from companion.vision.geometry import median

_Floats = NDArray[np.float64]

_LEAST_BANDS, _MOST_BANDS, _BANDS_STEP = 0.8, 6.0, 0.1
"""Periods of the wave in the height of the picture: a shutter takes 8 to 50 ms from the first row to the last."""
_MOST_GAIN = 0.3
"""A row that differs by a larger share is covered, and tells nothing about the light."""
_FLAT = 0.004
"""Rows that differ by so small a share of their light show no bands worth taking out."""
_LEAST_ROWS = 0.5
"""So large a share of the rows shows the table."""
_UNEXPLAINED = 0.45
"""The wave leaves at most this share of the rows' differences: a shadow or a hand makes no wave."""
_OUTLIER = 3.0
"""Rows farther off the wave than so many times the usual are hands'."""


def band_gains(planes: NDArray[np.float32], usual: NDArray[np.float32]) -> NDArray[np.float32] | None:
    """How many times as bright each row is as usual, (h,), where bands cross the picture; None where they do not.

    Args:
        planes: the colours (3, h, w) of a picture as bright as usual on the whole.
        usual: the same of the picture that it is compared with.
    """
    few, few_usual = (picture[:, :, ::4].sum(0) + 3.0 for picture in (planes, usual))
    rows = np.asarray(np.median(few / few_usual, axis=1), np.float64) - 1.0
    is_seen = np.abs(rows) < _MOST_GAIN
    if np.count_nonzero(is_seen) < _LEAST_ROWS * len(rows):
        return None
    spread = _spread(rows[is_seen] - median(rows[is_seen]))
    if spread < _FLAT:
        return None
    waves = _waves(len(rows))
    fitted = _best_wave(waves, rows, is_seen)
    for _ in range(2):
        off = np.abs(rows - fitted)
        is_seen = np.abs(rows) < _MOST_GAIN
        is_seen &= off <= max(_FLAT, _OUTLIER * _spread(off[is_seen]))
        if np.count_nonzero(is_seen) < _LEAST_ROWS * len(rows):
            return None
        fitted = _best_wave(waves, rows, is_seen)
    if _spread((rows - fitted)[is_seen]) > _UNEXPLAINED * spread:
        return None
    return np.asarray(1.0 + fitted, np.float32)


def _spread(off: _Floats) -> float:
    return float(median(np.abs(off)))


@lru_cache(maxsize=4)
def _waves(rows: int) -> _Floats:
    """A level, a wave and one twice as fine down the rows for each number of bands, (n, rows, 5)."""
    bands = np.arange(_LEAST_BANDS, _MOST_BANDS + _BANDS_STEP / 2, _BANDS_STEP)
    angles = 2 * np.pi * bands[:, None] * (np.arange(rows) + 0.5) / rows
    waves = (np.sin(angles), np.cos(angles), np.sin(2 * angles), np.cos(2 * angles))
    return np.stack([np.ones_like(angles), *waves], axis=-1)


def _best_wave(waves: _Floats, rows: _Floats, is_seen: NDArray[np.bool_]) -> _Floats:
    """Of waves (n, rows, 5) fitted to the rows that are seen the nearest one, (rows,)."""
    some, target = waves[:, is_seen], rows[is_seen]
    squares = np.einsum("nri,nrj->nij", some, some) + 1e-6 * np.eye(5)
    weights = np.linalg.solve(squares, np.einsum("nri,r->ni", some, target)[..., None])
    errors = ((some @ weights)[..., 0] - target) ** 2
    best = int(np.argmin(errors.sum(1)))
    return np.asarray((waves[best] @ weights[best])[:, 0])
