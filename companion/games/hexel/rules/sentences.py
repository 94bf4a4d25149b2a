"""Hex'el's events as sentences for the table: what happened, and the rule it comes from.

An event carries all that its sentence needs, so every chip that moved says why without a look at the state.
"""

from collections.abc import Callable, Mapping

from companion.rules.engine import Event
from companion.rules.wording import at, chips, count

_INTO = {"hand_pot": "Hand Pot", "chips": "Chip Stock"}
_WON_BY = {
    "hoxla": "a Hoxla wins all hedges",
    "cards-out": "the cards have run out, and the last player still in to have placed wins all hedges",
    "last-in": "the only player still in wins all hedges",
}


def sentence(event: Event) -> str:
    """The sentence for an event of `companion.games.hexel.rules.game`.

    >>> sentence({"event": "passed", "player": "Bo"})
    'Bo passes: that counts as no edge matched and uses up a card.'
    """
    return _SENTENCES[event["event"]](event)


def _hedged(event: Event) -> str:
    if event["amount"] == 0:
        return f"{event['player']} adds nothing to the Hedge Pot, as everyone may."
    return f"{event['player']} moves {chips(event['amount'])} from the Chip Stock into the Hedge Pot, for insurance."


def _insurance(event: Event) -> str:
    return (
        f"{event['from']} pays {event['to']} {chips(event['amount'])} of insurance, from the Hedge Pot into the "
        f"{_INTO[event['into']]}: {_why(event)}."
    )


def _out(event: Event) -> str:
    paid = "is empty" if event["paid"] == 0 else f"holds only {event['paid']}, which go into the {_INTO[event['into']]}"
    return (
        f"{event['player']} owes {event['to']} {chips(event['owed'])} of insurance ({_why(event)}), but the Hedge Pot "
        f"{paid}: {event['player']} is out until the next game."
    )


def _why(event: Event) -> str:
    return f"{count(event['fewer'], 'edge')} fewer than the mark of {event['mark']}, at {chips(event['stake'])} an edge"


def _placed(event: Event) -> str:
    edges = count(event["matched"], "edge")
    return f"{event['player']} places a card at {at(event['cell'])} and matches {edges}: {event['call']}."


def _hoxla(event: Event) -> str:
    symbols = " and ".join(f"six {symbol} symbols" for symbol in event["symbols"])
    return f"Hoxla! {event['player']} brings {symbols} together around a corner."


def _warning(event: Event) -> str:
    return (
        f"The card at {at(event['cell'])} is the same as the one at {at(event['same_as'])}, "
        f"but the deck has each face once: please look whether the camera or the deck is wrong."
    )


def _dealt(event: Event) -> str:
    cards = count(event["each"], "card")
    return f"A new round is dealt, {cards} for everyone in, {event['cards_left']} left; it begins when all have hedged."


def _won(event: Event) -> str:
    return f"{event['player']} wins {chips(event['amount'])} into the Chip Stock: {_WON_BY[event['by']]}."


_SENTENCES: Mapping[str, Callable[[Event], str]] = {
    "line-laid": lambda e: f"The first line lies; everyone in is dealt {e['each']} cards, {e['cards_left']} are left.",
    "stake-set": lambda e: f"{e['player']} sets the stake: {chips(e['amount'])} of insurance for each edge too few.",
    "hedged": _hedged,
    "round-begun": lambda e: f"Round {e['n']} begins; {e['first']} leads, and there is no mark to reach yet.",
    "placed": _placed,
    "passed": lambda e: f"{e['player']} passes: that counts as no edge matched and uses up a card.",
    "insurance": _insurance,
    "out": _out,
    "hoxla": _hoxla,
    "warning": _warning,
    "won": _won,
    "hedges-returned": lambda e: "The cards have run out and nobody still in has placed: every hedge goes back.",
    "dealt": _dealt,
    "game-begun": lambda e: f"A new game: Hand Pots go into the Chip Stocks, and {e['dealer']} deals.",
}
