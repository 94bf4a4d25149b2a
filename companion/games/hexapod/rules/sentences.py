"""Hexapod's events as sentences for the table: what happened, what each point is for, and the rule it comes from."""

from collections.abc import Callable, Mapping

from companion.games.hexapod.rules.cases import read_card
from companion.games.hexapod.rules.state import COIN_WORTH, State
from companion.rules.engine import Event
from companion.rules.wording import names

_INSECTS = {
    "blue": "blue beetle",
    "green": "green beetle",
    "gold": "gold beetle",
    "dung": "dung beetle",
    "leaf": "couple of leaf beetles",
    "stag": "stag beetle",
    "moth": "moth",
}
_PARTS = {
    "blue": "for runs of blue beetles, 1 for each in a run of two or more",
    "green": "for runs of green beetles, 2 for each",
    "gold": "for runs of gold beetles, 3 for each",
    "leaf": "for leaf beetles, 1 for each couple and 1 for each couple beside it",
    "stag": "for stag beetles, 5 each",
    "moth": "for moths, 5 each",
    "coins": f"for coins left, {COIN_WORTH} each",
}


def explain(state: State, event: Event) -> str:
    """One sentence for the table: what the event means and the rule it comes from; ``state`` is the one before."""
    return _SENTENCES[event["event"]](state, event)


def _played(state: State, event: Event) -> str:
    """Why the card may lie there, and how the case's points moved by kind."""
    matched = names([f"a {_INSECTS[kind]}" for kind in event["covered"]])
    like = " with its like" if len(event["covered"]) == 1 else ", each with its like"
    why = f"covering {matched}{like}" if matched else "the first in the case, which need cover nothing"
    points = f"the case scores {event['points']} now"
    changes = _changes(state, event)
    moved = f", {event['change']:+}: {changes}" if changes else ", as before"
    where = f"row {event['row'] + 1}, column {event['col'] + 1}"
    return f"{event['player']} lays a card at {where}, {why}; {points}{moved}."


def _changes(state: State, event: Event) -> str:
    """What each kind gained or lost by a card.

    The state is the one before, so the card is laid again here.
    """
    case = state.seat(event["player"]).case
    card = read_card(event["card"]["cells"])
    assert card is not None
    before, after = case.score(), case.with_card((event["row"], event["col"]), card).score()
    return ", ".join(f"{kind} {after[kind] - before[kind]:+}" for kind in before if after[kind] != before[kind])


def _coin(_: State, event: Event) -> str:
    left = "1 coin is" if event["left"] == 1 else f"{event['left'] or 'no'} coins are"
    return f"{event['player']} spends a coin to move the top card of one stack onto another; {left} left."


def _ended(state: State, event: Event) -> str:
    why = "after a coin" if state.has_spent else "once the Spider is out"
    return f"{event['player']} ends the turn without laying a card, as is allowed {why}."


def _passed(state: State, event: Event) -> str:
    if state.opponent.has_passed:
        return f"{event['player']} passes too: with both out the game ends."
    if state.phase == "last-turn":
        return f"{event['player']} passes: that was the last turn after the Spider, and the game ends."
    goes_on = "has the last turn, as the Spider is out" if state.has_spider else "goes on alone"
    return f"{event['player']} passes and is out for the rest of the game; {state.opponent.name} {goes_on}."


def _spider(state: State, event: Event) -> str:
    if state.opponent.has_passed:
        return f"{event['player']} brings the Spider up: the game ends with this turn, {state.opponent.name} being out."
    return f"{event['player']} brings the Spider up: the turn is finished, then {state.opponent.name} has the last one."


def _scored(_: State, event: Event) -> str:
    return "; ".join(f"{name} {_score(score)}" for name, score in event["scores"].items()) + "."


def _score(score: Mapping[str, int]) -> str:
    """A score part by part; what brought nothing is not named."""
    parts = ", ".join(f"{score[part]} {why}" for part, why in _PARTS.items() if score[part])
    return f"has {score['total']}: {parts}" if parts else "has 0"


def _won(state: State, event: Event) -> str:
    if len(event["players"]) > 1:
        return f"{names(event['players'])} share the victory: equal totals and equally many coins left."
    return f"{event['players'][0]} wins: the higher total, or of equal totals the one with more coins left."


_SENTENCES: Mapping[str, Callable[[State, Event], str]] = {
    "played": _played,
    "coin-spent": _coin,
    "turn-ended": _ended,
    "passed": _passed,
    "spider-revealed": _spider,
    "scored": _scored,
    "won": _won,
}
