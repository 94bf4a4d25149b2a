"""Classifies outlines as Comet cards, and checks them by more than their print: size, edges and the deck's back.

Cards of one deck have one size, near each other in perspective too. A gap between cards has no edge where no card lies.
Two overexposed cards side by side can merge into one outline as large as two. Backs of one deck look alike. Uncertain
numbers are classified again over jittered outlines (test-time augmentation).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.appearance import (
    BACK_LOOK,
    chromaticity,
    correlation_either_way,
    is_patterned,
    look_at,
    tint_distance_in_glare,
    tint_distance_under_glare,
)
from companion.games.comet.vision.classifier import KINDS, NumeralScores, PretrainedNumerals, cut_cards
from companion.games.comet.vision.detector import CARD
from companion.games.comet.vision.results import NUMBERS
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.geometry import median
from companion.vision.image.pyramid import Pyramid, sample_pieces

_JITTER = np.array([[-0.04, 0.0], [0.04, 0.0], [0.0, -0.03], [0.0, 0.03]])
"""In half heights of a card, along its own sides."""


def relative_widths(corners: NDArray[np.floating], presence: NDArray[np.floating]) -> NDArray[np.float64]:
    """The widths (N,) of outlines (N, 4, 2) relative to the nearest sure cards; NaN without any.

    Args:
        corners: the outlines.
        presence: confidences (N,).
    """
    if not len(corners):
        return np.zeros(0)
    wide, centres = CARD.width_px(corners), corners.mean(1)
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=-1) + np.where(np.eye(len(corners)) > 0, np.inf, 0.0)
    near = np.argsort(np.where(presence >= LIMITS.sure_size, apart, np.inf), axis=1)[:, : LIMITS.nearest]
    is_sure = np.isfinite(np.take_along_axis(np.where(presence >= LIMITS.sure_size, apart, np.inf), near, 1))
    usual = [median(wide[row[known]]) if known.any() else np.nan for row, known in zip(near, is_sure, strict=True)]
    return np.asarray(wide / np.array(usual))


def has_typical_width(wider: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which outlines (N,) are about as wide as the cards near them; see `relative_widths`."""
    return np.asarray(np.abs(wider - 1) < LIMITS.odd_size)


_ALONG = np.linspace(-0.6, 0.6, 7)
_INSIDE, _OUTSIDE = 0.9, 1.12


def is_gap(pyramid: Pyramid, corners: NDArray[np.floating], others: Sequence[NDArray[np.floating]]) -> bool:
    """Whether a side of an outline (4, 2) without a neighbour among other cards (4, 2) shows no edge."""
    inside, outside = _rim(_INSIDE), _rim(_OUTSIDE)
    centre, affine = CARD.pose_of(corners)
    places = outside.reshape(-1, 2) @ affine.T + centre
    is_free = np.array([not any(_holds(other, place) for other in others) for place in places]).reshape(4, -1)
    colours = sample_pieces(
        pyramid, CARD.pose_of(corners[None]), np.concatenate([inside, outside]).reshape(-1, 2), 0.1
    )[0]
    near, far = colours.reshape(2, 4, -1, 3)
    open_sides = [side for side in range(4) if is_free[side].mean() > 0.7]
    steps = [_step(near[side][is_free[side]], far[side][is_free[side]]) for side in open_sides]
    return bool(steps) and min(steps) < LIMITS.gap_contrast


def _rim(scale: float) -> NDArray[np.float64]:
    """Points (4, P, 2) along the sides of the scaled unit card."""
    quad = CARD.unit * scale
    ends = np.roll(quad, -1, 0)
    return np.stack([(a + b) / 2 + _ALONG[:, None] * (b - a) / 2 for a, b in zip(quad, ends, strict=True)])


def _step(near: NDArray[np.floating], far: NDArray[np.floating]) -> float:
    """The contrast between the colours inside and outside of a side, relative to their brightness."""
    inner, outer = median(near), median(far)
    return float(np.abs(inner - outer).max() / max(8.0, float(np.maximum(inner, outer).max())))


def _holds(outline: NDArray[np.floating], place: NDArray[np.floating]) -> bool:
    x, y = place.tolist()
    return cv2.pointPolygonTest(outline.astype(np.float32), (x, y), False) >= 0


_SHARE = 0.53
"""Each card's share of the outline's length: a half where they touch, three fifths where one covers the other."""


def find_merged_pairs(
    pyramid: Pyramid, corners: NDArray[np.floating], wider: NDArray[np.floating], is_maybe: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which outlines (N,) are two overexposed cards: all that it finds on the 386 pictures behind its limits.

    Args:
        corners: the outlines (N, 4, 2).
        wider: relative widths (N,).
        is_maybe: which are likely outlines without numbers (N,).
    """
    is_pair = is_maybe & (wider > LIMITS.as_two[0]) & (wider < LIMITS.as_two[1])
    if is_pair.any():
        is_pair[is_pair] = (cut_cards(pyramid, corners[is_pair]).min(-1) >= LIMITS.white).mean(
            (1, 2)
        ) > LIMITS.burnt_share
    return is_pair


def split_pairs(corners: NDArray[np.floating]) -> NDArray[np.float32]:
    """Split each outline (N, 4, 2) across its length into two cards (2N, 4, 2)."""
    a, b, c, d = np.moveaxis(corners, 1, 0)
    right, left = (c - b) * _SHARE, (d - a) * _SHARE
    first, second = np.stack([b, b + right, a + left, a], 1), np.stack([c - right, c, d, d - left], 1)
    return np.concatenate([first, second]).astype(np.float32)


_SIZE = (9, 12)
"""The size in pixels at which backs are compared: small, for patterns may be blurred or misaligned."""


def back_distances(pyramid: Pyramid, corners: Sequence[NDArray[np.floating]]) -> NDArray[np.float64]:
    """The distances (N, N) of the crops of outlines (4, 2) in either rotation, in shares of white; inf to themselves.

    A distance is the largest difference within the most similar half. On 80 hard pictures nearly all doubtful backs are
    within 0.06 of their nearest neighbour, and all else is at least 0.07 away, mostly 0.24.
    """
    count = len(corners)
    if not count:
        return np.zeros((0, 0))
    patches = cut_cards(pyramid, np.array(corners, np.float32))
    crops = np.stack([cv2.resize(one, _SIZE, interpolation=cv2.INTER_AREA)[1:-1, 1:-1] for one in patches])
    usual = np.median(crops.max(-1, keepdims=True), axis=(1, 2), keepdims=True)
    crops = np.minimum(crops / np.maximum(usual, 12.0), 2.0)
    both = np.stack([crops, crops[:, ::-1, ::-1]])
    apart = np.abs(crops[:, None, None] - both.transpose(1, 0, 2, 3, 4)[None]).mean(-1).reshape(count, count, 2, -1)
    return np.asarray(
        np.quantile(apart, LIMITS.compared_share, axis=-1).min(-1) + np.where(np.eye(count) > 0, np.inf, 0.0)
    )


def compare_backs(
    off: NDArray[np.floating], presence: NDArray[np.floating]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which backs resemble a sure one, and which are foreign to this deck, (N,) each.

    Args:
        off: the distances (N, N).
        presence: confidences (N,).
    """
    sure, strange = presence >= LIMITS.sure_back, np.zeros(len(presence), bool)
    for _ in range(2):  # a foreign back says nothing about others
        others = np.where(sure & ~strange, off, np.inf)
        enough = (np.isfinite(others)).sum(1) >= LIMITS.enough_backs
        strange = (presence < LIMITS.certain_back) & enough & (others.min(1, initial=np.inf) > LIMITS.strange_backs)
    others = np.where(sure & ~strange, off, np.inf)
    return others.min(1, initial=np.inf) < LIMITS.alike_backs, strange


def reclassify_with_jitter(
    classifier: PretrainedNumerals,
    pyramid: Pyramid,
    corners: NDArray[np.floating],
    sections: NDArray[np.floating],
    is_card: NDArray[np.bool_],
) -> NDArray[np.float32]:
    """Average the probabilities (N, 3, 15) of uncertain numbers over jittered outlines.

    Args:
        classifier: of the cards.
        corners: the outlines (N, 4, 2).
        sections: the probabilities of the first pass.
        is_card: which outlines some number is read on (N,).
    """
    likely = sections[:, :, : len(NUMBERS)].max(-1)
    doubt = (likely > LIMITS.likely_number) & (sections.max(-1) < LIMITS.sure_number) & is_card[:, None]
    which = np.flatnonzero(doubt.any(1))
    if not len(which):
        return sections
    moved = [corners[i] + CARD.pose_of(corners[i])[1] @ move for i in which for move in _JITTER]
    passes = classifier.classify(pyramid, np.array(moved, np.float32))
    mean = sections.copy()
    mean[which] = passes.reshape(len(which), len(_JITTER), *sections.shape[1:]).mean(1)
    return np.where(doubt[:, :, None], mean, sections)


@dataclass(frozen=True, slots=True, eq=False)
class ClassifiedOutlines:
    """Outlines with their classification.

    Attributes:
        corners: the outlines (N, 4, 2).
        presence: confidences that each is a card (N,).
        sections: probabilities (N, 3, 15), see `NumeralScores.sections`.
        is_upside_down: whether the card is upside down from its first corner (N,).
    """

    corners: NDArray[np.float32]
    presence: NDArray[np.float64]
    sections: NDArray[np.float32]
    is_upside_down: NDArray[np.bool_]


def classify_outlines(
    pyramid: Pyramid,
    corners: NDArray[np.floating],
    found: NDArray[np.floating],
    classifier: PretrainedNumerals,
    beside: Sequence[NDArray[np.floating]] = (),
) -> ClassifiedOutlines:
    """Classify outlines (N, 4, 2) detected with confidences (N,); outlines of two overexposed cards are split.

    Known cards (4, 2) ``beside`` them say how large a card is.
    """
    scores = classifier.read_numerals(pyramid, corners)
    sections = scores.sections()
    first = _presence(found, scores, sections)
    is_read = (sections[:, :, : len(NUMBERS)] >= LIMITS.sure_number).any((1, 2))
    outlines = np.array([*corners, *beside], np.float32).reshape(-1, 4, 2)
    wider = relative_widths(outlines, np.append(first, np.ones(len(beside))))[: len(corners)]
    is_likely = first >= LIMITS.likely_outline
    presence = np.where(~is_read & (wider > LIMITS.large) & (first < LIMITS.certain_large), 0.0, first)
    for i in np.flatnonzero(
        _is_print(sections) & has_typical_width(wider) & is_likely & (first < LIMITS.fitting_print)
    ):
        if not is_gap(pyramid, corners[i], [*corners[first >= LIMITS.plain_card], *beside]):
            presence[i] = LIMITS.fitting_print
    sections = reclassify_with_jitter(classifier, pyramid, corners, sections, is_read & is_likely)
    seen = ClassifiedOutlines(corners, presence, sections, scores.upright < 0.5)
    is_pair = find_merged_pairs(pyramid, corners, wider, ~is_read & is_likely)
    return _with_parts(seen, is_pair, pyramid, classifier) if is_pair.any() else seen


def _with_parts(
    seen: ClassifiedOutlines, is_pair: NDArray[np.bool_], pyramid: Pyramid, classifier: PretrainedNumerals
) -> ClassifiedOutlines:
    """Split pairs into two outlines each, never classified as backs: white faces and white backs look alike."""
    parts = split_pairs(seen.corners[is_pair])
    scores = classifier.read_numerals(pyramid, parts)
    sections = scores.sections()
    sections[:, :, len(NUMBERS)] = 0.0
    return ClassifiedOutlines(
        np.concatenate([seen.corners[~is_pair], parts]),
        np.concatenate([seen.presence[~is_pair], np.full(len(parts), LIMITS.plain_card)]),
        np.concatenate([seen.sections[~is_pair], sections]),
        np.concatenate([seen.is_upside_down[~is_pair], scores.upright < 0.5]),
    )


def _is_print(sections: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Whether the numbers on outlines cannot be a cloth's pattern (N,)."""
    numbers = sections[:, :, : len(NUMBERS)]
    alone = np.delete(numbers, NUMBERS.index(8), axis=2).max((1, 2))
    return np.asarray(((numbers.max(-1) >= LIMITS.sure_number).sum(1) > 1) | (alone >= LIMITS.lone_number))


def _presence(found: NDArray[np.floating], seen: NumeralScores, sections: NDArray[np.floating]) -> NDArray[np.float64]:
    """The confidences (N,) that cards are there: detected and not classified as nothing, or with three clear numbers.

    Two clear numbers are not enough, nor a likely third: the rings of a patterned cloth may read as eights.
    """
    lowest = sections[:, :, : len(NUMBERS)].max(-1).min(-1, initial=1.0)
    clear = np.where(lowest >= LIMITS.sure_number, seen.kinds[:, KINDS.index("face")] * lowest, 0.0)
    return np.asarray(np.maximum(found * (1 - seen.kinds[:, KINDS.index("nothing")]), clear))


def are_unlike_backs(
    pyramid: Pyramid,
    corners: Sequence[NDArray[np.floating]],
    known: Sequence[NDArray[np.floating]],
    *,
    is_known_pattern: bool,
) -> list[bool]:
    """Which outlines (4, 2) have another colour than the known backs (4, 2) of which at least two have the same.

    A phone is found as surely as a card. Of 794 free backs of invented printings on drawn hard pictures, beside two or
    more others of one colour, none is farther than 0.139 from the nearest of them.

    Args:
        is_known_pattern: whether the backs show the large comet of the known printing. Then a phone of the deck's
            colour is told by what it shows: of 542 such backs none correlates less than 0.49 with the likest of two or
            more others that show one pattern, while finer patterns of invented printings may not correlate at all.
    """
    are_unlike = _have_other_colour(pyramid, corners, known)
    if not is_known_pattern:
        return are_unlike
    other_pattern = _show_other_pattern(pyramid, corners, known)
    return [any(signs) for signs in zip(are_unlike, other_pattern, strict=True)]


def _have_other_colour(
    pyramid: Pyramid, corners: Sequence[NDArray[np.floating]], known: Sequence[NDArray[np.floating]]
) -> list[bool]:
    seen, backs = ([chromaticity(pyramid, outline) for outline in some] for some in (corners, known))
    apart = [[tint_distance_in_glare(back, other) for other in backs if other is not back] for back in backs]
    alike = [back for back, off in zip(backs, apart, strict=True) if min(off, default=1.0) < LIMITS.other_colour]
    return [
        bool(alike) and min(tint_distance_under_glare(its, back) for back in alike) > LIMITS.thing_colour
        for its in seen
    ]


def _show_other_pattern(
    pyramid: Pyramid, corners: Sequence[NDArray[np.floating]], known: Sequence[NDArray[np.floating]]
) -> list[bool]:
    seen, backs = ([look_at(pyramid, outline, BACK_LOOK) for outline in some] for some in (corners, known))
    backs = [look for look in backs if is_patterned(look)]
    alike = [
        look
        for look in backs
        if any(correlation_either_way(look, other) > LIMITS.one_pattern for other in backs if other is not look)
    ]
    return [
        bool(alike) and max(correlation_either_way(its, back) for back in alike) < LIMITS.other_pattern for its in seen
    ]
