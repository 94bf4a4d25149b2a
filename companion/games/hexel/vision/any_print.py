"""Pieces of a printing that a game's own detector does not know: it has learnt drawings of that game, `outlines` cards.

The outlines of both are put together, however unlikely those of the shared detector: of those that lie on one another
the one stays through which what is printed looks most as it was taught, and what looks very much so is a piece. Lines
printed along a piece's edge are often taken for the edge: outlines that fit badly are looked for farther out as well,
as far as the printing has such lines within its edges.
"""

from collections.abc import Callable, Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.detector import Detection, corners_of
from companion.vision.detection.heatmaps import areas
from companion.vision.detection.outlines import Fits, judge_candidates, one_per_card
from companion.vision.detection.suppression import Outline, suppress
from companion.vision.edge_refinement import refine
from companion.vision.geometry import shared_area
from companion.vision.image.pyramid import Pyramid

Corners = NDArray[np.float32]
Misfit = Callable[[Corners], NDArray[np.floating]]
"""How far from what was taught outlines (N, K, 2) show what is printed, (N,)."""
MOST_CONFIDENCE, PRINTED_CONFIDENCE, LEAST_CONFIDENCE = 0.44, 0.4, 0.3
"""How sure of a piece its outline alone makes at most, and its print alone where it looks as it was taught; what the
shared detector alone has found is left out below the third."""
OVERLAP, SAME = 0.35, 0.6
"""The share of the smaller one that two pieces may have in common; of the larger one that two outlines of one have."""
OWN_MISFIT = 0.7
"""The game's own outline stays unless another fits so much better: it is made exact by what is printed, too."""
MOST_SHARED, MOST_GROWN = 40, 24
"""So many outlines of the shared detector are looked at, and so many farther out as well, the best ones."""
GROWN = (1.2, 1.4)
"""How far out."""
LIKE_SIZE = (0.4, 1.45)
"""The area of an outline that may be a piece's, or its inner line, in those of the pieces that are known."""
LESS_THAN_LINE = 0.8
"""What a printed line encloses may be outlined so much smaller, as a share of its area."""
LIKE_LINE = 0.1
"""By that share it may be larger or smaller where other pieces tell how large it is: some lie farther away."""
ROUNDS = 2
"""So often outlines are looked for farther out."""
MOST_LINES, PLAIN_LINE = 2, 0.4
"""So many printed lines are looked for, whose steps are so strong beside the strongest."""
_OUTWARDS = np.arange(0.36, 0.93, 0.02)
_ALONG = np.linspace(0.15, 0.85, 15)
"""A piece is seen so far out from its middle, 1 its edge, and so far along its edge."""


def printed_lines(pyramid: Pyramid, corners: NDArray[np.floating]) -> tuple[float, ...]:
    """Where the plainest lines along the edges of pieces are printed, in shares of the way from the middle to the edge.

    Args:
        pyramid: a picture of some pieces.
        corners: (N, K, 2), their outlines.
    """
    ends = np.stack([corners, np.roll(corners, -1, 1)], 2) - corners.mean(1)[:, None, None]  # (N, K, 2, 2)
    along = np.stack([1 - _ALONG, _ALONG], 1) @ ends  # (N, K, A, 2)
    points = corners.mean(1)[:, None, None, None] + _OUTWARDS[:, None, None] * along[:, :, None]  # (N, K, R, A, 2)
    px = float(np.sqrt(areas(corners.astype(np.float64)).mean())) / len(_OUTWARDS)
    shown = pyramid.sample(points.reshape(-1, 2), pyramid.level_for(px)).reshape(*points.shape[:-1], 3)
    means = shown.astype(np.float64).mean(3)  # (N, K, R, 3)
    steps = np.abs(means[:, :, 2:] - means[:, :, :-2]).max(-1).mean((0, 1))
    is_peak = (steps[1:-1] >= steps[:-2]) & (steps[1:-1] > steps[2:]) & (steps[1:-1] > PLAIN_LINE * steps.max())
    peaks = 1 + np.flatnonzero(is_peak)
    return tuple(float(_OUTWARDS[1 + k]) for k in peaks[np.argsort(-steps[peaks])][:MOST_LINES])


def with_any_print(
    pyramid: Pyramid,
    found: Sequence[Detection],
    corners: Corners,
    is_read: NDArray[np.bool_],
    misfit: Misfit,
    as_taught: float,
    lines: Sequence[float] = (),
    fits: Fits | None = None,
) -> tuple[list[Detection], Corners]:
    """A game's own detections and those of the shared detector, each piece once, about the surest first.

    Args:
        found: the game's own detections.
        corners: (N, K, 2), their refined outlines.
        is_read: (N,), which of them are named and look as they were taught: nothing else is looked for where they lie.
        misfit: see `Misfit`.
        as_taught: the misfit below which what is printed looks as it was taught.
        lines: of the printing, see `printed_lines`.
        fits: see `judge_candidates`.

    Returns:
        The detections, as sure as the surest that lies there, and their outlines (M, K, 2).
    """
    shared = _shared(pyramid, corners.shape[1], corners[is_read], fits)
    pieces = [Detection(c, one.confidence) for c, one in zip(corners, found, strict=True)] + shared
    if not pieces:
        return [], corners
    off = misfit(corners_of(pieces))
    for _ in range(ROUNDS):  # where some more fit the others are as large
        grown = _grown(pyramid, pieces, off, as_taught, lines)
        if not grown:
            break
        again = misfit(corners_of(grown))
        pieces, off = pieces + grown, np.concatenate([off, again])
        if not (again < as_taught).any():
            break
    rank = np.where(np.arange(len(pieces)) < len(found), OWN_MISFIT * off, off)
    kept = [int(one.confidence) for one in suppress(_outlines(pieces, np.argsort(rank)), OVERLAP)]
    middles = corners_of(pieces).mean(1)
    sure = [_as_sure_as_others(pieces[i], _near(pieces, middles, i), bool(off[i] < as_taught)) for i in kept]
    some = [one for i, one in zip(kept, sure, strict=True) if i < len(found) or one.confidence >= LEAST_CONFIDENCE]
    some = sorted(some, key=lambda one: -one.confidence)
    return some, corners_of(some)


def _shared(pyramid: Pyramid, sides: int, read: Corners, fits: Fits | None) -> list[Detection]:
    """What the shared detector finds beside cards that are read, the best first, hardly likely outlines among them."""
    own, judged = judge_candidates(np.asarray(pyramid.levels[0], np.uint8), sides, fits=fits)
    some = [*one_per_card(own, judged, sides)[:MOST_SHARED], *suppress(judged, SAME, 1.3)[:MOST_SHARED]]
    found = [Detection(one.corners.astype(np.float32), min(one.confidence, MOST_CONFIDENCE)) for one in some]
    return [one for one in found if not _is_taken(one, read)]


def _is_taken(piece: Detection, read: Iterable[Corners]) -> bool:
    """Whether a piece that is read lies there."""
    return any(shared_area(piece.corners, card) > OVERLAP for card in read)


def _grown(
    pyramid: Pyramid, pieces: list[Detection], off: NDArray[np.floating], as_taught: float, lines: Sequence[float]
) -> list[Detection]:
    """Outlines that fit badly, made exact from farther out, or as large as others that fit; of a size that a piece, or
    what is printed on it, may have, where none that fits lies.
    """
    sizes = areas(corners_of(pieces).astype(np.float64))
    fits = off < as_taught
    known = sizes[fits]
    usual = float(np.median(known)) if len(known) else 0.0
    least = min([LIKE_SIZE[0], *(LESS_THAN_LINE * line**2 for line in lines)])
    is_like = (sizes > least * usual) & (sizes < LIKE_SIZE[1] * usual) if usual else np.ones(len(sizes), bool)
    read = [pieces[i].corners for i in np.flatnonzero(fits)]
    best = [pieces[i] for i in np.flatnonzero(is_like & ~fits) if not _is_taken(pieces[i], read)]
    surest = np.argsort([-one.confidence for one in best], kind="stable")
    best = [best[int(one.confidence)] for one in suppress(_outlines(best, surest), SAME, 1.3)]
    best.sort(key=lambda one: not _is_line(one, usual, lines))
    ways = [(one, growth) for one in best[:MOST_GROWN] for growth in _growths(one, usual, lines)]
    outlines = [
        (one.corners + (growth - 1) * (one.corners - one.corners.mean(0))).astype(float) for one, growth in ways
    ]
    refined = [
        Detection(made.corners.astype(np.float32), one.confidence)
        for (one, _), made in zip(ways, refine(pyramid, outlines), strict=True)
    ]
    as_printed = [
        Detection(outline.astype(np.float32), one.confidence)
        for (one, growth), outline in zip(ways, outlines, strict=True)
        if growth not in GROWN
    ]
    return refined + as_printed


def _is_line(piece: Detection, usual: float, lines: Sequence[float]) -> bool:
    """Whether an outline is as large as a line that is printed within the edge of pieces with a ``usual`` area."""
    inside = float(np.sqrt(cv2.contourArea(piece.corners) / max(1.0, usual)))
    return any(abs(inside - line) < LIKE_LINE * line for line in lines)


def _growths(piece: Detection, usual: float, lines: Sequence[float]) -> list[float]:
    """By how much a piece may be larger than its outline, where others are as large as ``usual`` if that is known."""
    if not usual:
        return [*GROWN, *(1 / line for line in lines)]
    return [*GROWN, float(np.sqrt(usual / max(1.0, cv2.contourArea(piece.corners))))]


def _outlines(pieces: Sequence[Detection], order: NDArray[np.intp]) -> list[Outline]:
    """The pieces in that order, each with its index for a confidence."""
    return [Outline(pieces[i].corners.astype(np.float64), float(i)) for i in order.tolist()]


def _near(pieces: Sequence[Detection], middles: NDArray[np.floating], i: int) -> list[Detection]:
    """The pieces whose middles (N, 2) lie within one of them: no others have most of it in common."""
    reach = np.linalg.norm(pieces[i].corners - middles[i], axis=1).max()
    return [pieces[k] for k in np.flatnonzero(np.linalg.norm(middles - middles[i], axis=1) <= reach).tolist()]


def _as_sure_as_others(piece: Detection, others: Sequence[Detection], looks_taught: bool) -> Detection:
    """The piece, as sure as what was found of it at all."""
    sure = max(one.confidence for one in others if _is_same(piece.corners, one.corners))
    return Detection(piece.corners, max(sure, PRINTED_CONFIDENCE) if looks_taught else sure)


def _is_same(one: Corners, other: Corners) -> bool:
    """Two outlines are of one piece: they have most of the larger one in common."""
    larger = max(cv2.contourArea(one), cv2.contourArea(other))
    return one is other or bool(cv2.intersectConvexConvex(one, other)[0] > SAME * larger)
