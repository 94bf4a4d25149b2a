"""People who play Hexapod sensibly: stacks dealt from a seed; they draw and lay what brings most.

The stacks and the cards in hand are not part of the referee's state, so the players remember them, and must be asked
at every turn; at the first of a game they take full stacks. Cards that others enter in between are played on from.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from companion.games.hexapod.deck import SPIDER, Cells, deck
from companion.games.hexapod.rules import game as hexapod
from companion.games.hexapod.rules.state import COINS, State
from companion.rules.engine import Command, Header

_NEAR_SPIDER = 8
_WORST_CHANGE = -4
"""Who could only lay what costs more than this spends a coin or passes."""


def player(seed: int) -> Callable[[State], Command | None]:
    """Both players at one table; None once the game is over."""
    table = _Table(_stacked(seed))

    def move(state: State) -> Command | None:
        nonlocal table
        if _is_beginning(state):
            table = _Table(_stacked(seed))
        return table.move(state)

    return move


Stacks = tuple[tuple[Cells, ...], ...]
"""The three stacks, each from its lowest card up."""


def stacks(seed: int, header: Header, commands: Sequence[Command]) -> tuple[Stacks, ...]:
    """The stacks before each of these commands of the players with that seed, and after the last.

    A command that is not theirs leaves the stacks as they would have left them.
    """
    table, state = _Table(_stacked(seed)), hexapod.start(header)
    seen = [table.lying()]
    for command in commands:
        table.move(state)
        seen.append(table.lying())
        state, _ = hexapod.apply(state, command)
    return tuple(seen)


@dataclass
class _Table:
    """What lies beside the cases: three stacks face up, and the card in each hand."""

    stacks: list[list[Cells]]
    hands: dict[str, Cells] = field(default_factory=dict)
    waiting: Command | None = None
    """The play that is decided but for the Spider, which its drawing has brought up.

    Where a correction in between forbids it, another is decided, and its card is out of the game.
    """

    def lying(self) -> Stacks:
        """The stacks as they lie now."""
        return tuple(map(tuple, self.stacks))

    def move(self, state: State) -> Command | None:
        """What the player whose turn it is does next."""
        if state.phase == "over":
            return None
        name = state.mover.name
        if self._shows_spider() and not state.has_spider:
            return {"cmd": "spider", "player": name}
        if self.waiting is not None and self.waiting["player"] == name:
            decided, self.waiting = self.waiting, None
            if decided in hexapod.placements(state, decided["card"]["cells"]):
                return decided
        return self._decided(state) or self._without_a_card(state)

    def _decided(self, state: State) -> Command | None:
        """The best play of a card in hand or on a stack; it is drawn for at once, and told after the Spider."""
        held = self.hands.get(state.mover.name) or self._first_card(state.mover.name)
        ways = [way for stack in self._open() for way in _ways(state, stack, held)]
        change, _, way, kept, stack = max(ways, key=lambda one: one[:2], default=(_WORST_CHANGE, 0.0, None, held, []))
        if way is None or change < _WORST_CHANGE:
            return None
        stack.pop()
        self.hands[state.mover.name] = kept
        if self._shows_spider() and not state.has_spider:
            self.waiting = way
            return {"cmd": "spider", "player": state.mover.name}
        return way

    def _without_a_card(self, state: State) -> Command:
        """A coin for a better card to show; after one the turn is ended; else the player is out."""
        name = state.mover.name
        stacks = [stack for stack in self.stacks if len(stack) > 1]
        if stacks and state.mover.coins and not state.has_spent:
            tallest = max(stacks, key=len)
            min((stack for stack in self.stacks if stack is not tallest), key=len).append(tallest.pop())
            return {"cmd": "coin", "player": name}
        return {"cmd": "end" if state.can_end else "pass", "player": name}

    def _first_card(self, name: str) -> Cells:
        """The starting hand is the top card of the tallest stack."""
        self.hands[name] = max(self.stacks, key=len).pop()
        return self.hands[name]

    def _open(self) -> list[list[Cells]]:
        return [stack for stack in self.stacks if stack and stack[-1] != SPIDER]

    def _shows_spider(self) -> bool:
        return any(stack and stack[-1] == SPIDER for stack in self.stacks)


_Way = tuple[int, float, Command, Cells, list[Cells]]


def _ways(state: State, stack: list[Cells], held: Cells) -> list[_Way]:
    """Every play with the top of a stack drawn: points brought, how central, the command, the card kept, the stack."""
    drawn = stack[-1]
    ways: list[_Way] = []
    for card, kept in ((held, drawn), (drawn, held)):
        for way in hexapod.placements(state, card):
            _, (played, *_) = hexapod.apply(state, way)
            ways.append((played["change"], _centrality(state, way), way, kept, stack))
    return ways


def _centrality(state: State, way: Command) -> float:
    case = state.mover.case
    return -float(abs(2 * way["row"] + 2 - case.rows) + abs(2 * way["col"] + 2 - case.cols))


def _is_beginning(state: State) -> bool:
    untouched = all(not seat.case.lying and seat.coins == COINS and not seat.has_passed for seat in state.seats)
    return untouched and not state.has_spider


def _stacked(seed: int) -> list[list[Cells]]:
    """Three stacks of 14, the Spider among the bottom three of one (rules page, "Things")."""
    chance = Random(f"{seed} stacks")
    cards = list(deck())
    chance.shuffle(cards)
    bottom = [SPIDER, *(cards.pop() for _ in range(_NEAR_SPIDER))]
    chance.shuffle(bottom)
    return [bottom[n::3] + cards[n::3] for n in range(3)]
