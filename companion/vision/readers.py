"""One reader per game: the stages in order, from a picture to a reading, with the time each took."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import cv2
import numpy as np

from companion.rules.hexgrid import Cell, neighbour, opposite, rotated
from companion.vision.covers import cover_test
from companion.vision.finder import Found, find_cards
from companion.vision.known import naming
from companion.vision.lattice import find_lattice
from companion.vision.models import network
from companion.vision.pose import refined
from companion.vision.pyramid import Pyramid
from companion.vision.seen import Reading, SeenCard, Warned
from companion.vision.symbols import CLASSES, NAMES, class_probabilities, cut_patches

SURE = 0.96
"""A symbol less certain than this is unsure: its part of the reading is null and a warning says where."""
CARD = ((4, 0.2), (3, 0.45), (2, 0.8))
"""What is told as a card: with so many plain symbols on it, one found at least so surely."""

OTHER = CLASSES.index("other")

HINT = 0.12
"""Less certain than a card, this may still be one that something covers: it can join the parts of a tableau."""

EDITION_CLASSES = {"36": ("red", "blue-disc", "void"), "46": ("red", "blue-diamond", "yellow")}


def read_hexel(bgr: np.ndarray, edition: str | None = None, across_px: float | None = None) -> Reading:
    """Read a Hex'el table from one picture, without history.

    Args:
        bgr: uint8 (h, w, 3).
        edition: 36 or 46 when known; None decides by what is seen.
        across_px: how wide cards are, edge to edge, when known: the picture is then searched at the cheapest scale.

    Returns:
        The reading; without cards it carries the warning ``nothing-found``.
    """
    clock = Stopwatch()
    pyramid = Pyramid.of(bgr)
    clock.lap("shrink")
    found = find_cards(network("hexel-finder/finder.onnx"), pyramid, across_px, HINT)
    clock.lap("find")
    corners = np.array([f.corners for f in found], np.float32).reshape(-1, 6, 2)
    corners = refined(network("hexel-pose/pose.onnx"), pyramid, corners)
    clock.lap("refine")
    patches, _ = cut_patches(pyramid, corners)
    clock.lap("cut")
    probabilities = class_probabilities(network("hexel-symbols/symbols.onnx"), patches)
    clock.lap("name")
    is_card = np.array([_looks_like_a_card(f, p) for f, p in zip(found, probabilities, strict=True)], bool)
    if not is_card.any():
        return Reading((), (), (Warned("nothing-found", "no Hex'el card on this picture"),), edition, clock.laps)
    cells, easts = _placed_in_lattice(corners, is_card, cover_test(pyramid, corners[is_card]))
    clock.lap("lattice")
    cards = [Found(corners[i], found[i].confidence) for i in np.flatnonzero(is_card)]
    turned = np.stack([p[[(d - e) % 6 for d in range(6)]] for p, e in zip(probabilities[is_card], easts, strict=True)])
    edition = edition or likely_edition(turned)
    reading = judged(tuple(cards), cells, easts, turned, edition, (bgr.shape[1], bgr.shape[0]))
    clock.lap("judge")
    return Reading(reading.cards, reading.loose, reading.warnings, edition, clock.laps)


def _placed_in_lattice(
    corners: np.ndarray, is_card: np.ndarray, is_covered: Callable[[np.ndarray], bool]
) -> tuple[tuple[Cell | None, ...], tuple[int, ...]]:
    """Cell and east edge of every card.

    What is no card by itself, such as one under a hand, may be the bridge between two parts of the tableau: it is let
    in where that leaves all cells of the cards alone as they are and brings more cards into the tableau.

    Args:
        corners: (N, 6, 2) of cards and hints.
        is_card: (N,) bool.
        is_covered: whether something lies over a place; see `lattice`.
    """
    alone = find_lattice(corners[is_card], is_covered)
    if is_card.all() or None not in alone.cells:
        return alone.cells, alone.east
    bridged = find_lattice(corners, is_covered)
    cells = tuple(bridged.cells[i] for i in np.flatnonzero(is_card))
    easts = tuple(bridged.east[i] for i in np.flatnonzero(is_card))
    pairs = {new: old for new, old in zip(cells, alone.cells, strict=True) if new is not None and old is not None}
    same = naming(pairs)
    settled = sum(c is not None for c in alone.cells)
    if same is None or len(pairs) < settled or sum(c is not None for c in cells) <= settled:
        return alone.cells, alone.east
    turns, (q, r) = same
    if any((rotated(new, turns)[0] + q, rotated(new, turns)[1] + r) != old for new, old in pairs.items()):
        return alone.cells, alone.east
    return cells, easts


def _looks_like_a_card(found: Found, probabilities: np.ndarray) -> bool:
    """Patterned cloth may look like a card from afar, but nothing on it reads as a symbol; a covered card has some."""
    symbols = int((np.delete(probabilities, OTHER, axis=1).max(-1) > 0.9).sum())
    return any(symbols >= least and found.confidence >= sure for least, sure in CARD)


class Stopwatch:
    """Milliseconds between laps; timing is data that a reading carries."""

    def __init__(self, now: Callable[[], float] = perf_counter) -> None:
        self._now = now
        self._last = now()
        self.laps: dict[str, float] = {}

    def lap(self, name: str) -> None:
        """Note the time since the lap before under ``name``."""
        now = self._now()
        self.laps[name] = (now - self._last) * 1000.0
        self._last = now


def judged(
    found: tuple[Found, ...],
    cells: tuple[Cell | None, ...],
    easts: tuple[int, ...],
    probabilities: np.ndarray,
    edition: str,
    size: tuple[int, int],
) -> Reading:
    """Say what is sure and doubt the rest.

    Legality is a prior, never an answer: a third kind of symbol on a card, an edge that clashes with its neighbour, or
    a symbol of another edition turns what is least certain into `unsure`; what is plainly seen stays.

    Args:
        found: the cards.
        cells: the cell of each, None for a loose one.
        easts: the edge of each that looks in direction 0.
        probabilities: (N, 6, C) of each symbol in order of direction.
        edition: 36 or 46.
        size: width and height of the picture.
    """
    sure = probabilities.max(-1)
    names = [list(stated(p, edition)) for p in probabilities]
    by_cell = {cell: i for i, cell in enumerate(cells) if cell is not None}
    warnings = _doubt_clashes(by_cell, names, sure, found)
    cards: list[SeenCard] = []
    loose: list[SeenCard] = []
    for i, card in enumerate(found):
        seen = SeenCard(
            cells[i],
            tuple(names[i]),
            card.corners,
            confidence_of(card.confidence, probabilities[i], names[i]),
            card.confidence,
            probabilities[i],
            easts[i],
        )
        (cards if seen.cell is not None else loose).append(seen)
        if None in names[i]:
            warnings.append(_unsure(seen, size))
    return Reading(tuple(cards), tuple(loose), tuple(warnings), edition)


def stated(probabilities: np.ndarray, edition: str) -> tuple[str | None, ...]:
    """The symbols (6,) that may be stated as fact from their probabilities (6, C); None where unsure."""
    allowed = [c in EDITION_CLASSES[edition] for c in CLASSES]
    best, sure = probabilities.argmax(-1), probabilities.max(-1)
    names = [NAMES[k] if p >= SURE and allowed[k] else None for k, p in zip(best, sure, strict=True)]
    _doubt_third_kind(names, sure)
    return tuple(names)


def confidence_of(presence: float, probabilities: np.ndarray, names: Sequence[str | None]) -> float:
    """How sure a card's statement is: that it is there, and its least certain stated symbol."""
    sure = probabilities.max(-1)
    return presence * min((float(p) for name, p in zip(names, sure, strict=True) if name is not None), default=0.5)


def likely_edition(probabilities: np.ndarray) -> str:
    """The edition whose symbols (N, 6, C) are seen; one for the whole table."""
    weight = probabilities.reshape(-1, len(CLASSES)).sum(0)
    return max(EDITION_CLASSES, key=lambda e: sum(float(weight[CLASSES.index(c)]) for c in EDITION_CLASSES[e]))


def _doubt_third_kind(names: list[str | None], sure: np.ndarray) -> None:
    """A card has one or two kinds of symbol: of a third, the least certain kind becomes unsure."""
    while len(kinds := {n for n in names if n is not None}) > 2:
        weakest = min(kinds, key=lambda k: sum(float(s) for n, s in zip(names, sure, strict=True) if n == k))
        for d in range(6):
            if names[d] == weakest:
                names[d] = None


def _doubt_clashes(
    by_cell: Mapping[Cell, int], names: list[list[str | None]], sure: np.ndarray, found: tuple[Found, ...]
) -> list[Warned]:
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
            warnings.append(Warned("edge-clash", f"touching edges show {mine} and {other}", (float(x), float(y))))
            weak = (i, d) if sure[i][d] < sure[j][opposite(d)] else (j, opposite(d))
            if sure[weak[0]][weak[1]] < 0.995:
                names[weak[0]][weak[1]] = None
    return warnings


def _unsure(card: SeenCard, size: tuple[int, int]) -> Warned:
    missing = sum(e is None for e in card.edges)
    x, y = card.centre
    reason = "a symbol" if missing == 1 else f"{missing} symbols"
    near_rim = bool((card.corners.min(0) < 1).any() or (card.corners.max(0) > np.array(size) - 2).any())
    where = ", the picture's rim cuts it" if near_rim else ""
    return Warned("unsure", f"{reason} of a card cannot be read{where}", (x, y))


@dataclass(frozen=True, slots=True)
class Reader:
    """What the camera's side needs to know of a game: reading it, and where the game's words name cards and cells."""

    read: Callable[[np.ndarray, str | None, float | None], Reading]
    decks: tuple[str, ...]
    lying: Callable[[Mapping[str, Any]], dict[Cell, tuple[str | None, ...]]]
    """The cards that a game's view says lie on the table."""
    cells: Callable[[Mapping[str, Any]], tuple[Cell, ...]]
    """The cells that a command lays cards on."""


def _hexel_lying(view: Mapping[str, Any]) -> dict[Cell, tuple[str | None, ...]]:
    return {(c["cell"][0], c["cell"][1]): tuple(c["edges"]) for c in view["table"]["tableau"]}


def _hexel_cells(command: Mapping[str, Any]) -> tuple[Cell, ...]:
    laid = command.get("cards", [command] if "cell" in command else [])
    return tuple((c["cell"][0], c["cell"][1]) for c in laid)


READERS: Mapping[str, Reader] = {
    "hexel": Reader(read_hexel, ("hexel36", "hexel46"), _hexel_lying, _hexel_cells),
}


def load_picture(path: str | Path) -> np.ndarray | None:
    """A picture file as uint8 BGR, or None when it is no picture."""
    try:
        data = np.fromfile(path, np.uint8)
    except OSError:
        return None
    return cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
