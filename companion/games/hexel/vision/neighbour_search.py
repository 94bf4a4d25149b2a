"""Cards of a learnt Hex'el printing beside those that are seen, where the finder saw hardly anything.

Light that lies on a card hides it from a finder that was not taught its printing, not from who knows where to look:
cards of a tableau touch. Where a neighbour would lie is looked at wherever the finder has the least hint of one, and
only what shows six certain symbols there is a card.
"""

from collections.abc import Sequence

import numpy as np

from companion.games.hexel.vision.detector import CORNER_REFINER
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.occlusion import neighbouring_places
from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.detection.corner_refiner import refine_corners
from companion.vision.detection.detector import Detection
from companion.vision.image.pyramid import Pyramid


def find_neighbours(
    pyramid: Pyramid, known: np.ndarray, hints: Sequence[Detection], classifier: FewShotSymbols
) -> tuple[list[Detection], list[np.ndarray]]:
    """The cards that hints and their neighbours tell of together, and their symbols' probabilities (6, C).

    Args:
        pyramid: the picture.
        known: (N, 6, 2) the cards that are seen.
        hints: what the finder saw besides, however unsurely, surest first.
        namer: the printing.
    """
    cards: list[Detection] = []
    said: list[np.ndarray] = []
    for _ in range(LIMITS.steps):
        hints = [hint for hint in hints if not _is_near(hint.corners, known, LIMITS.one_within)]
        places, sure = _hinted(neighbouring_places(known), hints)
        if not len(places):
            break
        exact = refine_corners(CORNER_REFINER, pyramid, places, times=2)
        before = len(cards)
        for place, corners, certain, p in zip(places, exact, sure, classifier.classify(pyramid, exact), strict=True):
            in_place = np.linalg.norm(corners - place, axis=1).max() < LIMITS.off_most * _radius(place)
            if in_place and None not in classifier.accept(p) and not _is_near(corners, known, LIMITS.taken_within):
                cards.append(Detection(corners, max(certain, LIMITS.sure_neighbour)))
                said.append(p)
                known = np.concatenate([known, corners[None]])
        if len(cards) == before:
            break
    return cards, said


def is_one(corners: np.ndarray, other: np.ndarray) -> bool:
    """Whether two outlines are of one card."""
    return _is_near(corners, other[None], LIMITS.one_within)


def _hinted(places: np.ndarray, hints: Sequence[Detection]) -> tuple[np.ndarray, list[float]]:
    """Of places (M, 6, 2) those nearest to a hint, each once, and how sure that is."""
    chosen: list[np.ndarray] = []
    sure: list[float] = []
    for hint in hints if len(places) else ():
        if len(chosen) == LIMITS.most_places:
            break
        off = np.linalg.norm(places.mean(1) - hint.corners.mean(0), axis=1)
        place = places[int(off.argmin())].astype(np.float32)
        is_new = not chosen or not _is_near(place, np.stack(chosen), LIMITS.one_within)
        if off.min() < LIMITS.hinted_within * _radius(place) and is_new:
            chosen.append(place)
            sure.append(hint.confidence)
    return np.array(chosen, np.float32).reshape(-1, 6, 2), sure


def _is_near(corners: np.ndarray, others: np.ndarray, share: float) -> bool:
    """Whether an outline's centre lies within that share of a circumradius of one of others' (N, 6, 2)."""
    off = np.linalg.norm(others.mean(1) - corners.mean(0), axis=1)
    return bool((off < share * np.array([_radius(other) for other in others])).any())


def _radius(corners: np.ndarray) -> float:
    """The mean way from an outline's centre to its corners."""
    return float(np.linalg.norm(corners - corners.mean(0), axis=1).mean())
