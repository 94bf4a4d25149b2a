"""HexDragon: its commands, in the order of checks and with the events that the rules page gives.

Rules page: "HexDragon as the referee plays it". Its parts lie beside: the tiles (`hexdragon_tiles`), the lines through
them (`hexdragon_lines`), the table between two commands (`hexdragon_state`), what is refused of a tile and a cell
(`hexdragon_checks`), what a camera sees (`hexdragon_seen`) and how it is told (`hexdragon_words`).
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from companion.errors import BadHeader, Refusal
from companion.rules import hexdragon_lines as lines
from companion.rules import hexdragon_seen as seen
from companion.rules import hexdragon_tiles as tiles
from companion.rules.engine import Command, Event, Header, Seen
from companion.rules.fields import (
    cell_field,
    command_name,
    malformed,
    require_options,
    require_player,
    text_field,
    whole_option,
)
from companion.rules.hexdragon_checks import is_refused, require_in_stock, require_open, require_own
from companion.rules.hexdragon_lines import Connection
from companion.rules.hexdragon_state import Scored, Seat, State, opening, view
from companion.rules.hexdragon_tiles import Tile
from companion.rules.hexdragon_words import explain
from companion.rules.hexgrid import Cell
from companion.rules.notation import CELL, TEXT, Field, Form, Notation

__all__ = [
    "EDITIONS",
    "NAME",
    "NOTATION",
    "PLAYERS",
    "State",
    "apply",
    "explain",
    "interpret",
    "legal",
    "next_step",
    "placements",
    "start",
    "view",
]

NAME = "hexdragon"
EDITIONS: tuple[str, ...] = ()
PLAYERS: tuple[int, int | None] = (1, 4)
NOTATION: Notation = {
    "place": (Field("player", TEXT), Field("cell", CELL), Field("tile", Form(tiles.written, tiles.from_written))),
    "star": (Field("player", TEXT), Field("cell", CELL)),
    "skip": (Field("player", TEXT),),
    "agree-end": (Field("player", TEXT),),
}

COLOURS = ("red", "blue", "yellow", "purple")
"""The players' colours in the order in which they are given out."""


@dataclass(frozen=True, slots=True)
class _Move:
    """A command whose fields have the right types."""

    name: str
    player: str
    cell: Cell = (0, 0)
    tile: Any = None


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
    return opening(header.players, _colours(header), radius, sets=1 if small else 2)


def apply(state: State, command: Command) -> tuple[State, tuple[Event, ...]]:
    """The state after one command and what happened.

    Raises:
        Refusal: one of the codes of the rules page, "Commands, events, refusals"; nothing has changed.
    """
    move = _read(command)
    require_player(move.player, [seat.name for seat in state.seats])
    if state.over:
        raise Refusal("game-over", "The game is over; nothing more can be laid.")
    if move.name != "agree-end" and move.player != state.mover.name:
        raise Refusal("not-your-turn", f"It is {state.mover.name}'s turn, not {move.player}'s.")
    return _DO[move.name](state, move)


def legal(state: State) -> tuple[Command, ...]:
    """Every command that would be accepted now and would change something.

    Hands are unseen: any tile that the supply or the mover's colour still holds is listed in all its turnings. Of a
    board that a table option has made huge only the cells near the start tile are.
    """
    if state.over:
        return ()
    mover = state.mover
    cells = state.open_cells(mover.name)
    in_stock = [turned.as_json() for tile in _in_stock(state) for turned in _turnings(tile)]
    places = [_place_command(mover, cell, tile) for cell in cells for tile in in_stock]
    free = [cell for cell in cells if mover.star == "held" and state.reserved_for(cell) is None]
    stars = [{"cmd": "star", "player": mover.name, "cell": list(cell)} for cell in free]
    skips = [] if cells else [{"cmd": "skip", "player": mover.name}]
    undecided = [seat.name for seat in state.seats if seat.name not in state.agreed]
    return (*places, *stars, *skips, *({"cmd": "agree-end", "player": name} for name in undecided))


def next_step(state: State) -> Command | None:
    """A skip, where one must; the end of the game is agreed by each player alone."""
    if state.over or state.has_cell_for(state.mover.name):
        return None
    return {"cmd": "skip", "player": state.mover.name}


def placements(state: State, tile: Tile) -> tuple[Command, ...]:
    """Every way in which the mover may lay one tile that they hold: each open cell, each turning that differs."""
    if state.over or is_refused(require_in_stock, state, state.mover, tile):
        return ()
    turnings = [turned.as_json() for turned in _turnings(tile)]
    cells = state.open_cells(state.mover.name)
    return tuple(_place_command(state.mover, cell, turned) for cell in cells for turned in turnings)


def interpret(state: State, before: Seen, after: Seen) -> tuple[Command, ...]:
    """What the hands just did, commands that would be accepted first.

    Args:
        state: the table as the rules know it.
        before: what lay on the table, ``{cell: thing}``, a thing being a tile as ``read`` gives it, a star
            ``{"kind": "star", "owner": colour or None}``, or None where something unread lies.
        after: what lies there now, in the same form.
    """
    if state.over:
        return ()
    return tuple(sorted(seen.changes(state, before, after), key=lambda command: is_refused(apply, state, command)))


def _colours(header: Header) -> dict[str, str]:
    """Each player's colour: the one given, or the first that is free."""
    given = header.options.get("colours", {})
    if not isinstance(given, Mapping):
        raise BadHeader("option colours must be an object from player to colour")
    for name, colour in given.items():
        if name not in header.players:
            raise BadHeader(f"option colours names {name}, who does not play; players are {', '.join(header.players)}")
        if colour not in COLOURS:
            raise BadHeader(f"option colours gives {name} {colour!r}; there are {', '.join(COLOURS)}")
    if len(set(given.values())) < len(given):
        raise BadHeader("option colours gives one colour twice")
    spare = (colour for colour in COLOURS if colour not in given.values())
    return {name: given[name] if name in given else next(spare) for name in header.players}


def _read(command: Command) -> _Move:
    """The command with its fields, or the refusal ``malformed``."""
    name = command_name(command, _DO)
    move = _Move(name, text_field(command, "player"))
    if name in ("place", "star"):
        move = replace(move, cell=cell_field(command, "cell"))
    if name == "place":
        move = replace(move, tile=command.get("tile"))
        if not tiles.is_formed(move.tile):
            raise malformed("place needs tile, an object with a kind and a list of paths")
    return move


def _place(state: State, move: _Move) -> tuple[State, tuple[Event, ...]]:
    """Lay a tile. Checked in order (rules page, "Exactly"): the cell, the tile itself, whose it is, is one left."""
    require_open(state, move.player, move.cell)
    tile = tiles.read(move.tile)
    seat = state.seat(move.player)
    require_own(seat, tile, move.tile.get("owner"))
    require_in_stock(state, seat, tile)
    laid = state.with_tile(move.cell, tile, move.player)
    placed = {"event": "placed", "player": move.player, "cell": list(move.cell), "class": tile.class_name}
    claims = [(one, _claims(laid, move.player, one)) for one in lines.connections(laid.board, move.cell)]
    connected = [_connected(move.player, one, names) for one, names in claims]
    return _passed_on(reduce(_scored, claims, laid), (placed, *connected))


def _star(state: State, move: _Move) -> tuple[State, tuple[Event, ...]]:
    """Reserve a cell, once a game."""
    seat = state.seat(move.player)
    if seat.star != "held":
        raise Refusal("star-used", f"{move.player} has placed the star already; each player has one.")
    require_open(state, move.player, move.cell)
    starred = {"event": "starred", "player": move.player, "cell": list(move.cell)}
    return _passed_on(state.with_seat(replace(seat, star=move.cell)), (starred,))


def _skip(state: State, move: _Move) -> tuple[State, tuple[Event, ...]]:
    """Let the turn go by, allowed only where others' stars lie on every free cell (rules page, "A turn")."""
    if state.has_cell_for(move.player):
        raise Refusal("must-play", f"{move.player} must play: a free cell is not reserved by anybody else.")
    return _passed_on(state, ({"event": "skipped", "player": move.player},))


def _agree_end(state: State, move: _Move) -> tuple[State, tuple[Event, ...]]:
    """Agree, out of turn, that nobody can score any more; the game ends once all do (rules page, "End and ranking")."""
    agreed = replace(state, agreed=state.agreed | {move.player})
    told = {"event": "agreed", "player": move.player}
    return _ended(agreed, (told,)) if len(agreed.agreed) == len(state.seats) else (agreed, (told,))


_DO: dict[str, Callable[[State, _Move], tuple[State, tuple[Event, ...]]]] = {
    "place": _place,
    "star": _star,
    "skip": _skip,
    "agree-end": _agree_end,
}


def _claims(state: State, placer: str, connection: Connection) -> tuple[str, ...]:
    """Whom a connection scores for, one name an owned head; without heads whoever laid the tile."""
    return tuple(state.laid_by[cell] for cell in connection.heads) or (placer,)


def _scored(state: State, claim: tuple[Connection, tuple[str, ...]]) -> State:
    """The state with a connection counted for all it scores for; twice for the owner of both its heads."""
    connection, names = claim
    scored = Scored(connection.kind, connection.length, _worth(connection))
    for name in names:
        seat = state.seat(name)
        state = state.with_seat(replace(seat, connections=(*seat.connections, scored)))
    return state


def _connected(placer: str, connection: Connection, names: tuple[str, ...]) -> Event:
    return {
        "event": "connection",
        "player": placer,
        "kind": connection.kind,
        "length": connection.length,
        "scores": {name: times * _worth(connection) for name, times in Counter(names).items()},
        "cells": [list(cell) for cell in connection.cells],
    }


def _worth(connection: Connection) -> int:
    """L to each head; 1 without heads."""
    return connection.length if connection.heads else 1


def _passed_on(state: State, events: tuple[Event, ...]) -> tuple[State, tuple[Event, ...]]:
    """The turn with the next player, agreements cancelled; the end once every cell holds a tile."""
    following = replace(state, turn=(state.turn + 1) % len(state.seats), agreed=frozenset())
    return (following, events) if following.free else _ended(following, events)


def _ended(state: State, events: tuple[Event, ...]) -> tuple[State, tuple[Event, ...]]:
    return replace(state, over=True), (*events, {"event": "ended", "ranking": state.ranking()})


def _in_stock(state: State) -> tuple[Tile, ...]:
    """One of each tile that the mover may still hold, lying anyhow."""
    bodies = {tile.class_name: tile for tile in tiles.bodies()}.values()
    return tuple(
        tile for tile in (*bodies, *tiles.heads()) if not is_refused(require_in_stock, state, state.mover, tile)
    )


def _turnings(tile: Tile) -> tuple[Tile, ...]:
    """The tile turned in every way that differs."""
    return tuple({turned.across: turned for turned in map(tile.turned, range(6))}.values())


def _place_command(seat: Seat, cell: Cell, tile: dict[str, Any]) -> Command:
    return {"cmd": "place", "player": seat.name, "cell": list(cell), "tile": tile}
