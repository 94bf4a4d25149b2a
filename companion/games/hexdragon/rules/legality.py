"""The legality checks of HexDragon: every refusal of the rules page, in its order.

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
    """Refuse a stranger, and any move after the end; in the contract's order."""
    require_player(name, [seat.name for seat in state.seats])
    if state.over:
        raise Refusal("game-over", "The game is over; nothing more can be laid.")


def require_turn(state: State, name: str) -> None:
    """Refuse a player whose turn it is not, after `require_going_on`."""
    require_going_on(state, name)
    if name != state.mover.name:
        raise Refusal("not-your-turn", f"It is {state.mover.name}'s turn, not {name}'s.")


def require_tile(state: State, name: str, cell: Cell, value: Mapping[str, Any]) -> Tile:
    """The tile, if its player may lay it there; checks the cell, the tile, its owner and the stock, in this order."""
    _require_open(state, name, cell)
    tile = tiles.read(value)
    seat = state.seat(name)
    _require_own(seat, tile, value.get("owner"))
    require_in_stock(state, seat, tile)
    return tile


def require_star(state: State, name: str, cell: Cell) -> None:
    """Refuse a second star, or a star on a cell that is not open."""
    if state.seat(name).star != "held":
        raise Refusal("star-used", f"{name} has placed the star already; each player has one.")
    _require_open(state, name, cell)


def require_skip(state: State, name: str) -> None:
    """Refuse a skip unless others' stars lie on every free cell (rules page, "A turn")."""
    if state.has_cell_for(name):
        raise Refusal("must-play", f"{name} must play: a free cell is not reserved by anybody else.")


def require_in_stock(state: State, seat: Seat, tile: Tile) -> None:
    """Refuse a fourth or repeated head, and a body of which the supply holds no more. Hands are not tracked."""
    if tile.kind == "head":
        if len(seat.heads) == HEADS:
            raise Refusal("no-heads-left", f"{seat.name} has laid all {HEADS} heads.")
        if tile.shape in seat.heads:
            raise Refusal("head-used", f"{seat.name} has laid this head already; each colour has one of a kind.")
    elif not state.supply[tile.class_name]:
        raise Refusal("supply-exhausted", f"All {tile.class_name} tiles of the supply have been laid.")


def _require_open(state: State, name: str, cell: Cell) -> None:
    """Refuse a cell off the board, with a tile, or reserved by another player; in this order."""
    if distance((0, 0), cell) > state.radius:
        raise Refusal("off-board", f"{at(cell)} is off the board, which has a radius of {state.radius}.")
    if cell in state.board:
        raise Refusal("cell-taken", f"A tile lies on {at(cell)} already.")
    by = state.reserved_for(cell)
    if by not in (None, name):
        raise Refusal("reserved", f"{by}'s star reserves {at(cell)}.", by=by)


def _require_own(seat: Seat, tile: Tile, owner: object) -> None:
    """Refuse a head of another player's colour; null is a colour that was not read."""
    if tile.kind == "head" and owner not in (None, seat.colour):
        raise Refusal("wrong-owner", f"{seat.name} plays {seat.colour} heads, and this one is {owner}.")
