"""A past game in forms for others: the record that replays, a table for spreadsheets, one object for programs."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companion.referee.session import Session
from companion.rules.engine import Command, Header
from companion.rules.notation import write
from companion.views.archive.measures import MEASURES, measure_totals, views
from companion.views.changes import amendment_as_json
from companion.views.phrases import sentences

_FORMULA = re.compile(r"[=+\-@＝＋－＠\t\r\n]")


def record(header: Header, commands: Iterable[Command]) -> str:
    """The game as the contract's record: JSON Lines, the header first; `companion replay` takes it."""
    return "".join(json.dumps(value) + "\n" for value in (header.as_json(), *map(dict, commands)))


def table(session: Session) -> str:
    """The moves as comma-separated values (RFC 4180), each with what every player has after it.

    It begins with a byte order mark, by which spreadsheets know UTF-8. A text that a spreadsheet would take for a
    formula begins with an apostrophe.
    """
    shown = [measure_totals(view) for view in views(session)]
    counts = [measure for measure in MEASURES if measure.name in shown[0]]
    players = session.header.players
    names = [f"{name}: {measure.name}" for measure in counts for name in players]
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\r\n")
    rows.writerow(_harmless(["move", "when", "player", "command", "said", *names]))
    rows.writerow(["0", "", "", "", "", *_numbers(shown[0])])
    for move, counted in zip(session.moves, shown[1:], strict=True):
        words = write(session.game.NOTATION, move.command)
        about = [move.when, str(move.command.get("player", "")), words, " ".join(sentences(move.events))]
        rows.writerow([move.number, *_harmless(about), *_numbers(counted)])
    return "\ufeff" + out.getvalue()


def as_json(session: Session, number: int, begun: str) -> dict[str, Any]:
    """The whole game for programs: the header, every move that stands and what it caused, and what was put right."""
    shown = views(session)
    return {
        "game": number,
        "begun": begun,
        "header": session.header.as_json(),
        "counts": measure_totals(shown[0]),
        "moves": [
            {
                "n": move.number,
                "when": move.when,
                "command": dict(move.command),
                "events": list(move.events),
                "said": list(sentences(move.events)),
                "counts": measure_totals(view),
                "confidence": move.evidence.confidence if move.evidence else None,
            }
            for move, view in zip(session.moves, shown[1:], strict=True)
        ],
        "amendments": [amendment_as_json(each) for each in session.amendments],
        "result": shown[-1]["result"],
    }


def _numbers(counted: Mapping[str, Mapping[str, int]]) -> list[int]:
    return [value for measure in MEASURES if measure.name in counted for value in counted[measure.name].values()]


def _harmless(texts: Sequence[str]) -> list[str]:
    """Texts that no spreadsheet takes for a formula.

    >>> _harmless(["=HYPERLINK(1)", "Ana lays a card."])
    ["'=HYPERLINK(1)", 'Ana lays a card.']
    """
    return [f"'{text}" if _FORMULA.match(text) else text for text in texts]
