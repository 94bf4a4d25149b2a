"""Finds which cards touch on the levelled table, and walks from card to card to give them cells.

Corners run clockwise as seen, so edge ``k`` (from corner ``k`` to ``k + 1``) looks clockwise of edge ``k - 1``, while
directions of the lattice run counter-clockwise: direction ``d`` is edge ``(east - d) % 6`` of a card.
"""

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell, neighbour
from companion.vision.geometry import Array, TablePoses

TOUCHING_DISTANCE = float(np.sqrt(3.0))
"""Distance of the centres of two cards that touch without a gap, in sides."""


class Touch(NamedTuple):
    """A card's neighbour: which card, over which own edge, by which edge of the neighbour, and the misfit."""

    card: int
    edge: int
    facing: int
    misfit: float


class Placement(NamedTuple):
    """A card's place in the lattice."""

    cell: Cell
    east: int


_TURNED_AHEAD = np.exp(-1j * np.radians(60.0 * np.arange(6) + 30.0))
"""What turns the direction over an edge straight ahead."""

Pairs = tuple[tuple[Touch, ...], ...]


def _overlapped(poses: TablePoses) -> NDArray[np.bool_]:
    """The outlines (N,) that overlap another one of a more regular shape."""
    over = np.abs(poses.centre - poses.centre[:, None]) < LIMITS.one_card_most
    np.fill_diagonal(over, False)
    out = np.zeros(len(over), bool)
    if over.any():
        for card in np.argsort(poses.oddness, kind="stable"):
            if not out[card]:
                out |= over[card]
    return out


def find_touching(poses: TablePoses) -> Pairs:
    """For each card the cards that touch it, the best one over each edge."""
    step = (poses.centre[None, :] - poses.centre[:, None]) / _card_sides(poses.side)[:, None]
    edge = np.round(np.degrees(np.angle(step)) / 60.0 - 0.5).astype(int) % 6
    seen = step * _TURNED_AHEAD[edge]  # the neighbour, straight ahead of the edge
    sixth = poses.side**6
    turn = np.degrees(np.angle(sixth[None, :] / sixth[:, None])) / 6.0
    length = np.log(np.abs(poses.side))
    size = np.abs(length[None, :] - length[:, None])
    gap = 0.5 * (seen.real + seen.real.T) - TOUCHING_DISTANCE
    slide = np.maximum(np.abs(seen.imag), np.abs(seen.imag.T))
    faces = (slide < LIMITS.slide_most) & (np.abs(turn) < LIMITS.turn_most_deg)
    gap -= _inset(gap[faces & (np.abs(gap) < LIMITS.gap_seen_most)])
    misfit = np.abs(gap) / LIMITS.gap_most + slide / LIMITS.slide_most + np.abs(turn) / LIMITS.turn_most_deg
    touch = faces & (size < np.log(LIMITS.size_most)) & (gap < LIMITS.gap_most) & (gap > LIMITS.gap_least)
    out = _overlapped(poses)
    touch &= ~out[:, None] & ~out[None, :]
    best = touch & (misfit <= _lowest_misfit(misfit, edge, touch))
    best &= best.T
    pairs: list[list[Touch]] = [[] for _ in best]
    for i, j in np.argwhere(best).tolist():
        pairs[i].append(Touch(j, int(edge[i, j]), int(edge[j, i]), float(misfit[i, j])))
    return tuple(map(tuple, pairs))


def _card_sides(sides: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """The sides (N,), as vectors, of cards with such outlines; see `LIMITS.smaller_most`."""
    length = np.abs(sides)
    larger = np.quantile(length, LIMITS.usual_sides) / length
    return np.asarray(sides * np.where(larger > LIMITS.smaller, np.minimum(larger, LIMITS.smaller_most), 1.0))


def _inset(gaps: Array) -> float:
    """How much wider than hands leave them all gaps look, in sides: outlines within a printed border are small.

    Args:
        gaps: (M,), each twice: from either card.
    """
    if len(gaps) < 2 * LIMITS.fewest_gaps:
        return 0.0
    return float(np.clip(np.median(gaps) - LIMITS.usual_gap, 0.0, LIMITS.inset_most))


def _lowest_misfit(misfit: Array, edge: NDArray[np.int_], touch: NDArray[np.bool_]) -> Array:
    """(N, N): the lowest misfit among the cards that touch card i over the same edge as card j."""
    is_over = (edge[:, None] == np.arange(6)[:, None]) & touch[:, None]
    per_edge = np.where(is_over, misfit[:, None], np.inf).min(axis=2)
    return np.asarray(per_edge[np.arange(len(edge))[:, None], edge])


def connected_groups(count: int, pairs: Pairs) -> list[list[int]]:
    """The connected groups of cards, the largest first, and the tightest of equal ones."""
    seen: set[int] = set()
    groups: list[list[int]] = []
    for start in range(count):
        if start in seen:
            continue
        group, open_cards = [], [start]
        seen.add(start)
        while open_cards:
            card = open_cards.pop()
            group.append(card)
            fresh = [touch.card for touch in pairs[card] if touch.card not in seen]
            seen.update(fresh)
            open_cards.extend(fresh)
        groups.append(group)
    return sorted(groups, key=lambda g: (-len(g), min((t.misfit for i in g for t in pairs[i]), default=0.0)))


def walk_pairs(start: dict[int, Placement], pairs: Pairs) -> dict[int, Placement]:
    """Place cards from neighbour to neighbour, the best pair first; each cell is given once."""
    placements: dict[int, Placement] = {}
    taken: set[Cell] = set()
    queue = [(0.0, card, card, placement.cell, placement.east) for card, placement in start.items()]
    while queue:
        _, _, card, cell, turned = heappop(queue)
        if card in placements or cell in taken:
            continue
        placements[card] = Placement(cell, turned)
        taken.add(cell)
        for touch in pairs[card]:
            if touch.card not in placements:
                beyond = neighbour_placement(placements[card], touch)
                heappush(queue, (touch.misfit, card, touch.card, beyond.cell, beyond.east))
    return placements


def neighbour_placement(placement: Placement, touch: Touch) -> Placement:
    """The placement of a neighbour from that of a card it touches."""
    direction = (placement.east - touch.edge) % 6
    return Placement(neighbour(placement.cell, direction), (touch.facing + direction + 3) % 6)


def drop_contradicted(placements: dict[int, Placement], pairs: Pairs) -> dict[int, Placement]:
    """The placements without the cards that their neighbours contradict, the most contradicted dropped first."""
    kept = dict(placements)
    while kept:
        against = {card: _contradictions(card, kept, pairs) for card in kept}
        worst = max(kept, key=lambda card: (against[card], -card))
        if against[worst] <= 0:
            break
        del kept[worst]
    return kept


def _contradictions(card: int, placements: dict[int, Placement], pairs: Pairs) -> float:
    """How many neighbours contradict a placement, a little less for those that agree; 0 for none."""
    views = [
        neighbour_placement(placements[card], t) == placements[t.card] for t in pairs[card] if t.card in placements
    ]
    contra = views.count(False)
    return contra - 0.01 * views.count(True) if contra else 0.0
