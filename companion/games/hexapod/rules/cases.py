"""Insects, cards and display cases: what may cover what, and what a case scores.

Source: the rules page Hexapod, "Things", the conditions of `play` and "Scoring a case".
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

Place = tuple[int, int]
"""Row and column, from the top left."""

SINGLES = ("blue", "green", "gold", "dung", "leaf")
"""Kinds that fill one cell."""
KINDS = (*SINGLES, "stag", "moth")
SIDE = 2
"""A card is two cells wide and two high."""

_RUN_WORTH = {"blue": 1, "green": 2, "gold": 3}
_BIG_WORTH = 5
_SECOND_CELL: Mapping[str, Place] = {"stag": (1, 0), "moth": (0, 1)}
_AROUND = tuple((row, col) for row in (-1, 0, 1) for col in (-1, 0, 1) if (row, col) != (0, 0))


@dataclass(frozen=True, slots=True)
class Insect:
    """One insect and the cells it fills on a card or in a case: one, or two for a stag or a moth."""

    kind: str
    cells: tuple[Place, ...]


Card = tuple[Insect, ...]
"""The insects of one card, in reading order of their first cells."""


@dataclass(frozen=True, slots=True)
class Case:
    """One display case: its size, and the insect on every cell that is not empty."""

    rows: int
    cols: int
    lying: Mapping[Place, Insect]

    def kind(self, place: Place) -> str | None:
        """The kind on a cell; None on an empty one."""
        insect = self.lying.get(place)
        return None if insect is None else insect.kind

    def holds(self, place: Place) -> bool:
        """Whether a card with its top left cell there lies inside the case."""
        return 0 <= place[0] <= self.rows - SIDE and 0 <= place[1] <= self.cols - SIDE

    def windows(self) -> tuple[Place, ...]:
        """Every place for a card, row by row."""
        return tuple((row, col) for row in range(self.rows - SIDE + 1) for col in range(self.cols - SIDE + 1))

    def insects(self) -> tuple[Insect, ...]:
        """Every insect once, in reading order."""
        return tuple(dict.fromkeys(self.lying[place] for place in sorted(self.lying)))

    def covered(self, place: Place, card: Card) -> tuple[str, ...]:
        """The kinds of insects that the card covers with an equal one; a stag or moth counts only with both cells."""
        laid = moved(card, place)
        return tuple(dict.fromkeys(insect.kind for insect in laid if self.lying.get(insect.cells[0]) == insect))

    def dung_covered(self, place: Place, card: Card) -> tuple[Place, ...]:
        """The cells in which the card would cover a dung beetle with another kind."""
        over = [(cell, insect.kind) for insect in moved(card, place) for cell in insect.cells]
        return tuple(sorted(cell for cell, kind in over if self.kind(cell) == "dung" and kind != "dung"))

    def half_covered(self, place: Place) -> Insect | None:
        """The first stag or moth that a card there would cover with one of its cells only."""
        under = {(place[0] + row, place[1] + col) for row in range(SIDE) for col in range(SIDE)}
        touched = {self.lying[cell] for cell in under if cell in self.lying}
        partly = (insect for insect in touched if not under.issuperset(insect.cells))
        return min(partly, key=lambda insect: insect.cells, default=None)

    def with_card(self, place: Place, card: Card) -> "Case":
        """The case with a card laid at a place."""
        laid = {cell: insect for insect in moved(card, place) for cell in insect.cells}
        return Case(self.rows, self.cols, {**self.lying, **laid})

    def as_json(self) -> list[list[str | None]]:
        """The kinds row by row."""
        return [[self.kind((row, col)) for col in range(self.cols)] for row in range(self.rows)]

    def score(self) -> dict[str, int]:
        """The points by kind, without coins; dung scores nothing and is left out."""
        counted = [insect.kind for insect in self.insects()]
        in_runs, rows = Counter[str | None](), self.as_json()
        for line in (*rows, *zip(*rows, strict=True)):
            for kind, run in groupby(line):
                length = len([*run])
                in_runs[kind] += length if length > 1 else 0
        runs = {kind: worth * in_runs[kind] for kind, worth in _RUN_WORTH.items()}
        big = {kind: _BIG_WORTH * counted.count(kind) for kind in _SECOND_CELL}
        return {**runs, "leaf": self._leaf_points(), **big}

    def _leaf_points(self) -> int:
        leaves = {place for place in self.lying if self.kind(place) == "leaf"}
        return sum(1 + sum((row + down, col + right) in leaves for down, right in _AROUND) for row, col in leaves)


def read_card(cells: Sequence[Sequence[Any]]) -> Card | None:
    """The insects of a card given as 2 × 2 kinds; None when a kind is unknown or a stag or moth lacks a half.

    A stag's halves are in one column, a moth's in one row.

    >>> [one.kind for one in read_card([["moth", "moth"], ["blue", "dung"]])]
    ['moth', 'blue', 'dung']
    >>> read_card([["stag", "blue"], ["blue", "stag"]]) is None
    True
    """
    kinds = {(row, col): kind for row, line in enumerate(cells) for col, kind in enumerate(line)}
    insects: list[Insect] = []
    while kinds:
        row, col = first = min(kinds)
        kind = kinds.pop(first)
        if not isinstance(kind, str) or kind not in KINDS:
            return None
        filled: tuple[Place, ...] = (first,)
        if kind in _SECOND_CELL:
            down, right = _SECOND_CELL[kind]
            second = (row + down, col + right)
            if kinds.pop(second, None) != kind:
                return None
            filled = (first, second)
        insects.append(Insect(kind, filled))
    return tuple(insects)


def card_cells(card: Card) -> list[list[str]]:
    """The 2 × 2 kinds of a card, as `read_card` takes them."""
    kinds = {cell: one.kind for one in card for cell in one.cells}
    return [[kinds[row, col] for col in range(SIDE)] for row in range(SIDE)]


@lru_cache(maxsize=4096)
def moved(card: Card, place: Place) -> Card:
    """The card's insects with the cells they fill when its top left cell lies at a place."""
    return tuple(Insect(one.kind, tuple((row + place[0], col + place[1]) for row, col in one.cells)) for one in card)
