"""Reading a Hex'el table: the stages in order, from a picture to a reading, with the time each took."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.any_print import with_any_print
from companion.games.hexel.vision.classifier import PretrainedSymbols, SymbolClassifier, raw_patches
from companion.games.hexel.vision.detector import CORNER_REFINER, DETECTOR
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.lattice import Lattice, find_lattice, lattice_of_cards
from companion.games.hexel.vision.plausibility import (
    accept_cards,
    assess,
    lie_on_read,
    show_one_face,
    table_similarity,
    unread,
    without_colour,
)
from companion.games.hexel.vision.prototypes import FRAME
from companion.games.hexel.vision.reexamination import (
    find_neighbours,
    is_same_card,
    reclassify_with_jitter,
    refit_from_neighbours,
)
from companion.games.hexel.vision.thresholds import LIMITS
from companion.vision.detection.conditions import FAINT, FOREIGN_PROFILE, NEUTRAL, NO_COLOUR, Condition, conditions_of
from companion.vision.detection.detector import Detection, corners_of, refine_corners
from companion.vision.detection.outlines import Fits
from companion.vision.detection.verification import Find, verify
from companion.vision.enrolment.profile import faint_colours
from companion.vision.geometry import HEXAGON
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import Classifier, DetectedCard, Reading, ReadingWarning, Stopwatch, in_own_frame
from companion.vision.tracking.regions import Unchanged

FindLattice = Callable[[NDArray[np.floating]], Lattice]


def read_hexel(
    bgr: NDArray[np.uint8], classifier: SymbolClassifier | None = None, width_px: float | None = None
) -> Reading:
    """Read a Hex'el table from one picture, without history.

    Args:
        bgr: uint8 (h, w, 3).
        classifier: of the symbols; None for the reference printing, its edition by what is seen.
        width_px: the cards' width, edge to edge, when known: the picture is then searched at the cheapest scale.

    Returns:
        The reading; without cards it carries the warning ``nothing-found``.
    """
    classifier = classifier or PretrainedSymbols()
    clock = Stopwatch()
    pyramid = Pyramid.of(bgr)
    clock.lap("shrink")
    hints: Sequence[Detection] = DETECTOR.detect(pyramid, LIMITS.faint_hint, width_px)
    found: Sequence[Detection] = [hint for hint in hints if hint.confidence >= LIMITS.hint]
    corners = refine_corners(CORNER_REFINER, pyramid, corners_of(found), times=2)
    clock.lap("find")
    classifier = _in_exposure_of(pyramid, classifier, found, corners)
    probabilities = classifier.classify(pyramid, corners)
    if isinstance(classifier, FewShotSymbols):
        is_read = _are_read(pyramid, corners, probabilities, classifier)
        if _is_unread(found, is_read):
            found, corners = _of_any_print(pyramid, found, corners, is_read, classifier)
            found, corners = refit_from_neighbours(pyramid, found, corners, classifier)
            classifier = classifier.exposed_as(pyramid, corners[classifier.looks_taught(pyramid, corners)])
            hints, probabilities = [*hints, *found], classifier.classify(pyramid, corners)
    cards, probabilities, rest = _reject_false_positives(pyramid, found, corners, probabilities, hints, classifier)
    clock.lap("name")
    if not cards:
        return Reading(
            (), (), (ReadingWarning("nothing-found", "no Hex'el card on this picture"),), classifier, clock.laps
        )
    certain = corners_of(cards)
    is_card = np.arange(len(cards) + len(rest)) < len(cards)
    place = lattice_of_cards(np.concatenate([certain, rest]), is_card, table_similarity(pyramid, certain))
    clock.lap("lattice")
    reading = _verified(pyramid, _assess_cards(cards, place, probabilities, classifier, bgr))
    clock.lap("judge")
    return replace(reading, stages_ms=clock.laps)


def _verified(pyramid: Pyramid, reading: Reading) -> Reading:
    """The reading without outlines whose edges are no card's, and without what the picture's angle or light hides."""
    cards = (*reading.cards, *reading.loose)
    limits = LIMITS.taught_table if isinstance(reading.classifier, FewShotSymbols) else LIMITS.table
    verdict = verify(pyramid, [Find.of(card, LIMITS.sure_find) for card in cards], reading.warnings, limits)
    kept = [card for card, stays in zip(cards, verdict.stays, strict=True) if stays]
    warnings, conditions = verdict.warnings, _conditions(pyramid, kept, reading.classifier)
    if conditions:
        is_known = not isinstance(reading.classifier, FewShotSymbols)  # another printing's void may be no ring
        doubting = without_colour if conditions[0] is NO_COLOUR and is_known else unread
        kept, before = [doubting(card) for card in kept], kept
        doubted = [new for new, old in zip(kept, before, strict=True) if new.edges != old.edges]
        unsure = (conditions[0].unsure("a card's symbols", card.centre) for card in doubted)
        is_sure = any(card.presence >= LIMITS.sure_find for card in kept)  # the back of the draw deck is not
        told = [one for one in conditions if one is not FOREIGN_PROFILE or is_sure]
        warnings += (*(condition.warning for condition in told), *unsure)
    tableau, loose = ([c for c in kept if (c.cell is None) == is_loose] for is_loose in (False, True))
    return replace(reading, cards=tuple(tableau), loose=tuple(loose), warnings=warnings)


def _conditions(
    pyramid: Pyramid, cards: Sequence[DetectedCard], classifier: Classifier | None
) -> tuple[Condition, ...]:
    """See `conditions_of`; what the printing expects is the profile's, where one was taught."""
    taught = classifier if isinstance(classifier, FewShotSymbols) else None
    surest = sorted(cards, key=lambda card: -card.presence)[: LIMITS.most_foreign]
    return conditions_of(
        pyramid,
        HEXAGON,
        [card.corners for card in cards],
        tint=taught.profile.tint if taught else NEUTRAL,
        limits=LIMITS.taught_tint if taught else LIMITS.tint,
        is_foreign=lambda: (
            taught is not None
            and (show_one_face(cards) or taught.is_foreign(pyramid, np.array([card.corners for card in surest])))
        ),
        faint=lambda: faint_colours(taught.profile, FRAME) if taught else FAINT,
        is_read_without_colour=lambda: taught is not None and taught.is_read_without_colour(),
    )


def read_unknown(
    bgr: NDArray[np.uint8],
    classifier: SymbolClassifier | None,
    width_px: float,
    unchanged: Unchanged,
    find: FindLattice = find_lattice,
) -> Reading:
    """Read the unknown cards in a piece of a Hex'el table.

    Args:
        bgr: uint8 (h, w, 3).
        classifier: see `read_hexel`.
        width_px: how wide cards are, edge to edge.
        unchanged: the known cards, which are part of the lattice and are not classified again.
        find: the lattice of cards (N, 6, 2) in the picture's pixels.
    """
    known = unchanged.cards
    classifier = classifier or PretrainedSymbols()
    pyramid = Pyramid.of(bgr)
    hints: Sequence[Detection] = unchanged.but(DETECTOR.detect(pyramid, LIMITS.faint_hint, width_px))
    found: Sequence[Detection] = [hint for hint in hints if hint.confidence >= LIMITS.likely_beside_known]
    corners = refine_corners(CORNER_REFINER, pyramid, corners_of(found))
    classifier = _in_exposure_of(pyramid, classifier, found, corners, [c.corners for c in known])
    if isinstance(classifier, FewShotSymbols):
        classifier = classifier.beside(pyramid, np.array([c.corners for c in known[: LIMITS.most_beside]], np.float32))
    probabilities = classifier.classify(pyramid, corners)
    if isinstance(classifier, FewShotSymbols):
        is_read = _are_read(pyramid, corners, probabilities, classifier)
        if unchanged.is_thorough and _is_unread(found, is_read):
            outlines = [card.corners for card in known]
            smallest = min(classifier.printed_lines(), default=1.0)
            fits = partial(unchanged.are_worth_refining, slack=LIMITS.rough_outline - float(np.log(smallest)))
            found = unchanged.but(_of_any_print(pyramid, found, corners, is_read, classifier, outlines, fits)[0])
            found, corners = refit_from_neighbours(pyramid, found, corners_of(found), classifier, outlines)
            hints, probabilities = [*hints, *found], classifier.classify(pyramid, corners)
    cards, probabilities, _ = _reject_false_positives(
        pyramid, found, corners, probabilities, hints, classifier, [c.corners for c in known]
    )
    if not cards:
        return Reading((), (), (), classifier)
    cards += [Detection(c.corners, c.presence) for c in known]
    place = find(corners_of(cards) + unchanged.at)
    probabilities = np.concatenate([probabilities, *(in_own_frame(c).probabilities[None] for c in known)])
    reading = _assess_cards(cards, place, probabilities, classifier, bgr)

    def is_unknown(card: DetectedCard) -> bool:
        return not any(card.corners is other.corners for other in known)

    return replace(
        reading, cards=tuple(filter(is_unknown, reading.cards)), loose=tuple(filter(is_unknown, reading.loose))
    )


def _in_exposure_of(
    pyramid: Pyramid,
    classifier: SymbolClassifier,
    found: Sequence[Detection],
    corners: NDArray[np.float32],
    known: Sequence[NDArray[np.float32]] = (),
) -> SymbolClassifier:
    """The classifier in the exposure of the picture, told by the known cards and those found surely."""
    if not isinstance(classifier, FewShotSymbols):
        return classifier
    is_sure = np.array([one.confidence >= LIMITS.sure_find for one in found], bool)
    sure = np.array([*known, *corners[is_sure]], np.float32).reshape(-1, 6, 2)
    return classifier.exposed_as(pyramid, sure, corners[~is_sure])


def _of_any_print(
    pyramid: Pyramid,
    found: Sequence[Detection],
    corners: NDArray[np.float32],
    is_read: NDArray[np.bool_],
    classifier: FewShotSymbols,
    known: Sequence[NDArray[np.float32]] = (),
    fits: Fits | None = None,
) -> tuple[list[Detection], NDArray[np.float32]]:
    """See `with_any_print`. What Hex'el's detector is not sure of is of the stock of those that it is sure of, or that
    are known: a cloth's hexagons are not.
    """
    misfit = partial(classifier.misfit, pyramid)
    lines = classifier.printed_lines()
    more, corners = with_any_print(pyramid, found, corners, is_read, misfit, LIMITS.as_taught, lines, fits)
    is_sure = np.array([one.confidence >= LIMITS.sure_find for one in more], bool)
    sure = [*known, *corners[is_sure]]
    if not sure or is_sure.all():
        return more, corners
    stock = np.median(raw_patches(pyramid, np.array(sure, np.float32))[1], axis=0)
    other = np.log(raw_patches(pyramid, corners)[1] / stock)
    tint = np.ptp(other, axis=1)
    stays = is_sure | ((tint < LIMITS.same_stock_tint) & (np.abs(other.mean(1)) < LIMITS.same_stock_light))
    return [one for one, stay in zip(more, stays, strict=True) if stay], corners[stays]


def _is_unread(found: Sequence[Detection], is_read: NDArray[np.bool_]) -> bool:
    """Whether a card may be missed: none is read (N,), or one is not that is nearly as sure as those that are."""
    if not is_read.any():
        return True
    sure = np.array([one.confidence for one in found])
    return bool((sure[~is_read] >= LIMITS.as_sure * np.median(sure[is_read])).any())


def _are_read(
    pyramid: Pyramid, corners: NDArray[np.float32], probabilities: NDArray[np.float32], classifier: FewShotSymbols
) -> NDArray[np.bool_]:
    """Of which cards (N, 6, 2) all symbols (N, 6, C) are named and look as they were taught, (N,).

    There is no need to look further there. What is named and looks otherwise is outlined badly, or of another deck.
    """
    is_read = np.array([None not in classifier.accept(six) for six in probabilities], bool)
    if is_read.any():
        is_read[is_read] = classifier.looks_taught(pyramid, corners[is_read])
    return is_read


def _reject_false_positives(
    pyramid: Pyramid,
    found: Sequence[Detection],
    corners: NDArray[np.float32],
    probabilities: NDArray[np.float32],
    hints: Sequence[Detection],
    classifier: SymbolClassifier,
    known: Sequence[NDArray[np.float32]] = (),
) -> tuple[list[Detection], NDArray[np.float32], NDArray[np.float32]]:
    """The cards, the probabilities (N, 6, C) of their symbols, and the outlines (M, 6, 2) of false positives.

    Args:
        found: detections, surest first.
        corners: (K, 6, 2), their refined outlines.
        probabilities: (K, 6, C) of their symbols.
        hints: all detections, however faint.
        classifier: of the symbols.
        known: the outlines of known cards.
    """
    looks_taught = None
    if isinstance(classifier, FewShotSymbols):
        corners, probabilities = reclassify_with_jitter(pyramid, corners, probabilities, classifier)
        looks_taught = partial(classifier.looks_taught, pyramid)
    is_card = accept_cards(found, corners, probabilities, classifier, looks_taught)
    cards = [Detection(c, f.confidence) for c, f, one in zip(corners, found, is_card, strict=True) if one]
    rest, accepted = corners[~is_card], probabilities[is_card]
    outlines = np.array([*known, *corners[is_card]], np.float32).reshape(-1, 6, 2)
    if isinstance(classifier, FewShotSymbols) and len(outlines):
        more, answers = find_neighbours(pyramid, outlines, hints, classifier)
        cards, accepted = [*cards, *more], np.concatenate([accepted, *(p[None] for p in answers)])
        rest = np.array([r for r in rest if not any(is_same_card(r, c.corners) for c in more)], np.float32).reshape(
            -1, 6, 2
        )
        accepted = classifier.doubt_distant_cards(pyramid, corners_of(cards), accepted)
    stays = ~lie_on_read(cards, accepted, classifier, known)
    return [card for card, stay in zip(cards, stays, strict=True) if stay], accepted[stays], rest


def _assess_cards(
    cards: list[Detection],
    place: Lattice,
    probabilities: NDArray[np.float32],
    classifier: SymbolClassifier,
    bgr: NDArray[np.uint8],
) -> Reading:
    """The reading, from probabilities (N, 6, C) in the order of the cards' own edges."""
    turned = np.stack([p[[(d - e) % 6 for d in range(6)]] for p, e in zip(probabilities, place.east, strict=True)])
    return assess(tuple(cards), place, turned, classifier.with_edition(turned), (bgr.shape[1], bgr.shape[0]))


def outlines(
    pyramid: Pyramid, width_px: float | None = None, least: float = 0.45
) -> tuple[tuple[Detection, ...], NDArray[np.float32]]:
    """The cards on a picture, surest first, and their refined corners (N, 6, 2); of any printing."""
    found = DETECTOR.detect(pyramid, least, width_px)
    return found, refine_corners(CORNER_REFINER, pyramid, corners_of(found), times=2)
