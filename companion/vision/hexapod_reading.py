"""Reading a Hexapod table: the stages in order, from a picture to a reading, with the time each took."""

from collections.abc import Sequence

import numpy as np

from companion.vision.hexapod_fields import KNOWN_WAY, Upright, looked_at, turned
from companion.vision.hexapod_judging import is_card, judged
from companion.vision.hexapod_naming import Described, InsectNamer
from companion.vision.hexapod_outlines import outlines
from companion.vision.hexapod_seen import HexapodReading
from companion.vision.pyramid import Pyramid
from companion.vision.seen import Warned
from companion.vision.stopwatch import Stopwatch


def read_hexapod(bgr: np.ndarray, namer: InsectNamer | None = None) -> HexapodReading:
    """Read a Hexapod table from one picture, without history.

    Args:
        bgr: uint8 (h, w, 3).
        namer: what names the insects; None for the kinds as the cards are described, in cases of 5 x 5.

    Returns:
        The reading; without cases and cards it carries the warning ``nothing-found``.
    """
    namer = namer or Described()
    clock = Stopwatch()
    pyramid = Pyramid.of(bgr)
    clock.lap("shrink")
    finds = outlines(pyramid)
    clock.lap("find")
    cards = [card for card in looked_at(pyramid, finds.cards, 2, 2, namer) if is_card(card.cells)]
    cases = _all_upright(looked_at(pyramid, finds.cases, namer.rows, namer.cols, namer), cards)
    clock.lap("look")
    size = (bgr.shape[1], bgr.shape[0])
    seen_cases = [judged(case, namer, size, is_case=True) for case in cases]
    seen_cards = [judged(card, namer, size, is_case=False) for card in cards]
    warnings = [warning for _, some in (*seen_cases, *seen_cards) for warning in some]
    if not seen_cases and not seen_cards:
        warnings = [Warned("nothing-found", "no display case and no Hexapod card on this picture")]
    clock.lap("judge")
    boards, loose = (tuple(seen for seen, _ in some) for some in (seen_cases, seen_cards))
    return HexapodReading(boards, loose, tuple(warnings), clock.laps)


def _all_upright(cases: list[Upright], cards: Sequence[Upright]) -> list[Upright]:
    """Cases that say nothing of which way is up lie as another case does, else as the cards, else as the picture."""
    telling = [field for field in (*cases, *cards) if field.lead >= KNOWN_WAY]
    up = _upwards(telling[0]) if telling else np.array([0.0, -1.0])
    return [case if case.lead >= KNOWN_WAY else _turned_towards(case, up) for case in cases]


def _turned_towards(case: Upright, up: np.ndarray) -> Upright:
    is_square = case.cells.state.shape[0] == case.cells.state.shape[1]
    ways = [turned(case, turns) for turns in (range(4) if is_square else (0, 2))]
    return max(ways, key=lambda way: float(_upwards(way) @ up))


def _upwards(field: Upright) -> np.ndarray:
    """The direction in the picture in which a field's top lies."""
    a, b, c, d = field.quad.corners
    way = (a + b - c - d).astype(np.float64)
    return np.asarray(way / np.linalg.norm(way))
