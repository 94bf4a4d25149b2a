"""Why: what a move meant by the rules, and why the rules said no, in the table's own words where it has some.

The rules say both themselves, in English; the catalogue takes that as it is, unless a table's file says it otherwise.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from companion.referee.session import Session
from companion.rules.engine import Event
from companion.rules.wording import at
from companion.views.words import connection, counted, knows, listed, may_use, phrase, pot


def explanations(session: Session, state: Any, events: Iterable[Event]) -> list[str]:
    """Why each event came about; ``state`` is the one before them."""
    return [explanation(session.header.game, event, session.game.explain(state, event)) for event in events]


def explanation(game: str, event: Event, text: str) -> str:
    """Why an event came about, which the rules put as ``text``.

    >>> explanation("hexel", {"event": "passed", "player": "Bo"}, "Bo passes: no edge.")
    'Bo passes: no edge.'
    """
    name = f"{game}-{event['event']}"
    if not knows("why", name):
        return text
    return phrase("why", name, text=text, **_shown(event, may_use("why", name)))


def refusal_for_people(refusal: Mapping[str, Any]) -> dict[str, Any]:
    """An error as programs read it, with the message that people are to read.

    >>> refusal_for_people({"code": "cell-taken", "message": "a card lies at (0, 0) already"})["message"]
    'That place is taken.'
    """
    code = str(refusal["code"])
    if not knows("refusals", code):
        return dict(refusal)
    fields = _shown(refusal, (name for name in may_use("refusals", code) if name in refusal))
    return {**refusal, "message": phrase("refusals", code, text=refusal["message"], **fields)}


def _shown(event: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
    return {name: _AS_TEXT.get(name, _as_text)(event[name]) for name in names}


def _as_text(value: Any) -> str:
    return listed(list(dict.fromkeys(value))) if isinstance(value, list | tuple) else str(value)


def _edges(edges: Sequence[int]) -> str:
    return listed([phrase("names", f"edge-{direction}") for direction in edges])


_AS_TEXT: Mapping[str, Callable[[Any], str]] = {
    "cell": at,
    "same_as": at,
    "edges": _edges,
    "matched": lambda matched: counted(matched, "edge"),
    "pot": pot,
    "kind": connection,
    "by": lambda by: phrase("names", f"by-{by}"),
    "ranking": lambda ranking: ", ".join(map(_as_text, ranking)),
    "ante": lambda ante: _as_text(ante) if ante else "",
    "refusal": lambda refusal: str(refusal_for_people(refusal)["message"]),
}
"""The fields that stand otherwise in a sentence than in an event."""
