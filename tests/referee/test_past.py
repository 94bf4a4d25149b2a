"""Past games read from their journals: while a table runs, with what was put right, and when the rules have changed."""

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.errors import JournalError
from companion.games.hexel.rules.game import legal, start
from companion.referee.folder import journals
from companion.referee.lines import line
from companion.referee.messages import Begin, Correct, Do, Undo
from companion.referee.moves import Change
from companion.referee.past import journal_of, past_game, record_lines, surviving_moves
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.rules.records import replay

HEADER = Header("hexel", ("Ana", "Bo"), "36", {"chips": 100})
LINE = legal(start(HEADER))[0]
STAKE = {"cmd": "stake", "player": "Ana", "amount": 3}
LESS = {**STAKE, "amount": 1}
HEDGE = {"cmd": "hedge", "player": "Ana", "amount": 6}
Open = Callable[..., Referee]


def rewritten(path: Path, n: int, **changes: object) -> None:
    """The journal with its n-th line changed and sealed anew, as another version may have written it."""
    lines = path.read_bytes().splitlines(keepends=True)
    body = json.loads(lines[n - 1])
    del body["crc"]
    lines[n - 1] = line({**body, **changes})
    path.write_bytes(b"".join(lines))


@pytest.fixture
def referee(open_referee: Open) -> Referee:
    referee = open_referee()
    for command in (LINE, STAKE, HEDGE):
        referee.ask(Do(command))
    return referee


def test_a_game_is_read_while_its_table_runs(referee: Referee) -> None:
    referee.ask(Begin(HEADER))
    assert [path.stem for path in journals(referee.games)] == ["0001", "0002"]
    path = journal_of(referee.games, 1)
    assert path is not None
    game = past_game(path)
    assert [move.command for move in game.moves] == [LINE, STAKE, HEDGE]
    assert (game.number, game.header, game.begun, game.torn) == (1, HEADER, "2026-11-21T20:15:00+00:00", 0)
    assert journal_of(referee.games, 3) is None


def test_a_long_game_is_read_in_memory_by_its_moves_and_not_by_their_square() -> None:
    def most_held(moves: int) -> int:
        did: dict[str, object] = {"did": "move", "command": STAKE, "when": "", "evidence": None, "events": []}
        tracemalloc.start()
        assert len(surviving_moves([{}, *[did] * moves])) == moves
        peak: int = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak

    assert most_held(2000) < 6 * most_held(500)


def test_what_was_taken_back_or_put_right_does_not_stand(referee: Referee) -> None:
    referee.ask(Undo(referee.latest().version))
    referee.ask(Correct(Change(2, 1, (LESS,))))
    path = journal_of(referee.games, 1)
    assert path is not None
    game = past_game(path)
    assert [move.command for move in game.moves] == [LINE, LESS]
    assert game.session is not None
    assert game.session.state == referee.latest().state


def test_a_game_that_the_rules_now_judge_otherwise_still_tells_what_was_played(referee: Referee) -> None:
    referee.stop()
    path = journal_of(referee.games, 1)
    assert path is not None
    rewritten(path, 3, events=[{"event": "stake-set", "player": "Ana", "amount": 4}])
    game = past_game(path)
    assert game.session is None
    assert "the journal says" in str(game.trouble)
    replayed = replay(json.dumps(dict(each)) for each in record_lines(game.header, game.moves))
    assert replayed.refusal is None
    assert replayed.state == referee.latest().state


def test_a_last_line_that_is_still_being_written_is_left_alone(referee: Referee) -> None:
    referee.stop()
    path = journal_of(referee.games, 1)
    assert path is not None
    path.write_bytes(path.read_bytes()[:-5])
    before = path.read_bytes()
    game = past_game(path)
    assert [move.command for move in game.moves] == [LINE, STAKE]
    assert game.torn > 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("n", "changes", "told"),
    [
        (1, {"header": {"record": 1, "game": "chess", "players": ["Ana"]}}, "no such game"),
        (3, {"did": "undo"}, None),
        (4, {"did": "correct", "at": "2"}, "line 4"),
        (4, {"did": "redo"}, "line 4"),
    ],
)
def test_a_line_that_no_journal_holds_is_named(referee: Referee, n: int, changes: dict, told: str | None) -> None:
    referee.stop()
    path = journal_of(referee.games, 1)
    assert path is not None
    rewritten(path, n, **changes)
    if told is None:
        assert past_game(path).trouble
        return
    with pytest.raises(JournalError, match=told):
        past_game(path)


def test_a_file_that_is_no_games_journal_is_no_game(referee: Referee) -> None:
    (referee.games / "0001-copy.jsonl").write_text("mine")
    assert [path.stem for path in journals(referee.games)] == ["0001"]
    referee.ask(Begin(HEADER))
    assert [path.stem for path in journals(referee.games)] == ["0001", "0002"]
