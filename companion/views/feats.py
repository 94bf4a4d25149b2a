"""What players may be proud of, or not, read off the events: how often something happened, and the best of a kind.

One catalogue of events, as `phrases` is one; an event that it does not know is no feat.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from companion.rules.engine import Event
from companion.views.phrases import connection


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
        kind: such as ``Best set``.
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
_WON_BY = {
    "hoxla": "Wins with a Hoxla",
    "cards-out": "Wins when the cards ran out",
    "last-in": "Wins as the last one in",
}


def feats(event: Event) -> Iterator[Feat]:
    """What an event says of players.

    >>> list(feats({"event": "passed", "player": "Bo"}))
    [Count(player='Bo', what='Passes', amount=1)]
    """
    told = _CATALOGUE.get(event["event"])
    if told is not None:
        yield from told(event)


def _placed(event: Event) -> Iterator[Feat]:
    if "call" in event:
        weight = _HOXLA if event["call"] == "Hoxla" else event["matched"]
        yield Count(event["player"], event["call"])
        yield Best(event["player"], "Best call", weight, event["call"])


def _insurance(event: Event) -> Iterator[Feat]:
    yield Count(event["from"], "Insurance paid", event["amount"])
    yield Count(event["to"], "Insurance received", event["amount"])


def _out(event: Event) -> Iterator[Feat]:
    """In some games whoever goes out pays what there is, in others nothing."""
    yield Count(event["player"], "Times out")
    if event.get("paid"):
        yield Count(event["player"], "Insurance paid", event["paid"])
        yield Count(event["to"], "Insurance received", event["paid"])


def _won(event: Event) -> Iterator[Feat]:
    if event.get("by") in _WON_BY:
        yield Count(event["player"], _WON_BY[event["by"]])
    if "pot" in event:
        for player in event["players"]:
            yield Count(player, "Pots won")
            yield Count(player, "Chips from pots", event["amount"])


def _connection(event: Event) -> Iterator[Feat]:
    word = connection(event["kind"])
    for player, points in event["scores"].items():
        yield Count(player, f"{word}s")
        yield Best(player, "Best connection", points, f"{word} of {event['length']}")


def _scored(event: Event) -> Iterator[Feat]:
    if "pot" in event:
        yield Best(event["player"], "Best set", event["score"], str(event["score"]))


def _played(event: Event) -> Iterator[Feat]:
    yield Count(event["player"], "Cards laid")
    yield Best(event["player"], "Best card", event["change"], f"{event['change']:+d}".replace("-", "−"))


def _counted(what: str) -> Callable[[Event], Iterator[Feat]]:
    return lambda event: iter((Count(event["player"], what),))


_CATALOGUE: Mapping[str, Callable[[Event], Iterator[Feat]]] = {
    "placed": _placed,
    "passed": _counted("Passes"),
    "insurance": _insurance,
    "out": _out,
    "won": _won,
    "connection": _connection,
    "starred": _counted("Stars put down"),
    "skipped": _counted("Skips"),
    "reserved": _counted("Cards put aside"),
    "set-laid": _counted("Sets laid"),
    "scored": _scored,
    "played": _played,
    "coin-spent": _counted("Coins spent"),
    "spider-revealed": _counted("Spiders turned up"),
}
