"""One move opened: what was said, why, from which picture, which chips moved, and what it might have been instead."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import log
from typing import Any

from companion.errors import Refusal
from companion.referee.moves import Move
from companion.referee.session import Session
from companion.rules.engine import Command, Game
from companion.views.phrases import intent, sentences
from companion.views.reasons import explanations
from companion.views.scoreboard import actions

_NUMBERS = (int, float)
_MOST_SUGGESTIONS = 6
_TRIED = 120
_LEAST_CHANCE = 1e-4
_UNSEEN = 5.0  # what a difference costs of which the picture says nothing: as much as a chance of 0.7 %
_ELSEWHERE = 20.0  # where a card lies is seen better than what is on it
_DOUBTED = 0.02
_KEPT = ("cmd", "player", "cell")  # for a card elsewhere the rules list what may lie there
Place = tuple[str | int, ...]


def sheet(session: Session, number: int, *, has_instead: bool = True) -> dict[str, Any] | None:
    """A move that stands, for ``GET /api/moves/N``; None when there is none of that number.

    Args:
        session: the table's.
        number: which move.
        has_instead: what it might have been instead is worked out, which takes a second for some moves; else none is.
    """
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
        "why": explanations(session, before, move.events),
        "moved": moved(session.game.view(before), session.game.view(after)),
        "picture": move.evidence is not None,
        "before": _picture_before(session.moves[: number - 1]),
        "confidence": move.evidence.confidence if move.evidence else None,
        "instead": [
            {"command": dict(command), "said": _said(session.game, before, command)}
            for command in (suggestions(session.game, before, move.command, _chances(move)) if has_instead else ())
        ],
        "actions": [_in_words(action) for action in actions(session.game.legal(before))],
        "stood": session.game.view(before),
    }


def moved(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What each player's numbers were and are, where a move changed them.

    >>> moved({"players": {"Bo": {"chips": 9, "in": True}}}, {"players": {"Bo": {"chips": 6, "in": True}}})
    [{'player': 'Bo', 'what': 'chips', 'was': 9, 'now': 6}]
    """
    return [
        {"player": player, "what": name, "was": before["players"][player][name], "now": value}
        for player, seat in after["players"].items()
        if player in before["players"]
        for name, value in seat.items()
        if type(value) in _NUMBERS and before["players"][player].get(name, value) != value
    ]


def _picture_before(moves: Iterable[Move]) -> int | None:
    """The last move before that has a picture: how the table lay."""
    return next((move.number for move in reversed(list(moves)) if move.evidence is not None), None)


def _chances(move: Move) -> Sequence[Any]:
    return move.evidence.chances if move.evidence else ()


def _in_words(action: Mapping[str, Any]) -> dict[str, Any]:
    """An action with what it would be as a sentence; an amount at its least."""
    amount = {action["field"]: action["least"]} if action["field"] else {}
    return {**action, "said": intent({**action["command"], **amount})}


def _said(game: Game, state: Any, command: Command) -> str:
    _, events = game.apply(state, command)
    return " ".join(sentences(events)) or intent(command)


def suggestions(game: Game, state: Any, command: Command, chances: Sequence[Any] = ()) -> list[Command]:
    """Commands of the same kind that the rules allow in that state, the likeliest first.

    What differs from the command counts by how much less likely it is than what the command says; without a picture
    every difference counts alike.

    Args:
        game: whose rules.
        state: before the move.
        command: the move as it stands.
        chances: of what was read, as `companion.referee.moves.KeptPicture` has them.
    """
    seen = {tuple(place): dict(of) for place, of in chances}
    legal = [other for other in game.legal(state) if other["cmd"] == command["cmd"]]
    near = [*_doubted(command, seen), *_variations(command, legal)]
    near = sorted(near, key=lambda other: _cost(command, other, seen))[:_TRIED]
    allowed = [*(other for other in near if _is_allowed(game, state, other)), *legal]
    ranked = {_key(command, seen): command}
    for other in sorted(allowed, key=lambda other: (_cost(command, other, seen), *_amounts_off(command, other))):
        ranked.setdefault(_key(other, seen), other)
    return list(ranked.values())[1 : _MOST_SUGGESTIONS + 1]


def _amounts_off(command: Command, other: Command) -> list[int]:
    """How far each amount of the other lies from the command's; of what is as likely the nearest comes first."""
    amounts = ((name, value) for name, value in command.items() if type(value) is int)
    return [abs(other[name] - value) if type(other.get(name)) is int else 0 for name, value in amounts]


def _cost(command: Command, other: Command, seen: Mapping[Place, Mapping[str, float]]) -> float:
    """How much less likely the other is, as a logarithm; smaller is likelier."""
    a, b = (dict(_leaves(one, whole=seen.keys())) for one in (command, other))
    return sum(_step(place, seen.get(place), a.get(place), b.get(place)) for place in a.keys() | b.keys())


def _step(place: Place, chances: Mapping[str, float] | None, old: Any, new: Any) -> float:
    if old == new:
        return 0.0
    if chances is None:
        return _ELSEWHERE if place[0] == "cell" else _UNSEEN
    return log(max(chances.get(str(old), 0.0), _LEAST_CHANCE)) - log(max(chances.get(str(new), 0.0), _LEAST_CHANCE))


def _doubted(command: Command, seen: Mapping[Place, Mapping[str, float]]) -> Iterator[Command]:
    """The command with one or two of its places read otherwise, as far as the picture leaves that open."""
    stated = dict(_leaves(command, whole=seen.keys()))
    things = stated.keys() - dict(_leaves(command)).keys()
    others = [
        (place, json.loads(value) if place in things or isinstance(stated[place], int) else value)
        for place, of in seen.items()
        for value, chance in of.items()
        if place in stated and value != str(stated[place]) and chance >= _DOUBTED
    ]
    for changes in (*((one,) for one in others), *combinations(others, 2)):
        if len({place for place, _ in changes}) == len(changes):
            yield _with(command, dict(changes))


def _variations(command: Command, legal: Iterable[Command]) -> Iterator[Command]:
    """The command with one thing changed to another that stands in such a place of what the rules list.

    What is on the cards is doubted before where they lie.
    """
    words: dict[Place, set[Any]] = {}
    for other in legal:
        for place, value in _leaves(other):
            words.setdefault(_shape(place), set()).add(value)
    for place, value in sorted(_leaves(command), key=lambda leaf: len(leaf[0]) == 1):
        if place[0] not in _KEPT:
            for word in sorted(words.get(_shape(place), set()) - {value}, key=str):
                yield _with(command, {place: word})


def _shape(place: Place) -> Place:
    """A place without its numbers: of all cards of a set, of all edges of a card."""
    return tuple("*" if isinstance(part, int) else part for part in place)


def _with(command: Command, changes: Mapping[Place, Any]) -> dict[str, Any]:
    """The command with other values at some places."""

    def changed(value: Any, place: Place) -> Any:
        if place in changes:
            return changes[place]
        if isinstance(value, Mapping):
            return {name: changed(item, (*place, name)) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [changed(item, (*place, n)) for n, item in enumerate(value)]
        return value

    return {name: changed(value, (name,)) for name, value in command.items()}


def _leaves(value: Any, place: Place = (), whole: Collection[Place] = ()) -> Iterator[tuple[Place, Any]]:
    """What stands at each place of a command; the places of ``whole`` are not looked into: what they hold, as JSON."""
    if place in whole and isinstance(value, Mapping):
        yield place, json.dumps({name: _ordered(item) for name, item in value.items()}, sort_keys=True)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _leaves(item, (*place, name), whole)
    elif isinstance(value, list | tuple):
        for n, item in enumerate(value):
            yield from _leaves(item, (*place, n), whole)
    else:
        yield place, value


def _ordered(value: Any) -> Any:
    """Pairs in one order: a tile's paths are the same whichever is named first."""
    return sorted(map(sorted, value)) if isinstance(value, list) and value and isinstance(value[0], list) else value


def _is_allowed(game: Game, state: Any, command: Command) -> bool:
    try:
        game.apply(state, command)
    except Refusal:
        return False
    return True


def _key(command: Command, seen: Mapping[Place, Any]) -> str:
    """The same for commands that say the same."""
    return json.dumps(sorted(_leaves(command, whole=seen.keys()), key=str))
