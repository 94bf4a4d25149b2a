"""Accepts or doubts the cards and symbols of a Hex'el picture: thresholds, with legality as a prior.

Also tests whether something covers the table beside them: it does not look like the bare table around the cards.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.classifier import SymbolClassifier, faces_of
from companion.games.hexel.vision.few_shot_classifier import FewShotSymbols
from companion.games.hexel.vision.lattice import Lattice, TableSimilarity
from companion.games.hexel.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell, neighbour, opposite
from companion.vision.detection.detector import Detection, corners_of, distances
from companion.vision.geometry import HEXAGON, side_px
from companion.vision.image.pyramid import Pyramid
from companion.vision.results import DetectedCard, Reading, ReadingWarning, confidence_of, turned_edges, unreadable

LooksTaught = Callable[[NDArray[np.floating]], NDArray[np.bool_]]
"""Through which outlines (N, 6, 2) the print looks as it was taught, (N,)."""
_KNOWN_BY_SHAPE = ("void", None)
"""Discs and rings differ without colour; discs, and another printing's diamonds, may not."""
_PLACES = np.concatenate([np.zeros((1, 2)), *(share * HEXAGON.unit for share in (0.2, 0.4, 0.55, 0.7))])
_PLACES = np.concatenate([_PLACES, 0.6 * (HEXAGON.unit + np.roll(HEXAGON.unit, 1, 0)) / 2])
"""Where a card's place shows what lies there, in its unit frame."""
_SPACING = 0.2
"""How far apart those places lie, in sides of a card."""
_LEAST_ALIKE = 2
"""So many places beside the cards that look alike are none by chance."""


def accept_cards(
    found: Sequence[Detection],
    corners: NDArray[np.float32],
    probabilities: NDArray[np.float32],
    classifier: SymbolClassifier,
    looks_taught: LooksTaught | None = None,
) -> NDArray[np.bool_]:
    """Which detections (N,) are cards; see `is_not_a_pattern`.

    Args:
        corners: (N, 6, 2), their refined outlines.
        looks_taught: of a taught printing.
    """
    is_card = np.array([is_card_like(f, p, classifier) for f, p in zip(found, probabilities, strict=True)], bool)
    is_card &= has_typical_size(found, is_card)
    is_pattern = is_card & ~is_not_a_pattern(found, probabilities, is_card)
    if looks_taught is not None and is_pattern.any():  # what is printed as it was taught is no cloth's
        is_pattern[is_pattern] = ~looks_taught(corners[is_pattern])
    return is_card & ~is_pattern


def is_card_like(found: Detection, probabilities: NDArray[np.float32], classifier: SymbolClassifier) -> bool:
    """Whether enough symbols (6, C) for its confidence are clear: patterned cloth shows none, a covered card some."""
    symbols = int((probabilities[:, [n is not None for n in classifier.names]].sum(-1) > 0.9).sum())
    return any(symbols >= least and found.confidence >= sure for least, sure in LIMITS.card_by_symbols)


def has_typical_size(found: Sequence[Detection], is_card: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which detections (N,) are as large as the sure cards, unlike the rosettes of a printed cloth.

    Cards have one size; the sure ones give its bounds in perspective. Fewer than three give none.

    Args:
        found: all detections.
        is_card: (N,) bool, those that look like cards.
    """
    width = HEXAGON.width_px(corners_of(found))
    sure = width[is_card & np.array([f.confidence > LIMITS.sure_card for f in found], bool)]
    if len(sure) < 3:
        return np.ones(len(found), bool)
    return np.asarray((width > sure.min() / LIMITS.odd_size) & (width < sure.max() * LIMITS.odd_size))


def is_not_a_pattern(
    found: Sequence[Detection], probabilities: NDArray[np.float32], is_card: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which detections (N,) are no pattern of a cloth: weak, repeated, and with the same symbols everywhere.

    Args:
        found: all detections.
        probabilities: (N, 6, C) of the symbols at each one's own edges.
        is_card: (N,) bool, those that look like cards.
    """
    faces = faces_of(probabilities.argmax(-1))
    is_weak = is_card & np.array([f.confidence < LIMITS.weak_card for f in found], bool)
    count = Counter(face for face, one in zip(faces, is_weak, strict=True) if one)
    is_repeated = np.array([count[face] > LIMITS.most_alike for face in faces], bool)
    return np.asarray(~(is_weak & is_repeated))


def show_one_face(cards: Sequence[DetectedCard]) -> bool:
    """Whether most cards that are read whole show one face, more of them than a deck holds: two symbols of a printing
    that was not taught may look like one.
    """
    faces = Counter(turned_edges(card.edges) for card in cards if None not in card.edges)
    most = max(faces.values(), default=0)
    return most > LIMITS.most_alike and 2 * most > faces.total()


def lie_on_read(
    found: Sequence[Detection],
    probabilities: NDArray[np.float32],
    classifier: SymbolClassifier,
    known: Sequence[NDArray[np.float32]] = (),
) -> NDArray[np.bool_]:
    """Which detections (N,) lie on two surer cards that are read whole: symbols that meet at their corners.

    Args:
        found: the detections.
        probabilities: (N, 6, C) of their symbols.
        classifier: of the symbols.
        known: the outlines (6, 2) of cards that are known.
    """
    confidences = np.array([one.confidence for one in found] + [np.inf] * len(known))
    is_read = np.array([None not in classifier.accept(six) for six in probabilities] + [True] * len(known), bool)
    outlines = np.array([*corners_of(found), *known]).reshape(-1, 6, 2)
    sides = np.array([side_px(outline) for outline in outlines])
    is_on = distances(outlines) < LIMITS.one_card_most * sides[:, None]
    is_on &= is_read & (confidences > confidences[:, None])
    return np.asarray(is_on.sum(1)[: len(found)] > 1)


def assess(
    found: tuple[Detection, ...],
    place: Lattice,
    probabilities: NDArray[np.float32],
    classifier: SymbolClassifier,
    size: tuple[int, int],
) -> Reading:
    """Assemble the reading: accept confident symbols and doubt the rest.

    Legality is a prior, never an answer: a third kind of symbol on a card, an edge that clashes with its neighbour, or
    a symbol of another edition rejects the least confident symbol; clear ones stay.

    Args:
        found: the cards.
        place: their lattice.
        probabilities: (N, 6, C) of each symbol in order of direction.
        classifier: of the deck.
        size: width and height of the picture.
    """
    confidences = probabilities.max(-1)
    names = [list(classifier.accept(p)) for p in probabilities]
    if isinstance(classifier, FewShotSymbols):  # few samples make for surer mistakes
        doubt_mixed_up(probabilities, names)
    by_cell = {cell: i for i, cell in enumerate(place.cells) if cell is not None}
    warnings = _doubt_clashes(by_cell, names, confidences, found)
    cards: list[DetectedCard] = []
    loose: list[DetectedCard] = []
    for i, card in enumerate(found):
        detected = DetectedCard(
            place.cells[i],
            tuple(names[i]),
            card.corners,
            confidence_of(card.confidence, probabilities[i], names[i]),
            card.confidence,
            probabilities[i],
            place.east[i],
            i in place.unsettled or _is_faint(card, place.cells[i], names[i]),
        )
        (cards if detected.cell is not None else loose).append(detected)
        if None in names[i]:
            warnings.append(_unsure(detected, size))
        if detected.is_unsettled:
            why = "is covered" if i in place.unsettled else "cannot be seen"
            warnings.append(ReadingWarning("unsure", f"whether a card belongs to the tableau {why}", detected.centre))
    return Reading(tuple(cards), tuple(loose), tuple(warnings), classifier)


def _is_faint(card: Detection, cell: Cell | None, names: Sequence[str | None]) -> bool:
    """Whether a card beside the tableau is so faint that its neighbours in the tableau may be hidden."""
    return cell is None and card.confidence < LIMITS.faint_card and names.count(None) >= LIMITS.unread_of_six


def doubt_mixed_up(probabilities: NDArray[np.float32], names: list[list[str | None]]) -> None:
    """Reject, in place, all but the surest symbols of two kinds of which many on the picture cannot be told apart.

    What hides the difference of some, dim light or distance, makes others look the more like the wrong kind.

    Args:
        probabilities: (N, 6, C) of the cards' symbols.
        names: six of each card; what is rejected becomes None.
    """
    first_two = np.sort(np.argsort(probabilities, axis=-1)[..., -2:], axis=-1)
    rejected = np.array([[name is None for name in row] for row in names]).reshape(first_two.shape[:2])
    for pair in np.unique(first_two[rejected], axis=0):
        of_pair = (first_two == pair).all(-1)
        if rejected[of_pair].sum() >= LIMITS.fewest_mixed_up and rejected[of_pair].mean() > LIMITS.mixed_up:
            for i, d in np.argwhere(of_pair & (probabilities.max(-1) < LIMITS.sure_if_mixed_up)):
                names[i][d] = None


def _doubt_clashes(
    by_cell: Mapping[Cell, int],
    names: list[list[str | None]],
    confidences: NDArray[np.floating],
    found: tuple[Detection, ...],
) -> list[ReadingWarning]:
    """Reject the less confident of two touching symbols that differ, unless it is clear, and warn."""
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
            weak = (i, d) if confidences[i][d] < confidences[j][opposite(d)] else (j, opposite(d))
            if confidences[weak[0]][weak[1]] < LIMITS.plain_symbol:
                names[weak[0]][weak[1]] = None
    return warnings


def unread(card: DetectedCard) -> DetectedCard:
    """The card with all its symbols rejected; a loose one may belong to the tableau."""
    return replace(card, edges=(None,) * 6, confidence=card.presence * 0.5, is_unsettled=card.cell is None)


def without_colour(card: DetectedCard) -> DetectedCard:
    """The card without the symbols that only colour tells: all but the rings."""
    edges = tuple(edge if edge in _KNOWN_BY_SHAPE else None for edge in card.edges)
    return replace(card, edges=edges, confidence=confidence_of(card.presence, card.probabilities, edges))


def _unsure(card: DetectedCard, size: tuple[int, int]) -> ReadingWarning:
    missing = sum(edge is None for edge in card.edges)
    return unreadable(f"{'a symbol' if missing == 1 else f'{missing} symbols'} of a card", card, size)


def neighbouring_places(corners: NDArray[np.floating]) -> NDArray[np.float32]:
    """The places (M, 6, 2) beside cards where no card lies."""
    centres = corners.mean(1)
    over = corners + np.roll(corners, -1, axis=1) - 2 * centres[:, None]  # from a card's centre to its neighbour's
    places = (corners[:, None] + over[:, :, None]).reshape(-1, 6, 2)
    reach = np.linalg.norm(over, axis=-1).reshape(-1)
    apart = np.linalg.norm(places.mean(1)[:, None] - centres[None], axis=-1).min(1)
    return np.asarray(places[apart > 0.6 * reach])


def table_similarity(pyramid: Pyramid, corners: NDArray[np.floating]) -> TableSimilarity:
    """What tells how much outlines look like the bare table.

    The bare table is what many places beside the cards have in common, in colour and in contrast; it is measured once
    the first outlines are asked for.

    Args:
        corners: (N, 6, 2) pixels of all cards on it.

    Returns:
        A function of outlines (M, 6, 2) in pixels, to the share of the places beside the cards that look alike (M,);
        1 where these are too few to tell.
    """

    @cache
    def bare_table() -> _BareTable | None:
        return _bare_table(pyramid, neighbouring_places(corners))

    def similarity(outlines: NDArray[np.floating]) -> NDArray[np.floating]:
        bare = bare_table()
        if bare is None:
            return np.ones(len(outlines))
        points, sides = _places_in(outlines)
        levels = np.array([pyramid.level_for(_SPACING * side) for side in sides.tolist()])
        own = _colour_statistics(pyramid, points, levels)
        off = np.abs(bare.statistics - own[:, None]).max(-1)
        alike = (off < bare.limit).sum(1)
        return np.asarray(np.where(alike < _LEAST_ALIKE, 0.0, alike / len(bare.statistics)))

    return similarity


class _BareTable(NamedTuple):
    """What the table beside cards looks like.

    Attributes:
        statistics: (M, 4), the `_colour_statistics` of places beside the cards.
        limit: places that differ by less look alike.
    """

    statistics: NDArray[np.float32]
    limit: float


def _bare_table(pyramid: Pyramid, free: NDArray[np.floating]) -> _BareTable | None:
    """What the table looks like at free places (M, 6, 2); None where they are too few to tell."""
    if len(free) < 3:
        return None
    points, sides = _places_in(free)
    level = pyramid.level_for(_SPACING * float(np.median(sides)))
    statistics = _colour_statistics(pyramid, points, np.full(len(free), level))
    enough = max(_LEAST_ALIKE, round(LIMITS.bare_share * len(statistics)))
    apart = np.abs(statistics[:, None] - statistics[None]).max(-1)
    usual = float(np.median(np.sort(apart, axis=1)[:, min(enough, len(statistics) - 1)]))
    bright = float(np.median(statistics[:, :3].max(-1)))
    limit = max(LIMITS.covered_levels * float(np.clip(bright / LIMITS.lit_level, 0.4, 1.0)), 1.5 * usual)
    return _BareTable(statistics, limit)


def _places_in(outlines: NDArray[np.floating]) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """The places (M, P, 2) within outlines (M, 6, 2) where their colours are measured, and the outlines' sides (M,)."""
    centres = outlines.mean(1)
    affines = np.einsum("mkx,ky->mxy", outlines - centres[:, None], HEXAGON.unit) / 3.0
    points = np.einsum("pk,mxk->mpx", _PLACES, affines) + centres[:, None]
    return points, np.sqrt(np.abs(np.linalg.det(affines)))


def _colour_statistics(pyramid: Pyramid, points: NDArray[np.floating], levels: NDArray[np.int_]) -> NDArray[np.float32]:
    """The mean colour at the places (M, P, 2) in each outline, seen on its level (M,), and the spread: (M, 4)."""
    seen = np.empty((*points.shape[:2], 3), np.float32)
    for level in set(levels.tolist()):
        seen[levels == level] = pyramid.sample(points[levels == level], level)
    return np.concatenate([seen.mean(1), seen.mean(2).std(1)[:, None]], axis=1)
