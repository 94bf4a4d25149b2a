"""The legality of moves in Hex'el: every refusal of the rules page, for both editions; legal moves for bots
and hints; and the move that explains a change on the table.

Source: the contract's order of refusals, then the order of checks of the rules page Hex'el (`Page` in the docstrings).
"""

from collections.abc import Mapping
from typing import Any

from companion.errors import Refusal
from companion.games.hexel.rules import tableau as tableaus
from companion.games.hexel.rules.state import State, can_go_on
from companion.games.hexel.rules.tableau import SYMBOLS, Edges, Tableau
from companion.rules.engine import Command, Seen
from companion.rules.fields import require_player
from companion.rules.hexgrid import DIRECTION_NAMES, Cell
from companion.rules.wording import at

STAKES_LISTED = 5
HEDGES_LISTED = 6


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
        require_card(card.get("edges") if isinstance(card, Mapping) else None, edition)
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


def legal(state: State) -> tuple[Command, ...]:
    """Commands that would be accepted now, enough for a random player to play whole games.

    Not all of them, because hands are hidden and amounts unlimited. In `line`: one line for each pair of symbols. In
    `stake`: 1 to 5. In `hedge`: for everyone who has not hedged, 0 and the first multiples of the stake up to the Chip
    Stock, 6 at most. In `play`: for every free cell that touches a card, the matching cards with one symbol on all
    other edges; and `pass`. When over: `next-game`, if it is allowed. For a known card see `placements`.
    """
    if state.phase == "line":
        return _example_lines(state.edition)
    if state.phase == "stake":
        return tuple({"cmd": "stake", "player": state.dealer, "amount": n + 1} for n in range(STAKES_LISTED))
    if state.phase == "hedge":
        return _example_hedges(state)
    if state.phase == "play":
        return (*_example_places(state), {"cmd": "pass", "player": state.turn})
    return ({"cmd": "next-game"},) if can_go_on(state) else ()


def next_step(state: State) -> Command | None:
    """A pass during play, and the evening's next game after a game, if there can be one."""
    if state.phase == "play":
        return {"cmd": "pass", "player": state.turn}
    return {"cmd": "next-game"} if can_go_on(state) else None


def placements(state: State, edges: Edges) -> tuple[Command, ...]:
    """Every placement of a card with these symbols by the player whose turn it is; empty outside `play`."""
    if state.phase != "play":
        return ()
    return tuple(_place_command(state, cell, way) for cell, way in tableaus.fits(state.tableau, edges))


def interpret(state: State, before: Seen, after: Seen) -> tuple[Command, ...]:
    """The commands that explain a change. ``before`` and ``after`` map cells to six symbols, or to None where unread.

    In `line`: three read cards in a straight line are the line. In `play`: the only card that is new or now reads
    differently is placed by the player whose turn it is, even where the rules refuse it, because the refusal says why;
    unknown cards that lay there before follow as less likely. When over: an empty table, or three other cards in a
    line, is the next game, if there can be one. Anything else, and a card not read completely, explains nothing.
    """
    if dict(before) == dict(after):
        return ()
    read = {cell: tuple(edges) for cell, edges in after.items() if edges is not None and None not in edges}
    if state.phase == "line" and _is_line(read, after):
        return (_line_command(read),)
    if state.phase == "play":
        return _place_commands(state, before, read)
    if state.phase == "over" and can_go_on(state) and _is_cleared(state, read, after):
        return ({"cmd": "next-game"},)
    return ()


def _example_lines(edition: str) -> tuple[Command, ...]:
    """Three cards, west to east, sharing one symbol; nearly all other edges carry another, so that no Hoxla is open."""
    pairs = [(shared, other) for shared in SYMBOLS[edition] for other in SYMBOLS[edition] if shared != other]
    return tuple(
        _line_command(
            {
                (-1, 0): (shared, other, other, other, other, other),
                (0, 0): (shared, other, other, shared, other, other),
                (1, 0): (shared, shared, other, shared, other, other),
            }
        )
        for shared, other in pairs
    )


def _example_hedges(state: State) -> tuple[Command, ...]:
    assert state.stake is not None
    return tuple(
        {"cmd": "hedge", "player": name, "amount": n * state.stake}
        for name in state.still_in
        if name not in state.hedged
        for n in range(min(HEDGES_LISTED, state.chips[name, "chips"] // state.stake + 1))
    )


def _example_places(state: State) -> tuple[Command, ...]:
    return tuple(
        _place_command(state, cell, edges)
        for cell, around in tableaus.openings(state.tableau).items()
        for edges in _matching_cards(dict(around), state.edition)
    )


def _matching_cards(required: Mapping[int, str], edition: str) -> tuple[Edges, ...]:
    """The cards with the required symbols and one symbol on all other edges, with at most two kinds."""
    cards = (tuple(required.get(d, rest) for d in range(6)) for rest in SYMBOLS[edition])
    return tuple(dict.fromkeys(card for card in cards if tableaus.is_card(card, edition)))


def _is_line(read: Mapping[Cell, Edges], after: Seen) -> bool:
    return len(read) == len(after) == 3 and tableaus.in_line(tuple(read)) is not None


def _place_commands(state: State, before: Seen, read: Mapping[Cell, Edges]) -> tuple[Command, ...]:
    unknown = {cell: edges for cell, edges in read.items() if cell not in state.tableau}
    new = [cell for cell, edges in unknown.items() if cell not in before or before[cell] != edges]
    if len(new) != 1:
        return ()
    waiting = [cell for cell in unknown if cell not in new]
    return tuple(_place_command(state, cell, unknown[cell]) for cell in new + waiting)


def _is_cleared(state: State, read: Mapping[Cell, Edges], after: Seen) -> bool:
    if not after:
        return True
    stayed = any(cell in state.tableau and state.tableau[cell].edges == edges for cell, edges in read.items())
    return not stayed and _is_line(read, after)


def _line_command(cards: Mapping[Cell, Edges]) -> Command:
    return {"cmd": "line", "cards": [{"cell": list(cell), "edges": list(cards[cell])} for cell in sorted(cards)]}


def _place_command(state: State, cell: Cell, edges: Edges) -> Command:
    return {"cmd": "place", "player": state.turn, "cell": list(cell), "edges": list(edges)}
