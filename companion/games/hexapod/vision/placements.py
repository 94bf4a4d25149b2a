"""What changed between two readings: which field is which, where a card was laid in a case, or what is gone.

Changes when a play shows in another way. Pure: readings in, changes out.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.games.hexapod.vision.results import DetectedField, HexapodReading, Kinds
from companion.vision.geometry import side_px

Place = tuple[int, int]
Cells = tuple[tuple[str | None, str | None], tuple[str | None, str | None]]
Square = tuple[tuple[str, str], tuple[str, str]]

_CORNERS: tuple[Place, ...] = ((0, 0), (0, 1), (1, 0), (1, 1))
_SECOND: Mapping[str, Place] = {"moth": (0, 1), "stag": (1, 0)}
_COVERED = 0.6
"""A card that shows what lay there before is told only when so much of each of its cells looks different."""

_MIN_CHANGED = 0.15
"""What is first read in a cell of which less looks different lay there before. In a path-traced film a card laid in an
empty case changed 0.24 to 0.82 of its cells, its shadow 0.13 of others."""
_SHOWS = 2
"""Of two cards laid at once each must show something new in so many of its cells, and one that is read in part."""
_OTHER_PLACE = 0.15
"""And then the other cells may look different only so much, taken together."""
_SAME_PLACE = 0.45
"""Two fields whose middles are nearer than this share of a side are one."""
_PUSHED = 0.025
"""A field of which a corner lies further from where it lay, in sides, was pushed."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A card laid in a case: its top left cell, and what shows on it, None where it is hidden or cannot be read."""

    place: Place
    cells: Cells

    @property
    def is_whole(self) -> bool:
        """All its insects are known."""
        return all(None not in row for row in self.cells)


@dataclass(frozen=True, slots=True)
class Covered:
    """What showed where a card was laid: its top left cell, and the kinds there before."""

    place: Place
    cells: Cells

    @classmethod
    def by(cls, card: Laid, cells: Kinds) -> "Covered":
        """What a card covers of some kinds."""
        return cls(card.place, _shown(cells, card.place))

    def is_bare(self, before: DetectedField, now: DetectedField, *, is_old: bool = False) -> bool:
        """Whether just that shows there again: the card was taken away.

        What cannot be read now may be what lay there when nothing was read there then, or when it ``is_old``. A cell
        that can be read now and could not on the card is new, too.
        """
        under = dict(zip(cells_under(self.place), (kind for row in self.cells for kind in row), strict=True))
        unread = [(r, c) for r, c in under if now.doubt[r][c]]
        changes = set(changed_cells(before, now))
        shown = changes | {(r, c) for r, c in under if before.doubt[r][c] and not now.doubt[r][c]}
        if not changes or not changes <= set(under) or len(shown) < (_SHOWS if unread else 1):
            return False
        may_be_it = is_old or all(under[cell] is None for cell in unread)
        return may_be_it and all(now.cells[r][c] == kind for (r, c), kind in under.items() if (r, c) not in unread)


def changed_cells(before: DetectedField, now: DetectedField) -> dict[Place, str | None]:
    """The cells that show something else than before, as far as they were read, and what."""
    return {
        (r, c): now.cells[r][c]
        for r, row in enumerate(before.cells)
        for c, kind in enumerate(row)
        if not now.doubt[r][c] and not before.doubt[r][c] and now.cells[r][c] != kind
    }


def newly_doubted(before: DetectedField, now: DetectedField) -> NDArray[np.bool_]:
    """Which cells cannot be read that could be before, (rows, cols): one that never could waits for nothing."""
    return np.asarray(np.array(now.doubt) & ~np.array(before.doubt))


def doubt_burnt_out(before: DetectedField, now: DetectedField, is_burnt_out: NDArray[np.bool_]) -> DetectedField:
    """The case with burnt-out cells doubted too that may show the rest of a card that can be read in part.

    Args:
        before: the case as it was known.
        now: the case as it is read.
        is_burnt_out: bool (rows, cols), cells that are read as empty, but would be with a pale insect too.
    """
    changes, doubted = set(changed_cells(before, now)), _cells_where(newly_doubted(before, now))
    doubt = np.array(now.doubt)
    for place in _places(doubt.shape) if doubted else []:
        under = set(cells_under(place))
        rest = under - changes - doubted
        if doubted <= under and len(under & changes) >= _SHOWS and all(is_burnt_out[cell] for cell in rest):
            doubt |= _is_any_of(rest, doubt.shape)
    return replace(now, doubt=tuple(map(tuple, doubt.tolist())))


def may_be_covered(before: DetectedField, now: DetectedField, read: DetectedField) -> NDArray[np.bool_]:
    """Which cells, (rows, cols), a card may have covered, wherever it shows all that is new: as thin print as what lay
    there may look the same.

    Args:
        before: the case as it was known.
        now: the case as it is read where it looks different.
        read: the case as it is read everywhere.
    """
    changes, shape = set(changed_cells(before, now)), np.shape(now.doubt)
    places = [
        place
        for place in _places(shape)
        if len(changes) >= _SHOWS and changes <= set(cells_under(place)) and square(read.cells, place) is not None
    ]
    return _is_any_of(_under_all(places), shape)


def laid_cards(before: DetectedField, now: DetectedField, changed: NDArray[np.floating]) -> tuple[Laid, ...]:
    """The one or two cards that were laid; none when no such explain what changed.

    Some of their cells may be unread, where two others of each at least show something new. Where cards fit in several
    places they lie over what cannot be read any more rather than over what shows the same as before.

    Args:
        before: the case as it was known.
        now: the case as it is read.
        changed: (rows, cols) the share of each cell that looks different.

    Returns:
        Two cards that lie one over the other with the lower one first, its hidden cells None.
    """
    changes = changed_cells(before, now) | _first_read(before, now, changed)
    if any(kind is None for kind in changes.values()):
        return ()
    places = _places(changed.shape)
    squares = [place for place in places if square(now.cells, place) is not None]
    if len(changes) >= _SHOWS:
        squares += [place for place in places if _is_read_in_part(now, place)]
    fitting: list[tuple[Place, ...]] = [(place,) for place in squares if set(changes) <= set(cells_under(place))]
    if not changes:
        fitting = [one for one in fitting if _stands_out(changed, one[0])]
    elif not fitting:
        fitting = [(a, b) for b in squares for a in places if a != b and _explains((a, b), now, changes, changed)]
    unread = _cells_where(newly_doubted(before, now))
    fitting = [some for some in fitting if unread <= _under_all(some)] or fitting
    if not fitting:
        return ()
    best = max(fitting, key=lambda some: sum(float(changed[cell]) - 0.5 for cell in _under_all(some)))
    hidden = set(cells_under(best[-1])) if len(best) == 2 else set()
    lower = [Laid((int(p[0]), int(p[1])), _shown(now.cells, p, hidden)) for p in best[:-1]]
    return (*lower, Laid((int(best[-1][0]), int(best[-1][1])), _shown(now.cells, best[-1])))


def is_taken_in_part(changes: Mapping[Place, str | None], doubted: NDArray[np.bool_]) -> bool:
    """Whether one card was taken from where the floor shows, though cells under it cannot be read.

    Args:
        changes: the cells that show something else, and what.
        doubted: bool (rows, cols), those that cannot be read any more.
    """
    return len(changes) >= _SHOWS and None in changes.values() and may_be_card(changes, doubted)


def may_be_card(changes: Collection[Place], doubted: NDArray[np.bool_]) -> bool:
    """Whether one card would explain the cells that show something else and those that cannot be read any more."""
    cells = {*changes, *_cells_where(doubted)}
    return len(cells) >= _SHOWS and any(cells <= set(cells_under(place)) for place in _places(doubted.shape))


def may_reach_under(changes: Collection[Place], is_open: NDArray[np.bool_]) -> bool:
    """Whether a card that shows in some cells may reach under a hand; ``is_open`` (rows, cols) says where none is."""
    holding = [cells_under(place) for place in _places(is_open.shape) if set(changes) <= set(cells_under(place))]
    return any(not is_open[cell] for under in holding for cell in under)


def _is_read_in_part(case: DetectedField, place: Place) -> bool:
    """Whether a card may lie there of which some cells cannot be read, and none is empty."""
    unread = [case.doubt[r][c] for r, c in cells_under(place)]
    return any(unread) and all(case.doubt[r][c] or case.cells[r][c] is not None for r, c in cells_under(place))


def _explains(
    pair: tuple[Place, Place], now: DetectedField, changes: Mapping[Place, str | None], changed: NDArray[np.floating]
) -> bool:
    """Whether a card and one on top of it, or beside it, show all that is new."""
    lower, top = (set(cells_under(place)) for place in pair)
    shown = lower - top
    if not set(changes) <= lower | top or any(
        changed[cell] >= _COVERED for cell in np.ndindex(changed.shape) if cell not in lower | top
    ):
        return False
    if len(shown) == 4 and square(now.cells, pair[0]) is None and not _is_read_in_part(now, pair[0]):
        return False
    is_seen = all(now.cells[r][c] is not None or now.doubt[r][c] for r, c in shown)
    return is_seen and all(sum(cell in changes for cell in cells) >= _SHOWS for cells in (shown, top))


def _shown(cells: Kinds, place: Place, hidden: Collection[Place] = ()) -> Cells:
    """What shows of a card there; None where another card hides it."""
    a, b, c, d = (None if (r, q) in hidden else cells[r][q] for r, q in cells_under(place))
    return (a, b), (c, d)


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


def is_under(laid: Collection[Laid | Covered], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """On which cells of a case of so many rows and columns cards lie, or lay, bool (rows, cols)."""
    return _is_any_of(_under_all([card.place for card in laid]), shape)


def _is_any_of(cells: Collection[Place], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which cells of a case of so many rows and columns are some of these, bool (rows, cols)."""
    out = np.zeros(shape, bool)
    for cell in cells:
        out[cell] = True
    return out


def with_card(cells: Kinds, laid: Laid) -> Kinds:
    """The kinds once the card lies there, as far as its insects are known."""
    under = dict(zip(cells_under(laid.place), (kind for row in laid.cells for kind in row), strict=True))
    return tuple(tuple(under.get((r, c)) or kind for c, kind in enumerate(row)) for r, row in enumerate(cells))


def _stands_out(changed: NDArray[np.floating], place: Place) -> bool:
    """Whether all four cells there look different and the others hardly do: no shadow, no light."""
    inside = np.zeros(changed.shape, bool)
    inside[place[0] : place[0] + 2, place[1] : place[1] + 2] = True
    return bool(changed[inside].min() >= _COVERED and changed[~inside].mean() <= _OTHER_PLACE)


def _first_read(before: DetectedField, now: DetectedField, changed: NDArray[np.floating]) -> dict[Place, str | None]:
    """Cells that could not be read before and can be now, where an insect shows and they look different."""
    return {
        (r, c): now.cells[r][c]
        for r, row in enumerate(before.doubt)
        for c, doubted in enumerate(row)
        if doubted and not now.doubt[r][c] and now.cells[r][c] is not None and changed[r, c] >= _MIN_CHANGED
    }


def _places(shape: tuple[int, ...]) -> list[Place]:
    """Where cards may lie in a case of so many rows and columns: their top left cells."""
    rows, cols = shape
    return [(r, c) for r in range(rows - 1) for c in range(cols - 1)]


def _cells_where(mask: NDArray[np.bool_]) -> set[Place]:
    """The cells of a case where a mask (rows, cols) holds."""
    return {(int(row), int(col)) for row, col in np.argwhere(mask)}


def _under_all(places: Collection[Place]) -> set[Place]:
    """The cells under cards with these top left cells."""
    return {cell for place in places for cell in cells_under(place)}


def cells_under(place: Place) -> list[Place]:
    """The four cells of a case under a card with this top left cell, in reading order."""
    return [(int(place[0]) + row, int(place[1]) + col) for row, col in _CORNERS]


def is_same_place(a: DetectedField, b: DetectedField) -> bool:
    """Whether two fields are one thing, seen twice."""
    apart = float(np.linalg.norm(a.corners.mean(0) - b.corners.mean(0)))
    return a.is_case == b.is_case and apart < _SAME_PLACE * side_px(b.corners)


def match_fields(known: list[DetectedField], reading: HexapodReading) -> list[DetectedField] | None:
    """The known cases in a reading, in their order; None unless all are there and none shows what was not known."""
    left, again = list(reading.cards), []
    for case in (field for field in known if field.is_case):
        fitting = [one for one in left if not changed_cells(case, one)]
        if not fitting:
            return None
        best = min(fitting, key=lambda one: float(np.linalg.norm(one.corners.mean(0) - case.corners.mean(0))))
        left.remove(best)
        again.append(best)
    return again


def has_shifted(before: DetectedField, now: DetectedField) -> bool:
    """Whether a field lies elsewhere than before, wherever its corners begin."""
    ways = [np.linalg.norm(np.roll(now.corners, -k, axis=0) - before.corners, axis=1).max() for k in range(4)]
    return float(min(ways)) > _PUSHED * side_px(before.corners)


def align_first_corner(known: DetectedField, now: DetectedField) -> DetectedField:
    """The case as it was known, begun where the look began: one that was empty had no sure way up, nor one of which all
    that was read is the same upside down.
    """
    return replace(known, corners=now.corners, is_upright=now.is_upright)


def is_turned(known: DetectedField, aligned: DetectedField) -> bool:
    """Whether a field begins at another corner than where it was known."""
    return int(np.linalg.norm(aligned.corners - known.corners[0], axis=1).argmin()) != 0
