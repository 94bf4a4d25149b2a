"""Reading a Hex'el table: the stages in order, from a picture to a reading, with the time each took."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from companion.games.hexel.vision.classifier import PretrainedSymbols, SymbolClassifier
from companion.games.hexel.vision.detector import CORNER_REFINER, DETECTOR
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.lattice import Lattice, find_lattice
from companion.games.hexel.vision.neighbour_search import find_neighbours, is_one
from companion.games.hexel.vision.occlusion import cover_test
from companion.games.hexel.vision.outline_tta import reclassify_with_jitter
from companion.games.hexel.vision.plausibility import (
    FROM_THE_SIDE,
    WITHOUT_COLOUR,
    accept_cards,
    assess,
    unread,
    without_colour,
)
from companion.games.hexel.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell, rotated
from companion.vision.detection.corner_refiner import refine_corners
from companion.vision.detection.detector import Detection, corners_of
from companion.vision.detection.verification import TOO_STEEP, Find, is_too_steep, verify
from companion.vision.geometry.shapes import HEXAGON
from companion.vision.image.pyramid import Pyramid, has_colour
from companion.vision.results import NO_COLOUR, DetectedCard, Reading, ReadingWarning, Stopwatch, in_own_frame
from companion.vision.tracking.regions import Unchanged


def read_hexel(bgr: np.ndarray, classifier: SymbolClassifier | None = None, across_px: float | None = None) -> Reading:
    """Read a Hex'el table from one picture, without history.

    Args:
        bgr: uint8 (h, w, 3).
        namer: how symbols get their names; None for the reference printing, its edition by what is seen.
        across_px: how wide cards are, edge to edge, when known: the picture is then searched at the cheapest scale.

    Returns:
        The reading; without cards it carries the warning ``nothing-found``.
    """
    classifier = classifier or PretrainedSymbols()
    clock = Stopwatch()
    pyramid = Pyramid.of(bgr)
    clock.lap("shrink")
    hints = DETECTOR.detect(pyramid, LIMITS.faint_hint, across_px)
    found = [hint for hint in hints if hint.confidence >= LIMITS.hint]
    corners = refine_corners(CORNER_REFINER, pyramid, corners_of(found), times=2)
    clock.lap("find")
    cards, said, rest = _reject_false_positives(pyramid, found, corners, hints, classifier)
    clock.lap("name")
    if not cards:
        return Reading(
            (), (), (ReadingWarning("nothing-found", "no Hex'el card on this picture"),), classifier, clock.laps
        )
    certain = corners_of(cards)
    is_card = np.arange(len(cards) + len(rest)) < len(cards)
    place = _placed_in_lattice(np.concatenate([certain, rest]), is_card, cover_test(pyramid, certain))
    clock.lap("lattice")
    reading = _verified(pyramid, _assess_cards(cards, place, said, classifier, bgr))
    clock.lap("judge")
    return replace(reading, stages_ms=clock.laps)


def _verified(pyramid: Pyramid, reading: Reading) -> Reading:
    """The reading of what are Hex'el cards by their edges, as far as that is in doubt; of colours in colour only."""
    cards = (*reading.cards, *reading.loose)
    verdict = verify(pyramid, [_as_find(card) for card in cards], reading.warnings, LIMITS.table)
    kept = [card for card, stays in zip(cards, verdict.stays, strict=True) if stays]
    warnings = verdict.warnings
    if kept and is_too_steep(HEXAGON, [card.corners for card in kept]):
        doubted = [card for card in kept if set(card.edges) != {None}]
        warnings += (TOO_STEEP, *(ReadingWarning("unsure", FROM_THE_SIDE, card.centre) for card in doubted))
        kept = [unread(card) for card in kept]
    elif kept and not has_colour(pyramid, [card.corners for card in kept]):
        kept, before = [without_colour(card) for card in kept], kept
        doubted = [new for new, old in zip(kept, before, strict=True) if new.edges != old.edges]
        warnings += (NO_COLOUR, *(ReadingWarning("unsure", WITHOUT_COLOUR, card.centre) for card in doubted))
    tableau, loose = ([c for c in kept if (c.cell is None) == is_loose] for is_loose in (False, True))
    return replace(reading, cards=tuple(tableau), loose=tuple(loose), warnings=warnings)


def _as_find(card: DetectedCard) -> Find:
    is_sure = None not in card.edges and card.presence >= LIMITS.sure_find
    return Find(card.corners, card.presence, set(card.edges) != {None}, is_sure)


def read_unknown(
    bgr: np.ndarray, classifier: SymbolClassifier | None, across_px: float, unchanged: Unchanged
) -> Reading:
    """Read a piece of a Hex'el table of which something is known: what else lies there.

    Args:
        bgr: uint8 (h, w, 3).
        namer: see `read_hexel`.
        across_px: how wide cards are, edge to edge.
        unchanged: its cards tell how the others lie, and are neither measured nor named again.
    """
    known = unchanged.cards
    classifier = classifier or PretrainedSymbols()
    pyramid = Pyramid.of(bgr)
    hints = unchanged.but(DETECTOR.detect(pyramid, LIMITS.faint_hint, across_px))
    found = [hint for hint in hints if hint.confidence >= LIMITS.likely_beside_known]
    corners = refine_corners(CORNER_REFINER, pyramid, corners_of(found))
    cards, said, _ = _reject_false_positives(pyramid, found, corners, hints, classifier, [c.corners for c in known])
    if not cards:
        return Reading((), (), (), classifier)
    cards += [Detection(c.corners, c.presence) for c in known]
    place = find_lattice(np.stack([c.corners for c in cards]))
    both = np.concatenate([said, *(in_own_frame(c).probabilities[None] for c in known)])
    reading = _assess_cards(cards, place, both, classifier, bgr)

    def is_unknown(card: DetectedCard) -> bool:
        return not any(card.corners is other.corners for other in known)

    return replace(
        reading, cards=tuple(filter(is_unknown, reading.cards)), loose=tuple(filter(is_unknown, reading.loose))
    )


def _reject_false_positives(
    pyramid: Pyramid,
    found: Sequence[Detection],
    corners: np.ndarray,
    hints: Sequence[Detection],
    classifier: SymbolClassifier,
    known: Sequence[np.ndarray] = (),
) -> tuple[list[Detection], np.ndarray, np.ndarray]:
    """The cards, the probabilities (N, 6, C) of their symbols, and the outlines (M, 6, 2) of what else was found.

    Args:
        pyramid: the picture.
        found: what may be cards, surest first.
        corners: (K, 6, 2), their exact outlines.
        hints: all that the finder saw, however unsurely.
        namer: how symbols get their names.
        known: the outlines of cards that are known besides.
    """
    probabilities = classifier.classify(pyramid, corners)
    if isinstance(classifier, FewShotSymbols):
        corners, probabilities = reclassify_with_jitter(pyramid, corners, probabilities, classifier)
    is_card = accept_cards(found, probabilities, classifier)
    cards = [Detection(c, f.confidence) for c, f, one in zip(corners, found, is_card, strict=True) if one]
    rest, said = corners[~is_card], probabilities[is_card]
    seen = np.array([*known, *corners[is_card]], np.float32).reshape(-1, 6, 2)
    if isinstance(classifier, FewShotSymbols) and len(seen):
        more, told = find_neighbours(pyramid, seen, hints, classifier)
        cards, said = [*cards, *more], np.concatenate([said, *(p[None] for p in told)])
        rest = np.array([r for r in rest if not any(is_one(r, c.corners) for c in more)], np.float32).reshape(-1, 6, 2)
    return cards, said, rest


def _assess_cards(
    cards: list[Detection], place: Lattice, probabilities: np.ndarray, classifier: SymbolClassifier, bgr: np.ndarray
) -> Reading:
    """What of the cards may be stated, from probabilities (N, 6, C) in order of their own edges."""
    turned = np.stack([p[[(d - e) % 6 for d in range(6)]] for p, e in zip(probabilities, place.east, strict=True)])
    return assess(tuple(cards), place, turned, classifier.settled(turned), (bgr.shape[1], bgr.shape[0]))


def outlines(
    pyramid: Pyramid, across_px: float | None = None, least: float = 0.45
) -> tuple[tuple[Detection, ...], np.ndarray]:
    """The cards on a picture, surest first, and their exact corners (N, 6, 2) float32; whatever is printed on them."""
    found = DETECTOR.detect(pyramid, least, across_px)
    return found, refine_corners(CORNER_REFINER, pyramid, corners_of(found), times=2)


def _placed_in_lattice(corners: np.ndarray, is_card: np.ndarray, is_covered: Callable[[np.ndarray], bool]) -> Lattice:
    """Where every card lies.

    What is no card by itself, such as one under a hand, may be the bridge between two parts of the tableau: it is let
    in where that leaves all cells of the cards alone as they are and brings more cards into the tableau.

    Args:
        corners: (N, 6, 2) of cards and hints.
        is_card: (N,) bool.
        is_covered: whether something lies over a place; see `lattice`.
    """
    alone = find_lattice(corners[is_card], is_covered)
    if is_card.all() or None not in alone.cells:
        return alone
    bridged = _only(find_lattice(corners, is_covered), np.flatnonzero(is_card))
    pairs = {
        new: old for new, old in zip(bridged.cells, alone.cells, strict=True) if new is not None and old is not None
    }
    settled = sum(c is not None for c in alone.cells)
    if len(pairs) < settled or sum(c is not None for c in bridged.cells) <= settled:
        return alone
    return bridged if any(_turns_into(pairs, turns) for turns in range(6)) else alone


def _turns_into(pairs: Mapping[Cell, Cell], turns: int) -> bool:
    """Whether the new cells are the old ones, all turned so far and then shifted alike."""
    turned = [(rotated(new, turns), old) for new, old in pairs.items()]
    return len({(q - new_q, r - new_r) for (new_q, new_r), (q, r) in turned}) == 1


def _only(lattice: Lattice, chosen: np.ndarray) -> Lattice:
    """The lattice of some of its cards."""
    return replace(
        lattice,
        cells=tuple(lattice.cells[i] for i in chosen),
        east=tuple(lattice.east[i] for i in chosen),
        unsettled=frozenset(k for k, i in enumerate(chosen) if i in lattice.unsettled),
    )
