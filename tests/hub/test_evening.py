"""A whole tournament: 64 players over six rounds, played by script from registration to the last standing."""

import csv
import io
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.games import GAMES
from companion.hub.link import Broker
from companion.hub.messages import Address
from companion.hub.pages.web import create_hub_app
from companion.hub.publisher import Place, Publisher
from companion.hub.service import Hub
from companion.hub.store import Store
from companion.hub.tournaments.director import Director
from companion.referee.messages import Do
from companion.referee.referee import Referee
from companion.rules.engine import Command, Header
from companion.simulator.script import write_script
from tests.hub.conftest import table, until

PIN = "271828"
TABLES, PLAYERS_AT_FIRST, ROUNDS = 32, 64, 6
OPEN = "/api/tournaments/open"
ROUND_S = 300.0
SCRIPTED, SCRIPTS = Header("hexel", ("Ana", "Bo"), "36"), 16
Brokers = Callable[[str], Broker]


@cache
def script(seed: int) -> tuple[Command, ...]:
    """A whole game between the players of `SCRIPTED`; finding good moves takes longer than playing them."""
    return tuple(write_script(SCRIPTED, GAMES[SCRIPTED.game].player(seed)).commands)


class People:
    """Those at one table: whenever the hub puts a game there, they play it to its end."""

    def __init__(self, referee: Referee, number: int) -> None:
        self._referee = referee
        self._number = number
        self._subscription = referee.feed.subscribe()
        self.winners: dict[frozenset[str], str] = {}
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._subscription.close()
        self._thread.join()

    def _play(self) -> None:
        while not self._subscription.is_closed:
            told = self._subscription.next()
            if told is not None and told.data.get("because") == "begun":
                header = told.session.header
                names = dict(zip(SCRIPTED.players, header.players, strict=True))
                for command in script((self._number + 5 * len(self.winners)) % SCRIPTS):
                    who = {"player": names[command["player"]]} if "player" in command else {}
                    self._referee.ask(Do({**command, **who}))
                session = self._referee.latest()
                self.winners[frozenset(header.players)] = session.game.view(session.state)["result"]["winner"]


@contextmanager
def table_of_people(folder: Path, broker: Brokers, number: int) -> Iterator[People]:
    name = f"table-{number:02}"
    with table(folder / name, SCRIPTED) as referee:
        publisher = Publisher(referee, Place(broker(name), Address("hall", name)))
        publisher.start()
        people = People(referee, number)
        yield people
        people.stop()
        publisher.stop()


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder in memory where there is one: thousands of journal lines each wait for the disk."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture
def hall(memory: Path, broker: Brokers) -> Iterator[tuple[FlaskClient, list[People]]]:
    with ExitStack() as closing:
        store = Store(f"sqlite:///{memory / 'hub.db'}")
        closing.callback(store.close)
        hub = Hub(broker("hub"), store)
        director = Director(hub)
        hub.start()
        closing.callback(hub.stop)
        director.start()
        closing.callback(director.stop)
        people = [closing.enter_context(table_of_people(memory, broker, n)) for n in range(1, TABLES + 1)]
        until(lambda: len(hub.hall.tables()) == TABLES, ROUND_S)
        yield create_hub_app(hub, director, pin=PIN).test_client(), people


def test_sixty_four_players_play_six_rounds(hall: tuple[FlaskClient, list[People]]) -> None:
    client, people = hall
    terms = {"slug": "open", "title": "Open", "game": "hexel", "rounds": ROUNDS}
    assert client.post("/api/tournaments", json=terms).status_code == 401
    assert client.post("/api/pin", json={"pin": "000000"}).status_code == 403
    assert client.post("/api/pin", json={"pin": PIN}).status_code == 200
    assert client.post("/api/tournaments", json=terms).status_code == 200
    for n in range(1, PLAYERS_AT_FIRST + 1):
        told = client.post(f"{OPEN}/register", json={"name": f"player {n}"})
        assert told.json == {"number": n, "name": f"player {n}", "round": 1}
    for number in range(1, ROUNDS + 1):
        if number == 3:  # two drop out and one comes late: from now on somebody sits out
            for player in (5, 6):
                assert client.post(f"{OPEN}/withdraw", json={"number": player}).status_code == 200
            assert client.post(f"{OPEN}/register", json={"name": "late"}).json == {
                "number": 65, "name": "late", "round": 3,
            }  # fmt: skip
        assert client.post(f"{OPEN}/pair", json={}).status_code == 200
        until(lambda number=number: has_results(client, number), ROUND_S, every_s=0.25)
    assert client.post(f"{OPEN}/pair", json={}).status_code == 409
    told = client.get(OPEN).json
    everybody_played_by_the_book(told)
    results_are_those_of_the_tables(told, people)
    standings_can_be_taken_away(client, told)


def has_results(client: FlaskClient, number: int) -> bool:
    rounds = client.get(OPEN).json["rounds"]
    return len(rounds) == number and all(board["places"] for board in rounds[-1]["boards"])


def everybody_played_by_the_book(told: dict[str, Any]) -> None:
    met = [frozenset(pair) for each in told["rounds"] for b in each["boards"] for pair in combinations(b["seats"], 2)]
    assert len(met) == len(set(met)) == 2 * 32 + 4 * 31
    byes = Counter(player for each in told["rounds"] for player in each["byes"])
    assert sum(byes.values()) == 4
    assert max(byes.values()) == 1
    late = [n for n, each in enumerate(told["rounds"], 1) if any(65 in b["seats"] for b in each["boards"])]
    assert set(late) | {n for n, each in enumerate(told["rounds"], 1) if 65 in each["byes"]} == {3, 4, 5, 6}
    assert not {5, 6} & {player for each in told["rounds"][2:] for b in each["boards"] for player in b["seats"]}


def results_are_those_of_the_tables(told: dict[str, Any], people: list[People]) -> None:
    names = {entrant["number"]: entrant["name"] for entrant in told["entrants"]}
    won = {players: winner for those in people for players, winner in those.winners.items()}
    for each in told["rounds"]:
        for board in each["boards"]:
            winner = won[frozenset(names[player] for player in board["seats"])]
            assert winner is None or [names[player] for player in board["places"][0]] == [winner]
    total = sum(line["score"] for line in told["standings"])
    assert total == sum(len(each["boards"]) + len(each["byes"]) for each in told["rounds"])


def standings_can_be_taken_away(client: FlaskClient, told: dict[str, Any]) -> None:
    rows = list(csv.DictReader(io.StringIO(client.get("/tournaments/open/standings.csv").text)))
    assert [row["name"] for row in rows] == [line["name"] for line in told["standings"]]
    assert len(rows) == 65
    scores = [float(row["score"]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    for page in ("", "/sheet", "/join"):
        text = client.get(f"/tournaments/open{page}").text
        assert "Open" in text
        assert page == "/join" or rows[0]["name"] in text
    assert client.get("/tournaments/open/join.svg").mimetype == "image/svg+xml"
    assert client.get("/tournaments").status_code == 200
