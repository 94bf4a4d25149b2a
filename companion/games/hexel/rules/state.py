"""The state of Hex'el between two commands.

Source: the rules page Hex'el, "A game" and "State". Hands are counted, not seen. States are immutable: an undo returns
to the state before.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.errors import BadHeader
from companion.games.hexel.rules.tableau import DECK_SIZES, Tableau
from companion.rules.chips import Chips
from companion.rules.engine import Header
from companion.rules.fields import require_options, shown, whole_option

EDITIONS: tuple[str, ...] = ("36", "46")


@dataclass(frozen=True, slots=True)
class State:
    """A table of Hex'el between two commands.

    Attributes:
        chips: keyed by a player's name and ``chips`` (the Chip Stock), ``hedge`` or ``hand_pot``.
        still_in: the players who have not gone out, clockwise.
        hands: the number of cards in each player's hand.
        hedged: the players who have hedged for the coming round.
        tableau: in the order in which the cards were laid.
    """

    edition: str
    players: tuple[str, ...]
    dealer: str
    chips: Chips
    still_in: tuple[str, ...]
    hands: Mapping[str, int]
    cards_left: int
    phase: str = "line"
    turn: str | None = None
    round: int = 0
    stake: int | None = None
    mark: int | None = None
    mark_by: str | None = None
    hedged: frozenset[str] = frozenset()
    tableau: Tableau = field(default_factory=dict)
    result: Mapping[str, Any] | None = None


def start(header: Header) -> State:
    """The table before the first line. Options: ``chips`` for each player (100), ``dealer`` (the first player)."""
    require_options(header.options, ("chips", "dealer"))
    each = whole_option(header.options, "chips", 100)
    dealer = header.options.get("dealer", header.players[0])
    if dealer not in header.players:
        raise BadHeader(f"the dealer {shown(dealer)} does not play; at the table are {', '.join(header.players)}")
    edition = header.edition or EDITIONS[0]
    chips = Chips.given({(name, "chips"): each for name in header.players})
    hands = dict.fromkeys(header.players, 0)
    return State(edition, header.players, dealer, chips, header.players, hands, DECK_SIZES[edition])


def view(state: State) -> dict[str, Any]:
    """The state as the rules page names it."""
    table = {
        "phase": state.phase,
        "turn": state.turn,
        "dealer": state.dealer,
        "round": state.round,
        "stake": state.stake,
        "mark": state.mark,
        "mark_by": state.mark_by,
        "cards_left": state.cards_left,
        "tableau": [
            {"cell": list(cell), "edges": list(laid.edges), "by": laid.by} for cell, laid in state.tableau.items()
        ],
    }
    players = {name: _player_view(state, name) for name in state.players}
    result = None if state.result is None else dict(state.result)
    return {"phase": state.phase, "turn": state.turn, "players": players, "table": table, "result": result}


def clockwise(state: State, player: str, *, including: bool = False) -> str:
    """The next player clockwise who is in; with ``including``, starting from the player."""
    seat = state.players.index(player) + (not including)
    around = state.players[seat:] + state.players[:seat]
    return next(name for name in around if name in state.still_in)


def can_go_on(state: State) -> bool:
    """Page, "Exactly": only while at least two players (one in solitaire) have chips, Hand Pots counted."""
    rich = [name for name in state.players if state.chips[name, "chips"] + state.chips[name, "hand_pot"]]
    return state.phase == "over" and len(rich) >= min(2, len(state.players))


def _player_view(state: State, name: str) -> dict[str, Any]:
    pots = {pot: state.chips[name, pot] for pot in ("chips", "hedge", "hand_pot")}
    return {**pots, "cards": state.hands[name], "in": name in state.still_in}
