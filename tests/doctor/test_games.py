"""The doctor's look at the games that were kept: whole ones are passed, faults are named by their file alone."""

from pathlib import Path

import pytest

from companion.config import Settings, TableSettings
from companion.doctor.finding import Machine
from companion.doctor.games import games
from companion.games.hexel.rules.game import legal, start
from companion.referee.messages import Begin, Confirm, Do, Evidence, Propose
from companion.referee.referee import open_table
from companion.rules.engine import Header

HEADER = Header("hexel", ("Ana", "Bo"), "36")
LINE = legal(start(HEADER))[0]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two games; the first has a picture."""
    referee = open_table(tmp_path, HEADER, HEADER, press_gap_s=0.0)
    referee.start()
    referee.ask(Propose(LINE, Evidence(b"picture", 0.9)))
    referee.ask(Confirm(referee.latest().version))
    referee.ask(Begin(HEADER))
    referee.ask(Do(LINE))
    referee.stop()
    return tmp_path


def looked_at(data: Path) -> tuple[str, str, str]:
    found = games(Machine(), Settings(table=TableSettings(data)))
    return found.state, found.found, found.fix


def spoil(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)


def test_whole_games_are_well(data: Path) -> None:
    state, found, fix = looked_at(data)
    assert (state, fix) == ("ok", "")
    assert found.startswith("2 games, 2 moves, 1 picture at ")
    assert found.endswith(": all whole")


def test_no_games_yet_is_well(tmp_path: Path) -> None:
    assert looked_at(tmp_path)[0] == "ok"


def test_a_damaged_newest_game_keeps_the_table_from_starting_an_older_one_does_not(data: Path) -> None:
    spoil(data / "games" / "0001.jsonl")
    assert looked_at(data)[0] == "warn"
    spoil(data / "games" / "0002.jsonl")
    state, found, fix = looked_at(data)
    assert state == "fail"
    assert "0001.jsonl is damaged; 0002.jsonl is damaged" in found
    assert "restore" in fix


def test_a_torn_end_is_told_with_comfort(data: Path) -> None:
    path = data / "games" / "0002.jsonl"
    path.write_bytes(path.read_bytes()[:-4])
    state, found, fix = looked_at(data)
    assert state == "warn"
    assert "0002.jsonl ends in an unfinished entry" in found
    assert "nothing is lost" in fix


def test_a_changed_picture_is_named(data: Path) -> None:
    (data / "games" / "0001.evidence" / "0002.jpg").write_bytes(b"another")
    state, found, _ = looked_at(data)
    assert state == "warn"
    assert "a picture of 0001.jsonl was changed" in found


def test_many_faults_are_counted_and_no_players_name_is_told(data: Path) -> None:
    for number in range(3, 8):
        (data / "games" / f"{number:04}.jsonl").write_text("{}\n{}\n")
    _, found, _ = looked_at(data)
    assert "and 2 more" in found
    assert "Ana" not in found
