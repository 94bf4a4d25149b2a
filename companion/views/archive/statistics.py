"""Statistics of players over games: one summary a journal, then the summaries merged.

Wins, chips and points count finished games; feats count every current move.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.referee.session import Session
from companion.rules.engine import Header
from companion.views.archive.feats import Best, Count, feats
from companion.views.archive.measures import ends, measure_totals, views


@dataclass(slots=True)
class Tally:
    """One player's totals in one kind of game.

    Attributes:
        games: finished games with this player.
        won: games won alone; ``shared``, won with others.
        chips: won or lost in all of them; None where the game has no chips.
        points: at the end of each; empty where the game has none.
        counts: numbers of feats, by name.
        bests: the best feat of each kind.
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
        """Mean points of the finished games; None without any."""
        return sum(self.points) / len(self.points) if self.points else None

    def add(self, other: "Tally") -> None:
        """Add another tally of the same player."""
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
        """Keep a feat if it is better than the one of its kind; at a tie the earlier stays."""
        known = self.bests.get(best.kind)
        if known is None or best.weight > known.weight:
            self.bests[best.kind] = best


@dataclass(frozen=True, slots=True)
class Summed:
    """The summary of one journal's game or evening of games.

    Attributes:
        finished: number of finished games.
        winners: of the last finished game.
        standing: the players' current numbers, by measure.
        is_over: whether the last game is finished.
    """

    header: Header
    moves: int
    finished: int
    winners: tuple[str, ...]
    standing: Mapping[str, Mapping[str, int]]
    is_over: bool
    tallies: Mapping[str, Tally]


def summarise(session: Session) -> Summed:
    """Summarise one game, or an evening of games."""
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
        session.header, len(session.moves), len(over), winners, measure_totals(shown[-1]), last is not None, tallies
    )


def winners_of(result: Mapping[str, Any]) -> tuple[str, ...]:
    """The winners in a game's result; empty when nobody won or the result does not say.

    >>> winners_of({"winner": None, "amount": 0}), winners_of({"ranking": [["Ana", "Cy"], ["Bo"]]})
    ((), ('Ana', 'Cy'))
    """
    if "winner" in result:
        return () if result["winner"] is None else (result["winner"],)
    if "ranking" in result:
        return tuple(result["ranking"][0])
    return tuple(result.get("winners", ()))


def together(
    sums: Iterable[Summed], shown: Callable[[str], str | None] = lambda name: name
) -> dict[str, dict[str, Tally]]:
    """Merge summaries: by kind of game, every player's tally, most wins first.

    Args:
        shown: the name that a player is listed under; equal names share a tally, None is left out.
    """
    games: dict[str, dict[str, Tally]] = {}
    for summary in sums:
        players = games.setdefault(summary.header.game, {})
        for name, tally in summary.tallies.items():
            if (listed := shown(name)) is not None:
                players.setdefault(listed, Tally()).add(tally)
    return {game: dict(sorted(players.items(), key=_rank)) for game, players in games.items()}


def _rank(named: tuple[str, Tally]) -> tuple[Any, ...]:
    name, tally = named
    return -tally.won - tally.shared, -(tally.chips or 0), -sum(tally.points), name.casefold()


def _finish(tallies: Mapping[str, Tally], before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Add one finished game: its winners, and each player's chips and points."""
    winners = winners_of(after["result"])
    was, now = measure_totals(before), measure_totals(after)
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
