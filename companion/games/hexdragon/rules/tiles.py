"""The tiles of HexDragon: their paths, classes and notation.

Rules page, "Things": a body has three paths; a head has one head edge, one tail edge and two paths; the start tile has
six tails. The notation of a tile is a head's head and tail edge, its paths as pairs of edges, and the owner's colour
where it is known: the body ``03-12-45``, the heads ``h4t5-03-12`` and ``h4t5-03-12@red``.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any

from companion.errors import Refusal
from companion.rules.fields import is_whole

Path = tuple[int, int]

HEAD = -1
"""In `Tile.across`: the line ends here, at a head."""
TAIL = -2
"""In `Tile.across`: the line ends here, at a tail."""

SUPPLY_SET: dict[str, int] = {"A": 6, "H": 5, "I": 4, "O": 3, "X": 2}
"""Body tiles of each class in one supply set (rules page, "Things")."""

CLASSES: dict[tuple[int, ...], str] = {(1, 2, 2): "A", (2, 2, 3): "H", (1, 1, 3): "I", (1, 1, 1): "O", (3, 3, 3): "X"}
"""The class of a body by the distances of its three paths (see `_distance`)."""

_WRITTEN = re.compile(r"(?:h(?P<head>\d)t(?P<tails>\d*)-)?(?P<paths>\d\d(?:-\d\d)*)(?:@(?P<owner>\w*))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile in its orientation on the table; edge d faces direction d.

    Attributes:
        kind: ``start``, ``head`` or ``body``.
        paths: the pairs of joined edges.
        head: the head edge of a head.
        tails: the tail edges.
        across: for each edge where its line leads on this tile: another edge, `HEAD` or `TAIL`.
    """

    kind: str
    paths: tuple[Path, ...] = ()
    head: int | None = None
    tails: tuple[int, ...] = ()
    across: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ends = {**({} if self.head is None else {self.head: HEAD}), **dict.fromkeys(self.tails, TAIL)}
        joins = {edge: far for a, b in self.paths for edge, far in ((a, b), (b, a))}
        object.__setattr__(self, "across", tuple((ends | joins)[edge] for edge in range(6)))

    def __str__(self) -> str:
        """The tile in notation.

        >>> str(Tile("head", ((0, 3), (1, 2)), head=4, tails=(5,)))
        'h4t5-03-12'
        """
        return written(self.as_json())

    @property
    def class_name(self) -> str:
        """A, H, I, O or X for a body; ``head`` and ``start`` for the others.

        >>> parse("03-12-45").class_name
        'I'
        """
        return self.kind if self.kind != "body" else _class_of(self.paths)

    @property
    def shape(self) -> tuple[int, ...]:
        """The tile's edges in a canonical orientation.

        >>> parse("h0t1-23-45").shape == parse("h2t3-45-01").shape != parse("h0t1-25-34").shape
        True
        """
        return _shape_of(self.across)

    def turned(self, turns: int) -> "Tile":
        """The tile after ``turns`` counter-clockwise turns of 60 degrees: edge d becomes d + turns.

        >>> str(parse("h4t5-03-12").turned(1))
        'h5t0-14-23'
        """
        head = None if self.head is None else (self.head + turns) % 6
        paths = tuple(((a + turns) % 6, (b + turns) % 6) for a, b in self.paths)
        return Tile(self.kind, paths, head, tuple((tail + turns) % 6 for tail in self.tails))

    def as_json(self) -> dict[str, Any]:
        """The tile in a ``place`` command.

        >>> parse("h4t5-03-12").as_json()
        {'kind': 'head', 'head': 4, 'tails': [5], 'paths': [[0, 3], [1, 2]]}
        """
        ends = {"head": self.head, "tails": list(self.tails)} if self.kind == "head" else {}
        return {"kind": self.kind, **ends, "paths": [list(path) for path in self.paths]}


START = Tile("start", tails=tuple(range(6)))


def parse(text: str) -> Tile:
    """The tile of a notation, without its owner.

    >>> parse("h4t5-03-12@red")
    Tile(kind='head', paths=((0, 3), (1, 2)), head=4, tails=(5,))

    Raises:
        ValueError: the text is no notation of a tile.
        Refusal: ``bad-tile``, as for `read`.
    """
    return read(from_written(text))


def written(value: Mapping[str, Any]) -> str:
    """The notation of a command's ``tile``, even of one that the rules refuse as a bad tile.

    >>> written({"kind": "body", "paths": [[0, 3], [1, 2], [4, 5]], "owner": "red"})
    '03-12-45@red'
    """
    ends = [f"h{value['head']}t{''.join(map(str, value['tails']))}"] if value["kind"] == "head" else []
    owner = f"@{value['owner'] or ''}" if "owner" in value else ""
    return "-".join((*ends, *("".join(map(str, path)) for path in value["paths"]))) + owner


def from_written(text: str) -> dict[str, Any]:
    """Parse the notation of a command's ``tile``, without checking that the rules accept it.

    >>> from_written("h4t5-03-12")
    {'kind': 'head', 'head': 4, 'tails': [5], 'paths': [[0, 3], [1, 2]]}
    """
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise ValueError(f"not a tile: {text!r}; a body is written like 03-12-45, a head like h4t5-03-12")
    paths = [[int(edge) for edge in pair] for pair in found["paths"].split("-")]
    owner = {} if found["owner"] is None else {"owner": found["owner"] or None}
    if found["head"] is None:
        return {"kind": "body", "paths": paths, **owner}
    tails = [int(edge) for edge in found["tails"]]
    return {"kind": "head", "head": int(found["head"]), "tails": tails, "paths": paths, **owner}


def read(value: Mapping[str, Any]) -> Tile:
    """Parse the tile of a ``place`` command, which `is_formed`.

    Raises:
        Refusal: ``bad-tile`` (rules page, "Exactly"): not a body or a head, or not every edge used exactly once.
    """
    kind, paths = value["kind"], value["paths"]
    if kind == "body" and _are_pairs(paths, 3):
        ends = []
    elif kind == "head" and _are_pairs(paths, 2) and _is_list_of(value.get("tails"), 1):
        ends = [value.get("head"), *value["tails"]]
    else:
        raise Refusal("bad-tile", "A tile is a body with three paths, or a head with one head, one tail and two paths.")
    edges = [*ends, *chain.from_iterable(paths)]
    if not all(map(_is_edge, edges)) or len(set(edges)) != 6:
        raise Refusal("bad-tile", "Each of the tile's six edges, 0 to 5, is used exactly once.")
    return Tile(kind, tuple((a, b) for a, b in paths), ends[0] if ends else None, tuple(ends[1:]))


def is_formed(value: Any) -> bool:
    """Whether a ``tile`` is an object with a kind and a list of paths (else ``malformed``)."""
    return isinstance(value, Mapping) and "kind" in value and isinstance(value.get("paths"), list | tuple)


def bodies() -> tuple[Tile, ...]:
    """The fifteen bodies, one for each way to pair the edges.

    >>> len(bodies()), [sum(tile.class_name == name for tile in bodies()) for name in SUPPLY_SET]
    (15, [6, 3, 3, 2, 1])
    """
    return tuple(Tile("body", paths) for paths in _pairings(tuple(range(6))))


def heads() -> tuple[Tile, ...]:
    """The fifteen heads of a colour, head edge E: five places of the tail, three ways to join the rest.

    >>> len({tile.shape for tile in heads()})
    15
    """
    return tuple(
        Tile("head", paths, head=0, tails=(tail,))
        for tail in range(1, 6)
        for paths in _pairings(tuple(edge for edge in range(1, 6) if edge != tail))
    )


def _pairings(edges: tuple[int, ...]) -> tuple[tuple[Path, ...], ...]:
    """Every way to join the edges in pairs."""
    if not edges:
        return ((),)
    first, *others = edges
    return tuple(
        ((first, other), *rest)
        for other in others
        for rest in _pairings(tuple(edge for edge in others if edge != other))
    )


def _distance(path: Path) -> int:
    """Steps around the tile between the two edges of a path: 1 next, 2 one between, 3 across."""
    return min((path[0] - path[1]) % 6, (path[1] - path[0]) % 6)


@lru_cache(maxsize=1024)  # players and referee ask it of the same few hundred tiles again and again
def _shape_of(across: tuple[int, ...]) -> tuple[int, ...]:
    turned = ([far if far < 0 else (far + turns) % 6 for far in across] for turns in range(6))
    return min(tuple(moved[(edge - turns) % 6] for edge in range(6)) for turns, moved in enumerate(turned))


@lru_cache(maxsize=1024)
def _class_of(paths: tuple[Path, ...]) -> str:
    return CLASSES[tuple(sorted(map(_distance, paths)))]


def _are_pairs(value: Sequence[Any], count: int) -> bool:
    return len(value) == count and all(_is_list_of(pair, 2) for pair in value)


def _is_list_of(value: Any, count: int) -> bool:
    return isinstance(value, list | tuple) and len(value) == count


def _is_edge(value: Any) -> bool:
    return is_whole(value) and 0 <= value < 6
