"""The store: each line once, whatever arrives twice or out of order; the same on SQLite and on PostgreSQL."""

import random
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy

from companion.errors import TableError
from companion.hub.messages import Address, Entry, Position
from companion.hub.store import Store, StoreAway

ANA = Address("hall", "table-01")
BO = Address("hall", "table-02")
FIRST, SECOND = "0001-0badcafe", "0002-0badcafe"


def line(game: str, n: int, after: Position | None = None, **said: object) -> Entry:
    return Entry(Position(game, n), after or (Position(game, n - 1) if n > 1 else None), {"n": n, **said})


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    opened = Store(store_url)
    yield opened
    opened.close()


def test_lines_in_order_are_kept_and_acknowledged(store: Store) -> None:
    done = store.keep([(ANA, line(FIRST, n)) for n in (1, 2, 3)])
    assert done.positions == {ANA: Position(FIRST, 3)}
    assert len(done.new) == 3
    assert store.position(ANA) == Position(FIRST, 3)
    assert [body["n"] for body in store.lines(ANA, FIRST)] == [1, 2, 3]
    assert store.position(BO) is None


def test_a_line_that_comes_twice_is_kept_once(store: Store) -> None:
    lines = [(ANA, line(FIRST, n)) for n in (1, 2, 3)]
    store.keep(lines)
    done = store.keep([*lines, *lines])
    assert done.new == []
    assert done.differing == set()
    assert store.count() == 3
    assert done.positions == {ANA: Position(FIRST, 3)}


def test_another_line_at_the_same_place_is_told_and_changes_nothing(store: Store) -> None:
    store.keep([(ANA, line(FIRST, 1, did="begin"))])
    assert store.keep([(ANA, line(FIRST, 1, did="cheat"))]).differing == {ANA}
    assert store.lines(ANA, FIRST) == [{"n": 1, "did": "begin"}]


def test_a_gap_holds_the_position_until_it_is_filled(store: Store) -> None:
    store.keep([(ANA, line(FIRST, 1))])
    assert store.keep([(ANA, line(FIRST, n)) for n in (3, 4)]).positions == {ANA: Position(FIRST, 1)}
    assert len(store.lines(ANA, FIRST)) == 1
    assert store.keep([(ANA, line(FIRST, 2))]).positions == {ANA: Position(FIRST, 4)}


def test_lines_of_several_games_in_any_order_all_come_to_count(store: Store) -> None:
    lines = [line(FIRST, n) for n in range(1, 30)]
    lines += [line(SECOND, 1, Position(FIRST, 29)), *(line(SECOND, n) for n in range(2, 30))]
    shuffled = [(ANA, entry) for entry in lines]
    chance = random.Random(1)
    chance.shuffle(shuffled)
    for _ in range(3):  # at least once
        for start in range(0, len(shuffled), 7):
            store.keep(shuffled[start : start + 7])
    assert store.position(ANA) == Position(SECOND, 29)
    assert store.count() == 58
    assert store.games(ANA) == [FIRST, SECOND]
    assert [entry.position for entry in store.following(ANA, None, 100)] == sorted(entry.position for entry in lines)


def test_a_table_that_has_had_its_share_takes_no_room_from_the_others(store_url: str) -> None:
    store = Store(store_url, most_bytes_of_a_table=200)
    first = [(ANA, line(FIRST, 1, said="x" * 90))]
    assert store.keep(first).full == set()
    assert store.keep([*first, *first]).full == set()  # what is kept already is counted once
    assert store.keep([(ANA, line(FIRST, 2, said="x" * 90))]).new == [(ANA, Position(FIRST, 2))]
    done = store.keep([(ANA, line(FIRST, 3)), (BO, line(FIRST, 1))])
    assert (done.full, done.positions) == ({ANA}, {BO: Position(FIRST, 1)})
    assert store.keep([(ANA, line(SECOND, 1))]).new == []
    assert (store.position(ANA), store.count()) == (Position(FIRST, 2), 3)
    store.close()


def test_lines_that_follow_nothing_fill_no_database_and_what_follows_is_kept(store: Store) -> None:
    for game in range(1, 15):
        store.keep([(ANA, line(f"{game:04}-0badcafe", n)) for n in range(2, 102)])
    assert store.count() == 1100
    assert store.keep([(ANA, line(FIRST, 1))]).positions == {ANA: Position(FIRST, 101)}


def test_a_table_whose_disk_was_replaced_begins_anew(store: Store) -> None:
    store.keep([(ANA, line(FIRST, n)) for n in (1, 2)])
    other = "0001-00c0ffee"
    assert store.keep([(ANA, line(other, 1)), (ANA, line(other, 2))]).positions == {ANA: Position(other, 2)}
    assert store.games(ANA) == [FIRST, other] or store.games(ANA) == [other, FIRST]


def test_what_follows_a_position_is_everything_after_it(store: Store) -> None:
    store.keep([(ANA, line(FIRST, n)) for n in (1, 2, 3)])
    store.keep([(ANA, line(SECOND, 1, Position(FIRST, 3))), (BO, line(FIRST, 1))])
    assert [entry.position for entry in store.following(ANA, Position(FIRST, 2), 10)] == [
        Position(FIRST, 3),
        Position(SECOND, 1),
    ]
    assert len(store.following(ANA, Position("0009-00000000", 1), 10)) == 4


def test_hubs_that_share_a_table_lose_nothing_and_keep_nothing_twice(store_url: str) -> None:
    hubs = [Store(store_url), Store(store_url)]
    lines = [(ANA, line(FIRST, n)) for n in range(1, 201)]
    threads = [
        threading.Thread(target=lambda hub=hub, part=part: [hub.keep([entry]) for entry in lines[part::2]])
        for part, hub in enumerate(hubs)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    hubs[0].keep(lines[-1:])  # what a table sends again when nothing has come back
    assert hubs[1].position(ANA) == Position(FIRST, 200)
    assert hubs[1].count() == 200
    for hub in hubs:
        hub.close()


def test_a_tournaments_log_has_one_writer_at_each_place(store: Store) -> None:
    assert store.append("open", 0, {"did": "begin"})
    assert not store.append("open", 0, {"did": "begin", "by": "another hub"})
    assert store.append("open", 1, {"did": "register"})
    assert store.log("open") == [{"did": "begin"}, {"did": "register"}]
    assert store.tournaments() == ["open"]


def test_a_store_that_cannot_be_opened_is_one_clear_line() -> None:
    with pytest.raises(TableError, match="cannot open the store"):
        Store("sqlite:////nowhere/at/all/hub.db")


def test_a_database_in_a_file_is_readable_by_nobody_else(tmp_path: Path) -> None:
    with closing(Store(f"sqlite:///{tmp_path / 'hub.db'}")) as store:
        store.keep([(ANA, line(FIRST, 1))])
        assert {path.name: path.stat().st_mode & stat.S_IRWXO for path in tmp_path.iterdir()} == dict.fromkeys(
            ("hub.db", "hub.db-wal", "hub.db-shm"), 0
        )


def test_a_database_that_was_restarted_is_entered_anew(postgresql_url: str) -> None:
    store = Store(postgresql_url)
    store.keep([(ANA, line(FIRST, 1))])
    other = sqlalchemy.create_engine(postgresql_url.replace("postgresql:", "postgresql+pg8000:"))
    with other.connect() as held:  # what a server that ends does to each of its connections
        ended = "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
        held.execute(sqlalchemy.text(f"{ended} and pid <> pg_backend_pid()"))
    other.dispose()
    assert store.position(ANA) == Position(FIRST, 1)
    assert store.append("open", 0, {"did": "begin"})
    store.close()


@pytest.mark.parametrize("error", [sqlalchemy.exc.InterfaceError("select", {}, Exception()), ConnectionResetError()])
def test_a_database_that_goes_away_is_told_as_such(error: Exception, store: Store) -> None:
    def fail(*_: object) -> None:
        raise error

    sqlalchemy.event.listen(sqlalchemy.Engine, "before_cursor_execute", fail)
    try:
        for ask in (store.tables, lambda: store.append("open", 0, {}), lambda: store.keep([(ANA, line(FIRST, 1))])):
            with pytest.raises(StoreAway):
                ask()
    finally:
        sqlalchemy.event.remove(sqlalchemy.Engine, "before_cursor_execute", fail)
    assert store.keep([(ANA, line(FIRST, 1))]).positions == {ANA: Position(FIRST, 1)}


@pytest.mark.parametrize("body", ['{"did', "[]", ""])
def test_a_line_that_a_damaged_database_holds_is_told_as_such(body: str, store_url: str, store: Store) -> None:
    store.keep([(ANA, line(FIRST, 1))])
    store.append("open", 0, {"did": "begin"})
    engine = sqlalchemy.create_engine(store_url.replace("postgresql:", "postgresql+pg8000:"))
    with engine.begin() as held:
        for table in ("events", "tournament_log"):
            held.execute(sqlalchemy.text(f"update {table} set body = :body"), {"body": body})
    engine.dispose()
    for read in (lambda: store.lines(ANA, FIRST), lambda: store.following(ANA, None, 9), lambda: store.log("open")):
        with pytest.raises(TableError, match="is damaged"):
            read()
