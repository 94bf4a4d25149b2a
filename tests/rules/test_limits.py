"""The limits of what comes in, where bytes become values: numbers, nesting, sizes, names, players."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import BadHeader
from companion.rules.limits import COMMAND, FILE, Limits, prune, read_json, read_toml
from companion.rules.records import read_header, replay, require_distinct

UNSEEN = (
    "\u2800",
    "\u3164\u3164",
    "\uffa0",
    "\u115f",
    "\u0301\u0301",
    "\u00a0",
    "\u200b",
    "\u034f",
    "\ufe0f",
    "\u3000",
)
"""Names that nobody can see or say."""
JOINED = (
    "\U0001f469\u200d\U0001f4bb Ana",
    "\u2764\ufe0f\u200d\U0001f525",
    "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",
)
"""Two emoji of several signs each, and a Persian name of two parts."""
MISJOINED = ("Ana\u200d", "\u200cAna", "A\u200d\u200dna", "Ana\u200d Bo")
"""Joiners that join nothing."""
HEADER = {"record": 1, "game": "hexel", "players": ["Ana", "Bo"]}


def refused(line: bytes | str) -> str | None:
    lines = [json.dumps(HEADER), line]
    refusal = replay(lines).refusal
    return None if refusal is None else refusal.code


@pytest.mark.parametrize("number", ["1" * 4300, "1" * 5000, "1000000001", "-1000000001", "1e10", "1e999", "NaN"])
def test_a_number_beyond_the_contract_is_malformed(number: str) -> None:
    assert refused(f'{{"cmd": "stake", "player": "Ana", "amount": {number}}}') == "malformed"
    assert refused(f'{{"cmd": "pass", "player": "Ana", "beside": [{number}]}}') == "malformed"


def test_the_largest_number_is_the_games_own_affair() -> None:
    assert refused('{"cmd": "stake", "player": "Ana", "amount": 1000000000}') != "malformed"


@pytest.mark.parametrize("depth", [17, 975, 30000])
def test_what_is_nested_too_deep_is_malformed(depth: int) -> None:
    line = '{"cmd": "pass", "player": "Ana", "x": ' + "[" * (depth - 1) + "]" * (depth - 1) + "}"
    assert refused(line) == "malformed"


def test_sixteen_deep_is_read() -> None:
    assert read_json("[" * 16 + "3" + "]" * 16)
    with pytest.raises(ValueError, match="16 deep"):
        read_json("[" * 17 + "]" * 17)


@pytest.mark.parametrize("make", [str, str.encode])
def test_a_line_of_64_kib_is_read_and_a_longer_one_is_malformed(make: type) -> None:
    assert read_json(make('"' + "a" * (COMMAND.size_bytes - 2) + '"'))
    with pytest.raises(ValueError, match="longer"):
        read_json(make('"' + "a" * (COMMAND.size_bytes - 1) + '"'))
    with pytest.raises(ValueError, match="longer"):
        read_json(make('"' + "é" * (COMMAND.size_bytes // 2) + '"'))


@pytest.mark.parametrize(
    "name", ["", " ", "A" * 41, "An\na", "An\x00a", "\u202eanA", "A\u2066na", "\ud800", 3, None, *UNSEEN, *MISJOINED]
)
def test_a_name_that_is_none_is_a_bad_header(name: object) -> None:
    with pytest.raises(BadHeader):
        read_header({**HEADER, "players": [name, "Bo"]})


@pytest.mark.parametrize("name", ["A" * 40, "Ána Ña", "玲", "אבא", "O'Bo", *JOINED])
def test_a_printable_name_of_any_script_is_a_name(name: str) -> None:
    assert read_header({**HEADER, "players": [name, "Bo"]}).players[0] == name


def test_names_that_look_the_same_begin_no_game_but_are_replayed() -> None:
    for other in ("Ana ", " Ana", "A\u200cna"):
        header = read_header({**HEADER, "players": ["Ana", other]})
        with pytest.raises(BadHeader, match="one name"):
            require_distinct(header)
    assert require_distinct(read_header({**HEADER, "players": ["Ana", "Anna"]})).players == ("Ana", "Anna")


def test_a_table_has_room_for_twelve() -> None:
    seats = [f"P{n}" for n in range(13)]
    assert len(read_header({"record": 1, "game": "comet", "players": seats[:12]}).players) == 12
    with pytest.raises(BadHeader, match="12"):
        read_header({"record": 1, "game": "comet", "players": seats})


def test_a_header_beyond_the_limits_is_a_bad_header() -> None:
    with pytest.raises(BadHeader):
        replay([json.dumps({**HEADER, "options": {"chips": 10**10}})])


@pytest.mark.parametrize("text", ["a = " + "[" * 5000 + "]" * 5000, "a = " + "1" * 5000, "a = inf"])
def test_settings_beyond_the_limits_are_an_error_in_one_line(text: str) -> None:
    with pytest.raises(ValueError):
        read_toml(text)


def test_a_file_that_is_too_large_is_not_parsed() -> None:
    with pytest.raises(ValueError, match="longer"):
        read_toml("#" * (FILE.size_bytes + 1))


def test_a_byte_order_mark_before_a_text_is_left_out() -> None:
    assert read_json("\ufeff[3]") == read_json(b"\xef\xbb\xbf[3]") == [3]
    assert read_toml(b"\xef\xbb\xbfa = 3") == {"a": 3}
    record = [b"\xef\xbb\xbf" + json.dumps(HEADER).encode(), b'{"cmd": "pass", "player": "Ana"}']
    assert replay(record).header.players == ("Ana", "Bo")


def test_a_text_in_another_encoding_is_told_in_plain_words() -> None:
    with pytest.raises(ValueError, match="no text in UTF-8"):
        read_json("[3]".encode("utf-16"))


@given(st.recursive(st.none() | st.text() | st.integers(-9, 9), lambda v: st.lists(v) | st.dictionaries(st.text(), v)))
def test_pruning_leaves_what_is_not_too_deep_and_always_reads(value: object) -> None:
    text = json.dumps(value)
    assert json.loads(prune(text, 100)) == value
    assert prune(prune(text, 2), 2) == prune(text, 2)
    read_json(prune(text, 3), Limits(10**6, 3, 10**9))
