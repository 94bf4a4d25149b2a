"""The legality of moves in HexDragon: every refusal of the rules page; legal moves for bots
and hints; and the move that explains a change on the table.

Source: the contract's order of refusals, then the order of checks of the rules page HexDragon, "Exactly".
"""

from collections.abc import Mapping
from typing import Any

from companion.errors import Refusal
from companion.games.hexdragon.rules import tiles
from companion.games.hexdragon.rules.state import HEADS, Seat, State
from companion.games.hexdragon.rules.tiles import Tile
from companion.rules.engine import Command, Seen
from companion.rules.fields import require_player
from companion.rules.hexgrid import Cell, distance, rotated
from companion.rules.wording import at

STAR = "star"
"""The kind of a star token among the things seen."""

Thing = tuple[Tile | str, str | None]
"""A tile or `STAR`, and the colour of its owner where one was read."""


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


def legal(state: State) -> tuple[Command, ...]:
    """Every command that would be accepted now and changes something.

    Hands are hidden: any tile that the supply or the mover's colour still holds is listed in every orientation. On a
    huge board only the cells near the start tile are listed.
    """
    if state.over:
        return ()
    mover = state.mover
    cells = state.open_cells(mover.name)
    in_stock = [turned.as_json() for tile in _in_stock(state) for turned in _orientations(tile)]
    places = [_place_command(mover, cell, tile) for cell in cells for tile in in_stock]
    free = [cell for cell in cells if mover.star == "held" and state.reserved_for(cell) is None]
    stars = [{"cmd": "star", "player": mover.name, "cell": list(cell)} for cell in free]
    skips = [] if cells else [{"cmd": "skip", "player": mover.name}]
    undecided = [seat.name for seat in state.seats if seat.name not in state.agreed]
    return (*places, *stars, *skips, *({"cmd": "agree-end", "player": name} for name in undecided))


def next_step(state: State) -> Command | None:
    """A skip where the mover has no other move. Agreeing to end the game is each player's own choice."""
    if state.over or state.has_cell_for(state.mover.name):
        return None
    return {"cmd": "skip", "player": state.mover.name}


def placements(state: State, tile: Tile) -> tuple[Command, ...]:
    """Every placement of a tile that the mover holds: each open cell, each different orientation."""
    if state.over or not _is_in_stock(state, tile):
        return ()
    turned = [one.as_json() for one in _orientations(tile)]
    cells = state.open_cells(state.mover.name)
    return tuple(_place_command(state.mover, cell, one) for cell in cells for one in turned)


def interpret(state: State, before: Seen, after: Seen) -> tuple[Command, ...]:
    """The commands that explain a change on the table, legal ones first.

    Args:
        state: the table as the rules know it.
        before: ``{cell: thing}`` before the change; a thing is a tile as ``read`` takes it, a star
            ``{"kind": "star", "owner": colour or None}``, or None where something unread lies.
        after: the same after the change.

    A new tile is the mover's; a new star belongs to its colour's player, or to the mover when the colour was not read.
    Unread things are ignored. Both readings are first rotated to agree with the board, because the lattice axis that a
    picture calls E is arbitrary (contract, "Coordinates").
    """
    if state.over:
        return ()
    return tuple(sorted(_new_commands(state, before, after), key=lambda command: not _is_legal(state, command)))


def _in_stock(state: State) -> tuple[Tile, ...]:
    """One of each tile that the mover may still hold, in any orientation."""
    bodies = {tile.class_name: tile for tile in tiles.bodies()}.values()
    return tuple(tile for tile in (*bodies, *tiles.heads()) if _is_in_stock(state, tile))


def _is_in_stock(state: State, tile: Tile) -> bool:
    try:
        require_in_stock(state, state.mover, tile)
    except Refusal:
        return False
    return True


def _orientations(tile: Tile) -> tuple[Tile, ...]:
    """The tile in every different orientation."""
    return tuple({turned.across: turned for turned in map(tile.turned, range(6))}.values())


def _place_command(seat: Seat, cell: Cell, tile: dict[str, Any]) -> Command:
    return {"cmd": "place", "player": seat.name, "cell": list(cell), "tile": tile}


def _new_commands(state: State, before: Seen, after: Seen) -> tuple[Command, ...]:
    """A command for each new thing on a cell without a tile; empty when there is no new thing.

    Unknown things that lay there before follow as less likely.
    """
    was, now = _align(state, before), _align(state, after)
    unknown = {cell: thing for cell, thing in now.items() if not _is_known(state, cell, thing)}
    new = {cell: thing for cell, thing in unknown.items() if was.get(cell) != thing}
    return tuple(_command(state, cell, thing) for cell, thing in {**new, **unknown}.items()) if new else ()


def _align(state: State, seen: Seen) -> dict[Cell, Thing]:
    """The things read, rotated by the fewest steps with which most tiles agree with the board."""
    read = {cell: thing for cell, value in seen.items() if (thing := _parse_thing(value)) is not None}
    return max((_rotate(read, turns) for turns in range(6)), key=lambda things: _count_agreeing(state, things))


def _count_agreeing(state: State, things: Mapping[Cell, Thing]) -> int:
    """The number of cells that show the board's tile."""
    return sum(
        isinstance(what, Tile) and cell in state.board and what.across == state.board[cell].across
        for cell, (what, _) in things.items()
    )


def _rotate(things: Mapping[Cell, Thing], turns: int) -> dict[Cell, Thing]:
    return {
        rotated(cell, turns): (what.turned(turns) if isinstance(what, Tile) else what, owner)
        for cell, (what, owner) in things.items()
    }


def _parse_thing(value: Any) -> Thing | None:
    """The thing on one cell of a reading; None when it was not read completely."""
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if kind == STAR:
        return STAR, value.get("owner")
    if not tiles.is_formed(value):
        return None
    try:
        return tiles.read(value), value.get("owner")
    except Refusal:
        return None


def _is_known(state: State, cell: Cell, thing: Thing) -> bool:
    return cell in state.board or (thing[0] == STAR and state.reserved_for(cell) is not None)


def _command(state: State, cell: Cell, thing: Thing) -> Command:
    what, owner = thing
    if isinstance(what, str):
        player = next((seat.name for seat in state.seats if seat.colour == owner), state.mover.name)
        return {"cmd": "star", "player": player, "cell": list(cell)}
    owned = {} if owner is None else {"owner": owner}
    return _place_command(state.mover, cell, what.as_json() | owned)


def _is_legal(state: State, command: Command) -> bool:
    player, (q, r) = command["player"], command["cell"]
    try:
        require_turn(state, player)
        if command["cmd"] == "star":
            require_star(state, player, (q, r))
        else:
            require_tile(state, player, (q, r), command["tile"])
    except Refusal:
        return False
    return True
