"""Which commands a table of HexDragon could be given now: for bots and hints, and read from what the hands just did."""

from collections.abc import Mapping
from typing import Any

from companion.errors import Refusal
from companion.games.hexdragon.rules import tiles
from companion.games.hexdragon.rules.legality import require_in_stock, require_star, require_tile, require_turn
from companion.games.hexdragon.rules.state import Seat, State
from companion.games.hexdragon.rules.tiles import Tile
from companion.rules.engine import Command, Seen
from companion.rules.hexgrid import Cell, rotated

STAR = "star"
"""The kind of a star token among the things seen."""

Thing = tuple[Tile | str, str | None]
"""A tile or `STAR`, and the colour of its owner where one was read."""


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
    if state.over or not _is_in_stock(state, tile):
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

    A new tile is the mover's; a new star its colour's, or the mover's when its colour was not read. What could not be
    read says nothing. Both readings are first turned to agree with the tiles known to lie, because the axis of the
    lattice that a picture calls E is free (contract, "Coordinates").
    """
    if state.over:
        return ()
    return tuple(sorted(_changes(state, before, after), key=lambda command: not _is_allowed(state, command)))


def _in_stock(state: State) -> tuple[Tile, ...]:
    """One of each tile that the mover may still hold, lying anyhow."""
    bodies = {tile.class_name: tile for tile in tiles.bodies()}.values()
    return tuple(tile for tile in (*bodies, *tiles.heads()) if _is_in_stock(state, tile))


def _is_in_stock(state: State, tile: Tile) -> bool:
    try:
        require_in_stock(state, state.mover, tile)
    except Refusal:
        return False
    return True


def _turnings(tile: Tile) -> tuple[Tile, ...]:
    """The tile turned in every way that differs."""
    return tuple({turned.across: turned for turned in map(tile.turned, range(6))}.values())


def _place_command(seat: Seat, cell: Cell, tile: dict[str, Any]) -> Command:
    return {"cmd": "place", "player": seat.name, "cell": list(cell), "tile": tile}


def _changes(state: State, before: Seen, after: Seen) -> tuple[Command, ...]:
    """A command for each thing that has come to lie on a cell without a tile; none where nothing has.

    Things that lay there before and that the rules do not know of follow as less likely.
    """
    was, now = _aligned(state, before), _aligned(state, after)
    unknown = {
        cell: tile_from_edges for cell, tile_from_edges in now.items() if not _is_known(state, cell, tile_from_edges)
    }
    new = {cell: tile_from_edges for cell, tile_from_edges in unknown.items() if was.get(cell) != tile_from_edges}
    return (
        tuple(_command(state, cell, tile_from_edges) for cell, tile_from_edges in {**new, **unknown}.items())
        if new
        else ()
    )


def _aligned(state: State, seen: Seen) -> dict[Cell, Thing]:
    """The things read, turned by the fewest steps that make most tiles agree with the board."""
    read = {cell: tile_from_edges for cell, value in seen.items() if (tile_from_edges := _thing(value)) is not None}
    return max((_turned(read, turns) for turns in range(6)), key=lambda things: _agreeing(state, things))


def _agreeing(state: State, things: Mapping[Cell, Thing]) -> int:
    """How many cells show the very tile that lies there."""
    return sum(
        isinstance(what, Tile) and cell in state.board and what.across == state.board[cell].across
        for cell, (what, _) in things.items()
    )


def _turned(things: Mapping[Cell, Thing], turns: int) -> dict[Cell, Thing]:
    return {
        rotated(cell, turns): (what.turned(turns) if isinstance(what, Tile) else what, owner)
        for cell, (what, owner) in things.items()
    }


def _thing(value: Any) -> Thing | None:
    """What a reading says of one cell; None where it could not be read whole."""
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if kind == STAR:
        return STAR, value.get("owner")
    if not tiles.is_formed(value):
        return None
    try:
        return tiles.read(value), value.get("owner")
    except Refusal:
        return None


def _is_known(state: State, cell: Cell, tile_from_edges: Thing) -> bool:
    return cell in state.board or (tile_from_edges[0] == STAR and state.reserved_for(cell) is not None)


def _command(state: State, cell: Cell, tile_from_edges: Thing) -> Command:
    what, owner = tile_from_edges
    if isinstance(what, str):
        player = next((seat.name for seat in state.seats if seat.colour == owner), state.mover.name)
        return {"cmd": "star", "player": player, "cell": list(cell)}
    owned = {} if owner is None else {"owner": owner}
    return _place_command(state.mover, cell, what.as_json() | owned)


def _is_allowed(state: State, command: Command) -> bool:
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
