"""The journals as an outbox: every line once, in order, from any position, while they are being written."""

from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue

from companion.games import GAMES
from companion.hub.consumer import Consumer
from companion.hub.messages import MAX_LINE, Address, Entry, Position, read_entry
from companion.hub.sender import WINDOW, JournalOutbox, Sender, drain
from companion.hub.store import Store
from companion.referee.lines import line
from companion.referee.messages import Begin, Do
from companion.simulator.script import write_script
from tests.clock import Clock
from tests.hub.conftest import HEADER, journal_lines, play, table

HERE = Address("hall", "table-01")


def test_all_games_come_in_order_each_line_after_the_one_before(tmp_path: Path) -> None:
    with table(tmp_path) as referee:
        for seed in (1, 2, 3):
            play(referee, seed)
            referee.ask(Begin(HEADER))
        entries = JournalOutbox(referee.games).read(10_000)
        assert len(entries) == journal_lines(referee)
    assert entries[0].after is None
    assert all(entry.after == before.position for before, entry in pairwise(entries))
    assert {entry.position.game[:4] for entry in entries} == {"0001", "0002", "0003", "0004"}
    assert all(read_entry(entry.payload()) == entry for entry in entries)


def test_it_goes_on_from_any_position(tmp_path: Path) -> None:
    with table(tmp_path) as referee:
        play(referee)
        referee.ask(Begin(HEADER))
        play(referee, 2)
        entries = JournalOutbox(referee.games).read(10_000)
        for n in range(len(entries)):
            outbox = JournalOutbox(referee.games)
            outbox.seek(entries[n].position)
            assert outbox.read(10_000) == entries[n + 1 :]


def test_what_is_written_later_comes_later(tmp_path: Path) -> None:
    with table(tmp_path) as referee:
        outbox = JournalOutbox(referee.games)
        first = outbox.read(10_000)
        assert outbox.read(10_000) == []
        play(referee, moves=3)
        assert [entry.position.line for entry in first + outbox.read(10_000)] == [1, 2, 3, 4]


def test_nothing_is_read_that_is_not_yet_on_the_disk(tmp_path: Path) -> None:
    with table(tmp_path) as referee:
        play(referee, moves=3)
        journal = referee.health()["journal"]
        outbox = JournalOutbox(referee.games, lambda: (journal["file"], 2))
        assert [entry.position.line for entry in outbox.read(10)] == [1, 2]


def test_what_is_written_while_it_reads_comes_before_the_next_game(tmp_path: Path) -> None:
    read: list[Entry] = []
    fourth = write_script(HEADER, GAMES[HEADER.game].player(1)).commands[3]
    with table(tmp_path) as referee:

        def written() -> tuple[str, int]:
            journal = referee.health()["journal"]
            if read and journal["lines"] == 4:  # the last line of the game, and the next game, come just now
                referee.ask(Do(fourth))
                referee.ask(Begin(HEADER))
            return journal["file"], journal["lines"]

        outbox = JournalOutbox(referee.games, written)
        play(referee, moves=3)
        for _ in range(3):
            read += outbox.read(100)
        assert len(read) == journal_lines(referee)
    assert all(entry.after == before.position for before, entry in pairwise(read))


def test_a_game_longer_than_a_hub_follows_does_not_hold_up_the_next(tmp_path: Path) -> None:
    (tmp_path / "0001.jsonl").write_bytes(b"".join(line({"n": n, "did": "move"}) for n in range(1, MAX_LINE + 50)))
    (tmp_path / "0002.jsonl").write_bytes(line({"n": 1, "journal": 1}))
    outbox = JournalOutbox(tmp_path)
    entries = outbox.read(MAX_LINE + 100)
    assert [entry.position.line for entry in entries[-2:]] == [MAX_LINE - 1, 1]
    assert all(read_entry(entry.payload()) == entry for entry in entries[-2:])
    outbox.seek(entries[-2].position)
    assert outbox.read(10) == entries[-1:]


def test_a_game_that_is_deleted_while_it_is_read_does_not_hold_up_the_others(tmp_path: Path) -> None:
    with table(tmp_path) as referee:
        for seed in (1, 2, 3):
            play(referee, seed, moves=5)
            referee.ask(Begin(HEADER))
        outbox = JournalOutbox(referee.games)
        whole = outbox.read(9)
        assert [entry.position.game[:4] for entry in (whole[-1], *outbox.read(1))] == ["0002", "0002"]
        (referee.games / "0002.jsonl").unlink()
        rest = outbox.read(100)
        assert [entry.position.game[:4] for entry in rest[-7:]] == ["0003"] * 6 + ["0004"]
    assert all(entry.after == before.position for before, entry in pairwise(rest))
    assert rest[0].after is None


def test_a_half_written_line_waits_for_its_end(tmp_path: Path) -> None:
    with table(tmp_path / "whole") as referee:
        play(referee, moves=4)
        data = next(referee.games.glob("*.jsonl")).read_bytes()
    journal = tmp_path / "0001.jsonl"
    journal.write_bytes(data[:-20])
    outbox = JournalOutbox(tmp_path)
    assert len(outbox.read(10)) == 4
    journal.write_bytes(data)
    assert [entry.position.line for entry in outbox.read(10)] == [5]


def test_a_damaged_game_is_left_out_from_there_and_told(tmp_path: Path) -> None:
    with table(tmp_path) as referee:
        play(referee, moves=4)
        referee.ask(Begin(HEADER))
        path = min(referee.games.glob("*.jsonl"))
        path.write_bytes(path.read_bytes().replace(b'"cmd": "stake"', b'"cmd": "stoke"'))
        outbox = JournalOutbox(referee.games)
        assert [entry.position.game[:4] for entry in outbox.read(10)] == ["0001", "0001", "0002"]
        assert outbox.damaged is not None
        assert "line 3" in outbox.damaged


def test_after_a_position_nobody_knows_everything_comes(tmp_path: Path) -> None:
    with table(tmp_path) as referee:
        play(referee, moves=4)
        outbox = JournalOutbox(referee.games)
        outbox.seek(Position("0001-00000000", 3))
        assert len(outbox.read(10)) == 5


def test_what_is_not_acknowledged_is_sent_again_and_no_more_than_a_window_is_under_way(tmp_path: Path) -> None:
    with table(tmp_path) as referee:
        while journal_lines(referee) <= WINDOW + 10:
            play(referee, 1)
            referee.ask(Begin(HEADER))
        sent, clock = [], Clock(0.0)
        sender = Sender(JournalOutbox(referee.games), lambda entry: not sent.append(entry.position), clock)
        assert sender.send() == 0, "nothing is sent before the hub has said where it stands"
        sender.rewind(None)
        sender.send()
        sender.send()
        assert len(sent) == WINDOW
        sender.keep(sent[9])
        sender.send()
        assert len(sent) == WINDOW + 10
        clock.now_s = 6.0
        sender.send()
        assert sent[WINDOW + 10] == sent[10], "from the last position that is kept"
        clock.now_s = 12.0
        sender.send()
        assert len(sent) == 2 * WINDOW + 10, "the second time it waits longer"


def test_what_follows_a_game_that_was_deleted_comes_however_much_was_played_before(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'hub.db'}")
    with table(tmp_path / "table") as referee:
        while journal_lines(referee) <= 2 * WINDOW:
            play(referee, 1)
            referee.ask(Begin(HEADER))
        store.keep([(HERE, entry) for entry in JournalOutbox(referee.games).read(10_000)])
        deleted = store.position(HERE)
        assert deleted is not None
        referee.ask(Begin(HEADER))
        play(referee, moves=3)
        (referee.games / f"{deleted.game[:4]}.jsonl").unlink()
        newest = JournalOutbox(referee.games).read(10_000)[-1].position

        acknowledged: SimpleQueue[bytes] = SimpleQueue()
        consumer = Consumer(store, [], lambda _, message: acknowledged.put(message))
        consumer.start()
        sender = Sender(
            JournalOutbox(referee.games),
            lambda entry: consumer.hear(HERE, "event", entry.payload()) is None,
            Clock(0.0),
        )
        sender.rewind(deleted)
        for _ in range(10):
            sender.send()
            if not sender.is_waiting:
                break
            sender.hear(acknowledged.get(timeout=10), "birth")
            for message in drain(acknowledged):
                sender.hear(message, "birth")
            sender.notice()
        consumer.stop()
    assert store.position(HERE) == newest
    store.close()


def test_a_connection_that_takes_nothing_loses_nothing(tmp_path: Path) -> None:
    with table(tmp_path) as referee:
        play(referee, moves=4)
        sent: list[Position] = []
        sender = Sender(
            JournalOutbox(referee.games), lambda entry: len(sent) < 2 and not sent.append(entry.position), Clock(0.0)
        )
        sender.rewind(None)
        sender.send()
        assert [position.line for position in sent] == [1, 2]
        taken, sent[:] = list(sent), []
        sender.send()
        assert [position.line for position in sent] == [1, 2], "from the last position that is kept"
        assert sent == taken
