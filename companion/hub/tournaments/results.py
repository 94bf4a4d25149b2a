"""The result of a game, read off the lines that the store keeps, by the rules themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import JournalError
from companion.referee.journal import replay
from companion.rules.engine import Header
from companion.views.archive.measures import ends, measured, views
from companion.views.archive.statistics import winners_of


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a game.

    Attributes:
        places: the players' names by rank; None while the game goes on, or where nobody won and nothing was counted.
        moves: how many stand.
    """

    header: Header
    places: tuple[tuple[str, ...], ...] | None
    moves: int


def result_of(game: str, lines: Sequence[dict[str, Any]]) -> Result:
    """The result of a game by its journal's lines; of an evening of games that of the first.

    Raises:
        JournalError: the lines contradict the rules, or each other.
    """
    if not lines:
        raise JournalError(f"nothing is kept of the game {game}", code="journal-damaged")
    session, _ = replay(Path(game), list(lines))
    shown = views(session)
    over = ends(shown)
    places = ranks(shown[over[0]], session.header.players) if over else None
    return Result(session.header, places, len(session.moves))


def ranks(view: Mapping[str, Any], players: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The players of a game that is over by rank: as the game ranks them; else who won first, then by chips or points.

    >>> ranks({"result": {"winner": "Bo"}, "players": {"Ana": {"chips": 9}, "Bo": {"chips": 5}}}, ("Ana", "Bo"))
    (('Bo',), ('Ana',))
    """
    result = view["result"]
    if "ranking" in result:
        return tuple(tuple(rank) for rank in result["ranking"])
    winners = winners_of(result)
    counted = next(iter(measured(view).values()), {})
    keys = {name: (name in winners, 0 if name in winners else counted.get(name, 0)) for name in players}
    return tuple(
        tuple(name for name in players if keys[name] == key) for key in sorted(set(keys.values()), reverse=True)
    )
