"""How a table stands, small enough to be retained for everybody: below 2 kB and without pictures.

No game is known by name: turn, players and pots are read off the game's own view.
"""

import json
from collections.abc import Iterator, Mapping
from types import NoneType
from typing import Any

from companion.hub.messages import MAX_SNAPSHOT_BYTES, Position, Unreadable, decode, encode
from companion.referee.messages import REFEREE_CALLED
from companion.referee.session import Session
from companion.views.archive.measures import measured
from companion.views.calls import call
from companion.views.phrases import intent, noticed, sentences

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
_OPTIONAL = ("said", "notices", "measures", "players")
"""What is left out, in this order, of a snapshot that would be too large."""


def snapshot(session: Session, position: Position | None, camera: str) -> dict[str, Any]:
    """A table's snapshot.

    ``{"game", "line"}`` of the newest event, ``{"kind", "players", "phase", "turn", "moves"}``, the last call as
    ``call``, its sentence as ``said``, ``pot`` with the biggest one, ``measures`` with chips or points by player,
    ``proposal`` with the sentence of a waiting one, ``notices``, ``camera``, and ``over`` with the game's result.
    """
    view = session.game.view(session.state)
    last = session.moves[-1].events if session.moves else ()
    called = call(last)
    return {
        "game": position.game if position else None,
        "line": position.line if position else 0,
        "kind": session.header.game,
        "players": [_short(name, _MAX_NAME) for name in session.header.players[:_MAX_PLAYERS]],
        "phase": view["phase"],
        "turn": _short(view["turn"], _MAX_NAME),
        "moves": len(session.moves),
        "call": called and {"word": called.word, "player": _short(called.player, _MAX_NAME)},
        "said": _short(" ".join(sentences(last)), _MAX_TEXT),
        "pot": biggest_pot(view),
        "measures": _measures(view),
        "proposal": _proposal(session),
        "notices": _notices(session),
        "camera": camera,
        "over": view["result"] is not None,
        "amended": len(session.amendments),
        "version": session.version,
    }


def payload(told: Mapping[str, Any]) -> bytes:
    """A snapshot's bytes, 2 kB at most: what is too much is left out, the least important first."""
    told = dict(told)
    for name in _OPTIONAL:
        if len(data := encode(told)) <= MAX_SNAPSHOT_BYTES:
            return data
        told[name] = type(told[name])()
    return encode(told)


def read_snapshot(payload: bytes) -> dict[str, Any]:
    """The snapshot that a message carries. Raises `Unreadable` where it is none of this version."""
    told = decode(payload, MAX_SNAPSHOT_BYTES)
    for name, kinds in _KINDS.items():
        if not isinstance(told.get(name), kinds):
            raise Unreadable(f"a snapshot whose {name} is {json.dumps(told.get(name))[:40]}")
    pot, called = told["pot"] or {"name": "", "amount": 0}, told["call"] or {"word": ""}
    is_whole = (
        all(isinstance(notice, dict) and isinstance(notice.get("code"), str) for notice in told["notices"])
        and all(isinstance(name, str) for name in told["players"])
        and all(type(value) is int for value in told["measures"].values())
        and (type(pot.get("amount")), type(pot.get("name"))) == (int, str)
        and isinstance(called.get("word"), str)
    )
    if not is_whole:
        raise Unreadable("a snapshot with notices, players, a pot or a call that are none")
    return told


def biggest_pot(view: Mapping[str, Any]) -> dict[str, Any] | None:
    """The pot of a view that holds the most; None where the game has none, or none holds anything.

    >>> biggest_pot({"table": {"pots": {"Vain": 40, "tail": 10}}, "players": {"Ana": {"hand_pot": 6}}})
    {'name': 'Vain', 'amount': 40}
    >>> biggest_pot({"table": {}, "players": {"Ana": {"hand_pot": 6}}})
    {'name': 'Ana', 'amount': 6}
    """
    found = max(_pots(view), key=lambda pot: pot[1], default=("", 0))
    return {"name": _short(found[0], _MAX_NAME), "amount": found[1]} if found[1] > 0 else None


def _pots(view: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    pots = view["table"].get("pots")
    if isinstance(pots, Mapping):
        yield from pots.items()
    for name, seat in view["players"].items():
        yield from ((name, value) for key, value in seat.items() if key.endswith("_pot") and type(value) is int)


def _measures(view: Mapping[str, Any]) -> dict[str, int]:
    """Chips, or points, of each player."""
    for values in measured(view).values():
        return {_short(name, _MAX_NAME): value for name, value in list(values.items())[:_MAX_PLAYERS]}
    return {}


def _proposal(session: Session) -> Any:
    waiting = session.proposal
    if waiting is None:
        return None
    return _short((sentences(waiting.events) or (intent(waiting.command),))[0], _MAX_TEXT)


def _notices(session: Session) -> list[dict[str, str]]:
    """The referee's call first."""
    ordered = sorted(session.notices.values(), key=lambda notice: notice.code != REFEREE_CALLED)
    return [{"code": notice.code, "text": _short(noticed(notice), _MAX_TEXT)} for notice in ordered[:_MAX_NOTICES]]


def _short(text: Any, most: int) -> Any:
    return text[: most - 1] + "…" if isinstance(text, str) and len(text) > most else text
