"""What of a Hex'el picture may be stated as fact, and what is doubted: thresholds and legality as a prior."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from companion.games.hexel.vision.classifier import SymbolClassifier
from companion.games.hexel.vision.lattice import Lattice
from companion.games.hexel.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell, neighbour, opposite
from companion.vision.detection.detector import Detection, corners_of
from companion.vision.geometry.shapes import HEXAGON
from companion.vision.results import DetectedCard, Reading, ReadingWarning, confidence_of

WITHOUT_COLOUR = "a card's symbols cannot be told without colour"
FROM_THE_SIDE = "a card's symbols cannot be told from so far aside"
_TOLD_BY_SHAPE = ("void", None)
"""Discs and rings differ without colour; discs, and another printing's diamonds, may not."""


def accept_cards(found: Sequence[Detection], probabilities: np.ndarray, classifier: SymbolClassifier) -> np.ndarray:
    """Which finds (N,) are cards, from the probabilities (N, 6, C) of the symbols at each one's own edges."""
    is_card = np.array([is_card_like(f, p, classifier) for f, p in zip(found, probabilities, strict=True)], bool)
    is_card &= has_typical_size(found, is_card)
    is_card &= is_not_a_pattern(found, probabilities, is_card)
    return is_card


def is_card_like(found: Detection, probabilities: np.ndarray, classifier: SymbolClassifier) -> bool:
    """Patterned cloth may look like a card from afar, but nothing on it reads as a symbol; a covered card has some."""
    symbols = int((probabilities[:, [n is not None for n in classifier.names]].sum(-1) > 0.9).sum())
    return any(symbols >= least and found.confidence >= sure for least, sure in LIMITS.card_by_symbols)


def has_typical_size(found: Sequence[Detection], is_card: np.ndarray) -> np.ndarray:
    """Which finds (N,) are as large as cards here: cloth printed with smaller or larger rosettes has none of them.

    Cards have one size; seen aslant, those that are found surely tell within which bounds. Fewer than three tell none.

    Args:
        found: all finds.
        is_card: (N,) bool, those that look like cards.
    """
    width = HEXAGON.width_px(corners_of(found))
    sure = width[is_card & np.array([f.confidence > LIMITS.sure_card for f in found], bool)]
    if len(sure) < 3:
        return np.ones(len(found), bool)
    return np.asarray((width > sure.min() / LIMITS.odd_size) & (width < sure.max() * LIMITS.odd_size))


def is_not_a_pattern(found: Sequence[Detection], probabilities: np.ndarray, is_card: np.ndarray) -> np.ndarray:
    """Which finds (N,) are no cloth's pattern: it is found weakly, time and again, and reads the same everywhere.

    Args:
        found: all finds.
        probabilities: (N, 6, C) of the symbols at each one's own edges.
        is_card: (N,) bool, those that look like cards.
    """
    told = probabilities.argmax(-1)
    faces = [min(tuple(np.roll(six, k).tolist()) for k in range(6)) for six in told]
    weakly = is_card & np.array([f.confidence < LIMITS.weak_card for f in found], bool)
    count = Counter(face for face, one in zip(faces, weakly, strict=True) if one)
    is_repeated = np.array([count[face] > LIMITS.most_alike for face in faces], bool)
    return np.asarray(~(weakly & is_repeated))


def assess(
    found: tuple[Detection, ...],
    place: Lattice,
    probabilities: np.ndarray,
    classifier: SymbolClassifier,
    size: tuple[int, int],
) -> Reading:
    """Say what is sure and doubt the rest.

    Legality is a prior, never an answer: a third kind of symbol on a card, an edge that clashes with its neighbour, or
    a symbol of another edition turns what is least certain into `unsure`; what is plainly seen stays.

    Args:
        found: the cards.
        place: where each lies.
        probabilities: (N, 6, C) of each symbol in order of direction.
        namer: which symbols the deck has.
        size: width and height of the picture.
    """
    sure = probabilities.max(-1)
    names = [list(classifier.accept(p)) for p in probabilities]
    by_cell = {cell: i for i, cell in enumerate(place.cells) if cell is not None}
    warnings = _doubt_clashes(by_cell, names, sure, found)
    cards: list[DetectedCard] = []
    loose: list[DetectedCard] = []
    for i, card in enumerate(found):
        seen = DetectedCard(
            place.cells[i],
            tuple(names[i]),
            card.corners,
            confidence_of(card.confidence, probabilities[i], names[i]),
            card.confidence,
            probabilities[i],
            place.east[i],
            i in place.unsettled or _is_faint(card, place.cells[i], names[i]),
        )
        (cards if seen.cell is not None else loose).append(seen)
        if None in names[i]:
            warnings.append(_unsure(seen, size))
        if seen.is_unsettled:
            why = "is covered" if i in place.unsettled else "cannot be seen"
            warnings.append(ReadingWarning("unsure", f"whether a card belongs to the tableau {why}", seen.centre))
    return Reading(tuple(cards), tuple(loose), tuple(warnings), classifier)


def _is_faint(card: Detection, cell: Cell | None, names: Sequence[str | None]) -> bool:
    """A card beside the tableau that is hardly seen may be a part of it whose neighbours are not seen at all."""
    return cell is None and card.confidence < LIMITS.faint_card and names.count(None) >= LIMITS.unread_of_six


def _doubt_clashes(
    by_cell: Mapping[Cell, int], names: list[list[str | None]], sure: np.ndarray, found: tuple[Detection, ...]
) -> list[ReadingWarning]:
    """Touching edges carry the same symbol: of two that do not, the less certain becomes unsure, unless it is plain."""
    warnings = []
    for cell, i in by_cell.items():
        for d in range(3):
            j = by_cell.get(neighbour(cell, d))
            if j is None:
                continue
            mine, other = names[i][d], names[j][opposite(d)]
            if mine is None or other is None or mine == other:
                continue
            x, y = (found[i].corners.mean(0) + found[j].corners.mean(0)) / 2
            warnings.append(
                ReadingWarning("edge-clash", f"touching edges show {mine} and {other}", (float(x), float(y)))
            )
            weak = (i, d) if sure[i][d] < sure[j][opposite(d)] else (j, opposite(d))
            if sure[weak[0]][weak[1]] < LIMITS.plain_symbol:
                names[weak[0]][weak[1]] = None
    return warnings


def unread(card: DetectedCard) -> DetectedCard:
    """The card with nothing stated of it but where it lies; a loose one may belong to the tableau."""
    return replace(card, edges=(None,) * 6, confidence=card.presence * 0.5, is_unsettled=card.cell is None)


def without_colour(card: DetectedCard) -> DetectedCard:
    """The card as it may be stated of a picture that has no colour: only rings are told by their shape alone."""
    edges = tuple(edge if edge in _TOLD_BY_SHAPE else None for edge in card.edges)
    return replace(card, edges=edges, confidence=confidence_of(card.presence, card.probabilities, edges))


def _unsure(card: DetectedCard, size: tuple[int, int]) -> ReadingWarning:
    missing = sum(e is None for e in card.edges)
    x, y = card.centre
    reason = "a symbol" if missing == 1 else f"{missing} symbols"
    near_rim = bool((card.corners.min(0) < 1).any() or (card.corners.max(0) > np.array(size) - 2).any())
    where = ", the picture's rim cuts it" if near_rim else ""
    return ReadingWarning("unsure", f"{reason} of a card cannot be read{where}", (x, y))
