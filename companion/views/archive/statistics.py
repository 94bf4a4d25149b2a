"""Statistics of players over games: one summary a journal, then the summaries merged.

Wins, chips and points count finished games; feats, what players may be proud of or not, count every current move. One
catalogue reads them off the events, as `phrases` is one; an event that it does not know is no feat.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.referee.session import Session
from companion.rules.engine import Event, Header
from companion.views.archive.measures import ends, measure_totals, views
from companion.views.words import connection, knows, phrase


@dataclass(frozen=True, slots=True)
class Count:
    """Something that happened to a player, or so much of it."""

    player: str
    what: str
    amount: int = 1


@dataclass(frozen=True, slots=True)
class Best:
    """One of a kind of which the greatest is kept.

    Attributes:
        kind: such as ``Best set``, as people are told it.
        weight: what makes one better than another.
        text: the thing itself, such as ``Hexven``.
    """

    player: str
    kind: str
    weight: int
    text: str


Feat = Count | Best

_HOXLA = 7
"""A Hoxla is above every number of edges."""


def feats(event: Event) -> Iterator[Feat]:
    """What an event says of players.

    >>> list(feats({"event": "passed", "player": "Bo"}))
    [Count(player='Bo', what='Passes', amount=1)]
    """
    find_feats = _CATALOGUE.get(event["event"])
    if find_feats is not None:
        yield from find_feats(event)


def _placed(event: Event) -> Iterator[Feat]:
    if "call" in event:
        weight = _HOXLA if event["call"] == "Hoxla" else event["matched"]
        yield Count(event["player"], event["call"])
        yield Best(event["player"], _name("best-call"), weight, event["call"])


def _insurance(event: Event) -> Iterator[Feat]:
    yield Count(event["from"], _name("insurance-paid"), event["amount"])
    yield Count(event["to"], _name("insurance-received"), event["amount"])


def _out(event: Event) -> Iterator[Feat]:
    """In some games whoever goes out pays what there is, in others nothing."""
    yield Count(event["player"], _name("out"))
    if event.get("paid"):
        yield Count(event["player"], _name("insurance-paid"), event["paid"])
        yield Count(event["to"], _name("insurance-received"), event["paid"])


def _won(event: Event) -> Iterator[Feat]:
    if knows("feats", f"won-{event.get('by')}"):
        yield Count(event["player"], _name(f"won-{event['by']}"))
    if "pot" in event:
        for player in event["players"]:
            yield Count(player, _name("pots-won"))
            yield Count(player, _name("pots-chips"), event["amount"])


def _ended(event: Event) -> Iterator[Feat]:
    """In some games the last one left takes all pots."""
    if "last" in event and event["amount"]:
        yield Count(event["last"], _name("pots-chips"), event["amount"])


def _connection(event: Event) -> Iterator[Feat]:
    word = connection(event["kind"])
    for player, points in event["scores"].items():
        yield Count(player, phrase("feats", "connections", kind=word))
        text = phrase("feats", "connection", kind=word, length=event["length"])
        yield Best(player, _name("best-connection"), points, text)


def _scored(event: Event) -> Iterator[Feat]:
    if "pot" in event:
        yield Best(event["player"], _name("best-set"), event["score"], str(event["score"]))


def _played(event: Event) -> Iterator[Feat]:
    yield Count(event["player"], _name("played"))
    yield Best(event["player"], _name("best-card"), event["change"], f"{event['change']:+d}".replace("-", "−"))


def _counted(event: Event) -> Iterator[Feat]:
    """What is counted under the event's own name."""
    yield Count(event["player"], _name(event["event"]))


def _name(feat: str) -> str:
    return phrase("feats", feat)


_CATALOGUE: Mapping[str, Callable[[Event], Iterator[Feat]]] = {
    "placed": _placed,
    "passed": _counted,
    "insurance": _insurance,
    "out": _out,
    "won": _won,
    "ended": _ended,
    "connection": _connection,
    "starred": _counted,
    "skipped": _counted,
    "reserved": _counted,
    "set-laid": _counted,
    "scored": _scored,
    "played": _played,
    "coin-spent": _counted,
    "spider-revealed": _counted,
}


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
