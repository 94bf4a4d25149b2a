"""The journal: on the disk before it is told, read back whole, torn ends recognised, damage never passed over."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.errors import JournalError
from companion.games.hexel.rules.game import legal, start
from companion.referee import journal as journals
from companion.referee.folder import write_whole
from companion.referee.journal import Journal
from companion.referee.messages import Begin, Confirm, Do, Evidence, Propose, Undo
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header

HEADER = Header("hexel", ("Ana", "Bo"), "36", {"chips": 100})
LINE = legal(start(HEADER))[0]
STAKE = {"cmd": "stake", "player": "Ana", "amount": 3}
HEDGE = {"cmd": "hedge", "player": "Ana", "amount": 6}
Open = Callable[..., Referee]


def played(open_referee: Open, *commands: dict) -> Path:
    """A table on which commands were carried out, stopped; its journal's path."""
    referee = open_referee()
    for command in (LINE, *commands):
        referee.ask(Do(command))
    referee.stop()
    return Path(referee.health()["journal"]["file"])


def test_the_first_line_names_the_rules_and_the_header(open_referee: Open) -> None:
    first = json.loads(played(open_referee).read_text().splitlines()[0])
    assert first["rules"]
    assert first["header"] == HEADER.as_json()


def test_a_move_stands_in_the_journal_as_in_a_record(open_referee: Open) -> None:
    last = json.loads(played(open_referee, STAKE).read_text().splitlines()[-1])
    assert last["command"] == STAKE
    assert last["events"] == [{"event": "stake-set", "player": "Ana", "amount": 3}]
    assert last["when"] == "2026-11-21T20:15:00+00:00"


def test_every_line_is_on_the_disk_before_it_is_told(open_referee: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    referee = open_referee()
    path = Path(referee.health()["journal"]["file"])
    on_disk = []

    def synced(descriptor: int) -> None:
        os_fsync(descriptor)
        on_disk.append((path.read_bytes().count(b"\n"), referee.latest().version))

    os_fsync = os.fsync
    monkeypatch.setattr(journals.os, "fsync", synced)
    referee.ask(Do(LINE))
    assert on_disk == [(2, 1)]  # the second line is down while everybody still hears version 1


def test_a_restart_brings_back_the_game(open_referee: Open) -> None:
    first = open_referee()
    for message in (Do(LINE, "a"), Do(STAKE), Do(HEDGE), Undo(first.latest().version + 3)):
        first.ask(message)
    first.stop()
    again = open_referee().latest()
    assert (again.state, again.moves, again.past) == (
        first.latest().state,
        first.latest().moves,
        first.latest().past,
    )
    assert again.answered == first.latest().answered
    assert again.version > first.latest().version


def test_no_version_is_ever_used_twice(open_referee: Open) -> None:
    seen: list[int] = []
    for _ in range(4):
        referee = open_referee()
        seen.append(referee.latest().version)
        for amount in range(3):
            referee.ask(Propose({**STAKE, "amount": amount + 1}))
            seen.append(referee.latest().version)
        referee.stop()
    assert seen == sorted(set(seen))


def test_a_key_is_remembered_over_a_restart(open_referee: Open) -> None:
    first = open_referee()
    answer = first.ask(Do(LINE, "press-1"))
    first.stop()
    again = open_referee()
    assert again.ask(Do(LINE, "press-1")) == answer
    assert len(again.latest().moves) == 1


@pytest.mark.parametrize("cut", [1, 20, 200])
def test_a_torn_last_line_is_cut_off_kept_aside_and_told(open_referee: Open, cut: int) -> None:
    path = played(open_referee, STAKE)
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    session = open_referee().latest()
    assert [move.command["cmd"] for move in session.moves] == ["line"]
    assert "journal-torn" in session.notices
    last_line = whole.splitlines(keepends=True)[-1]
    assert path.with_suffix(".torn").read_bytes() == last_line[:-cut]


def test_a_last_line_of_zeros_as_power_loss_leaves_it_is_torn(open_referee: Open) -> None:
    path = played(open_referee, STAKE)
    whole = path.read_bytes()
    path.write_bytes(whole + bytes(300))
    assert len(open_referee().latest().moves) == 2


def test_a_torn_line_is_no_news_after_the_next_restart(open_referee: Open) -> None:
    path = played(open_referee, STAKE)
    path.write_bytes(path.read_bytes()[:-5])
    open_referee().stop()
    assert not open_referee().latest().notices


@pytest.mark.parametrize("line", [1, 2, 3, 4])
@pytest.mark.parametrize("old, new", [(b'"when": "2026', b'"when": "2025'), (b"{", b"["), (b"\n", b" ")])
def test_damage_to_a_finished_line_stops_the_reading(
    open_referee: Open, tmp_path: Path, line: int, old: bytes, new: bytes
) -> None:
    path = played(open_referee, STAKE, HEDGE)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[line - 1] = lines[line - 1].replace(old, new, 1) + (b"\n" if line == len(lines) and old == b"\n" else b"")
    path.write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match=r"damaged, line \d") as told:
        open_referee()
    assert told.value.code == "journal-damaged"
    assert path.read_bytes() == b"".join(lines)  # nothing was cut off
    Journal(tmp_path).close()  # and the folder is free again


def test_a_line_that_is_missing_stops_the_reading(open_referee: Open) -> None:
    path = played(open_referee, STAKE, HEDGE)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2] + lines[3:] + lines[3:]))
    with pytest.raises(JournalError, match="line 3"):
        open_referee()


def test_rules_that_judge_otherwise_stop_the_reading(open_referee: Open) -> None:
    path = played(open_referee, STAKE, HEDGE)
    text = path.read_bytes()
    bodies, _ = journals.whole_lines(text)
    bodies[2]["events"][0]["amount"] = 4
    path.write_bytes(b"".join(journals.line(body) for body in bodies))
    with pytest.raises(JournalError, match="line 3") as told:
        open_referee()
    assert told.value.code == "journal-contradicts-rules"


def test_a_file_that_cannot_be_put_in_its_place_leaves_no_draft(tmp_path: Path) -> None:
    in_the_way = tmp_path / "in-use"
    in_the_way.mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(in_the_way, b"a key")
    assert [*tmp_path.iterdir()] == [in_the_way]


def test_two_tables_never_write_one_folder(open_referee: Open, tmp_path: Path) -> None:
    open_referee()
    with pytest.raises(JournalError) as told:
        open_table(tmp_path, HEADER, HEADER)
    assert told.value.code == "data-in-use"
    assert str(os.getpid()) in told.value.message


def test_another_process_finds_the_folder_in_use(open_referee: Open, tmp_path: Path) -> None:
    open_referee()
    code = f"from pathlib import Path; from companion.referee.journal import Journal; Journal(Path({str(tmp_path)!r}))"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "another table is running" in other.stderr


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match="cannot write in the data folder") as told:
        Journal(tmp_path / "file")
    assert told.value.exit_status == 2


def test_the_pictures_of_moves_are_kept_beside_the_journal(open_referee: Open) -> None:
    referee = open_referee()
    referee.ask(Propose(LINE, Evidence(b"a picture", 0.9)))
    assert referee.proposal_evidence() == b"a picture"
    referee.ask(Confirm(referee.latest().version))
    referee.stop()
    again = open_referee()
    assert again.evidence(1) == b"a picture"
    assert again.evidence(2) is again.evidence(0) is again.proposal_evidence() is None


def test_a_picture_is_on_the_disk_before_the_line_that_names_it(
    open_referee: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    referee = open_referee()
    path = Path(referee.health()["journal"]["file"])
    referee.ask(Propose(LINE, Evidence(b"a picture", 0.9)))

    def synced(descriptor: int) -> None:
        written = Path(f"/proc/self/fd/{descriptor}").readlink()
        order.append((written.suffix, path.read_bytes().count(b"\n")))

    order: list[tuple[str, int]] = []
    monkeypatch.setattr(journals.os, "fsync", synced)
    referee.ask(Confirm(referee.latest().version))
    assert (".draft", 1) in order
    assert order[-1] == (".jsonl", 2)


def test_a_picture_taken_back_is_not_shown_for_the_move_that_takes_its_number(open_referee: Open) -> None:
    referee = open_referee()
    for picture in (b"first", b"second"):
        referee.ask(Propose(LINE, Evidence(picture, 0.9)))
        referee.ask(Confirm(referee.latest().version))
        kept = referee.evidence(1)
        assert kept == picture
        referee.ask(Undo(referee.latest().version))
    assert referee.evidence(1) is None


def test_a_picture_that_was_changed_is_not_shown(open_referee: Open, tmp_path: Path) -> None:
    referee = open_referee()
    referee.ask(Propose(LINE, Evidence(b"a picture", 0.9)))
    referee.ask(Confirm(referee.latest().version))
    next(tmp_path.rglob("*.jpg")).write_bytes(b"another")
    with pytest.raises(JournalError, match="not the one that was kept"):
        referee.evidence(1)


def test_a_new_game_gets_its_own_journal_and_the_old_one_stays(open_referee: Open, tmp_path: Path) -> None:
    referee = open_referee()
    referee.ask(Do(LINE))
    referee.ask(Begin(Header("hexel", ("Cy", "Dee"), "46", {})))
    referee.stop()
    assert sorted(path.name for path in tmp_path.glob("games/*.jsonl")) == ["0001.jsonl", "0002.jsonl"]
    assert open_referee().latest().header.players == ("Cy", "Dee")


def test_a_new_game_waits_for_the_disk_twice_and_one_that_cannot_be_written_never_began(
    open_referee: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    referee = open_referee()
    referee.ask(Do(LINE))
    os_fsync, left = os.fsync, 0

    def synced(descriptor: int) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise OSError(errno.EIO, "Input/output error")
        os_fsync(descriptor)

    begin = Begin(Header("hexel", ("Cy", "Dee"), "46", {}))
    for failing in (1, 2):
        with monkeypatch.context() as broken:
            broken.setattr(journals.os, "fsync", synced)
            left = failing
            with pytest.raises(JournalError, match="Input/output error"):
                referee.ask(begin)
        assert referee.latest().header.players == ("Ana", "Bo")
        assert referee.health()["ok"]
        assert [path.name for path in tmp_path.glob("games/*.jsonl")] == ["0001.jsonl"]
    referee.ask(Do(STAKE))
    referee.stop()
    again = open_referee()
    assert len(again.latest().moves) == 2
    left = 3
    monkeypatch.setattr(journals.os, "fsync", synced)
    again.ask(begin)
    assert left == 1


def test_a_pipe_in_the_newest_journals_place_is_one_clear_line(open_referee: Open, tmp_path: Path) -> None:
    open_referee().stop()
    os.mkfifo(tmp_path / "games/0002.jsonl")
    with pytest.raises(JournalError, match=r"0002\.jsonl: it is no file"):
        open_referee()


def test_settings_that_ask_for_another_game_begin_it(open_referee: Open) -> None:
    played(open_referee, STAKE)
    other = open_referee(Header("hexel", ("Ana", "Bo", "Cy"), "36", {"chips": 100}))
    assert other.latest().header.players == ("Ana", "Bo", "Cy")
    assert not other.latest().moves


def test_settings_that_ask_for_nothing_take_the_newest_game(open_referee: Open) -> None:
    played(open_referee, STAKE)
    assert len(open_referee(None).latest().moves) == 2


def test_a_full_disk_refuses_the_move_and_loses_nothing(open_referee: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    referee = open_referee()
    referee.ask(Do(LINE))

    def full(descriptor: int, data: bytes, offset: int) -> int:
        os_pwrite(descriptor, data[:10], offset)
        raise OSError(errno.ENOSPC, "No space left on device")

    os_pwrite = os.pwrite
    monkeypatch.setattr(journals.os, "pwrite", full)
    with pytest.raises(JournalError, match="No space left"):
        referee.ask(Do(STAKE))
    assert len(referee.latest().moves) == 1
    assert not referee.health()["ok"]
    monkeypatch.setattr(journals.os, "pwrite", os_pwrite)
    referee.ask(Do(STAKE))
    assert referee.health()["ok"]
    referee.stop()
    assert len(open_referee().latest().moves) == 2
