"""Reading a Hexapod table: the stages in order, from a picture to a reading, with the time each took."""

import numpy as np

from companion.games.hexapod.vision.classifier import InsectClassifier, PretrainedInsects
from companion.games.hexapod.vision.detector import detect_fields
from companion.games.hexapod.vision.orientation import Upright, leaning, looked_at, turned
from companion.games.hexapod.vision.outlines import beside, exact_cards, exact_cases, is_cards
from companion.games.hexapod.vision.plausibility import (
    as_sure_as_others,
    is_card,
    is_case,
    is_plainly_case,
    is_told,
    is_worth_telling,
    judged,
    odd_ones,
)
from companion.games.hexapod.vision.results import HexapodReading
from companion.games.hexapod.vision.thresholds import LIMITS
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import Stopwatch, Warned


def read_hexapod(bgr: np.ndarray, namer: InsectClassifier | None = None) -> HexapodReading:
    """Read a Hexapod table from one picture, without history.

    Args:
        bgr: uint8 (h, w, 3).
        namer: what names the insects; None for the kinds as the cards are described, in cases of 5 x 5.

    Returns:
        The reading; without cases and cards it carries the warning ``nothing-found``.
    """
    namer = namer or PretrainedInsects()
    clock = Stopwatch()
    pyramid = Pyramid.of(bgr)
    clock.lap("shrink")
    finds = detect_fields(pyramid, LIMITS.hint)
    clock.lap("find")
    cases = looked_at(pyramid, exact_cases(pyramid, finds), namer.rows, namer.cols, namer)
    cases = [case for case in cases if is_case(case)]
    quads = exact_cards(pyramid, finds, [case.quad for case in cases], namer.rows, namer.cols)
    cases = [case for case in cases if is_plainly_case(case) or not is_cards(case.quad, quads)]
    quads = beside(quads, [case.quad for case in cases])
    cards = [as_sure_as_others(card) for card in looked_at(pyramid, quads, 2, 2, namer) if is_card(card)]
    cases, cards = _all_upright(cases, cards)
    clock.lap("look")
    size = (bgr.shape[1], bgr.shape[0])
    odd = odd_ones([*cases, *cards], namer)
    seen_cases = [judged(case, namer, size, some, is_case=True) for case, some in zip(cases, odd, strict=False)]
    all_cards = (judged(c, namer, size, o, is_case=False) for c, o in zip(cards, odd[len(cases) :], strict=True))
    seen_cards = [told for told in all_cards if is_worth_telling(told[0])]
    warnings = [warning for _, some in (*seen_cases, *seen_cards) for warning in some]
    if not seen_cases and not seen_cards:
        warnings = [Warned("nothing-found", "no display case and no Hexapod card on this picture")]
    clock.lap("judge")
    boards, loose = (tuple(seen for seen, _ in some) for some in (seen_cases, seen_cards))
    return HexapodReading(boards, loose, tuple(warnings), clock.laps)


def _all_upright(cases: list[Upright], cards: list[Upright]) -> tuple[list[Upright], list[Upright]]:
    """What says little of which way is up lies as others do: cases the same way or across, cards as a case.

    A case that says nothing, for it is empty, lies as a sure one, and as the picture where there is none.
    """
    sure = [case.upwards for case in cases if case.lead >= LIMITS.known_way]
    cards = [leaning(card, sure, (0,)) for card in cards]
    cases = [case if case.lead >= LIMITS.known_way else leaning(case, sure, (0, 2)) for case in cases]
    telling = [field.upwards for field in (*cases, *cards) if field.lead >= LIMITS.known_way] or [np.array([0.0, -1.0])]
    return [case if is_told(case) else _turned_towards(case, telling[0]) for case in cases], cards


def _turned_towards(case: Upright, up: np.ndarray) -> Upright:
    ways = [turned(case, turns) for turns in range(4) if np.isfinite(case.ways[turns])]
    return max(ways, key=lambda way: float(way.upwards @ up))
