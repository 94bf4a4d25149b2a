"""What HexDragon refuses of a cell and a tile, in the order of checks that the rules page gives."""

from collections.abc import Callable

from companion.errors import Refusal
from companion.rules.hexdragon_state import HEADS, Seat, State
from companion.rules.hexdragon_tiles import Tile
from companion.rules.hexgrid import Cell, distance
from companion.rules.wording import at


def require_open(state: State, name: str, cell: Cell) -> None:
    """A cell to lay a tile or a star on: on the board, without a tile, not reserved by someone else; in this order."""
    if distance((0, 0), cell) > state.radius:
        raise Refusal("off-board", f"{at(cell)} is off the board, which has a radius of {state.radius}.")
    if cell in state.board:
        raise Refusal("cell-taken", f"A tile lies on {at(cell)} already.")
    by = state.reserved_for(cell)
    if by not in (None, name):
        raise Refusal("reserved", f"{by}'s star reserves {at(cell)}.", by=by)


def require_own(seat: Seat, tile: Tile, owner: object) -> None:
    """A head's colour, where given, must be the player's; a body belongs to nobody, and null is a colour not read."""
    if tile.kind == "head" and owner not in (None, seat.colour):
        raise Refusal("wrong-owner", f"{seat.name} plays {seat.colour} heads, and this one is {owner}.")


def require_in_stock(state: State, seat: Seat, tile: Tile) -> None:
    """Three heads a player, all different; of each class of body what the sets hold. Hands are not tracked."""
    if tile.kind == "head":
        if len(seat.heads) == HEADS:
            raise Refusal("no-heads-left", f"{seat.name} has laid all {HEADS} heads.")
        if tile.shape in seat.heads:
            raise Refusal("head-used", f"{seat.name} has laid this head already; each colour has one of a kind.")
    elif not state.supply[tile.class_name]:
        raise Refusal("supply-exhausted", f"All {tile.class_name} tiles of the supply have been laid.")


def is_refused(judge: Callable[..., object], *arguments: object) -> bool:
    """Whether the rules say no."""
    try:
        judge(*arguments)
    except Refusal:
        return True
    return False
