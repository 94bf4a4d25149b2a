"""A data folder kept in one file and brought back."""

import os
import stat
import subprocess
import sys
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


@pytest.mark.parametrize("name", ["../outside", "/etc/outside", "games/../../outside", "lock/"])
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


def test_a_zip_file_of_other_things_is_no_backup(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "photos.zip", "w") as packed:
        packed.writestr("holiday/1.jpg", "x")
        packed.writestr("games/chess.exe", "x")
    with pytest.raises(UsageError, match="no backup of a table"):
        restore(tmp_path / "photos.zip", tmp_path / "b")
    assert not (tmp_path / "b").exists()


def test_a_backup_of_an_earlier_version_without_a_mark_is_restored(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "kept.zip", "w") as packed:
        packed.writestr("games/0001.jsonl", "x")
        packed.writestr("calibration/table.toml", "x")
    assert restore(tmp_path / "kept.zip", tmp_path / "b") == 2


def test_a_backup_of_whatever_a_table_keeps_is_restored(tmp_path: Path) -> None:
    (tmp_path / "a/calibration").mkdir(parents=True)
    (tmp_path / "a/calibration/table.toml").write_text("")
    back_up(tmp_path / "a", tmp_path / "kept.zip")
    assert restore(tmp_path / "kept.zip", tmp_path / "b") == 1


def test_a_backup_in_the_data_folder_does_not_hold_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/seats.json").write_text("{}")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    monkeypatch.chdir(tmp_path / "a")
    for file in (Path("kept.zip"), tmp_path / "link/kept.zip", tmp_path / "a/../a/kept.zip", Path("kept.zip")):
        assert back_up(tmp_path / "a", file) == 1


def test_what_a_backup_or_a_restoring_that_was_killed_left_is_in_nobodys_way(tmp_path: Path) -> None:
    data = tmp_path / "a"
    for left in ("backing-up-x1/kept.zip", "restoring-x2/games/0001.jsonl"):
        (data / left).parent.mkdir(parents=True)
        (data / left).write_text("half")
    (data / "seats.json").write_text("{}")
    assert back_up(data, tmp_path / "kept.zip") == 1
    (data / "seats.json").unlink()
    assert restore(tmp_path / "kept.zip", data) == 1
    assert [path.name for path in data.iterdir()] == ["seats.json"]


KILLED = """
import os, sys
from pathlib import Path
from companion.referee.backup import restore

file, data, last = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
rename, done = Path.rename, 0

def rename_until_killed(path, target):
    global done
    done += 1
    if done > last:
        os._exit(9)
    return rename(path, target)

Path.rename = rename_until_killed
restore(file, data)
"""


@pytest.mark.parametrize("renames", range(5))
def test_a_restoring_that_was_killed_has_brought_back_all_of_a_table_or_nothing(renames: int, tmp_path: Path) -> None:
    running = open_table(tmp_path / "a", HEADER, HEADER)
    running.start()
    running.ask(Do({"cmd": "pass", "player": "Ana"}))
    for name in ("join-code", "operator-pin", "seats.json"):
        (tmp_path / "a" / name).write_text(name)
    kept = back_up(tmp_path / "a", tmp_path / "kept.zip")
    running.stop()
    data = tmp_path / "b"
    killed = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "kept.zip", data, str(renames)], check=False)
    assert killed.returncode == 9
    if renames == 0:
        assert restore(tmp_path / "kept.zip", data) == kept
    again = open_table(data, None, HEADER)
    again.start()
    again.stop()
    assert [move.command["cmd"] for move in again.latest().moves] == ["pass"]
    names = {"games", "join-code", "lock", "operator-pin", "seats.json"}
    assert {path.name for path in data.iterdir()} == names
    assert (data / "seats.json").read_text() == "seats.json"


def test_a_restoring_that_was_killed_between_its_files_is_gone_on_with_by_the_next(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for name in ("join-code", "operator-pin", "seats.json"):
        (tmp_path / "a" / name).write_text(name)
    back_up(tmp_path / "a", tmp_path / "kept.zip")
    command = [sys.executable, "-c", KILLED, tmp_path / "kept.zip", tmp_path / "b", "2"]
    assert subprocess.run(command, check=False).returncode == 9
    with pytest.raises(UsageError, match="holds a table already"):
        restore(tmp_path / "kept.zip", tmp_path / "b")
    assert {path.name for path in (tmp_path / "b").iterdir()} == {"join-code", "operator-pin", "seats.json"}


def test_a_backup_that_would_pose_as_one_unpacked_is_none(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as packed:
        packed.writestr("restoring-whole/seats.json", "{}")
        packed.writestr("seats.json", "{}")
    with pytest.raises(UsageError, match="would write"):
        restore(tmp_path / "odd.zip", tmp_path / "b")


def test_a_backup_is_on_the_disk_before_it_replaces_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/seats.json").write_text("{}")
    file = tmp_path / "kept.zip"
    back_up(tmp_path / "a", file)
    before = file.stat().st_ino
    replaced, os_fsync = [], os.fsync

    def synced(descriptor: int) -> None:
        os_fsync(descriptor)
        replaced.append(file.stat().st_ino != before)

    monkeypatch.setattr(os, "fsync", synced)
    back_up(tmp_path / "a", file)
    assert replaced == [False, True]  # the file, and then its folder


def test_a_file_whose_name_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/odd\udcff.txt").write_text("")
    with pytest.raises(UsageError, match="its name is no text"):
        back_up(tmp_path / "a", tmp_path / "kept.zip")
    assert not (tmp_path / "kept.zip").exists()


def test_a_folder_that_cannot_be_read_is_told_and_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a/games").mkdir(parents=True)
    (tmp_path / "a/games/0001.jsonl").write_text("{}")
    (tmp_path / "a/games").chmod(0)
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    user = os.geteuid()
    if user == 0:  # who may read everything
        os.seteuid(65534)
    try:
        with pytest.raises(UsageError, match="cannot read a/games: Permission denied"):
            back_up(Path("a"), Path("kept.zip"))
    finally:
        os.seteuid(user)
        (tmp_path / "a/games").chmod(0o755)
    assert not (tmp_path / "kept.zip").exists()


def test_what_was_readable_by_the_service_alone_is_so_again(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/seats.json").write_text("{}")
    (tmp_path / "a/seats.json").chmod(0o600)
    (tmp_path / "a/players.json").write_text("{}")
    back_up(tmp_path / "a", tmp_path / "kept.zip")
    restore(tmp_path / "kept.zip", tmp_path / "b")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("b", "b/seats.json", "b/players.json")]
    assert modes == [0o750, 0o600, 0o640]


def test_a_backup_which_holds_the_tables_codes_and_keys_is_readable_by_nobody_else(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/join-code").write_text("ROSE42")
    (tmp_path / "kept.zip").touch(0o644)
    for name in ("kept.zip", "new.zip"):
        back_up(tmp_path / "a", tmp_path / name)
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_backup_that_root_writes_belongs_to_whose_folder_it_lies_in(tmp_path: Path) -> None:
    """`sudo companion backup` left a file in somebody's home that they could not copy from there."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a/join-code").write_text("ROSE42")
    (tmp_path / "home").mkdir()
    os.chown(tmp_path / "home", 65534, 65533)
    back_up(tmp_path / "a", tmp_path / "home/new.zip")
    kept = (tmp_path / "home/new.zip").stat()
    assert (kept.st_uid, kept.st_gid, stat.S_IMODE(kept.st_mode)) == (65534, 65533, 0o600)


def test_a_backup_holds_the_tables_own_files_whatever_their_time(tmp_path: Path) -> None:
    data = tmp_path / "a"
    data.mkdir()
    (tmp_path / "secret").write_text("of another")
    (data / "link").symlink_to(tmp_path / "secret")
    (data / "nowhere").symlink_to(tmp_path / "gone")
    os.mkfifo(data / "pipe")
    (data / "seats.json").write_text("{}")
    os.utime(data / "seats.json", (0, 0))  # a Raspberry Pi without a clock begins in 1970
    assert back_up(data, tmp_path / "kept.zip") == 1
    assert zipfile.ZipFile(tmp_path / "kept.zip").namelist() == ["seats.json"]


def test_a_small_file_that_would_fill_the_disk_is_no_backup(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("games/0001.jsonl", bytes(50_000_000))
    with pytest.raises(UsageError, match="no backup"):
        restore(tmp_path / "bomb.zip", tmp_path / "b")
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("at", [6, 8, 10, 26, 40, 60, 90])
@pytest.mark.parametrize("value", [1, 99, 255])
def test_a_backup_with_a_spoilt_byte_is_told_in_a_line_or_is_whole(tmp_path: Path, at: int, value: int) -> None:
    with zipfile.ZipFile(tmp_path / "kept.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("join-code", "what was kept" * 9)
    data = bytearray((tmp_path / "kept.zip").read_bytes())
    for start in (0, data.index(b"PK\1\2")):  # in the file's own header and in the list of files
        spoilt = bytearray(data)
        spoilt[min(start + at, len(data) - 1)] = value
        (tmp_path / "spoilt.zip").write_bytes(spoilt)
        try:
            restore(tmp_path / "spoilt.zip", tmp_path / f"b{start}")
        except UsageError as error:
            assert "\n" not in error.message


def test_a_backup_replaces_no_link_and_leaves_no_draft(tmp_path: Path) -> None:
    data, target, link = tmp_path / "data", tmp_path / "target.zip", tmp_path / "link.zip"
    data.mkdir()
    (data / "table.toml").write_text("")
    target.write_bytes(b"")
    link.symlink_to(target)
    assert back_up(data, link) == 1
    assert link.is_symlink() and target.stat().st_size > 0
    with pytest.raises(UsageError, match="it is no file"):
        back_up(data, data)
    assert {path.name for path in tmp_path.iterdir()} == {"data", "target.zip", "link.zip"}


def test_a_backup_is_not_blamed_for_where_it_is_to_go(tmp_path: Path) -> None:
    data, file = tmp_path / "data", tmp_path / "kept.zip"
    data.mkdir()
    (data / "table.toml").write_text("")
    back_up(data, file)
    with pytest.raises(UsageError, match="cannot write to"):
        restore(file, data / "table.toml" / "below")
    with pytest.raises(UsageError, match="is no folder"):
        restore(file, data / "table.toml")
    with pytest.raises(UsageError, match="No such file"):
        restore(tmp_path / "missing.zip", tmp_path / "elsewhere")
