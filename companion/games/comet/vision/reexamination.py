"""How surely outlines are Comet cards, and what they show; numbers in doubt by the mean of several looks.

The mean of what is seen through outlines moved a little is nearer the truth.
"""

from dataclasses import dataclass

import numpy as np

from companion.games.comet.vision.classifier import KINDS, NumeralScores, PretrainedNumerals
from companion.games.comet.vision.detector import CARD
from companion.games.comet.vision.plausibility import fits, is_gap, merged_pairs, relative_widths, split_pair
from companion.games.comet.vision.results import NUMBERS
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.image.pyramid import Pyramid

_MOVES = np.array([[-0.04, 0.0], [0.04, 0.0], [0.0, -0.03], [0.0, 0.03]])
"""In half heights of a card, along its own sides."""


def reclassify_with_jitter(
    classifier: PretrainedNumerals, pyramid: Pyramid, corners: np.ndarray, sections: np.ndarray, is_card: np.ndarray
) -> np.ndarray:
    """The sections (N, 3, 15) of cards (N, 4, 2), those of numbers in doubt the mean of other looks.

    Args:
        namer: what looks.
        pyramid: the picture.
        corners: the outlines.
        sections: as seen at the first look.
        is_card: which outlines some number is read on (N,).
    """
    likely = sections[:, :, : len(NUMBERS)].max(-1)
    doubt = (likely > LIMITS.likely_number) & (sections.max(-1) < LIMITS.sure_number) & is_card[:, None]
    which = np.flatnonzero(doubt.any(1))
    if not len(which):
        return sections
    moved = [corners[i] + CARD.pose_of(corners[i])[1] @ move for i in which for move in _MOVES]
    looks = classifier.classify(pyramid, np.array(moved, np.float32))
    mean = sections.copy()
    mean[which] = looks.reshape(len(which), len(_MOVES), *sections.shape[1:]).mean(1)
    return np.where(doubt[:, :, None], mean, sections)


@dataclass(frozen=True, slots=True, eq=False)
class SeenOutlines:
    """What is seen in outlines.

    Attributes:
        corners: the outlines (N, 4, 2).
        presence: how surely each is a card (N,).
        sections: probabilities (N, 3, 15), see `numerals.NumeralScores.sections`.
        is_about: whether the card lies upside down as its corners begin (N,).
    """

    corners: np.ndarray
    presence: np.ndarray
    sections: np.ndarray
    is_about: np.ndarray


def classify_outlines(
    pyramid: Pyramid, corners: np.ndarray, found: np.ndarray, classifier: PretrainedNumerals
) -> SeenOutlines:
    """What is to be seen in the outlines (N, 4, 2), found so surely (N,); those of two burnt cards parted in two."""
    score_numerals = classifier.read_numerals(pyramid, corners)
    sections = score_numerals.sections()
    first = _presence(found, score_numerals, sections)
    is_read = (sections[:, :, : len(NUMBERS)] >= LIMITS.sure_number).any((1, 2))
    wider, is_likely = relative_widths(corners, first), first >= LIMITS.likely_outline
    presence = np.where(~is_read & (wider > LIMITS.large) & (first < LIMITS.certain_large), 0.0, first)
    for i in np.flatnonzero(_is_print(sections) & fits(wider) & is_likely & (first < LIMITS.fitting_print)):
        if not is_gap(pyramid, corners[i], list(corners[first >= LIMITS.plain_card])):
            presence[i] = LIMITS.fitting_print
    sections = reclassify_with_jitter(classifier, pyramid, corners, sections, is_read & is_likely)
    seen = SeenOutlines(corners, presence, sections, score_numerals.upright < 0.5)
    is_pair = merged_pairs(pyramid, corners, wider, ~is_read & is_likely)
    return _with_parts(seen, is_pair, pyramid, classifier) if is_pair.any() else seen


def _with_parts(
    seen: SeenOutlines, is_pair: np.ndarray, pyramid: Pyramid, classifier: PretrainedNumerals
) -> SeenOutlines:
    """Two outlines for each of two cards; a back is not told there: white faces and white backs look alike."""
    parts = split_pair(seen.corners[is_pair])
    score_numerals = classifier.read_numerals(pyramid, parts)
    sections = score_numerals.sections()
    sections[:, :, len(NUMBERS)] = 0.0
    return SeenOutlines(
        np.concatenate([seen.corners[~is_pair], parts]),
        np.concatenate([seen.presence[~is_pair], np.full(len(parts), LIMITS.plain_card)]),
        np.concatenate([seen.sections[~is_pair], sections]),
        np.concatenate([seen.is_about[~is_pair], score_numerals.upright < 0.5]),
    )


def _is_print(sections: np.ndarray) -> np.ndarray:
    """Whether what is read on outlines may be no pattern of a cloth (N,)."""
    numbers = sections[:, :, : len(NUMBERS)]
    alone = np.delete(numbers, NUMBERS.index(8), axis=2).max((1, 2))
    return np.asarray(((numbers.max(-1) >= LIMITS.sure_number).sum(1) > 1) | (alone >= LIMITS.lone_number))


def _presence(found: np.ndarray, seen: NumeralScores, sections: np.ndarray) -> np.ndarray:
    """That a card is there (N,): it was found and does not look like nothing, or all its numbers are plain.

    Two plain numbers are not enough, nor a third that is likely: the rings of a patterned cloth may read as eights.
    """
    least = sections[:, :, : len(NUMBERS)].max(-1).min(-1, initial=1.0)
    plain = np.where(least >= LIMITS.sure_number, seen.kinds[:, KINDS.index("face")] * least, 0.0)
    return np.asarray(np.maximum(found * (1 - seen.kinds[:, KINDS.index("nothing")]), plain))
