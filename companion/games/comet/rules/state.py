"""The state of Comet between two commands: the seats, the pots and the sets laid against them.

Source: the rules page Comet, "Table" and "State". Hands are counted, not seen. States are immutable: an undo returns to
the state before.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from companion.errors import BadHeader
from companion.games.comet.rules.scoring import Card, face
from companion.rules.chips import Chips
from companion.rules.engine import Header
from companion.rules.fields import choice_option, require_options, whole_option

POTS = ("Desten", "Kinro", "Nivek", "Trinovat", "Vain", "Polos")
TAIL = "tail"
HAND = 7
"""Cards dealt before any growth."""

_OPTIONS = ("chips", "pots", "pot_share", "tail_share", "ante_every", "hand_growth", "decks")


@dataclass(frozen=True, slots=True)
class House:
    """The table's house rules.

    Attributes:
        pots: the table pots' names in table order.
        ante_every: ``cycle`` (again when all have dealt) or ``round``.
        hand_growth: ``sets`` (one card for each valid set) or ``pots`` (one for each pot won).
        decks: how many copies of one card may lie in a round.
    """

    pots: tuple[str, ...]
    pot_share: int
    tail_share: int
    ante_every: str
    hand_growth: str
    decks: int

    @property
    def ante(self) -> int:
        """What one player puts up: a share into each table pot, and one into the Tail."""
        return len(self.pots) * self.pot_share + self.tail_share

    @property
    def tail_call(self) -> int:
        """What the Tail call costs the dealer, on top of an ante due: twice the ante."""
        return 2 * self.ante


@dataclass(frozen=True, slots=True)
class Seat:
    """One player.

    Attributes:
        hand: cards in hand while sets are laid, else 0.
        growth: cards that the next ordinary hand has above seven.
        reserved: cards kept for a Tail round.
        has_reserved: whether a card was reserved this round.
        won: the sum of all chips won.
    """

    name: str
    hand: int = 0
    growth: int = 0
    reserved: int = 0
    has_reserved: bool = False
    is_in: bool = True
    won: int = 0


@dataclass(frozen=True, slots=True)
class LaidSet:
    """Cards that one player laid together against a pot."""

    player: str
    pot: str
    cards: tuple[Card, ...]

    def as_json(self) -> dict[str, Any]:
        """The set as the state names it."""
        return {"player": self.player, "pot": self.pot, "cards": [list(card) for card in self.cards]}


@dataclass(frozen=True, slots=True)
class State:
    """The whole table.

    Attributes:
        chips: keyed by `stock_of` a player and `pot_of` a pot.
        dealer: the dealer of this round or of the last one; None before the first.
        dealt: everyone who has dealt.
        dealt_since_ante: everyone who has dealt since the ante was last paid; None before the first ante.
        sets: in the order laid.
    """

    house: House
    seats: tuple[Seat, ...]
    chips: Chips
    phase: str = "between"
    round: int = 0
    dealer: str | None = None
    tail: bool = False
    sets: tuple[LaidSet, ...] = ()
    dealt: frozenset[str] = frozenset()
    dealt_since_ante: frozenset[str] | None = None

    @property
    def still_in(self) -> tuple[str, ...]:
        """The players who have not gone out."""
        return tuple(seat.name for seat in self.seats if seat.is_in)

    @property
    def pots(self) -> tuple[str, ...]:
        """All seven pots in table order, the Tail last."""
        return (*self.house.pots, TAIL)

    @property
    def open_pots(self) -> tuple[str, ...]:
        """The pots that sets may be laid against this round."""
        return (TAIL,) if self.tail else self.house.pots

    @property
    def coming_dealer(self) -> str:
        """The next dealer: the next player to the right who is in and has the ante; without one, who is in."""
        names = [seat.name for seat in self.seats]
        last = 1 if self.dealer is None else names.index(self.dealer)
        to_the_right = [names[(last - step) % len(names)] for step in range(1, len(names) + 1)]
        seated = [name for name in to_the_right if name in self.still_in]
        return next((name for name in seated if self.has_ante(name)), seated[0])

    @property
    def everyone_has_dealt(self) -> bool:
        """Whether everybody still in has been the dealer."""
        return self.dealt.issuperset(self.still_in)

    @property
    def is_ante_due(self) -> bool:
        """Whether the coming round asks for the ante (rules page, "A round", 1, and "Exactly")."""
        if self.dealt_since_ante is None or self.house.ante_every == "round":
            return True
        return self.dealt_since_ante.issuperset(self.still_in)

    def seat(self, name: str) -> Seat:
        """The seat of that player."""
        return next(seat for seat in self.seats if seat.name == name)

    def stock(self, name: str) -> int:
        """The chips a player has."""
        return self.chips[stock_of(name)]

    def in_pot(self, pot: str) -> int:
        """The chips a pot holds."""
        return self.chips[pot_of(pot)]

    def has_ante(self, name: str) -> bool:
        """Whether a player could pay the ante, due or not."""
        return self.stock(name) >= self.house.ante

    def against(self, pot: str) -> tuple[LaidSet, ...]:
        """The sets that lie against a pot, in the order laid."""
        return tuple(laid for laid in self.sets if laid.pot == pot)

    def lying(self, card: Card) -> int:
        """How many copies of a card lie on the table."""
        return sum(face(card) == face(other) for laid in self.sets for other in laid.cards)

    def with_seats(self, seats: Iterable[Seat]) -> "State":
        """The state with some seats changed."""
        changed = {seat.name: seat for seat in seats}
        return replace(self, seats=tuple(changed.get(seat.name, seat) for seat in self.seats))

    def ranking(self) -> list[list[str]]:
        """The places from most chips to fewest, tied players together."""
        ranked = sorted(self.seats, key=lambda seat: -self.stock(seat.name))
        return [[seat.name for seat in place] for _, place in groupby(ranked, key=lambda seat: self.stock(seat.name))]


def stock_of(name: str) -> Hashable:
    """The key of a player's chips."""
    return "stock", name


def pot_of(name: str) -> Hashable:
    """The key of a pot's chips."""
    return "pot", name


def start(header: Header) -> State:
    """The table before the first round.

    Options: ``chips`` for each player (2000), ``pots`` (six names), ``pot_share`` (25), ``tail_share`` (150),
    ``ante_every`` (``cycle`` or ``round``), ``hand_growth`` (``sets`` or ``pots``), ``decks`` (1).
    """
    options = header.options
    require_options(options, _OPTIONS)
    house = House(
        pots=_pots(options.get("pots", POTS)),
        pot_share=whole_option(options, "pot_share", 25),
        tail_share=whole_option(options, "tail_share", 150),
        ante_every=choice_option(options, "ante_every", ("cycle", "round")),
        hand_growth=choice_option(options, "hand_growth", ("sets", "pots")),
        decks=whole_option(options, "decks", 1),
    )
    each = whole_option(options, "chips", 2000)
    chips = Chips.given({stock_of(name): each for name in header.players})
    return State(house, tuple(Seat(name) for name in header.players), chips)


def view(state: State) -> dict[str, Any]:
    """The state as the rules page names it, and the result at the end."""
    table = {
        "phase": state.phase,
        "round": state.round,
        "dealer": state.coming_dealer if state.phase == "between" else state.dealer,
        "tail": state.tail,
        "pots": {pot: state.in_pot(pot) for pot in state.pots},
        "sets": [laid.as_json() for laid in state.sets],
    }
    players = {seat.name: _player_view(state, seat) for seat in state.seats}
    result = {"ranking": state.ranking()} if state.phase == "over" else None
    return {"phase": state.phase, "turn": None, "players": players, "table": table, "result": result}


def _pots(value: object) -> tuple[str, ...]:
    """Six names that differ, none of them the Tail's."""
    names = value if isinstance(value, list | tuple) else ()
    if len(names) != len(POTS) or not all(isinstance(name, str) and name.strip() for name in names):
        raise BadHeader(f"option pots must be a list of {len(POTS)} names")
    if len({*names, TAIL}) <= len(POTS):
        raise BadHeader(f"option pots gives one name twice; the {TAIL} is the seventh pot")
    return tuple(names)


def _player_view(state: State, seat: Seat) -> dict[str, Any]:
    return {
        "chips": state.stock(seat.name),
        "hand": seat.hand,
        "reserved": seat.reserved,
        "in": seat.is_in,
        "won": seat.won,
    }
