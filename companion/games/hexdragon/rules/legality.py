"""Who may do what at a HexDragon table: every refusal of the rules page, in its order, for the referee and for hints.

Source: the contract's order of refusals, then the order of checks of the rules page HexDragon, "Exactly".
"""

from collections.abc import Mapping
from typing import Any

from companion.errors import Refusal
from companion.games.hexdragon.rules import tiles
from companion.games.hexdragon.rules.state import HEADS, Seat, State
from companion.games.hexdragon.rules.tiles import Tile
from companion.rules.fields import require_player
from companion.rules.hexgrid import Cell, distance
from companion.rules.wording import at


def require_going_on(state: State, name: str) -> None:
    """In the contract's order: who plays, the end."""
    require_player(name, [seat.name for seat in state.seats])
    if state.over:
        raise Refusal("game-over", "The game is over; nothing more can be laid.")


def require_turn(state: State, name: str) -> None:
    """Then whose turn it is."""
    require_going_on(state, name)
    if name != state.mover.name:
        raise Refusal("not-your-turn", f"It is {state.mover.name}'s turn, not {name}'s.")


def require_tile(state: State, name: str, cell: Cell, value: Mapping[str, Any]) -> Tile:
    """The tile, if its player may lay it there; judged are the cell, the tile itself, whose it is, and is one left."""
    _require_open(state, name, cell)
    tile = tiles.read(value)
    seat = state.seat(name)
    _require_own(seat, tile, value.get("owner"))
    require_in_stock(state, seat, tile)
    return tile


def require_star(state: State, name: str, cell: Cell) -> None:
    """A star reserves a cell, once a game."""
    if state.seat(name).star != "held":
        raise Refusal("star-used", f"{name} has placed the star already; each player has one.")
    _require_open(state, name, cell)


def require_skip(state: State, name: str) -> None:
    """A turn goes by only where others' stars lie on every free cell (rules page, "A turn")."""
    if state.has_cell_for(name):
        raise Refusal("must-play", f"{name} must play: a free cell is not reserved by anybody else.")


def require_in_stock(state: State, seat: Seat, tile: Tile) -> None:
    """Three heads a player, all different; of each class of body what the sets hold. Hands are not tracked."""
    if tile.kind == "head":
        if len(seat.heads) == HEADS:
            raise Refusal("no-heads-left", f"{seat.name} has laid all {HEADS} heads.")
        if tile.shape in seat.heads:
            raise Refusal("head-used", f"{seat.name} has laid this head already; each colour has one of a kind.")
    elif not state.supply[tile.class_name]:
        raise Refusal("supply-exhausted", f"All {tile.class_name} tiles of the supply have been laid.")


def _require_open(state: State, name: str, cell: Cell) -> None:
    """A cell to lay a tile or a star on: on the board, without a tile, not reserved by someone else; in this order."""
    if distance((0, 0), cell) > state.radius:
        raise Refusal("off-board", f"{at(cell)} is off the board, which has a radius of {state.radius}.")
    if cell in state.board:
        raise Refusal("cell-taken", f"A tile lies on {at(cell)} already.")
    by = state.reserved_for(cell)
    if by not in (None, name):
        raise Refusal("reserved", f"{by}'s star reserves {at(cell)}.", by=by)


def _require_own(seat: Seat, tile: Tile, owner: object) -> None:
    """A head's colour, where given, must be the player's; a body belongs to nobody, and null is a colour not read."""
    if tile.kind == "head" and owner not in (None, seat.colour):
        raise Refusal("wrong-owner", f"{seat.name} plays {seat.colour} heads, and this one is {owner}.")
