"""Seven Card Comet: what each command does to a table, in the order of checks that the rules page gives.

Source: the rules page Comet (`Page` in the docstrings below), a restatement of the game by Yennefer von Groddeck, Games
of the Galaxy.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from companion.games.comet.rules.legality import (
    interpret,
    layings,
    legal,
    next_step,
    require_call,
    require_dealer,
    require_phase,
    require_reserve,
    require_seated,
    require_set,
    require_stop,
)
from companion.games.comet.rules.scoring import lines, parse_card, write_card
from companion.games.comet.rules.sentences import explain
from companion.games.comet.rules.state import HAND, TAIL, LaidSet, Seat, State, pot_of, start, stock_of, view
from companion.rules.engine import Command, Event
from companion.rules.fields import command_name, flag_field, list_field, text_field
from companion.rules.notation import FLAG, TEXT, Field, Form, Notation, joined

__all__ = [
    "EDITIONS",
    "NAME",
    "NOTATION",
    "PLAYERS",
    "apply",
    "explain",
    "interpret",
    "layings",
    "legal",
    "next_step",
    "start",
    "view",
]

NAME: str = "comet"
EDITIONS: tuple[str, ...] = ()
PLAYERS: tuple[int, int | None] = (2, None)

NOTATION: Notation = {
    "round": (Field("player", TEXT), Field("tail", FLAG, optional=True)),
    "set": (Field("player", TEXT), Field("pot", TEXT), Field("cards", joined(Form(write_card, parse_card), "+"))),
    "reserve": (Field("player", TEXT),),
    "reveal": (),
    "stop": (),
}
"""``set Ana Desten 4-5-10+5-5-9``; ``round Bo tail=yes``."""

Outcome = tuple[State, tuple[Event, ...]]


def apply(state: State, command: Command) -> Outcome:
    """The state after one command, and what happened. Raises `Refusal`; the state given is never changed."""
    return _COMMANDS[command_name(command, _COMMANDS)](state, command)


def _round(state: State, command: Command) -> Outcome:
    """Page, "A round", 1: who lacks the ante goes out; the ante and the Tail call are paid; hands are dealt."""
    player, tail = text_field(command, "player"), flag_field(command, "tail", False)
    require_dealer(state, player)
    gone = tuple(name for name in state.still_in if not state.has_ante(name))
    after = state.with_seats(replace(state.seat(name), is_in=False, reserved=0) for name in gone)
    outs = tuple({"event": "out", "player": name, "ante": state.house.ante} for name in gone)
    if len(after.still_in) < 2:
        return _end_with_last(after, outs)
    payers = after.still_in if after.is_ante_due else ()
    require_call(after, player, tail)
    after = _pay_ante(after, payers, player if tail else None)
    after = _deal(after, player, tail, is_ante_paid=bool(payers))
    begun = {"event": "round-begun", "player": player, "n": after.round, "dealer": player, "tail": tail}
    return after, (begun | {"ante": list(payers)}, *outs)


def _set(state: State, command: Command) -> Outcome:
    """Page, "A round", 3, and "Refusals": two or three cards, or one triple, against a pot that is open."""
    player, pot, cards = text_field(command, "player"), text_field(command, "pot"), list_field(command, "cards")
    require_seated(state, player, "lay")
    require_set(state, player, pot, cards)
    laid = LaidSet(player, pot, tuple((a, b, c) for a, b, c in cards))
    seat = state.seat(player)
    after = state.with_seats([replace(seat, hand=seat.hand - len(cards))])
    return replace(after, sets=(*state.sets, laid)), ({"event": "set-laid", "player": player, "pot": pot},)


def _reserve(state: State, command: Command) -> Outcome:
    """Page, "A round", 3: at most one card a round is kept for a Tail round."""
    player = text_field(command, "player")
    require_reserve(state, player)
    seat = state.seat(player)
    after = replace(seat, hand=seat.hand - 1, reserved=seat.reserved + 1, has_reserved=True)
    return state.with_seats([after]), ({"event": "reserved", "player": player},)


def _reveal(state: State, command: Command) -> Outcome:
    """Page, "A round", 4, and "Exactly": every pot is scored and paid in table order, then hands grow."""
    require_phase(state, "lay")
    after, events = state, list[Event]()
    for pot in state.pots:
        scores = [_score_event(laid) for laid in state.against(pot)]
        after, paid = _pay_pot(after, pot, scores)
        events += [*scores, *paid]
    growth = _growth(state.house.hand_growth, events)
    seats = [replace(seat, hand=0, growth=growth[seat.name]) for seat in after.seats]
    events.append({"event": "hands", "hands": {seat.name: HAND + seat.growth for seat in seats if seat.is_in}})
    return replace(after.with_seats(seats), phase="between", tail=False, sets=()), tuple(events)


def _stop(state: State, command: Command) -> Outcome:
    """Page, "Commands", Ruling: between rounds, once everybody still in has dealt."""
    require_stop(state)
    return replace(state, phase="over"), ({"event": "ended", "ranking": state.ranking()},)


_COMMANDS = {"round": _round, "set": _set, "reserve": _reserve, "reveal": _reveal, "stop": _stop}


def _end_with_last(state: State, outs: tuple[Event, ...]) -> Outcome:
    """Page, "Exactly": with fewer than two left the game ends; the last one, if any, receives all seven pots."""
    after = replace(state, phase="over")
    taken: Event = {}
    for name in state.still_in:
        chips = state.chips.gathered(map(pot_of, state.pots), stock_of(name))
        amount = chips[stock_of(name)] - state.stock(name)
        seat = state.seat(name)
        after = replace(after.with_seats([replace(seat, won=seat.won + amount)]), chips=chips)
        taken = {"last": name, "amount": amount}
    return after, (*outs, {"event": "ended", "ranking": after.ranking(), **taken})


def _pay_ante(state: State, payers: Sequence[str], caller: str | None) -> State:
    """Pay everyone's ante into the pots, and the Tail call into the Tail."""
    chips = state.chips
    for name in payers:
        for pot in state.house.pots:
            chips = chips.moved(state.house.pot_share, stock_of(name), pot_of(pot))
        chips = chips.moved(state.house.tail_share, stock_of(name), pot_of(TAIL))
    if caller is not None:
        chips = chips.moved(state.house.tail_call, stock_of(caller), pot_of(TAIL))
    return replace(state, chips=chips)


def _deal(state: State, dealer: str, tail: bool, *, is_ante_paid: bool) -> State:
    """Page, "A round", 2: hands of seven and growth; in a Tail round reserved cards, dealt up to seven."""
    since = frozenset() if is_ante_paid or state.dealt_since_ante is None else state.dealt_since_ante
    after = state.with_seats(_with_hand(seat, tail) for seat in state.seats if seat.is_in)
    return replace(
        after,
        phase="lay",
        round=state.round + 1,
        dealer=dealer,
        tail=tail,
        dealt=state.dealt | {dealer},
        dealt_since_ante=since | {dealer},
    )


def _with_hand(seat: Seat, tail: bool) -> Seat:
    if tail:
        return replace(seat, hand=max(HAND, seat.reserved), reserved=0, has_reserved=False)
    return replace(seat, hand=HAND + seat.growth, has_reserved=False)


def _score_event(laid: LaidSet) -> Event:
    found = lines(laid.cards)
    return {
        "event": "scored",
        "pot": laid.pot,
        "player": laid.player,
        "cards": [list(card) for card in laid.cards],
        "lines": [list(line) for line in found],
        "score": sum(map(sum, found)),
    }


def _pay_pot(state: State, pot: str, scores: Sequence[Event]) -> Outcome:
    """Page, "Scoring a set", Ruling: the highest sum takes the pot, equal ones split it, odd chips stay."""
    sums: Counter[str] = Counter()
    for event in scores:
        sums[event["player"]] += event["score"]
    best = max(sums.values(), default=0)
    if not best:
        return state, ()
    winners = [name for name, total in sums.items() if total == best]
    amount, left = divmod(state.in_pot(pot), len(winners))
    chips = state.chips
    for name in winners:
        chips = chips.moved(amount, pot_of(pot), stock_of(name))
    richer = [replace(state.seat(name), won=state.seat(name).won + amount) for name in winners]
    won = {"event": "won", "pot": pot, "players": winners, "amount": amount, "score": best, "left": left}
    return replace(state.with_seats(richer), chips=chips), (won,)


def _growth(reading: str, events: Sequence[Event]) -> Counter[str]:
    """Page, "A round", 2, Ruling: cards gained by each, one for a valid set laid or one for a pot won."""
    if reading == "sets":
        return Counter(event["player"] for event in events if event["event"] == "scored" and event["lines"])
    return Counter(name for event in events if event["event"] == "won" for name in event["players"])
