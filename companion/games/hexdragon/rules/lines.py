"""Follows the lines of HexDragon through the tile just laid, and classifies the closed ones as connections.

Rules page, "Connections". A line is a sequence of passages, each entering a cell by one edge (or starting there at a
head or a tail) and leaving it by another.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from companion.games.hexdragon.rules.tiles import HEAD, TAIL, Tile
from companion.rules.hexgrid import Cell, neighbour, opposite

Board = Mapping[Cell, Tile]

KINDS = {(HEAD, TAIL): "dragon", (HEAD, HEAD): "double-dragon", (TAIL, TAIL): "worm"}
"""The kind of a closed line by its two ends; without ends it is a loop."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A closed line.

    Attributes:
        kind: ``dragon``, ``double-dragon``, ``worm`` or ``loop``.
        cells: one cell a passage: a dragon's from head to tail, a loop's from the tile that closed it.
    """

    kind: str
    cells: tuple[Cell, ...]

    @property
    def length(self) -> int:
        """Every passage through a tile, ends included (rules page: L)."""
        return len(self.cells)

    @property
    def heads(self) -> tuple[Cell, ...]:
        """The cells of the heads at its ends."""
        ends = {"dragon": self.cells[:1], "double-dragon": (self.cells[0], self.cells[-1])}
        return ends.get(self.kind, ())


@dataclass(frozen=True, slots=True)
class _Passage:
    cell: Cell
    entered: int
    left: int

    def back(self) -> "_Passage":
        """The same passage walked the other way."""
        return _Passage(self.cell, self.left, self.entered)


def connections(board: Board, cell: Cell) -> tuple[Connection, ...]:
    """The connections that run through the tile on ``cell``, each once however often it passes there.

    >>> heads = {(1, 0): Tile("head", ((1, 2), (4, 5)), head=0, tails=(3,)),
    ...          (2, 0): Tile("head", ((1, 2), (4, 5)), head=3, tails=(0,))}
    >>> connections(heads, (2, 0))
    (Connection(kind='double-dragon', cells=((2, 0), (1, 0))),)
    """
    found = []
    walked: set[int] = set()
    for edge in range(6):
        if edge not in walked:
            line = _closed_line(board, cell, edge)
            walked |= {side for passage in line if passage.cell == cell for side in (passage.entered, passage.left)}
            found += [_classify(line)] if line else []
    return tuple(found)


def _closed_line(board: Board, cell: Cell, edge: int) -> tuple[_Passage, ...]:
    """The line that leaves the tile by ``edge``, both ways; empty while an end of it is open."""
    start = _Passage(cell, board[cell].across[edge], edge)
    forward = _follow(board, start)
    if forward is None:
        return ()
    if forward[-1] == start:
        return (start, *forward[:-1])
    backward = _follow(board, start.back())
    if backward is None:
        return ()
    return (*(passage.back() for passage in reversed(backward)), start, *forward)


def _follow(board: Board, start: _Passage) -> tuple[_Passage, ...] | None:
    """The passages after ``start``, to an end or round to ``start`` again; None where the line is open.

    A line cannot run into itself anywhere else: each edge of a tile leads to one other edge, both ways.
    """
    passages: list[_Passage] = []
    last = start
    while last.left >= 0:
        cell, entered = neighbour(last.cell, last.left), opposite(last.left)
        if cell not in board:
            return None
        last = _Passage(cell, entered, board[cell].across[entered])
        passages.append(last)
        if last == start:
            break
    return tuple(passages)


def _classify(line: tuple[_Passage, ...]) -> Connection:
    ends = line[0].entered, line[-1].left
    if ends == (TAIL, HEAD):
        line, ends = line[::-1], ends[::-1]
    return Connection(KINDS.get(ends, "loop"), tuple(passage.cell for passage in line))
