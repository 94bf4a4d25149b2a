"""Cases and loose cards with their exact corners: found, refined, and each thing once."""

from collections.abc import Iterable, Sequence

import cv2
import numpy as np

from companion.vision.hexapod_finder import Finds, Quad, find
from companion.vision.hexapod_pose import refined
from companion.vision.hexapod_quads import side_px
from companion.vision.models import network
from companion.vision.pyramid import Pyramid

FOUND = 0.12
"""What the finder is less sure of is not looked at."""
THERE = 0.4
"""What a closer look is less sure of is told as nothing."""
HINTED = 0.08
"""A loose card less sure than `THERE`, but surer than this, is one where insects show plainly."""
_SURE_CASE = 0.9
"""In a case less sure than this, cards are looked for: one, or a few that lie in a row, may have been taken for it."""
_MOST = 0.5
"""Where cards, each surer than the case in which they lie, fill more of it than this, there is no case."""
_APART = 0.6
"""Two things of a kind lie at least so many of their sides apart."""


def found_on(pyramid: Pyramid) -> Finds:
    """What may be a case or a loose card, roughly."""
    return find(network("hexapod-finder/finder.onnx"), pyramid, FOUND)


def exact_cases(pyramid: Pyramid, finds: Finds, least: float = THERE) -> tuple[Quad, ...]:
    """The cases' fields, surest first, each begun at any corner; not those less sure than ``least``."""
    return _once(refined(network("hexapod-pose/pose.onnx"), pyramid, finds.cases, is_case=True), least)


def exact_cards(pyramid: Pyramid, finds: Finds, cases: Sequence[Quad]) -> tuple[Quad, ...]:
    """The loose cards, surest first, each begun at any corner; what was found in a sure case is none."""
    loose = beside(finds.cards, [case for case in cases if case.confidence >= _SURE_CASE])
    return _once(refined(network("hexapod-pose/pose.onnx"), pyramid, loose, is_case=False), HINTED)


def beside(cards: Sequence[Quad], cases: Sequence[Quad]) -> tuple[Quad, ...]:
    """The cards that lie in none of the cases: a card in a case is no loose one."""
    return tuple(card for card in cards if not any(_is_in(card, case) for case in cases))


def is_cards(case: Quad, cards: Sequence[Quad]) -> bool:
    """Whether a case is rather a card, or a few in a row, that lie where it is."""
    surer = [card for card in cards if card.confidence > case.confidence and _is_in(card, case)]
    return sum(cv2.contourArea(card.corners) for card in surer) > _MOST * cv2.contourArea(case.corners)


def nudged(pyramid: Pyramid, quad: Quad, *, is_case: bool) -> Quad:
    """A known quad where it lies now, a push further perhaps; as it was where it cannot be seen."""
    (*seen,) = refined(network("hexapod-pose/pose.onnx"), pyramid, [quad], is_case=is_case)
    is_it = bool(seen) and seen[0].confidence >= THERE and _is_same(seen[0], quad)
    return Quad(seen[0].corners, quad.confidence) if is_it else quad


def _once(quads: Iterable[Quad], least: float = THERE) -> tuple[Quad, ...]:
    """What is there, without what is found twice."""
    kept: list[Quad] = []
    for quad in sorted(quads, key=lambda one: -one.confidence):
        if quad.confidence >= least and not any(_is_same(quad, other) for other in kept):
            kept.append(quad)
    return tuple(kept)


def _is_same(quad: Quad, other: Quad) -> bool:
    apart = float(np.linalg.norm(quad.corners.mean(0) - other.corners.mean(0)))
    return apart < _APART * max(side_px(quad.corners), side_px(other.corners))


def _is_in(card: Quad, case: Quad) -> bool:
    x, y = (float(v) for v in card.corners.mean(0))
    return cv2.pointPolygonTest(case.corners.reshape(-1, 1, 2), (x, y), False) > 0
