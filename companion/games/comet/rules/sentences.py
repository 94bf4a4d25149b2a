"""Comet's events as sentences for the table: what happened, why each chip moved, and the rule it comes from."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from companion.games.comet.rules.scoring import ACE, Card, write_card
from companion.games.comet.rules.state import HAND, TAIL, House, State
from companion.rules.engine import Event
from companion.rules.wording import chips, names, places

_GROWTH = {"sets": "valid set laid", "pots": "pot won"}


def explain(state: State, event: Event) -> str:
    """One sentence for the table: what the event means and the rule it comes from; ``state`` is the one before."""
    return _SENTENCES[event["event"]](state, event)


def _begun(state: State, event: Event) -> str:
    """Who paid what into which pots, and why."""
    paid = _ante(state.house, event["ante"])
    if not event["tail"]:
        return f"Round {event['n']}: {event['dealer']} deals; {paid}."
    call = f"{event['dealer']} calls the Tail and pays {state.house.tail_call}, twice the ante, into it"
    return f"Round {event['n']}: {event['dealer']} deals; {paid}; {call}, and only the Tail is played."


def _ante(house: House, payers: Sequence[str]) -> str:
    if not payers:
        return "no ante is due until everyone still in has dealt"
    due = "in every round" if house.ante_every == "round" else "each time everyone has dealt"
    return (
        f"{names(payers)} each pay the ante of {house.ante}, {house.pot_share} into each table pot and "
        f"{house.tail_share} into the Tail, due at first and {due}"
    )


def _out(state: State, event: Event) -> str:
    name = event["player"]
    has = state.stock(name)
    return f"{name} is out with {chips(has)}: whoever lacks the ante of {state.house.ante} when a round begins leaves."


def _laid(_: State, event: Event) -> str:
    return f"{event['player']} lays a set face down against {_pot(event['pot'])}; it is scored when all are revealed."


def _reserved(_: State, event: Event) -> str:
    return f"{event['player']} keeps a card, as each may once a round: it comes to the hand when the Tail is called."


def _scored(_: State, event: Event) -> str:
    shown = f"{event['player']} shows {_faces(event['cards'])} against {_pot(event['pot'])}"
    if not event["lines"]:
        return f"{shown}: no three numbers are equal or in sequence, so it scores 0."
    counted = Counter(tuple(line) for line in event["lines"])
    lines = ", ".join(_line(line, times) for line, times in counted.items())
    return f"{shown}: {lines}; the lines add up to {event['score']}."


def _won(state: State, event: Event) -> str:
    """Who takes how much, and what made it the highest score."""
    winners, pot, amount = event["players"], _pot(event["pot"]), chips(event["amount"])
    sums = " in all" if event["pot"] == TAIL else ""
    if not state.in_pot(event["pot"]):
        return f"{names(winners)} would take {pot} with the highest score, {event['score']}{sums}, but it is empty."
    if len(winners) == 1:
        return f"{winners[0]} takes {amount} from {pot} with the highest score, {event['score']}{sums}."
    odd = f", and {chips(event['left'])} too odd to split stays" if event["left"] else ""
    return f"{names(winners)} share {pot} with {event['score']}{sums} each and take {amount} each{odd}."


def _hands(state: State, event: Event) -> str:
    hands = ", ".join(f"{name} {size}" for name, size in event["hands"].items())
    return (
        f"Hands for the next round: {hands}; that is {HAND}, and one more for each {_GROWTH[state.house.hand_growth]}."
    )


def _ended(_: State, event: Event) -> str:
    ranking = places(event["ranking"])
    if "last" in event:
        last, amount = event["last"], chips(event["amount"])
        return f"{last} alone is left and takes all seven pots, {amount}; the ranking by chips is {ranking}."
    return f"The game is over, and what lies in the pots counts for nobody; the ranking by chips is {ranking}."


_SENTENCES: Mapping[str, Callable[[State, Event], str]] = {
    "round-begun": _begun,
    "out": _out,
    "set-laid": _laid,
    "reserved": _reserved,
    "scored": _scored,
    "won": _won,
    "hands": _hands,
    "ended": _ended,
}


def _line(line: Sequence[int], times: int) -> str:
    """A line, what it is worth, and how often it was found.

    >>> _line((4, 5, 6), 3), _line((12, 13, 14), 1)
    ('4-5-6 (15) 3 times', '12-13-A (39)')
    """
    # the Ace that counts 1 is an Ace too
    numbers = "-".join("A" if number in (1, ACE) else str(number) for number in line)
    return f"{numbers} ({sum(line)})" + (f" {times} times" if times > 1 else "")


def _faces(cards: Sequence[Card]) -> str:
    return " ".join(map(write_card, cards))


def _pot(pot: str) -> str:
    return "the Tail" if pot == TAIL else pot
