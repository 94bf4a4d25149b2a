"""People who play Comet sensibly: dealt from a seed, they lay their best sets against the richest pots.

What lies on the table and the seed say all: the same state always gets the same answer, so a game may be taken up
anywhere, and sets that others enter in between are simply played on from. A card kept for a Tail round is not followed:
nobody sees it, and it comes back as one of the seven that are dealt then.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import combinations, combinations_with_replacement
from random import Random

from companion.games.comet.rules import game as comet
from companion.games.comet.rules.scoring import Card, face, is_triple, lines, score
from companion.games.comet.rules.state import TAIL, State
from companion.rules.engine import Command

_TRIPLES: tuple[Card, ...] = ((12, 12, 12), (13, 13, 13), (14, 14, 14))
_OTHERS = 120
_CALL_CHANCE = 0.5
_KEEP_CHANCE = 0.4
_LONGEST_CYCLES = 3
"""After so many rounds for each seat everyone goes home."""


def player(seed: int, tail_sets: int | None = None) -> Callable[[State], Command | None]:
    """Everybody at one table; None once the game is over.

    Args:
        seed: all chance follows from it.
        tail_sets: how many sets each may lay against the Tail; None for as many as there are.
    """
    return lambda state: _move(state, seed, tail_sets)


@cache
def deck() -> tuple[Card, ...]:
    """A stand-in for the 123 cards: the three triples, and 120 others that hold no line in themselves."""
    free = [card for card in combinations_with_replacement(range(2, 15), 3) if not lines([card])]
    return (*_TRIPLES, *Random("comet").sample(free, _OTHERS))


def hand(state: State, seed: int, name: str) -> tuple[Card, ...]:
    """The cards that a player holds: what was dealt this round less what they have laid and kept.

    Where others entered cards that were not dealt so, what is left is no more than the referee counts.
    """
    cards = list(deck()) * state.house.decks
    Random(f"{seed} deal {state.round}").shuffle(cards)
    for seat in state.seats:
        laid = [face(card) for one in state.sets if one.player == seat.name for card in one.cards]
        dealt = [cards.pop() for _ in range(min(len(cards), seat.hand + len(laid) + seat.has_reserved))]
        if seat.name == name:
            free = [card for card in _without(dealt, laid) if state.lying(card) < state.house.decks]
            held = sorted(free, key=lambda card: (is_triple(card), sum(card)))
            return tuple(held[seat.has_reserved :][: seat.hand])
    return ()


def best_set(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """The two or three cards, or the triple, that score most; nothing where no set is valid."""
    return _best_set(tuple(sorted(cards)))


def _move(state: State, seed: int, tail_sets: int | None) -> Command | None:
    if state.phase == "over":
        return None
    if state.phase == "between":
        return _beginning(state, seed)
    return next(_layings(state, seed, tail_sets), {"cmd": "reveal"})


def _beginning(state: State, seed: int) -> Command:
    """The next round, perhaps with a Tail call once everyone has dealt; home when the Tail is won, or late."""
    ways = comet.legal(state)
    is_late = state.round >= _LONGEST_CYCLES * len(state.seats)
    if {"cmd": "stop"} in ways and (state.in_pot(TAIL) == 0 or is_late):
        return {"cmd": "stop"}
    calls = [way for way in ways if way.get("tail")]
    is_time = len(state.dealt) + 1 >= len(state.still_in)
    if calls and is_time and Random(f"{seed} call {state.round}").random() < _CALL_CHANCE:
        return calls[0]
    return ways[0]


def _layings(state: State, seed: int, tail_sets: int | None) -> Iterator[Command]:
    """What each player still does this round; whoever has laid least comes first, as the camera guesses."""
    laid = Counter(one.player for one in state.sets)
    for name in sorted(state.still_in, key=lambda name: laid[name]):
        cards = hand(state, seed, name)
        chosen, pots = best_set(cards), _pots(state, seed, name)
        is_full = state.tail and laid[name] == tail_sets
        if chosen and pots and not is_full:
            yield {"cmd": "set", "player": name, "pot": pots[0], "cards": [list(card) for card in chosen]}
        elif cards and not state.tail and not state.seat(name).has_reserved and _keeps(state, seed, name):
            yield {"cmd": "reserve", "player": name}


def _pots(state: State, seed: int, name: str) -> list[str]:
    """The pots open to a player, the richest first."""
    laid = {one.pot for one in state.sets if one.player == name and one.pot != TAIL}
    whim = Random(f"{seed} pots {state.round} {name}")
    free = [(-state.in_pot(pot), whim.random(), pot) for pot in state.open_pots]
    return [pot for _, _, pot in sorted(free) if pot not in laid]


def _keeps(state: State, seed: int, name: str) -> bool:
    return Random(f"{seed} keep {state.round} {name}").random() < _KEEP_CHANCE


def _without(cards: list[Card], gone: list[Card]) -> list[Card]:
    left = list(cards)
    for card in gone:
        if card in left:
            left.remove(card)
    return left


@lru_cache(maxsize=4096)
def _best_set(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    sets = [(card,) for card in cards if is_triple(card)] + [
        chosen for size in (2, 3) for chosen in combinations(cards, size)
    ]
    best = max(sets, key=score, default=())
    return best if best and score(best) else ()
