"""Hex'el: what each command does to a table, in both editions.

Source: the rules page Hex'el (`Page` in the docstrings below), a restatement of the game by Michael Corry, Games of the
Galaxy. The state stands in `hexel_state`, the geometry in `hexel_tableau`, hints in `hexel_hands`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.errors import Refusal
from companion.rules import hexel_tableau as tableaus
from companion.rules.engine import Command, Event
from companion.rules.fields import cell_field, command_name, list_field, require_player, text_field, whole_field
from companion.rules.hexel_hands import interpret, legal, next_step, placements
from companion.rules.hexel_state import EDITIONS, State, can_go_on, clockwise, start, view
from companion.rules.hexel_tableau import CALLS, DECK_SIZES, Edges, Laid, Tableau
from companion.rules.hexel_words import sentence
from companion.rules.hexgrid import DIRECTION_NAMES, Cell
from companion.rules.notation import CELL, TEXT, WHOLE, Field, Form, Notation, joined, letters, record
from companion.rules.wording import at

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

Happened = tuple["State", tuple[Event, ...]]


def apply(state: State, command: Command) -> Happened:
    """The state after one command, and what happened. Raises `Refusal`; the state given is never changed."""
    return _COMMANDS[command_name(command, _COMMANDS)](state, command)


def explain(state: State, event: Event) -> str:
    """One sentence for the table: what the event means and the rule it comes from."""
    return sentence(event)


def _line(state: State, command: Command) -> Happened:
    """Page, "A game", 1 and 2: the first line, after which hands are dealt."""
    given = list_field(command, "cards")
    cells = [cell_field(card, "cell") for card in given if isinstance(card, Mapping)]
    _require_phase(state, "line")
    cards = _require_line(given, cells, state.edition)
    tableau: dict[Cell, Laid] = {}
    warnings: list[Event] = []
    for cell, edges in cards.items():
        warnings += _duplicate_warning(state.edition, tableau, cell, edges)
        tableau[cell] = Laid(edges)
    hands = {name: HAND if name in state.still_in else 0 for name in state.players}
    left = state.cards_left - len(tableau) - HAND * len(state.still_in)
    dealt = replace(state, tableau=tableau, hands=hands, cards_left=left, phase="stake", turn=state.dealer)
    return dealt, ({"event": "line-laid", "each": HAND, "cards_left": left}, *warnings)


def _require_line(given: list[Any], cells: list[Cell], edition: str) -> dict[Cell, Edges]:
    """The cards of a line by their cells, in the order given; `Refusal` when they make none."""
    for card in given:
        _require_card(card.get("edges") if isinstance(card, Mapping) else card, edition)
    line = tableaus.in_line(cells)
    if line is None:
        raise Refusal("not-a-line", "the first three cards lie in a straight line, each touching the next")
    cards = {cell: tuple(card["edges"]) for cell, card in zip(cells, given, strict=True)}
    clash = tableaus.line_clashes(cards, line)
    if clash:
        raise _edge_mismatch(clash)
    if tableaus.is_open_to_hoxla(cards, line):
        raise Refusal("hoxla-open", "one further card beside this line could make a Hoxla; lay the three otherwise")
    return cards


def _stake(state: State, command: Command) -> Happened:
    """Page, "A game", 3: the dealer sets the stake."""
    player, amount = text_field(command, "player"), whole_field(command, "amount")
    require_player(player, state.players)
    _require_phase(state, "stake")
    _require_in(state, player)
    if player != state.dealer:
        raise Refusal("not-dealer", f"the stake is the dealer's to set, and the dealer is {state.dealer}")
    if amount < 1:
        raise Refusal("bad-amount", f"the stake is a whole number of 1 or more, not {amount}")
    event = {"event": "stake-set", "player": player, "amount": amount}
    return replace(state, stake=amount, phase="hedge", turn=None), (event,)


def _hedge(state: State, command: Command) -> Happened:
    """Page, "A game", 3 and 7: everyone still in hedges once for a round, in any order; then it begins."""
    player, amount = text_field(command, "player"), whole_field(command, "amount")
    require_player(player, state.players)
    _require_phase(state, "hedge")
    _require_in(state, player)
    _require_hedge(state, player, amount)
    chips = state.chips.moved(amount, (player, "chips"), (player, "hedge"))
    after = replace(state, chips=chips, hedged=state.hedged | {player})
    event = {"event": "hedged", "player": player, "amount": amount}
    if len(after.hedged) < len(after.still_in):
        return after, (event,)
    first = clockwise(after, after.dealer, including=True)
    after = replace(after, phase="play", round=after.round + 1, turn=first, hedged=frozenset())
    return after, (event, {"event": "round-begun", "n": after.round, "first": first})


def _require_hedge(state: State, player: str, amount: int) -> None:
    assert state.stake is not None
    if amount < 0 or amount % state.stake:
        raise Refusal("bad-amount", f"a hedge is 0 or a multiple of the stake of {state.stake}, not {amount}")
    if amount > state.chips[player, "chips"]:
        raise Refusal("bad-amount", f"{player} has {state.chips[player, 'chips']} chips to hedge with, not {amount}")
    if player in state.hedged:
        raise Refusal("already-hedged", f"{player} has hedged for this round")


def _place(state: State, command: Command) -> Happened:
    """Page, "A game", 4 and 5: a card touching others, all symbols matching; the call, or a Hoxla."""
    player, cell, edges = text_field(command, "player"), cell_field(command, "cell"), list_field(command, "edges")
    _require_turn(state, player)
    _require_card(edges, state.edition)
    matched = _require_fit(state.tableau, cell, tuple(edges))
    laid = Laid(tuple(edges), player)
    tableau = {**state.tableau, cell: laid}
    found = tableaus.hoxlas(tableau, cell)
    call = "Hoxla" if found else CALLS[matched - 1]
    placed = {"event": "placed", "player": player, "cell": list(cell), "matched": matched, "call": call}
    events = (placed, *_duplicate_warning(state.edition, state.tableau, cell, laid.edges))
    after = _card_used(state, player, tableau=tableau)
    if not found:
        return _settled(after, player, matched, events)
    return _won(after, player, "hoxla", (*events, _hoxla_event(player, found)))


def _require_fit(tableau: Tableau, cell: Cell, edges: Edges) -> int:
    """How many edges a card matches on a cell; `Refusal` where it may not lie."""
    if cell in tableau:
        raise Refusal("cell-taken", f"a card lies at {at(cell)} already")
    around = tableaus.touching(tableau, cell)
    if not around:
        raise Refusal("not-adjacent", f"nothing touches {at(cell)}; a card is placed edge to edge with another")
    clash = tableaus.clashes(edges, around)
    if clash:
        raise _edge_mismatch(clash)
    return len(around)


def _pass(state: State, command: Command) -> Happened:
    """Page, "A game", 6, Ruling: passing matches nothing and uses up a card."""
    player = text_field(command, "player")
    _require_turn(state, player)
    return _settled(_card_used(state, player), player, 0, ({"event": "passed", "player": player},))


def _next_game(state: State, command: Command) -> Happened:
    """Page, "A game", 9: Hand Pots into Chip Stocks, everyone with chips back in, the next dealer."""
    _require_phase(state, "over")
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


def _settled(state: State, player: str, matched: int, events: tuple[Event, ...]) -> Happened:
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
        return _won(after, still_in[0], "last-in", (*events, out))
    return _next_turn(after, player, (*events, out))


def _next_turn(state: State, player: str, events: tuple[Event, ...]) -> Happened:
    if any(state.hands[name] for name in state.still_in):
        return replace(state, turn=clockwise(state, player)), events
    return _dealt(state, events)


def _dealt(state: State, events: tuple[Event, ...]) -> Happened:
    """Page, "A game", 7: a new deal, evenly as many as there are; or the cards have run out."""
    each = min(HAND, state.cards_left // len(state.still_in))
    if each == 0:
        return _cards_out(state, events)
    left = state.cards_left - each * len(state.still_in)
    hands = {name: each if name in state.still_in else 0 for name in state.players}
    after = replace(state, phase="hedge", turn=None, mark=None, mark_by=None, hands=hands, cards_left=left)
    return after, (*events, {"event": "dealt", "each": each, "cards_left": left})


def _cards_out(state: State, events: tuple[Event, ...]) -> Happened:
    """Page, "A game", 8 and "Exactly": the last still in to have placed wins, or all hedges go back."""
    placers = (laid.by for laid in reversed(tuple(state.tableau.values())))
    winner = next((name for name in placers if name in state.still_in), None)
    if winner is not None:
        return _won(state, winner, "cards-out", events)
    chips = state.chips
    for name in state.players:
        chips = chips.gathered([(name, "hedge")], (name, "chips"))
    result = {"winner": None, "amount": 0, "by": "cards-out"}
    return _over(replace(state, chips=chips), result), (*events, {"event": "hedges-returned"})


def _won(state: State, winner: str, by: str, events: tuple[Event, ...]) -> Happened:
    hedges = [(name, "hedge") for name in state.players]
    result = {"winner": winner, "amount": sum(state.chips[pot] for pot in hedges), "by": by}
    won = {"event": "won", "player": winner, "amount": result["amount"], "by": by}
    chips = state.chips.gathered(hedges, (winner, "chips"))
    return _over(replace(state, chips=chips), result), (*events, won)


def _over(state: State, result: Mapping[str, Any]) -> State:
    return replace(state, phase="over", turn=None, mark=None, mark_by=None, result=result)


def _card_used(state: State, player: str, **changes: Any) -> State:
    return replace(state, hands={**state.hands, player: state.hands[player] - 1}, **changes)


def _require_phase(state: State, phase: str) -> None:
    if state.phase != phase:
        raise Refusal("wrong-phase", f"that belongs to the phase {phase}; now is {state.phase}")


def _require_in(state: State, player: str) -> None:
    if player not in state.still_in:
        raise Refusal("out-of-game", f"{player} is out until the next game")


def _require_turn(state: State, player: str) -> None:
    require_player(player, state.players)
    _require_phase(state, "play")
    _require_in(state, player)
    if player != state.turn:
        raise Refusal("not-your-turn", f"it is {state.turn}'s turn, not {player}'s")


def _require_card(edges: object, edition: str) -> None:
    if not tableaus.is_card(edges, edition):
        symbols = ", ".join(tableaus.SYMBOLS[edition])
        raise Refusal("bad-card", f"a card has six symbols of at most two kinds, out of {symbols}")


def _edge_mismatch(directions: tuple[int, ...]) -> Refusal:
    names = " and ".join(DIRECTION_NAMES[d] for d in directions)
    return Refusal("edge-mismatch", f"the symbols do not match at {names}", edges=list(directions))


def _duplicate_warning(edition: str, tableau: Tableau, cell: Cell, edges: Edges) -> tuple[Event, ...]:
    """Page, "Commands": in edition 36 every face is there once, turned or mirrored; a second one is told, once."""
    same = tableaus.same_face(tableau, edges) if edition == "36" else None
    if same is None:
        return ()
    return ({"event": "warning", "code": "duplicate-card", "cell": list(cell), "same_as": list(same)},)


def _hoxla_event(player: str, found: tuple[tuple[tuple[Cell, Cell, Cell], str], ...]) -> Event:
    corners = [[list(cell) for cell in corner] for corner, _ in found]
    return {"event": "hoxla", "player": player, "corners": corners, "symbols": [symbol for _, symbol in found]}
