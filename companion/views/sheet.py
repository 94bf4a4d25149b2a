"""One move opened: what was said, why, from which picture, which chips moved, and what it might have been instead."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companion.referee.moves import Move
from companion.referee.session import Session
from companion.rules.engine import Command, Game
from companion.views.phrases import intent, sentences
from companion.views.reasons import explained
from companion.views.scoreboard import actions
from companion.views.suggestions import suggestions

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
        "why": explained(session, before, move.events),
        "moved": moved(session.game.view(before), session.game.view(after)),
        "picture": move.evidence is not None,
        "before": _picture_before(session.moves[: number - 1]),
        "confidence": move.evidence.confidence if move.evidence else None,
        "instead": [
            {"command": dict(command), "said": _said(session.game, before, command)}
            for command in suggestions(session.game, before, move.command, _chances(move))
        ],
        "actions": actions(session.game.legal(before)),
        "stood": session.game.view(before),
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


def _picture_before(moves: Iterable[Move]) -> int | None:
    """The last move before that has a picture: how the table lay."""
    return next((move.number for move in reversed(list(moves)) if move.evidence is not None), None)


def _chances(move: Move) -> Sequence[Any]:
    return move.evidence.chances if move.evidence else ()


def _said(game: Game, state: Any, command: Command) -> str:
    _, events = game.apply(state, command)
    return " ".join(sentences(events)) or intent(command)
