"""Halls in a league: everything comes to the central hub once, whoever was away, and each hall keeps its own."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from companion.hub.broker import Mosquitto, mosquitto
from companion.hub.league import League
from companion.hub.link import broker_at
from companion.hub.messages import Address
from companion.hub.publisher import Place, Publisher
from companion.hub.service import Hub
from companion.hub.store import Store
from companion.hub.tournaments.director import result_of
from companion.referee.messages import Begin
from companion.referee.referee import Referee
from tests.hub.conftest import HEADER, journal_lines, play, require, table, until


def a_broker(folder: Path) -> Mosquitto:
    require(mosquitto(), "mosquitto")
    folder.mkdir()
    return Mosquitto(folder)


@contextmanager
def a_hub(folder: Path, broker: Mosquitto) -> Iterator[Hub]:
    store = Store(f"sqlite:///{folder / 'hub.db'}")
    hub = Hub(broker_at(f"mqtt://127.0.0.1:{broker.port}", "hub"), store)
    hub.start()
    yield hub
    hub.stop()
    store.close()


@contextmanager
def a_hall(folder: Path, hall: str, central: Mosquitto) -> Iterator[tuple[Hub, Referee]]:
    """A hall with one table; in every hall the tables have the same names."""
    with ExitStack() as closing:
        broker = closing.enter_context(a_broker(folder / hall))
        hub = closing.enter_context(a_hub(folder / hall, broker))
        referee = closing.enter_context(table(folder / hall / "data"))
        here = broker_at(f"mqtt://127.0.0.1:{broker.port}", "table-01")
        publisher = Publisher(referee, Place(here, Address(hall, "table-01")))
        publisher.start()
        closing.callback(publisher.stop)
        league = League(hub, hall, broker_at(f"mqtt://127.0.0.1:{central.port}", hall))
        league.start()
        closing.callback(league.stop)
        yield hub, referee


@pytest.fixture
def central(tmp_path: Path) -> Iterator[Mosquitto]:
    with a_broker(tmp_path / "central") as running:
        yield running


def test_games_of_two_halls_come_together_and_are_told_apart(tmp_path: Path, central: Mosquitto) -> None:
    with (
        a_hub(tmp_path / "central", central) as league,
        a_hall(tmp_path, "north", central) as (_, north),
        a_hall(tmp_path, "south", central) as (_, south),
    ):
        play(north, 1)
        play(south, 2)
        until(lambda: league.store.count() == journal_lines(north) + journal_lines(south))
        until(lambda: {(shown["hall"], shown.get("over")) for shown in league.hall.tables()} == {
            ("north", True), ("south", True),
        })  # fmt: skip
        for hall, referee in (("north", north), ("south", south)):
            address = Address(hall, "table-01")
            (game,) = league.store.games(address)
            places = result_of(game, league.store.lines(address, game)).places
            assert places is not None
            result = referee.latest().game.view(referee.latest().state)["result"]
            assert places[0] == (result["winner"],)


def test_a_league_that_was_away_gets_what_is_missing_once(tmp_path: Path, central: Mosquitto) -> None:
    with a_hall(tmp_path, "north", central) as (hall, referee):
        with a_hub(tmp_path / "central", central) as league:
            play(referee, 1)
            until(lambda: league.store.count() == journal_lines(referee))
        for seed in (2, 3, 4):
            referee.ask(Begin(HEADER))
            play(referee, seed)
        until(lambda: hall.store.count() == journal_lines(referee))
        central.kill()
        central.start()
        with a_hub(tmp_path / "central", central) as league:
            until(lambda: league.store.count() == journal_lines(referee), 40.0)
            north = Address("north", "table-01")
            assert len(league.store.games(north)) == 4
            until(lambda: league.store.position(north) == hall.store.position(north))
            assert league.store.count() == journal_lines(referee)
