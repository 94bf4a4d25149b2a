"""Cards of a learnt Hex'el printing beside those that are seen, where the finder saw hardly anything.

Light that lies on a card hides it from a finder that was not taught its printing, not from who knows where to look:
cards of a tableau touch. Where a neighbour would lie is looked at wherever the finder has the least hint of one, and
only what shows six certain symbols there is a card.
"""

from collections.abc import Sequence

import numpy as np

from companion.games.hexel.vision.classifier import Learnt
from companion.games.hexel.vision.detector import CORNER_REFINER
from companion.games.hexel.vision.occlusion import beside
from companion.vision.detection.corner_refiner import refine_corners
from companion.vision.detection.detector import Detection
from companion.vision.image.pyramid import Pyramid

FAINT = 0.03
"""The finder's certainty that is hint enough to look."""
_HINTED = 0.8
"""How far from a place its hint lies at most, in circumradii."""
_OFF = 0.2
"""So far from where a neighbour would have it each corner lies at most, in circumradii."""
_TAKEN, _ONE = 1.25, 0.6
"""Two cards' centres lie farther apart than the first, in circumradii; places nearer than the second are one."""
_MOST = 6
"""So many places are looked at a step, the likeliest ones: time is short."""
_STEPS = 3
"""So far from a card that was found the walk leads, in cards."""
_SURE = 0.5
"""How surely a card lies where six certain symbols are in place, at least."""


def cards_beside(
    pyramid: Pyramid, known: np.ndarray, hints: Sequence[Detection], namer: Learnt
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
    for _ in range(_STEPS):
        hints = [hint for hint in hints if not _is_near(hint.corners, known, _ONE)]
        places, sure = _hinted(beside(known), hints)
        if not len(places):
            break
        exact = refine_corners(CORNER_REFINER, pyramid, places, times=2)
        before = len(cards)
        for place, corners, certain, p in zip(places, exact, sure, namer.probabilities(pyramid, exact), strict=True):
            in_place = np.linalg.norm(corners - place, axis=1).max() < _OFF * _radius(place)
            if in_place and None not in namer.accepted(p) and not _is_near(corners, known, _TAKEN):
                cards.append(Detection(corners, max(certain, _SURE)))
                said.append(p)
                known = np.concatenate([known, corners[None]])
        if len(cards) == before:
            break
    return cards, said


def is_one(corners: np.ndarray, other: np.ndarray) -> bool:
    """Whether two outlines are of one card."""
    return _is_near(corners, other[None], _ONE)


def _hinted(places: np.ndarray, hints: Sequence[Detection]) -> tuple[np.ndarray, list[float]]:
    """Of places (M, 6, 2) those nearest to a hint, each once, and how sure that is."""
    chosen: list[np.ndarray] = []
    sure: list[float] = []
    for hint in hints if len(places) else ():
        if len(chosen) == _MOST:
            break
        off = np.linalg.norm(places.mean(1) - hint.corners.mean(0), axis=1)
        place = places[int(off.argmin())].astype(np.float32)
        is_new = not chosen or not _is_near(place, np.stack(chosen), _ONE)
        if off.min() < _HINTED * _radius(place) and is_new:
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
