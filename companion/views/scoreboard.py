"""The scoreboard: a session as the one JSON object that the page, the television and other programs read.

It knows no game by name: the game's own `view` says how the table stands, its `legal` what may be done by hand, its
`explain` why a thing happened. A new game shows up here without a change.
"""

from collections.abc import Iterable, Sequence
from math import gcd
from typing import Any

from companion.errors import Refusal, without_folders
from companion.referee.messages import Authorised, Begin, Message, Next, Notice
from companion.referee.moves import Move
from companion.referee.session import Proposal, Session
from companion.rules.engine import Command, Game
from companion.views.archive.measures import measure_totals
from companion.views.archive.statistics import summarise, winners_of
from companion.views.changes import amendment_as_json
from companion.views.phrases import call, intent, is_aloud, is_calm, label, notice_text, outcomes_first, sentences
from companion.views.reasons import explanations, refusal_for_people
from companion.views.words import knows, phrase

_SCALARS = (str, int, bool)
_ABOUT = ("cmd", "player")
_AMENDMENTS = 30


def scoreboard(session: Session) -> dict[str, Any]:
    """The table as ``GET /api/state`` gives it.

    ``version``, ``game``, ``phase``, ``turn``, ``players``, ``table`` and ``result`` are as ``replay`` prints them. The
    rest is for people: the header, the proposal that waits, the last call and what it came from, notices, the moves
    so far and how they were amended, and the actions that may be done by hand.
    """
    return {
        "version": session.version,
        "game": session.header.game,
        **session.game.view(session.state),
        "proposal": _proposal(session.proposal),
        "header": session.header.as_json(),
        **_last(session),
        "notices": [_notice(notice) for notice in session.notices.values()],
        "history": [_history(move) for move in session.moves],
        "amendments": [amendment_as_json(amendment) for amendment in session.amendments[-_AMENDMENTS:]],
        "changed": session.state_version,
        "can_undo": session.can_undo,
        "can_redo": session.can_redo,
        "is_over": is_over(session),
        "finale": finale(session),
        "actions": actions(session.game.legal(session.state)),
    }


def is_over(session: Session) -> bool:
    """Whether the game on the table has come to its result."""
    return session.game.view(session.state)["result"] is not None


def next_game(session: Session, version: int | None, authorised: Authorised | None = None) -> Message:
    """What the press on "Next game" asks: the evening's next game where the rules have one, else the same anew."""
    if is_over(session) and not session.game.legal(session.state):
        return Begin(session.header, version)
    return Next(version, authorised)


def options(session: Session, cell: tuple[int, int], at: int | None = None) -> list[Command]:
    """What the rules list as possible in one cell, for those who enter a card by hand; ``at`` as in `state_at`."""
    legal = session.game.legal(state_at(session, at))
    return [command for command in legal if "cell" in command and tuple(command["cell"]) == cell]


def state_at(session: Session, at: int | None) -> Any:
    """The game's state now, or that in which the move ``at`` was made. Raises `Refusal` ``no-such-move``."""
    if at is None:
        return session.state
    if not 1 <= at <= len(session.moves):
        raise Refusal("no-such-move", f"There is no move {at}; {len(session.moves)} stand.")
    return session.past[at - 1]


def actions(commands: Iterable[Command]) -> list[dict[str, Any]]:
    """The commands that need no card under the camera, those that differ in one number alone taken together.

    What the rules list of such a number are examples: it has a least and a step, and the rules refuse what is too much.

    >>> actions([{"cmd": "hedge", "player": "Bo", "amount": n} for n in (0, 3, 6)])[0]["step"]
    3
    >>> actions([{"cmd": "place", "player": "Bo", "cell": [0, 1], "edges": ["red"] * 6}])
    []
    """
    amounts: dict[tuple[Any, ...], list[int]] = {}
    for command in commands:
        if all(type(value) in _SCALARS for value in command.values()):
            fields = tuple(command.items())
            number = next((name for name, value in fields if type(value) is int), None)
            about = tuple((name, value) for name, value in fields if name != number)
            amounts.setdefault((about, number), []).extend([command[number]] if number else [])
    return [_action(dict(about), number, values) for (about, number), values in amounts.items()]


def _action(command: dict[str, Any], number: str | None, values: list[int]) -> dict[str, Any]:
    flags = [_flag(name) for name, value in command.items() if name not in _ABOUT and value is True]
    named = label(command["cmd"])
    action = {
        "label": phrase("labels", "with", label=named, flags=", ".join(flags)) if flags else named,
        "player": command.get("player"),
        "command": command,
        "field": number,
    }
    if number is None:
        return action
    least = min(values)
    return {
        **action,
        "least": least,
        "step": gcd(*(value - least for value in values)) or 1,
        "examples": sorted(values),
    }


def _flag(name: str) -> str:
    """What a choice that a command makes is called."""
    return phrase("names", name) if knows("names", name) else name.replace("_", " ")


def _proposal(waiting: Proposal | None) -> dict[str, Any] | None:
    if waiting is None:
        return None
    lines = sentences(waiting.events) or (intent(waiting.command),)
    called = call(waiting.events)
    return {
        "version": waiting.version,
        "command": dict(waiting.command),
        "events": list(waiting.events),
        "refusal": refusal_for_people(waiting.refusal) if waiting.refusal else None,
        "confidence": waiting.confidence,
        "sentence": lines[0],
        "consequences": list(lines[1:]),
        "call": called.as_json() if called else None,
    }


def _last(session: Session) -> dict[str, Any]:
    if not session.moves:
        return {"last": None, "call": None, "said": [], "why": []}
    move, before = session.moves[-1], session.past[-1]
    called = call(move.events)
    return {
        "last": {"n": move.number, "command": dict(move.command), "events": list(move.events)},
        "call": called.as_json() if called else None,
        "said": list(sentences(outcomes_first(move.events))),
        "why": explanations(session, before, move.events),
    }


def _history(move: Move) -> dict[str, Any]:
    texts = list(sentences(move.events))
    return {"n": move.number, "command": dict(move.command), "said": texts, "picture": move.evidence is not None}


def _notice(notice: Notice) -> dict[str, Any]:
    return {
        "code": notice.code,
        "text": without_folders(notice_text(notice)),
        "at": list(notice.at) if notice.at else None,
        "aloud": is_aloud(notice),
        "calm": is_calm(notice),
    }


def finale(session: Session) -> dict[str, Any] | None:
    """The ranking of a game that is over, ``{"measure", "ranking": [{"place", "name", "total", "won"}], "evening"}``.

    None while it goes on. ``measure`` is what the totals count, None where the game counts nothing; ``evening`` is how
    many games each player has won since the table was opened for these players, where there were several.
    """
    view = session.game.view(session.state)
    if view["result"] is None:
        return None
    measure, totals = next(iter(measure_totals(view).items()), (None, {}))
    winners = winners_of(view["result"])
    summary = summarise(session)
    return {
        "measure": measure,
        "ranking": [
            {"place": place, "name": name, "total": totals.get(name), "won": name in winners}
            for place, name in _places(view["result"], winners, totals, list(view["players"]))
        ],
        "evening": {name: tally.won + tally.shared for name, tally in summary.tallies.items()}
        if summary.finished > 1
        else {},
    }


def _places(
    result: dict[str, Any], winners: tuple[str, ...], totals: dict[str, int], players: list[str]
) -> list[tuple[int, str]]:
    """Each player's place, counted as at a race; by the rules' own ranking, or winners first and then by totals."""
    groups = result.get("ranking") or _ranked(winners, totals, players)
    places: list[tuple[int, str]] = []
    for group in groups:
        place = len(places) + 1
        places += [(place, name) for name in group]
    return places


def _ranked(winners: tuple[str, ...], totals: dict[str, int], players: list[str]) -> list[list[str]]:
    others = [name for name in players if name not in winners]
    marks = sorted({totals.get(name, 0) for name in others}, reverse=True)
    behind = [[name for name in others if totals.get(name, 0) == mark] for mark in marks]
    return [list(winners), *behind] if winners else behind


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
        return {"refusal": refusal_for_people(refusal.as_json())}
    return {"said": list(sentences(events)) or [intent(command)]}
