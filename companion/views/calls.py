"""What people would call out after a move: one word, the weightiest of what the move brought."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from companion.rules.engine import Event
from companion.views.naming import connection, listed
from companion.views.phrases import sentence
from companion.views.words import phrase

_WEIGHT_MOVE, _WEIGHT_CALL, _WEIGHT_WON, _WEIGHT_HOXLA = range(4)


@dataclass(frozen=True, slots=True)
class Call:
    """What is called out after a move, large on the page and loud from the speaker.

    Attributes:
        word: the call itself, such as ``Hexel``.
        player: who made it, or None.
        sentence: the sentence of the event it belongs to.
    """

    word: str
    player: str | None
    sentence: str

    def as_json(self) -> dict[str, Any]:
        """The call as the page reads it."""
        return {"word": self.word, "player": self.player, "sentence": self.sentence}


def call(events: Sequence[Event]) -> Call | None:
    """The call that one command's events deserve: the weightiest word among them, the later of two alike.

    >>> call([{"event": "placed", "player": "Ana", "matched": 1, "call": "Hexba"}]).word
    'Hexba'
    >>> call([{"event": "line-laid"}]) is None
    True
    """
    best: tuple[int, Call] | None = None
    for event in events:
        found = _called(event)
        if found and (best is None or found[0] >= best[0]):
            best = found[0], Call(found[1], event.get("player"), sentence(event))
    return best[1] if best else None


def _called(event: Event) -> tuple[int, str] | None:
    match event["event"]:
        case "hoxla":
            return _WEIGHT_HOXLA, phrase("calls", "hoxla")
        case "won" if "pot" not in event:
            winners = [event["player"]] if "player" in event else event["players"]
            return _WEIGHT_WON, phrase("calls", "won", players=listed(winners))
        case "ended":
            return _WEIGHT_WON, phrase("calls", "won", players=listed(event["ranking"][0]))
        case "connection":
            return _WEIGHT_CALL, connection(event["kind"])
        case "spider-revealed":
            return _WEIGHT_CALL, phrase("calls", "spider")
        case "passed":
            return _WEIGHT_MOVE, phrase("calls", "pass")
        case _ if "call" in event:
            return _WEIGHT_CALL, str(event["call"])
    return None
