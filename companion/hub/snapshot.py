"""A table's snapshot for the hall, below 2 kB and without pictures, so that the broker can retain it.

No game is known by name: turn, players and pots are read from the game's own view.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType, NoneType
from typing import Any

from companion.hub.messages import MAX_SNAPSHOT_BYTES, Position, Unreadable, decode, encode
from companion.referee.messages import REFEREE_CALLED
from companion.referee.session import Session
from companion.rules.engine import Event
from companion.views.archive.measures import measure_totals
from companion.views.phrases import call, intent, notice_text, outcomes_first, sentences
from companion.views.words import pot as title_of_pot

_MAX_PLAYERS = 12
_MAX_NAME = 24
_MAX_TEXT = 160
_MAX_NOTICES = 6
_TEXT_OR_NONE, _OBJECT_OR_NONE = (str, NoneType), (dict, NoneType)
_KINDS: Mapping[str, tuple[type, ...]] = {
    "game": _TEXT_OR_NONE,
    "line": (int,),
    "kind": (str,),
    "players": (list,),
    "turn": _TEXT_OR_NONE,
    "moves": (int,),
    "call": _OBJECT_OR_NONE,
    "said": (str,),
    "pot": _OBJECT_OR_NONE,
    "measures": (dict,),
    "proposal": _TEXT_OR_NONE,
    "notices": (list,),
    "camera": (str,),
    "over": (bool,),
    "version": (int,),
    "sent": (int, float),
}
_OPTIONAL = ("events", "said", "notices", "measures", "players")
"""Fields left out, in this order, of a snapshot that would be too large."""
_UNTOLD = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What telling events fails with that are of another version, or of a table that errs."""


def snapshot(session: Session, position: Position | None, camera: str) -> dict[str, Any]:
    """A table's snapshot.

    ``{"game", "line"}`` of the newest event, ``{"kind", "players", "phase", "turn", "moves"}``, the last call as
    ``call``, its sentence as ``said``, the ``events`` that both are made of, ``pot`` with the biggest one, ``measures``
    with chips or points by player, ``proposal`` with the sentence of a waiting one, ``notices``, ``camera``, and
    ``over`` with the game's result.
    """
    view = session.game.view(session.state)
    last = session.moves[-1].events if session.moves else ()
    called = call(last)
    labels = _labels(session.header.players)
    return {
        "game": position.game if position else None,
        "line": position.line if position else 0,
        "kind": session.header.game,
        "players": [*labels.values()],
        "phase": view["phase"],
        "turn": labels.get(view["turn"], view["turn"]),
        "moves": len(session.moves),
        "call": called and {"word": called.word, "player": labels.get(called.player or "", called.player)},
        "said": _short(" ".join(sentences(outcomes_first(last))), _MAX_TEXT),
        "events": list(last),
        "pot": biggest_pot(view, labels),
        "measures": _measures(view, labels),
        "proposal": _proposal(session),
        "notices": _notices(session),
        "camera": camera,
        "over": view["result"] is not None,
        "amended": len(session.amendments),
        "version": session.version,
    }


def payload(fields: Mapping[str, Any]) -> bytes:
    """Encode a snapshot in 2 kB at most, leaving out the least important fields first."""
    fields = dict(fields)
    for name in _OPTIONAL:
        if len(data := encode(fields)) <= MAX_SNAPSHOT_BYTES:
            return data
        fields[name] = type(fields[name])()
    return encode(fields)


def read_snapshot(payload: bytes) -> dict[str, Any]:
    """Decode a snapshot. Raises `Unreadable` when it is not one of this version."""
    fields = decode(payload, MAX_SNAPSHOT_BYTES)
    for name, kinds in _KINDS.items():
        if name not in fields or not isinstance(fields[name], kinds):
            raise Unreadable(f"a snapshot whose {name} is {json.dumps(fields.get(name))[:40]}")
    pot, called = fields["pot"] or {"name": "", "amount": 0}, fields["call"] or {"word": ""}
    events = fields.setdefault("events", [])  # tables of earlier versions send none
    is_whole = (
        all(isinstance(notice, dict) and isinstance(notice.get("code"), str) for notice in fields["notices"])
        and all(isinstance(name, str) for name in fields["players"])
        and all(type(value) is int for value in fields["measures"].values())
        and (type(pot.get("amount")), type(pot.get("name"))) == (int, str)
        and isinstance(called.get("word"), str)
        and isinstance(events, list)
        and all(isinstance(event, dict) and isinstance(event.get("event"), str) for event in events)
    )
    if not is_whole:
        raise Unreadable("a snapshot with notices, players, a pot, a call or events that are none")
    return fields


def retell(events: Sequence[Event]) -> tuple[str, str | None] | None:
    """A snapshot's events as sentences, and the word called out, in the language spoken now; None: they tell none."""
    try:
        said, called = " ".join(sentences(outcomes_first(events))), call(events)
    except _UNTOLD:
        return None
    return (_short(said, _MAX_TEXT), called.word if called else None) if said else None


def biggest_pot(view: Mapping[str, Any], labels: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any] | None:
    """The biggest pot of a view, a player's under the player's label; None when there is none or all are empty.

    >>> biggest_pot({"table": {"pots": {"Vain": 40, "tail": 10}}, "players": {"Ana": {"hand_pot": 6}}})
    {'name': 'Vain', 'amount': 40}
    >>> biggest_pot({"table": {}, "players": {"Ana": {"hand_pot": 6}}})
    {'name': 'Ana', 'amount': 6}
    """
    found = max(_pots(view, labels), key=lambda pot: pot[1], default=("", 0))
    return {"name": _short(found[0], _MAX_NAME), "amount": found[1]} if found[1] > 0 else None


def _pots(view: Mapping[str, Any], labels: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    pots = view["table"].get("pots")
    if isinstance(pots, Mapping):
        yield from ((title_of_pot(name), amount) for name, amount in pots.items())
    for name, seat in view["players"].items():
        yield from (
            (labels.get(name, name), value)
            for key, value in seat.items()
            if key.endswith("_pot") and type(value) is int
        )


def _measures(view: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, int]:
    """The players' chips, or points."""
    for values in measure_totals(view).values():
        return {labels[name]: value for name, value in values.items() if name in labels}
    return {}


def _labels(players: Sequence[str]) -> dict[str, str]:
    """What each player is called in a snapshot: shortened, and no two alike.

    >>> list(_labels(["Ana", "A name that is a long one, 1", "A name that is a long one, 2"]).values())
    ['Ana', 'A name that is a long o…', 'A name that is a long…3']
    """
    labels: dict[str, str] = {}
    for n, name in enumerate(players[:_MAX_PLAYERS], 1):
        label = _short(name, _MAX_NAME)
        while label in labels.values():
            label, n = f"{name[: _MAX_NAME - 3]}…{n}", n + 1
        labels[name] = label
    return labels


def _proposal(session: Session) -> Any:
    proposal = session.proposal
    if proposal is None:
        return None
    return _short((sentences(proposal.events) or (intent(proposal.command),))[0], _MAX_TEXT)


def _notices(session: Session) -> list[dict[str, str]]:
    """The referee's call first."""
    ordered = sorted(session.notices.values(), key=lambda notice: notice.code != REFEREE_CALLED)
    return [{"code": notice.code, "text": _short(notice_text(notice), _MAX_TEXT)} for notice in ordered[:_MAX_NOTICES]]


def _short(text: Any, most: int) -> Any:
    return text[: most - 1] + "…" if isinstance(text, str) and len(text) > most else text
