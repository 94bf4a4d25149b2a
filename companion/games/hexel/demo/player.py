"""People who play Hex'el sensibly: they take a Hoxla, leave none open to the next, and match what they can.

What lies on the table and the seed say all: the same state always gets the same answer, so a game may be taken up
anywhere, and moves that others enter in between are simply played on from.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations, product
from random import Random

from companion.errors import Refusal
from companion.games.hexel.deck import FACES, Face
from companion.games.hexel.rules import game as hexel
from companion.games.hexel.rules.legality import HEDGES_LISTED
from companion.games.hexel.rules.state import State
from companion.games.hexel.rules.tableau import Laid, Tableau, face, touching
from companion.rules.engine import Command
from companion.rules.hexgrid import Cell, neighbour, neighbours, turned

_AXES: tuple[tuple[Cell, ...], ...] = (
    ((-1, 0), (0, 0), (1, 0)),
    ((0, -1), (0, 0), (0, 1)),
    ((-1, 1), (0, 0), (1, -1)),
)


def player(seed: int, *, least_cards: int = 0, ends: bool = True) -> Callable[[State], Command | None]:
    """Everybody at one table; None once the game is over.

    Args:
        seed: the order of the deck, and every whim.
        least_cards: before so many cards lie on the table everyone who can leaves a Hoxla alone, so that there is more
            to see; from then on nobody minds leaving one open, and it comes soon.
        ends: whether a Hoxla is taken at all; without, the game goes on until the cards run out or all but one are out.
    """

    def move(state: State) -> Command | None:
        chance = Random(f"{seed} {state.dealer} {state.round} {state.cards_left} {sorted(state.hands.items())}")
        if state.phase == "line":
            return _line(state, seed, chance)
        if state.phase == "stake":
            return {"cmd": "stake", "player": state.dealer, "amount": chance.randint(1, 5)}
        if state.phase == "hedge":
            return _hedge(state, chance)
        if state.phase == "play":
            wants = ends and len(state.tableau) + 1 >= least_cards
            return _place(state, seed, chance, wants_hoxla=wants, is_careful=least_cards == 0 or not wants)
        return None

    return move


def hand(state: State, seed: int, name: str) -> tuple[Face, ...]:
    """The cards that a player holds: as many as the referee counts, out of those that do not lie on the table.

    Unseen cards are as good as any others, so they are shared out anew for every turn.
    """
    unseen = iter(_unseen(state, seed))
    hands = {other: [next(unseen) for _ in range(state.hands[other])] for other in state.players}
    return tuple(hands[name])


def _unseen(state: State, seed: int) -> list[Face]:
    """The shuffled deck without the cards on the table."""
    deck = list(FACES[state.edition])
    Random(f"{seed} {state.dealer}").shuffle(deck)
    laid = Counter(_kind(card.edges, state.edition) for card in state.tableau.values())
    left = []
    for card in deck:
        kind = _kind(card, state.edition)
        if laid[kind]:
            laid[kind] -= 1
        else:
            left.append(card)
    return left


def _kind(card: Face, edition: str) -> Face:
    """One name for all the cards of the deck that look alike: mirrored ones do in edition 36."""
    return face(card) if edition == "36" else min(turned(card, turns) for turns in range(6))


def _line(state: State, seed: int, chance: Random) -> Command:
    """The first three cards of the deck, one after the other, in which a line can be found."""
    deck = _unseen(state, seed)
    for first in range(len(deck) - 2):
        for command in _ways_to_lay(deck[first : first + 3], chance.choice(_AXES)):
            try:
                hexel.apply(state, command)
            except Refusal:
                continue
            return command
    raise ValueError("no three cards of this deck, one after the other, make a line")


def _ways_to_lay(cards: list[Face], cells: tuple[Cell, ...]) -> Iterator[Command]:
    for order in permutations(cards):
        for turns in product(range(6), repeat=3):
            laid = zip(cells, order, turns, strict=True)
            entries = [{"cell": list(cell), "edges": list(turned(card, by))} for cell, card, by in laid]
            yield {"cmd": "line", "cards": entries}


def _hedge(state: State, chance: Random) -> Command:
    """Whoever comes first fills the Hedge Pot up for one to four edges too few, as far as the Chip Stock goes."""
    assert state.stake is not None
    name = chance.choice([name for name in state.still_in if name not in state.hedged])
    wanted = chance.randint(1, 4) - state.chips[name, "hedge"] // state.stake
    steps = max(0, min(wanted, HEDGES_LISTED, state.chips[name, "chips"] // state.stake))
    return {"cmd": "hedge", "player": name, "amount": steps * state.stake}


def _place(state: State, seed: int, chance: Random, *, wants_hoxla: bool, is_careful: bool) -> Command:
    assert state.turn is not None
    cards = hand(state, seed, state.turn)
    ways = [way for card in cards for way in hexel.placements(state, card)]
    if not ways:
        return {"cmd": "pass", "player": state.turn}

    def worth(way: Command) -> tuple[int, int, int, float]:
        after, (placed, *_) = hexel.apply(state, way)
        closes = (placed["call"] == "Hoxla") * (1 if wants_hoxla else -1)
        left_open = _left_open(after.tableau, (way["cell"][0], way["cell"][1])) if is_careful else 0
        return closes, -left_open, placed["matched"], chance.random()

    return max(ways, key=worth)


def _left_open(tableau: Tableau, cell: Cell) -> int:
    """How many corners beside a card now wait for a third card to make a Hoxla."""
    free = [spot for spot in neighbours(cell) if spot not in tableau]
    return sum(_is_waiting(tableau, spot, touching(tableau, spot), d) for spot in free for d in range(6))


def _is_waiting(tableau: Tableau, spot: Cell, around: tuple[tuple[int, str], ...], direction: int) -> bool:
    facing = dict(around)
    symbol = facing.get(direction)
    left: Laid | None = tableau.get(neighbour(spot, direction))
    if symbol is None or left is None or facing.get((direction + 1) % 6) != symbol:
        return False
    return left.edges[(direction + 2) % 6] == symbol
