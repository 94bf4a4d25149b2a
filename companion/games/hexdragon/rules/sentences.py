"""HexDragon in sentences: what an event means, and the rule it comes from, for the people at the table."""

from collections.abc import Callable

from companion.games.hexdragon.rules.state import State
from companion.rules.engine import Event
from companion.rules.wording import at, names, places

_KINDS = {
    "dragon": "a head joined to a tail scores its length for the head's owner",
    "double-dragon": "a head joined to a head scores its length for the owner of each head",
    "worm": "a tail joined to a tail scores 1 for whoever laid the last tile",
    "loop": "a line closed on itself scores 1 for whoever laid the last tile",
}


def explain(state: State, event: Event) -> str:
    """One sentence for the table: what happened and the rule it comes from; ``state`` is the one before."""
    return _SENTENCES[event["event"]](state, event)


def _placed(state: State, event: Event) -> str:
    """A tile was laid; on one's own star that lifts the star."""
    tile = "a head" if event["class"] == "head" else f"an {event['class']} tile"
    star = ", taking up the star that reserved it" if state.reserved_for(tuple(event["cell"])) else ""
    return f"{event['player']} lays {tile} on {at(event['cell'])}{star}: a turn is one tile on a free cell."


def _connection(_: State, event: Event) -> str:
    scores = " and ".join(f"{points} for {name}" for name, points in event["scores"].items())
    kind = event["kind"].replace("-", " ")
    return f"A {kind} of length {event['length']}, {scores}: {_KINDS[event['kind']]}."


def _starred(_: State, event: Event) -> str:
    return f"{event['player']}'s star reserves {at(event['cell'])}: once a game, and nobody else may lay a tile there."


def _skipped(_: State, event: Event) -> str:
    return f"{event['player']} skips: others' stars lie on every free cell."


def _agreed(state: State, event: Event) -> str:
    waiting = [seat.name for seat in state.seats if seat.name not in state.agreed | {event["player"]}]
    if waiting:
        why = f"it waits for {names(waiting)}, and a tile, a star or a skip calls it off"
    else:
        why = "all players do, and may when nobody can score any more"
    return f"{event['player']} agrees to end the game: {why}."


def _ended(_: State, event: Event) -> str:
    return (
        f"The game is over: {places(event['ranking'])}; "
        "most points win, and a tie goes to the longest connection, then to the next longest."
    )


_SENTENCES: dict[str, Callable[[State, Event], str]] = {
    "placed": _placed,
    "connection": _connection,
    "starred": _starred,
    "skipped": _skipped,
    "agreed": _agreed,
    "ended": _ended,
}
