"""Which hex cell each card fills: corners of the cards that were found in, cells of the honeycomb out.

On the levelled table (`table_from_outlines`) two cards touch when an edge of each faces the other across a small gap;
walking from card to card over such pairs (`adjacency`) gives every card its cell. Nothing global is assumed about the
honeycomb: laid by hand, its errors add up outwards and no single grid fits all of it.

Parts of a tableau that covered cards cut off: joined where the honeycomb goes on in them, doubted where it may.

A hand or a mug hides cards; what lies beyond touches nothing that is seen. It belongs to the tableau when a way leads
to it over covered places, and it lies and is turned as the honeycomb, carried on over them, would have it. Several
cards that touch each other are no cards left lying: for them no way need be seen.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.adjacency import APART, Pairs, Stand, consistent, groups_of, touching, walked
from companion.games.hexel.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell, distance, neighbours
from companion.vision.geometry.shapes import ANGLES, Array, TablePoses, areas, mapped, table_from_outlines, table_poses

_LAID_APART = APART + 1.6 / 35
"""How far neighbours usually lie apart, in sides, where the cards themselves do not tell."""

Covered = Callable[[complex, complex], bool]
"""Whether something lies over a place of the table: its centre, and the way from there to a corner."""


def table_test(is_covered: Callable[[NDArray[np.floating]], bool], image_from_table: Array) -> Covered:
    """The test for places on the table from one for outlines in the picture."""

    def test(centre: complex, side: complex) -> bool:
        corners = centre + side * np.exp(1j * ANGLES)
        outline = np.stack([corners.real, corners.imag], axis=-1)[None]
        return is_covered(mapped(image_from_table, outline)[0])

    return test


def joined(
    stands: dict[int, Stand], poses: TablePoses, pairs: Pairs, covered: Covered
) -> tuple[dict[int, Stand], frozenset[int]]:
    """The stands with the parts of the tableau that covered cards cut off, the nearest first.

    Returns:
        The stands, and the other cards that may belong to the tableau too: a way over covered places leads to them, but
        they do not lie as the honeycomb goes on.
    """
    out = dict(stands)
    while True:
        reached = _reached(out, poses, pairs, covered)
        fitting = [card for card in reached if reached[card].stand is not None]
        best: dict[int, Stand] | None = None
        for card in sorted(fitting, key=lambda c: (reached[c].length, -len(pairs[c]), c)):
            stand = reached[card].stand
            if stand is not None and (best := _with_part(card, stand, out, poses, pairs)) is not None:
                break
        if best is None:
            return out, frozenset(_with_touching(reached, pairs, out))
        out = best


@dataclass(frozen=True, slots=True)
class _Way:
    """A way over cells to a card: how many they are, where the card stands if it lies in place.

    Attributes:
        is_to_a_hair: it lies in place very exactly.
        is_far_off: it lies so far from any place that it is none of the tableau's.
    """

    length: int
    stand: Stand | None
    is_to_a_hair: bool
    is_far_off: bool


@dataclass(frozen=True, slots=True)
class _Grid:
    """How the honeycomb goes on around a place of the table: a cell lies at ``at + step * (q + r e^(i pi/3))``."""

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


def _heading(card: int, stand: Stand, poses: TablePoses) -> complex:
    """Where direction 0 looks from a card, of length 1, times where the plane of cells has it (y up to y down)."""
    side = poses.side[card]
    return complex(side / np.abs(side) * np.exp(1j * np.radians(60.0 * stand.east + 30.0)))


def _grid_around(place: complex, stands: dict[int, Stand], poses: TablePoses) -> _Grid:
    """The honeycomb as the cards near a place lie, their turns and their places both."""
    cards = list(stands)
    centres = poses.centre[cards]
    cells = np.array([_flat(stands[c].cell) for c in cards])
    weight = np.exp(-(((np.abs(centres - place) - np.abs(centres - place).min()) / (LIMITS.near_cells * APART)) ** 2))
    weight /= weight.sum()
    middle, origin = complex(weight @ centres), complex(weight @ cells)
    off, at = centres - middle, cells - origin
    turns = np.array([_heading(c, stands[c], poses) for c in cards])
    # each card's turn counts like a neighbour beside it
    step = (weight @ (off * at.conj()) + _LAID_APART * (weight @ turns)) / (weight @ (np.abs(at) ** 2) + 1.0)
    return _Grid(middle - step * origin, step)


def _reached(stands: dict[int, Stand], poses: TablePoses, pairs: Pairs, covered: Covered) -> dict[int, _Way]:
    """The other cards to which a way leads from the tableau."""
    if not stands:
        return {}
    out: dict[int, _Way] = {}
    for group in groups_of(len(pairs), pairs):
        if group[0] not in stands:
            told = _ways(group, stands, poses, covered)
            if len(group) == 1:
                told = {card: way for card, way in told.items() if not way.is_far_off}
            else:
                anyhow = _ways(group, stands, poses, lambda place, side: True)
                in_place = [card for card, way in anyhow.items() if way.is_to_a_hair]
                told = anyhow if len(group) >= LIMITS.part_cards or len(in_place) == len(group) else told
            out.update(told)
    return out


def _ways(cards: Iterable[int], stands: dict[int, Stand], poses: TablePoses, covered: Covered) -> dict[int, _Way]:
    return {card: way for card in cards if (way := _way(card, stands, poses, covered)) is not None}


def _way(card: int, stands: dict[int, Stand], poses: TablePoses, covered: Covered) -> _Way | None:
    """The shortest way over covered cells from the tableau to a card; None where there is none."""
    grid = _grid_around(complex(poses.centre[card]), stands, poses)
    cell, off = grid.cell(complex(poses.centre[card]))
    taken = {stand.cell for stand in stands.values()}
    length = _covered_between(cell, taken, lambda c: covered(grid.place(c), _corner(grid.step)))
    if length is None:
        return None
    ahead = float(np.degrees(np.angle(poses.side[card] / grid.step))) + 30.0
    east = round(-ahead / 60.0)
    turned = abs(ahead + 60.0 * east)
    allowed = LIMITS.bridge_off_most + LIMITS.bridge_off_more * (length - 1)
    fits = off <= allowed and turned <= LIMITS.bridge_turn_most_deg and cell not in taken
    is_far_off = length <= LIMITS.few_covered and (
        off > LIMITS.far_off * allowed or turned > LIMITS.far_off * LIMITS.bridge_turn_most_deg
    )
    is_to_a_hair = fits and off <= LIMITS.hair and turned <= LIMITS.hair_deg
    return _Way(length, Stand(cell, east % 6) if fits else None, is_to_a_hair, is_far_off)


def _corner(step: complex) -> complex:
    """From a cell's centre to one of its corners."""
    return step / abs(step) * complex(np.exp(-1j * np.pi / 6))


def _covered_between(goal: Cell, taken: set[Cell], is_covered: Callable[[Cell], bool]) -> int | None:
    """How many covered cells lie between the taken ones and a cell, at least one; None where no way leads there."""
    front, seen = {goal}, {goal}
    far = _to_go(goal, taken)
    for length in range(LIMITS.bridge_most + 1):
        if length and any(n in taken for cell in front for n in neighbours(cell)):
            return length
        fresh = {n for cell in front for n in neighbours(cell)} - seen - taken
        front = {
            cell for cell in fresh if _to_go(cell, taken) <= min(far, LIMITS.bridge_most - length) and is_covered(cell)
        }
        seen |= fresh
    return None


def _to_go(cell: Cell, taken: set[Cell]) -> int:
    return min(distance(cell, other) for other in taken)


def _with_part(
    card: int, stand: Stand, stands: dict[int, Stand], poses: TablePoses, pairs: Pairs
) -> dict[int, Stand] | None:
    """The stands with a card and those that touch it; None when they would fill cells that are taken."""
    part = walked({card: stand}, pairs)
    taken = {s.cell for s in stands.values()}
    if any(s.cell in taken for s in part.values()):
        return None
    return {**stands, **part}


def _with_touching(cards: Iterable[int], pairs: Pairs, stands: dict[int, Stand]) -> set[int]:
    """The cards and all that touch them, from card to card."""
    out: set[int] = set()
    waiting = list(cards)
    while waiting:
        card = waiting.pop()
        if card not in out and card not in stands:
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


def find_lattice(
    corners: NDArray[np.floating], is_covered: Callable[[NDArray[np.floating]], bool] | None = None
) -> Lattice:
    """Give every card of the largest group of touching cards its cell.

    Args:
        corners: (N, 6, 2) pixels, each card's corners clockwise as seen, any corner first.
        is_covered: whether something lies over a place, given as an outline in pixels. With it, a part of the tableau
            that covered cards cut off is still told its cells.

    Returns:
        Cells in the order of the cards. Direction ``d`` lies at the angle ``-60 d`` degrees of the table (y down), up
        to one rotation for all: E is the direction nearest to the picture's right. Fewer than two cards that belong
        together are no tableau. Of two outlines that claim one cell only the better connected gets it.
    """
    outlines = _checked(corners)
    if not len(outlines):
        return Lattice((), (), np.eye(3))
    table_from_image = table_from_outlines(outlines)
    poses = table_poses(mapped(table_from_image, outlines))
    pairs = touching(poses)
    covered = None if is_covered is None else table_test(is_covered, np.asarray(np.linalg.inv(table_from_image)))
    right = _edges_looking_right(outlines)
    stands: dict[int, Stand] = {}
    unsettled: frozenset[int] = frozenset()
    for seed in _seeds(pairs):
        stands = consistent(walked({seed: Stand((0, 0), right[seed])}, pairs), pairs)
        if covered is not None:
            stands, doubted = joined(stands, poses, pairs, covered)
            unsettled = unsettled | doubted
        if len(stands) > 1:
            break
    if len(stands) < 2:
        stands = {}
    unsettled -= stands.keys()
    return Lattice(
        tuple(stands[i].cell if i in stands else None for i in range(len(outlines))),
        tuple(stands[i].east if i in stands else right[i] for i in range(len(outlines))),
        table_from_image,
        unsettled,
    )


def _seeds(pairs: Pairs) -> list[int]:
    """Where to begin: the best connected card of the largest group; any card where none touches another."""
    groups = groups_of(len(pairs), pairs)
    if len(groups[0]) == 1:
        return list(range(len(pairs)))
    return [max(groups[0], key=lambda card: (len(pairs[card]), card))]


def edge_order(east: int) -> tuple[int, ...]:
    """A card's edges in order of direction, for the edge that looks east.

    >>> edge_order(2)
    (2, 1, 0, 5, 4, 3)
    """
    return tuple((east - d) % 6 for d in range(6))


def _checked(corners: NDArray[np.floating]) -> Array:
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
    middles = 0.5 * (outlines + np.roll(outlines, -1, axis=1)) - outlines.mean(axis=1, keepdims=True)
    return [int(edge) for edge in np.argmax(middles[..., 0] / np.linalg.norm(middles, axis=-1), axis=1)]
