"""Past games over the web: found, told, taken away and played again; what cannot be told is named, nothing is sent."""

import csv
import hashlib
import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.games import game
from companion.referee.lines import line
from companion.referee.messages import Begin, Confirm, Do, Evidence, Propose
from companion.referee.past import past_game
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.rules.notation import parse
from companion.rules.records import replay
from companion.web import archive
from companion.web.app import create_app
from companion.web.app_context import TableParts

CODE = "ROSE42"
EVENING = {
    "hexdragon": (
        Header("hexdragon", ("Ana", "Bo")),
        ("place Ana -2,1 h0t1-23-45", "place Bo 0,1 h3t1-02-45", "place Ana -1,1 03-12-45", "agree-end Ana"),
    ),
    "comet": (
        Header("comet", ("=cmd|' /C calc'!A0", 'Bo, "the" Fox'), None, {"chips": 2000}),
        ("round \"=cmd|' /C calc'!A0\"", 'set "Bo, \\"the\\" Fox" Kinro 9-9-9', "reveal"),
    ),
    "hexapod": (
        Header("hexapod", ("Ana", "Bo"), None, {"rows": 2, "cols": 2}),
        ("play Ana 0 0 bb/ol", "play Bo 0 0 mm/gg", "pass Ana", "pass Bo"),
    ),
}
"""Played after the table's own game of Hex'el, which is number 1."""


@pytest.fixture
def evening(referee: Referee) -> Referee:
    """A table on which four games were played, the last of them to its end."""
    for header, lines in EVENING.values():
        referee.ask(Begin(header))
        for text in lines:
            referee.ask(Do(parse(game(header.game).rules.NOTATION, text)))
    return referee


@pytest.fixture
def watcher(evening: Referee) -> FlaskClient:
    """A phone that has not joined."""
    parts = TableParts(drawn=lambda jpeg, close=False: b"drawn on " + jpeg)
    return create_app(evening, join_code=CODE, parts=parts).test_client()


def words(page: str) -> str:
    """A page's text."""
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def rewritten(path: Path, n: int, **changes: object) -> None:
    """The journal with its n-th line changed and sealed anew, as another version may have written it."""
    lines = path.read_bytes().splitlines(keepends=True)
    body = json.loads(lines[n - 1])
    del body["crc"]
    lines[n - 1] = line({**body, **changes})
    path.write_bytes(b"".join(lines))


def test_every_game_is_in_the_list_the_newest_first(watcher: FlaskClient) -> None:
    page = watcher.get("/past").get_data(as_text=True)
    assert re.findall(r'href="/past/(\d+)"', page) == ["4", "3", "2", "1"]
    text = words(page)
    assert "Hexapod · game 4" in text
    assert text.index("On the table now") < text.index("game 4") < text.index("Not finished") < text.index("game 3")
    assert "4 moves · points: Ana 9, Bo 15" in text


def test_a_long_list_goes_on_further_back(
    evening: Referee, watcher: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.web.past._A_PAGE", 3)
    numbers = re.compile(r'href="/past/(\d+)"')
    page = watcher.get("/past").get_data(as_text=True)
    assert numbers.findall(page) == ["4", "3", "2"]
    assert 'href="/past?before=2"' in page
    older = watcher.get("/past?before=2").get_data(as_text=True)
    assert numbers.findall(older) == ["1"]
    assert "Older games" not in older
    assert "There are no games before." in words(watcher.get("/past?before=1").get_data(as_text=True))
    assert watcher.get("/past?before=nonsense").status_code == 200


def test_a_table_without_a_finished_game_says_so(spectator: FlaskClient) -> None:
    assert "It has not come to its end." in words(spectator.get("/past").get_data(as_text=True))


def test_a_games_page_tells_how_it_went(watcher: FlaskClient) -> None:
    page = watcher.get("/past/4").get_data(as_text=True)
    text = words(page)
    assert "Bo wins." in text
    assert "Points over four moves: Ana from 6 to 9; Bo from 6 to 15. A game was over after move 4." in text
    assert "Move 2 Bo lays a card: +9, now 9 in the case. Bo +9" in text
    assert re.findall(r'<li value="(\d)">', page) == ["1", "2", "3", "4"]


def test_names_cannot_break_out_of_a_page(evening: Referee, watcher: FlaskClient) -> None:
    nasty = '<img src=x onerror="alert(1)">'
    evening.ask(Begin(Header("hexapod", (nasty, "Bo"))))
    evening.ask(Do({"cmd": "pass", "player": nasty}))
    for path in ("/past", "/past/5", "/past/players", "/past/5/page.html"):
        assert "<img" not in watcher.get(path).get_data(as_text=True)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_record_taken_away_replays_to_the_same_end(evening: Referee, watcher: FlaskClient, number: int) -> None:
    answer = watcher.get(f"/past/{number}/record.jsonl")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="companion-game-{number:04}.jsonl"'
    replayed = replay(answer.data.splitlines())
    kept = past_game(evening.games / f"{number:04}.jsonl")
    assert kept.session is not None
    assert replayed.refusal is None
    assert replayed.state == kept.session.state


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_table_and_the_json_hold_every_move(watcher: FlaskClient, number: int) -> None:
    rows = list(csv.reader(io.StringIO(watcher.get(f"/past/{number}/moves.csv").data.decode("utf-8-sig"), newline="")))
    told = watcher.get(f"/past/{number}/game.json").get_json()
    assert [row[0] for row in rows[2:]] == [str(move["n"]) for move in told["moves"]]
    assert told["header"]["record"] == 1


def test_a_spreadsheet_runs_nothing_that_a_player_typed(watcher: FlaskClient) -> None:
    text = watcher.get("/past/3/moves.csv").data.decode("utf-8-sig")
    head, *_ = csv.reader(io.StringIO(text, newline=""))
    assert head[5:] == ["'=cmd|' /C calc'!A0: chips", 'Bo, "the" Fox: chips']
    assert "\r\n=" not in text
    assert ",=" not in text


def test_one_page_to_send_needs_nothing_else(watcher: FlaskClient) -> None:
    answer = watcher.get("/past/4/page.html")
    page = answer.get_data(as_text=True)
    assert "attachment" in answer.headers["Content-Disposition"]
    assert not re.findall(r'\b(?:src|href)="(?!#)', page)
    assert "<script" not in page
    assert "--ink" in page, "its style is in it"
    assert "<svg" in page
    assert "<details open>" in page


def test_statistics_are_of_all_games(watcher: FlaskClient) -> None:
    text = words(watcher.get("/past/players").get_data(as_text=True))
    assert "Hexapod Player Games Won Most points On average Bo 1 1 15 15.0 Ana 1 0 9 9.0" in text
    assert "Best card +9" in text
    assert "Seven Card Comet" in text


def test_a_past_moves_picture_is_shown_with_what_was_recognised(evening: Referee, watcher: FlaskClient) -> None:
    evening.ask(Begin(EVENING["hexapod"][0]))
    evening.ask(Propose({"cmd": "pass", "player": "Ana"}, Evidence(b"a picture", 0.9)))
    evening.ask(Confirm(evening.latest().version))
    evening.ask(Begin(EVENING["hexapod"][0]))
    assert watcher.get("/past/5/moves/1/evidence.jpg").data == b"drawn on a picture"
    assert watcher.get("/past/5/moves/2/evidence.jpg").status_code == 404
    assert watcher.get("/past/5/moves/0/evidence.jpg").status_code == 404
    assert "/past/5/moves/1/evidence.jpg" in watcher.get("/past/5").get_data(as_text=True)
    (evening.games / "0005.evidence" / "0002.jpg").write_bytes(b"another")
    spoilt = watcher.get("/past/5/moves/1/evidence.jpg")
    assert spoilt.status_code == 503
    assert "0005.evidence/0002.jpg is not the one that was kept" in spoilt.get_data(as_text=True)
    assert str(evening.games) not in spoilt.get_data(as_text=True)


@pytest.mark.parametrize("path", ["/past/9", "/past/9/record.jsonl", "/past/0", "/past/one", "/past/9/moves.csv"])
def test_a_game_that_is_not_there_is_not_found(watcher: FlaskClient, path: str) -> None:
    assert watcher.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/past", "/past/players", "/past/1"])
def test_the_pages_hold_no_script_and_no_style_of_their_own(watcher: FlaskClient, path: str) -> None:
    answer = watcher.get(path)
    page = answer.get_data(as_text=True)
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert not re.findall(r"<script(?![^>]* src=| type=.importmap.>)|<style|\sstyle=|\son\w+=|javascript:", page)
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', page)


def test_a_game_that_the_rules_judge_otherwise_is_named_and_its_record_can_be_taken(
    evening: Referee, watcher: FlaskClient
) -> None:
    rewritten(evening.games / "0002.jsonl", 2, events=[])
    text = words(watcher.get("/past").get_data(as_text=True))
    assert "Not readable Game 2 It cannot be told:" in text
    page = words(watcher.get("/past/2").get_data(as_text=True))
    assert "judge a move otherwise" in page
    assert str(evening.games) not in page
    assert replay(watcher.get("/past/2/record.jsonl").data.splitlines()).refusal is None
    assert watcher.get("/past/2/moves.csv").status_code == 503
    assert "1 game is not counted" in words(watcher.get("/past/players").get_data(as_text=True))


def test_a_damaged_journal_does_not_keep_the_others_from_being_told(evening: Referee, watcher: FlaskClient) -> None:
    (evening.games / "0002.jsonl").write_text("{}\n{}\n")
    text = words(watcher.get("/past").get_data(as_text=True))
    assert "the journal 0002.jsonl is damaged" in text
    assert str(evening.games) not in watcher.get("/past/2").get_data(as_text=True)
    assert "Hexapod · game 4" in text
    assert watcher.get("/past/2").status_code == 503


@pytest.mark.parametrize(
    "changes",
    [
        {"when": "yesterday"},
        {"when": 5},
        {"when": "0001-01-01T00:00:00+23:00"},
        {"version": "9"},
        {"by": {"name": "Bo"}},
        {"by": "\ud800"},
        {"command": 5},
        {"commands": [None]},
        {"evidence": {"file": 5, "sha256": ""}},
        {"evidence": {"file": "0002.jpg", "sha256": "", "chances": [5]}},
        {"evidence": {"file": "0002.jpg", "sha256": "", "confidence": "\ud800"}},
    ],
)
@pytest.mark.parametrize("n", [1, 2])
def test_a_line_with_other_things_in_it_does_not_keep_the_others_from_being_told(
    evening: Referee, watcher: FlaskClient, n: int, changes: dict[str, object]
) -> None:
    rewritten(evening.games / "0002.jsonl", n, **changes)
    text = words(watcher.get("/past").get_data(as_text=True))
    assert f"the journal 0002.jsonl is damaged, line {n}" in text and "Hexapod · game 4" in text
    files = ("", "/page.html", "/record.jsonl", "/moves.csv", "/game.json", "/moves/1/evidence.jpg")
    assert {watcher.get(f"/past/2{file}").status_code for file in files} == {503}


def test_a_picture_is_a_file_of_its_own_game(evening: Referee, watcher: FlaskClient) -> None:
    secret = evening.games.parent / "join-code"
    secret.write_text(CODE)
    for file in ("../../join-code", str(secret)):
        kept = {"file": file, "sha256": hashlib.sha256(secret.read_bytes()).hexdigest()}
        rewritten(evening.games / "0002.jsonl", 2, evidence=kept)
        answer = watcher.get("/past/2/moves/1/evidence.jpg")
        assert answer.status_code == 503 and CODE not in answer.text


def test_half_a_character_of_an_earlier_version_is_told_as_a_question_mark(
    evening: Referee, watcher: FlaskClient
) -> None:
    journal = evening.games / "0002.jsonl"
    command = json.loads(journal.read_bytes().splitlines()[1])["command"]
    rewritten(journal, 2, command={**command, "player": "\ud800"})
    assert "Hexapod · game 4" in words(watcher.get("/past").text)
    assert [watcher.get(f"/past/2{file}").status_code for file in ("", "/record.jsonl", "/game.json")] == [
        200,
        200,
        503,
    ]


@pytest.mark.parametrize("kind", ["folder", "pipe", "nowhere", "itself"])
def test_a_journal_that_is_no_file_does_not_keep_the_others_from_being_told(
    evening: Referee, watcher: FlaskClient, kind: str
) -> None:
    journal = evening.games / "0002.jsonl"
    journal.unlink()
    {
        "folder": journal.mkdir,
        "pipe": lambda: os.mkfifo(journal),
        "nowhere": lambda: journal.symlink_to("gone"),
        "itself": lambda: journal.symlink_to(journal.name),
    }[kind]()
    text = words(watcher.get("/past").get_data(as_text=True))
    assert "cannot read the journal 0002.jsonl" in text and "Hexapod · game 4" in text
    assert [watcher.get(path).status_code for path in ("/past/2", "/past/players", "/api/players")] == [503, 200, 200]


def test_a_journal_is_read_again_only_when_it_has_changed(
    evening: Referee, watcher: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(archive, "past_game", lambda path: read.append(path.stem) or past_game(path))
    for _ in range(3):
        watcher.get("/past")
    assert read == ["0004", "0003", "0002", "0001"]
    evening.ask(Begin(EVENING["hexapod"][0]))
    evening.ask(Do({"cmd": "pass", "player": "Ana"}))
    assert "game 5" in watcher.get("/past").get_data(as_text=True)
    assert read[4:] == ["0005"]


def test_looking_back_changes_nothing(evening: Referee, watcher: FlaskClient) -> None:
    before = {path: path.read_bytes() for path in evening.games.iterdir() if path.is_file()}
    version = evening.latest().version
    for path in ("/past", "/past/players", "/past/1", "/past/2/game.json", "/past/3/page.html"):
        assert watcher.get(path).status_code == 200
    assert {path: path.read_bytes() for path in evening.games.iterdir() if path.is_file()} == before
    assert evening.latest().version == version


@pytest.fixture
def two_tables(table: Callable[..., Referee]) -> tuple[Referee, Referee]:
    return table(), table()


def test_a_table_tells_its_own_games_only(two_tables: tuple[Referee, Referee]) -> None:
    first, _ = two_tables
    first.ask(Begin(EVENING["hexapod"][0]))
    pages = [create_app(each, join_code=CODE).test_client().get("/past").get_data(as_text=True) for each in two_tables]
    assert ["Hexapod" in page for page in pages] == [True, False]


def test_a_game_that_a_bug_keeps_from_being_summed_up_does_not_hide_the_others(
    watcher: FlaskClient, evening: Referee, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(session: object) -> object:
        if session.header.game == "comet":
            raise RecursionError
        return summed(session)

    summed = archive.summarise
    monkeypatch.setattr(archive, "summarise", broken)
    page = words(watcher.get("/past").text)
    assert "A mistake of the program" in page and "HexDragon" in page
    assert watcher.get("/past/players").status_code == 200


def test_a_move_that_an_earlier_version_let_in_nested_deep_is_told_over_the_web(
    evening: Referee, watcher: FlaskClient
) -> None:
    path = evening.games / "0002.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    body = {key: value for key, value in json.loads(lines[1]).items() if key != "crc"}
    body["command"]["beside"] = json.loads("[" * 900 + "]" * 900)
    path.write_bytes(lines[0] + line(body) + b"".join(lines[2:]))
    assert {watcher.get(f"/past/2{more}").status_code for more in ("", "/record.jsonl", "/game.json")} == {200}
    assert watcher.get("/past").status_code == 200
