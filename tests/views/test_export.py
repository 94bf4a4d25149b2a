"""Games given away: the record replays to the same end, the table opens as it was meant, nothing in it is a formula."""

import csv
import io
import json
from collections.abc import Callable

import pytest

from companion.referee.session import Session
from companion.rules.engine import Header
from companion.rules.records import replay
from companion.views.archive.export import as_json, record, table

Play = Callable[..., Session]

EVERY = ("hexel", "hexdragon", "comet", "hexapod")


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


@pytest.mark.parametrize("game", EVERY)
def test_a_record_replays_to_the_same_end(played: Play, game: str) -> None:
    session = played(game)
    replayed = replay(record(session.header, (move.command for move in session.moves)).splitlines())
    assert replayed.refusal is None
    assert replayed.state == session.state
    assert replayed.header == session.header


@pytest.mark.parametrize("game", EVERY)
def test_a_table_has_a_row_for_every_move_and_a_column_for_every_number(played: Play, game: str) -> None:
    session = played(game)
    head, before, *rows = rows_of(table(session))
    assert len(rows) == len(session.moves)
    assert {len(row) for row in (head, before, *rows)} == {len(head)}
    assert [row[0] for row in rows] == [str(n + 1) for n in range(len(rows))]
    assert all(number.isdecimal() for number in rows[-1][5:])


def test_a_table_says_what_each_player_had_after_each_move(played: Play) -> None:
    head, *_, last = rows_of(table(played("hexel")))
    assert head == ["move", "when", "player", "command", "said", "Ana: chips", "Bo: chips"]
    assert last[2:] == [
        "Bo",
        "pass Bo",
        "Bo passes. Bo pays Ana the last 3 and is out. Ana wins 6 as the last one in.",
        "103",
        "97",
    ]


def test_a_table_is_known_as_utf_8_and_its_lines_end_as_spreadsheets_expect(played: Play) -> None:
    data = table(played("hexel", "line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb", header=Header("hexel", ("Zoë",)))).encode()
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.count(b"\n") == data.count(b"\r\n") == 3
    assert "Zoë: chips" in data.decode("utf-8-sig")


@pytest.mark.parametrize("name", ["=1+1", "+Ana", "-Bo", "@Cy", "\tDee", "＝1+1", '=HYPERLINK("http://x","y")'])
def test_a_name_that_looks_like_a_formula_is_disarmed_wherever_it_stands(played: Play, name: str) -> None:
    session = played("comet", f"round {json.dumps(name)}", header=Header("comet", (name, "Bo")))
    cells = [cell for row in rows_of(table(session)) for cell in row]
    assert f"'{name}" in cells
    assert not [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r", "＝")]


@pytest.mark.parametrize("name", ['Ana "the Fox"', "Bo, junior", "two\nlines", "a;b"])
def test_a_name_with_quotes_commas_or_lines_comes_back_whole(played: Play, name: str) -> None:
    session = played("comet", f"round {json.dumps(name)}", header=Header("comet", (name, "Bo")))
    head, _, move = rows_of(table(session))
    assert head[5] == f"{name}: chips"
    assert move[2] == name


def test_for_programs_everything_is_there(played: Play) -> None:
    session = played("hexel")
    told = json.loads(json.dumps(as_json(session, 7, "2026-11-21T20:00:00+00:00")))
    assert (told["game"], told["begun"], told["header"]) == (7, "2026-11-21T20:00:00+00:00", session.header.as_json())
    assert [move["command"] for move in told["moves"]] == [dict(move.command) for move in session.moves]
    assert told["moves"][-1]["counts"] == {"chips": {"Ana": 103, "Bo": 97}}
    assert told["result"] == {"winner": "Ana", "amount": 6, "by": "last-in"}
