"""Reading a Comet table: the stages in order, from a picture to a reading, with the time each took."""

from dataclasses import replace

import cv2
import numpy as np

from companion.games.comet.vision.classifier import PretrainedNumerals
from companion.games.comet.vision.detector import CARD, CORNER_REFINER, DETECTOR
from companion.games.comet.vision.plausibility import compared, is_gap, unlikeness
from companion.games.comet.vision.reexamination import SeenOutlines, classify_outlines
from companion.games.comet.vision.results import BACK, CometReading, DetectedCometCard
from companion.games.comet.vision.taught_numerals import TaughtNumerals
from companion.games.comet.vision.taught_recognizer import read_taught
from companion.games.comet.vision.thresholds import LIMITS
from companion.games.comet.vision.untaught_printing import doubted, find_layout, is_read, is_understood, is_unfamiliar
from companion.vision.detection.corner_refiner import refine_corners
from companion.vision.detection.detector import corners_of, distances, suppress_overlaps
from companion.vision.detection.verification import TOO_STEEP, Find, is_too_steep, verify
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import ReadingWarning, Stopwatch, confidence_of

CometClassifier = PretrainedNumerals | TaughtNumerals


def read_comet(
    bgr: np.ndarray, classifier: CometClassifier | None = None, across_px: float | None = None
) -> CometReading:
    """Read a Comet table from one picture, without history.

    Args:
        bgr: uint8 (h, w, 3).
        classifier: reads the numbers of a taught printing; None for numerals one above the other, read as print.
        across_px: between opposite edges of a hexagon as large as the cards, when known: the picture is then searched
            at the cheapest scale.

    Returns:
        The reading; without cards it carries the warning ``nothing-found``.
    """
    if isinstance(classifier, TaughtNumerals):
        return _verified(Pyramid.of(bgr), read_taught(bgr, classifier, across_px))
    classifier = PretrainedNumerals()
    clock = Stopwatch()
    pyramid = Pyramid.of(bgr)
    clock.lap("shrink")
    width_px = None if across_px is None else across_px * LIMITS.width_of_across
    found = DETECTOR.detect(pyramid, LIMITS.hint, width_px)
    clock.lap("find")
    corners = refine_corners(CORNER_REFINER, pyramid, corners_of(found, 4), CARD, LIMITS.refinements)
    clock.lap("outline")
    seen = classify_outlines(pyramid, corners, np.array([f.confidence for f in found]), classifier)
    clock.lap("name")
    cards = [_card(k, seen, i, classifier) for k, i in enumerate(_reported(seen.presence, seen.corners))]
    told = _present(cards, pyramid)
    is_odd = is_unfamiliar(told)
    if is_odd:
        told = doubted(bgr, pyramid, told)
    size = (bgr.shape[1], bgr.shape[0])
    warnings = [_unsure(card, size) for card in told if None in card.edges]
    if not told:
        warnings = [ReadingWarning("nothing-found", "no Comet card on this picture")]
    reading = CometReading(tuple(told), (), tuple(warnings), classifier)
    reading = _verified(pyramid, reading)
    clock.lap("judge")
    if across_px is None and (is_odd or not any(is_read(card) for card in reading.cards)):
        layout = find_layout(bgr, pyramid)
        taught = None if layout is None else read_taught(bgr, layout)
        if taught is not None and is_understood(taught):
            return _verified(pyramid, taught)
    return replace(reading, stages_ms=clock.laps)


def _verified(pyramid: Pyramid, reading: CometReading) -> CometReading:
    """The reading of what are Comet cards by their edges, as far as that is in doubt, and not from the side."""
    told = [card for card in reading.cards if isinstance(card, DetectedCometCard)]
    verdict = verify(pyramid, [_as_find(card) for card in told], reading.warnings, LIMITS.table)
    told = [card for card, stays in zip(told, verdict.stays, strict=True) if stays]
    warnings, read = verdict.warnings, [card for card in told if _has_numbers(card)]
    if read and is_too_steep(CARD, [card.corners for card in read]):
        unsure = [ReadingWarning("unsure", "numbers cannot be told from so far aside", card.centre) for card in read]
        warnings += (TOO_STEEP, *unsure)
        told = [_unread(card) if card in read else card for card in told]
    return replace(reading, cards=tuple(told), warnings=warnings)


def _unread(card: DetectedCometCard) -> DetectedCometCard:
    """The card with nothing stated of it but where it lies."""
    return replace(card, edges=(None,) * 3, confidence=card.presence * 0.5)


def _as_find(card: DetectedCometCard) -> Find:
    is_sure = None not in card.edges and card.presence >= LIMITS.sure_find
    return Find(card.corners, card.presence, _has_numbers(card), is_sure)


def _reported(presence: np.ndarray, corners: np.ndarray) -> list[int]:
    """Which outlines are told as cards, surest first, each card once, none far larger than most: that is a mat."""
    likely = np.argsort(-presence)[: int((presence >= LIMITS.doubtful_back).sum())]
    outlines, wide = corners[likely], CARD.width_px(corners[likely])
    apart = distances(outlines)
    clashes = apart <= LIMITS.same_card * wide[:, None]
    for i, k in np.argwhere(~clashes & (apart <= wide[:, None] + wide)).tolist():
        clashes[i, k] = k < i and _lies_on(outlines[i], outlines[k])
    kept = suppress_overlaps(clashes)
    return [int(likely[i]) for i in kept if wide[i] < LIMITS.largest * np.median(wide[kept])]


def _lies_on(corners: np.ndarray, surer: np.ndarray) -> bool:
    """An outline (4, 2) lies askew over a surer one."""
    return cv2.intersectConvexConvex(corners, surer)[0] > LIMITS.shared_area * cv2.contourArea(corners)


def _present(cards: list[DetectedCometCard], pyramid: Pyramid) -> list[DetectedCometCard]:
    """The cards that are there: their numbers can be read, or they are found surely enough."""
    backs = [card for card in cards if BACK in card.edges]
    off = unlikeness(pyramid, [card.corners for card in backs])
    alike, strange = compared(off, np.array([card.presence for card in backs]))
    familiar = {card.cell for card, is_so in zip(backs, alike, strict=True) if is_so}
    odd = {card.cell for card, is_so in zip(backs, strange, strict=True) if is_so}
    blank = [card for card in cards if not _has_numbers(card) and card.cell not in odd]
    plain = {card.cell for card in blank if _is_clear(card, cards, pyramid, card.cell in familiar)}
    return [card for card in cards if card.cell in plain or _is_read(card)]


def _is_read(card: DetectedCometCard) -> bool:
    return _has_numbers(card) and card.presence >= (LIMITS.hardly_read if card.edges.count(None) > 1 else LIMITS.card)


def _has_numbers(card: DetectedCometCard) -> bool:
    return bool(set(card.edges) - {None, BACK})


def _is_clear(card: DetectedCometCard, cards: list[DetectedCometCard], pyramid: Pyramid, is_familiar: bool) -> bool:
    """A card without numbers is there: found surely enough, the surer for a back like others, and no mere gap."""
    if card.presence >= (LIMITS.familiar_back if is_familiar else LIMITS.plain_card):
        return True
    if card.presence < (LIMITS.doubtful_back if is_familiar else LIMITS.unread_card):
        return False
    return not is_gap(pyramid, card.corners, [c.corners for c in cards if c.presence > max(card.presence, LIMITS.card)])


def _card(number: int, seen: SeenOutlines, i: int, classifier: PretrainedNumerals) -> DetectedCometCard:
    sections, presence = seen.sections[i], float(seen.presence[i])
    edges = classifier.accept(sections)
    sure = confidence_of(presence, sections, edges)
    return DetectedCometCard(
        (number, 0), edges, seen.corners[i], sure, presence, sections, 2 if seen.is_about[i] else 0
    )


def _unsure(card: DetectedCometCard, size: tuple[int, int]) -> ReadingWarning:
    missing = sum(edge is None for edge in card.edges)
    near_rim = bool((card.corners.min(0) < 1).any() or (card.corners.max(0) > np.array(size) - 2).any())
    where = ", the picture's rim cuts it" if near_rim else ""
    what = "a number" if missing == 1 else f"{missing} numbers"
    return ReadingWarning("unsure", f"{what} of a card cannot be read{where}", card.centre)
