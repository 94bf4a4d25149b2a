"""The director goes on: with a store that fails for a while, and beside a tournament whose log is spoilt."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import InterfaceError

from companion.hub.link import broker_at
from companion.hub.messages import Address
from companion.hub.pages.web import create_hub_app
from companion.hub.sender import JournalOutbox
from companion.hub.service import Hub
from companion.hub.snapshot import snapshot
from companion.hub.store import Store
from companion.hub.tournaments.director import Director
from companion.hub.tournaments.tournament import Board, Terms, begun, decided, registered, withdrawn
from companion.referee.messages import Begin
from companion.rules.engine import Header
from tests.hub.conftest import play, table, until

HERE = Address("hall", "table-01")


class StoreOnABadDay(Store):
    """A store whose database fails so many times, by what is asked of it."""

    def __init__(self, url: str) -> None:
        self.failures: Counter[str] = Counter()
        super().__init__(url)

    def _fail(self, what: str) -> None:
        if self.failures[what]:
            self.failures[what] -= 1
            raise InterfaceError("select", {}, Exception("connection is closed"))

    def tournaments(self) -> list[str]:
        self._fail("tournaments")
        return super().tournaments()

    def append(self, tournament: str, n: int, body: Any) -> bool:
        self._fail("append")
        return super().append(tournament, n, body)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    store = StoreOnABadDay(f"sqlite:///{tmp_path / 'hub.db'}")
    yield Hub(broker_at("mqtt://127.0.0.1", "hub"), store, answer_within_s=0.01)  # there are no tables to answer
    store.close()


@pytest.fixture
def director(hub: Hub) -> Iterator[Director]:
    """Of a tournament of two, whose one board is at the table that is here."""
    running = Director(hub)
    running.create("open", Terms("Open", "hexel", rounds=1))
    for name in ("Ana", "Bo"):
        running.write("open", lambda now, name=name: registered(now, name))
    running.begin_round("open")
    running.seat("open", 1, HERE.table)
    running.start()
    yield running
    running.stop()


def finish_game(
    hub: Hub,
    data: Path,
    players: tuple[str, ...] = ("Ana", "Bo"),
    seed: int = 1,
    game: str = "hexel",
    at: Address = HERE,
) -> None:
    """The table's game comes to its end, and all of it to the hub."""
    header = Header(game, players, "36" if game == "hexel" else None)
    with table(data, header) as referee:
        if referee.latest().moves:
            referee.ask(Begin(header))
        play(referee, seed)
        outbox = JournalOutbox(referee.games)
        outbox.seek(hub.store.position(at))
        entries = outbox.read(1000)
        hub.store.keep([(at, entry) for entry in entries])
        hub.hall.put(at, {**snapshot(referee.latest(), entries[-1].position, "ok"), "sent": 1.0})


def has_result(director: Director) -> bool:
    tournament = director.tournament("open")
    return tournament is not None and tournament.rounds[0].is_over


@pytest.mark.parametrize("what", ["tournaments", "append"])
def test_results_are_taken_after_the_database_failed(
    what: str, hub: Hub, director: Director, tmp_path: Path, caplog: Any
) -> None:
    assert isinstance(hub.store, StoreOnABadDay)
    hub.store.failures[what] = 3
    finish_game(hub, tmp_path / "data")
    until(lambda: has_result(director))
    assert hub.store.failures[what] == 0
    assert caplog.text.count("Traceback") == 1, "a failure that goes on is told once"


def test_what_the_desk_puts_right_stands_after_a_restart(hub: Hub, director: Director, tmp_path: Path) -> None:
    finish_game(hub, tmp_path / "data")
    until(lambda: has_result(director))
    before = boards(director)[0].places
    assert before is not None
    director.write("open", lambda now: decided(now, 1, 1, before[::-1]))
    again = Director(hub)
    again.check("open")
    assert boards(again)[0].places == before[::-1]
    again.seat("open", 1, HERE.table)
    finish_game(hub, tmp_path / "data")  # played once more, the table says what came of it
    Director(hub).check("open")
    assert boards(again)[0].places == before


def boards(director: Director, slug: str = "open", number: int = 1) -> tuple[Board, ...]:
    tournament = director.tournament(slug)
    assert tournament is not None
    return tournament.rounds[number - 1].boards


def begin(hub: Hub, slug: str, names: tuple[str, ...], **terms: Any) -> Director:
    """One who does nothing unasked, and a tournament whose first round is paired, with its first board on the table."""
    director = Director(hub)
    director.create(slug, Terms(slug, "hexel", **terms))
    for name in names:
        director.write(slug, lambda now, name=name: registered(now, name))
    director.begin_round(slug)
    director.seat(slug, 1, HERE.table)
    return director


def test_boards_that_play_one_after_the_other_at_one_table_each_have_their_result(hub: Hub, tmp_path: Path) -> None:
    director = begin(hub, "few", ("Ana", "Bo", "Cy", "Dee"), rounds=1)
    director.seat("few", 2, HERE.table)
    tournament = director.tournament("few")
    assert tournament is not None
    for board in boards(director, "few"):
        finish_game(hub, tmp_path, tuple(map(tournament.name, board.seats)))
        director.check("few")
    assert all(board.places is not None for board in boards(director, "few"))


def test_tournaments_that_share_a_table_each_have_their_results(hub: Hub, tmp_path: Path) -> None:
    director = begin(hub, "a-week-ago", ("Ana", "Bo"), rounds=1)
    finish_game(hub, tmp_path)
    director.check("a-week-ago")
    begin(hub, "today", ("Cy", "Dee"), rounds=1)
    finish_game(hub, tmp_path, ("Cy", "Dee"))
    for slug in ("a-week-ago", "today"):
        director.check(slug)
    assert boards(director, "today")[0].places is not None


def test_a_game_that_is_played_for_fun_afterwards_changes_no_result(hub: Hub, tmp_path: Path) -> None:
    director = begin(hub, "open", ("Ana", "Bo"), rounds=1)
    results = []
    for seed in range(1, 6):
        finish_game(hub, tmp_path, seed=seed)
        director.check("open")
        results.append(boards(director)[0].places)
    assert results[0] is not None
    assert set(results) == {results[0]}
    for seed in range(1, 6):  # put there once more by the desk, the board has the result of what is played then
        director.seat("open", 1, HERE.table)
        finish_game(hub, tmp_path, seed=seed)
        director.check("open")
        results.append(boards(director)[0].places)
    assert len(set(results)) > 1


def test_another_game_that_the_two_play_while_they_wait_is_not_counted(hub: Hub, tmp_path: Path) -> None:
    director = begin(hub, "open", ("Ana", "Bo"), rounds=1)
    finish_game(hub, tmp_path, game="hexapod")
    director.check("open")
    assert boards(director)[0].places is None
    finish_game(hub, tmp_path)
    director.check("open")
    assert boards(director)[0].places is not None


def test_two_tables_of_one_name_in_two_halls_are_told_apart(hub: Hub, tmp_path: Path) -> None:
    halls = ("north", "south")
    for hall in halls:
        hub.hall.meet(Address(hall, "table-01"), "here")
    director = Director(hub)
    director.create("league", Terms("League", "hexel", rounds=1))
    for name in ("Ana", "Bo", "Cy", "Dee"):
        director.write("league", lambda now, name=name: registered(now, name))
    tournament = director.begin_round("league")
    assert {board.table for board in boards(director, "league")} == {"table-01@north", "table-01@south"}
    assert {*director.troubles} == {"table-01@north", "table-01@south"}, "neither answers here"
    assert director.free_tables() == []
    for hall, board in zip(halls, boards(director, "league"), strict=True):
        finish_game(hub, tmp_path / hall, tuple(map(tournament.name, board.seats)), at=Address(hall, "table-01"))
        director.check("league")
    assert all(board.places is not None for board in boards(director, "league"))


def test_a_game_counts_once_though_the_same_players_meet_again(hub: Hub, tmp_path: Path) -> None:
    names = ("Ana", "Bo", "Cy")
    director = begin(hub, "open", names, system="tables", seats=3, rounds=2)
    finish_game(hub, tmp_path, names)
    director.check("open")
    before = boards(director)[0].places
    assert before is not None
    director.write("open", lambda now: decided(now, 1, 1, before[::-1]))
    director.begin_round("open")
    director.seat("open", 1, HERE.table)
    begin(hub, "another", names, system="tables", seats=3, rounds=1)
    for slug in ("open", "another"):
        director.check(slug)
    assert boards(director, "open", 2)[0].places is None
    assert boards(director, "another")[0].places is None
    finish_game(hub, tmp_path, names, seed=2)
    director.check("open")
    assert boards(director, "open", 2)[0].places is not None


def test_what_was_read_of_a_tournament_is_not_read_again(hub: Hub, director: Director) -> None:
    director.stop()
    before, read = director.tournament("open"), []
    of_store = hub.store.log

    def log(tournament: str, first: int = 0) -> list[dict[str, Any]]:
        read.extend(found := of_store(tournament, first))
        return found

    hub.store.log = log  # type: ignore[method-assign]
    for _ in range(3):
        director.check("open")
        assert director.tournament("open") == before
    assert read == []
    Director(hub).write("open", lambda now: withdrawn(now, 1))  # another hub
    entries = len(read)
    after = director.tournament("open")
    assert after is not None and not after.entrants[0].is_in
    assert len(read) == entries + 1


def test_a_spoilt_tournament_does_not_stop_the_others(hub: Hub, director: Director, tmp_path: Path) -> None:
    hub.store.append("a-spoilt-one", 0, {"did": "nothing"})
    finish_game(hub, tmp_path / "data")
    until(lambda: has_result(director))
    client = create_hub_app(hub, director, pin="271828").test_client()
    for path in ("/tournaments", "/tournaments/open"):
        assert client.get(path).status_code == 200
    told = client.get("/api/tournaments/a-spoilt-one")
    assert (told.status_code, told.json["error"]["code"]) == (503, "tournament-damaged")


SPOILT_ENTRIES: list[dict[str, Any]] = [
    {"did": "register", "number": 3, "name": 7},
    {"did": "register", "number": 9, "name": "Cy"},
    {"did": "withdraw", "number": "2"},
    {"did": "pair", "boards": [[1, 2], [3, 4]], "byes": []},
    {"did": "pair", "boards": 5, "byes": []},
    {"did": "seat", "round": 1, "board": 1, "table": 4},
    {"did": "result", "round": 1, "board": 1, "places": [[1]], "game": None},
    {"did": "result", "round": 1, "board": 1, "places": [["1"], ["2"]], "game": None},
    {"did": "result", "round": 1, "board": 1, "places": [1, 2], "game": None},
    {"did": "result", "round": "1", "board": 1, "places": [[1], [2]], "game": None},
]


@pytest.mark.parametrize("entry", SPOILT_ENTRIES)
def test_a_log_that_was_changed_by_hand_into_what_cannot_be_is_said_to_be_damaged(
    hub: Hub, entry: dict[str, Any]
) -> None:
    director = begin(hub, "open", ("Ana", "Bo"), rounds=1)
    tournament = director.tournament("open")
    assert tournament is not None and hub.store.append("open", tournament.length, entry)
    client = create_hub_app(hub, director, pin="271828").test_client()
    for path in ("/tournaments/open", "/api/tournaments/open", "/tournaments/open/standings.csv"):
        assert client.get(path).status_code == 503
    assert client.get("/api/tournaments/open").json["error"]["code"] == "tournament-damaged"


@pytest.mark.parametrize("changed", [{"title": 5}, {"game": None}, {"rounds": "6"}, {"options": []}, {"game": "whist"}])
def test_terms_that_were_changed_by_hand_into_what_cannot_be_are_said_to_be_damaged(
    hub: Hub, changed: dict[str, Any]
) -> None:
    director = Director(hub)
    hub.store.append("open", 0, begun(Terms("Open", "hexel")) | changed)
    client = create_hub_app(hub, director, pin="271828").test_client()
    assert client.get("/tournaments/open").status_code == (200 if changed == {"game": "whist"} else 503)


def test_pages_say_that_the_store_is_away_and_the_log_is_not_filled(hub: Hub, tmp_path: Path, caplog: Any) -> None:
    with closing(sqlite3.connect(tmp_path / "hub.db")) as other:
        other.execute("drop table tournament_log")
    client = create_hub_app(hub, Director(hub), pin="271828").test_client()
    for path in ("/tournaments", "/tournaments/open", "/api/tournaments/open"):
        told = client.get(path)
        assert (told.status_code, told.json["error"]["code"]) == (503, "store-away")
    assert client.post("/api/tournaments/open/register", json={"name": "Ana"}).status_code == 503
    assert "Traceback" not in caplog.text
