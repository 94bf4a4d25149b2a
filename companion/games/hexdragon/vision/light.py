"""What a picture's light makes of a HexDragon set's inks: every light that may be, and how likely each is.

On a view the light's colour is divided out by the bright parts of tiles, which on dark faces are often a coloured band;
so all inks of a picture may be off together, by a tint. A dim picture is besides faded: its colours lie nearer to grey.
Two inks are on every tile, whoever owns it: that of its bands, which cross the middles of its edges, and that of its
face, which shows towards its corners. Those two, and the heads as far as their owners agree, tell
the light.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.games.hexdragon.vision.classifier import BRIGHT, HEAD, REACH, VIEW, Answers
from companion.games.hexdragon.vision.thresholds import LIMITS
from companion.vision.geometry import median, turned

_LUMA = np.array([0.114, 0.587, 0.299])
_WAYS = np.radians(60.0 * np.arange(6))
_BAND_POINTS = np.array([(0.7 + x, y) for x in (-0.04, 0.0, 0.04) for y in (-0.04, 0.0, 0.04)])
"""The middle of the edge along x, where a line crosses it."""


def _towards_corners(angles: NDArray[np.floating]) -> NDArray[np.floating]:
    """Points (P, 2) towards a tile's corners at angles: neither bands nor rims come there."""
    return np.array(
        [(r * np.cos(a + d), r * np.sin(a + d)) for a in angles for r in (0.72, 0.78) for d in (-0.05, 0.05)]
    )


_FACE_POINTS = _towards_corners(_WAYS + np.pi / 6)
_FACE_BESIDE = _towards_corners(np.radians([-30.0, 30.0]))
"""Those beside the edge along x."""


class _Lights(NamedTuple):
    """Lights that may be: what each does to the logarithms of colours (T, 3), and how far it fades and veils (T,).

    One below 0 veils less than that in which the set was taught.
    """

    tints: NDArray[np.float64]
    fading: NDArray[np.float64]
    veil: NDArray[np.float64]


def _lights() -> _Lights:
    """A grid of colour casts within a circle, each faded and veiled in twenty-five ways."""
    steps = np.arange(-0.3, 0.31, 0.1)
    grid = np.meshgrid(steps, steps, (-0.1, 0.0, 0.1, 0.2, 0.3), (-0.35, -0.15, 0.0, 0.1, 0.2))
    u, v, fading, veil = (axis.ravel() for axis in grid)
    near = np.hypot(u, v) < 0.31
    across, along = np.array([1.0, -0.5, -0.5]), np.array([0.0, np.sqrt(0.75), -np.sqrt(0.75)])
    return _Lights((u[:, None] * across + v[:, None] * along)[near], fading[near], veil[near])


LIGHTS = _lights()
_PRIOR = -0.5 * (
    (LIGHTS.tints**2).sum(1) / LIMITS.cast_spread**2
    + (LIGHTS.fading / LIMITS.fading_spread) ** 2
    + (LIGHTS.veil / LIMITS.veil_spread) ** 2
)


def sample_view(view: NDArray[np.float32], points: NDArray[np.floating], edge: int) -> NDArray[np.float32]:
    """A view's colours (P, 3) at points (P, 2) in circumradii of a frame turned to an edge."""
    rows, columns = _pixels(np.asarray(points, np.float64).tobytes(), edge)
    return np.asarray(view[rows, columns])


@lru_cache(maxsize=256)
def _pixels(points: bytes, edge: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows and columns of a view where points (P, 2), float64, of a frame turned to an edge lie."""
    places = turned(np.frombuffer(points).reshape(-1, 2), -60.0 * edge)
    columns, rows = np.clip(np.round((places / REACH + 1) * VIEW / 2 - 0.5).astype(int), 0, VIEW - 1).T
    return rows, columns


def common_inks(views: NDArray[np.float32], answers: Answers) -> NDArray[np.float32] | None:
    """The inks (2, 3) of the bands and of the faces of all sure tiles among some pieces; None where there is none."""
    inks = _inks_of_tiles(views, answers)
    return np.median(list(inks.values()), axis=0).astype(np.float32) if inks else None


def remove_veiling_glare(views: NDArray[np.float32], answers: Answers) -> NDArray[np.float32]:
    """Views (N, VIEW, VIEW, 3) of which each tile is seen as most are, without what a lamp lays over its colours.

    A tile's band and face tell how far gloss brightens it beyond the others, and how much of its own colour is left.
    """
    inks = _inks_of_tiles(views, answers)
    if len(inks) < LIMITS.tiles_of_veil:
        return views
    out = views.copy()
    usual = np.median(list(inks.values()), axis=0)
    for i, seen in inks.items():
        gain, veil = _gain_and_veil(usual, seen)
        if LIMITS.least_gain < gain < 1:
            out[i] = np.maximum(views[i] - veil, 0.0) / gain
    return out


def colour_left(views: NDArray[np.float32], answers: Answers, heads: Mapping[int, int]) -> dict[int, float]:
    """How much of its own colour a lamp leaves of each head, beside what it leaves of most tiles: 0..1.

    Args:
        views: see `remove_veiling_glare`.
        answers: what the network says of them.
        heads: the edge of each head, in the view's own directions, by its place among the views.
    """
    inks = _inks_of_tiles(views, answers)
    if len(inks) < LIMITS.tiles_of_veil:
        return dict.fromkeys(heads, 1.0)
    usual = np.median(list(inks.values()), axis=0)
    left = {}
    for i, edge in heads.items():
        face = median(sample_view(views[i], _FACE_BESIDE, edge))
        bands = [median(sample_view(views[i], _BAND_POINTS, (edge + side) % 6)) for side in (-1, 1)]
        gains = [_gain_and_veil(usual, np.stack([band, face]))[0] for band in bands]
        left[i] = min(1.0, max(gains))
    return left


def _gain_and_veil(usual: NDArray[np.floating], seen: NDArray[np.floating]) -> tuple[float, float]:
    """What makes the usual inks (2, 3) of what is seen: the share of them that is left, and what a lamp adds to it; 1
    and 0 where no lamp adds anything, or something else differs.
    """
    design = np.stack([usual.ravel(), np.ones(usual.size)], 1)
    (gain, veil), off, *_ = np.linalg.lstsq(design, seen.ravel(), rcond=None)
    is_told = off.size and off[0] < LIMITS.off_veil**2 and veil > 0
    return (float(gain), float(veil)) if is_told else (1.0, 0.0)


def _inks_of_tiles(views: NDArray[np.float32], answers: Answers) -> dict[int, NDArray[np.float32]]:
    """The inks (2, 3) of the bands and of the face of each sure tile, by its place among the views."""
    out = {}
    for i in np.flatnonzero(answers.kinds[:, 0] > LIMITS.sure_head).tolist():
        edges = np.flatnonzero(answers.ends[i, :, HEAD] < 1 - LIMITS.sure_head).tolist()
        face = median(sample_view(views[i], _FACE_POINTS, 0))
        bands = [median(sample_view(views[i], _BAND_POINTS, edge)) for edge in edges]
        out[i] = np.stack([median(np.array(bands or [face])), face]).astype(np.float32)
    return out


def in_every_light(inks: NDArray[np.float32], cast: NDArray[np.float32]) -> NDArray[np.float64]:
    """What some inks (K, 3) become on views of which a cast (3,) was divided out, in each light: (T, K, 3)."""
    seen = inks * np.exp(LIGHTS.tints)[:, None] * cast
    fading, veil = LIGHTS.fading[:, None, None], LIGHTS.veil[:, None, None]
    faded = (seen + fading * ((seen @ _LUMA)[..., None] - seen)) / cast
    return np.asarray(np.maximum(faded + veil * (BRIGHT - faded), 0.0))


def is_sure_head(answers: Answers) -> NDArray[np.bool_]:
    """Which pieces (N,) are surely tiles with a head."""
    return np.asarray((answers.kinds[:, 0] > LIMITS.sure_head) & (answers.ends[:, :, HEAD].max(1) > LIMITS.sure_head))


def likelihood(common_far: NDArray[np.float64], fitting: NDArray[np.float64], answers: Answers) -> NDArray[np.float64]:
    """How likely each light is (T,).

    Args:
        common_far: (T,) how far the common inks are from what was learnt, squared, in spreads.
        fitting: (N, T, K + 1) see `prototypes.fits`.
        answers: what the network says of those pieces.
    """
    heads = is_sure_head(answers)
    log_likelihood = _PRIOR - common_far / 2
    if heads.any():
        log_likelihood = log_likelihood + np.logaddexp.reduce(fitting[heads], axis=-1).sum(0) * min(
            1.0, LIMITS.most_heads / heads.sum()
        )
    likely = np.exp(log_likelihood - log_likelihood.max())
    return np.asarray(likely / likely.sum())
