"""Which turn and shift of the lattice make a reading agree with what is already known of the table.

A reading names its cells from an arbitrary card in an arbitrary direction; a game names them once and for all.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from companion.rules.hexgrid import Cell, rotated, turned

Edges = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Registration:
    """``known = rotated(seen, turns) + shift``; how many cards agree with it in face, and how many clash."""

    turns: int
    shift: Cell
    agreeing: int
    clashing: int

    def cell(self, seen: Cell) -> Cell:
        """A reading's cell in the known naming.

        >>> Registration(1, (2, 0), 3, 0).cell((1, 0))
        (3, -1)
        """
        q, r = rotated(seen, self.turns)
        return q + self.shift[0], r + self.shift[1]

    def edges(self, seen: Edges) -> Edges:
        """A reading's six symbols in the known order of directions.

        >>> Registration(1, (0, 0), 3, 0).edges(("E", "NE", "NW", "W", "SW", "SE"))
        ('SE', 'E', 'NE', 'NW', 'W', 'SW')
        """
        return turned(seen, self.turns)


def agree(a: Edges, b: Edges) -> bool:
    """Nothing that both state differs.

    >>> agree(("red", None), ("red", "blue")), agree(("red",), ("blue",))
    (True, False)
    """
    return all(x is None or y is None or x == y for x, y in zip(a, b, strict=True))


def register(known: Mapping[Cell, Edges], seen: Mapping[Cell, Edges]) -> Registration | None:
    """The registration on which most faces agree; None when no two cards agree.

    Symbols that are None on either side neither agree nor disagree; a face agrees when none of its symbols disagrees
    and at least four agree.
    """
    best: Registration | None = None
    for turns in range(6):
        turned_seen = {rotated(cell, turns): turned(edges, turns) for cell, edges in seen.items()}
        votes: Counter[Cell] = Counter()
        for (q, r), edges in turned_seen.items():
            for (kq, kr), face in known.items():
                if _same(edges, face):
                    votes[kq - q, kr - r] += 1
        for shift, agreeing in votes.most_common(4):
            clashing = sum(
                1
                for (q, r), edges in turned_seen.items()
                if (there := known.get((q + shift[0], r + shift[1]))) is not None and not agree(edges, there)
            )
            one = Registration(turns, shift, agreeing, clashing)
            if best is None or (agreeing - clashing, agreeing) > (best.agreeing - best.clashing, best.agreeing):
                best = one
    return best if best is not None and best.agreeing > best.clashing else None


def _same(a: Edges, b: Edges) -> bool:
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    return len(pairs) >= 4 and all(x == y for x, y in pairs)
