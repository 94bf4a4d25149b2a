"""Reading a Hexapod table: the stages in order, from a picture to a reading, with the time each took."""

import numpy as np

from companion.games.hexapod.vision.classifier import InsectClassifier, PretrainedInsects
from companion.games.hexapod.vision.detector import detect_fields
from companion.games.hexapod.vision.orientation import OrientedField, classify_fields, rotation_logits, turned
from companion.games.hexapod.vision.outlines import detect_cases, detect_loose_cards, is_cards, outside_cases
from companion.games.hexapod.vision.plausibility import (
    assess,
    find_outliers,
    has_insect,
    is_as_confident_as_others,
    is_card,
    is_case,
    is_clear_case,
    is_oblong,
    is_reportable,
    unread,
    verify_fields,
    without_colour,
)
from companion.games.hexapod.vision.results import HexapodReading
from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.detection.verification import TOO_STEEP, is_too_steep
from companion.vision.geometry.shapes import SQUARE
from companion.vision.image.pyramid import Pyramid, has_colour
from companion.vision.results import NO_COLOUR, ReadingWarning, Stopwatch


def read_hexapod(bgr: np.ndarray, classifier: InsectClassifier | None = None) -> HexapodReading:
    """Read a Hexapod table from one picture, without history.

    Args:
        bgr: uint8 (h, w, 3).
        namer: what names the insects; None for the kinds as the cards are described, in cases of 5 x 5.

    Returns:
        The reading; without cases and cards it carries the warning ``nothing-found``.
    """
    classifier = classifier or PretrainedInsects()
    clock = Stopwatch()
    pyramid = Pyramid.of(bgr)
    clock.lap("shrink")
    finds = detect_fields(pyramid, LIMITS.hint)
    clock.lap("find")
    cases = classify_fields(pyramid, detect_cases(pyramid, finds), classifier.rows, classifier.cols, classifier)
    cases = [case for case in cases if is_case(case)]
    quads = detect_loose_cards(pyramid, finds, [case.quad for case in cases], classifier.rows, classifier.cols)
    cases = [case for case in cases if is_clear_case(case) or not is_cards(case.quad, quads)]
    quads = outside_cases(quads, [case.quad for case in cases])
    cards = [
        is_as_confident_as_others(card) for card in classify_fields(pyramid, quads, 2, 2, classifier) if is_card(card)
    ]
    cases, cards = _all_upright(cases, cards)
    clock.lap("look")
    size = (bgr.shape[1], bgr.shape[0])
    odd = find_outliers([*cases, *cards], classifier)
    seen_cases = [assess(case, classifier, size, some, is_case=True) for case, some in zip(cases, odd, strict=False)]
    all_cards = (assess(c, classifier, size, o, is_case=False) for c, o in zip(cards, odd[len(cases) :], strict=True))
    told_cases = [case for case, _ in seen_cases]
    seen_cards = [told for told in all_cards if is_reportable(told[0]) and not is_oblong(told[0], told_cases)]
    warnings = [warning for _, some in (*seen_cases, *seen_cards) for warning in some]
    if not seen_cases and not seen_cards:
        warnings = [ReadingWarning("nothing-found", "no display case and no Hexapod card on this picture")]
    fields = [field for field, _ in (*seen_cases, *seen_cards)]
    verdict = verify_fields(pyramid, fields, tuple(warnings))
    kept, told_besides = [field for field, stays in zip(fields, verdict.stays, strict=True) if stays], verdict.warnings
    if kept and (trouble := _trouble(pyramid, [field.corners for field in kept])) is not None:
        kept, doubts = map(list, zip(*map(unread if trouble is TOO_STEEP else without_colour, kept), strict=True))
        told_besides += (trouble, *(warning for some in doubts for warning in some))
    clock.lap("judge")
    boards, loose = (tuple(field for field in kept if field.is_case == is_case) for is_case in (True, False))
    return HexapodReading(boards, loose, told_besides, clock.laps)


def _trouble(pyramid: Pyramid, fields: list[np.ndarray]) -> ReadingWarning | None:
    """What of the picture keeps fields (4, 2) from being read for certain."""
    if is_too_steep(SQUARE, fields):
        return TOO_STEEP
    return None if has_colour(pyramid, fields) else NO_COLOUR


def _all_upright(
    cases: list[OrientedField], cards: list[OrientedField]
) -> tuple[list[OrientedField], list[OrientedField]]:
    """What says little of which way is up lies as others do: cases the same way or across, cards as a case.

    A case that says nothing, for it is empty, lies as a sure one, and as the picture where there is none.
    """
    sure = [case.upwards for case in cases if case.lead >= LIMITS.known_way]
    cards = [rotation_logits(card, sure, (0,)) for card in cards]
    cases = [case if case.lead >= LIMITS.known_way else rotation_logits(case, sure, (0, 2)) for case in cases]
    telling = [field.upwards for field in (*cases, *cards) if field.lead >= LIMITS.known_way] or [np.array([0.0, -1.0])]
    return [case if has_insect(case) else _turned_towards(case, telling[0]) for case in cases], cards


def _turned_towards(case: OrientedField, up: np.ndarray) -> OrientedField:
    ways = [turned(case, turns) for turns in range(4) if np.isfinite(case.ways[turns])]
    return max(ways, key=lambda way: float(way.upwards @ up))
