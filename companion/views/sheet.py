"""One move opened: what was said, why, from which picture, which chips moved, and what it might have been instead."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from companion.errors import Refusal
from companion.referee.moves import Move
from companion.referee.session import Session
from companion.rules.engine import Command, Game
from companion.views.phrases import intent, sentences
from companion.views.scoreboard import actions

_SUGGESTIONS = 6
_NUMBERS = (int, float)


def sheet(session: Session, number: int) -> dict[str, Any] | None:
    """A move that stands, for ``GET /api/moves/N``; None when there is none of that number."""
    if not 1 <= number <= len(session.moves):
        return None
    move = session.moves[number - 1]
    before, after = session.past[number - 1], [*session.past[1:], session.state][number - 1]
    return {
        "n": number,
        "version": session.version,
        "when": move.when,
        "command": dict(move.command),
        "said": list(sentences(move.events)),
        "why": [session.game.explain(before, event) for event in move.events],
        "moved": moved(session.game.view(before), session.game.view(after)),
        "picture": move.evidence is not None,
        "before": _picture_before(session.moves[: number - 1]),
        "confidence": move.evidence.confidence if move.evidence else None,
        "instead": [
            {"command": dict(command), "said": _said(session.game, before, command)}
            for command in suggestions(session.game, before, move.command)
        ],
        "actions": actions(session.game.legal(before)),
    }


def moved(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What each player's numbers were and are, where a move changed them.

    >>> moved({"players": {"Bo": {"chips": 9, "in": True}}}, {"players": {"Bo": {"chips": 6, "in": True}}})
    [{'player': 'Bo', 'what': 'chips', 'was': 9, 'now': 6}]
    """
    return [
        {"player": player, "what": name.replace("_", " "), "was": before["players"][player][name], "now": value}
        for player, seat in after["players"].items()
        if player in before["players"]
        for name, value in seat.items()
        if type(value) in _NUMBERS and before["players"][player].get(name, value) != value
    ]


def suggestions(game: Game, state: Any, command: Command) -> list[Command]:
    """Commands of the same kind that the rules allow in that state and that differ least from the one given.

    First those that differ in one thing alone, such as one edge read wrongly; then those that the rules list.
    """
    legal = [other for other in game.legal(state) if other["cmd"] == command["cmd"]]
    near = [other for other in _variations(command, legal) if _is_allowed(game, state, other)]
    wanted = {_key(command)}
    ranked: list[Command] = []
    for other in (*near, *sorted(legal, key=lambda other: _distance(command, other))):
        if _key(other) not in wanted:
            wanted.add(_key(other))
            ranked.append(other)
    return ranked[:_SUGGESTIONS]


def _picture_before(moves: Iterable[Move]) -> int | None:
    """The last move before that has a picture: how the table lay."""
    return next((move.number for move in reversed(list(moves)) if move.evidence is not None), None)


def _said(game: Game, state: Any, command: Command) -> str:
    _, events = game.apply(state, command)
    return " ".join(sentences(events)) or intent(command)


def _variations(command: Command, legal: Iterable[Command]) -> Iterator[Command]:
    """The command with one item of one list of words changed to another word that such lists hold."""
    for name, items in command.items():
        if not isinstance(items, list | tuple) or not all(isinstance(item, str) for item in items):
            continue
        words = {item for other in legal for item in other.get(name, ())}
        for place, item in enumerate(items):
            for word in sorted(words - {item}):
                yield {**command, name: [*items[:place], word, *items[place + 1 :]]}


def _is_allowed(game: Game, state: Any, command: Command) -> bool:
    try:
        game.apply(state, command)
    except Refusal:
        return False
    return True


def _distance(one: Command, other: Command) -> int:
    """In how many places two commands differ."""
    a, b = dict(_leaves(one)), dict(_leaves(other))
    return sum(a.get(place) != b.get(place) for place in a.keys() | b.keys())


def _leaves(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _leaves(item, (*place, name))
    elif isinstance(value, list | tuple):
        for n, item in enumerate(value):
            yield from _leaves(item, (*place, n))
    else:
        yield place, value


def _key(command: Command) -> str:
    return json.dumps(dict(command), sort_keys=True)
