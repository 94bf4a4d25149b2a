"""Hexapod: what each command does to a table, in the order of checks that the rules page gives.

Source: the rules page Hexapod (`Page` in the docstrings below), a restatement of the game by Mike Kay.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.errors import Refusal
from companion.games.hexapod.rules.cases import SIDE, read_card
from companion.games.hexapod.rules.legality import interpret, legal, next_step, placements, require_laying
from companion.games.hexapod.rules.sentences import explain
from companion.games.hexapod.rules.state import State, start, view
from companion.rules.engine import Command, Event
from companion.rules.fields import command_name, malformed, object_field, require_player, text_field, whole_field
from companion.rules.notation import TEXT, WHOLE, Field, Notation, joined, letters, record

__all__ = [
    "EDITIONS",
    "NAME",
    "NOTATION",
    "PLAYERS",
    "apply",
    "explain",
    "interpret",
    "legal",
    "next_step",
    "placements",
    "start",
    "view",
]

NAME: str = "hexapod"
EDITIONS: tuple[str, ...] = ()
PLAYERS: tuple[int, int | None] = (2, 2)

_LETTERS = {"blue": "b", "green": "g", "gold": "o", "dung": "d", "leaf": "l", "stag": "s", "moth": "m"}
_PLAYER = Field("player", TEXT)
NOTATION: Notation = {
    "play": (
        _PLAYER,
        Field("row", WHOLE),
        Field("col", WHOLE),
        Field("card", record(" ", cells=joined(letters(_LETTERS), "/"))),
    ),
    "coin": (_PLAYER,),
    "end": (_PLAYER,),
    "pass": (_PLAYER,),
    "spider": (_PLAYER,),
}
"""``play Ana 0 1 bl/od``: blue, leaf over gold, dung."""

Outcome = tuple[State, tuple[Event, ...]]


def apply(state: State, command: Command) -> Outcome:
    """The state after one command, and what happened. Raises `Refusal`; the state given is never changed."""
    return _COMMANDS[command_name(command, _COMMANDS)](state, command)


def _play(state: State, command: Command) -> Outcome:
    """Page, "A turn": one of the two cards in hand is laid where it covers something of its own kind."""
    player = text_field(command, "player")
    place = whole_field(command, "row"), whole_field(command, "col")
    cells = _cells(object_field(command, "card"))
    _require_turn(state, player)
    before = state.mover.case
    card = require_laying(before, place, read_card(cells))
    case = before.with_card(place, card)
    points = sum(case.score().values())
    change = points - sum(before.score().values())
    played = {"event": "played", "player": player, "row": place[0], "col": place[1], "card": {"cells": cells}}
    played |= {"covered": list(before.covered(place, card)), "points": points, "change": change}
    return _end_turn(state.with_mover(replace(state.mover, case=case)), played)


def _coin(state: State, command: Command) -> Outcome:
    """Page, "A turn", Ruling: one coin a turn moves the top card of one stack onto another."""
    player = text_field(command, "player")
    _require_turn(state, player)
    left = state.mover.coins - 1
    if left < 0:
        raise Refusal("no-coins", f"{player} has no coin left")
    if state.has_spent:
        raise Refusal("coin-used", f"{player} has spent a coin this turn; one a turn may be spent")
    after = replace(state.with_mover(replace(state.mover, coins=left)), has_spent=True)
    return after, ({"event": "coin-spent", "player": player, "left": left},)


def _end(state: State, command: Command) -> Outcome:
    """Page, "A turn": after a coin, or once the Spider is out, a turn may end with nothing laid."""
    player = text_field(command, "player")
    _require_turn(state, player)
    if not state.can_end:
        raise Refusal("nothing-spent", "a turn ends without a card only after a coin; lay a card, spend a coin or pass")
    return _end_turn(state, {"event": "turn-ended", "player": player})


def _pass(state: State, command: Command) -> Outcome:
    """Page, "A turn": whoever passes is out for the rest of the game."""
    player = text_field(command, "player")
    _require_turn(state, player)
    return _end_turn(state.with_mover(replace(state.mover, has_passed=True)), {"event": "passed", "player": player})


def _spider(state: State, command: Command) -> Outcome:
    """Page, "A turn" and "Exactly": the Spider comes up once; a second time is malformed."""
    player = text_field(command, "player")
    if state.has_spider:
        raise malformed("the Spider has come face up already; there is only one")
    _require_turn(state, player)
    return replace(state, has_spider=True), ({"event": "spider-revealed", "player": player},)


_COMMANDS = {"play": _play, "coin": _coin, "end": _end, "pass": _pass, "spider": _spider}


def _cells(card: Mapping[str, Any]) -> list[list[Any]]:
    """The card's 2 × 2 kinds, unchecked. Raises `Refusal`: `malformed`."""
    cells = card.get("cells")
    rows = cells if isinstance(cells, list | tuple) and len(cells) == SIDE else ()
    if not rows or not all(isinstance(row, list | tuple) and len(row) == SIDE for row in rows):
        raise malformed("the cells of a card are two rows of two kinds")
    return [list(row) for row in rows]


def _require_turn(state: State, player: str) -> None:
    """Refuse a stranger, the end, a player who has passed and one whose turn it is not; in the contract's order."""
    require_player(player, [seat.name for seat in state.seats])
    if state.phase == "over":
        raise Refusal("game-over", "the game is over; nothing more can be done")
    if state.seat(player).has_passed:
        raise Refusal("passed-out", f"{player} has passed and is out for the rest of the game")
    if player != state.mover.name:
        raise Refusal("not-your-turn", f"it is {state.mover.name}'s turn, not {player}'s")


def _end_turn(state: State, event: Event) -> Outcome:
    """Page, "A turn": the opponent's turn unless they have passed; the end when both have, or after the last turn."""
    is_last = state.phase == "last-turn" or (state.has_spider and state.opponent.has_passed)
    if is_last or all(seat.has_passed for seat in state.seats):
        scored = {"event": "scored", "scores": state.scores()}
        return replace(state, phase="over"), (event, scored, {"event": "won", "players": state.winners()})
    turn = state.turn if state.opponent.has_passed else 1 - state.turn
    phase = "last-turn" if state.has_spider else "play"
    return replace(state, phase=phase, turn=turn, has_spent=False), (event,)
