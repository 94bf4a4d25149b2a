"""Pictures of moves: kept up to a limit, the oldest games' go first, and a move stays without its picture."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.errors import JournalError
from companion.games.hexel.rules.game import legal, start
from companion.referee.folder import Folder, Pictures, kept_picture
from companion.referee.messages import Begin, Confirm, Evidence, Propose
from companion.referee.referee import Referee
from companion.rules.engine import Header

HEADER = Header("hexel", ("Ana", "Bo"), "36", {"chips": 100})
LINE = legal(start(HEADER))[0]


@pytest.fixture
def games(tmp_path: Path) -> Path:
    folder = Folder(tmp_path)
    folder.close()
    return folder.games


def names(games: Path) -> list[str]:
    return sorted(str(path.relative_to(games)) for path in games.glob("*.evidence/*.jpg"))


def test_the_oldest_games_make_room_and_of_one_game_the_oldest(games: Path) -> None:
    pictures = Pictures(games, 250)
    first, second = games / "0001.jsonl", games / "0002.jsonl"
    for journal, line in ((first, 8), (second, 2), (first, 9), (second, 10)):
        pictures.keep(journal, line, bytes(100), 0.5)
    assert names(games) == ["0002.evidence/0002.jpg", "0002.evidence/0010.jpg"]
    pictures.keep(second, 11, bytes(100), 0.5)
    assert names(games) == ["0002.evidence/0010.jpg", "0002.evidence/0011.jpg"]


def test_the_ten_thousandth_is_newer_than_the_one_before(games: Path) -> None:
    pictures = Pictures(games, 150)
    for number in (9999, 10000):
        pictures.keep(games / f"{number}.jsonl", number, bytes(100), 0.5)
    assert names(games) == ["10000.evidence/10000.jpg"]


def test_the_newest_is_kept_even_when_it_alone_is_too_much(games: Path) -> None:
    kept = Pictures(games, 10).keep(games / "0001.jsonl", 2, bytes(100), 0.5)
    assert kept_picture(games / "0001.jsonl", kept) == bytes(100)


def test_what_a_run_before_kept_counts_too(games: Path) -> None:
    Pictures(games, 250).keep(games / "0001.jsonl", 2, bytes(100), 0.5)
    again = Pictures(games, 150)
    again.keep(games / "0001.jsonl", 3, bytes(100), 0.5)
    assert names(games) == ["0001.evidence/0003.jpg"]


def test_the_pictures_of_a_game_that_was_deleted_count_no_more(games: Path) -> None:
    pictures = Pictures(games, 250)
    for number in (1, 2):
        pictures.keep(games / f"{number:04}.jsonl", 2, bytes(100), 0.5)
    shutil.rmtree(games / "0001.evidence")
    pictures.keep(games / "0003.jsonl", 2, bytes(100), 0.5)
    assert names(games) == ["0002.evidence/0002.jpg", "0003.evidence/0002.jpg"]


def test_a_picture_that_made_room_is_none_and_one_that_was_changed_an_error(games: Path) -> None:
    pictures = Pictures(games)
    kept = pictures.keep(games / "0001.jsonl", 2, b"picture", 0.5)
    path = games / "0001.evidence" / kept.file
    path.write_bytes(b"another")
    with pytest.raises(JournalError, match="not the one"):
        kept_picture(games / "0001.jsonl", kept)
    path.unlink()
    assert kept_picture(games / "0001.jsonl", kept) is None


def test_a_table_goes_on_when_pictures_made_room(open_referee: Callable[..., Referee]) -> None:
    referee = open_referee(most_picture_bytes=1)
    for _ in range(2):
        referee.ask(Begin(HEADER))
        referee.ask(Propose(LINE, Evidence(b"picture", 0.9)))
        referee.ask(Confirm(referee.latest().version))
    assert referee.evidence(1) == b"picture"
    referee.stop()
    again = open_referee(most_picture_bytes=1)
    move = again.latest().moves[0].evidence
    assert move is not None and move.confidence == 0.9
