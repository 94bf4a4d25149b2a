"""A past game as its page tells it: who won, how it went, where it turned, what each player did, every move."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from babel.dates import format_datetime

from companion.referee.moves import Amendment, Move
from companion.referee.session import Session
from companion.views.archive.charts import changes_of, chart, key
from companion.views.archive.measures import Course, courses
from companion.views.archive.statistics import Summed, Tally, summed
from companion.views.changes import amended
from companion.views.naming import counted, listed
from companion.views.phrases import sentences
from companion.views.titles import title
from companion.views.words import inflected, language, phrase, section_of

_TURNS = 8
_ASIDE = frozenset(("dealt", "hands", "scored", "warning"))
"""Events that say how it came to what a move changed, or what comes next."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A move after which somebody had much more or less than before.

    Attributes:
        changed: such as ``Ana +6, Bo −6``.
    """

    move: int
    said: str
    changed: str


def game_page(session: Session) -> dict[str, Any]:
    """All that the page of one game shows, but for where it lies and when it was played."""
    sums, went = summed(session), courses(session)
    return {
        "title": title(session.header),
        "players": session.header.players,
        "result": result_of(sums),
        "standing": [_surviving(n, name, sums, went) for n, name in enumerate(session.header.players)],
        "measures": [course.measure.title for course in went],
        "charts": [_chart(n, course) for n, course in enumerate(went)],
        "turns": turns(session.moves, went),
        "did": {name: did(tally) for name, tally in sums.tallies.items()},
        "moves": [_move(move) for move in session.moves],
        "amendments": [_amendment(each) for each in session.amendments],
    }


def result_of(sums: Summed) -> str:
    """How it ended, in a line.

    An evening of several games says how many came to their end, and who won the last.
    """
    if not sums.finished:
        return phrase("past", "unfinished")
    won = _won(sums.winners)
    if sums.finished > 1:
        told = phrase("past", "won-last", games=counted(sums.finished, "game").capitalize(), won=won)
    else:
        told = phrase("past", "sentence", words=won[0].upper() + won[1:])
    return told if sums.is_over else f"{told} {phrase('past', 'another-begun')}"


def did(tally: Tally) -> list[tuple[str, str]]:
    """What a player did, the best of each kind first, then how often what happened, by name.

    >>> did(Tally())
    []
    """
    bests = [(best.kind, best.text) for best in tally.bests.values()]
    return bests + [(what, str(amount)) for what, amount in sorted(tally.counts.items())]


def turns(moves: Sequence[Move], went: Sequence[Course]) -> list[Turn]:
    """The moves that changed most, and those that ended a game, in order."""
    swings = {n: max(map(abs, _steps(went, n).values()), default=0) for n in range(1, len(moves) + 1)}
    ends = {n for course in went for n in course.ends}
    largest = sorted((n for n in swings if swings[n]), key=lambda n: -swings[n])[:_TURNS]
    return [Turn(n, _briefly(moves[n - 1]), changed(_steps(went, n))) for n in sorted({*largest, *ends})]


def changed(steps: Mapping[str, int]) -> str:
    """What moved, in a line.

    >>> changed({"Ana": 6, "Bo": 0, "Cy": -6})
    'Ana +6, Cy −6'
    """
    return ", ".join(f"{name} {signed(step)}" for name, step in steps.items() if step)


def signed(number: int) -> str:
    """A number with its sign, as print has it.

    >>> signed(-3), signed(0), signed(12)
    ('−3', '0', '+12')
    """
    return f"{number:+d}".replace("-", "−") if number else "0"


def day(when: str) -> str:
    """A moment for people, in the table's own time.

    >>> day("2026-11-21T20:15:00+00:00"), day("")
    ('21 November 2026, 20:15', '')
    """
    if not when:
        return ""
    return format_datetime(datetime.fromisoformat(when), phrase("past", "day"), locale=language())


def numbered(number: int, thing: str) -> str:
    """How many, in digits.

    >>> numbered(1, "move"), numbered(4, "move")
    ('1 move', '4 moves')
    """
    return phrase("past", "number-of", number=number, things=inflected(section_of("counting")[thing], number))


def counts(measure: str, values: Mapping[str, int]) -> str:
    """What each player has of one thing that counts, in a line.

    >>> counts("chips", {"Ana": 9, "Bo": 3})
    'chips: Ana 9, Bo 3'
    """
    numbers = ", ".join(f"{name} {value}" for name, value in values.items())
    return phrase("past", "counts", measure=phrase("past", f"counts-{measure}"), numbers=numbers)


def _won(winners: Sequence[str]) -> str:
    if not winners:
        return phrase("past", "won-nobody")
    return phrase("past", "won" if len(winners) == 1 else "won-shared", players=listed(winners))


def _briefly(move: Move) -> str:
    """What a move came to, without what led to it."""
    return " ".join(sentences(event for event in move.events if event["event"] not in _ASIDE))


def _steps(went: Sequence[Course], n: int) -> dict[str, int]:
    """What the n-th move changed for each player, of the first thing that counts and changed."""
    for course in went:
        steps = {name: values[n] - values[n - 1] for name, values in course.values.items()}
        if any(steps.values()):
            return steps
    return {}


def _surviving(n: int, name: str, sums: Summed, went: Sequence[Course]) -> dict[str, Any]:
    tally = sums.tallies[name]
    return {
        "key": key(n),
        "name": name,
        "won": tally.won + tally.shared,
        "now": [course.values[name][-1] for course in went],
        "change": [signed(course.values[name][-1] - course.values[name][0]) for course in went],
        "is_winner": name in sums.winners,
    }


def _chart(n: int, course: Course) -> dict[str, Any]:
    return {
        "svg": chart(course, f"chart-{n}"),
        "title": course.measure.title,
        "note": course.measure.note,
        "players": list(course.values),
        "rows": changes_of(course),
    }


def _move(move: Move) -> dict[str, Any]:
    said = " ".join(sentences(move.events))
    return {"n": move.number, "said": said, "when": move.when, "picture": move.evidence is not None}


def _amendment(each: Amendment) -> str:
    told = amended(each)
    return phrase(
        "past",
        "put-right-by",
        n=told["at"],
        by=told["by"] or phrase("past", "put-right-button"),
        words=" ".join(told["said"]) or phrase("past", f"did-{told['did']}"),
    )
