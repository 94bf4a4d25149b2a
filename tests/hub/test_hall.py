"""What the hall shows of its tables, by a clock of the test's own; and the display's page."""

import json
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest
from flask.testing import FlaskClient
from sqlalchemy.exc import InterfaceError

from companion.hub.consumer import Consumer
from companion.hub.hall import Hall
from companion.hub.link import broker_at
from companion.hub.messages import Address, Entry, Position, Unreadable, encode
from companion.hub.pages.web import MAX_STREAMS, MOST_OF_ONE, create_hub_app
from companion.hub.service import Hub
from companion.hub.snapshot import read_snapshot
from companion.hub.store import Store, StoreAway
from companion.hub.tournaments.director import Director
from companion.referee.messages import REFEREE_CALLED
from tests.clock import Clock
from tests.hub.conftest import until

ANA, BO = Address("hall", "table-01"), Address("hall", "table-02")
QUIET: dict[str, Any] = {
    "game": "0001-0badcafe", "line": 3, "kind": "hexel", "players": ["Ana", "Bo"], "phase": "play", "turn": "Ana",
    "moves": 2, "call": None, "said": "", "pot": None, "measures": {"Ana": 100}, "proposal": None, "notices": [],
    "camera": "ok", "over": False, "version": 3, "sent": 1.0,
}  # fmt: skip


class Snapshot(dict[str, Any]):
    """One to which a weak reference may lead."""

    __hash__ = object.__hash__  # type: ignore[assignment]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def hall(clock: Clock) -> Hall:
    return Hall(clock=clock)


def alarms(hall: Hall) -> list[str]:
    return [alarm["code"] for table in hall.tables() for alarm in table["alarms"]]


def test_a_table_that_tells_nothing_for_ten_seconds_is_silent(hall: Hall, clock: Clock) -> None:
    hall.put(ANA, QUIET)
    clock.now_s += 9.9
    assert alarms(hall) == []
    clock.now_s += 0.7
    assert alarms(hall) == ["silent"]
    hall.put(ANA, QUIET)
    assert alarms(hall) == []


def test_what_nobody_looks_at_is_not_kept(clock: Clock) -> None:
    shown = Hall(30.0, clock)
    old, older = Snapshot(QUIET), Snapshot(QUIET)
    left = [weakref.ref(old), weakref.ref(older)]
    for snapshot in (older, old):
        shown.put(ANA, snapshot)
        clock.now_s += 31.0
    del snapshot, old, older
    shown.put(ANA, QUIET)
    clock.now_s += 31.0
    shown.put(ANA, QUIET)
    assert [ref() for ref in left] == [None, None]


def test_a_table_that_floods_a_display_that_lags_behind_fills_no_memory(clock: Clock) -> None:
    shown = Hall(60.0, clock)
    kept = WeakSet[Snapshot]()
    for moves in range(5000):
        kept.add(snapshot := Snapshot(QUIET, moves=moves))
        shown.put(ANA, snapshot)
        shown.doubt(ANA, f"schema {moves}")
        clock.now_s += 0.001
    shown.put(BO, QUIET)
    del snapshot
    assert 300 < len(kept) < 400  # beside as many doubts
    clock.now_s += 61.0
    tables = shown.tables()
    assert [table["table"] for table in tables] == ["table-01", "table-02"]
    shown.put(ANA, {**QUIET, "moves": 7000})
    clock.now_s += 61.0
    assert [table["moves"] for table in shown.tables()] == [7000, 2]


def test_a_table_of_a_million_schemas_is_doubted_a_few_times(hall: Hall, clock: Clock) -> None:
    for n in range(2, 1000):
        hall.doubt(ANA, f"schema {n}")
    hall.doubt(ANA, "differs")
    (table,) = hall.tables()
    assert [alarm["text"] for alarm in table["alarms"]] == ["schema 997", "schema 998", "schema 999", "differs"]
    clock.now_s += 61.0
    hall.doubt(ANA, "full")
    assert [alarm["text"] for alarm in hall.tables()[0]["alarms"] if alarm["code"] == "doubt"] == ["full"]


def test_a_wrong_clock_at_the_table_changes_nothing(hall: Hall, clock: Clock) -> None:
    hall.put(ANA, {**QUIET, "sent": 0.0})
    hall.put(BO, {**QUIET, "sent": 9e12})
    clock.now_s += 5.0
    assert alarms(hall) == []


def test_a_table_that_says_goodbye_is_not_silent_and_one_cut_off_is_told_at_once(hall: Hall, clock: Clock) -> None:
    for table in (ANA, BO):
        hall.put(table, QUIET)
    hall.meet(ANA, "closed")
    hall.meet(BO, "gone")
    assert alarms(hall) == ["gone"]
    clock.now_s += 60.0
    assert alarms(hall) == ["gone"]


def test_the_referees_call_comes_before_everything_else(hall: Hall) -> None:
    notices = [{"code": "camera-lost", "text": "gone"}, {"code": REFEREE_CALLED, "text": "Whose card?"}]
    hall.put(ANA, {**QUIET, "notices": notices})
    (table,) = hall.tables()
    assert table["alarms"][0] == {"code": "referee", "text": "Whose card?"}
    hall.put(BO, {**QUIET, "camera": "failed"})
    assert table["serious"] > hall.tables()[1]["serious"] > 0


def test_the_last_call_of_all_tables_is_kept(hall: Hall) -> None:
    hall.put(ANA, {**QUIET, "call": {"word": "Hexel", "player": "Ana"}, "said": "Ana lays a card."})
    hall.put(BO, {**QUIET, "call": {"word": "Hexba", "player": "Bo"}, "moves": 7})
    hall.put(ANA, {**QUIET, "call": {"word": "Hexel", "player": "Ana"}})  # a sign of life is no call
    hall.tables()
    assert hall.call is not None
    assert (hall.call["table"], hall.call["word"]) == ("table-02", "Hexba")


def test_a_sign_of_life_is_no_change(hall: Hall, clock: Clock) -> None:
    hall.put(ANA, QUIET)
    version, _ = hall.changes(-1, 0.0)
    clock.now_s += 3.0
    hall.put(ANA, {**QUIET, "sent": 4.0})
    assert hall.changes(version, 0.0) == (version, [])
    hall.put(ANA, {**QUIET, "moves": 3})
    assert [table["moves"] for table in hall.changes(version, 0.0)[1]] == [3]


def test_a_broadcast_lags_behind_by_so_much_and_not_the_desk(clock: Clock) -> None:
    shown = Hall(30.0, clock)
    shown.put(ANA, QUIET)
    clock.now_s += 29.0
    shown.put(ANA, {**QUIET, "moves": 3})
    assert shown.tables() == []
    clock.now_s += 1.5
    assert [table["moves"] for table in shown.tables()] == [2]
    assert alarms(shown) == []
    clock.now_s += 29.0
    assert [table["moves"] for table in shown.tables()] == [3]


@pytest.mark.parametrize(
    "wrong",
    [
        {"players": "Ana"}, {"players": [1]}, {"pot": {"amount": "many", "name": "x"}}, {"notices": ["no"]},
        {"call": {"word": 3}}, {"measures": {"Ana": []}}, {"over": None}, {"turn": 5}, {"said": "x" * 2000},
    ],
)  # fmt: skip
def test_a_snapshot_that_is_none_is_not_shown(wrong: dict[str, Any]) -> None:
    assert read_snapshot(encode(QUIET))["moves"] == 2
    with pytest.raises(Unreadable):
        read_snapshot(encode({**QUIET, **wrong}))


@pytest.mark.parametrize("name", sorted(set(QUIET) - {"phase"}))
def test_a_snapshot_that_lacks_a_field_is_not_shown(name: str) -> None:
    with pytest.raises(Unreadable):
        read_snapshot(encode({key: value for key, value in QUIET.items() if key != name}))


def test_whatever_a_table_sends_the_hub_goes_on_with_the_others(tmp_path: Path, caplog: Any) -> None:
    store, said = Store(f"sqlite:///{tmp_path / 'hub.db'}"), list[Address]()
    hall, broken = Hall(), Hall()
    broken.put = lambda *_: 1 // 0  # type: ignore[method-assign,assignment]  # a bug
    consumer = Consumer(store, [hall, broken], lambda address, _: said.append(address))
    consumer.start()
    consumer.hear(ANA, "presence", b'{"schema": 1, "state": "here", "birth": "\\ud800"}')
    consumer.hear(ANA, "snapshot", encode(QUIET))
    consumer.hear(BO, "presence", encode({"state": "here", "birth": "ab"}))
    consumer.stop()
    store.close()
    assert said == [BO]
    assert consumer.counts.unreadable == {ANA: 1}
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize(
    "error",
    [InterfaceError("insert", {}, Exception()), ConnectionResetError(), StoreAway("away"), RuntimeError("a bug")],
)
def test_a_database_that_goes_away_in_the_middle_does_not_end_the_hub(error: Exception, tmp_path: Path) -> None:
    store, said, failing = Store(f"sqlite:///{tmp_path / 'hub.db'}"), list[Address](), [error]
    keep = store.keep
    store.keep = lambda batch: keep(batch) if not failing else fail(failing.pop())  # type: ignore[method-assign]
    consumer = Consumer(store, [Hall()], lambda address, _: said.append(address))
    consumer.start()
    entry = Entry(Position("0001-0badcafe", 1), None, {"n": 1})
    consumer.hear(ANA, "event", entry.payload())
    until(lambda: not failing)
    consumer.hear(ANA, "event", entry.payload())  # what was not acknowledged comes again
    consumer.stop()
    store.close()
    assert said == [ANA]


@pytest.mark.parametrize("what", ["keep", "position"])
def test_a_table_that_comes_while_the_database_is_away_is_told_later_where_the_hub_stands(
    what: str, tmp_path: Path
) -> None:
    store, said, failing = Store(f"sqlite:///{tmp_path / 'hub.db'}"), dict[Address, Any](), [StoreAway("away")]
    works = getattr(store, what)
    setattr(store, what, lambda given: works(given) if not failing else fail(failing.pop()))
    consumer = Consumer(store, [Hall()], lambda address, told: said.setdefault(address, json.loads(told)))
    consumer.start()
    consumer.hear(ANA, "presence", encode({"state": "here", "birth": "ab"}))
    consumer.hear(BO, "event", Entry(Position("0001-0badcafe", 1), None, {"n": 1}).payload())
    until(lambda: not failing)
    consumer.hear(ANA, "snapshot", encode(QUIET))  # a sign of life
    consumer.stop()
    store.close()
    assert said[ANA] == {"schema": 1, "game": None, "birth": "ab"}


def fail(error: Exception) -> Any:
    raise error


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FlaskClient]:
    store = Store(f"sqlite:///{tmp_path / 'hub.db'}")
    hub = Hub(broker_at("mqtt://127.0.0.1", "hub"), store)
    hub.hall.put(ANA, QUIET)
    yield create_hub_app(hub, Director(hub), pin="271828").test_client()
    store.close()


def test_the_display_has_every_table(client: FlaskClient) -> None:
    assert "The hall" in client.get("/").text
    assert client.get("/api/hall").json["tables"][0]["table"] == "table-01"
    for file in ("/static/hall.css", "/static/hall.js", "/house/dom.js", "/house/words.js", "/house/icon.svg"):
        with client.get(file) as response:
            assert response.status_code == 200


def test_the_stream_begins_with_every_table(client: FlaskClient) -> None:
    events = client.get("/api/hall/events").response
    assert next(iter(events)).decode().startswith("retry")
    text = next(iter(events)).decode()
    assert "event: hall" in text
    told = json.loads(text.split("data: ")[1])
    assert told["whole"]
    assert told["tables"][0]["title"] == "Hex’el"
    events.close()


def test_one_address_does_not_take_every_place_for_displays(client: FlaskClient) -> None:
    def watch(address: str) -> Any:
        return client.get("/api/hall/events", environ_base={"REMOTE_ADDR": address})

    taken = [watch("192.168.1.9") for _ in range(MOST_OF_ONE)]
    assert {answer.status_code for answer in taken} == {200}
    refused = watch("192.168.1.9")
    assert (refused.status_code, refused.json["error"]["code"]) == (503, "too-many-viewers")
    assert refused.headers["Retry-After"]
    taken += [watch("192.168.1.10"), *(watch("127.0.0.1") for _ in range(MOST_OF_ONE + 1))]
    assert {answer.status_code for answer in taken} == {200}
    taken.pop(0).close()
    taken += [watch("192.168.1.9"), *(watch(f"192.168.2.{n}") for n in range(MAX_STREAMS - len(taken) - 1))]
    assert {answer.status_code for answer in taken} == {200}
    assert watch("192.168.1.11").status_code == 503
    for answer in taken:
        answer.close()
    with watch("192.168.1.11") as answer:
        assert answer.status_code == 200
