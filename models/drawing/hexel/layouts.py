"""Tableaux for photographs: faces that match edge to edge, and where hands lay them on the table, in mm.

The film lays its cards one at a time, each with a seed of its own (`companion.simulator.lying`); here one generator
lays a whole tableau at once, in the same order for ever: a seed is a picture.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from companion.games.hexel.deck import APOTHEM_MM, SYMBOL_AT, SYMBOL_MM, Face
from companion.rules.hexgrid import Cell, neighbours, opposite
from models.drawing.hexel.printings import hexagon

Points = npt.NDArray[Any]
Pose = tuple[Points, float]

_LINE: list[Cell] = [(0, 0), (1, 0), (2, 0)]
_THICKNESS_MM = 0.1
"""How far apart the flat sides of two cards stay at least: cards are solid."""


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A card on the table: its face, its cell (None for a loose one), its place in mm and its turn in degrees."""

    edges: Face
    cell: Cell | None
    at_mm: Points
    turn_deg: float

    def corners_mm(self) -> Points:
        """Its six corners (6, 2) on the table, clockwise with y down."""
        a = np.radians(self.turn_deg)
        turn = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        return np.asarray(hexagon(APOTHEM_MM) @ turn + self.at_mm)

    def marks_mm(self) -> list[Points]:
        """A hexagon (6, 2) around the place of each symbol on the table, in order of direction."""
        angles = np.radians(-60.0 * np.arange(6) + self.turn_deg)
        places = self.at_mm + SYMBOL_AT * APOTHEM_MM * np.stack([np.cos(angles), np.sin(angles)], 1)
        return [hexagon(SYMBOL_MM / 2) + place for place in places]


def grown_tableau(cards: int, symbols: tuple[str, ...], rng: np.random.Generator) -> dict[Cell, Face]:
    """A tableau of matching edges, at most two kinds of symbol on a card, grown from a line of three.

    It may end a few cards short where every free cell would need three kinds.
    """
    cells: dict[Cell, Face] = {}
    is_compact = rng.uniform(0.0, 1.0) >= 0.3
    while len(cells) < cards:
        cell = _LINE[len(cells)] if len(cells) < len(_LINE) else _grown_to(cells, is_compact, rng)
        needed = _needed(cells, cell)
        if len(set(needed.values())) <= 2:
            cells[cell] = _face(needed, symbols, rng)
        elif all(len(set(_needed(cells, free).values())) > 2 for free in _rim(cells)):
            break
    return cells


def hand_laid(faces: dict[Cell, Face], rng: np.random.Generator, gap_mm: float, turn_deg: float) -> list[Laid]:
    """Lay a tableau as hands do: each card against those already there, with gaps and small turns that add up."""
    poses: dict[Cell, Pose] = {}
    for cell in faces:
        beside = [(d, poses[n]) for d, n in enumerate(neighbours(cell)) if n in poses]
        gap = min(abs(rng.normal(0.5, 0.5)), 1.2) * gap_mm / 1.2
        if not beside:
            poses[cell] = (np.zeros(2), 0.0)
            continue
        wanted = [_touching(pose, d, gap) for d, pose in beside]
        at = np.mean([at for at, _ in wanted], axis=0) + rng.normal(0, gap_mm * 0.15, 2)
        turn = float(np.mean([turn for _, turn in wanted]) * 0.85 + rng.normal(0, turn_deg * 0.45))
        turn = float(np.clip(turn, -turn_deg, turn_deg))
        poses[cell] = (_pushed_off(at, [other for _, (other, _) in beside]), turn)
    return [Laid(faces[cell], cell, at, turn) for cell, (at, turn) in poses.items()]


def strays(laid: list[Laid], symbols: tuple[str, ...], rng: np.random.Generator) -> list[Laid]:
    """A few face-up cards that touch none, some of them near."""
    found: list[Laid] = []
    centres = [card.at_mm for card in laid]
    for _ in range(int(rng.choice([0, 0, 1, 2, 3]))):
        at = _free_place(centres, [card.at_mm for card in found], rng)
        if at is not None:
            kinds = rng.choice(symbols, 2)
            edges = tuple(str(kind) for kind in rng.choice(kinds, 6))
            found.append(Laid(edges, None, at, float(rng.uniform(0, 60))))
    return found


def _rim(cells: dict[Cell, Face]) -> list[Cell]:
    """The free cells beside the tableau, in order."""
    return sorted({n for cell in cells for n in neighbours(cell) if n not in cells})


def _grown_to(cells: dict[Cell, Face], is_compact: bool, rng: np.random.Generator) -> Cell:
    """A free cell of the rim; a compact tableau prefers those with many neighbours."""
    free = _rim(cells)
    beside = [sum(n in cells for n in neighbours(cell)) for cell in free]
    weight = np.array([count**2 if is_compact else 1.0 for count in beside])
    return free[int(rng.choice(len(free), p=weight / weight.sum()))]


def _needed(cells: dict[Cell, Face], cell: Cell) -> dict[int, str]:
    """What a card at the cell must show towards the neighbours already there, by direction."""
    return {d: cells[n][opposite(d)] for d, n in enumerate(neighbours(cell)) if n in cells}


def _face(needed: dict[int, str], symbols: tuple[str, ...], rng: np.random.Generator) -> Face:
    """A face of at most two kinds that shows what is needed."""
    kinds = sorted(set(needed.values()))
    while len(kinds) < 2:
        if rng.random() < 0.85:
            kinds = sorted({*kinds, str(rng.choice(symbols))})
        else:
            kinds = [*kinds, kinds[0] if kinds else symbols[0]]
    return tuple(needed.get(d, kinds[int(rng.integers(2))]) for d in range(6))


def _touching(pose: Pose, direction: int, gap_mm: float) -> Pose:
    """Where a card would lie whose neighbour in that direction lies so, a gap away and turned alike."""
    at, turn = pose
    angle = np.radians(-60.0 * opposite(direction) + turn)
    return at + (2 * APOTHEM_MM + gap_mm) * np.array([np.cos(angle), np.sin(angle)]), turn


def _pushed_off(at: Points, others: list[Points]) -> Points:
    """The place moved off those it would overlap."""
    least = 2 * APOTHEM_MM + _THICKNESS_MM
    for _ in range(12):
        before = at
        for other in others:
            apart = at - other
            length = float(np.linalg.norm(apart))
            if length < least:
                at = at + apart / length * (least - length)
        if at is before:
            break
    return at


def _free_place(centres: list[Points], strays_at: list[Points], rng: np.random.Generator) -> Points | None:
    """A place near a card of the tableau where a loose one touches none, or None where none was found in 20 tries."""
    taken = np.array([*centres, *strays_at])
    for _ in range(20):
        base = centres[int(rng.integers(len(centres)))]
        angle, far = rng.uniform(0, 2 * np.pi), rng.uniform(85, 200)
        at: Points = base + far * np.array([np.cos(angle), np.sin(angle)])
        if np.linalg.norm(taken - at, axis=1).min() > 2 * APOTHEM_MM * 1.1547 + 9:
            return at
    return None
