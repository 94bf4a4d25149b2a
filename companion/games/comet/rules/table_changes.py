"""Legal moves of Comet for bots and hints, and the move that explains a change on the table.

Hands are hidden, so sets are listed for example cards; for a known hand see `layings`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from companion.errors import Refusal
from companion.games.comet.rules.legality import require_call, require_set
from companion.games.comet.rules.scoring import Card, face, is_card
from companion.games.comet.rules.state import State
from companion.rules.engine import Command, Seen

_SIZES = (1, 2, 3)
_EXAMPLES: tuple[tuple[Card, ...], ...] = tuple(
    cards
    for n in range(2, 13)
    for cards in (((n, n, n + 1), (n, n + 1, n + 2)), ((n, n, n + 2), (n + 1, n + 1, n + 2), (n, n + 2, n + 2)))
)
"""Pairs and threes of cards that have a line and differ from each other, enough for every seat and pot."""
_TRIPLES: tuple[Card, ...] = ((12, 12, 12), (13, 13, 13), (14, 14, 14))


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
    known = Counter((pot, face(card)) for pot in state.pots for laid in state.against(pot) for card in laid.cards)
    was, now = _all_face_up(state, before), _all_face_up(state, after)
    some_hidden = any(_card(card) is None for pot in state.pots for card in after.get(pot, ()))
    return bool(known) and now == known and was != known and not some_hidden


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
