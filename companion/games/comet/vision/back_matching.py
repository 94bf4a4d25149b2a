"""Whether outlines that look like backs show the back of one deck: how much each differs from each other."""

from collections.abc import Sequence

import cv2
import numpy as np

from companion.games.comet.vision.numeral_crops import cut_cards
from companion.vision.image.pyramid import Pyramid

_SIZE = (9, 12)
"""A back is compared in so few colours: its pattern may be seen askew, or unsharp."""
_SHARE = 0.5
"""So much of two backs is compared, where they are most alike: a hand may lie on the rest."""

SURE = 0.7
"""A back found so surely tells what the deck's backs look like."""
_CERTAIN = 0.85
"""One found so surely is none strange to the deck."""
_ENOUGH = 2
"""So many others must tell what is strange: one alone may be no card itself."""
_ALIKE, _STRANGE = 0.06, 0.2


def unlikeness(pyramid: Pyramid, corners: Sequence[np.ndarray]) -> np.ndarray:
    """How much outlines (4, 2) differ from each other, either way up: (N, N) in shares of white, inf with themselves.

    It is by how much they differ at most within the half where they are most alike. On 80 hard pictures nearly all
    doubtful backs differ by less than 0.06 from the most alike of the others, all else by 0.07 at least, mostly 0.24.
    """
    count = len(corners)
    if not count:
        return np.zeros((0, 0))
    patches = cut_cards(pyramid, np.array(corners, np.float32))
    looks = np.stack([cv2.resize(one, _SIZE, interpolation=cv2.INTER_AREA)[1:-1, 1:-1] for one in patches])
    usual = np.median(looks.max(-1, keepdims=True), axis=(1, 2), keepdims=True)
    looks = np.minimum(looks / np.maximum(usual, 12.0), 2.0)
    both = np.stack([looks, looks[:, ::-1, ::-1]])
    apart = np.abs(looks[:, None, None] - both.transpose(1, 0, 2, 3, 4)[None]).mean(-1).reshape(count, count, 2, -1)
    return np.asarray(np.quantile(apart, _SHARE, axis=-1).min(-1) + np.where(np.eye(count) > 0, np.inf, 0.0))


def compared(off: np.ndarray, presence: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which backs are like one that is found surely, and which are strange to this deck: two times bool (N,).

    Args:
        off: how much each differs from each other.
        presence: how surely each is found.
    """
    sure, strange = presence >= SURE, np.zeros(len(presence), bool)
    for _ in range(2):  # what is strange itself says nothing of others
        others = np.where(sure & ~strange, off, np.inf)
        enough = (np.isfinite(others)).sum(1) >= _ENOUGH
        strange = (presence < _CERTAIN) & enough & (others.min(1, initial=np.inf) > _STRANGE)
    others = np.where(sure & ~strange, off, np.inf)
    return others.min(1, initial=np.inf) < _ALIKE, strange
