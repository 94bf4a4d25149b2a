"""How display cases and loose cards of Hexapod are found: detected, their corners refined, and each thing once.

Corners are refined by a small network (`models/hexapod/keypoints`) that sees a detection rectified, with half its size
around it, and answers twice. As a whole: the code of the true quad in that view (`quad_code`) and its confidence, which
corrects large errors. Place by place: the offset to where the place would be in an exact detection, and its weight. One
homography is fitted robustly through all these votes, so that a hand over some of them does not bend it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.detection.detector import (
    Detection,
    Head,
    HeatmapDetector,
    corners_of,
    distances,
    suppress_overlaps,
)
from companion.vision.geometry import SQUARE, fit_robust_homography, homography, mapped, side_px
from companion.vision.image.pyramid import Pyramid, brightest_channel, percentile, warp
from companion.vision.networks import logistic, network, picture_planes

CASES = Head(
    SQUARE, spacing=0.6, planes=(8, 18), stride=8, offset_px=32.0, is_by_smaller=True, max_count=12
)  # by the smaller of two: a find may be far too large
CARDS = Head(SQUARE, spacing=0.6, is_by_smaller=True, max_count=12)
DETECTOR = HeatmapDetector("hexapod/detector/weights.onnx", (CASES, CARDS), longest_px=640, multiple=32)
COARSER = 2.2
"""The picture is searched once more so much smaller, for what is large."""

PATCH = 96
REACH = 1.5
"""The view's half width in half sides of the find."""
CODE_SCALE = (2.0, 2.0, 2.0, 4.0, 2.0, 1.0, 1.0, 4.0, 4.0)
"""What training multiplies the middle and the code with."""
CONFIDENCE_LOGIT = 9
"""Index of the confidence's logit in the network's answer; the code is before it, the votes are after it."""
VOTES = 12
"""The network votes at so many by so many places of the view."""
VOTE_SCALE = 4.0
"""What training multiplies the votes with."""

PLACES = ((np.stack(np.meshgrid(np.arange(VOTES), np.arange(VOTES)), -1) + 0.5) / VOTES * 2 - 1).reshape(-1, 2) * REACH
"""Where the votes are cast (VOTES * VOTES, 2), in the find's frame."""


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


def refine_quads(pyramid: Pyramid, quads: Sequence[Detection], *, is_case: bool) -> list[Detection]:
    """Refine the corners and confidences of detections, and drop those that are clearly none.

    Args:
        quads: the detections.
        is_case: whether they are cases; else loose cards.
    """
    still: list[Detection] = []
    moving = list(quads)
    for k in range(LIMITS.refinements):
        previous, moving = moving, []
        for before, now in zip(previous, _refine_pass(pyramid, previous, is_case, by_votes=k > 0), strict=True):
            if now.confidence >= LIMITS.none:
                (still if k > 0 and _is_still(before, now) else moving).append(now)
    return still + moving


def _is_still(before: Detection, now: Detection) -> bool:
    return float(np.abs(now.corners - before.corners).max()) < LIMITS.still * side_px(now.corners)


def _refine_pass(pyramid: Pyramid, quads: list[Detection], is_case: bool, *, by_votes: bool) -> list[Detection]:
    """One pass of the network: each quad moved to where it sees it, with its confidence."""
    if not quads:
        return []
    corners = [np.asarray(quad.corners, np.float64) for quad in quads]
    net = network("hexapod/keypoints/weights.onnx")
    answers = np.asarray(
        net.forward(np.stack([planes(patch(pyramid, quad), is_case=is_case) for quad in corners])), np.float64
    ).reshape(len(corners), -1)
    confidences = logistic(answers[:, CONFIDENCE_LOGIT])
    refined = [apply_answer(quad, answer, by_votes=by_votes) for quad, answer in zip(corners, answers, strict=True)]
    return [Detection(quad.astype(np.float32), float(p)) for quad, p in zip(refined, confidences, strict=True)]


def patch(pyramid: Pyramid, corners: NDArray[np.floating]) -> NDArray[np.uint8]:
    """A quad straightened, with what is around it: uint8 (PATCH, PATCH, 3)."""
    step = 2 * REACH / PATCH
    unit_from_patch = np.array([[step, 0, step / 2 - REACH], [0, step, step / 2 - REACH], [0, 0, 1.0]])
    return warp(pyramid, homography(corners) @ unit_from_patch, (PATCH, PATCH), REACH * side_px(corners) / PATCH)


def planes(picture: NDArray[np.uint8], *, is_case: bool) -> NDArray[np.float32]:
    """A patch as the network takes it: colours brought to one level, and what is looked for: float32 (4, P, P)."""
    top = percentile(brightest_channel(picture[::2, ::2]), 95)
    levelled = cv2.convertScaleAbs(picture, alpha=220.0 / max(top, 12.0))
    wanted = np.full((1, PATCH, PATCH), 0.5 if is_case else -0.5, np.float32)
    return np.concatenate([picture_planes(levelled), wanted])


def apply_answer(corners: NDArray[np.floating], answer: NDArray[np.float64], *, by_votes: bool) -> NDArray[np.floating]:
    """Where the network's answer to the view of a quad (4, 2) puts it; the same quad where that makes no sense."""
    within = _quad_from_votes(answer) if by_votes else _quad_from_code(answer)
    if not np.isfinite(within).all():
        return corners
    better = mapped(homography(corners), within)
    ratio = side_px(better) / max(side_px(corners), 1e-6)
    return better if 0.4 < ratio < 2.5 and np.isfinite(better).all() else corners


def _quad_from_code(answer: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quad (4, 2) that an answer means as a whole, in the find's frame."""
    code = answer[:CONFIDENCE_LOGIT] / np.array(CODE_SCALE)
    return SQUARE.corners_from_code(code[:2], code[2:])


def _quad_from_votes(answer: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quad (4, 2) that an answer's votes mean, in the find's frame; NaN where they mean none."""
    votes = answer[CONFIDENCE_LOGIT + 1 :].reshape(3, -1)
    field_from_find = fit_robust_homography(PLACES, PLACES + votes[:2].T / VOTE_SCALE, np.exp(np.clip(votes[2], -6, 6)))
    if field_from_find is None:
        return np.full((4, 2), np.nan)
    return mapped(np.linalg.inv(field_from_find), SQUARE.unit)


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
