"""What cells and touching cards are made of: who touches whom on the levelled table, and the walk between them.

Corners run clockwise as seen, so edge ``k`` (from corner ``k`` to ``k + 1``) looks clockwise of edge ``k - 1``, while
directions of the lattice run counter-clockwise: direction ``d`` is edge ``(east - d) % 6`` of a card.
"""

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from companion.games.hexel.vision.thresholds import LIMITS
from companion.rules.hexgrid import Cell, neighbour
from companion.vision.geometry.shapes import Array, TablePoses

APART = float(np.sqrt(3.0))
"""How far the centres of two cards lie apart that touch without a gap, in sides."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One card's view of a neighbour: who, over which of its edges, by which of the neighbour's, how badly."""

    card: int
    edge: int
    facing: int
    misfit: float


@dataclass(frozen=True, slots=True)
class Stand:
    """A card's place in the lattice."""

    cell: Cell
    east: int


Pairs = tuple[tuple[Touch, ...], ...]


def _crowded_out(poses: TablePoses) -> NDArray[np.bool_]:
    """The outlines (N,) that lie over another one which looks more like a card."""
    out = np.zeros(len(poses.centre), bool)
    for card in np.argsort(poses.oddness, kind="stable"):
        if not out[card]:
            over = np.abs(poses.centre - poses.centre[card]) < LIMITS.one_card_most
            over[card] = False
            out |= over
    return out


def touching(poses: TablePoses) -> Pairs:
    """For each card the cards that touch it, over each edge only the one that fits best."""
    step = (poses.centre[None, :] - poses.centre[:, None]) / poses.side[:, None]
    edge = np.round(np.degrees(np.angle(step)) / 60.0 - 0.5).astype(int) % 6
    seen = step * np.exp(-1j * np.radians(60.0 * edge + 30.0))  # the neighbour, straight ahead of the edge
    turn = np.degrees(np.angle((poses.side[None, :] / poses.side[:, None]) ** 6)) / 6.0
    size = np.abs(np.log(np.abs(poses.side[None, :] / poses.side[:, None])))
    gap = 0.5 * (seen.real + seen.real.T) - APART
    slide = np.maximum(np.abs(seen.imag), np.abs(seen.imag.T))
    misfit = np.abs(gap) / LIMITS.gap_most + slide / LIMITS.slide_most + np.abs(turn) / LIMITS.turn_most_deg
    touch = (gap < LIMITS.gap_most) & (gap > LIMITS.gap_least) & (slide < LIMITS.slide_most)
    touch &= (np.abs(turn) < LIMITS.turn_most_deg) & (size < np.log(LIMITS.size_most))
    out = _crowded_out(poses)
    touch &= ~out[:, None] & ~out[None, :]
    best = touch & (misfit <= _least_over_edge(misfit, edge, touch))
    best &= best.T
    return tuple(
        tuple(Touch(int(j), int(edge[i, j]), int(edge[j, i]), float(misfit[i, j])) for j in np.flatnonzero(best[i]))
        for i in range(len(best))
    )


def _least_over_edge(misfit: Array, edge: NDArray[np.int_], touch: NDArray[np.bool_]) -> Array:
    """(N, N): the least misfit among the cards that touch card i over the same edge as card j does."""
    open_misfit = np.where(touch, misfit, np.inf)
    per_edge = np.stack([np.where(edge == k, open_misfit, np.inf).min(axis=1) for k in range(6)], axis=1)
    return np.take_along_axis(per_edge, edge, axis=1)


def groups_of(count: int, pairs: Pairs) -> list[list[int]]:
    """The cards in connected groups, the largest first; of equal groups the one that lies tightest."""
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


def walked(begun: dict[int, Stand], pairs: Pairs) -> dict[int, Stand]:
    """Cells from neighbour to neighbour, the best fitting pair first; a cell that is taken is not given again."""
    stands: dict[int, Stand] = {}
    taken: set[Cell] = set()
    queue = [(0.0, card, card, stand.cell, stand.east) for card, stand in begun.items()]
    while queue:
        _, _, card, cell, turned = heappop(queue)
        if card in stands or cell in taken:
            continue
        stands[card] = Stand(cell, turned)
        taken.add(cell)
        for touch in pairs[card]:
            if touch.card not in stands:
                there = stand_beyond(stands[card], touch)
                heappush(queue, (touch.misfit, card, touch.card, there.cell, there.east))
    return stands


def stand_beyond(stand: Stand, touch: Touch) -> Stand:
    """Where a neighbour stands: its facing edge looks back."""
    direction = (stand.east - touch.edge) % 6
    return Stand(neighbour(stand.cell, direction), (touch.facing + direction + 3) % 6)


def consistent(stands: dict[int, Stand], pairs: Pairs) -> dict[int, Stand]:
    """Only cards whose touching neighbours agree about their place, dropping the most contradicted first."""
    kept = dict(stands)
    while kept:
        against = {card: _votes_against(card, kept, pairs) for card in kept}
        worst = max(kept, key=lambda card: (against[card], -card))
        if against[worst] <= 0:
            break
        del kept[worst]
    return kept


def _votes_against(card: int, stands: dict[int, Stand], pairs: Pairs) -> float:
    """Contradicting neighbours, less a little for those that agree; 0 where none contradicts."""
    views = [stand_beyond(stands[card], t) == stands[t.card] for t in pairs[card] if t.card in stands]
    contra = views.count(False)
    return contra - 0.01 * views.count(True) if contra else 0.0
