"""What players may be proud of, or not, read off the events: how often something happened, and the best of a kind.

One catalogue of events, as `phrases` is one; an event that it does not know is no feat.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from companion.rules.engine import Event
from companion.views.words import connection, knows, phrase


@dataclass(frozen=True, slots=True)
class Count:
    """Something that happened to a player, or so much of it."""

    player: str
    what: str
    amount: int = 1


@dataclass(frozen=True, slots=True)
class Best:
    """One of a kind of which the greatest is kept.

    Attributes:
        kind: such as ``Best set``, as people are told it.
        weight: what makes one better than another.
        text: the thing itself, such as ``Hexven``.
    """

    player: str
    kind: str
    weight: int
    text: str


Feat = Count | Best

_HOXLA = 7
"""A Hoxla is above every number of edges."""


def feats(event: Event) -> Iterator[Feat]:
    """What an event says of players.

    >>> list(feats({"event": "passed", "player": "Bo"}))
    [Count(player='Bo', what='Passes', amount=1)]
    """
    find_feats = _CATALOGUE.get(event["event"])
    if find_feats is not None:
        yield from find_feats(event)


def _placed(event: Event) -> Iterator[Feat]:
    if "call" in event:
        weight = _HOXLA if event["call"] == "Hoxla" else event["matched"]
        yield Count(event["player"], event["call"])
        yield Best(event["player"], _name("best-call"), weight, event["call"])


def _insurance(event: Event) -> Iterator[Feat]:
    yield Count(event["from"], _name("insurance-paid"), event["amount"])
    yield Count(event["to"], _name("insurance-received"), event["amount"])


def _out(event: Event) -> Iterator[Feat]:
    """In some games whoever goes out pays what there is, in others nothing."""
    yield Count(event["player"], _name("out"))
    if event.get("paid"):
        yield Count(event["player"], _name("insurance-paid"), event["paid"])
        yield Count(event["to"], _name("insurance-received"), event["paid"])


def _won(event: Event) -> Iterator[Feat]:
    if knows("feats", f"won-{event.get('by')}"):
        yield Count(event["player"], _name(f"won-{event['by']}"))
    if "pot" in event:
        for player in event["players"]:
            yield Count(player, _name("pots-won"))
            yield Count(player, _name("pots-chips"), event["amount"])


def _connection(event: Event) -> Iterator[Feat]:
    word = connection(event["kind"])
    for player, points in event["scores"].items():
        yield Count(player, phrase("feats", "connections", kind=word))
        text = phrase("feats", "connection", kind=word, length=event["length"])
        yield Best(player, _name("best-connection"), points, text)


def _scored(event: Event) -> Iterator[Feat]:
    if "pot" in event:
        yield Best(event["player"], _name("best-set"), event["score"], str(event["score"]))


def _played(event: Event) -> Iterator[Feat]:
    yield Count(event["player"], _name("played"))
    yield Best(event["player"], _name("best-card"), event["change"], f"{event['change']:+d}".replace("-", "−"))


def _counted(event: Event) -> Iterator[Feat]:
    """What is counted under the event's own name."""
    yield Count(event["player"], _name(event["event"]))


def _name(feat: str) -> str:
    return phrase("feats", feat)


_CATALOGUE: Mapping[str, Callable[[Event], Iterator[Feat]]] = {
    "placed": _placed,
    "passed": _counted,
    "insurance": _insurance,
    "out": _out,
    "won": _won,
    "connection": _connection,
    "starred": _counted,
    "skipped": _counted,
    "reserved": _counted,
    "set-laid": _counted,
    "scored": _scored,
    "played": _played,
    "coin-spent": _counted,
    "spider-revealed": _counted,
}
