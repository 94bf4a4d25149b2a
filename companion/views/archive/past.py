"""The page of a past game: its result, charts, turning points, each player's feats, and every move."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from babel.dates import format_datetime

from companion.referee.moves import Amendment, Move
from companion.referee.session import Session
from companion.views.archive.charts import changes_of, chart, key
from companion.views.archive.measures import Series, series_of
from companion.views.archive.statistics import Summed, Tally, summarise
from companion.views.changes import amendment_as_json
from companion.views.games import title
from companion.views.phrases import sentences
from companion.views.words import capitalize, counted, inflected, isolate, language, listed, phrase, section_of

_TURNS = 8
_ASIDE = frozenset(("dealt", "hands", "scored", "warning"))
"""Events that are left out of a turning point's sentence."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turning point: a move that changed somebody's number most.

    Attributes:
        changed: such as ``Ana +6, Bo −6``.
    """

    move: int
    said: str
    changed: str


def game_page(session: Session) -> dict[str, Any]:
    """The data of a game's page, without its file and date."""
    sums, all_series = summarise(session), series_of(session)
    return {
        "title": title(session.header),
        "players": session.header.players,
        "result": result_of(sums),
        "standing": [_player_row(n, name, sums, all_series) for n, name in enumerate(session.header.players)],
        "measures": [series.measure.title for series in all_series],
        "charts": [_chart(n, series) for n, series in enumerate(all_series)],
        "turns": turns(session.moves, all_series),
        "did": {name: did(tally) for name, tally in sums.tallies.items()},
        "moves": [_move(move) for move in session.moves],
        "amendments": [_amendment(amendment) for amendment in session.amendments],
    }


def result_of(sums: Summed) -> str:
    """The result in a line; for an evening, how many games were finished and who won the last."""
    if not sums.finished:
        return phrase("past", "unfinished")
    won = _won(sums.winners)
    if sums.finished > 1:
        text = phrase("past", "won-last", games=capitalize(counted(sums.finished, "game")), won=won)
    else:
        text = phrase("past", "sentence", words=capitalize(won))
    return text if sums.is_over else f"{text} {phrase('past', 'another-begun')}"


def did(tally: Tally) -> list[tuple[str, str]]:
    """A player's feats as (name, text): the best of each kind first, then counts by name.

    >>> did(Tally())
    []
    """
    bests = [(best.kind, best.text) for best in tally.bests.values()]
    return bests + [(what, str(amount)) for what, amount in sorted(tally.counts.items())]


def turns(moves: Sequence[Move], all_series: Sequence[Series]) -> list[Turn]:
    """The turning points, and the moves that ended a game, in order."""
    swings = {n: max(map(abs, _steps(all_series, n).values()), default=0) for n in range(1, len(moves) + 1)}
    ends = {n for series in all_series for n in series.ends}
    largest = sorted((n for n in swings if swings[n]), key=lambda n: -swings[n])[:_TURNS]
    return [Turn(n, _short_sentences(moves[n - 1]), changed(_steps(all_series, n))) for n in sorted({*largest, *ends})]


def changed(steps: Mapping[str, int]) -> str:
    """The changes in a line.

    >>> changed({"Ana": 6, "Bo": 0, "Cy": -6})
    'Ana +6, Cy −6'
    """
    return ", ".join(f"{isolate(name)} {signed(step)}" for name, step in steps.items() if step)


def signed(number: int) -> str:
    """A number with its sign, and a typographic minus.

    >>> signed(-3), signed(0), signed(12)
    ('−3', '0', '+12')
    """
    return f"{number:+d}".replace("-", "−") if number else "0"


def day(when: str) -> str:
    """A date and time for people, in the table's own time zone.

    >>> day("2026-11-21T20:15:00+00:00"), day("")
    ('21 November 2026, 20:15', '')
    """
    if not when:
        return ""
    return format_datetime(datetime.fromisoformat(when), phrase("past", "day"), locale=language())


def numbered(number: int, thing: str) -> str:
    """A count of things, in digits.

    >>> numbered(1, "move"), numbered(4, "move")
    ('1 move', '4 moves')
    """
    return phrase("past", "number-of", number=number, things=inflected(section_of("counting")[thing], number))


def counts(measure: str, values: Mapping[str, int]) -> str:
    """The players' numbers of one measure, in a line.

    >>> counts("chips", {"Ana": 9, "Bo": 3})
    'chips: Ana 9, Bo 3'
    """
    numbers = ", ".join(f"{isolate(name)} {value}" for name, value in values.items())
    return phrase("past", "counts", measure=phrase("past", f"counts-{measure}"), numbers=numbers)


def _won(winners: Sequence[str]) -> str:
    if not winners:
        return phrase("past", "won-nobody")
    return phrase("past", "won" if len(winners) == 1 else "won-shared", players=listed(winners))


def _short_sentences(move: Move) -> str:
    """A move's sentences, without the events in `_ASIDE`."""
    return " ".join(sentences(event for event in move.events if event["event"] not in _ASIDE))


def _steps(all_series: Sequence[Series], n: int) -> dict[str, int]:
    """Each player's change by the n-th move, in the first measure that changed."""
    for series in all_series:
        steps = {name: values[n] - values[n - 1] for name, values in series.values.items()}
        if any(steps.values()):
            return steps
    return {}


def _player_row(n: int, name: str, sums: Summed, all_series: Sequence[Series]) -> dict[str, Any]:
    tally = sums.tallies[name]
    return {
        "key": key(n),
        "name": name,
        "won": tally.won + tally.shared,
        "now": [series.values[name][-1] for series in all_series],
        "change": [signed(series.values[name][-1] - series.values[name][0]) for series in all_series],
        "is_winner": name in sums.winners,
    }


def _chart(n: int, series: Series) -> dict[str, Any]:
    return {
        "svg": chart(series, f"chart-{n}"),
        "title": series.measure.title,
        "note": series.measure.note,
        "players": list(series.values),
        "rows": changes_of(series),
    }


def _move(move: Move) -> dict[str, Any]:
    said = " ".join(sentences(move.events))
    return {"n": move.number, "said": said, "when": move.when, "picture": move.evidence is not None}


def _amendment(amendment: Amendment) -> str:
    entry = amendment_as_json(amendment)
    return phrase(
        "past",
        "put-right-by",
        n=entry["at"],
        by=entry["by"] or phrase("past", "put-right-button"),
        words=" ".join(entry["said"]) or phrase("past", f"did-{entry['did']}"),
    )
