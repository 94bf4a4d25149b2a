"""The measures of a game, chips and points, and their series over the moves.

No game is known by name: a measure exists where the game's view has chips or points of its players.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from companion.referee.session import Session
from companion.views.words import phrase

Seat = Mapping[str, Any]

_CHIPS = ("chips", "hedge", "hand_pot")


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of each player.

    Attributes:
        of: the number for one player of a view; None where the game has none.
    """

    name: str
    of: Callable[[Seat], int | None]

    @property
    def title(self) -> str:
        """Its name on the page."""
        return phrase("past", f"measure-{self.name}")

    @property
    def note(self) -> str:
        """What it counts, on the page."""
        return phrase("past", f"note-{self.name}")


def _chips(seat: Seat) -> int | None:
    """All chips of a player, in every pot of theirs."""
    return sum(seat.get(place, 0) for place in _CHIPS) if "chips" in seat else None


def _points(seat: Seat) -> int | None:
    """A number of points, or a score with its total."""
    points = seat.get("points", seat.get("score"))
    total = points.get("total") if isinstance(points, Mapping) else points
    return total if type(total) is int else None


MEASURES: tuple[Measure, ...] = (
    Measure("chips", _chips),
    Measure("points", _points),
)


@dataclass(frozen=True, slots=True)
class Series:
    """One measure over the moves.

    Attributes:
        values: by player, before the first move and after each move.
        ends: after how many moves a game was over; an evening may have several.
    """

    measure: Measure
    values: Mapping[str, tuple[int, ...]]
    ends: tuple[int, ...]


def measure_totals(view: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """The players' numbers, by measure.

    >>> measure_totals({"players": {"Ana": {"chips": 90, "hedge": 6, "hand_pot": 3, "in": True}}})
    {'chips': {'Ana': 99}}
    """
    numbers = {measure.name: {name: measure.of(seat) for name, seat in view["players"].items()} for measure in MEASURES}
    return {
        measure: {name: value for name, value in values.items() if value is not None}
        for measure, values in numbers.items()
        if any(value is not None for value in values.values())
    }


def views(session: Session) -> list[dict[str, Any]]:
    """The game's view before the first move and after each."""
    return [session.game.view(state) for state in (*session.past, session.state)]


def ends(shown: list[dict[str, Any]]) -> tuple[int, ...]:
    """The numbers of moves after which a game was over, ascending."""
    return tuple(n for n in range(1, len(shown)) if shown[n]["result"] and not shown[n - 1]["result"])


def series_of(session: Session) -> tuple[Series, ...]:
    """The series of every measure that the game has."""
    shown = views(session)
    numbers = [measure_totals(view) for view in shown]
    return tuple(
        Series(
            measure,
            {name: tuple(at[measure.name][name] for at in numbers) for name in session.header.players},
            ends(shown),
        )
        for measure in MEASURES
        if measure.name in numbers[0]
    )
