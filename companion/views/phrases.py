"""What every event and command is at the table, in words for players, and what is called out after a move.

The words stand in the catalogue. Every event of every game has one short sentence. One that the catalogue does not
know yet is still told, from its own fields, so that a new game is never silent.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from companion.referee.messages import Notice
from companion.rules.engine import Command, Event
from companion.views.words import capitalize, connection, counted, isolate, knows, listed, phrase, pot


def sentence(event: Event) -> str:
    """One short sentence for the players.

    >>> sentence({"event": "placed", "player": "Ana", "cell": [2, -1], "matched": 2, "call": "Hexel"})
    'Ana lays a card: Hexel, two edges.'
    >>> sentence({"event": "insurance", "from": "Bo", "to": "Ana", "amount": 3})
    'Bo pays Ana 3.'
    >>> sentence({"event": "moon-risen", "player": "Cy"})
    'Cy: moon risen.'
    """
    name = event["event"]
    if say := _SENTENCES.get(name):
        return say(event)
    return phrase("events", name, **_texts(event)) if knows("events", name) else _by_name(name, event)


def sentences(events: Iterable[Event]) -> tuple[str, ...]:
    """The sentences of several events, in their order."""
    return tuple(sentence(event) for event in events)


def outcomes_first(events: Iterable[Event]) -> list[Event]:
    """A move's events with what came of it before how that was reckoned: a place that is too small cuts the last off.

    >>> won, scored = {"event": "won", "pot": "Vain"}, {"event": "scored", "pot": "Vain"}
    >>> [event["event"] for event in outcomes_first([scored, won])]
    ['won', 'scored']
    """
    return sorted(events, key=lambda event: event["event"] in _RECKONING)


def intent(command: Command) -> str:
    """What a command would do, before the rules have spoken.

    >>> intent({"cmd": "place", "player": "Ana", "cell": [0, 1], "edges": ["red"] * 6})
    'Ana lays a card.'
    >>> intent({"cmd": "agree-end", "player": "Bo"})
    'Bo agrees to end the game.'
    """
    name = command["cmd"]
    if (variant := _VARIANTS.get(name)) and variant[0](command):
        name = variant[1]
    return phrase("intents", name, **_texts(command)) if knows("intents", name) else _by_name(name, command)


def notice_text(notice: Notice) -> str:
    """What people are told by a notice.

    >>> notice_text(Notice("dark", "it is too dark to see the table"))
    'It is too dark to see the table'
    """
    text = capitalize(notice.text or "")
    return phrase("notices", notice.code, text=text) if knows("notices", notice.code) else text


def is_aloud(notice: Notice) -> bool:
    """Whether a notice is also said, not only shown: not what comes and goes with every hand."""
    return notice.text is not None and notice.code not in _SHOWN_ONLY and not notice.code.startswith(CAPTION)


def is_calm(notice: Notice) -> bool:
    """Whether a notice only says what goes on, and nothing is wrong."""
    return notice.code in _CALM or notice.code.startswith(CAPTION)


def instead(was: Sequence[Event], now: Sequence[Event]) -> str:
    """What one move turned out to be, when it is not what it was taken for.

    >>> laid = {"event": "placed", "player": "Bo", "matched": 2, "call": "Hexel"}
    >>> instead([laid], [{**laid, "matched": 1, "call": "Hexba"}])
    "Bo's card is Hexba, not Hexel."
    >>> instead([laid], [{**laid, "player": "Ana"}])
    'It was Ana, not Bo: Hexel.'
    >>> staked = {"event": "stake-set", "player": "Ana", "amount": 3}
    >>> instead([staked], [{**staked, "amount": 5}])
    'Ana sets the stake at 5, not 3.'
    """
    old, new = was[0], now[0]
    if "call" in old and "call" in new:
        if old["player"] != new["player"]:
            return phrase("changes", "was-by", now=new["player"], was=old["player"], call=new["call"])
        if old["call"] != new["call"]:
            return phrase("changes", "now-called", player=new["player"], now=new["call"], was=old["call"])
        return phrase("changes", "still-called", player=new["player"], call=new["call"])
    if old["event"] == new["event"] and "amount" in new and old.get("player") == new.get("player"):
        was_amount = old["amount"] or phrase("changes", "nothing")
        return phrase("changes", "amount", now=sentence(new).removesuffix("."), was=was_amount)
    return phrase("changes", "instead", now=sentence(new), was=sentence(old))


def no_longer(event: Event) -> str:
    """That something is undone which an event had said."""
    return phrase("changes", "no-longer", said=sentence(event))


def label(cmd: str) -> str:
    """What a button for a command says.

    >>> label("pass"), label("moon-rise")
    ('Pass', 'Moon rise')
    """
    return phrase("labels", cmd) if knows("labels", cmd) else cmd.replace("-", " ").capitalize()


def _by_name(name: str, fields: Mapping[str, Any]) -> str:
    words = name.replace("-", " ")
    if "player" in fields:
        return phrase("events", "unknown-by", player=fields["player"], words=words)
    return phrase("events", "unknown", words=words.capitalize())


def _texts(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as phrases use them: a pot by its name."""
    return {**fields, "pot": pot(fields["pot"])} if "pot" in fields else dict(fields)


def _placed(event: Event) -> str:
    if "call" not in event:
        return phrase("events", "placed-head" if event["class"] == "head" else "placed-body", player=event["player"])
    edges = counted(event["matched"], "edge")
    name = "placed-called" if event["call"].lower() == edges else "placed"
    return phrase("events", name, player=event["player"], call=event["call"], edges=edges)


def _hedged(event: Event) -> str:
    return phrase("events", "hedged" if event["amount"] else "hedged-nothing", **event)


def _round_begun(event: Event) -> str:
    if "dealer" not in event:
        return phrase("events", "round-begun", **event)
    text = phrase("events", "round-tail" if event["tail"] else "round-dealt", **event)
    return text + (phrase("events", "ante") if event["ante"] else "")


def _out(event: Event) -> str:
    if "to" not in event:
        return phrase("events", "out-ante", player=event["player"])
    if not event["paid"]:
        return phrase("events", "out-broke", player=event["player"])
    return phrase("events", "out-paying", player=event["player"], to=event["to"], amount=event["paid"])


def _insurance(event: Event) -> str:
    return phrase("events", "insurance", payer=event["from"], to=event["to"], amount=event["amount"])


def _hoxla(event: Event) -> str:
    symbols = listed(sorted(set(event["symbols"])))
    corners = counted(len(event["corners"]), "corner")
    return phrase("events", "hoxla", player=event["player"], corners=corners, symbols=symbols)


def _won(event: Event) -> str:
    winners = [event["player"]] if "player" in event else list(event["players"])
    is_shared, fields = len(winners) > 1, {"players": listed(winners), "amount": event.get("amount")}
    if "pot" in event:
        return phrase("events", "won-pot-shared" if is_shared else "won-pot", pot=pot(event["pot"]), **fields)
    if "by" not in event:
        return phrase("events", "won-shared" if is_shared else "won", **fields)
    if not knows("names", f"by-{event['by']}"):
        return phrase("events", "won-amount", **fields)
    by = phrase("names", f"by-{event['by']}")
    return phrase("events", "won-amount-by" if event.get("amount") else "won-by", by=by, **fields)


def _warning(event: Event) -> str:
    if event["code"] == "duplicate-card":
        return phrase("events", "warning-duplicate")
    return phrase("events", "warning", words=event["code"].replace("-", " "))


def _dealt(event: Event) -> str:
    return phrase("events", "dealt", cards=capitalize(counted(event["each"], "card")), left=event["cards_left"])


def _connection(event: Event) -> str:
    points = [phrase("events", "points", points=points, player=name) for name, points in event["scores"].items()]
    return phrase(
        "events",
        "connection",
        connection=connection(event["kind"]),
        length=event["length"],
        scores=listed(points),
    )


def _ended(event: Event) -> str:
    first = event["ranking"][0]
    return phrase("events", "ended" if len(first) == 1 else "ended-shared", players=listed(first))


def _scored(event: Event) -> str:
    if "scores" in event:
        totals = ", ".join(f"{isolate(name)} {parts['total']}" for name, parts in event["scores"].items())
        return phrase("events", "counted", scores=totals)
    return phrase("events", "scored", **_texts(event))


def _hands(event: Event) -> str:
    return phrase(
        "events", "hands", hands=", ".join(f"{isolate(name)} {size}" for name, size in event["hands"].items())
    )


def _played(event: Event) -> str:
    covered = [phrase("names", kind) if knows("names", kind) else kind for kind in event["covered"]]
    change = f"{event['change']:+d}".replace("-", "−") if event["change"] else phrase("events", "no-change")
    fields = {"player": event["player"], "change": change, "points": event["points"]}
    if not covered:
        return phrase("events", "played", **fields)
    return phrase("events", "played-over", covered=listed(covered), **fields)


_SENTENCES: Mapping[str, Callable[[Event], str]] = {
    "hedged": _hedged,
    "round-begun": _round_begun,
    "placed": _placed,
    "warning": _warning,
    "hoxla": _hoxla,
    "insurance": _insurance,
    "out": _out,
    "won": _won,
    "dealt": _dealt,
    "connection": _connection,
    "ended": _ended,
    "scored": _scored,
    "hands": _hands,
    "played": _played,
    "coin-spent": lambda e: phrase("events", "coin-spent", player=e["player"], coins=counted(e["left"], "coin")),
}
"""The events whose sentence depends on more than what stands in their fields."""

_VARIANTS: Mapping[str, tuple[Callable[[Command], bool], str]] = {
    "place": (lambda command: "tile" in command, "place-tile"),
    "round": (lambda command: bool(command.get("tail")), "round-tail"),
}
"""The commands that are said otherwise in some cases."""

CAPTION = "demo-"
"""How the codes of what a demo tells of itself begin."""

_RECKONING = ("scored", "hands")
"""What came of a move is told before these."""
_CALM = (
    "settling",
    "hand-resting",
    "light-back",
    "table-found",
    "camera-off",
    "camera-unused",
    "camera-ended",
    "left-lying",
)
"""What is no alarm: hands at work, what has come right, what somebody chose."""

_SHOWN_ONLY = (
    *("settling", "card-missing", "left-lying", "camera-off", "camera-unused", "camera-ended"),
    *("clock-back", "journal-torn"),
)


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
        return asdict(self)


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
