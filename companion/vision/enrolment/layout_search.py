"""Which outlines on a photograph are a teaching layout: cards in rows, perhaps beside others, one hardly seen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.vision.detection.suppression import OVERLAP
from companion.vision.edge_refinement import Refined, refine
from companion.vision.enrolment.labels import (
    MOST_OTHERS,
    TURNS_DEG,
    Candidates,
    Floats,
    Rows,
    of_a_size,
    reading_order,
)
from companion.vision.geometry import areas, shared_area, turned

_OFF = 0.5
"""A card lies under that of the first row if it is nearer than so much of a step to the place below that one."""
_ROUGHLY = 0.35
"""The cards of a single row lie no farther from an even one than so much of a step."""
_REGULAR = 0.2
"""Cards among others, or without one that is hardly seen, lie no farther from even rows than so much of a step."""
_PLAINLY, _EVEN = 2.0, 0.03
"""Of several ways to choose them one is the layout if the others are farther from even rows by this factor, no rows
being more even than the second."""
_SLANTED = 0.35
"""Columns lie across rows: the cosine between them is smaller."""
_ALONE = 1.25
"""Others lie farther, in steps, from the cards of a single row: three tiles of a table lie in a row by chance."""
_FEWEST, _MOST_MISSING = 4, 2
"""So many cards tell where up to so many more lie."""
_LEAST_EDGE, _LEAST_EDGES = 0.5, 0.8
"""A card lies there if edges show along so much of each side, and of all together. Each of 279 cards of 48 path-traced
layouts of HexDragon and Comet looked for by the others has them but one, of 373 places beside the cards four: three
bricks of a floor, and a hand.
"""
_ALIKE = 1.2
"""The sides of the cards of a layout differ by no more than this factor, longest to longest, as they are seen."""
_TURNED_DEG = (0.0, 10.0, 20.0, 30.0, 40.0, 50.0)
"""How hexagonal tiles may be turned."""
_ROUNDS, _KEPT = 3, 4
"""Where a card's place is known roughly its edges are looked for so often, each time from the likeliest outlines."""


def laid_out(found: Candidates, rows: Sequence[int]) -> Floats | None:
    """The outlines (N, K, 2) of a layout of so many cards in each row, in reading order; None where it is not seen.

    The deck may lie beside them, if they lie in even rows; and one or two may hardly show if their edges are where the
    others say that they lie. Of all ways to choose them the likeliest counts whose outlines may be cards, if one does.
    """
    likely = (way for way in _ways(found, rows) if not _holds_another(way, found.sure_print))
    tried = []
    for way in likely:
        exact = found.by_edges(way)
        if exact is not None and _may_be_cards(found, exact):
            return exact
        tried += [] if exact is None else [exact]
    whole = _enclosing(found, tried[0]) if tried else None
    if whole is not None and _may_be_cards(found, whole):
        return whole
    return next((way for way in tried if len(of_a_size(way)) == len(way)), None)


def _may_be_cards(found: Candidates, outlines: Floats) -> bool:
    """Whether outlines (N, K, 2) have equal sides and show print: what is printed within a card may look like one."""
    return all(_is_like(one, list(outlines)) for one in outlines) and found.show_print(outlines)


def _enclosing(found: Candidates, parts: Floats) -> Floats | None:
    """The cards of which outlines (N, K, 2) are parts: those with plain edges all around tell how large all are.

    None where around none such edges show, or around another one no edges of a card as large.
    """
    around = [one for one in found.outermost if any(shared_area(one, part) > OVERLAP for part in parts)]
    largest = max(map(cv2.contourArea, around), default=0.0)
    known = [one for one in around if cv2.contourArea(one) * _ALIKE**2 > largest]
    whole = []
    for part in parts:
        card = next((one for one in known if shared_area(one, part) > OVERLAP), None)
        card = _card_at(found, part.mean(0).astype(float), known) if card is None and known else card
        if card is None:
            return None
        whole.append(card)
    return np.array(whole, np.float32)


def _holds_another(way: Floats, cards: Floats) -> bool:
    """Among the cards of what may be a layout (N, K, 2) lies another one: the deck beside them is none of the row."""
    hull = cv2.convexHull(way.reshape(-1, 2))
    others = [card for card in cards if not any(shared_area(card, one) > OVERLAP for one in way)]
    return any(cv2.pointPolygonTest(hull, card.mean(0).tolist(), False) > 0 for card in others)


def _ways(found: Candidates, rows: Sequence[int]) -> Iterator[Floats]:
    """What may be the cards of a layout, in reading order, the likeliest first."""
    wanted = sum(rows)
    *ways, may_be = found.sets()
    for outlines in (way() for way in ways):
        order = _order(outlines, rows) if len(outlines) == wanted else None
        if order is not None:
            yield outlines[order]
    every = [way() for way in ways]
    likely = [one for k, one in enumerate(every) if not any(np.array_equal(one, other) for other in every[:k])]
    for outlines in likely:
        chosen = _among_others(outlines, rows) if 1 < wanted < len(outlines) <= wanted + MOST_OTHERS else None
        if chosen is not None:
            yield chosen
    for outlines in likely:
        is_nearly_all = max(_FEWEST, wanted - _MOST_MISSING) <= len(outlines) < wanted
        completed = _completed(found, outlines, rows) if is_nearly_all else None
        if completed is not None:
            yield completed
    unlikely = may_be()
    order = _order(unlikely, rows) if len(unlikely) == wanted else None
    if order is not None and all(map(_has_edges, refine(found.pyramid, list(unlikely.astype(np.float64))))):
        yield unlikely[order]
    outermost = of_a_size(found.outermost)
    order = _order(outermost, rows) if len(outermost) == wanted else None
    if order is not None:
        yield outermost[order]


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """Even rows as they are seen.

    Attributes:
        affine: (3, 2), a place in columns, rows and 1 to its pixels.
        off: how far the cards lie from their places, the farthest of them, in steps.
        step: pixels from one column to the next.
    """

    affine: NDArray[np.float64]
    off: float
    step: float

    @property
    def is_even(self) -> bool:
        """The cards lie in rows and columns."""
        along, down = self.affine[:2] / np.maximum(np.linalg.norm(self.affine[:2], axis=1, keepdims=True), 1e-6)
        return self.off < _REGULAR and abs(float(along @ down)) < _SLANTED

    @classmethod
    def of(cls, centres: NDArray[np.floating], places: Sequence[tuple[int, int]]) -> "_Grid":
        """The grid whose cards lie at centres (N, 2)."""
        at = np.array([(column, row, 1) for row, column in places], float)
        affine = np.linalg.lstsq(at, np.asarray(centres, float), rcond=None)[0]
        step = float(np.linalg.norm(affine[0]))
        off = float(np.linalg.norm(at @ affine - centres, axis=1).max()) / max(step, 1e-6)
        return cls(affine, off, step)

    def centre(self, place: tuple[int, int]) -> NDArray[np.float64]:
        """Where the card of a row and column lies."""
        return np.array([place[1], place[0], 1.0]) @ self.affine


def _places(rows: Sequence[int]) -> list[tuple[int, int]]:
    return [(row, column) for row, count in enumerate(rows) for column in range(count)]


def _order(outlines: Floats, rows: Sequence[int]) -> NDArray[np.intp] | None:
    """The order in which outlines, as many as a layout has cards, are those cards; None where they lie otherwise."""
    if len(rows) == 1:  # it may be a column: the picture lies on its side
        ways = (read.order for read in map(partial(Rows.of, outlines), TURNS_DEG) if read.counts == list(rows))
        order = next(ways, reading_order(outlines))
        off = _Grid.of(outlines[order].mean(1), _places(rows)).off
        return order if len(order) < 3 or off < _ROUGHLY else None
    for turn in TURNS_DEG:
        read = Rows.of(outlines, turn)
        if read.counts == list(rows) and _is_aligned(read, rows):
            return read.order
    return None


def _is_aligned(read: Rows, rows: Sequence[int]) -> bool:
    """Each card lies below another one of the first row: a row of fewer may leave out any place."""
    across = read.across[read.order]
    first = across[: rows[0]]
    if len(first) < 2:
        return True
    columns = np.abs(across[:, None] - first).argmin(1)
    is_below = np.abs(across - first[columns]) < _OFF * float(np.median(np.diff(first)))
    starts = np.cumsum([0, *rows[:-1]])
    each = zip(starts, rows, strict=True)
    return bool(is_below.all()) and all(len(set(columns[start : start + n].tolist())) == n for start, n in each)


def _among_others(outlines: Floats, rows: Sequence[int]) -> Floats | None:
    """The cards of a layout among a few more outlines; None where none or several choices of them lie in even rows."""
    centres, ways = outlines.mean(1), []
    for chosen in combinations(range(len(outlines)), sum(rows)):
        order = _order(outlines[list(chosen)], rows)
        if order is None:
            continue
        ordered = [chosen[k] for k in order]
        grid = _Grid.of(centres[ordered], _places(rows))
        others = np.delete(centres, chosen, axis=0)
        if grid.is_even and _is_alone(grid, rows, centres[ordered], others):
            ways.append((grid.off, ordered))
    ways.sort()
    if not ways or (len(ways) > 1 and ways[1][0] < _PLAINLY * max(ways[0][0], _EVEN)):
        return None
    return np.asarray(outlines[ways[0][1]])


def _is_alone(grid: _Grid, rows: Sequence[int], cards: NDArray[np.floating], others: NDArray[np.floating]) -> bool:
    """Other outlines, by their centres (N, 2), lie aside: none near a single row, none where the last of several rows
    would go on to a layout of more cards.
    """
    further = [grid.centre((len(rows) - 1, column)) for column in range(rows[-1], max(rows))]
    near, apart = (cards, _ALONE) if len(rows) == 1 else (np.reshape(further, (-1, 2)), _OFF)
    return bool((np.linalg.norm(others[:, None] - near, axis=2) > apart * grid.step).all())


def _completed(found: Candidates, outlines: Floats, rows: Sequence[int]) -> Floats | None:
    """The cards of a layout of which these are all but one or two, the others by their edges; None where none show."""
    ways = [whole for grid, cards in _gaps(outlines, rows) if (whole := _filled(found, grid, cards, rows)) is not None]
    return ways[0] if len(ways) == 1 else None


def _gaps(outlines: Floats, rows: Sequence[int]) -> Iterator[tuple[_Grid, dict[tuple[int, int], Floats]]]:
    """The ways in which outlines may be all but one or two cards of a layout: its rows, and the cards by place."""
    places = _places(rows)
    for present in combinations(places, len(outlines)):
        counts = [count for row in range(len(rows)) if (count := sum(place[0] == row for place in present))]
        for turn in TURNS_DEG:
            read = Rows.of(outlines, turn)
            if read.counts != counts:
                continue
            grid = _Grid.of(outlines[read.order].mean(1), present)
            if grid.is_even:
                yield grid, dict(zip(present, outlines[read.order], strict=True))
                break


def _filled(found: Candidates, grid: _Grid, cards: dict[tuple[int, int], Floats], rows: Sequence[int]) -> Floats | None:
    """All cards of a layout, those without an outline by the edges at their places; None where one has none."""
    whole = []
    for place in _places(rows):
        card = cards.get(place)
        card = _card_at(found, grid.centre(place), list(cards.values())) if card is None else card
        if card is None:
            return None
        whole.append(card)
    return np.array(whole, np.float32)


def _card_at(found: Candidates, centre: NDArray[np.float64], others: Sequence[Floats]) -> Floats | None:
    """The outline of a card that has edges around a place, as large as others; None without one."""
    size = float(np.median(np.sqrt(areas(np.array(others)))))
    begun = [*(one for one in found.unlikely if np.linalg.norm(one.mean(0) - centre) < _OFF * size)]
    nearest = min(others, key=lambda one: float(np.linalg.norm(one.mean(0) - centre)))
    begun.append(nearest - nearest.mean(0) + centre)
    turns = _TURNED_DEG if len(nearest) == 6 else (0.0,)
    shapes = [turned(shape - (at := shape.mean(0)), turn) + at for shape in begun for turn in turns]
    for _ in range(_ROUNDS):
        refined = refine(found.pyramid, shapes)
        refined = sorted(refined, key=lambda one: (not _is_like(one.corners, others), -float(one.support.mean())))
        refined = refined[:_KEPT]
        shapes = [one.corners for one in refined]
    best = refined[0].corners.astype(np.float32)
    is_there = float(np.linalg.norm(best.mean(0) - centre)) < _OFF * size and _has_edges(refined[0])
    return best if is_there and _is_like(best, others) else None


def _has_edges(card: Refined) -> bool:
    return bool(card.support.min() >= _LEAST_EDGE and card.support.mean() >= _LEAST_EDGES)


def _is_like(outline: NDArray[np.floating], others: Sequence[Floats]) -> bool:
    """An outline has the sides of the others: its edges are no neighbours' ones."""
    own, *sides = (np.sort(np.linalg.norm(one - np.roll(one, 1, 0), axis=1)) for one in (outline, *others))
    factor = own / np.median(sides, axis=0)
    return bool(((factor < _ALIKE) & (factor > 1 / _ALIKE)).all())
