"""Places cards in a hexagonal lattice: corners of the cards in, axial cells out.

On the levelled table (`table_from_outlines`) two cards touch when an edge of each faces the other across a small gap;
walking from card to card over such pairs (`adjacency`) gives every card its cell. No global grid is assumed: cards are
laid by hand, and errors add up outwards.

A hand or a mug hides cards, so that those beyond touch no visible card. They join the tableau when a bridge of covered
cells leads to them and their position and rotation fit the lattice continued over it. Several touching cards are never
loose: they need no visible bridge.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.adjacency import (
    TOUCHING_DISTANCE,
    Pairs,
    Placement,
    connected_groups,
    drop_contradicted,
    find_touching,
    walk_pairs,
)
from companion.games.hexel.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell, distance, neighbours, rotated
from companion.vision.geometry import (
    ANGLES,
    Array,
    TablePoses,
    areas,
    following,
    mapped,
    table_from_outlines,
    table_poses,
)

_USUAL_DISTANCE = TOUCHING_DISTANCE + 1.6 / 35
"""The usual distance of neighbours' centres, in sides, where the cards themselves give none."""

_REGULAR = 0.03
"""Outlines no farther than this from regular hexagons of side 1 lie on a levelled table; exact ones, half as far."""

TableSimilarity = Callable[[NDArray[np.floating]], NDArray[np.floating]]
"""How much places of the picture (N,) look like the bare table, 0..1, given as outlines (N, 6, 2) in pixels."""
CoverTest = Callable[[Sequence[complex], complex, float], Sequence[bool]]
"""Which places of the table look less like it than so much, given by their centres and the vector to a corner."""


def table_test(similarity: TableSimilarity, image_from_table: Array) -> CoverTest:
    """The test for places on the table from what outlines in the picture look like."""

    def are_covered(centres: Sequence[complex], side: complex, least: float) -> Sequence[bool]:
        corners = np.array(centres)[:, None] + side * np.exp(1j * ANGLES)
        outlines = np.stack([corners.real, corners.imag], axis=-1)
        return [bool(one < least) for one in similarity(mapped(image_from_table, outlines))]

    return are_covered


def join_in_place(placements: dict[int, Placement], poses: TablePoses, pairs: Pairs) -> dict[int, Placement]:
    """The placements with cards that lie in line in a free cell beside several, though a wide gap parts them, and with
    those that touch them.

    Outlines within a printed rim leave wider gaps than the cards do, the more where the table is levelled badly.
    """
    out = dict(placements)
    while len(out) > 1:
        taken = {placement.cell for placement in out.values()}
        fitting: list[tuple[float, int, dict[int, Placement]]] = []
        for card in set(range(len(poses.centre))) - out.keys():
            grid = _grid_around(complex(poses.centre[card]), out, poses)
            cell, off = grid.cell(complex(poses.centre[card]))
            east, turned = _turn_on(grid, card, poses)
            is_beside_several = len(taken.intersection(neighbours(cell))) > 1
            if off > LIMITS.in_place or turned > LIMITS.hair_deg or not is_beside_several:
                continue
            if (part := _with_part(card, Placement(cell, east % 6), out, pairs)) is not None:
                fitting.append((off, card, part))
        if not fitting:
            break
        *_, out = min(fitting, key=lambda one: one[:2])
    return out


def join_parts(
    placements: dict[int, Placement], poses: TablePoses, pairs: Pairs, covered: CoverTest
) -> tuple[dict[int, Placement], frozenset[int]]:
    """Join the parts of the tableau that covered cards separate, the nearest first.

    Returns:
        The placements, and the other cards that may belong to the tableau: a bridge leads to them, but they do not fit
        the lattice.
    """
    out = dict(placements)
    while True:
        bridges = _bridges_to_others(out, poses, pairs, covered)
        fitting = [card for card in bridges if bridges[card].placement is not None]
        best: dict[int, Placement] | None = None
        for card in sorted(fitting, key=lambda c: (bridges[c].length, -len(pairs[c]), c)):
            placement = bridges[card].placement
            if placement is not None and (best := _with_part(card, placement, out, pairs)) is not None:
                break
        if best is None:
            return out, frozenset(_with_touching(bridges, pairs, out))
        out = best


@dataclass(frozen=True, slots=True)
class _Bridge:
    """A bridge of covered cells to a card: its length, and the card's placement if it fits the lattice.

    Attributes:
        is_exact: whether it fits very exactly.
        is_far_off: whether it is too far from any cell to be part of the tableau.
    """

    length: int
    placement: Placement | None
    is_exact: bool
    is_far_off: bool


@dataclass(frozen=True, slots=True)
class _Grid:
    """The lattice around a place of the table: a cell is at ``at + step * (q + r e^(i pi/3))``."""

    at: complex
    step: complex

    def place(self, cell: Cell) -> complex:
        return self.at + self.step * _flat(cell)

    def cell(self, place: complex) -> tuple[Cell, float]:
        """The nearest cell, and how far from its place, in sides."""
        u = (place - self.at) / self.step
        r = u.imag / np.sin(np.pi / 3)
        q = u.real - r / 2
        near = [(int(np.floor(q)) + i, int(np.floor(r)) + j) for i in (0, 1) for j in (0, 1)]
        best = min(near, key=lambda c: abs(u - _flat(c)))
        return best, float(abs(place - self.place(best)))


def _flat(cell: Cell) -> complex:
    return complex(cell[0] + cell[1] * np.exp(1j * np.pi / 3))


def _heading(card: int, placement: Placement, poses: TablePoses) -> complex:
    """The unit vector of direction 0 from a card, relative to that of the plane of cells (y up to y down)."""
    side = poses.side[card]
    return complex(side / np.abs(side) * np.exp(1j * np.radians(60.0 * placement.east + 30.0)))


def _grid_around(place: complex, placements: dict[int, Placement], poses: TablePoses) -> _Grid:
    """The lattice fitted to the positions and rotations of the cards near a place."""
    cards = list(placements)
    centres = poses.centre[cards]
    cells = np.array([_flat(placements[c].cell) for c in cards])
    weight = np.exp(
        -(((np.abs(centres - place) - np.abs(centres - place).min()) / (LIMITS.near_cells * TOUCHING_DISTANCE)) ** 2)
    )
    weight /= weight.sum()
    middle, origin = complex(weight @ centres), complex(weight @ cells)
    off, at = centres - middle, cells - origin
    turns = np.array([_heading(c, placements[c], poses) for c in cards])
    # each card's turn counts like a neighbour beside it
    step = (weight @ (off * at.conj()) + _USUAL_DISTANCE * (weight @ turns)) / (weight @ (np.abs(at) ** 2) + 1.0)
    return _Grid(middle - step * origin, step)


def _bridges_to_others(
    placements: dict[int, Placement], poses: TablePoses, pairs: Pairs, covered: CoverTest
) -> dict[int, _Bridge]:
    """The bridges from the tableau to the other cards."""
    if not placements:
        return {}
    out: dict[int, _Bridge] = {}
    for group in connected_groups(len(pairs), pairs):
        if group[0] not in placements:
            bridges = _find_bridges(group, placements, poses, covered)
            if len(group) == 1:
                bridges = {card: bridge for card, bridge in bridges.items() if not bridge.is_far_off}
            else:
                uncovered = _find_bridges(group, placements, poses, lambda places, side, least: [True] * len(places))
                exact = [card for card, bridge in uncovered.items() if bridge.is_exact]
                bridges = uncovered if len(group) >= LIMITS.part_cards or len(exact) == len(group) else bridges
            out.update(bridges)
    return out


def _find_bridges(
    cards: Iterable[int], placements: dict[int, Placement], poses: TablePoses, covered: CoverTest
) -> dict[int, _Bridge]:
    found = {card: _find_bridge(card, placements, poses, covered) for card in cards}
    return {card: bridge for card, bridge in found.items() if bridge is not None}


def _find_bridge(card: int, placements: dict[int, Placement], poses: TablePoses, covered: CoverTest) -> _Bridge | None:
    """The shortest bridge from the tableau to a card; None without one.

    To a card that lies in line to a hair it may lead over cells that are not surely bare.
    """
    grid = _grid_around(complex(poses.centre[card]), placements, poses)
    cell, off = grid.cell(complex(poses.centre[card]))
    taken = {placement.cell for placement in placements.values()}
    corner = _corner(grid.step)

    def length_over(least: float) -> int | None:
        return _covered_between(cell, taken, lambda cells: covered([grid.place(c) for c in cells], corner, least))

    east, turned = _turn_on(grid, card, poses)
    is_in_line = off <= LIMITS.hair and turned <= LIMITS.hair_deg and cell not in taken
    length = length_over(LIMITS.bare_share)
    if length is None:
        doubtful = length_over(LIMITS.surely_bare_share) if is_in_line else None  # by chance hardly a card lies so
        return None if doubtful is None else _Bridge(doubtful, None, False, False)
    allowed = LIMITS.bridge_off_most + LIMITS.bridge_off_more * (length - 1)
    fits = off <= allowed and turned <= LIMITS.bridge_turn_most_deg and cell not in taken
    is_far_off = length <= LIMITS.few_covered and (
        off > LIMITS.far_off * allowed or turned > LIMITS.far_off * LIMITS.bridge_turn_most_deg
    )
    is_exact = fits and is_in_line
    return _Bridge(length, Placement(cell, east % 6) if fits else None, is_exact, is_far_off)


def _turn_on(grid: _Grid, card: int, poses: TablePoses) -> tuple[int, float]:
    """A card's edge, up to whole turns, that looks in direction 0 of the lattice, and by how many degrees it is off."""
    ahead = float(np.degrees(np.angle(poses.side[card] / grid.step))) + 30.0
    east = round(-ahead / 60.0)
    return east, abs(ahead + 60.0 * east)


def _corner(step: complex) -> complex:
    """From a cell's centre to one of its corners."""
    return step / abs(step) * complex(np.exp(-1j * np.pi / 6))


def _covered_between(
    goal: Cell, taken: set[Cell], are_covered: Callable[[Sequence[Cell]], Sequence[bool]]
) -> int | None:
    """The number of covered cells, at least one, between the taken ones and a cell; None without a path."""
    front, seen = {goal}, {goal}
    far = _cells_to(goal, taken)
    for length in range(LIMITS.bridge_most + 1):
        if length and any(n in taken for cell in front for n in neighbours(cell)):
            return length
        fresh = {n for cell in front for n in neighbours(cell)} - seen - taken
        near = [cell for cell in fresh if _cells_to(cell, taken) <= min(far, LIMITS.bridge_most - length)]
        if not near:
            return None
        front = {cell for cell, is_covered in zip(near, are_covered(near), strict=True) if is_covered}
        seen |= fresh
    return None


def _cells_to(cell: Cell, taken: set[Cell]) -> int:
    return min(distance(cell, other) for other in taken)


def _with_part(
    card: int, placement: Placement, placements: dict[int, Placement], pairs: Pairs
) -> dict[int, Placement] | None:
    """The placements with a card and those that touch it; None when they would fill cells that are taken."""
    part = walk_pairs({card: placement}, pairs)
    taken = {s.cell for s in placements.values()}
    if any(s.cell in taken for s in part.values()):
        return None
    return {**placements, **part}


def _with_touching(cards: Iterable[int], pairs: Pairs, placements: dict[int, Placement]) -> set[int]:
    """The cards and all that touch them, from card to card."""
    out: set[int] = set()
    waiting = list(cards)
    while waiting:
        card = waiting.pop()
        if card not in out and card not in placements:
            out.add(card)
            waiting += [touch.card for touch in pairs[card]]
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """The honeycomb that some cards form.

    Attributes:
        cells: for each card its axial cell, None for a card that is not part of the tableau.
        east: for each card the edge (corner ``east`` to ``east + 1``) that looks in direction 0; for a card outside
            the tableau the edge that looks most nearly so.
        table_from_image: 3x3 homography from pixels to the table seen from above, in card sides, y down.
        unsettled: the cards without a cell that may belong to the tableau all the same: what lies between is covered.
    """

    cells: tuple[Cell | None, ...]
    east: tuple[int, ...]
    table_from_image: Array
    unsettled: frozenset[int] = frozenset()


class LatticeFinder:
    """Finds the lattice of one table again and again; levels the table anew where its cards are no more regular."""

    def __init__(self) -> None:
        self._table_from_image: Array | None = None

    def around(self, corners: NDArray[np.floating]) -> Lattice:
        """The lattice of some cards (N, 6, 2) of the table, known ones and others."""
        return find_lattice(corners, table_from_image=self._table_from_image)

    def __call__(self, corners: NDArray[np.floating], known: Sequence[Cell | None]) -> Lattice:
        """The lattice of cards (N, 6, 2); the cells known do not matter."""
        lattice = find_lattice(corners, table_from_image=self._table_from_image)
        self._table_from_image = lattice.table_from_image
        return lattice


def find_lattice(
    corners: NDArray[np.floating],
    similarity: TableSimilarity | None = None,
    table_from_image: Array | None = None,
) -> Lattice:
    """Give every card of the largest group of touching cards its cell.

    Args:
        corners: (N, 6, 2) pixels, each card's corners clockwise as seen, any corner first.
        similarity: of places to the bare table. With it, a part of the tableau that covered cards separate still gets
            its cells.
        table_from_image: see `Lattice`, as it was found before: it counts while all cards are regular on it.

    Returns:
        Cells in the order of the cards. Direction ``d`` lies at the angle ``-60 d`` degrees of the table (y down), up
        to one rotation for all: E is the direction nearest to the picture's right. Fewer than two cards that belong
        together are no tableau. Of two outlines that claim one cell only the better connected gets it.
    """
    outlines = _checked(corners)
    if not len(outlines):
        return Lattice((), (), np.eye(3))
    poses = None if table_from_image is None else table_poses(mapped(table_from_image, outlines))
    if table_from_image is None or poses is None or not (poses.oddness <= _REGULAR).all():
        table_from_image = table_from_outlines(outlines)
        poses = table_poses(mapped(table_from_image, outlines))
    pairs = find_touching(poses)
    covered = None if similarity is None else table_test(similarity, np.asarray(np.linalg.inv(table_from_image)))
    right = _edges_looking_right(outlines)
    placements: dict[int, Placement] = {}
    unsettled: frozenset[int] = frozenset()
    for seed in _seeds(pairs):
        placements = drop_contradicted(walk_pairs({seed: Placement((0, 0), right[seed])}, pairs), pairs)
        placements = join_in_place(placements, poses, pairs)
        if covered is not None:
            placements, doubted = join_parts(placements, poses, pairs, covered)
            unsettled = unsettled | doubted
        if len(placements) > 1:
            break
    if len(placements) < 2:
        placements = {}
    unsettled -= placements.keys()
    return Lattice(
        tuple(placements[i].cell if i in placements else None for i in range(len(outlines))),
        tuple(placements[i].east if i in placements else right[i] for i in range(len(outlines))),
        table_from_image,
        unsettled,
    )


def lattice_of_cards(corners: NDArray[np.float32], is_card: NDArray[np.bool_], similarity: TableSimilarity) -> Lattice:
    """The lattice of those outlines that are cards.

    A rejected one, such as a card under a hand, may bridge two parts of the tableau: it is used where the cells
    of all cards stay the same and more cards join the tableau. On the table that the cards level it is nearly as
    regular as these: what is not tells nothing of the table.

    Args:
        corners: (N, 6, 2) of all outlines.
        is_card: (N,) bool.
        similarity: see `find_lattice`.
    """
    alone = find_lattice(corners[is_card], similarity)
    if is_card.all() or None not in alone.cells:
        return alone
    oddness = table_poses(mapped(alone.table_from_image, _checked(corners))).oddness
    chosen = is_card | (oddness <= LIMITS.odd_outline)
    bridged = _subset(find_lattice(corners[chosen], similarity), np.flatnonzero(is_card[chosen]))
    pairs = {
        new: old for new, old in zip(bridged.cells, alone.cells, strict=True) if new is not None and old is not None
    }
    settled = sum(c is not None for c in alone.cells)
    if len(pairs) < settled or sum(c is not None for c in bridged.cells) <= max(settled, 1):
        return alone
    return bridged if any(_turns_into(pairs, turns) for turns in range(6)) else alone


def _turns_into(pairs: Mapping[Cell, Cell], turns: int) -> bool:
    """Whether the old cells are the new ones after one rotation and one shift."""
    turned = [(rotated(new, turns), old) for new, old in pairs.items()]
    return len({(q - new_q, r - new_r) for (new_q, new_r), (q, r) in turned}) <= 1


def _subset(lattice: Lattice, chosen: NDArray[np.int64]) -> Lattice:
    """The lattice of some of its cards."""
    return replace(
        lattice,
        cells=tuple(lattice.cells[i] for i in chosen),
        east=tuple(lattice.east[i] for i in chosen),
        unsettled=frozenset(k for k, i in enumerate(chosen) if i in lattice.unsettled),
    )


def _seeds(pairs: Pairs) -> list[int]:
    """Where to begin: the best connected card of the largest group; any card where none touches another."""
    groups = connected_groups(len(pairs), pairs)
    if len(groups[0]) == 1:
        return list(range(len(pairs)))
    return [max(groups[0], key=lambda card: (len(pairs[card]), card))]


def _checked(corners: NDArray[np.floating]) -> Array:
    """The corners as float64 (N, 6, 2). Raises `ValueError` for another shape, or corners that run anticlockwise."""
    outlines = np.asarray(corners, np.float64)
    if outlines.size == 0:
        return np.zeros((0, 6, 2))
    if outlines.ndim != 3 or outlines.shape[1:] != (6, 2):
        raise ValueError(f"corners must be (N, 6, 2), not {outlines.shape}")
    backwards = np.flatnonzero(areas(outlines) <= 0)
    if len(backwards):
        raise ValueError(f"corners of card {backwards[0]} do not run clockwise")
    return outlines


def _edges_looking_right(outlines: Array) -> list[int]:
    middles = 0.5 * (outlines + following(outlines)) - outlines.mean(axis=1, keepdims=True)
    across, down = middles[..., 0], middles[..., 1]
    return np.argmax(across / np.hypot(across, down), axis=1).tolist()  # type: ignore[no-any-return]
