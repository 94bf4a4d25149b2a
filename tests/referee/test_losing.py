"""A journal moved away or spoilt while the table runs, and a clock that jumps: noticed, said, nothing confirmed."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from companion.errors import JournalError
from companion.games.hexel.rules.game import legal, start
from companion.referee.messages import Confirm, Do, Evidence, Propose
from companion.referee.past import past_game
from companion.referee.referee import CHECK_EVERY_S, Referee
from companion.rules.engine import Header

LINE = legal(start(Header("hexel", ("Ana", "Bo"), "36", {})))[0]
STAKE = {"cmd": "stake", "player": "Ana", "amount": 3}


class Drift:
    """How far the wall clock is from one that never jumps."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def drift() -> Drift:
    return Drift()


@pytest.fixture
def referee(open_referee: Callable[..., Referee], drift: Drift) -> Referee:
    return open_referee(check_every_s=0.01, drift=drift)


def told(referee: Referee, code: str, listener: object) -> str | None:
    """The text of the next notice of that code."""
    while (news := listener.next(10)) is not None:  # type: ignore[attr-defined]
        if news.data.get("code") == code:
            return news.data["text"]
    raise AssertionError(f"no {code} was told")


def move_away(path: Path) -> Callable[[], object]:
    path.rename(path.with_suffix(".away"))
    return lambda: path.with_suffix(".away").rename(path)


def move_away_and_copy_back(path: Path) -> Callable[[], object]:
    path.rename(path.with_suffix(".away"))
    return lambda: shutil.copy(path.with_suffix(".away"), path)


def put_another_in_its_place(path: Path) -> Callable[[], object]:
    path.rename(path.with_suffix(".away"))
    path.write_bytes(b"x" * 10_000)
    return lambda: path.with_suffix(".away").rename(path)


def cut_short(path: Path) -> Callable[[], object]:
    whole = path.read_bytes()
    os.truncate(path, len(whole) - 5)
    return lambda: path.write_bytes(whole)


def put_a_folder_in_its_place(path: Path) -> Callable[[], object]:
    path.rename(path.with_suffix(".away"))
    path.mkdir()
    (path / "something").write_bytes(b"x" * 10_000)

    def mend() -> None:
        shutil.rmtree(path)
        path.with_suffix(".away").rename(path)

    return mend


def put_a_pipe_in_its_place(path: Path) -> Callable[[], object]:
    path.rename(path.with_suffix(".away"))
    os.mkfifo(path)
    return lambda: path.with_suffix(".away").replace(path)


def put_a_link_to_itself_in_its_place(path: Path) -> Callable[[], object]:
    path.rename(path.with_suffix(".away"))
    path.symlink_to(path)
    return lambda: path.with_suffix(".away").replace(path)


def move_the_folder(path: Path) -> Callable[[], object]:
    path.parent.rename(path.parent.with_name("away"))
    return lambda: path.parent.with_name("away").rename(path.parent)


@pytest.mark.parametrize(
    "spoil",
    [
        move_away,
        move_away_and_copy_back,
        put_another_in_its_place,
        put_a_folder_in_its_place,
        put_a_pipe_in_its_place,
        put_a_link_to_itself_in_its_place,
        cut_short,
        move_the_folder,
    ],
)
def test_a_lost_journal_is_said_and_refuses_moves_until_it_is_back(
    referee: Referee, spoil: Callable[[Path], Callable[[], object]]
) -> None:
    path, listener = referee.games / "0001.jsonl", referee.feed.subscribe()
    referee.ask(Do(LINE))
    mend = spoil(path)
    with pytest.raises(JournalError) as refused:
        referee.ask(Do(STAKE))
    assert refused.value.code == "not-written"
    assert "no move is written" in str(told(referee, "journal-lost", listener))
    assert not referee.health()["ok"]
    assert len(referee.latest().moves) == 1
    mend()
    while told(referee, "journal-lost", listener) is not None:  # it may be looked at while it is being mended
        pass
    referee.ask(Do(STAKE))
    assert referee.health()["ok"]
    assert len(past_game(path).moves) == 2


def test_a_pipe_that_comes_just_when_the_journal_is_looked_at_is_said(
    referee: Referee, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, listener, open_file = referee.games / "0001.jsonl", referee.feed.subscribe(), os.open
    mends = []

    def open_too_late(opened: str | Path, flags: int, *given: int, **named: int) -> int:
        if Path(opened) == path and not mends:
            mends.append(put_a_pipe_in_its_place(path))
        return open_file(opened, flags, *given, **named)

    monkeypatch.setattr("companion.referee.journal.os.open", open_too_late)
    assert told(referee, "journal-lost", listener) is not None
    mends[0]()
    while told(referee, "journal-lost", listener) is not None:
        pass
    assert referee.ask(Do(LINE)).events


def test_a_folder_that_cannot_be_written_is_said(referee: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    listener = referee.feed.subscribe()
    with monkeypatch.context() as read_only:
        read_only.setattr("companion.referee.journal.os.access", lambda path, mode: False)
        assert "cannot be written" in str(told(referee, "journal-lost", listener))
        with pytest.raises(JournalError):
            referee.ask(Do(LINE))
    assert told(referee, "journal-lost", listener) is None
    assert referee.ask(Do(LINE)).events


def test_a_disk_that_turned_read_only_at_an_error_is_said(referee: Referee, monkeypatch: pytest.MonkeyPatch) -> None:
    listener, open_file = referee.feed.subscribe(), os.open

    def open_on_it(path: str | Path, flags: int, *given: int, **named: int) -> int:
        if flags & os.O_ACCMODE != os.O_RDONLY:  # `os.access` knows nothing of it since Linux 6.15
            raise OSError(errno.EROFS, "Read-only file system", str(path))
        return open_file(path, flags, *given, **named)

    with monkeypatch.context() as read_only:
        read_only.setattr("companion.referee.journal.os.open", open_on_it)
        assert "cannot be written" in str(told(referee, "journal-lost", listener))
        with pytest.raises(JournalError):
            referee.ask(Do(LINE))
    assert told(referee, "journal-lost", listener) is None
    assert referee.ask(Do(LINE)).events


@pytest.mark.parametrize("is_read_off", [False, True])
def test_a_full_disk_is_said_until_there_is_room_again(
    referee: Referee, is_read_off: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener = referee.feed.subscribe()

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as without_room:
        without_room.setattr("companion.referee.journal.os.pwrite", full)
        if is_read_off:  # then it is the picture that finds no room
            referee.ask(Propose(LINE, Evidence(b"a picture", 0.9)))
        with pytest.raises(JournalError):
            referee.ask(Confirm(referee.latest().version) if is_read_off else Do(LINE))
        assert "No space left on device" in str(told(referee, "journal-lost", listener))
        assert listener.next(0.2) is None, "it lasts, and is said once"
        assert "journal-lost" in referee.latest().notices
        assert not referee.health()["ok"]
    assert told(referee, "journal-lost", listener) is None, "nobody has to press for that"
    assert referee.health()["ok"]
    referee.ask(Confirm(referee.latest().version) if is_read_off else Do(LINE))
    assert sorted(path.name for path in referee.games.iterdir() if path.is_file()) == ["0001.jsonl"]
    assert len(past_game(referee.games / "0001.jsonl").moves) == 1


def test_a_line_that_could_not_be_flushed_is_not_there_after_a_kill(
    open_referee: Callable[..., Referee], monkeypatch: pytest.MonkeyPatch
) -> None:
    referee = open_referee(check_every_s=1000.0)

    def fail(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr("companion.referee.journal.os.fsync", fail)
        with pytest.raises(JournalError):
            referee.ask(Do(LINE))
    assert past_game(referee.games / "0001.jsonl").moves == ()


def test_a_clock_that_is_set_back_is_said_and_the_table_goes_on(referee: Referee, drift: Drift) -> None:
    listener = referee.feed.subscribe()
    drift.now_s -= 3600
    assert "3600 s" in str(told(referee, "clock-back", listener))
    assert referee.ask(Do(LINE)).events
    assert len(referee.latest().moves) == 1


def test_it_is_looked_for_often_enough_to_be_said_within_two_seconds() -> None:
    assert CHECK_EVERY_S <= 1.0
