"""Statistics of players over games: each journal summed up by itself, then the sums put together.

Wins, chips and points are of games that came to their end; what happened in the moves is of every move that stands.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.referee.session import Session
from companion.rules.engine import Header
from companion.views.archive.feats import Best, Count, feats
from companion.views.archive.measures import ends, measured, views


@dataclass(slots=True)
class Tally:
    """What stands to one player's account, in one kind of game.

    Attributes:
        games: that came to their end with this player in them.
        won: of those, won alone; ``shared``, won with others.
        chips: won or lost in them all together; None where the game has no chips.
        points: at the end of each; empty where the game has none.
        counts: how often things happened.
        bests: the greatest of each kind.
    """

    games: int = 0
    won: int = 0
    shared: int = 0
    chips: int | None = None
    points: list[int] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    bests: dict[str, Best] = field(default_factory=dict)

    @property
    def mean_points(self) -> float | None:
        """Of the games that came to their end."""
        return sum(self.points) / len(self.points) if self.points else None

    def add(self, other: "Tally") -> None:
        """Take in another account of the same player."""
        self.games += other.games
        self.won += other.won
        self.shared += other.shared
        if other.chips is not None:
            self.chips = (self.chips or 0) + other.chips
        self.points += other.points
        self.counts.update(other.counts)
        for best in other.bests.values():
            self.keep(best)

    def keep(self, best: Best) -> None:
        """Keep it when it is better than what was kept; of two alike the earlier."""
        known = self.bests.get(best.kind)
        if known is None or best.weight > known.weight:
            self.bests[best.kind] = best


@dataclass(frozen=True, slots=True)
class Summed:
    """One journal's game or evening of games, summed up.

    Attributes:
        finished: how many games came to their end.
        winners: of the last of them.
        standing: what each player has now of what counts.
        is_over: whether the last game came to its end.
    """

    header: Header
    moves: int
    finished: int
    winners: tuple[str, ...]
    standing: Mapping[str, Mapping[str, int]]
    is_over: bool
    tallies: Mapping[str, Tally]


def summed(session: Session) -> Summed:
    """Sum up one game, or an evening of games."""
    shown = views(session)
    over = ends(shown)
    tallies = {name: Tally() for name in session.header.players}
    for begun, end in zip((0, *over), over, strict=False):
        _finish(tallies, shown[begun], shown[end])
    for move in session.moves:
        for event in move.events:
            _note(tallies, event)
    last = shown[-1]["result"]
    winners = winners_of(shown[over[-1]]["result"]) if over else ()
    return Summed(
        session.header, len(session.moves), len(over), winners, measured(shown[-1]), last is not None, tallies
    )


def winners_of(result: Mapping[str, Any]) -> tuple[str, ...]:
    """Who won, by a result as the games' rules name it; nobody where all got back what was theirs, or it does not say.

    >>> winners_of({"winner": None, "amount": 0}), winners_of({"ranking": [["Ana", "Cy"], ["Bo"]]})
    ((), ('Ana', 'Cy'))
    """
    if "winner" in result:
        return () if result["winner"] is None else (result["winner"],)
    if "ranking" in result:
        return tuple(result["ranking"][0])
    return tuple(result.get("winners", ()))


def together(sums: Iterable[Summed]) -> dict[str, dict[str, Tally]]:
    """All games put together: of each kind of game every player's account, those who won most first."""
    games: dict[str, dict[str, Tally]] = {}
    for each in sums:
        players = games.setdefault(each.header.game, {})
        for name, tally in each.tallies.items():
            players.setdefault(name, Tally()).add(tally)
    return {game: dict(sorted(players.items(), key=_rank)) for game, players in games.items()}


def _rank(named: tuple[str, Tally]) -> tuple[Any, ...]:
    name, tally = named
    return -tally.won - tally.shared, -(tally.chips or 0), -sum(tally.points), name.casefold()


def _finish(tallies: Mapping[str, Tally], before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """One game that came to its end: who won it, and what it brought each player."""
    winners = winners_of(after["result"])
    was, now = measured(before), measured(after)
    for name, tally in tallies.items():
        tally.games += 1
        tally.won += winners == (name,)
        tally.shared += len(winners) > 1 and name in winners
        if "chips" in now:
            tally.chips = (tally.chips or 0) + now["chips"][name] - was["chips"][name]
        if "points" in now:
            tally.points.append(now["points"][name])


def _note(tallies: Mapping[str, Tally], event: Mapping[str, Any]) -> None:
    for feat in feats(dict(event)):
        tally = tallies[feat.player]
        if isinstance(feat, Count):
            tally.counts[feat.what] += feat.amount
        else:
            tally.keep(feat)
