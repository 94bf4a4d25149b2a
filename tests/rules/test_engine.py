import json

import pytest

from companion.errors import BadHeader, UsageError
from companion.games import GAMES, game
from companion.rules.engine import Header
from companion.rules.limits import read_json
from companion.rules.records import read_header, replay

HEADER = {"record": 1, "game": "hexel", "edition": "46", "players": ["Ana", "Bo"], "options": {"chips": 40}}
LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [-1, 0], "edges": ["red", "blue", "blue", "blue", "blue", "blue"]},
        {"cell": [0, 0], "edges": ["red", "blue", "blue", "red", "blue", "blue"]},
        {"cell": [1, 0], "edges": ["red", "red", "blue", "red", "blue", "blue"]},
    ],
}
STAKE = {"cmd": "stake", "player": "Ana", "amount": 3}


def record(*commands, header=HEADER):
    return [json.dumps(value) for value in (header, *commands)]


def test_a_header_reads_back_as_it_was_written():
    assert read_header(HEADER).as_json() == HEADER


def test_what_a_header_leaves_out_has_its_default():
    assert read_header({"record": 1, "game": "hexel", "players": ["Ana"]}) == Header("hexel", ("Ana",), "36", {})


@pytest.mark.parametrize(
    "change",
    [
        {"record": 2},
        {"record": True},
        {"record": 1.0},
        {"record": "1"},
        {"game": "chess"},
        {"game": None},
        {"game": ["hexel"]},
        {"edition": "37"},
        {"edition": 36},
        {"edition": ["36"]},
        {"edition": None},
        {"players": []},
        {"players": None},
        {"players": "Ana"},
        {"players": {"Ana": 1}},
        {"players": ["Ana", 3]},
        {"players": ["Ana", ""]},
        {"players": ["Ana", "Bo", "Ana"]},
        {"players": list("ABCDEFG")},
        {"options": None},
        {"options": ["chips"]},
        {"options": {"chisp": 3}},
        {"options": {"chips": 0}},
        {"options": {"chips": -4}},
        {"options": {"chips": True}},
        {"options": {"chips": "100"}},
        {"options": {"chips": 50.0}},
        {"options": {"dealer": "Cy"}},
        {"options": {"dealer": None}},
        {"options": {"dealer": ["Ana"]}},
    ],
)
def test_a_bad_header_is_refused_before_any_command(change):
    with pytest.raises(BadHeader) as caught:
        replay(record(header={**HEADER, **change}))
    assert (caught.value.code, caught.value.exit_status) == ("bad-header", 2)


@pytest.mark.parametrize("field", ["record", "game", "players"])
def test_a_header_must_say_form_game_and_players(field):
    with pytest.raises(BadHeader):
        read_header({key: value for key, value in HEADER.items() if key != field})


@pytest.mark.parametrize(
    "lines", [[], [""], ["  ", "\t"], ["not JSON"], ["[1]"], ["1"], ["null"], ["[" * 100_000], [b"\xff\xfe"], ["NaN"]]
)
def test_a_record_without_a_header_is_a_bad_header(lines):
    with pytest.raises(BadHeader):
        replay(lines)


def test_unknown_fields_of_a_header_are_ignored():
    assert read_header({**HEADER, "note": "at Bo's"}) == read_header(HEADER)


def test_a_header_alone_is_a_whole_record():
    replayed = replay(record())
    assert (replayed.log, replayed.refusal) == ((), None)
    assert replayed.as_json()["phase"] == "line"


def test_blank_lines_are_skipped_but_counted():
    lines = record(LINE, STAKE)
    replayed = replay([lines[0], "", lines[1], "   ", "\r", lines[2], ""])
    assert [line for line, _ in replayed.log] == [3, 6]


@pytest.mark.parametrize(
    "line", ["{", "nonsense", "[]", "3", "null", '"pass"', '{"cmd": NaN}', "[" * 100_000, b'{"cmd": "\xff"}', b"\x00"]
)
def test_a_broken_line_is_a_malformed_command(line):
    replayed = replay([*record(LINE), line, json.dumps(STAKE)])
    assert replayed.refusal is not None
    assert (replayed.refusal.code, replayed.refused_line) == ("malformed", 3)
    assert replayed.as_json()["phase"] == "stake"


def test_a_refused_command_ends_the_replay_with_the_state_before_it():
    played = replay(record(LINE))
    refused = replay(record(LINE, {**STAKE, "player": "Bo"}, STAKE))
    assert refused.refused_line == 3
    assert (refused.state, refused.log) == (played.state, played.log)
    report = refused.as_json()
    assert (report["ok"], report["line"], report["error"]["code"]) == (False, 3, "not-dealer")
    assert {key: report[key] for key in report if key not in ("ok", "line", "error")} == {
        key: value for key, value in played.as_json().items() if key != "ok"
    }


def test_a_replay_tells_each_event_in_a_sentence_with_its_line():
    told = []
    replay(["", *record(LINE, STAKE)], lambda line, sentence: told.append((line, sentence)))
    assert [line for line, _ in told] == [3, 4]
    assert "Ana sets the stake" in told[1][1]


def test_bytes_and_text_replay_alike():
    lines = record(LINE, STAKE)
    assert replay([line.encode() for line in lines]) == replay(lines)


def test_the_report_is_json():
    report = replay(record(LINE, STAKE)).as_json()
    assert json.loads(json.dumps(report)) == report


def test_an_unknown_game_names_those_there_are():
    with pytest.raises(UsageError, match="hexel"):
        game("chess")


@pytest.mark.parametrize("name", GAMES)
def test_every_registered_game_is_found_by_its_name(name):
    assert game(name).rules is GAMES[name].rules


def test_a_header_without_an_edition_is_of_a_game_that_has_none():
    header = {"record": 1, "game": "comet", "players": ["Ana", "Bo"]}
    assert read_header(header).edition is None
    assert read_header(header).as_json() == {**header, "options": {}}
    with pytest.raises(BadHeader, match=r"36.; the game has only one$"):
        read_header({**header, "edition": "36"})
    with pytest.raises(BadHeader, match=r"there are 36, 46$"):
        read_header({**HEADER, "edition": "37"})


def test_a_game_may_have_no_most_players_and_says_how_many_it_takes():
    assert len(read_header({"record": 1, "game": "comet", "players": list("ABCDEFGHIJKL")}).players) == 12
    for name, players, wanted in (("comet", 1, "2 or more"), ("hexapod", 3, "by 2;"), ("hexel", 7, "1 to 6")):
        with pytest.raises(BadHeader, match=wanted):
            read_header({"record": 1, "game": name, "players": list("ABCDEFG")[:players]})


def test_the_report_has_the_fields_of_the_contract():
    played = ["ok", "game", "phase", "turn", "players", "table", "result", "log"]
    assert sorted(replay(record(LINE)).as_json()) == sorted(played)
    assert sorted(replay(record(STAKE)).as_json()) == sorted([*played, "line", "error"])
    assert [sorted(entry) for entry in replay(record(LINE)).as_json()["log"]] == [["events", "line"]]


def test_what_nests_too_deeply_is_no_json():
    with pytest.raises(ValueError, match="deep"):
        read_json("[" * 50_000)


def test_infinity_is_no_json():
    with pytest.raises(ValueError, match="Infinity"):
        read_json('{"amount": -Infinity}')
