"""Star tokens on views of cells: where a token lies, what colour its star has, and whether it has a star's points.

A token is a disc of paper with a star on it, of any number of points, anywhere on its cell. The network has seen many
counters and tiles, but few prints of stars; of what it holds for one with little confidence the outline decides.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.games.hexdragon.vision.classifier import Answers
from companion.games.hexdragon.vision.light import sample_view
from companion.games.hexdragon.vision.thresholds import LIMITS

_INK = np.array([(x, y) for x in (-0.08, 0.0, 0.08) for y in (-0.08, 0.0, 0.08)])
"""What lies on a star's ink, about its middle, in circumradii."""
_AROUND = np.radians(15.0 * np.arange(24))
_PAPER = 0.46 * np.stack([np.cos(_AROUND), np.sin(_AROUND)], 1)
"""What lies on the token's paper, around the star; its disc's radius is 0.53."""
_OFF = np.array([(x, y) for x in np.arange(-0.3, 0.31, 0.06) for y in np.arange(-0.3, 0.31, 0.06)])
"""How far beside its cell's middle a token may lie."""
_WAYS = np.radians(5.0 * np.arange(72))
_RAYS = np.arange(0.02, 0.62, 0.03)[:, None, None] * np.stack([np.cos(_WAYS), np.sin(_WAYS)], 1)
"""Points (R, 72, 2) on rays from a star's middle outwards."""
_NEARBY = np.array([(x, y) for x in (-0.03, 0.0, 0.03) for y in (-0.03, 0.0, 0.03)])


@dataclass(frozen=True, slots=True, eq=False)
class _Token:
    """Where a token probably lies.

    Attributes:
        middle: (2,) in circumradii.
        ink: the colour (3,) of its star.
        paper: the colour (3,) around the star.
        unevenness: how far the paper differs from that colour in the mean, in shares of white.
    """

    middle: NDArray[np.float64]
    ink: NDArray[np.float32]
    paper: NDArray[np.float32]
    unevenness: float

    @property
    def contrast(self) -> float:
        """How far the star's colour differs from the paper's in the mean, in shares of white."""
        return float(np.abs(self.ink - self.paper).mean())


def star_ink(view: NDArray[np.float32]) -> NDArray[np.float32]:
    """The middle colour (3,) of a star's middle, wherever on its cell its token lies; ``view`` is (VIEW, VIEW, 3)."""
    return _token(view).ink


def reweigh_stars(answers: Answers, views: NDArray[np.float32]) -> Answers:
    """The network's answers, surer of stars or less sure by what their tokens look like on views (N, VIEW, VIEW, 3).

    A star's points on a token tell for it, and paper of several colours against it: flowers of a cloth look like stars.
    """
    tile, star = answers.kinds[:, 0], answers.kinds[:, 1]
    kinds = answers.kinds.copy()
    for i in np.flatnonzero((star >= LIMITS.faint_star) & (tile < star)).tolist():
        token = _token(views[i])
        if token.unevenness > LIMITS.most_uneven * token.contrast:
            kinds[i, 1] /= LIMITS.uneven_ratio
        elif token.contrast >= LIMITS.star_contrast and _has_points(views[i], token):
            kinds[i, 1] *= LIMITS.points_ratio
    kinds /= kinds.sum(1, keepdims=True)
    return replace(answers, kinds=kinds)


def _token(view: NDArray[np.float32]) -> _Token:
    """Where one colour lies in the middle of a ring of another one, rather near the cell's middle.

    On dark paper a star shows less than the paper does on a pale board.
    """
    inks, papers = (
        sample_view(view, (_OFF[:, None] + points).reshape(-1, 2), 0).reshape(len(_OFF), -1, 3)
        for points in (_INK, _PAPER)
    )
    ink, paper = np.median(inks, axis=1), np.median(papers, axis=1)
    ink_off, paper_off = (
        np.abs(some - middle[:, None]).mean(axis=(1, 2)) for some, middle in ((inks, ink), (papers, paper))
    )
    aside = LIMITS.star_aside * np.hypot(*_OFF.T)
    best = int(np.argmax(np.abs(ink - paper).mean(axis=1) - 2 * (ink_off + paper_off) - aside))
    return _Token(_OFF[best], ink[best], paper[best], float(paper_off[best]))


def _has_points(view: NDArray[np.float32], token: _Token) -> bool:
    """Whether the ink in a token's middle reaches outwards in four to nine directions, evenly, and less between them.

    The ink's reach in each direction is a wave around its middle: a counter's disc or polygon hardly has one, and what
    reaches to one side has a long one.
    """
    gap = token.ink - token.paper
    points = token.middle + _NEARBY[:, None, None] + _RAYS
    seen = sample_view(view, points.reshape(-1, 2), 0).reshape(*points.shape[:-1], 3)
    is_ink = np.clip((seen - token.paper) @ gap / (gap @ gap), 0, 1)
    reach = (is_ink * np.cumprod(is_ink > 0.25, axis=1)).sum(1)
    waves = 2 * np.abs(np.fft.rfft(reach)) / np.maximum(reach.sum(1, keepdims=True), 1e-6)
    pointed, lopsided = waves[:, 4:10], waves[:, 1:4].max(1)
    best = int(np.argmax(pointed.max(1) - lopsided))
    is_pointed = pointed[best].max() >= LIMITS.least_pointed[int(pointed[best].argmax())]
    return bool(is_pointed and lopsided[best] <= LIMITS.most_lopsided)
