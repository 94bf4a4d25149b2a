"""The legality checks of Comet: every refusal of the rules page, in its order.

Source: the contract's order of refusals, then the order of the rules page Comet, "Commands, events, refusals".
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from companion.errors import Refusal
from companion.games.comet.rules.scoring import Card, face, is_card, is_triple, write_card
from companion.games.comet.rules.state import State
from companion.rules.fields import require_player
from companion.rules.wording import count


def require_phase(state: State, phase: str) -> None:
    """Refuse, as `wrong-phase`, a command of another phase."""
    if state.phase != phase:
        raise Refusal("wrong-phase", f"{_BELONGS[phase]}; {_NOW[state.phase]}")


def require_seated(state: State, player: str, phase: str) -> None:
    """Refuse a stranger, another phase and a player who is out; in the contract's order."""
    require_player(player, [seat.name for seat in state.seats])
    require_phase(state, phase)
    if player not in state.still_in:
        raise Refusal("out-of-game", f"{player} is out of the game, not having had the ante of {state.house.ante}")


def require_dealer(state: State, player: str) -> None:
    """Refuse a player who is not the coming dealer."""
    require_seated(state, player, "between")
    if player != state.coming_dealer:
        raise Refusal("not-dealer", f"the next round is {state.coming_dealer}'s to deal, not {player}'s")


def require_call(state: State, dealer: str, tail: bool) -> None:
    """Refuse a Tail call that the dealer cannot pay on top of an ante due; ``state`` is after players have gone out."""
    cost = tail * state.house.tail_call + state.is_ante_due * state.house.ante
    has = state.stock(dealer)
    if has < cost:
        raise Refusal(
            "cannot-pay", f"calling the Tail costs {dealer} {cost}, any ante due included, and there are {has}"
        )


def require_set(state: State, player: str, pot: str, cards: Sequence[object]) -> None:
    """Refuse cards that are no set, or that may not be laid against this pot."""
    good = _require_cards(cards)
    _require_pot(state, player, pot)
    hand = state.seat(player).hand
    if len(good) > hand:
        raise Refusal("hand-exceeded", f"{player} has {count(hand, 'card')} in hand, not {len(good)}")
    _require_copies(state, good)


def require_reserve(state: State, player: str) -> None:
    """Refuse a second reserved card, one from an empty hand, and any in a Tail round."""
    require_seated(state, player, "lay")
    seat = state.seat(player)
    if state.tail:
        raise Refusal("pot-closed", "this is a Tail round; cards are kept for it in the rounds before")
    if not seat.hand:
        raise Refusal("hand-exceeded", f"{player} has no card left in hand to keep")
    if seat.has_reserved:
        raise Refusal("already-reserved", f"{player} has kept a card; one a round may be kept for the Tail")


def require_stop(state: State) -> None:
    """Refuse to stop within a round, or before everybody still in has dealt."""
    require_phase(state, "between")
    waiting = [name for name in state.still_in if name not in state.dealt]
    if waiting:
        raise Refusal("wrong-phase", f"the game may stop once everyone in has dealt; to come: {', '.join(waiting)}")


_BELONGS: Mapping[str, str] = {"between": "that is done between two rounds", "lay": "that is done while sets are laid"}
_NOW: Mapping[str, str] = {
    "between": "no round has begun yet",
    "lay": "the sets of this round are to be revealed first",
    "over": "the game is over",
}


def _require_cards(cards: Sequence[object]) -> list[Card]:
    good: list[Card] = []
    for number, card in enumerate(cards, 1):
        if not is_card(card):
            raise Refusal("bad-card", f"card {number} of the set is none: a card has three whole numbers, 2 to 14")
        good.append(card)
    if len(good) not in (2, 3) and not (len(good) == 1 and is_triple(good[0])):
        raise Refusal("bad-set", f"a set is two or three cards, or one triple alone, not {count(len(good), 'card')}")
    return good


def _require_pot(state: State, player: str, pot: str) -> None:
    if pot not in state.pots:
        raise Refusal("unknown-pot", f"there is no pot {pot}; there are {', '.join(state.pots)}")
    if pot not in state.open_pots:
        raise Refusal("pot-closed", f"{pot} is closed this round; open: {', '.join(state.open_pots)}")
    if not state.tail and any(laid.player == player for laid in state.against(pot)):
        raise Refusal("already-laid", f"{player} has laid a set against {pot}; each may lay one there in a round")


def _require_copies(state: State, cards: Sequence[Card]) -> None:
    """Page, "Scoring a set": a deck has each card once, and a round is dealt from ``decks`` of them."""
    for card, copies in Counter(map(face, cards)).items():
        if copies + state.lying(card) > state.house.decks:
            raise Refusal("duplicate-card", f"{write_card(card)} is on the table already; there is no more of it")
