"""A bug in a game's rules and a command with more in it than the rules know: neither ends the table or is kept."""

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest

from companion.errors import Refusal
from companion.referee.lines import line
from companion.referee.messages import Correct, Do, Propose
from companion.referee.moves import Change
from companion.referee.past import past_game
from companion.referee.referee import Referee

LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [-1, 0], "edges": ["red", "blue", "blue", "blue", "blue", "blue"]},
        {"cell": [0, 0], "edges": ["red", "blue", "blue", "red", "blue", "blue"]},
        {"cell": [1, 0], "edges": ["red", "red", "blue", "red", "blue", "blue"]},
    ],
}
STAKE = {"cmd": "stake", "player": "Ana", "amount": 3}


def deep(depth: int) -> list:
    value: list = []
    for _ in range(depth):
        value = [value]
    return value


def with_broken_rules(referee: Referee) -> None:
    """Have the rules of this table fail as a bug in them would."""
    session = referee.latest()
    game = SimpleNamespace(**{name: getattr(session.game, name) for name in dir(session.game) if name[0] != "_"})
    game.apply = lambda state, command: 1 // 0
    referee._session = replace(session, game=game)


def test_an_exception_while_deciding_is_logged_whole_and_refused(
    referee: Referee, caplog: pytest.LogCaptureFixture
) -> None:
    sound = referee.latest()
    with_broken_rules(referee)
    with caplog.at_level(logging.ERROR), pytest.raises(Refusal) as told:
        referee.ask(Do(LINE))
    assert told.value.code == "fault"
    assert "ZeroDivisionError" in caplog.text and "Traceback" in caplog.text
    assert referee.latest().version == sound.version
    referee._session = sound
    assert referee.ask(Do(LINE)).events


def test_an_exception_over_what_the_camera_saw_is_shown_and_the_table_goes_on(referee: Referee) -> None:
    with_broken_rules(referee)
    referee.ask(Propose(LINE))
    waiting = referee.latest().proposal
    assert waiting is not None and waiting.refusal is not None
    assert waiting.refusal["code"] == "fault"


def test_what_the_rules_do_not_know_is_not_kept(referee: Referee) -> None:
    referee.ask(Do({**LINE, "beside": deep(975), "at": "once"}))
    referee.ask(Correct(Change(1, 1, ({**LINE, "beside": 1, "cards": LINE["cards"][::-1]},))))
    assert [set(move.command) for move in referee.latest().moves] == [{"cmd", "cards"}]
    journal = referee.games / "0001.jsonl"
    assert b"beside" not in journal.read_bytes()


def test_a_journal_with_a_line_that_an_earlier_version_let_in_is_read(open_referee: Callable[..., Referee]) -> None:
    referee = open_referee()
    referee.ask(Do(LINE))
    referee.stop()
    journal = referee.games / "0001.jsonl"
    first, move = journal.read_bytes().splitlines(keepends=True)
    body = {key: value for key, value in json.loads(move).items() if key != "crc"}
    body["command"]["beside"] = deep(900)
    journal.write_bytes(first + line(body))
    assert past_game(journal).session is not None
    assert len(open_referee().latest().moves) == 1
