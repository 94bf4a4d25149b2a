"""What is to be seen in the outlines of Comet cards: how surely each is a card, and what it shows."""

from dataclasses import dataclass

import numpy as np

from companion.games.comet.vision.classifier import SURE, Numerals
from companion.games.comet.vision.gap_rejection import is_gap
from companion.games.comet.vision.merged_cards import burnt_pairs, parted
from companion.games.comet.vision.numeral_crops import KINDS, NUMBERS, Opinions
from companion.games.comet.vision.numeral_tta import looked_again
from companion.games.comet.vision.size_check import fits, widths_beside
from companion.vision.image.pyramid import Pyramid

PLAIN = 0.7
"""What is found so surely is looked at no closer."""
_LIKELY, _FITTING = 0.25, 0.65
"""On an outline found less surely, but with edges and as large as the cards beside it, print says that a card is there.

In 386 pictures this held for each such outline."""
_ALONE = 0.97
"""Print is two numbers, or one read so surely that is no eight: that may be two rings of a cloth."""
_LARGE, _CERTAIN = 1.32, 0.9
"""What shows no number, is found less surely and is so many times wider than the cards beside it is none."""


@dataclass(frozen=True, slots=True, eq=False)
class SeenOutlines:
    """What is seen in outlines.

    Attributes:
        corners: the outlines (N, 4, 2).
        presence: how surely each is a card (N,).
        sections: probabilities (N, 3, 15), see `numerals.Opinions.sections`.
        is_about: whether the card lies upside down as its corners begin (N,).
    """

    corners: np.ndarray
    presence: np.ndarray
    sections: np.ndarray
    is_about: np.ndarray


def looked_at(pyramid: Pyramid, corners: np.ndarray, found: np.ndarray, namer: Numerals) -> SeenOutlines:
    """What is to be seen in the outlines (N, 4, 2), found so surely (N,); those of two burnt cards parted in two."""
    opinions = namer.opinions(pyramid, corners)
    sections = opinions.sections()
    first = _presence(found, opinions, sections)
    is_read = (sections[:, :, : len(NUMBERS)] >= SURE).any((1, 2))
    wider, is_likely = widths_beside(corners, first), first >= _LIKELY
    presence = np.where(~is_read & (wider > _LARGE) & (first < _CERTAIN), 0.0, first)
    for i in np.flatnonzero(_is_print(sections) & fits(wider) & is_likely & (first < _FITTING)):
        if not is_gap(pyramid, corners[i], list(corners[first >= PLAIN])):
            presence[i] = _FITTING
    sections = looked_again(namer, pyramid, corners, sections, is_read & is_likely)
    seen = SeenOutlines(corners, presence, sections, opinions.upright < 0.5)
    is_pair = burnt_pairs(pyramid, corners, wider, ~is_read & is_likely)
    return _with_parts(seen, is_pair, pyramid, namer) if is_pair.any() else seen


def _with_parts(seen: SeenOutlines, is_pair: np.ndarray, pyramid: Pyramid, namer: Numerals) -> SeenOutlines:
    """Two outlines for each of two cards; a back is not told there: white faces and white backs look alike."""
    parts = parted(seen.corners[is_pair])
    opinions = namer.opinions(pyramid, parts)
    sections = opinions.sections()
    sections[:, :, len(NUMBERS)] = 0.0
    return SeenOutlines(
        np.concatenate([seen.corners[~is_pair], parts]),
        np.concatenate([seen.presence[~is_pair], np.full(len(parts), PLAIN)]),
        np.concatenate([seen.sections[~is_pair], sections]),
        np.concatenate([seen.is_about[~is_pair], opinions.upright < 0.5]),
    )


def _is_print(sections: np.ndarray) -> np.ndarray:
    """Whether what is read on outlines may be no pattern of a cloth (N,)."""
    numbers = sections[:, :, : len(NUMBERS)]
    alone = np.delete(numbers, NUMBERS.index(8), axis=2).max((1, 2))
    return np.asarray(((numbers.max(-1) >= SURE).sum(1) > 1) | (alone >= _ALONE))


def _presence(found: np.ndarray, seen: Opinions, sections: np.ndarray) -> np.ndarray:
    """That a card is there (N,): it was found and does not look like nothing, or all its numbers are plain.

    Two plain numbers are not enough, nor a third that is likely: the rings of a patterned cloth may read as eights.
    """
    least = sections[:, :, : len(NUMBERS)].max(-1).min(-1, initial=1.0)
    plain = np.where(least >= SURE, seen.kinds[:, KINDS.index("face")] * least, 0.0)
    return np.asarray(np.maximum(found * (1 - seen.kinds[:, KINDS.index("nothing")]), plain))
