"""Lanterns: players lay one lantern each in turn; one of another colour than the lantern before is worth a point."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.errors import Refusal
from companion.rules.engine import Command, Event, Header
from companion.rules.fields import command_name, malformed, require_options, require_player, text_field, whole_option
from companion.rules.notation import TEXT, Field, Notation

NAME = "lanterns"
EDITIONS: tuple[str, ...] = ()
PLAYERS: tuple[int, int | None] = (2, 4)
NOTATION: Notation = {"hang": (Field("player", TEXT), Field("colour", TEXT))}
COLOURS = ("red", "green", "blue")


@dataclass(frozen=True, slots=True)
class State:
    """The table: whose points are how many, the colours laid so far, and after how many lanterns the game ends."""

    points: Mapping[str, int]
    lanterns: int
    laid: tuple[str, ...] = ()

    @property
    def turn(self) -> str | None:
        """Who lays the next lantern; None once the game is over."""
        return None if len(self.laid) == self.lanterns else list(self.points)[len(self.laid) % len(self.points)]

    @property
    def winners(self) -> list[str]:
        """Who has most points."""
        return [name for name, points in self.points.items() if points == max(self.points.values())]


def start(header: Header) -> State:
    """See `Game`."""
    require_options(header.options, ("lanterns",))
    return State(dict.fromkeys(header.players, 0), whole_option(header.options, "lanterns", 6))


def apply(state: State, command: Command) -> tuple[State, tuple[Event, ...]]:
    """See `Game`."""
    command_name(command, NOTATION)
    player, colour = text_field(command, "player"), text_field(command, "colour")
    if colour not in COLOURS:
        raise malformed(f"colour is {colour!r}; it must be one of {', '.join(COLOURS)}")
    require_player(player, state.points)
    if state.turn is None:
        raise Refusal("game-over", "all lanterns hang")
    if player != state.turn:
        raise Refusal("not-your-turn", f"it is {state.turn}'s turn")
    points = int(bool(state.laid) and state.laid[-1] != colour)
    after = replace(state, points={**state.points, player: state.points[player] + points}, laid=(*state.laid, colour))
    hung: Event = {"event": "hung", "player": player, "colour": colour, "points": points}
    return after, (hung,) if after.turn else (hung, {"event": "won", "players": after.winners})


def legal(state: State) -> tuple[Command, ...]:
    """See `Game`."""
    return tuple({"cmd": "hang", "player": state.turn, "colour": colour} for colour in COLOURS) if state.turn else ()


def next_step(state: State) -> Command | None:
    """See `Game`: every step needs a lantern."""
    return None


def interpret(state: State, before: Sequence[str], after: Sequence[str]) -> tuple[Command, ...]:
    """See `Game`: one lantern more than were laid is the next player's."""
    fresh = list(after)
    for colour in before:
        if colour in fresh:
            fresh.remove(colour)
    if state.turn is None or len(fresh) != 1 or len(after) != len(before) + 1:
        return ()
    return ({"cmd": "hang", "player": state.turn, "colour": fresh[0]},)


def view(state: State) -> dict[str, Any]:
    """See `Game`."""
    return {
        "phase": "lay" if state.turn else "over",
        "turn": state.turn,
        "players": {name: {"points": points} for name, points in state.points.items()},
        "table": {"laid": list(state.laid), "left": state.lanterns - len(state.laid)},
        "result": None if state.turn else {"winners": state.winners},
    }


def explain(state: State, event: Event) -> str:
    """See `Game`."""
    if event["event"] == "won":
        return f"All lanterns hang: {' and '.join(event['players'])} has most points."
    if event["points"]:
        return f"{event['player']} hangs a {event['colour']} lantern after a {state.laid[-1]} one: a point."
    return f"{event['player']} hangs a {event['colour']} lantern: no point."
