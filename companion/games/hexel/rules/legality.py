"""The legality checks of Hex'el: every refusal of the rules page, for both editions.

Source: the contract's order of refusals, then the order of checks of the rules page Hex'el (`Page` in the docstrings).
"""

from collections.abc import Mapping
from typing import Any

from companion.errors import Refusal
from companion.games.hexel.rules import tableau as tableaus
from companion.games.hexel.rules.state import State
from companion.games.hexel.rules.tableau import Edges, Tableau
from companion.rules.fields import require_player
from companion.rules.hexgrid import DIRECTION_NAMES, Cell
from companion.rules.wording import at


def require_phase(state: State, phase: str) -> None:
    """Refuse, as `wrong-phase`, a command of another phase."""
    if state.phase != phase:
        raise Refusal("wrong-phase", f"that belongs to the phase {phase}; now is {state.phase}")


def require_in(state: State, player: str) -> None:
    """Refuse a player who is out."""
    if player not in state.still_in:
        raise Refusal("out-of-game", f"{player} is out until the next game")


def require_turn(state: State, player: str) -> None:
    """Refuse a stranger, another phase, a player who is out and one whose turn it is not; in the contract's order."""
    require_player(player, state.players)
    require_phase(state, "play")
    require_in(state, player)
    if player != state.turn:
        raise Refusal("not-your-turn", f"it is {state.turn}'s turn, not {player}'s")


def require_line(given: list[Any], cells: list[Cell], edition: str) -> dict[Cell, Edges]:
    """The cards of a line by cell, in the order given. Raises `Refusal`."""
    for card in given:
        require_card(card.get("edges") if isinstance(card, Mapping) else card, edition)
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


def require_stake(state: State, player: str, amount: int) -> None:
    """Page, "A game", 3: the dealer sets the stake, at least 1."""
    if player != state.dealer:
        raise Refusal("not-dealer", f"the stake is the dealer's to set, and the dealer is {state.dealer}")
    if amount < 1:
        raise Refusal("bad-amount", f"the stake is a whole number of 1 or more, not {amount}")


def require_hedge(state: State, player: str, amount: int) -> None:
    """Page, "A game", 3: 0 or a multiple of the stake, at most the player's chips, once a round."""
    assert state.stake is not None
    if amount < 0 or amount % state.stake:
        raise Refusal("bad-amount", f"a hedge is 0 or a multiple of the stake of {state.stake}, not {amount}")
    if amount > state.chips[player, "chips"]:
        raise Refusal("bad-amount", f"{player} has {state.chips[player, 'chips']} chips to hedge with, not {amount}")
    if player in state.hedged:
        raise Refusal("already-hedged", f"{player} has hedged for this round")


def require_card(edges: object, edition: str) -> None:
    """Refuse what is not six symbols of a card of the edition."""
    if not tableaus.is_card(edges, edition):
        symbols = ", ".join(tableaus.SYMBOLS[edition])
        raise Refusal("bad-card", f"a card has six symbols of at most two kinds, out of {symbols}")


def require_fit(tableau: Tableau, cell: Cell, edges: Edges) -> int:
    """The number of edges that a card matches on a cell. Raises `Refusal` where it may not lie."""
    if cell in tableau:
        raise Refusal("cell-taken", f"a card lies at {at(cell)} already")
    around = tableaus.touching(tableau, cell)
    if not around:
        raise Refusal("not-adjacent", f"nothing touches {at(cell)}; a card is placed edge to edge with another")
    clash = tableaus.clashes(edges, around)
    if clash:
        raise _edge_mismatch(clash)
    return len(around)


def _edge_mismatch(directions: tuple[int, ...]) -> Refusal:
    names = " and ".join(DIRECTION_NAMES[d] for d in directions)
    return Refusal("edge-mismatch", f"the symbols do not match at {names}", edges=list(directions))
