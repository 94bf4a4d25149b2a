"""Hex'el: what each command does to a table, in both editions.

Source: the rules page Hex'el (`Page` in the docstrings below), a restatement of the game by Michael Corry, Games of the
Galaxy.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.errors import Refusal
from companion.games.hexel.rules import tableau as tableaus
from companion.games.hexel.rules.legality import (
    interpret,
    legal,
    next_step,
    placements,
    require_card,
    require_fit,
    require_hedge,
    require_in,
    require_line,
    require_phase,
    require_stake,
    require_turn,
)
from companion.games.hexel.rules.sentences import sentence
from companion.games.hexel.rules.state import EDITIONS, State, can_go_on, clockwise, start, view
from companion.games.hexel.rules.tableau import CALLS, DECK_SIZES, Edges, Laid, Tableau
from companion.rules.engine import Command, Event
from companion.rules.fields import cell_field, command_name, list_field, require_player, text_field, whole_field
from companion.rules.hexgrid import Cell
from companion.rules.notation import CELL, TEXT, WHOLE, Field, Form, Notation, joined, letters, record

__all__ = [
    "EDITIONS",
    "FACE",
    "NAME",
    "NOTATION",
    "PLAYERS",
    "State",
    "apply",
    "explain",
    "interpret",
    "legal",
    "next_step",
    "placements",
    "start",
    "view",
]

NAME: str = "hexel"
PLAYERS: tuple[int, int | None] = (1, 6)
FACE: Form = letters({"red": "r", "blue": "b", "yellow": "y", "void": "v"})
"""A card's six symbols in the order of the directions, ``rbbrbb``."""
NOTATION: Notation = {
    "line": (Field("cards", joined(record(":", cell=CELL, edges=FACE), "+")),),
    "stake": (Field("player", TEXT), Field("amount", WHOLE)),
    "hedge": (Field("player", TEXT), Field("amount", WHOLE)),
    "place": (Field("player", TEXT), Field("cell", CELL), Field("edges", FACE)),
    "pass": (Field("player", TEXT),),
    "next-game": (),
}
HAND = 3
"""Cards dealt to each in a full round."""
INSURANCE_INTO: Mapping[str, str] = {"36": "hand_pot", "46": "chips"}

Outcome = tuple["State", tuple[Event, ...]]


def apply(state: State, command: Command) -> Outcome:
    """The state after one command, and what happened. Raises `Refusal`; the state given is never changed."""
    return _COMMANDS[command_name(command, _COMMANDS)](state, command)


def explain(state: State, event: Event) -> str:
    """One sentence for the table: what the event means and the rule it comes from."""
    return sentence(event)


def _line(state: State, command: Command) -> Outcome:
    """Page, "A game", 1 and 2: the first line, after which hands are dealt."""
    fields = list_field(command, "cards")
    cells = [cell_field(card, "cell") for card in fields if isinstance(card, Mapping)]
    require_phase(state, "line")
    cards = require_line(fields, cells, state.edition)
    tableau: dict[Cell, Laid] = {}
    warnings: list[Event] = []
    for cell, edges in cards.items():
        warnings += _duplicate_warning(state.edition, tableau, cell, edges)
        tableau[cell] = Laid(edges)
    hands = {name: HAND if name in state.still_in else 0 for name in state.players}
    left = state.cards_left - len(tableau) - HAND * len(state.still_in)
    dealt = replace(state, tableau=tableau, hands=hands, cards_left=left, phase="stake", turn=state.dealer)
    return dealt, ({"event": "line-laid", "each": HAND, "cards_left": left}, *warnings)


def _stake(state: State, command: Command) -> Outcome:
    """Page, "A game", 3: the dealer sets the stake."""
    player, amount = text_field(command, "player"), whole_field(command, "amount")
    require_player(player, state.players)
    require_phase(state, "stake")
    require_in(state, player)
    require_stake(state, player, amount)
    event = {"event": "stake-set", "player": player, "amount": amount}
    return replace(state, stake=amount, phase="hedge", turn=None), (event,)


def _hedge(state: State, command: Command) -> Outcome:
    """Page, "A game", 3 and 7: everyone still in hedges once for a round, in any order; then it begins."""
    player, amount = text_field(command, "player"), whole_field(command, "amount")
    require_player(player, state.players)
    require_phase(state, "hedge")
    require_in(state, player)
    require_hedge(state, player, amount)
    chips = state.chips.moved(amount, (player, "chips"), (player, "hedge"))
    after = replace(state, chips=chips, hedged=state.hedged | {player})
    event = {"event": "hedged", "player": player, "amount": amount}
    if len(after.hedged) < len(after.still_in):
        return after, (event,)
    first = clockwise(after, after.dealer, including=True)
    after = replace(after, phase="play", round=after.round + 1, turn=first, hedged=frozenset())
    return after, (event, {"event": "round-begun", "n": after.round, "first": first})


def _place(state: State, command: Command) -> Outcome:
    """Page, "A game", 4 and 5: a card touching others, all symbols matching; the call, or a Hoxla."""
    player, cell, edges = text_field(command, "player"), cell_field(command, "cell"), list_field(command, "edges")
    require_turn(state, player)
    require_card(edges, state.edition)
    matched = require_fit(state.tableau, cell, tuple(edges))
    laid = Laid(tuple(edges), player)
    tableau = {**state.tableau, cell: laid}
    found = tableaus.hoxlas(tableau, cell)
    call = "Hoxla" if found else CALLS[matched - 1]
    placed = {"event": "placed", "player": player, "cell": list(cell), "matched": matched, "call": call}
    events = (placed, *_duplicate_warning(state.edition, state.tableau, cell, laid.edges))
    after = _use_card(state, player, tableau=tableau)
    if not found:
        return _settle_insurance(after, player, matched, events)
    return _win(after, player, "hoxla", (*events, _hoxla_event(player, found)))


def _pass(state: State, command: Command) -> Outcome:
    """Page, "A game", 6, Ruling: passing matches nothing and uses up a card."""
    player = text_field(command, "player")
    require_turn(state, player)
    return _settle_insurance(_use_card(state, player), player, 0, ({"event": "passed", "player": player},))


def _next_game(state: State, command: Command) -> Outcome:
    """Page, "A game", 9: Hand Pots into Chip Stocks, everyone with chips back in, the next dealer."""
    require_phase(state, "over")
    if not can_go_on(state):
        raise Refusal("wrong-phase", "the evening is over: fewer than two players have chips")
    chips = state.chips
    for name in state.players:
        chips = chips.gathered([(name, "hand_pot")], (name, "chips"))
    after = State(
        edition=state.edition,
        players=state.players,
        dealer=state.dealer,
        chips=chips,
        still_in=tuple(name for name in state.players if chips[name, "chips"]),
        hands=dict.fromkeys(state.players, 0),
        cards_left=DECK_SIZES[state.edition],
    )
    dealer = clockwise(after, after.dealer)
    return replace(after, dealer=dealer), ({"event": "game-begun", "dealer": dealer},)


_COMMANDS = {
    "line": _line,
    "stake": _stake,
    "hedge": _hedge,
    "place": _place,
    "pass": _pass,
    "next-game": _next_game,
}


def _settle_insurance(state: State, player: str, matched: int, events: tuple[Event, ...]) -> Outcome:
    """Page, "A game", 6: insurance for matching fewer than the mark, then the next turn, round or end."""
    if state.mark is None or state.mark_by in (None, player) or state.mark <= matched:
        return _next_turn(replace(state, mark=matched, mark_by=player), player, events)
    assert state.stake is not None
    fewer, to, into = state.mark - matched, state.mark_by, INSURANCE_INTO[state.edition]
    owed, has = fewer * state.stake, state.chips[player, "hedge"]
    chips = state.chips.moved(min(owed, has), (player, "hedge"), (to, into))
    why = {"fewer": fewer, "mark": state.mark, "stake": state.stake, "into": into}
    if has >= owed:
        paid = {"event": "insurance", "player": player, "from": player, "to": to, "amount": owed, **why}
        return _next_turn(replace(state, chips=chips, mark=matched, mark_by=player), player, (*events, paid))
    out = {"event": "out", "player": player, "paid": has, "to": to, "owed": owed, **why}
    still_in = tuple(name for name in state.still_in if name != player)
    after = replace(state, chips=chips, still_in=still_in, hands={**state.hands, player: 0})
    if len(still_in) == 1:
        return _win(after, still_in[0], "last-in", (*events, out))
    return _next_turn(after, player, (*events, out))


def _next_turn(state: State, player: str, events: tuple[Event, ...]) -> Outcome:
    if any(state.hands[name] for name in state.still_in):
        return replace(state, turn=clockwise(state, player)), events
    return _deal(state, events)


def _deal(state: State, events: tuple[Event, ...]) -> Outcome:
    """Page, "A game", 7: a new deal, evenly as many as there are; or the cards have run out."""
    each = min(HAND, state.cards_left // len(state.still_in))
    if each == 0:
        return _end_without_cards(state, events)
    left = state.cards_left - each * len(state.still_in)
    hands = {name: each if name in state.still_in else 0 for name in state.players}
    after = replace(state, phase="hedge", turn=None, mark=None, mark_by=None, hands=hands, cards_left=left)
    return after, (*events, {"event": "dealt", "each": each, "cards_left": left})


def _end_without_cards(state: State, events: tuple[Event, ...]) -> Outcome:
    """Page, "A game", 8 and "Exactly": the last still in to have placed wins, or all hedges go back."""
    placers = (laid.by for laid in reversed(tuple(state.tableau.values())))
    winner = next((name for name in placers if name in state.still_in), None)
    if winner is not None:
        return _win(state, winner, "cards-out", events)
    chips = state.chips
    for name in state.players:
        chips = chips.gathered([(name, "hedge")], (name, "chips"))
    result = {"winner": None, "amount": 0, "by": "cards-out"}
    return _end_game(replace(state, chips=chips), result), (*events, {"event": "hedges-returned"})


def _win(state: State, winner: str, by: str, events: tuple[Event, ...]) -> Outcome:
    hedges = [(name, "hedge") for name in state.players]
    result = {"winner": winner, "amount": sum(state.chips[pot] for pot in hedges), "by": by}
    won = {"event": "won", "player": winner, "amount": result["amount"], "by": by}
    chips = state.chips.gathered(hedges, (winner, "chips"))
    return _end_game(replace(state, chips=chips), result), (*events, won)


def _end_game(state: State, result: Mapping[str, Any]) -> State:
    return replace(state, phase="over", turn=None, mark=None, mark_by=None, result=result)


def _use_card(state: State, player: str, **changes: Any) -> State:
    return replace(state, hands={**state.hands, player: state.hands[player] - 1}, **changes)


def _duplicate_warning(edition: str, tableau: Tableau, cell: Cell, edges: Edges) -> tuple[Event, ...]:
    """Page, "Commands": edition 36 has every face once, turned or mirrored; a second one causes one warning."""
    same = tableaus.same_face(tableau, edges) if edition == "36" else None
    if same is None:
        return ()
    return ({"event": "warning", "code": "duplicate-card", "cell": list(cell), "same_as": list(same)},)


def _hoxla_event(player: str, found: tuple[tuple[tuple[Cell, Cell, Cell], str], ...]) -> Event:
    corners = [[list(cell) for cell in corner] for corner, _ in found]
    return {"event": "hoxla", "player": player, "corners": corners, "symbols": [symbol for _, symbol in found]}
