"""Searches cards of a taught printing beside detected ones, where the detector has only faint hints.

Light on a card hides it from a detector that does not know its printing, but cards of a tableau touch: each place
beside a card with a faint detection is classified, and is a card if all six symbols are accepted.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.detector import CORNER_REFINER
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.plausibility import neighbouring_places
from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.detection.detector import Detection, refine_corners
from companion.vision.edge_refinement import refine
from companion.vision.image.pyramid import Pyramid


def find_neighbours(
    pyramid: Pyramid, known: NDArray[np.floating], hints: Sequence[Detection], classifier: FewShotSymbols
) -> tuple[list[Detection], list[NDArray[np.floating]]]:
    """The cards found, and the probabilities (6, C) of their symbols.

    Args:
        pyramid: the picture.
        known: (N, 6, 2), the cards detected so far.
        hints: faint detections, the surest first.
        classifier: of the printing.
    """
    cards: list[Detection] = []
    found: list[NDArray[np.floating]] = []
    for _ in range(LIMITS.steps):
        hints = [hint for hint in hints if not _is_near(hint.corners, known, LIMITS.one_within)]
        places, confidences = _places_with_hints(neighbouring_places(known), hints)
        if not len(places):
            break
        refined = _best_fit(pyramid, places, classifier)
        before = len(cards)
        answers = classifier.classify(pyramid, refined)
        for place, corners, confidence, p in zip(places, refined, confidences, answers, strict=True):
            in_place = np.linalg.norm(corners - place, axis=1).max() < LIMITS.off_most * _radius(place)
            if in_place and None not in classifier.accept(p) and not _is_near(corners, known, LIMITS.taken_within):
                cards.append(Detection(corners, max(confidence, LIMITS.sure_neighbour)))
                found.append(p)
                known = np.concatenate([known, corners[None]])
        if len(cards) == before:
            break
    return cards, found


def _best_fit(pyramid: Pyramid, places: NDArray[np.float32], classifier: FewShotSymbols) -> NDArray[np.float32]:
    """Places (M, 6, 2) made exact by the refiner of the game's drawings, and by that of any card's edges, as fits."""
    drawn = refine_corners(CORNER_REFINER, pyramid, places, times=2)
    any_card = np.array([r.corners for r in refine(pyramid, list(places.astype(np.float64)))], np.float32)
    ways = np.stack([drawn, any_card])
    off = classifier.misfit(pyramid, ways.reshape(-1, 6, 2)).reshape(ways.shape[:2])
    return np.asarray(ways[off.argmin(0), np.arange(len(places))])


def is_same_card(corners: NDArray[np.floating], other: NDArray[np.floating]) -> bool:
    """Whether two outlines are of one card."""
    return _is_near(corners, other[None], LIMITS.one_within)


def _places_with_hints(
    places: NDArray[np.floating], hints: Sequence[Detection]
) -> tuple[NDArray[np.float32], list[float]]:
    """The places (M, 6, 2) nearest to a hint, each once, with the hints' confidences."""
    chosen: list[NDArray[np.floating]] = []
    confidences: list[float] = []
    for hint in hints if len(places) else ():
        if len(chosen) == LIMITS.most_places:
            break
        off = np.linalg.norm(places.mean(1) - hint.corners.mean(0), axis=1)
        place = places[int(off.argmin())].astype(np.float32)
        is_new = not chosen or not _is_near(place, np.stack(chosen), LIMITS.one_within)
        if off.min() < LIMITS.hinted_within * _radius(place) and is_new:
            chosen.append(place)
            confidences.append(hint.confidence)
    return np.array(chosen, np.float32).reshape(-1, 6, 2), confidences


def _is_near(corners: NDArray[np.floating], others: NDArray[np.floating], share: float) -> bool:
    """Whether an outline's centre is within a share of the circumradius of one of others (N, 6, 2)."""
    off = np.linalg.norm(others.mean(1) - corners.mean(0), axis=1)
    return bool((off < share * np.array([_radius(other) for other in others])).any())


def _radius(corners: NDArray[np.floating]) -> float:
    """The mean distance of an outline's corners from its centre."""
    return float(np.linalg.norm(corners - corners.mean(0), axis=1).mean())
