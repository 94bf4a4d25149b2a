"""How display cases and loose cards of Hexapod are found: detected, their corners refined, and each thing once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.games.hexapod.vision.keypoint_voting import refine_quads
from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.detection.detector import (
    Detection,
    Head,
    HeatmapDetector,
    corners_of,
    distances,
    suppress_overlaps,
)
from companion.vision.geometry import SQUARE, homography, mapped, side_px
from companion.vision.image.pyramid import Pyramid

CASES = Head(
    SQUARE, spacing=0.6, planes=(8, 18), stride=8, offset_px=32.0, is_by_smaller=True, max_count=12
)  # by the smaller of two: a find may be far too large
CARDS = Head(SQUARE, spacing=0.6, is_by_smaller=True, max_count=12)
DETECTOR = HeatmapDetector("hexapod/detector/weights.onnx", (CASES, CARDS), longest_px=640, multiple=32)
COARSER = 2.2
"""The picture is searched once more so much smaller, for what is large."""


@dataclass(frozen=True, slots=True, eq=False)
class Finds:
    """What was found, surest first."""

    cases: tuple[Detection, ...]
    cards: tuple[Detection, ...]


def detect_fields(pyramid: Pyramid, least: float) -> Finds:
    """What may be a case's field or a loose card, not less certain than ``least``."""
    factor = DETECTOR.first_factor(pyramid)
    scales = [DETECTOR.detect_at(pyramid, one, least) for one in (factor, factor / COARSER)]
    cases, cards = (head.suppress([*near, *far]) for head, near, far in zip(DETECTOR.heads, *scales, strict=True))
    return Finds(cases, cards)


def detect_cases(pyramid: Pyramid, finds: Finds, least: float = LIMITS.there) -> tuple[Detection, ...]:
    """The cases' fields, surest first, each begun at any corner; not those less sure than ``least``."""
    cases = refine_quads(pyramid, finds.cases, is_case=True)
    return _once(_by_confidence(cases), least)


def detect_loose_cards(
    pyramid: Pyramid, finds: Finds, cases: Sequence[Detection], rows: int, cols: int
) -> tuple[Detection, ...]:
    """The loose cards, each begun at any corner, those first that are as wide as such a card is beside the cases, then
    the surest; what was found in a sure case is none.

    Args:
        finds: what was found on it.
        cases: the cases that lie there, exactly.
        rows: cells of a case from top to bottom.
        cols: from left to right.
    """
    sure = [case for case in cases if case.confidence >= LIMITS.sure_case]
    cards = _by_confidence(refine_quads(pyramid, outside_cases(finds.cards, sure), is_case=False))
    by_width = sorted(cards, key=lambda card: not all(_is_as_wide(card, case, rows, cols) for case in sure))
    return _once(by_width, LIMITS.hinted_card)


def outside_cases(cards: Sequence[Detection], cases: Sequence[Detection]) -> tuple[Detection, ...]:
    """The cards that lie in none of the cases: a card in a case is no loose one."""
    return tuple(card for card in cards if not any(_is_in(card, case) for case in cases))


def is_cards(case: Detection, cards: Sequence[Detection]) -> bool:
    """Whether a case is rather a card, or a few in a row, that lie where it is."""
    surer = [card for card in cards if card.confidence > case.confidence and _is_in(card, case)]
    return sum(cv2.contourArea(card.corners) for card in surer) > LIMITS.cards_of_case * cv2.contourArea(case.corners)


def shift_corners(pyramid: Pyramid, quad: Detection, *, is_case: bool) -> Detection:
    """A known quad where it lies now, a push further perhaps; as it was where it cannot be seen."""
    (*seen,) = refine_quads(pyramid, [quad], is_case=is_case)
    is_it = bool(seen) and seen[0].confidence >= LIMITS.there and _is_same(seen[0], quad)
    return Detection(seen[0].corners, quad.confidence) if is_it else quad


def _by_confidence(quads: Iterable[Detection]) -> list[Detection]:
    return sorted(quads, key=lambda quad: -quad.confidence)


def _once(quads: Iterable[Detection], least: float) -> tuple[Detection, ...]:
    """What is there; of what is found twice, the first."""
    there = [quad for quad in quads if quad.confidence >= least]
    sides = np.array([side_px(quad.corners) for quad in there])
    clashes = distances(corners_of(there, 4)) < LIMITS.apart * np.maximum.outer(sides, sides)
    return tuple(there[i] for i in suppress_overlaps(clashes))


def _is_same(quad: Detection, other: Detection) -> bool:
    apart = float(np.linalg.norm(quad.corners.mean(0) - other.corners.mean(0)))
    return apart < LIMITS.apart * max(side_px(quad.corners), side_px(other.corners))


def _is_as_wide(card: Detection, case: Detection, rows: int, cols: int) -> bool:
    """Whether a card is about as wide as two cells of a case, were they to lie where it does."""
    cells = mapped(np.linalg.inv(homography(case.corners)), card.corners) * [cols / 2, rows / 2]
    return LIMITS.as_wide[0] < side_px(cells) < LIMITS.as_wide[1]


def _is_in(card: Detection, case: Detection) -> bool:
    x, y = (float(v) for v in card.corners.mean(0))
    return cv2.pointPolygonTest(case.corners.reshape(-1, 1, 2), (x, y), False) > 0
