"""A data folder kept in one file and brought back."""

import zipfile
from pathlib import Path

import pytest

from companion.errors import UsageError
from companion.referee.backup import back_up, restore
from companion.referee.messages import Do
from companion.referee.referee import open_table
from companion.rules.engine import Header

HEADER = Header("hexapod", ("Ana", "Bo"))


def test_a_game_goes_on_from_a_backup_that_was_made_while_it_was_played(tmp_path: Path) -> None:
    running = open_table(tmp_path / "a", HEADER, HEADER)
    running.start()
    running.ask(Do({"cmd": "pass", "player": "Ana"}))
    back_up(tmp_path / "a", tmp_path / "evening.zip")
    running.stop()
    restore(tmp_path / "evening.zip", tmp_path / "b")
    again = open_table(tmp_path / "b", None, HEADER)
    assert [move.command["cmd"] for move in again.latest().moves] == ["pass"]
    again.start()
    again.stop()


def test_a_backup_is_never_laid_over_a_table(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/seats.json").write_text("{}")
    back_up(tmp_path / "a", tmp_path / "kept.zip")
    with pytest.raises(UsageError, match="holds a table already"):
        restore(tmp_path / "kept.zip", tmp_path / "a")


@pytest.mark.parametrize("name", ["../outside", "/etc/outside", "games/../../outside"])
def test_a_file_that_would_write_elsewhere_is_no_backup(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as packed:
        packed.writestr(name, "x")
    with pytest.raises(UsageError, match="no backup"):
        restore(tmp_path / "bad.zip", tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_what_is_no_zip_file_and_what_is_not_there_are_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "text.zip").write_text("hello")
    with pytest.raises(UsageError, match="no backup"):
        restore(tmp_path / "text.zip", tmp_path / "b")
    with pytest.raises(UsageError, match="no data folder"):
        back_up(tmp_path / "nowhere", tmp_path / "kept.zip")
