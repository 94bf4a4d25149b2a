"""Looks at a table of a taught printing again: for cards beside those found, and at uncertain cards from elsewhere.

Light on a card hides it from a detector that does not know its printing, but cards of a tableau touch: each place
beside a card with a faint detection is classified, and is a card if all six symbols are accepted.

An outline that is a little off distorts every symbol; refined from elsewhere it often fits better. The outline with the
embeddings nearest to the prototypes is kept, if they are clearly nearer. Confidences do not count: among many outlines
one is always confident.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.any_print import PRINTED_CONFIDENCE
from companion.games.hexel.vision.detector import CORNER_REFINER
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.plausibility import neighbouring_places
from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.detection.detector import Detection, corners_of, refine_corners
from companion.vision.edge_refinement import refine
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid


def refit_from_neighbours(
    pyramid: Pyramid,
    found: Sequence[Detection],
    corners: NDArray[np.float32],
    classifier: FewShotSymbols,
    known: Sequence[NDArray[np.floating]] = (),
) -> tuple[list[Detection], NDArray[np.float32]]:
    """Detections and their outlines (N, 6, 2): one through which no card looks as it was taught gives way to a place
    beside a card that does, where one does there.

    Where print runs along the edges, outlines follow it on one side and an edge on another, or lie across two cards.

    Args:
        found: the detections.
        corners: (N, 6, 2), their outlines.
        classifier: of the printing.
        known: the outlines of known cards.
    """
    pieces = [Detection(outline, one.confidence) for outline, one in zip(corners, found, strict=True)]
    for _ in range(LIMITS.steps):
        misfit = classifier.misfit(pyramid, corners_of(pieces))
        best = LIMITS.like_best * float(misfit.min(initial=np.inf))
        fits = misfit < (limit := float(np.clip(best, LIMITS.as_taught, LIMITS.foreign_squared)))
        read = np.array([*known, *corners_of(pieces)[fits]], np.float32).reshape(-1, 6, 2)
        unread = [one for one, fit in zip(pieces, fits, strict=True) if not fit]
        if not len(read) or not unread:
            break
        placed = _fitting_neighbours(pyramid, read, corners_of(unread), classifier, limit)
        if not placed:
            break
        for place in placed:
            under = [one for one in unread if _is_near(one.corners, place[None], LIMITS.across_within)]
            pieces = [one for one in pieces if all(one is not other for other in under)]
            pieces.append(Detection(place, max([PRINTED_CONFIDENCE, *(one.confidence for one in under)])))
    pieces.sort(key=lambda one: -one.confidence)
    return pieces, corners_of(pieces)


def _fitting_neighbours(
    pyramid: Pyramid, read: NDArray[np.float32], unread: NDArray[np.float32], classifier: FewShotSymbols, limit: float
) -> list[NDArray[np.float32]]:
    """Places (6, 2) beside cards that are ``read`` (N, 6, 2) where outlines ``unread`` (M, 6, 2) lie, and a card looks
    as it was taught, the best first.
    """
    places = [one for one in neighbouring_places(read) if _is_near(one, unread, LIMITS.across_within)]
    if not places:
        return []
    begun = np.array(places[: LIMITS.most_refitted], np.float32)
    ways = np.concatenate([begun[None], _refine_both_ways(pyramid, begun)])
    off = classifier.misfit(pyramid, ways.reshape(-1, 6, 2)).reshape(ways.shape[:2])
    best, least = ways[off.argmin(0), np.arange(len(begun))], off.min(0)
    some = _suppress_nearby(best, least, read[:0], LIMITS.may_fit, LIMITS.one_within)[: LIMITS.most_places]
    if not some:
        return []
    moved, least = _refined_by_misfit(pyramid, best[some], least[some], classifier)
    return [moved[i] for i in _suppress_nearby(moved, least, read, limit, LIMITS.taken_within)]


def _suppress_nearby(
    outlines: NDArray[np.float32], misfit: NDArray[np.floating], others: NDArray[np.float32], limit: float, share: float
) -> list[int]:
    """Which outlines (M, 6, 2) of a ``misfit`` (M,) below a limit lie apart from each other and from others, by such a
    share of their circumradii; those that fit best first.
    """
    kept: list[int] = []
    for i in np.argsort(misfit).tolist():
        taken = np.concatenate([others, outlines[kept]])
        if misfit[i] < limit and not (len(taken) and _is_near(outlines[i], taken, share)):
            kept.append(i)
    return kept


def _refined_by_misfit(
    pyramid: Pyramid, outlines: NDArray[np.float32], misfit: NDArray[np.floating], classifier: FewShotSymbols
) -> tuple[NDArray[np.float32], NDArray[np.floating]]:
    """Outlines (M, 6, 2) of some ``misfit`` (M,) moved a little, step by step, to where it is least, and that."""
    for share in LIMITS.fitting_steps:
        moved = np.stack([np.stack([one, *_jittered(one, share)]) for one in outlines]).astype(np.float32)
        off = classifier.misfit_of_variants(pyramid, outlines, moved[:, 1:])
        every = np.concatenate([misfit[:, None], off], axis=1)
        outlines, misfit = moved[np.arange(len(moved)), every.argmin(1)], every.min(1)
    return outlines, misfit


def find_neighbours(
    pyramid: Pyramid, known: NDArray[np.floating], hints: Sequence[Detection], classifier: FewShotSymbols
) -> tuple[list[Detection], list[NDArray[np.floating]]]:
    """The cards found, and the probabilities (6, C) of their symbols.

    Args:
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
            in_place = np.linalg.norm(corners - place, axis=1).max() < LIMITS.off_most * _radii(place[None])[0]
            if in_place and None not in classifier.accept(p) and not _is_near(corners, known, LIMITS.taken_within):
                cards.append(Detection(corners, max(confidence, LIMITS.sure_neighbour)))
                found.append(p)
                known = np.concatenate([known, corners[None]])
        if len(cards) == before:
            break
    return cards, found


def _best_fit(pyramid: Pyramid, places: NDArray[np.float32], classifier: FewShotSymbols) -> NDArray[np.float32]:
    """Places (M, 6, 2) made exact by the refiner that fits better."""
    ways = _refine_both_ways(pyramid, places)
    off = classifier.misfit(pyramid, ways.reshape(-1, 6, 2)).reshape(ways.shape[:2])
    return np.asarray(ways[off.argmin(0), np.arange(len(places))])


def _refine_both_ways(pyramid: Pyramid, outlines: NDArray[np.float32]) -> NDArray[np.float32]:
    """Outlines (N, 6, 2) by the refiner of Hex'el's drawings and by that of any card's edges: (2, N, 6, 2)."""
    drawn = refine_corners(CORNER_REFINER, pyramid, outlines, times=2)
    any_card = np.array([one.corners for one in refine(pyramid, list(outlines.astype(np.float64)))], np.float32)
    return np.stack([drawn, any_card])


def is_same_card(corners: NDArray[np.floating], other: NDArray[np.floating]) -> bool:
    """Whether two outlines (6, 2) are of one card."""
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
        if off.min() < LIMITS.hinted_within * _radii(place[None])[0] and is_new:
            chosen.append(place)
            confidences.append(hint.confidence)
    return np.array(chosen, np.float32).reshape(-1, 6, 2), confidences


def _is_near(corners: NDArray[np.floating], others: NDArray[np.floating], share: float) -> bool:
    """Whether an outline's centre is within a share of the circumradius of one of others (N, 6, 2)."""
    off = np.linalg.norm(others.mean(1) - corners.mean(0), axis=1)
    return bool((off < share * _radii(others)).any())


def _radii(outlines: NDArray[np.floating]) -> NDArray[np.floating]:
    """The mean distance (N,) of the corners of outlines (N, 6, 2) from their centres."""
    return np.asarray(np.linalg.norm(outlines - outlines.mean(1, keepdims=True), axis=2).mean(1))


def reclassify_with_jitter(
    pyramid: Pyramid, corners: NDArray[np.floating], probabilities: NDArray[np.floating], classifier: FewShotSymbols
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """The outlines (N, 6, 2) and probabilities (N, 6, C), improved where a symbol is uncertain or the outline fits ill.

    Args:
        corners: the outlines, surest first.
        probabilities: of the symbols at its own edges.
        classifier: of the printing.
    """
    accepted = np.array([sum(name is not None for name in classifier.accept(p)) for p in probabilities])
    are_many = len(corners) >= LIMITS.fewest_fitting
    if not are_many and (accepted == 6).all():
        return corners, probabilities
    misfit = classifier.misfit(pyramid, corners)
    fits_ill = are_many & (misfit > LIMITS.ill_fit * np.median(misfit))
    is_doubtful = (accepted >= LIMITS.fewest_sure) & ((accepted < 6) | fits_ill)
    doubtful = np.flatnonzero(is_doubtful)[: LIMITS.most_outlines]
    if not len(doubtful):
        return corners, probabilities
    jittered = np.stack([_jittered(corners[i]) for i in doubtful])
    drawn, any_card = _refine_both_ways(pyramid, jittered.reshape(-1, 6, 2))
    refined = np.concatenate([drawn.reshape(jittered.shape), any_card.reshape(jittered.shape)], axis=1)
    before = misfit[doubtful]
    best, after = classifier.best_variants(pyramid, corners, doubtful, refined, _stay_near(refined, corners[doubtful]))
    better = np.flatnonzero(after < LIMITS.better_share * before)
    if not len(better):
        return corners, probabilities
    corners = corners.copy()
    corners[doubtful[better]] = refined[better, best[better]]
    return corners, classifier.classify(pyramid, corners)


def _jittered(corners: NDArray[np.floating], share: float = 1.0) -> NDArray[np.floating]:
    """Variants (7, 6, 2) of an outline (6, 2): shifted three ways, smaller, larger, and rotated both ways, by such a
    share of the usual.
    """
    centre, affine = HEXAGON.pose_of(corners)
    shift, turn = share * LIMITS.jitter_shift, share * LIMITS.jitter_turn_deg
    shifted = [centre + affine @ (shift * HEXAGON.unit[k]) + HEXAGON.unit @ affine.T for k in (0, 2, 4)]
    scaled = [centre + HEXAGON.unit @ (affine * growth**share).T for growth in LIMITS.jitter_growth]
    rotated = [centre + HEXAGON.unit @ (affine @ _rotation(degrees)).T for degrees in (-turn, turn)]
    return np.array([*shifted, *scaled, *rotated], np.float32)


def _rotation(degrees: float) -> NDArray[np.floating]:
    sine, cosine = np.sin(np.radians(degrees)), np.cos(np.radians(degrees))
    return np.array([[cosine, -sine], [sine, cosine]])


def _stay_near(outlines: NDArray[np.floating], found: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which variants (N, W, 6, 2) of outlines (N, 6, 2) stay near them: (N, W) bool."""
    reach = np.linalg.norm(found[:, 0] - found[:, 3], axis=-1) / 2
    off = np.linalg.norm(outlines.mean(2) - found.mean(1)[:, None], axis=-1)
    return np.asarray(off < LIMITS.near_outline * reach[:, None])
