"""Classifies outlines as Comet cards, with test-time augmentation of uncertain numbers over jittered outlines."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.classifier import KINDS, NumeralScores, PretrainedNumerals
from companion.games.comet.vision.detector import CARD
from companion.games.comet.vision.plausibility import (
    find_merged_pairs,
    has_typical_width,
    is_gap,
    relative_widths,
    split_pairs,
)
from companion.games.comet.vision.results import NUMBERS
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.image.pyramid import Pyramid

_MOVES = np.array([[-0.04, 0.0], [0.04, 0.0], [0.0, -0.03], [0.0, 0.03]])
"""In half heights of a card, along its own sides."""


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
        pyramid: the picture.
        corners: the outlines (N, 4, 2).
        sections: the probabilities of the first pass.
        is_card: which outlines some number is read on (N,).
    """
    likely = sections[:, :, : len(NUMBERS)].max(-1)
    doubt = (likely > LIMITS.likely_number) & (sections.max(-1) < LIMITS.sure_number) & is_card[:, None]
    which = np.flatnonzero(doubt.any(1))
    if not len(which):
        return sections
    moved = [corners[i] + CARD.pose_of(corners[i])[1] @ move for i in which for move in _MOVES]
    passes = classifier.classify(pyramid, np.array(moved, np.float32))
    mean = sections.copy()
    mean[which] = passes.reshape(len(which), len(_MOVES), *sections.shape[1:]).mean(1)
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
