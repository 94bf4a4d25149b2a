"""The geometry of Hex'el's tableau: where a card fits, how many edges it matches, and where six symbols meet.

Source: rules page Hex'el, "A game", 1, 4 and 5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from companion.rules.hexgrid import Cell, direction_between, neighbour, neighbours, opposite, turned

Edges = tuple[str, ...]
"""Six symbols, in the order of the directions."""

SYMBOLS: Mapping[str, tuple[str, str, str]] = {"36": ("red", "blue", "void"), "46": ("red", "blue", "yellow")}
DECK_SIZES: Mapping[str, int] = {"36": 36, "46": 46}
CALLS = ("Hexba", "Hexel", "Hexla", "Hexven", "Five edges", "Six edges")


@dataclass(frozen=True, slots=True)
class Laid:
    """A card on the table: its symbols as it lies, and who placed it (None: it is of the first line)."""

    edges: Edges
    by: str | None = None


Tableau = Mapping[Cell, Laid]


def is_card(edges: object, edition: str) -> bool:
    """Whether these are six symbols of the edition's three, of one or two kinds.

    >>> is_card(["red"] * 5 + ["void"], "36"), is_card(["red"] * 5 + ["void"], "46")
    (True, False)
    """
    return (
        isinstance(edges, list | tuple)
        and len(edges) == 6
        and all(isinstance(symbol, str) and symbol in SYMBOLS[edition] for symbol in edges)
        and len(set(edges)) <= 2
    )


@lru_cache(maxsize=1024)
def face(edges: Edges) -> Edges:
    """A card's symbols in a canonical orientation, the same however it is turned or mirrored.

    >>> face(("red", "red", "blue", "red", "blue", "blue")) == face(("blue", "red", "blue", "red", "red", "blue"))
    True
    """
    return min(turned(way, turns) for way in (edges, edges[::-1]) for turns in range(6))


def same_face(tableau: Tableau, edges: Edges) -> Cell | None:
    """The cell of the first card with the same face; None for none."""
    canonical = face(edges)
    return next((cell for cell, laid in tableau.items() if face(laid.edges) == canonical), None)


def touching(tableau: Tableau, cell: Cell) -> tuple[tuple[int, str], ...]:
    """For each card around a cell: its direction, and its symbol at the shared edge."""
    cards = ((d, tableau.get(neighbour(cell, d))) for d in range(6))
    return tuple((d, card.edges[opposite(d)]) for d, card in cards if card is not None)


def clashes(edges: Edges, around: Sequence[tuple[int, str]]) -> tuple[int, ...]:
    """The directions in which a card's symbol differs from that of the card `touching` it."""
    return tuple(d for d, symbol in around if edges[d] != symbol)


def hoxlas(tableau: Tableau, cell: Cell) -> tuple[tuple[tuple[Cell, Cell, Cell], str], ...]:
    """The corners of the card at ``cell`` around which three cards turn six equal symbols: their cells and the symbol.

    Source: rules page Hex'el, 5. The cards fit, so both symbols of a shared edge are the same.
    """
    edges = tableau[cell].edges
    found = []
    for d in range(6):
        left, right = neighbour(cell, d), neighbour(cell, d + 1)
        is_corner = edges[d] == edges[(d + 1) % 6] and left in tableau and right in tableau
        if is_corner and tableau[left].edges[(d + 2) % 6] == edges[d]:
            found.append(((cell, left, right), edges[d]))
    return tuple(found)


def in_line(cells: Sequence[Cell]) -> tuple[Cell, Cell, Cell] | None:
    """Three cells in the order in which each touches the next in a straight line, or None when they do not.

    Of the two ends the one given first comes first.

    >>> in_line([(1, 0), (0, 0), (2, 0)])
    ((0, 0), (1, 0), (2, 0))
    >>> in_line([(0, 0), (1, 0), (1, 1)]) is None
    True
    """
    for first in cells:
        for d in range(6):
            line = (first, neighbour(first, d), neighbour(neighbour(first, d), d))
            if len(cells) == 3 and set(line) == set(cells):
                return line
    return None


def line_clashes(cards: Mapping[Cell, Edges], line: Sequence[Cell]) -> tuple[int, ...]:
    """The direction along a line if two neighbours on it do not match, else empty."""
    direction = direction_between(line[0], line[1])
    assert direction is not None
    clash = any(cards[a][direction] != cards[b][opposite(direction)] for a, b in pairwise(line))
    return (direction,) if clash else ()


def is_open_to_hoxla(cards: Mapping[Cell, Edges], line: Sequence[Cell]) -> bool:
    """Whether one further card beside a line could make a Hoxla.

    Source: rules page Hex'el, 1: at an end of a shared edge, both outward edges beside it carry its symbol.
    """
    direction = direction_between(line[0], line[1])
    assert direction is not None
    for a, b in pairwise(line):
        shared = cards[a][direction]
        for side in (1, -1):
            if cards[a][(direction + side) % 6] == cards[b][(direction + 2 * side) % 6] == shared:
                return True
    return False


def openings(tableau: Tableau) -> dict[Cell, tuple[tuple[int, str], ...]]:
    """Every free cell that touches a card, with the symbols required there (see `touching`), in order of the cells."""
    free = {cell for laid in tableau for cell in neighbours(laid) if cell not in tableau}
    return {cell: touching(tableau, cell) for cell in sorted(free)}


def fits(tableau: Tableau, edges: Edges) -> tuple[tuple[Cell, Edges], ...]:
    """Every cell and orientation in which a card fits, in order of cell and turns; equal orientations once."""
    orientations = tuple(dict.fromkeys(turned(edges, turns) for turns in range(6)))
    free = openings(tableau).items()
    return tuple((cell, one) for cell, around in free for one in orientations if not clashes(one, around))
