"""What the rules would say of commands: for those who enter a move by hand and want to know before they lay it."""

from collections.abc import Sequence
from typing import Any

from companion.errors import Refusal
from companion.referee.session import Session
from companion.rules.engine import Command, Game
from companion.views.phrases import intent, sentences
from companion.views.reasons import refused
from companion.views.scoreboard import state_at


def verdicts(session: Session, commands: Sequence[Command], at: int | None = None) -> list[dict[str, Any]]:
    """For each command, on its own, ``{"said": [...]}`` or ``{"refusal": {"code", "message", ...}}``; nothing happens.

    Args:
        session: as it stands.
        commands: any JSON objects.
        at: the move in whose place they would stand; None for the next one.

    Raises:
        Refusal: `no-such-move`.
    """
    state = state_at(session, at)
    return [_verdict(session.game, state, command) for command in commands]


def _verdict(game: Game, state: Any, command: Command) -> dict[str, Any]:
    try:
        _, events = game.apply(state, command)
    except Refusal as refusal:
        return {"refusal": refused(refusal.as_json())}
    return {"said": list(sentences(events)) or [intent(command)]}
