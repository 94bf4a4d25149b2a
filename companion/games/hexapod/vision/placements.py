"""What changed in a display case between two readings: where a card was laid, or what is gone.

Changes when a play shows in another way. Pure: kinds in, kinds out.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from companion.games.hexapod.vision.results import Kinds, SeenField

Place = tuple[int, int]
Square = tuple[tuple[str, str], tuple[str, str]]

_CORNERS: tuple[Place, ...] = ((0, 0), (0, 1), (1, 0), (1, 1))
_SECOND: Mapping[str, Place] = {"moth": (0, 1), "stag": (1, 0)}
_COVERED = 0.6
"""A card that shows what lay there before is told only when so much of each of its cells looks different."""

_ELSEWHERE = 0.15
"""And then the other cells may look different only so much, taken together."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A card laid in a case: its top left cell, and what shows on it."""

    place: Place
    cells: Square


def news_of(before: SeenField, now: SeenField) -> dict[Place, str | None]:
    """The cells that show something else than before, as far as they were read, and what."""
    return {
        (r, c): now.cells[r][c]
        for r, row in enumerate(before.cells)
        for c, kind in enumerate(row)
        if not now.doubt[r][c] and not before.doubt[r][c] and now.cells[r][c] != kind
    }


def laid_card(before: SeenField, now: SeenField, changed: np.ndarray) -> Laid | None:
    """The card that was laid; None when no one card explains what changed.

    Args:
        before: the case as it was known.
        now: the case as it is read.
        changed: (rows, cols) the share of each cell that looks different.
    """
    news = news_of(before, now) | _first_read(before, now)
    if any(kind is None for kind in news.values()):
        return None
    rows, cols = changed.shape
    fitting = [
        place
        for place in np.ndindex(rows - 1, cols - 1)
        if set(news) <= set(_under(place)) and square(now.cells, place) is not None
    ]
    if not news:
        fitting = [place for place in fitting if _stands_out(changed, place)]
    if not fitting:
        return None
    place = max(fitting, key=lambda one: float(sum(changed[cell] for cell in _under(one))))
    shown = square(now.cells, place)
    return None if shown is None else Laid((int(place[0]), int(place[1])), shown)


def square(cells: Kinds, place: Place) -> Square | None:
    """The four kinds of a card there; None where a cell is empty or unread, or a stag or moth lacks its half."""
    kinds = {corner: cells[place[0] + corner[0]][place[1] + corner[1]] for corner in _CORNERS}
    if any(kind is None for kind in kinds.values()):
        return None
    spiders = sum(kind == "spider" for kind in kinds.values())
    if spiders not in (0, 4):
        return None
    for kind, (down, right) in _SECOND.items():
        for row, col in _CORNERS:
            other = (row + down, col + right) if row + down < 2 and col + right < 2 else (row - down, col - right)
            if kinds[row, col] == kind and kinds[other] != kind:
                return None
    a, b, c, d = (str(kinds[corner]) for corner in _CORNERS)
    return (a, b), (c, d)


def with_card(cells: Kinds, laid: Laid) -> Kinds:
    """The kinds once the card lies there."""
    under = dict(zip(_under(laid.place), (kind for row in laid.cells for kind in row), strict=True))
    return tuple(tuple(under.get((r, c), kind) for c, kind in enumerate(row)) for r, row in enumerate(cells))


def _stands_out(changed: np.ndarray, place: Place) -> bool:
    """Whether all four cells there look different and the others hardly do: no shadow, no light."""
    inside = np.zeros(changed.shape, bool)
    inside[place[0] : place[0] + 2, place[1] : place[1] + 2] = True
    return bool(changed[inside].min() >= _COVERED and changed[~inside].mean() <= _ELSEWHERE)


def _first_read(before: SeenField, now: SeenField) -> dict[Place, str | None]:
    """Cells that could not be read before and can be now, where an insect shows."""
    return {
        (r, c): now.cells[r][c]
        for r, row in enumerate(before.doubt)
        for c, doubted in enumerate(row)
        if doubted and not now.doubt[r][c] and now.cells[r][c] is not None
    }


def _under(place: Place) -> list[Place]:
    return [(int(place[0]) + row, int(place[1]) + col) for row, col in _CORNERS]
