"""Reading a Comet table: the stages in order, from a picture to a reading, with the time each took."""

import cv2
import numpy as np

from companion.games.comet.vision.back_matching import compared, unlikeness
from companion.games.comet.vision.classifier import Numerals
from companion.games.comet.vision.detector import CARD, CORNER_REFINER, DETECTOR
from companion.games.comet.vision.gap_rejection import is_gap
from companion.games.comet.vision.passes import PLAIN, SeenOutlines, looked_at
from companion.games.comet.vision.results import BACK, CometReading, SeenComet
from companion.vision.classification.classifier import confidence_of
from companion.vision.detection.corner_refiner import refine_corners
from companion.vision.detection.detector import corners_of, distances, suppress_overlaps
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import Warned
from companion.vision.stopwatch import Stopwatch

LEAST = 0.15
"""What the finder is less sure of is not looked at."""
THERE = 0.5
"""What is found, or read plainly, less surely than this is not told as a card."""
UNREAD = 0.65
"""A card without a number to be read must be found at least so surely: patterned cloth may look like one from afar.

A back is no surer for looking like one: so does the bare wood between two cards, and another game's card."""
HARDLY = 0.62
"""A card with only one number to be read must be found so surely: an eight may be two rings of a cloth."""
DOUBTFUL, FAMILIAR = 0.45, 0.58
"""A back like others that are found surely may be found less surely, and is looked at no closer from the second on."""
SAME = 0.35
"""Two outlines whose middles are nearer than so much of a card's width are one card."""
SHARED = 0.5
"""An outline that surer ones cover more than so much of lies askew over them and is none."""
LARGEST = 1.8
"""Cards of one deck are of one size: what is so many times wider than most is none."""
LOOKS = 2
"""How often each outline is put right: a back found askew needs a second look."""
WIDTH_OF_ACROSS = 0.787
"""A card's width over the distance between opposite edges of a hexagon as large."""


def read_comet(bgr: np.ndarray, namer: Numerals | None = None, across_px: float | None = None) -> CometReading:
    """Read a Comet table from one picture, without history.

    Args:
        bgr: uint8 (h, w, 3).
        namer: no matter, numerals are read as print.
        across_px: between opposite edges of a hexagon as large as the cards, when known: the picture is then searched
            at the cheapest scale.

    Returns:
        The reading; without cards it carries the warning ``nothing-found``.
    """
    namer = Numerals()
    clock = Stopwatch()
    pyramid = Pyramid.of(bgr)
    clock.lap("shrink")
    width_px = None if across_px is None else across_px * WIDTH_OF_ACROSS
    found = DETECTOR.detect(pyramid, LEAST, width_px)
    clock.lap("find")
    corners = refine_corners(CORNER_REFINER, pyramid, corners_of(found, 4), CARD, LOOKS)
    clock.lap("outline")
    seen = looked_at(pyramid, corners, np.array([f.confidence for f in found]), namer)
    clock.lap("name")
    cards = [_card(k, seen, i, namer) for k, i in enumerate(_told(seen.presence, seen.corners))]
    told = _there(cards, pyramid)
    size = (bgr.shape[1], bgr.shape[0])
    warnings = [_unsure(card, size) for card in told if None in card.edges]
    if not told:
        warnings = [Warned("nothing-found", "no Comet card on this picture")]
    clock.lap("judge")
    return CometReading(tuple(told), (), tuple(warnings), namer, clock.laps)


def _told(presence: np.ndarray, corners: np.ndarray) -> list[int]:
    """Which outlines are told as cards, surest first, each card once, none far larger than most: that is a mat."""
    likely = np.argsort(-presence)[: int((presence >= DOUBTFUL).sum())]
    outlines, wide = corners[likely], CARD.width_px(corners[likely])
    apart = distances(outlines)
    clashes = apart <= SAME * wide[:, None]
    for i, k in np.argwhere(~clashes & (apart <= wide[:, None] + wide)).tolist():
        clashes[i, k] = k < i and _lies_on(outlines[i], outlines[k])
    kept = suppress_overlaps(clashes)
    return [int(likely[i]) for i in kept if wide[i] < LARGEST * np.median(wide[kept])]


def _lies_on(corners: np.ndarray, surer: np.ndarray) -> bool:
    """An outline (4, 2) lies askew over a surer one."""
    return cv2.intersectConvexConvex(corners, surer)[0] > SHARED * cv2.contourArea(corners)


def _there(cards: list[SeenComet], pyramid: Pyramid) -> list[SeenComet]:
    """The cards that are there: their numbers can be read, or they are found surely enough."""
    backs = [card for card in cards if BACK in card.edges]
    off = unlikeness(pyramid, [card.corners for card in backs])
    alike, strange = compared(off, np.array([card.presence for card in backs]))
    familiar = {card.cell for card, is_so in zip(backs, alike, strict=True) if is_so}
    odd = {card.cell for card, is_so in zip(backs, strange, strict=True) if is_so}
    blank = [card for card in cards if not _has_numbers(card) and card.cell not in odd]
    plain = {card.cell for card in blank if _is_plain(card, cards, pyramid, card.cell in familiar)}
    return [card for card in cards if card.cell in plain or _is_read(card)]


def _is_read(card: SeenComet) -> bool:
    return _has_numbers(card) and card.presence >= (HARDLY if card.edges.count(None) > 1 else THERE)


def _has_numbers(card: SeenComet) -> bool:
    return bool(set(card.edges) - {None, BACK})


def _is_plain(card: SeenComet, cards: list[SeenComet], pyramid: Pyramid, is_familiar: bool) -> bool:
    """A card without numbers is there: found surely enough, the surer for a back like others, and no mere gap."""
    if card.presence >= (FAMILIAR if is_familiar else PLAIN):
        return True
    if card.presence < (DOUBTFUL if is_familiar else UNREAD):
        return False
    return not is_gap(pyramid, card.corners, [c.corners for c in cards if c.presence > max(card.presence, THERE)])


def _card(number: int, seen: SeenOutlines, i: int, namer: Numerals) -> SeenComet:
    sections, presence = seen.sections[i], float(seen.presence[i])
    edges = namer.accepted(sections)
    sure = confidence_of(presence, sections, edges)
    return SeenComet((number, 0), edges, seen.corners[i], sure, presence, sections, 2 if seen.is_about[i] else 0)


def _unsure(card: SeenComet, size: tuple[int, int]) -> Warned:
    missing = sum(edge is None for edge in card.edges)
    near_rim = bool((card.corners.min(0) < 1).any() or (card.corners.max(0) > np.array(size) - 2).any())
    where = ", the picture's rim cuts it" if near_rim else ""
    what = "a number" if missing == 1 else f"{missing} numbers"
    return Warned("unsure", f"{what} of a card cannot be read{where}", card.centre)
