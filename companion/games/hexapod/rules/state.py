"""The state of Hexapod between two commands: two cases, the coins and the turn.

Source: the rules page Hexapod, "Things", "A turn" and "State". States are immutable: an undo returns to the state
before.
"""

from dataclasses import dataclass, replace
from typing import Any

from companion.errors import BadHeader
from companion.games.hexapod.rules.cases import Case
from companion.rules.engine import Header
from companion.rules.fields import require_options, whole_option

COINS = 3
COIN_WORTH = 2
LARGEST = 100
"""Rows and columns that a case may have; no table is larger."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One player."""

    name: str
    case: Case
    coins: int = COINS
    has_passed: bool = False

    def score(self) -> dict[str, int]:
        """The seven parts of the current score, and their total."""
        parts = {**self.case.score(), "coins": COIN_WORTH * self.coins}
        return {**parts, "total": sum(parts.values())}

    @property
    def rank_key(self) -> tuple[int, int]:
        """Sort key, higher first: the total, then coins left (rules page, Ruling)."""
        return self.score()["total"], self.coins


@dataclass(frozen=True, slots=True)
class State:
    """The whole table.

    Attributes:
        phase: ``play``, ``last-turn`` or ``over``.
        turn: index of the seat to move.
        has_spent: whether a coin was spent this turn.
        has_spider: whether the Spider has come face up.
    """

    seats: tuple[Seat, Seat]
    phase: str = "play"
    turn: int = 0
    has_spent: bool = False
    has_spider: bool = False

    @property
    def mover(self) -> Seat:
        """The seat to move."""
        return self.seats[self.turn]

    @property
    def opponent(self) -> Seat:
        """The other seat."""
        return self.seats[1 - self.turn]

    @property
    def can_end(self) -> bool:
        """Whether a turn may end without a card: after a coin, or once the Spider is out."""
        return self.has_spent or self.has_spider

    def seat(self, name: str) -> Seat:
        """The seat of that player."""
        return next(seat for seat in self.seats if seat.name == name)

    def with_mover(self, seat: Seat) -> "State":
        """The state with the seat to move changed."""
        first, second = self.seats
        return replace(self, seats=(first, seat) if self.turn else (seat, second))

    def winners(self) -> list[str]:
        """The player with the higher total, then with more coins left; both at a tie."""
        best = max(seat.rank_key for seat in self.seats)
        return [seat.name for seat in self.seats if seat.rank_key == best]

    def scores(self) -> dict[str, dict[str, int]]:
        """Everybody's score."""
        return {seat.name: seat.score() for seat in self.seats}


def start(header: Header) -> State:
    """The table before the first turn. Options: ``rows`` and ``cols`` of the cases, 5 and 5."""
    require_options(header.options, ("rows", "cols"))
    rows, cols = (whole_option(header.options, name, 5) for name in ("rows", "cols"))
    if max(rows, cols) > LARGEST:
        raise BadHeader(
            f"a case of {rows} rows and {cols} columns is none; options rows and cols are {LARGEST} at most"
        )
    case = Case(rows, cols, {})
    first, second = header.players
    return State((Seat(first, case), Seat(second, case)))


def view(state: State) -> dict[str, Any]:
    """The state as the rules page names it, and the result at the end."""
    is_over = state.phase == "over"
    turn = None if is_over else state.mover.name
    return {
        "phase": state.phase,
        "turn": turn,
        "players": {seat.name: _player_view(seat) for seat in state.seats},
        "table": {"phase": state.phase, "turn": turn},
        "result": {"winners": state.winners(), "scores": state.scores()} if is_over else None,
    }


def _player_view(seat: Seat) -> dict[str, Any]:
    return {"coins": seat.coins, "passed": seat.has_passed, "score": seat.score(), "case": seat.case.as_json()}
