"""How surely refined candidates are cards: by their own edges and colours, and by what else lies on the picture.

A single outline does not say whether it is a card or what is printed on one. Cards on a table are about as large as
one another, have the same colours along their border, and do not lie inside a larger card that has edges of its own. A
small network (`models/outline/judge`) weighs these figures.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.heatmaps import Candidate, ScaleAnswer, areas
from companion.vision.detection.sizes import FOCAL_LENGTH
from companion.vision.edge_refinement import Refined, colours_across, proportions_of
from companion.vision.geometry import opposite_sides
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import logistic, logit, network

Floats = NDArray[np.float64]

NETWORK = "outline/judge/weights.onnx"
FEATURES, RELATIONS = 29, 11
"""Figures of a candidate; the last of them tell what others say of it."""
_RING = 0.07
"""How far from a side its colours are compared, inside and outside, in sizes of the card."""
_ALONG = (np.arange(8) + 0.5) / 8 * 0.8 + 0.1
"""And where along it."""
_ALIKE, _UNLIKE, _LARGER = 1.25, 1.5, 1.35
"""Ratios of sizes, the roots of areas, that count as one size, as another, and as that of a card to what it shows."""
_VOTER = 0.3
"""Candidates less likely than this, by themselves, say nothing of the others."""
_SEES = 0.3
"""A scale of the detector agrees that a card lies there when it is so sure."""
_ELSEWHERE, _SAME_CARD, _SAME_PLACE = 0.2, 0.35, 0.9
"""Two outlines that share less of the smaller one lie apart; more, show one card; more again, are one outline."""
_LEAST = 1e-3
"""No confidence is taken for nearer to 0 or 1."""
_EVEN = 0.2
"""Sizes whose logarithms differ from the median's by less are one size."""
_AT_BORDER = 0.12
"""What lies so near an outline, in its size, lies at its border."""
_FITS, _MISFITS = 0.1, 0.45
"""Logarithms of the lengths of sides over another's: less is as long; more, up to the second, is a card seen badly."""
_BESIDE, _TOUCHED = 1.2, 0.03
"""An outline so many times larger, that then has so much of its area in common with another, touches it."""
_ON_CARD, _CARDS_ON_MAT = 0.85, 9.0
"""What lies so far within a larger outline may be printed on it; one so many times larger is no card that shows it."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedCandidate:
    """A place where a card may lie, after refinement.

    Attributes:
        seed: as the detector saw it.
        refined: its edges.
    """

    seed: Candidate
    refined: Refined


@dataclass(frozen=True, slots=True, eq=False)
class PlacedCandidates:
    """All that a picture shows of one shape.

    Attributes:
        scales: the detector's answers.
        candidates: the places; most hold no card, some the same one.
    """

    pyramid: Pyramid
    scales: Sequence[ScaleAnswer]
    candidates: Sequence[PlacedCandidate]


def judge(values: NDArray[np.float32]) -> Floats:
    """How likely each candidate is a card, 0..1 (N,), by its `features` (N, FEATURES)."""
    if not len(values):
        return np.zeros(0)
    return np.asarray(logistic(network(NETWORK).forward(values)[:, 0].astype(np.float64)))


def features(placed: PlacedCandidates) -> NDArray[np.float32]:
    """What is known of each candidate (N, FEATURES), about -3..3."""
    if not placed.candidates:
        return np.zeros((0, FEATURES), np.float32)
    return with_relations(_own(placed), [one.refined.corners for one in placed.candidates])


def with_relations(own: Floats, outlines: Sequence[Floats]) -> NDArray[np.float32]:
    """The `features` (N, FEATURES) of outlines whose own places show these figures (N, FEATURES - RELATIONS)."""
    return np.concatenate([own, _relations(outlines, _alone(own))], 1).astype(np.float32)


def _own(placed: PlacedCandidates) -> Floats:
    """What each candidate's own place shows (N, FEATURES - RELATIONS)."""
    pyramid, candidates = placed.pyramid, placed.candidates
    outlines = np.array([one.refined.corners for one in candidates])
    support = np.sort([one.refined.support for one in candidates], axis=1)
    seeds = np.array([(one.seed.confidence, one.seed.net_px) for one in candidates])
    sees = np.array([scale.confidences_of(outlines) for scale in placed.scales])
    sizes = np.array([scale.net_px(outlines) for scale in placed.scales])
    best = np.lexsort((sizes, sees), axis=0)[-1]
    which = np.arange(len(candidates))
    sides, centre = outlines.shape[1], np.array(pyramid.size) / 2
    focal_px = FOCAL_LENGTH * max(pyramid.size)
    ratios = proportions_of(outlines, focal_px, centre) if sides == 4 else np.ones(len(outlines))
    figures = [
        np.full(len(candidates), float(sides == 6)),
        logit(seeds[:, 0], _LEAST) / 3,
        logit(sees[best, which], _LEAST) / 3,
        (sees > _SEES).sum(0) / 2.0,
        np.log(np.maximum(seeds[:, 1], 1.0) / 50),
        np.log(np.maximum(sizes[best, which], 1.0) / 50),
        support[:, 0],
        support[:, 1],
        support[:, -2],
        support.mean(1),
        np.minimum(1.0, [one.refined.moved for one in candidates]) * 3,
        np.log(np.maximum(1.0, areas(outlines)) / np.prod(pyramid.size)) / 3 + 1,
        np.minimum(3.0, np.log(ratios)) * 2,
    ]
    return np.column_stack([*figures, *_rings(pyramid, outlines).T])


def _rings(pyramid: Pyramid, outlines: Floats) -> Floats:
    """Steps of colour across the sides of outlines (N, K, 2), the least and the mean, and how even the colours are
    inside and outside: (N, 5).
    """
    colours = edge_colours(pyramid, outlines) / 255
    steps = np.abs(colours[:, 0] - colours[:, 1]).max(-1).mean(-1)
    spread = colours.reshape(len(outlines), 2, -1, 3).std(2).mean(-1)
    across = colours[:, 0].mean(2).std(1).mean(-1)
    return np.column_stack([steps.min(1) * 5, steps.mean(1) * 5, spread * 8, across * 8])


def edge_colours(pyramid: Pyramid, outlines: Floats) -> Floats:
    """The colours inside and outside along the sides of outlines (N, K, 2): (N, 2, K, P, 3), 0..255."""
    return colours_across(pyramid, outlines, np.array([_RING, -_RING]), _ALONG, _RING)


def _alone(own: Floats) -> Floats:
    """How likely each candidate (N,) is a card by its heat and edges alone."""
    score = 1.5 * own[:, 1] + 5.0 * ((own[:, 6] + own[:, 7]) / 2 - 0.5) - 0.5
    return np.asarray(1 / (1 + np.exp(-score)))


class _Polygons:
    """Outlines with what is asked of them again and again."""

    def __init__(self, outlines: Sequence[Floats]) -> None:
        self.corners = [outline.astype(np.float32) for outline in outlines]
        self.middles = np.array(outlines).mean(1)
        self.areas = np.array([max(1.0, cv2.contourArea(corners)) for corners in self.corners])
        self.sizes = np.sqrt(self.areas)
        lengths = np.log(np.maximum(np.sort(opposite_sides(np.array(outlines)), axis=1), 1e-3))
        self.off = np.abs(lengths[:, None] - lengths).max(2)
        """By how much two outlines differ in length or width (N, N): the larger logarithm."""
        self.apart = np.abs(self.middles[:, None] - self.middles).max(2)
        """How far apart the middles of two outlines lie (N, N)."""

    def shared(self, i: int, k: int) -> float:
        """The share of the smaller one of two outlines that lies in both."""
        if self.apart[i, k] > 1.5 * (self.sizes[i] + self.sizes[k]):
            return 0.0
        common = cv2.intersectConvexConvex(self.corners[i], self.corners[k])[0]
        return float(common / min(self.areas[i], self.areas[k]))

    def holds(self, k: int, i: int) -> bool:
        """Outline ``k`` holds the middle of outline ``i``."""
        return cv2.pointPolygonTest(self.corners[k], self.middles[i].tolist(), False) > 0

    def touch(self, i: int, k: int) -> bool:
        """Two outlines as large as each other lie side by side, with hardly a gap."""
        if self.off[i, k] >= _FITS or self.apart[i, k] > 3 * self.sizes[i]:
            return False
        wider = (self.middles[i] + _BESIDE * (self.corners[i] - self.middles[i])).astype(np.float32)
        return bool(cv2.intersectConvexConvex(wider, self.corners[k])[0] > _TOUCHED * self.areas[i])

    def printed_on(self, i: int, others: Sequence[int], confidences: Floats) -> float:
        """How likely one of ``others`` is a card that shows outline ``i``."""
        shown_on = (
            k
            for k in others
            if _LARGER < self.sizes[k] / self.sizes[i] < _CARDS_ON_MAT
            and self.holds(k, i)
            and self.shared(i, k) > _ON_CARD
        )
        return max((float(confidences[k]) for k in shown_on), default=0.0)

    def is_part(self, i: int, k: int) -> bool:
        """All corners of outline ``k`` lie at the border of ``i``: half a card, not a card on a mat."""
        depths = [cv2.pointPolygonTest(self.corners[i], corner, True) for corner in self.corners[k].tolist()]
        return bool(max(map(abs, depths)) < _AT_BORDER * self.sizes[i])

    def best(self, confidences: Floats) -> list[int]:
        """The likely ones, each place and size once, the most likely first."""
        kept: list[int] = []
        for i in np.argsort(-confidences).tolist():
            if confidences[i] <= _VOTER:
                break
            rivals = (k for k in kept if 1 / _LARGER < self.sizes[i] / self.sizes[k] < _LARGER)
            if all(self.shared(i, k) < _SAME_CARD for k in rivals):
                kept.append(i)
        return kept


def _relations(outlines: Sequence[Floats], alone: Floats) -> Floats:
    """What the others say of each candidate (N, RELATIONS), by how likely each is a card by itself (N,).

    How many likely ones elsewhere have its size, and another, those that are printed on a card left out; how likely one
    is that it lies on; how many that lie on it have one size, and how much of it they cover; how likely one is that
    takes part of its place; how many elsewhere are as long and as wide, how many nearly, and how many of the first
    touch no other such; how many such it touches itself; how likely one is that it is printed on. Sections of a card
    are as large as each other too, but no section lies by itself.
    """
    polygons = _Polygons(outlines)
    likely = polygons.best(alone)
    printed, lone = np.zeros(len(outlines)), np.zeros(len(outlines), bool)
    for k in likely:
        others = [m for m in likely if m != k]
        printed[k] = polygons.printed_on(k, others, alone)
        lone[k] = not any(polygons.touch(k, m) for m in others)
    weights = alone * (1 - printed)
    found = []
    for i in range(len(outlines)):
        others = [k for k in likely if k != i]
        mine = printed[i] if i in likely else polygons.printed_on(i, others, alone)
        shares = {k: polygons.shared(i, k) for k in others}
        elsewhere = np.array([k for k in others if shares[k] < _ELSEWHERE], np.intp)
        places = _places_of(i, polygons, alone, {k: share for k, share in shares.items() if share >= _ELSEWHERE})
        found.append([*places, *_sizes_of(i, polygons, weights, elsewhere, lone), mine])
    return np.array(found)


def _sizes_of(
    i: int, polygons: _Polygons, weights: Floats, elsewhere: NDArray[np.intp], lone: NDArray[np.bool_]
) -> list[float]:
    """Of how many elsewhere the size is the candidate's, or another."""
    ratio, weight, off = polygons.sizes[elsewhere] / polygons.sizes[i], weights[elsewhere], polygons.off[i, elsewhere]
    fits = off < _FITS
    touching = np.zeros(len(elsewhere), bool)
    touching[fits] = [polygons.touch(i, int(k)) for k in elsewhere[fits]]
    which = [
        (ratio > 1 / _ALIKE) & (ratio < _ALIKE),
        (ratio <= 1 / _UNLIKE) | (ratio >= _UNLIKE),
        fits,
        ~fits & (off < _MISFITS) & (ratio > 1 / _LARGER) & (ratio < _LARGER),
        fits & lone[elsewhere],
        touching,
    ]
    counts: list[float] = np.log1p([float(weight[some].sum()) for some in which]).tolist()
    return counts


def _places_of(i: int, polygons: _Polygons, alone: Floats, near: Mapping[int, float]) -> list[float]:
    """What the candidate lies on, what lies on it, and what takes part of its place; ``near`` holds what they share."""
    within = rival = even = covered = 0.0
    inside: list[int] = []
    for k, share in near.items():
        ratio = polygons.sizes[k] / polygons.sizes[i]
        if ratio > _LARGER and polygons.holds(k, i):
            within = max(within, float(alone[k]))
        elif ratio < 1 / _LARGER and polygons.holds(i, k):
            inside.append(k)
        elif share < _SAME_PLACE:
            rival = max(rival, float(alone[k]))
    if len(inside) == 1 and polygons.is_part(i, inside[0]):
        inside = []
    if inside:
        sizes = polygons.sizes[inside]
        even = float(alone[inside][np.abs(np.log(sizes / np.median(sizes))) < _EVEN].sum())
        covered = min(1.0, float(polygons.areas[inside].sum() / polygons.areas[i]))
    return [within, float(np.log1p(even)), covered * 2, rival]
