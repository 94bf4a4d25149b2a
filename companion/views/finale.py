"""The end of a game: who came where with how much, and how the evening stands."""

from typing import Any

from companion.referee.session import Session
from companion.views.archive.measures import measured
from companion.views.archive.statistics import summed, winners_of


def finale(session: Session) -> dict[str, Any] | None:
    """The ranking of a game that is over, ``{"measure", "ranking": [{"place", "name", "total", "won"}], "evening"}``.

    None while it goes on. ``measure`` is what the totals count, None where the game counts nothing; ``evening`` is how
    many games each player has won since the table was opened for these players, where there were several.
    """
    view = session.game.view(session.state)
    if view["result"] is None:
        return None
    measure, totals = next(iter(measured(view).items()), (None, {}))
    winners = winners_of(view["result"])
    summary = summed(session)
    return {
        "measure": measure,
        "ranking": [
            {"place": place, "name": name, "total": totals.get(name), "won": name in winners}
            for place, name in _places(view["result"], winners, totals, list(view["players"]))
        ],
        "evening": {name: tally.won + tally.shared for name, tally in summary.tallies.items()}
        if summary.finished > 1
        else {},
    }


def _places(
    result: dict[str, Any], winners: tuple[str, ...], totals: dict[str, int], players: list[str]
) -> list[tuple[int, str]]:
    """Each player's place, counted as at a race; by the rules' own ranking, or winners first and then by totals."""
    groups = result.get("ranking") or _ranked(winners, totals, players)
    places: list[tuple[int, str]] = []
    for group in groups:
        place = len(places) + 1
        places += [(place, name) for name in group]
    return places


def _ranked(winners: tuple[str, ...], totals: dict[str, int], players: list[str]) -> list[list[str]]:
    others = [name for name in players if name not in winners]
    marks = sorted({totals.get(name, 0) for name in others}, reverse=True)
    behind = [[name for name in others if totals.get(name, 0) == mark] for mark in marks]
    return [list(winners), *behind] if winners else behind
