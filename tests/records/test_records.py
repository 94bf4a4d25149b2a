"""Tricky records with what the rules pages say of them, worked out by hand.

A ``.txt`` file here holds records. A line ``== title`` begins one: then its header, and its commands as JSON or in the
game's notation; ``:: NAME`` begins lines that ``@NAME`` puts in elsewhere, ``@NAME*3`` three times. What must come of
it stands in lines with ``--``:

    -- refused CODE            the last line is refused with that code, all before are accepted
    -- bad-header              the header is
    -- events NAME...          the events of the last line
    -- PATH JSON               what `replay --json` prints there: `players.Ana.chips 97`, `log.-1.events.0.call "Hexel"`
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from companion.errors import BadHeader
from companion.games import game
from companion.rules import notation
from companion.rules.records import replay


@dataclass
class Record:
    """A header and commands as the lines of a record file, and what is expected."""

    title: str
    lines: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)


def records(file: Path) -> Iterator[Record]:
    """The records of one file."""
    pieces: dict[str, list[str]] = {}
    found: list[Record] = []
    lines: list[str] = []
    for line in filter(None, map(str.strip, file.read_text(encoding="utf-8").splitlines())):
        mark, _, rest = line.partition(" ")
        if mark == "==":
            found.append(Record(rest))
            lines = found[-1].lines
        elif mark == "::":
            lines = pieces.setdefault(rest, [])
        elif mark == "--":
            found[-1].expected.append(rest)
        elif line.startswith("@"):
            name, _, times = line[1:].partition("*")
            lines += pieces[name] * int(times or 1)
        else:
            lines.append(line)
    yield from found


def as_json(name: str, line: str) -> str:
    """A command of a record file: JSON as it is, notation as JSON."""
    return line if line[0] in '{["' else json.dumps(notation.parse(game(name).rules.NOTATION, line))


ALL = [(file.stem, record) for file in sorted(Path(__file__).parent.glob("*.txt")) for record in records(file)]


@pytest.mark.parametrize(("name", "record"), ALL, ids=[f"{name}: {record.title}" for name, record in ALL])
def test_a_tricky_record_goes_as_the_rules_page_says(name: str, record: Record) -> None:
    header = json.dumps({"record": 1, "game": name, **json.loads(record.lines[0])})
    lines = [header, *(as_json(name, line) for line in record.lines[1:])]
    if record.expected == ["bad-header"]:
        with pytest.raises(BadHeader):
            replay(lines)
        return
    report = json.loads(json.dumps(replay(lines).as_json()))
    is_refused = any(line.startswith("refused ") for line in record.expected)
    assert report["ok"] is not is_refused, report.get("error")
    for line in record.expected:
        what, _, wanted = line.partition(" ")
        if what == "refused":
            assert (report["line"], report["error"]["code"]) == (len(lines), wanted), report["error"]
        elif what == "events":
            assert [event["event"] for event in report["log"][-1]["events"]] == wanted.split()
        else:
            assert found_at(report, what) == json.loads(wanted), line


def found_at(value: Any, path: str) -> Any:
    """What stands at a dotted path of a JSON value."""
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value
