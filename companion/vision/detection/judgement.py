"""How surely refined candidates are cards: by their own edges and colours, and by what else lies on the picture.

A single outline does not say whether it is a card or what is printed on one. Cards on a table are about as large as
one another, have the same colours along their border, and do not lie inside a larger card that has edges of its own. A
small network (`models/outline/judge`) weighs these figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.heatmaps import Candidate, ScaleAnswer
from companion.vision.detection.sizes import FOCAL_LENGTH, proportion_of
from companion.vision.edge_refinement import Frame, Refined
from companion.vision.image.pyramid import Pyramid
from companion.vision.networks import logistic, network

Floats = NDArray[np.float64]

NETWORK = "outline/judge/weights.onnx"
FEATURES = 24
_RING = 0.07
"""How far from a side its colours are compared, inside and outside, in sizes of the card."""
_PER_SIDE = 8
_ALIKE, _UNLIKE, _LARGER = 1.25, 1.5, 1.35
"""Ratios of sizes, the roots of areas, that count as one size, as another, and as that of a card to what it shows."""
_VOTER = 0.3
"""Candidates less likely than this, by themselves, say nothing of the others."""
_SEES = 0.3
"""A scale of the detector agrees that a card lies there when it is so sure."""
_ELSEWHERE, _SAME_CARD, _SAME_PLACE = 0.2, 0.35, 0.9
"""Two outlines that share less of the smaller one lie apart; more, show one card; more again, are one outline."""
_EVEN = 0.2
"""Sizes whose logarithms differ from the median's by less are one size."""


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
        pyramid: the picture.
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
    own = np.array([_own(placed.pyramid, one, placed.scales) for one in placed.candidates])
    return np.concatenate([own, _relations(placed.candidates, _alone(own))], 1).astype(np.float32)


def _own(pyramid: Pyramid, one: PlacedCandidate, scales: Sequence[ScaleAnswer]) -> list[float]:
    corners, support = one.refined.corners, np.sort(one.refined.support)
    area = max(1.0, float(cv2.contourArea(corners.astype(np.float32))))
    sees = [(seen.confidence_of(corners), seen.net_px(corners)) for seen in scales]
    best, net_px = max(sees)
    agreeing = sum(confidence > _SEES for confidence, _ in sees)
    centre = np.array(pyramid.size) / 2
    ratio = proportion_of(corners, FOCAL_LENGTH * max(pyramid.size), centre) if len(corners) == 4 else 1.0
    return [
        float(len(corners) == 6),
        _logit(one.seed.confidence),
        _logit(best),
        agreeing / 2.0,
        float(np.log(max(one.seed.net_px, 1.0) / 50)),
        float(np.log(max(net_px, 1.0) / 50)),
        float(support[0]),
        float(support[1]),
        float(support[-2]),
        float(support.mean()),
        min(1.0, one.refined.moved) * 3,
        float(np.log(area / (pyramid.size[0] * pyramid.size[1]))) / 3 + 1,
        min(3.0, float(np.log(ratio))) * 2,
        *_ring(pyramid, one.refined),
    ]


def _ring(pyramid: Pyramid, refined: Refined) -> list[float]:
    """Steps of colour across the sides, the least and the mean, and how even the colours are inside and outside."""
    frame = Frame.of(refined.corners)
    t = (np.arange(_PER_SIDE) + 0.5) / _PER_SIDE * 0.8 + 0.1
    inside, outside = [], []
    for side in range(len(frame.corners)):
        begin, along, inwards = frame.side_frame(side)
        line = begin + t[:, None] * along
        inside.append(line + _RING * frame.size * inwards)
        outside.append(line - _RING * frame.size * inwards)
    points = frame.to_picture(np.array([inside, outside]))
    level = pyramid.level_for(_RING * frame.size)
    colours = pyramid.sample(points, level).astype(np.float64) / 255
    steps = np.abs(colours[0] - colours[1]).max(-1).mean(-1)
    spread = colours.reshape(2, -1, 3).std(1).mean(-1)
    across = colours.mean(2).std(1).mean(-1)
    return [float(steps.min()) * 5, float(steps.mean()) * 5, *(spread * 8).tolist(), float(across[0]) * 8]


def _alone(own: Floats) -> Floats:
    """How likely each candidate (N,) is a card by its heat and edges alone."""
    score = 1.5 * own[:, 1] + 5.0 * ((own[:, 6] + own[:, 7]) / 2 - 0.5) - 0.5
    return np.asarray(1 / (1 + np.exp(-score)))


class _Polygons:
    """Outlines with what is asked of them again and again."""

    def __init__(self, outlines: Sequence[Floats]) -> None:
        self.corners = [outline.astype(np.float32) for outline in outlines]
        self.middles = np.array([outline.mean(0) for outline in outlines])
        self.areas = np.array([max(1.0, cv2.contourArea(corners)) for corners in self.corners])
        self.sizes = np.sqrt(self.areas)

    def shared(self, i: int, k: int) -> float:
        """The share of the smaller one of two outlines that lies in both."""
        if np.abs(self.middles[i] - self.middles[k]).max() > 1.5 * (self.sizes[i] + self.sizes[k]):
            return 0.0
        common = cv2.intersectConvexConvex(self.corners[i], self.corners[k])[0]
        return float(common / min(self.areas[i], self.areas[k]))

    def holds(self, k: int, i: int) -> bool:
        """Outline ``k`` holds the middle of outline ``i``."""
        return cv2.pointPolygonTest(self.corners[k], self.middles[i].tolist(), False) > 0

    def best(self, confidences: Floats) -> list[int]:
        """The likely ones, each place and size once, the most likely first."""
        kept: list[int] = []
        for i in np.argsort(-confidences).tolist():
            if confidences[i] <= _VOTER:
                break
            rivals = (k for k in kept if 0.5 < self.sizes[i] / self.sizes[k] < 2)
            if all(self.shared(i, k) < _SAME_CARD for k in rivals):
                kept.append(i)
        return kept


def _relations(candidates: Sequence[PlacedCandidate], alone: Floats) -> Floats:
    """What the others say of each candidate (N, 6).

    How many likely ones elsewhere have its size, and another; how likely one is that it lies on; how many that lie on
    it have one size, and how much of it they cover; how likely one is that takes part of its place.
    """
    polygons = _Polygons([one.refined.corners for one in candidates])
    likely = polygons.best(alone)
    return np.array([_relations_of(i, polygons, alone, [k for k in likely if k != i]) for i in range(len(candidates))])


def _relations_of(i: int, polygons: _Polygons, alone: Floats, others: Sequence[int]) -> list[float]:
    alike = unlike = within = rival = even = covered = 0.0
    inside: list[int] = []
    for k in others:
        ratio, share = polygons.sizes[k] / polygons.sizes[i], polygons.shared(i, k)
        if share < _ELSEWHERE:
            alike += alone[k] * (1 / _ALIKE < ratio < _ALIKE)
            unlike += alone[k] * (not 1 / _UNLIKE < ratio < _UNLIKE)
        elif ratio > _LARGER and polygons.holds(k, i):
            within = max(within, float(alone[k]))
        elif ratio < 1 / _LARGER and polygons.holds(i, k):
            inside.append(k)
        elif share < _SAME_PLACE:
            rival = max(rival, float(alone[k]))
    if inside:
        sizes = polygons.sizes[inside]
        even = float(alone[inside][np.abs(np.log(sizes / np.median(sizes))) < _EVEN].sum())
        covered = min(1.0, float(polygons.areas[inside].sum() / polygons.areas[i]))
    return [float(np.log1p(alike)), float(np.log1p(unlike)), within, float(np.log1p(even)), covered * 2, rival]


def _logit(confidence: float) -> float:
    held = float(np.clip(confidence, 1e-3, 1 - 1e-3))
    return float(np.log(held / (1 - held))) / 3
