"""Reading a Hexapod table: the stages in order, from a picture to a reading, with the time each took."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.classifier import FewShotInsects, InsectClassifier, PretrainedInsects
from companion.games.hexapod.vision.detector import (
    detect_cases,
    detect_fields,
    detect_loose_cards,
    is_cards,
    outside_cases,
)
from companion.games.hexapod.vision.orientation import (
    OrientedField,
    align_with_others,
    classify_fields,
    embed_turned,
    rotate_field,
)
from companion.games.hexapod.vision.plausibility import (
    assess,
    case_has_edges,
    doubted,
    empty_thresholds,
    find_outliers,
    has_insect,
    is_card,
    is_case,
    is_clear_case,
    is_oblong,
    is_reportable,
    verify_fields,
    with_proven_presence,
    without_small_cases,
)
from companion.games.hexapod.vision.results import DetectedField, HexapodReading
from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.detection.conditions import FAINT, NEUTRAL, conditions_of
from companion.vision.geometry import SQUARE
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import ReadingWarning, Stopwatch


def read_hexapod(bgr: NDArray[np.uint8], classifier: InsectClassifier | None = None) -> HexapodReading:
    """Read a Hexapod table from one picture, without history.

    Args:
        bgr: uint8 (h, w, 3).
        classifier: of the insects; None for the pretrained one, in cases of 5 x 5.

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
    cases = without_small_cases([case for case in cases if is_case(case)])
    quads = detect_loose_cards(pyramid, finds, [case.quad for case in cases], classifier.rows, classifier.cols)
    cases = [case for case in cases if is_clear_case(case) or not is_cards(case.quad, quads)]
    quads = outside_cases(quads, [case.quad for case in cases])
    cards = [with_proven_presence(card) for card in classify_fields(pyramid, quads, 2, 2, classifier) if is_card(card)]
    cases, cards = (
        embed_turned(pyramid, before, after, classifier)
        for before, after in zip((cases, cards), _all_upright(cases, cards), strict=True)
    )
    clock.lap("look")
    size = (bgr.shape[1], bgr.shape[0])
    outliers = find_outliers([*cases, *cards], classifier)
    found_cases = [
        assess(
            case,
            classifier,
            size,
            o,
            is_case=True,
            sure_empty=empty_thresholds(pyramid, case),
            has_edges=partial(case_has_edges, pyramid, cases, k),
        )
        for k, (case, o) in enumerate(zip(cases, outliers, strict=False))
    ]
    cards_outliers = zip(cards, outliers[len(cases) :], strict=True)
    found_cards = [assess(card, classifier, size, o, is_case=False) for card, o in cards_outliers]
    all_cases = [case for case, _ in found_cases]
    found_cards = [(c, w) for c, w in found_cards if is_reportable(c) and not is_oblong(c, all_cases)]
    found = [*found_cases, *found_cards]
    warnings = tuple(warning for _, some in found for warning in some)
    if not found:
        warnings = (ReadingWarning("nothing-found", "no display case and no Hexapod card on this picture"),)
    kept, warnings = _verified(pyramid, [field for field, _ in found], warnings, classifier, [*cases, *cards])
    clock.lap("judge")
    boards, loose = (tuple(field for field in kept if field.is_case == is_case) for is_case in (True, False))
    return HexapodReading(boards, loose, warnings, clock.laps)


def _verified(
    pyramid: Pyramid,
    fields: list[DetectedField],
    warnings: tuple[ReadingWarning, ...],
    classifier: InsectClassifier,
    oriented: Sequence[OrientedField],
) -> tuple[list[DetectedField], tuple[ReadingWarning, ...]]:
    """The fields without those whose edges are no card's or case's, and without what the picture's angle or light
    hides; and the warnings.

    Args:
        fields: all fields of the picture.
        warnings: of the fields.
        classifier: of their insects.
        oriented: the fields as they were classified, also those that are not reported.
    """
    verdict = verify_fields(pyramid, fields, warnings)
    kept, warnings = [field for field, stays in zip(fields, verdict.stays, strict=True) if stays], verdict.warnings
    taught = classifier if isinstance(classifier, FewShotInsects) else None
    conditions = conditions_of(
        pyramid,
        SQUARE,
        [field.square for field in kept],
        tint=taught.tint if taught else NEUTRAL,
        limits=LIMITS.tint,
        is_foreign=lambda: taught is not None and taught.is_foreign([field.cells for field in oriented]),
        faint=taught.faint if taught else lambda: FAINT,
        is_read_without_colour=lambda: taught is not None and taught.is_read_without_colour(),
        beside=[field.square for field in kept if not field.is_case],
    )
    if conditions:
        kept, doubts = map(list, zip(*(doubted(field, conditions[0]) for field in kept), strict=True))
        warnings += (*(condition.warning for condition in conditions), *(one for some in doubts for one in some))
    return kept, warnings


def _all_upright(
    cases: list[OrientedField], cards: list[OrientedField]
) -> tuple[list[OrientedField], list[OrientedField]]:
    """Rotate fields with a small margin as the sure ones lie: cases the same way or upside down, cards as a case and
    as other cards, which come from one deck.

    An empty case lies as a sure field does, or as the picture where there is none.
    """
    directions = [case.upwards for case in cases if case.margin >= LIMITS.known_way]
    cards = [align_with_others(card, directions, (0,)) for card in cards]
    sure = [card.upwards for card in cards if card.margin >= LIMITS.known_way]
    cards = [card if card.margin >= LIMITS.known_way else align_with_others(card, sure, (0,)) for card in cards]
    cases = [case if case.margin >= LIMITS.known_way else align_with_others(case, directions, (0, 2)) for case in cases]
    upwards = [field.upwards for field in (*cases, *cards) if field.margin >= LIMITS.known_way] or [
        np.array([0.0, -1.0])
    ]
    return [case if has_insect(case) else _rotate_towards(case, upwards[0]) for case in cases], cards


def _rotate_towards(case: OrientedField, direction: NDArray[np.float64]) -> OrientedField:
    rotations = [rotate_field(case, turns) for turns in range(4) if np.isfinite(case.rotation_logits[turns])]
    return max(rotations, key=lambda rotation: float(rotation.upwards @ direction))
