"""A data folder looked through: what is whole is passed, what is torn, damaged or changed is named."""

from collections.abc import Callable
from pathlib import Path

import pytest

from companion.doctor.games import inspect_games
from companion.games.hexel.rules.game import legal, start
from companion.referee.messages import Begin, Confirm, Do, Evidence, Propose
from companion.referee.referee import Referee
from companion.rules.engine import Header

HEADER = Header("hexel", ("Ana", "Bo"), "36", {"chips": 100})
LINE = legal(start(HEADER))[0]
STAKE = {"cmd": "stake", "player": "Ana", "amount": 3}


@pytest.fixture
def games(open_referee: Callable[..., Referee]) -> Path:
    """Two games, each with a picture of its first move and one move without."""
    referee = open_referee()
    for _ in range(2):
        referee.ask(Propose(LINE, Evidence(b"picture", 0.9)))
        referee.ask(Confirm(referee.latest().version))
        referee.ask(Do(STAKE))
        referee.ask(Begin(HEADER))
    referee.stop()
    return referee.games


def faults(games: Path) -> list[tuple[str, str]]:
    return [(fault.what, fault.path.name) for fault in inspect_games(games).faults]


def test_a_folder_as_it_was_written_has_no_fault(games: Path) -> None:
    found = inspect_games(games)
    assert (found.games, found.moves, found.pictures, found.faults) == (3, 4, 2, ())


def test_a_folder_that_is_not_there_has_no_games(tmp_path: Path) -> None:
    assert inspect_games(tmp_path / "nowhere").games == 0


def test_a_torn_end_is_named_and_left_as_it_is(games: Path) -> None:
    path = games / "0002.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    before = path.read_bytes()
    assert faults(games) == [("torn", "0002.jsonl")]
    assert path.read_bytes() == before


def test_a_changed_byte_in_the_middle_is_damage(games: Path) -> None:
    path = games / "0001.jsonl"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    assert faults(games) == [("damaged", "0001.jsonl")]
    assert inspect_games(games).games == 3


def test_a_changed_picture_is_named_and_one_that_made_room_is_no_fault(games: Path) -> None:
    (games / "0001.evidence" / "0002.jpg").write_bytes(b"another")
    (games / "0002.evidence" / "0002.jpg").unlink()
    assert faults(games) == [("picture", "0001.jsonl")]
    assert inspect_games(games).pictures == 1


def test_a_journal_that_cannot_be_opened_is_named(games: Path) -> None:
    path = games / "0003.jsonl"
    path.unlink()
    path.mkdir()
    assert faults(games) == [("damaged", "0003.jsonl")]
