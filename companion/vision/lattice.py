"""Which hex cell each card fills: corners of the cards that were found in, cells of the honeycomb out.

On the table as seen from above (`levelling`) two cards touch when an edge of each faces the other across a small gap;
walking from card to card over such pairs gives every card its cell. Nothing global is assumed about the honeycomb: laid
by hand, its errors add up outwards and no single grid fits all of it.

Corners run clockwise as seen, so edge ``k`` (from corner ``k`` to ``k + 1``) looks clockwise of edge ``k - 1``, while
directions of the lattice run counter-clockwise: direction ``d`` is edge ``(east - d) % 6`` of a card.
"""

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from companion.rules.hexgrid import Cell, distance, neighbour, neighbours
from companion.vision.levelling import areas, mapped, table_from_outlines

GAP_MOST = 4.5 / 35
"""Widest gap between touching edges, in sides: by hand cards of side 35 mm lie up to 3 mm apart, loose ones over 6."""
GAP_LEAST = -5.0 / 35
"""A found outline may reach a little into its neighbour's; more than this is another thing altogether."""
SLIDE_MOST = 9.0 / 35
"""How far two facing edges may be shifted along each other, in sides."""
TURN_MOST_DEG = 12.0
"""Two cards each turned by 4 degrees, and both a little wrongly seen."""
SIZE_MOST = 1.2
"""Two touching cards seen from above differ less in size than this factor."""
ONE_CARD_MOST = 1.25
"""Two centres nearer than this, in sides, are two finds of one card, or one of them is no card (neighbours: 1.73)."""

GAP_OFF_MOST = 9.0 / 35
"""Over a missing card, a card lies at most this far from its place, in sides: two gaps and two turns."""
GAP_TURN_MOST_DEG = 8.0

_APART = float(np.sqrt(3.0))
_ANGLES = np.radians(60.0 * np.arange(6))
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Lattice:
    """The honeycomb that some cards form.

    Attributes:
        cells: for each card its axial cell, None for a card that is not part of the tableau.
        east: for each card the edge (corner ``east`` to ``east + 1``) that looks in direction 0; for a card outside
            the tableau the edge that looks most nearly so.
        table_from_image: 3x3 homography from pixels to the table seen from above, in card sides, y down.
    """

    cells: tuple[Cell | None, ...]
    east: tuple[int, ...]
    table_from_image: Array


def find_lattice(
    corners: NDArray[np.floating], is_covered: Callable[[NDArray[np.floating]], bool] | None = None
) -> Lattice:
    """Give every card of the largest group of touching cards its cell.

    Args:
        corners: (N, 6, 2) pixels, each card's corners clockwise as seen, any corner first.
        is_covered: whether something lies over a place, given as an outline in pixels. With it, a part of the tableau
            that one covered card cuts off is still told its cells.

    Returns:
        Cells in the order of the cards. Direction ``d`` lies at the angle ``-60 d`` degrees of the table (y down), up
        to one rotation for all: E is the direction nearest to the picture's right. Fewer than two touching cards are
        no tableau. Of two outlines that claim one cell only the better connected gets it.
    """
    outlines = _checked(corners)
    if not len(outlines):
        return Lattice((), (), np.eye(3))
    table_from_image = table_from_outlines(outlines)
    poses = _poses(mapped(table_from_image, outlines))
    pairs = _touching(poses)
    group = _largest_group(len(outlines), pairs)
    seed = max(group, key=lambda card: (len(pairs[card]), card))
    first = _edge_looking_right(outlines[seed])
    walked = _consistent(_walk({seed: _Stand((0, 0), first)}, pairs), pairs) if len(group) > 1 else {}
    if is_covered is not None and walked:
        covered = _on_table(is_covered, np.asarray(np.linalg.inv(table_from_image), np.float64))
        walked = _over_gaps(walked, poses, pairs, covered)
    right = [_edge_looking_right(outline) for outline in outlines]
    return Lattice(
        tuple(walked[i].cell if i in walked else None for i in range(len(outlines))),
        tuple(walked[i].east if i in walked else right[i] for i in range(len(outlines))),
        table_from_image,
    )


def edge_order(east: int) -> tuple[int, ...]:
    """A card's edges in order of direction, for the edge that looks east.

    >>> edge_order(2)
    (2, 1, 0, 5, 4, 3)
    """
    return tuple((east - d) % 6 for d in range(6))


@dataclass(frozen=True, slots=True, eq=False)
class _Poses:
    """Cards on the table, all (N,).

    Attributes:
        centre: complex.
        side: complex, from the centre to corner 0 of the regular hexagon nearest to the outline.
        oddness: how far the outline is from any regular hexagon of side 1.
    """

    centre: NDArray[np.complex128]
    side: NDArray[np.complex128]
    oddness: Array


@dataclass(frozen=True, slots=True)
class _Touch:
    """One card's view of a neighbour: who, over which of its edges, by which of the neighbour's, how badly."""

    card: int
    edge: int
    facing: int
    misfit: float


@dataclass(frozen=True, slots=True)
class _Stand:
    """A card's place in the lattice."""

    cell: Cell
    east: int


_Pairs = tuple[tuple[_Touch, ...], ...]


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


def _poses(outlines: Array) -> _Poses:
    points = outlines[..., 0] + 1j * outlines[..., 1]
    centre = points.mean(axis=1)
    side = np.mean((points - centre[:, None]) * np.exp(-1j * _ANGLES), axis=1)
    off = points - centre[:, None] - side[:, None] * np.exp(1j * _ANGLES)
    oddness = np.sqrt(np.mean(np.abs(off) ** 2, axis=1)) + np.abs(np.log(np.abs(side)))
    return _Poses(centre, side, oddness)


def _crowded_out(poses: _Poses) -> NDArray[np.bool_]:
    """The outlines (N,) that lie over another one which looks more like a card."""
    out = np.zeros(len(poses.centre), bool)
    for card in np.argsort(poses.oddness, kind="stable"):
        if not out[card]:
            over = np.abs(poses.centre - poses.centre[card]) < ONE_CARD_MOST
            over[card] = False
            out |= over
    return out


def _touching(poses: _Poses) -> _Pairs:
    """For each card the cards that touch it, over each edge only the one that fits best."""
    step = (poses.centre[None, :] - poses.centre[:, None]) / poses.side[:, None]
    edge = np.round(np.degrees(np.angle(step)) / 60.0 - 0.5).astype(int) % 6
    seen = step * np.exp(-1j * np.radians(60.0 * edge + 30.0))  # the neighbour, straight ahead of the edge
    turn = np.degrees(np.angle((poses.side[None, :] / poses.side[:, None]) ** 6)) / 6.0
    size = np.abs(np.log(np.abs(poses.side[None, :] / poses.side[:, None])))
    gap = 0.5 * (seen.real + seen.real.T) - _APART
    slide = np.maximum(np.abs(seen.imag), np.abs(seen.imag.T))
    misfit = np.abs(gap) / GAP_MOST + slide / SLIDE_MOST + np.abs(turn) / TURN_MOST_DEG
    touch = (gap < GAP_MOST) & (gap > GAP_LEAST) & (slide < SLIDE_MOST)
    touch &= (np.abs(turn) < TURN_MOST_DEG) & (size < np.log(SIZE_MOST))
    out = _crowded_out(poses)
    touch &= ~out[:, None] & ~out[None, :]
    best = touch & (misfit <= _least_over_edge(misfit, edge, touch))
    best &= best.T
    return tuple(
        tuple(_Touch(int(j), int(edge[i, j]), int(edge[j, i]), float(misfit[i, j])) for j in np.flatnonzero(best[i]))
        for i in range(len(best))
    )


def _least_over_edge(misfit: Array, edge: NDArray[np.int_], touch: NDArray[np.bool_]) -> Array:
    """(N, N): the least misfit among the cards that touch card i over the same edge as card j does."""
    open_misfit = np.where(touch, misfit, np.inf)
    per_edge = np.stack([np.where(edge == k, open_misfit, np.inf).min(axis=1) for k in range(6)], axis=1)
    return np.take_along_axis(per_edge, edge, axis=1)


def _largest_group(count: int, pairs: _Pairs) -> list[int]:
    """The cards of the largest connected group; of equal groups the one that lies tightest."""
    seen: set[int] = set()
    groups: list[list[int]] = []
    for start in range(count):
        group, open_cards = [], [] if start in seen else [start]
        seen.add(start)
        while open_cards:
            card = open_cards.pop()
            group.append(card)
            fresh = [touch.card for touch in pairs[card] if touch.card not in seen]
            seen.update(fresh)
            open_cards.extend(fresh)
        groups.append(group)
    return max(groups, key=lambda g: (len(g), -min((t.misfit for i in g for t in pairs[i]), default=0.0)))


def _walk(begun: dict[int, _Stand], pairs: _Pairs) -> dict[int, _Stand]:
    """Cells from neighbour to neighbour, the best fitting pair first; a cell that is taken is not given again."""
    stands: dict[int, _Stand] = {}
    taken: set[Cell] = set()
    queue = [(0.0, card, card, stand.cell, stand.east) for card, stand in begun.items()]
    while queue:
        _, _, card, cell, turned = heappop(queue)
        if card in stands or cell in taken:
            continue
        stands[card] = _Stand(cell, turned)
        taken.add(cell)
        for touch in pairs[card]:
            if touch.card not in stands:
                there = _stand_beyond(stands[card], touch)
                heappush(queue, (touch.misfit, card, touch.card, there.cell, there.east))
    return stands


def _on_table(
    is_covered: Callable[[NDArray[np.floating]], bool], image_from_table: Array
) -> Callable[[complex, complex], bool]:
    """The test for a place on the table: its centre, and the way from there to a corner."""

    def test(centre: complex, side: complex) -> bool:
        corners = centre + side * np.exp(1j * _ANGLES)
        outline = np.stack([corners.real, corners.imag], axis=-1)[None]
        return is_covered(mapped(image_from_table, outline)[0])

    return test


def _over_gaps(
    stands: dict[int, _Stand], poses: _Poses, pairs: _Pairs, covered: Callable[[complex, complex], bool]
) -> dict[int, _Stand]:
    """The stands with those parts of the tableau that a single covered card cuts off.

    A card two cells away that lies just where the lattice would have it, turned as the lattice is, with something
    between that is not the table, belongs to it, and so do those that touch it.
    """
    out = dict(stands)
    while out:
        taken = {stand.cell for stand in out.values()}
        beyond = {
            card: stand
            for card in range(len(pairs))
            if card not in out
            and (stand := _stand_over_gap(card, out, poses, covered)) is not None
            and stand.cell not in taken
        }
        if not beyond:
            break
        card = max(beyond, key=lambda c: (len(pairs[c]), -c))
        out = _walk({**out, card: beyond[card]}, pairs)
    return out


def _stand_over_gap(
    card: int, stands: dict[int, _Stand], poses: _Poses, covered: Callable[[complex, complex], bool]
) -> _Stand | None:
    """Where a card stands as seen from those two cells away; None where none sees it in place, or two disagree."""
    told: set[_Stand] = set()
    for other, stand in stands.items():
        heading = poses.side[other] / np.abs(poses.side[other]) * np.exp(1j * np.radians(60.0 * stand.east + 30.0))
        step = (poses.centre[card] - poses.centre[other]) / (_APART * heading)
        r = step.imag / np.sin(np.pi / 3)
        cell = (round(step.real - r / 2), round(r))
        off = abs(step - (cell[0] + cell[1] * np.exp(1j * np.pi / 3))) * _APART
        ahead = np.degrees(np.angle(poses.side[card] / heading)) + 30.0
        east = round(-ahead / 60.0)
        if distance((0, 0), cell) != 2 or off > GAP_OFF_MOST or abs(ahead + 60.0 * east) > GAP_TURN_MOST_DEG:
            continue
        between = [c for c in neighbours((0, 0)) if distance(c, cell) == 1]
        places = [poses.centre[other] + _APART * heading * (q + s * np.exp(1j * np.pi / 3)) for q, s in between]
        if any(covered(place, poses.side[other]) for place in places):
            told.add(_Stand((stand.cell[0] + cell[0], stand.cell[1] + cell[1]), east % 6))
    return told.pop() if len(told) == 1 else None


def _stand_beyond(stand: _Stand, touch: _Touch) -> _Stand:
    """Where a neighbour stands: its facing edge looks back."""
    direction = (stand.east - touch.edge) % 6
    return _Stand(neighbour(stand.cell, direction), (touch.facing + direction + 3) % 6)


def _consistent(stands: dict[int, _Stand], pairs: _Pairs) -> dict[int, _Stand]:
    """Only cards whose touching neighbours agree about their place, dropping the most contradicted first."""
    kept = dict(stands)
    while kept:
        against = {card: _votes_against(card, kept, pairs) for card in kept}
        worst = max(kept, key=lambda card: (against[card], -card))
        if against[worst] <= 0:
            break
        del kept[worst]
    return kept


def _votes_against(card: int, stands: dict[int, _Stand], pairs: _Pairs) -> float:
    """Contradicting neighbours, less a little for those that agree; 0 where none contradicts."""
    views = [_stand_beyond(stands[card], t) == stands[t.card] for t in pairs[card] if t.card in stands]
    contra = views.count(False)
    return contra - 0.01 * views.count(True) if contra else 0.0


def _edge_looking_right(outline: Array) -> int:
    middles = 0.5 * (outline + np.roll(outline, -1, axis=0)) - outline.mean(axis=0)
    return int(np.argmax(middles[:, 0] / np.linalg.norm(middles, axis=1)))
