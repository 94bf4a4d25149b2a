"""The state of HexDragon between two commands: the seats, the board and the supply."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType
from typing import Any, Literal

from companion.errors import BadHeader
from companion.games.hexdragon.rules.tiles import START, SUPPLY_SET, Tile
from companion.rules import hexgrid
from companion.rules.engine import Header
from companion.rules.fields import require_options, shown, whole_option
from companion.rules.hexgrid import Cell
from companion.rules.limits import LONGEST_NAME

HEADS = 3
"""Head tiles that a player has (rules page, "Things")."""

COLOURS = ("red", "blue", "yellow", "purple")
"""The players' colours in the order in which they are given out."""

WIDEST_LISTED = 7
"""Cells farther from the start tile are not listed: all tiles of the game cannot fill the 169 within it."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A connection scored for one player."""

    kind: str
    length: int
    points: int

    def as_json(self) -> dict[str, Any]:
        """The connection as the state names it."""
        return {"kind": self.kind, "length": self.length, "points": self.points}


@dataclass(frozen=True, slots=True)
class Seat:
    """One player.

    Attributes:
        heads: the shapes of the head tiles laid, independent of orientation.
        star: ``held`` in hand, the cell it reserves, or ``used``.
    """

    name: str
    colour: str
    heads: tuple[tuple[int, ...], ...] = ()
    star: Literal["held", "used"] | Cell = "held"
    connections: tuple[Scored, ...] = ()

    @property
    def points(self) -> int:
        """The sum of the player's points."""
        return sum(scored.points for scored in self.connections)

    @property
    def rank_key(self) -> tuple[int, tuple[int, ...]]:
        """Sort key, higher first: points, then lengths from longest to shortest (rules page, "End")."""
        return self.points, tuple(sorted((scored.length for scored in self.connections), reverse=True))

    def as_json(self) -> dict[str, Any]:
        """The player as the state names them, and the colour."""
        return {
            "colour": self.colour,
            "points": self.points,
            "heads_left": HEADS - len(self.heads),
            "star": list(self.star) if isinstance(self.star, tuple) else self.star,
            "connections": [scored.as_json() for scored in self.connections],
        }


@dataclass(frozen=True, slots=True)
class State:
    """The whole table.

    Attributes:
        board: the tiles in the order they were laid, the start tile first.
        laid_by: who laid each tile; the start tile nobody.
        supply: body tiles of each class that the sets still hold.
        turn: index of the seat to move.
        agreed: the players who agree to end the game.
    """

    seats: tuple[Seat, ...]
    radius: int
    board: Mapping[Cell, Tile]
    laid_by: Mapping[Cell, str]
    supply: Mapping[str, int]
    turn: int = 0
    agreed: frozenset[str] = frozenset()
    over: bool = False

    @property
    def mover(self) -> Seat:
        """The seat to move."""
        return self.seats[self.turn]

    @property
    def free(self) -> int:
        """How many cells hold no tile."""
        return 1 + 3 * self.radius * (self.radius + 1) - len(self.board)

    def seat(self, name: str) -> Seat:
        """The seat of that player."""
        return next(seat for seat in self.seats if seat.name == name)

    def reserved_for(self, cell: Cell) -> str | None:
        """The player whose star reserves a cell; None for nobody."""
        return next((seat.name for seat in self.seats if seat.star == cell), None)

    def has_cell_for(self, name: str) -> bool:
        """Whether some free cell is not reserved by another player."""
        return self.free > sum(isinstance(seat.star, tuple) and seat.name != name for seat in self.seats)

    def open_cells(self, name: str) -> tuple[Cell, ...]:
        """The free cells not reserved by another player, row by row; on a huge board those near the start tile."""
        field = hexgrid.cells_within(min(self.radius, WIDEST_LISTED))
        return tuple(cell for cell in field if cell not in self.board and self.reserved_for(cell) in (None, name))

    def with_tile(self, cell: Cell, tile: Tile, name: str) -> "State":
        """The state with one more tile, from the player's heads or the supply; the player's star there is used."""
        seat = self.seat(name)
        if seat.star == cell:
            seat = replace(seat, star="used")
        supply = self.supply
        if tile.kind == "head":
            seat = replace(seat, heads=(*seat.heads, tile.shape))
        else:
            supply = MappingProxyType({**supply, tile.class_name: supply[tile.class_name] - 1})
        board = MappingProxyType({**self.board, cell: tile})
        laid_by = MappingProxyType({**self.laid_by, cell: name})
        return replace(self.with_seat(seat), board=board, laid_by=laid_by, supply=supply)

    def with_seat(self, seat: Seat) -> "State":
        """The state with one seat changed."""
        return replace(self, seats=tuple(seat if seat.name == other.name else other for other in self.seats))

    def ranking(self) -> list[list[str]]:
        """The places from first to last, tied players together (rules page, "End and ranking")."""
        ranked = sorted(self.seats, key=lambda seat: seat.rank_key, reverse=True)
        return [[seat.name for seat in place] for _, place in groupby(ranked, key=lambda seat: seat.rank_key)]


def start(header: Header) -> State:
    """The table before the first turn.

    Two players (or one, a ruling) have a board of radius 2 and one supply set, three or four radius 3 and two sets.
    Options: ``radius``, and ``colours`` from player to colour.

    >>> start(Header("hexdragon", ("Ana", "Bo"), options={"colours": {"Bo": "red"}})).seats[0].colour
    'blue'
    """
    require_options(header.options, ("radius", "colours"))
    small = len(header.players) <= 2
    radius = whole_option(header.options, "radius", 2 if small else 3)
    colours = _colours(header)
    seats = tuple(Seat(name, colours[name]) for name in header.players)
    sets = 1 if small else 2
    supply = {name: sets * count for name, count in SUPPLY_SET.items()}
    board = MappingProxyType({(0, 0): START})
    return State(seats, radius, board, MappingProxyType({}), MappingProxyType(supply))


def view(state: State) -> dict[str, Any]:
    """The state as the rules page names it, and the result at the end."""
    phase = "over" if state.over else "play"
    turn = None if state.over else state.mover.name
    return {
        "phase": phase,
        "turn": turn,
        "players": {seat.name: seat.as_json() for seat in state.seats},
        "table": {
            "phase": phase,
            "turn": turn,
            "radius": state.radius,
            "tiles": [_tile_as_json(state, cell, tile) for cell, tile in state.board.items()],
            "stars": [
                {"cell": list(seat.star), "player": seat.name} for seat in state.seats if isinstance(seat.star, tuple)
            ],
            "supply": dict(state.supply),
            "agreed": [seat.name for seat in state.seats if seat.name in state.agreed],
        },
        "result": {"ranking": state.ranking()} if state.over else None,
    }


def _colours(header: Header) -> dict[str, str]:
    """Each player's colour: the one given, or the first that is free."""
    given = header.options.get("colours", {})
    if not isinstance(given, Mapping):
        raise BadHeader("option colours must be an object from player to colour")
    for name, colour in given.items():
        if name not in header.players:
            players = ", ".join(header.players)
            raise BadHeader(f"option colours names {name[:LONGEST_NAME]}, who does not play; players are {players}")
        if colour not in COLOURS:
            raise BadHeader(f"option colours gives {name} {shown(colour)}; there are {', '.join(COLOURS)}")
    if len(set(given.values())) < len(given):
        raise BadHeader("option colours gives one colour twice")
    spare = (colour for colour in COLOURS if colour not in given.values())
    return {name: given[name] if name in given else next(spare) for name in header.players}


def _tile_as_json(state: State, cell: Cell, tile: Tile) -> dict[str, Any]:
    return {
        "cell": list(cell),
        "player": state.laid_by.get(cell),
        "kind": tile.kind,
        "head": tile.head,
        "tails": list(tile.tails),
        "paths": [list(path) for path in tile.paths],
    }
