"""The legality of moves in Comet: every refusal of the rules page; legal moves for bots
and hints; and the move that explains a change on the table.

Source: the contract's order of refusals, then the order of the rules page Comet, "Commands, events, refusals".

Hands are hidden, so sets are listed for example cards; for a known hand see `layings`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from companion.errors import Refusal
from companion.games.comet.rules.scoring import Card, face, is_card, is_triple, write_card
from companion.games.comet.rules.state import State
from companion.rules.engine import Command, Seen
from companion.rules.fields import require_player
from companion.rules.limits import LONGEST_NAME
from companion.rules.wording import count

_SIZES = (1, 2, 3)
_EXAMPLES: tuple[tuple[Card, ...], ...] = tuple(
    cards
    for n in range(2, 13)
    for cards in (((n, n, n + 1), (n, n + 1, n + 2)), ((n, n, n + 2), (n + 1, n + 1, n + 2), (n, n + 2, n + 2)))
)
"""Pairs and threes of cards that have a line and differ from each other, enough for every seat and pot."""
_TRIPLES: tuple[Card, ...] = ((12, 12, 12), (13, 13, 13), (14, 14, 14))


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
        raise Refusal("unknown-pot", f"there is no pot {pot[:LONGEST_NAME]}; there are {', '.join(state.pots)}")
    if pot not in state.open_pots:
        raise Refusal("pot-closed", f"{pot} is closed this round; open: {', '.join(state.open_pots)}")
    if not state.tail and any(laid.player == player for laid in state.against(pot)):
        raise Refusal("already-laid", f"{player} has laid a set against {pot}; each may lay one there in a round")


def _require_copies(state: State, cards: Sequence[Card]) -> None:
    """Page, "Scoring a set": a deck has each card once, and a round is dealt from ``decks`` of them."""
    for card, copies in Counter(map(face, cards)).items():
        if copies + state.lying(card) > state.house.decks:
            raise Refusal("duplicate-card", f"{write_card(card)} is on the table already; there is no more of it")


def legal(state: State) -> tuple[Command, ...]:
    """Commands that would be accepted now, enough for a random player to play whole games.

    Between rounds: the coming dealer's `round`, without and with the Tail call, and `stop`. While sets are laid:
    `reveal`; for everyone and every pot open to them the triples alone, and the first pair and the first three of some
    examples of which no card lies yet; and `reserve`. When over: nothing.
    """
    if state.phase == "between":
        return _round_commands(state)
    if state.phase == "over":
        return ()
    sets = [command for name in state.still_in for command in _examples(state, name)]
    keepers = [] if state.tail else [s.name for s in state.seats if s.hand and not s.has_reserved]
    return ({"cmd": "reveal"}, *sets, *({"cmd": "reserve", "player": name} for name in keepers))


def next_step(state: State) -> Command | None:
    """The coming dealer's round, without a Tail call; and while sets are laid, to reveal them."""
    if state.phase == "lay":
        return {"cmd": "reveal"}
    return _round_command(state) if state.phase == "between" else None


def layings(state: State, player: str, cards: Sequence[Card]) -> tuple[Command, ...]:
    """Every set that a player whose hand is known may lay now, against each pot open to them; none outside `lay`."""
    if state.phase != "lay" or player not in state.still_in:
        return ()
    sets = [chosen for size in _SIZES for chosen in combinations(cards, size)]
    commands = [_set_command(player, pot, chosen) for pot in state.open_pots for chosen in sets]
    return tuple(command for command in commands if _is_legal(state, command))


def interpret(state: State, before: Seen, after: Seen) -> tuple[Command, ...]:
    """The commands that explain a change on the table, legal ones first.

    ``before`` and ``after`` map zones to the cards lying there, ``{"Desten": [(4, 5, 10), None], ...}``: a pot's name
    or ``tail``, with three numbers for a card lying face up and None for one face down or not read; other zones, such
    as None for the rest of the table, say nothing.

    While sets are laid: one to three cards that are now face up in one pot, and are not known to lie there, are a set.
    Whose it is cannot be seen, so there is one proposal for everyone still in: first who may lay it, of those who has
    laid least. Cards face down are waited for. When the last of the sets known is turned up, that is `reveal`. Between
    rounds: when the pots are cleared of cards, the coming dealer's `round` without a Tail call.
    """
    if state.phase == "lay":
        if new_cards := _new_face_up(state, before, after):
            return _claims(state, new_cards)
        return ({"cmd": "reveal"},) if _is_revealed(state, before, after) else ()
    is_cleared = any(before.get(pot) for pot in state.pots) and not any(after.get(pot) for pot in state.pots)
    return (_round_command(state),) if state.phase == "between" and is_cleared else ()


def _round_commands(state: State) -> tuple[Command, ...]:
    round_command = _round_command(state)
    calls = [round_command | {"tail": True}] if _can_call(state, round_command["player"]) else []
    return (round_command, *calls, *([{"cmd": "stop"}] if state.everyone_has_dealt else []))


def _round_command(state: State) -> dict[str, str]:
    return {"cmd": "round", "player": state.coming_dealer}


def _can_call(state: State, dealer: str) -> bool:
    staying = state.with_seats(replace(seat, is_in=seat.is_in and state.has_ante(seat.name)) for seat in state.seats)
    if len(staying.still_in) < 2:
        return False
    try:
        require_call(staying, dealer, tail=True)
    except Refusal:
        return False
    return True


def _examples(state: State, player: str) -> tuple[Command, ...]:
    """For every pot open to a player: triples alone, and the first pair and the first three that may be laid."""
    free = [cards for cards in _EXAMPLES if not any(state.lying(card) for card in cards)]
    pair = [cards for cards in free if len(cards) == 2][:1]
    three = [cards for cards in free if len(cards) == 3][:1]
    sets = [*((card,) for card in _TRIPLES), *pair, *three]
    commands = [_set_command(player, pot, cards) for pot in state.open_pots for cards in sets]
    return tuple(command for command in commands if _is_legal(state, command))


def _new_face_up(state: State, before: Seen, after: Seen) -> dict[str, list[Card]]:
    """By pot, the cards that are newly face up and not known to lie there; only where they are at most a set."""
    new_cards: dict[str, list[Card]] = {}
    for pot in state.pots:
        if after.get(pot) == before.get(pot):
            continue
        known = Counter(face(card) for laid in state.against(pot) for card in laid.cards)
        new = _face_up(after, pot) - _face_up(before, pot) - known
        if 0 < new.total() <= max(_SIZES):
            new_cards[pot] = list(new.elements())
    return new_cards


def _claims(state: State, new_cards: Mapping[str, Sequence[Card]]) -> tuple[Command, ...]:
    counts = Counter(laid.player for laid in state.sets)
    players = sorted(state.still_in, key=lambda name: counts[name])
    commands = [_set_command(name, pot, cards) for pot, cards in new_cards.items() for name in players]
    return tuple(sorted(commands, key=lambda command: not _is_legal(state, command)))


def _is_revealed(state: State, before: Seen, after: Seen) -> bool:
    """Whether the change revealed the last known set: all cards on the pots are now face up and known."""
    if any(_card(card) is None for pot in state.pots for card in after.get(pot, ())):
        return False
    known = Counter((pot, face(card)) for pot in state.pots for laid in state.against(pot) for card in laid.cards)
    return bool(known) and _all_face_up(state, after) == known != _all_face_up(state, before)


def _all_face_up(state: State, seen: Seen) -> Counter[tuple[str, Card]]:
    return Counter((pot, card) for pot in state.pots for card in _face_up(seen, pot).elements())


def _face_up(seen: Seen, pot: str) -> Counter[Card]:
    cards: Iterable[object] = seen.get(pot, ())
    return Counter(card for value in cards if (card := _card(value)) is not None)


def _card(value: object) -> Card | None:
    return face(value) if is_card(value) else None


def _is_legal(state: State, command: Command) -> bool:
    try:
        require_set(state, command["player"], command["pot"], command["cards"])
    except Refusal:
        return False
    return True


def _set_command(player: str, pot: str, cards: Sequence[Card]) -> Command:
    return {"cmd": "set", "player": player, "pot": pot, "cards": [list(card) for card in cards]}
