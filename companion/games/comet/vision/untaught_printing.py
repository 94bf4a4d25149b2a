"""Reads printings of Comet that nobody taught: finds a layout that all cards share, or verifies each number.

Where three numbers are at the same places of all cards, they can be read without teaching. Elsewhere a number of the
pretrained classifier is kept only if it is alone at the place where its printings have it.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from companion.games.comet.vision.appearance import look_at
from companion.games.comet.vision.detector import HALF_WIDTH
from companion.games.comet.vision.hypothesis import ways_up
from companion.games.comet.vision.place_search import TaughtCard, find_unlabelled_places
from companion.games.comet.vision.places import NumberPlaces
from companion.games.comet.vision.profile import EMBEDDED, CometProfile, look_shape
from companion.games.comet.vision.results import BACK, NUMBERS, DetectedCometCard, has_numbers
from companion.games.comet.vision.taught_numerals import TaughtNumerals, classify_views
from companion.games.comet.vision.taught_recognizer import find_outlines
from companion.games.comet.vision.thresholds import LIMITS
from companion.vision.detection.detector import suppress_overlaps
from companion.vision.detection.outlines import judge_candidates
from companion.vision.detection.verification import have_edges
from companion.vision.image.pyramid import Pyramid

_HEIGHTS = (0.26, 0.34, 0.43)
"""How high a known printing's numerals may stand, in half heights of the card."""


def verify_cards(pyramid: Pyramid, cards: list[DetectedCometCard]) -> list[DetectedCometCard]:
    """The cards of an unfamiliar printing with verified numbers; those without any only where edges confirm them."""
    verified = [verify_numbers(pyramid, card) for card in cards]
    outlines = [card.corners.astype(np.float32) for card in verified]
    has_edges = have_edges(pyramid, outlines, range(len(outlines)), LIMITS.table.edges)
    return [card for card, edges in zip(verified, has_edges, strict=True) if has_numbers(card) or edges]


def verify_numbers(pyramid: Pyramid, card: DetectedCometCard) -> DetectedCometCard:
    """The card without the numbers that are not alone in the middle of their sections.

    A back is rejected too: it may be a face with numbers elsewhere.
    """
    if BACK in card.edges:
        return replace(card, edges=(None,) * len(card.edges))
    corners = np.roll(card.corners, -card.east, 0)
    middles = np.array([[0.0, (slot - 1) * 2 / 3] for slot in range(3) for _ in _HEIGHTS], np.float32)
    high = np.array(_HEIGHTS * 3, np.float32)
    slots = np.repeat(np.arange(3), len(_HEIGHTS))
    places = NumberPlaces(slots, middles, high, np.zeros(len(slots), bool), HALF_WIDTH)
    seen = np.exp(classify_views(places.views(pyramid, corners[None])[0]).numbers)
    edges = list(card.edges)
    for section, edge in enumerate(edges):
        slot = section if card.east == 0 else 2 - section
        if edge is not None and seen[slots == slot, NUMBERS.index(int(edge))].max() < LIMITS.verified:
            edges[section] = None
    return replace(card, edges=tuple(edges))


def find_layout(bgr: NDArray[np.uint8], pyramid: Pyramid) -> TaughtNumerals | None:
    """A classifier by the places that the numbers of all cards have in common; None where they have none."""
    known, others = find_outlines(pyramid, judge_candidates(bgr, 4))
    outlines = np.array([one.corners for one in (*known, *others)]).reshape(-1, 4, 2)
    sure = np.array([one.confidence for one in (*known, *others)])
    best = [outlines[i] for i in _apart(outlines, sure)][: LIMITS.most_searched]
    if len(best) < LIMITS.fewest_searched:
        return None
    for half_width in (HALF_WIDTH, 1 / HALF_WIDTH):
        ways = [ways_up(outline, half_width) for outline in best]
        cards = [[TaughtCard(pyramid, way, ()) for way in some] for some in ways]
        found = find_unlabelled_places(cards, half_width)
        if found is not None:
            places, chosen = found
            shape = look_shape(half_width)
            looks = [look_at(pyramid, card.corners, shape) for card in chosen]
            flat = np.zeros(len(places.slots), np.float32)
            return TaughtNumerals(
                CometProfile(
                    "comet",
                    half_width,
                    places.slots.astype(np.float32),
                    places.at,
                    places.high,
                    flat,
                    np.zeros(0, np.float32),
                    np.zeros((0, EMBEDDED), np.float32),
                    np.asarray(np.mean(looks, axis=0), np.float32),
                    np.zeros(0, np.float32),
                )
            )
    return None


def _apart(outlines: NDArray[np.floating], sure: NDArray[np.float64]) -> list[int]:
    """The outlines that are found surely, surest first, each place once."""
    order = np.argsort(-sure)[: int((sure >= LIMITS.card).sum())]
    middles = outlines[order].mean(1)
    reach = np.sqrt(np.abs(np.linalg.norm(outlines[order, 1] - outlines[order, 0], axis=1)) ** 2)
    apart = np.linalg.norm(middles[:, None] - middles[None], axis=-1)
    return [int(order[i]) for i in suppress_overlaps(apart < 0.5 * reach[:, None])]
