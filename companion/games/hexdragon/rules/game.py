"""HexDragon: its commands, in the order of checks and with the events that the rules page gives.

Rules page: "HexDragon as the referee plays it". The other modules here hold the tiles, the lines through them, the
state, refusals, hints and readings (`legality`) and the sentences.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from companion.games.hexdragon.rules import lines, tiles
from companion.games.hexdragon.rules.legality import (
    interpret,
    legal,
    next_step,
    placements,
    require_going_on,
    require_skip,
    require_star,
    require_tile,
    require_turn,
)
from companion.games.hexdragon.rules.lines import Connection
from companion.games.hexdragon.rules.sentences import explain
from companion.games.hexdragon.rules.state import Scored, State, start, view
from companion.rules.engine import Command, Event
from companion.rules.fields import cell_field, command_name, malformed, text_field
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


@dataclass(frozen=True, slots=True)
class _Move:
    """A command whose fields have the right types."""

    name: str
    player: str
    cell: Cell
    tile: Any


def apply(state: State, command: Command) -> tuple[State, tuple[Event, ...]]:
    """The state after one command and what happened.

    Raises:
        Refusal: one of the codes of the rules page, "Commands, events, refusals"; nothing has changed.
    """
    move = _read(command)
    if move.name == "agree-end":
        require_going_on(state, move.player)
    else:
        require_turn(state, move.player)
    return _DO[move.name](state, move)


def _read(command: Command) -> _Move:
    """Parse a command. Raises `Refusal`: ``malformed``."""
    name = command_name(command, _DO)
    player = text_field(command, "player")
    cell = cell_field(command, "cell") if name in ("place", "star") else (0, 0)
    if name == "place" and not tiles.is_formed(command.get("tile")):
        raise malformed("place needs tile, an object with a kind and a list of paths")
    return _Move(name, player, cell, command.get("tile"))


def _place(state: State, move: _Move) -> tuple[State, tuple[Event, ...]]:
    """Lay a tile and score every connection that it closes."""
    tile = require_tile(state, move.player, move.cell, move.tile)
    laid = state.with_tile(move.cell, tile, move.player)
    placed = {"event": "placed", "player": move.player, "cell": list(move.cell), "class": tile.class_name}
    found = lines.connections(laid.board, move.cell)
    claims = [(connection, _claims(laid, move.player, connection)) for connection in found]
    connected = [_connection_event(move.player, connection, names) for connection, names in claims]
    return _end_turn(reduce(_score, claims, laid), (placed, *connected))


def _star(state: State, move: _Move) -> tuple[State, tuple[Event, ...]]:
    """Reserve a cell, once a game."""
    require_star(state, move.player, move.cell)
    starred = {"event": "starred", "player": move.player, "cell": list(move.cell)}
    return _end_turn(state.with_seat(replace(state.seat(move.player), star=move.cell)), (starred,))


def _skip(state: State, move: _Move) -> tuple[State, tuple[Event, ...]]:
    """Skip the turn."""
    require_skip(state, move.player)
    return _end_turn(state, ({"event": "skipped", "player": move.player},))


def _agree_end(state: State, move: _Move) -> tuple[State, tuple[Event, ...]]:
    """Agree, out of turn, that nobody can score any more; the game ends once all do (rules page, "End and ranking")."""
    agreed = replace(state, agreed=state.agreed | {move.player})
    event = {"event": "agreed", "player": move.player}
    return _end_game(agreed, (event,)) if len(agreed.agreed) == len(state.seats) else (agreed, (event,))


_DO: dict[str, Callable[[State, _Move], tuple[State, tuple[Event, ...]]]] = {
    "place": _place,
    "star": _star,
    "skip": _skip,
    "agree-end": _agree_end,
}


def _claims(state: State, placer: str, connection: Connection) -> tuple[str, ...]:
    """The players a connection scores for: the owner of each head; without heads the player who laid the tile."""
    return tuple(state.laid_by[cell] for cell in connection.heads) or (placer,)


def _score(state: State, claim: tuple[Connection, tuple[str, ...]]) -> State:
    """Score a connection for each of its players; twice for the owner of both heads."""
    connection, names = claim
    scored = Scored(connection.kind, connection.length, _points(connection))
    for name in names:
        seat = state.seat(name)
        state = state.with_seat(replace(seat, connections=(*seat.connections, scored)))
    return state


def _connection_event(placer: str, connection: Connection, names: tuple[str, ...]) -> Event:
    return {
        "event": "connection",
        "player": placer,
        "kind": connection.kind,
        "length": connection.length,
        "scores": {name: times * _points(connection) for name, times in Counter(names).items()},
        "cells": [list(cell) for cell in connection.cells],
    }


def _points(connection: Connection) -> int:
    """Points of a connection: its length for each head; 1 without heads."""
    return connection.length if connection.heads else 1


def _end_turn(state: State, events: tuple[Event, ...]) -> tuple[State, tuple[Event, ...]]:
    """Pass the turn on and cancel the agreements; the game ends once every cell holds a tile."""
    after = replace(state, turn=(state.turn + 1) % len(state.seats), agreed=frozenset())
    return (after, events) if after.free else _end_game(after, events)


def _end_game(state: State, events: tuple[Event, ...]) -> tuple[State, tuple[Event, ...]]:
    return replace(state, over=True), (*events, {"event": "ended", "ranking": state.ranking()})
