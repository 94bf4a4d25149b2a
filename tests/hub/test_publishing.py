"""Tables and a hub over a real broker: everything arrives, once, whoever was away meanwhile."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from companion.errors import CompanionError
from companion.hub.broker import Mosquitto
from companion.hub.link import Broker, Link
from companion.hub.messages import MAX_SNAPSHOT_BYTES, Address, Unreadable, decode, encode
from companion.hub.publisher import Place, Publisher
from companion.hub.service import Hub
from companion.hub.snapshot import biggest_pot, payload, read_snapshot, snapshot
from companion.hub.store import Store
from companion.referee.journal import replay
from companion.referee.messages import REFEREE_CALLED, Begin, Notice
from companion.referee.referee import Referee
from companion.rules.engine import Header
from tests.hub.conftest import HEADER, journal_lines, play, table, until

HERE = Address("hall", "table-01")
Brokers = Callable[[str], Broker]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(f"sqlite:///{tmp_path / 'hub.db'}")
    yield opened
    opened.close()


def published(referee: Referee, broker: Brokers, name: str = "table-01", **more: object) -> Publisher:
    publisher = Publisher(referee, Place(broker(name), Address("hall", name), **more))
    publisher.start()
    return publisher


def shown(hub: Hub) -> dict:
    tables = hub.hall.tables()
    return tables[0] if tables else {"alarms": [], "state": None}


def alarms(hub: Hub) -> set[str]:
    return {alarm["code"] for alarm in shown(hub)["alarms"]}


def test_a_game_arrives_whole_and_replays_to_the_same_end(tmp_path: Path, broker: Brokers, store: Store) -> None:
    hub = Hub(broker("hub"), store)
    hub.start()
    with table(tmp_path) as referee:
        publisher = published(referee, broker)
        play(referee)
        until(lambda: store.count() == journal_lines(referee))
        (game,) = store.games(HERE)
        session, _ = replay(tmp_path, store.lines(HERE, game))
        assert session.state == referee.latest().state
        until(lambda: shown(hub).get("over"))
        assert shown(hub)["players"] == ["Ana", "Bo", "Cy"]
        publisher.stop()
        until(lambda: shown(hub)["state"] == "closed")
    hub.stop()


def test_after_days_without_a_network_what_is_missing_comes(
    tmp_path: Path, broker: Brokers, store: Store, mosquitto_process: Mosquitto
) -> None:
    hub = Hub(broker("hub"), store)
    hub.start()
    with table(tmp_path) as referee:
        publisher = published(referee, broker)
        play(referee, moves=3)
        until(lambda: store.count() == journal_lines(referee))
        mosquitto_process.kill()
        for seed in range(2, 12):
            referee.ask(Begin(HEADER))
            play(referee, seed)
        assert store.count() == 4
        mosquitto_process.start()
        until(lambda: store.count() == journal_lines(referee))
        assert hub.consumer.counts.again <= 4
        publisher.stop()
    hub.stop()


def test_a_hub_that_comes_back_has_lost_nothing_and_one_that_forgot_everything_gets_it_again(
    tmp_path: Path, broker: Brokers, store: Store
) -> None:
    with table(tmp_path) as referee:
        publisher = published(referee, broker)
        play(referee)
        hub = Hub(broker("hub"), store)
        hub.start()
        until(lambda: store.count() == journal_lines(referee))
        hub.stop()
        referee.ask(Begin(HEADER))
        for kept in (store, Store(f"sqlite:///{tmp_path / 'another.db'}")):
            hub = Hub(broker("hub"), kept)
            hub.start()
            until(lambda kept=kept: kept.count() == journal_lines(referee))
            hub.stop()
        kept.close()
        publisher.stop()


class Relay:
    """A way to a broker that breaks as a network does: the one end learns of it at once, the other later."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._opened: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._run(self._accept)

    def close(self) -> None:
        for one in (self._listening, *self._opened):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for one in (self._listening, *self._opened):
            one.close()

    @property
    def broker(self) -> Broker:
        return replace(self._broker, port=self._listening.getsockname()[1])

    def cut(self) -> list[socket.socket]:
        """Cut off whoever came in; return what the broker still takes for them."""
        pairs, self._pairs = self._pairs, []
        for inner, _ in pairs:
            inner.shutdown(socket.SHUT_RDWR)
        return [outer for _, outer in pairs]

    def _run(self, target: Callable[..., None], *given: socket.socket) -> None:
        self._threads.append(threading.Thread(target=target, args=given, daemon=True))
        self._threads[-1].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                inner, _ = self._listening.accept()
                outer = socket.create_connection((self._broker.host, self._broker.port))
                self._pairs.append((inner, outer))
                self._opened += [inner, outer]
                self._run(self._pass_on, inner, outer)
                self._run(self._pass_on, outer, inner)

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(4096):
                target.sendall(data)


def test_a_table_whose_network_broke_is_here_though_the_broker_learns_of_it_late(
    tmp_path: Path, broker: Brokers, store: Store
) -> None:
    presences: list[str] = []
    topics = {HERE.topic("up", "presence"): 1}
    watching = Link(broker("watcher"), topics, lambda m: presences.append(decode(m.payload)["state"]), lambda: None)
    watching.open()
    relay = Relay(broker("table-01"))
    with table(tmp_path / "table") as referee:
        publisher = published(referee, lambda _: relay.broker)
        until(lambda: presences == ["here"])
        lingering = relay.cut()
        until(lambda: presences.count("here") == 2)
        for outer in lingering:
            outer.shutdown(socket.SHUT_RDWR)
        until(lambda: presences.count("gone") == 1)
        hub = Hub(broker("hub"), store)
        hub.start()
        until(lambda: store.count() == journal_lines(referee))
        hub.stop()
        publisher.stop()
    relay.close()
    watching.close()


def test_two_hubs_share_the_lines_and_keep_each_once(tmp_path: Path, broker: Brokers, store_url: str) -> None:
    hubs = [Hub(broker(name), Store(store_url)) for name in ("hub-a", "hub-b")]
    for hub in hubs:
        hub.start()
    with table(tmp_path) as referee:
        until(lambda: all(hub.is_connected for hub in hubs))
        publisher = published(referee, broker)
        for seed in (1, 2, 3, 4):
            play(referee, seed)
            referee.ask(Begin(HEADER))
        until(lambda: hubs[0].store.count() == journal_lines(referee))
        publisher.stop()
    for hub in hubs:
        hub.stop()
        hub.store.close()
        assert hub.consumer.counts.lines > 0


def test_the_hall_shows_what_is_amiss(tmp_path: Path, broker: Brokers, store: Store) -> None:
    hub = Hub(broker("hub"), store)
    hub.start()
    camera = ["ok"]
    with table(tmp_path) as referee:
        publisher = published(referee, broker, camera=lambda: camera[0])
        until(lambda: shown(hub)["state"] == "here" and not alarms(hub))
        referee.ask(Notice(REFEREE_CALLED, "Ana calls the referee."))
        until(lambda: alarms(hub) == {"referee"})
        hub.ask(HERE, {"ask": "dismiss"})
        until(lambda: not alarms(hub))
        camera[0] = "failed"
        until(lambda: alarms(hub) == {"camera"})
        publisher.stop()
    hub.stop()


def test_a_ruling_is_a_correction_that_the_journal_keeps(tmp_path: Path, broker: Brokers, store: Store) -> None:
    hub = Hub(broker("hub"), store)
    hub.start()
    with table(tmp_path) as referee:
        publisher = published(referee, broker)
        play(referee, moves=2)
        until(lambda: store.count() == 3)
        ruling = {"ask": "correct", "at": 2, "replaced": 1, "commands": [], "cut": False, "by": "Dee"}
        told = hub.ask(HERE, ruling)
        assert told["version"] == referee.latest().version
        assert len(referee.latest().moves) == 1
        assert referee.latest().amendments[-1].by == "Dee (referee)"
        until(lambda: store.count() == 4)
        assert store.lines(HERE, store.games(HERE)[0])[-1]["did"] == "correct"
        with pytest.raises(CompanionError, match="9 to 9 cannot be changed"):
            hub.ask(HERE, {**ruling, "at": 9})
        with pytest.raises(CompanionError, match="No picture"):
            hub.picture(HERE, 1)
        with pytest.raises(CompanionError, match="is being played"):
            hub.ask(HERE, {"ask": "begin", "header": HEADER.as_json()})
        with pytest.raises(CompanionError, match="cannot be asked"):
            hub.ask(HERE, {"ask": "format"})
        publisher.stop()
    hub.stop()


def test_another_version_is_shown_as_such_and_never_misread(broker: Brokers, store: Store) -> None:
    hub = Hub(broker("hub"), store)
    hub.start()
    until(lambda: hub.is_connected)
    good = b'{"schema":2,"game":"0001-0badcafe","line":1,"after":null,"body":{"n":1}}'
    for data in (good, b"rubbish", b"[1]", b"\xff\xfe", encode({}), encode({"game": "x", "line": 1, "body": {}})):
        hub.consumer.hear(HERE, "event", data)
        hub.consumer.hear(HERE, "snapshot", data)
        hub.consumer.hear(HERE, "presence", data)
    until(lambda: hub.consumer.counts.unreadable[HERE] == 18)
    assert {alarm["text"] for alarm in shown(hub)["alarms"]} == {"schema 2", "unreadable"}
    assert store.count() == 0
    hub.stop()


@pytest.mark.parametrize("players", [2, 6])
def test_a_snapshot_stays_below_two_kilobytes(tmp_path: Path, players: int) -> None:
    names = tuple(f"{'Ω' * 60}{n}" for n in range(players))
    with table(tmp_path, Header("comet", names)) as referee:
        play(referee, moves=20)
        for n in range(20):
            referee.ask(Notice(f"notice-{n}", "ж" * 500))
        told = snapshot(referee.latest(), None, "ok")
        assert len(payload({**told, "sent": 1.0})) <= MAX_SNAPSHOT_BYTES


def test_players_whose_long_names_begin_alike_are_told_apart(tmp_path: Path) -> None:
    players = tuple(f"Ana of the long name, and {n}" for n in range(3))
    with table(tmp_path / "data", Header("comet", players, "56")) as referee:
        play(referee, moves=4)
        told = snapshot(referee.latest(), None, "ok")
        view = referee.latest().game.view(referee.latest().state)
    assert len(set(told["players"])) == 3
    assert all(len(name) <= 24 for name in told["players"])
    chips = [view["players"][name]["chips"] for name in players]
    assert [told["measures"][name] for name in told["players"]] == chips


def test_the_biggest_pot_is_called_what_the_game_calls_it() -> None:
    assert biggest_pot({"table": {"pots": {"Vain": 40, "tail": 70}}, "players": {}}) == {
        "name": "the Tail", "amount": 70,
    }  # fmt: skip
    assert biggest_pot({"table": {}, "players": {"tail": {"hand_pot": 6}}}) == {"name": "tail", "amount": 6}


def test_a_snapshot_tells_its_events_as_far_as_they_have_room(tmp_path: Path) -> None:
    with table(tmp_path) as referee:
        play(referee, moves=9)
        session = referee.latest()
    told = snapshot(session, None, "ok")
    assert told["events"] == list(session.moves[-1].events)
    assert read_snapshot(payload({**told, "sent": 0.0}))["events"] == told["events"]
    crowded = {**told, "sent": 0.0, "events": [*told["events"], {"event": "x" * MAX_SNAPSHOT_BYTES}]}
    read = read_snapshot(payload(crowded))
    assert (read["events"], read["said"]) == ([], told["said"])
    with pytest.raises(Unreadable):
        read_snapshot(payload({**told, "sent": 0.0, "events": [[]]}))
