"""One catalogue: what every event and command is called at the table, in words for players.

Every event of every game has one short sentence and, where people would call it out, one word. An event that the
catalogue does not know yet is still told, from its own fields, so that a new game is never silent.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.rules.engine import Command, Event

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
_WON_BY = {
    "hoxla": "with a Hoxla",
    "cards-out": "as the last to lay a card",
    "last-in": "as the last one in",
}
CONNECTIONS = {"dragon": "Dragon", "double-dragon": "Double dragon", "worm": "Worm", "loop": "Loop"}
_INSECTS = {
    "blue": "blue beetle",
    "green": "green beetle",
    "gold": "gold beetle",
    "dung": "dung beetle",
    "leaf": "leaf beetles",
    "stag": "stag beetle",
    "moth": "moth",
}


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


def sentence(event: Event) -> str:
    """One short sentence for the players.

    >>> sentence({"event": "placed", "player": "Ana", "cell": [2, -1], "matched": 2, "call": "Hexel"})
    'Ana lays a card: Hexel, two edges.'
    >>> sentence({"event": "insurance", "from": "Bo", "to": "Ana", "amount": 3})
    'Bo pays Ana 3.'
    >>> sentence({"event": "moon-risen", "player": "Cy"})
    'Cy: moon risen.'
    """
    say = _SENTENCES.get(event["event"])
    return say(event) if say else _by_name(event["event"], event)


def sentences(events: Iterable[Event]) -> tuple[str, ...]:
    """The sentences of several events, in their order."""
    return tuple(sentence(event) for event in events)


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


def intent(command: Command) -> str:
    """What a command would do, before the rules have spoken.

    >>> intent({"cmd": "place", "player": "Ana", "cell": [0, 1], "edges": ["red"] * 6})
    'Ana lays a card.'
    >>> intent({"cmd": "agree-end", "player": "Bo"})
    'Bo agrees to end the game.'
    """
    say = _INTENTS.get(command["cmd"])
    return say(command) if say else _by_name(command["cmd"], command)


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
            return f"It was {new['player']}, not {old['player']}: {new['call']}."
        if old["call"] != new["call"]:
            return f"{new['player']}'s card is {new['call']}, not {old['call']}."
        return f"{new['player']}'s card is another, and still {new['call']}."
    if old["event"] == new["event"] and "amount" in new and old.get("player") == new.get("player"):
        return f"{sentence(new).removesuffix('.')}, not {old['amount'] or 'nothing'}."
    return f"{sentence(new)} That stands instead of: {sentence(old)}"


def no_longer(event: Event) -> str:
    """That something is undone which an event had said."""
    return f"Taken back: {sentence(event)}"


def label(cmd: str) -> str:
    """What a button for a command says.

    >>> label("pass"), label("moon-rise")
    ('Pass', 'Moon rise')
    """
    return _LABELS.get(cmd, cmd.replace("-", " ").capitalize())


def counted(number: int, thing: str) -> str:
    """A small number of things in words.

    >>> counted(1, "edge"), counted(3, "chip"), counted(12, "chip")
    ('one edge', 'three chips', '12 chips')
    """
    word = _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)
    return f"{word} {thing}" if number == 1 else f"{word} {thing}s"


def listed(names: Sequence[str]) -> str:
    """Names as one says them.

    >>> listed(["Ana"]), listed(["Ana", "Bo", "Cy"])
    ('Ana', 'Ana, Bo and Cy')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _by_name(name: str, fields: Mapping[str, Any]) -> str:
    words = name.replace("-", " ")
    return f"{fields['player']}: {words}." if "player" in fields else f"{words.capitalize()}."


def _placed(event: Event) -> str:
    if "call" not in event:
        return f"{event['player']} lays a {'head' if event['class'] == 'head' else 'body'} tile."
    edges = counted(event["matched"], "edge")
    told = event["call"] if event["call"].lower() == edges else f"{event['call']}, {edges}"
    return f"{event['player']} lays a card: {told}."


def _hedged(event: Event) -> str:
    return f"{event['player']} hedges {event['amount'] or 'nothing'}."


def _round_begun(event: Event) -> str:
    if "dealer" not in event:
        return f"Round {event['n']} begins."
    paid = " Everyone pays the ante." if event["ante"] else ""
    return f"Round {event['n']} begins; {event['dealer']} deals{' and calls the Tail' if event['tail'] else ''}.{paid}"


def _out(event: Event) -> str:
    if "to" not in event:
        return f"{event['player']} cannot pay the ante and is out."
    if not event["paid"]:
        return f"{event['player']} has nothing left in the hedge and is out."
    return f"{event['player']} pays {event['to']} the last {event['paid']} and is out."


def _hoxla(event: Event) -> str:
    corners = len(event["corners"])
    where = "one corner" if corners == 1 else f"{counted(corners, 'corner')}"
    return f"Hoxla! {event['player']} closes {where}: six {listed(sorted(set(event['symbols'])))} symbols meet."


def _won(event: Event) -> str:
    winners = [event["player"]] if "player" in event else list(event["players"])
    who, verb = listed(winners), "wins" if len(winners) == 1 else "share the win"
    if "pot" in event:
        pot = "the Tail" if event["pot"] == "tail" else event["pot"]
        if len(winners) > 1:
            return f"{who} share {pot}: {event['amount']} each."
        return f"{who} takes {pot}: {event['amount']}."
    if "by" in event:
        return f"{who} wins {event['amount']} {_WON_BY.get(event['by'], '')}".rstrip() + "."
    return f"{who} {verb}."


def _warning(event: Event) -> str:
    if event["code"] == "duplicate-card":
        return "The same face lies on the table twice: please look."
    return f"Please look: {event['code'].replace('-', ' ')}."


def _connection(event: Event) -> str:
    scores = " and ".join(f"{points} to {name}" for name, points in event["scores"].items())
    return f"{CONNECTIONS[event['kind']]} of {event['length']}: {scores}."


def _ended(event: Event) -> str:
    first = event["ranking"][0]
    return f"The game is over. {listed(first)} {'wins' if len(first) == 1 else 'share the win'}."


def _scored(event: Event) -> str:
    if "scores" in event:
        return "Final count: " + ", ".join(f"{name} {parts['total']}" for name, parts in event["scores"].items()) + "."
    pot = "the Tail" if event["pot"] == "tail" else event["pot"]
    return f"{event['player']} scores {event['score']} for {pot}."


def _played(event: Event) -> str:
    covered = [_INSECTS.get(kind, kind) for kind in event["covered"]]
    over = f" over {listed(covered)}" if covered else ""
    change = f"{event['change']:+d}".replace("-", "−") if event["change"] else "no change"
    return f"{event['player']} lays a card{over}: {change}, now {event['points']}."


_SENTENCES: Mapping[str, Callable[[Event], str]] = {
    "line-laid": lambda e: "The first three cards are down.",
    "stake-set": lambda e: f"{e['player']} sets the stake at {e['amount']}.",
    "hedged": _hedged,
    "round-begun": _round_begun,
    "placed": _placed,
    "passed": lambda e: f"{e['player']} passes.",
    "warning": _warning,
    "hoxla": _hoxla,
    "insurance": lambda e: f"{e['from']} pays {e['to']} {e['amount']}.",
    "out": _out,
    "won": _won,
    "hedges-returned": lambda e: "The cards have run out and every hedge goes back to its owner.",
    "dealt": lambda e: f"{counted(e['each'], 'card').capitalize()} each are dealt; {e['cards_left']} left.",
    "game-begun": lambda e: f"A new game: {e['dealer']} deals.",
    "connection": _connection,
    "starred": lambda e: f"{e['player']} puts down the star.",
    "skipped": lambda e: f"{e['player']} cannot lay and skips.",
    "agreed": lambda e: f"{e['player']} agrees to end the game.",
    "ended": _ended,
    "reserved": lambda e: f"{e['player']} puts a card aside.",
    "set-laid": lambda e: f"{e['player']} lays a set against {'the Tail' if e['pot'] == 'tail' else e['pot']}.",
    "scored": _scored,
    "hands": lambda e: "Next hands: " + ", ".join(f"{name} {size}" for name, size in e["hands"].items()) + ".",
    "played": _played,
    "coin-spent": lambda e: f"{e['player']} spends a coin; {counted(e['left'], 'coin')} left.",
    "turn-ended": lambda e: f"{e['player']} ends the turn.",
    "spider-revealed": lambda e: f"{e['player']} turns up the Spider: the game is nearly over.",
}

_INTENTS: Mapping[str, Callable[[Command], str]] = {
    "line": lambda c: "The first three cards.",
    "stake": lambda c: f"{c['player']} sets the stake at {c['amount']}.",
    "hedge": lambda c: f"{c['player']} hedges {c['amount']}.",
    "place": lambda c: f"{c['player']} lays a {'tile' if 'tile' in c else 'card'}.",
    "pass": lambda c: f"{c['player']} passes.",
    "next-game": lambda c: "The next game.",
    "star": lambda c: f"{c['player']} puts down the star.",
    "skip": lambda c: f"{c['player']} skips.",
    "agree-end": lambda c: f"{c['player']} agrees to end the game.",
    "round": lambda c: f"{c['player']} deals{' and calls the Tail' if c.get('tail') else ''}.",
    "set": lambda c: f"{c['player']} lays a set against {'the Tail' if c['pot'] == 'tail' else c['pot']}.",
    "reserve": lambda c: f"{c['player']} puts a card aside.",
    "reveal": lambda c: "All sets are turned up.",
    "stop": lambda c: "The game ends here.",
    "play": lambda c: f"{c['player']} lays a card.",
    "coin": lambda c: f"{c['player']} spends a coin.",
    "end": lambda c: f"{c['player']} ends the turn.",
    "spider": lambda c: f"{c['player']} turns up the Spider.",
}

_LABELS = {
    "stake": "Set the stake",
    "hedge": "Hedge",
    "pass": "Pass",
    "next-game": "Next game",
    "skip": "Skip",
    "agree-end": "Agree to end",
    "round": "Deal a round",
    "reserve": "Put a card aside",
    "reveal": "Turn up the sets",
    "stop": "End the game",
    "coin": "Spend a coin",
    "end": "End the turn",
    "spider": "The Spider is up",
}

_WEIGHT_MOVE, _WEIGHT_CALL, _WEIGHT_WON, _WEIGHT_HOXLA = range(4)


def _called(event: Event) -> tuple[int, str] | None:
    match event["event"]:
        case "hoxla":
            return _WEIGHT_HOXLA, "Hoxla"
        case "won" if "pot" not in event:
            return _WEIGHT_WON, f"{listed([event['player']] if 'player' in event else event['players'])} wins"
        case "ended":
            return _WEIGHT_WON, f"{listed(event['ranking'][0])} wins"
        case "connection":
            return _WEIGHT_CALL, CONNECTIONS[event["kind"]]
        case "spider-revealed":
            return _WEIGHT_CALL, "Spider"
        case "passed":
            return _WEIGHT_MOVE, "Pass"
        case _ if "call" in event:
            return _WEIGHT_CALL, str(event["call"])
    return None
