"""The cards known to lie on a table, and how their cells keep their names when cards come, go or are found again."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from companion.rules.hexgrid import Cell, rotated
from companion.vision.lattice import find_lattice
from companion.vision.register import register
from companion.vision.seen import Reading, SeenCard, agree, in_own_frame, renamed, turned


def celled(cards: list[SeenCard]) -> list[SeenCard]:
    """The cards with the cells that they fill together, those that had a cell keeping its name.

    Args:
        cards: at least one; those without a cell are new or loose.
    """
    lattice = find_lattice(np.stack([c.corners for c in cards]))
    fresh = [
        turned(in_own_frame(c), cell, east) for c, cell, east in zip(cards, lattice.cells, lattice.east, strict=True)
    ]
    naming = _naming(
        {f.cell: c.cell for f, c in zip(fresh, cards, strict=True) if f.cell is not None and c.cell is not None}
    )
    if naming is None:
        known = {c.cell: c.edges for c in cards if c.cell is not None}
        match = register(known, {c.cell: c.edges for c in fresh if c.cell is not None}) if known else None
        naming = (match.turns, match.shift) if match is not None else (0, (0, 0))
    return [renamed(c, *naming) for c in fresh]


def found_again(
    known: list[SeenCard], reading: Reading, turns: int, shift: Cell
) -> tuple[list[SeenCard], list[dict[str, Any]], float]:
    """The known table in a new reading of the whole picture.

    Args:
        known: the cards as they were known.
        reading: the new reading.
        turns: with ``shift``, the reading's lattice in the known naming.
        shift: see ``turns``.

    Returns:
        The cards as they lie now, what was placed or removed meanwhile, and how far the cards moved, in sides.
    """
    old = {c.cell: c for c in known if c.cell is not None}
    now: list[SeenCard] = []
    told: list[dict[str, Any]] = []
    for card in (renamed(c, turns, shift) for c in reading.cards):
        before = old.pop(card.cell, None)
        if before is not None and agree(before.edges, card.edges):
            card = replace(card, edges=before.edges, probabilities=before.probabilities)
        elif before is not None:
            told.append({"event": "removed", **before.as_json()})
        if before is None or not agree(before.edges, card.edges):
            if None in card.edges:
                continue
            told.append({"event": "placed", **card.as_json()})
        now.append(card)
    told += [{"event": "removed", **card.as_json()} for card in old.values()]
    was = {c.cell: c for c in known if c.cell is not None}
    moved = [float(np.linalg.norm(np.subtract(c.centre, was[c.cell].centre))) / c.side for c in now if c.cell in was]
    return [*now, *reading.loose], told, float(np.median(moved)) if moved else 0.0


def _naming(pairs: Mapping[Cell, Cell]) -> tuple[int, Cell] | None:
    """The turn and shift that take most fresh cells to their old names; None when fewer than two cells tell."""
    best: tuple[int, int, Cell] | None = None
    for turns in range(6):
        votes: dict[Cell, int] = {}
        for fresh, (q, r) in pairs.items():
            fq, fr = rotated(fresh, turns)
            votes[q - fq, r - fr] = votes.get((q - fq, r - fr), 0) + 1
        for shift, count in votes.items():
            if count >= 2 and (best is None or count > best[0]):
                best = (count, turns, shift)
    return None if best is None else (best[1], best[2])
