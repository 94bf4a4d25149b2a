"""What a camera's view of a HexDragon table says has been done: commands from the difference of two readings."""

from collections.abc import Mapping
from typing import Any

from companion.errors import Refusal
from companion.rules import hexdragon_tiles as tiles
from companion.rules.engine import Command, Seen
from companion.rules.hexdragon_state import State
from companion.rules.hexdragon_tiles import Tile
from companion.rules.hexgrid import Cell, rotated

STAR = "star"
"""The kind of a star token among the things seen."""

Thing = tuple[Tile | str, str | None]
"""A tile or `STAR`, and the colour of its owner where one was read."""


def changes(state: State, before: Seen, after: Seen) -> tuple[Command, ...]:
    """A command for each thing that has come to lie on a cell without a tile; none where nothing has.

    Things that lay there before and that the rules do not know of follow as less likely. A new tile is the mover's; a
    new star its colour's, or the mover's when its colour was not read. What could not be read says nothing. Both
    readings are first turned to agree with the tiles known to lie, because the axis of the lattice that a picture
    calls E is free (contract, "Coordinates").
    """
    was, now = _aligned(state, before), _aligned(state, after)
    unknown = {cell: thing for cell, thing in now.items() if not _is_known(state, cell, thing)}
    new = {cell: thing for cell, thing in unknown.items() if was.get(cell) != thing}
    return tuple(_command(state, cell, thing) for cell, thing in {**new, **unknown}.items()) if new else ()


def _aligned(state: State, seen: Seen) -> dict[Cell, Thing]:
    """The things read, turned by the fewest steps that make most tiles agree with the board."""
    read = {cell: thing for cell, value in seen.items() if (thing := _thing(value)) is not None}
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


def _is_known(state: State, cell: Cell, thing: Thing) -> bool:
    return cell in state.board or (thing[0] == STAR and state.reserved_for(cell) is not None)


def _command(state: State, cell: Cell, thing: Thing) -> Command:
    what, owner = thing
    if isinstance(what, str):
        player = next((seat.name for seat in state.seats if seat.colour == owner), state.mover.name)
        return {"cmd": "star", "player": player, "cell": list(cell)}
    owned = {} if owner is None else {"owner": owner}
    return {"cmd": "place", "player": state.mover.name, "cell": list(cell), "tile": {**what.as_json(), **owned}}
