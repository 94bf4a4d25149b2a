"""Two names for one lattice: which axis is called east and which card [0, 0] is free, so each side may name it its way.

The script names cells one way; the camera, which sees the table from its own side, another. An alignment leads from
one to the other. A mirror image is never the same table.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product

from companion.games.hexel.deck import Face
from companion.rules.hexgrid import Cell, rotated, turned

Faces = Mapping[Cell, Face]


@dataclass(frozen=True, slots=True)
class Alignment:
    """Turn about the origin by sixths, counter-clockwise, then shift."""

    turns: int = 0
    shift: Cell = (0, 0)

    def cell(self, cell: Cell) -> Cell:
        """The cell by its other name."""
        q, r = rotated(cell, self.turns)
        return q + self.shift[0], r + self.shift[1]

    def face(self, face: Face) -> Face:
        """The symbols in the order of the other directions."""
        return turned(face, self.turns)

    def inverse(self) -> "Alignment":
        """The way back.

        >>> way = Alignment(2, (3, -1))
        >>> way.inverse().cell(way.cell((5, 7)))
        (5, 7)
        """
        q, r = rotated(self.shift, -self.turns % 6)
        return Alignment(-self.turns % 6, (-q, -r))

    def after(self, first: "Alignment") -> "Alignment":
        """This way gone after another.

        >>> Alignment(1, (0, 2)).after(Alignment(4, (1, 0))).cell((0, 0)) == Alignment(1, (0, 2)).cell((1, 0))
        True
        """
        return Alignment((self.turns + first.turns) % 6, self.cell(first.shift))

    def faces(self, faces: Faces) -> dict[Cell, Face]:
        """A whole tableau by its other name.

        >>> Alignment(1, (2, 0)).faces({(1, 0): ("red", "blue", "blue", "blue", "blue", "blue")})
        {(3, -1): ('blue', 'red', 'blue', 'blue', 'blue', 'blue')}
        """
        return {self.cell(cell): self.face(face) for cell, face in faces.items()}


def alignments(ours: Faces, theirs: Faces) -> tuple[Alignment, ...]:
    """All ways in which our tableau is theirs; a symmetrical one has several, none means another tableau."""
    if not ours:
        return ()
    first = next(iter(ours))
    return tuple(way for way in _ways(first, theirs) if way.faces(ours) == dict(theirs))


def _ways(first: Cell, theirs: Iterable[Cell]) -> Iterable[Alignment]:
    for turns, (q, r) in product(range(6), theirs):
        turned_q, turned_r = rotated(first, turns)
        yield Alignment(turns, (q - turned_q, r - turned_r))
