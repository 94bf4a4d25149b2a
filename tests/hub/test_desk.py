"""From a phone's call for the referee to the ruling: the call, the desk, the correction, the picture."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

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
from companion.referee.messages import Confirm, Do, Evidence, Notice, Propose, Undo
from companion.referee.referee import Referee
from companion.simulator.script import write_script
from companion.web.app import create_app
from companion.web.app_context import TableParts
from tests.hub.conftest import HEADER, PIN, table, until

HERE = Address("hall", "table-01")
CODE, JPEG = "ROSE42", b"\xff\xd8 a picture \xff\xd9"
TABLE = "/api/desk/hall/table-01"


@pytest.fixture
def referee(tmp_path: Path) -> Iterator[Referee]:
    """A table of which the last card was read off a picture."""
    with table(tmp_path / "data") as opened:
        *before, last = list(write_script(HEADER, GAMES["hexel"].player(1)).commands)[:6]
        for command in before:
            opened.ask(Do(command))
        opened.ask(Propose(last, Evidence(JPEG, 0.9)))
        opened.ask(Confirm(opened.latest().version))
        yield opened


@pytest.fixture
def hub(tmp_path: Path, broker: Callable[[str], Broker], referee: Referee) -> Iterator[Hub]:
    store = Store(f"sqlite:///{tmp_path / 'hub.db'}")
    running = Hub(broker("hub"), store)
    publisher = Publisher(referee, Place(broker("table-01"), HERE))
    running.start()
    publisher.start()
    until(lambda: store.count() == 7 and running.hall.latest(HERE))
    yield running
    publisher.stop()
    running.stop()
    store.close()


@pytest.fixture
def phone(referee: Referee) -> FlaskClient:
    client = create_app(referee, join_code=CODE, parts=TableParts(is_in_hall=True)).test_client()
    client.post("/api/join", json={"code": CODE})
    return client


def alarms(hub: Hub) -> list[str]:
    return [alarm["code"] for shown in hub.hall.tables() for alarm in shown["alarms"]]


def test_a_call_from_a_phone_comes_to_the_desk_and_a_ruling_ends_it(
    hub: Hub, referee: Referee, phone: FlaskClient, desk: FlaskClient
) -> None:
    assert phone.get("/api/me").json["hall"]
    assert phone.post("/api/referee", json={"on": True}).status_code == 200
    until(lambda: alarms(hub) == ["referee"])
    assert "calls the referee" in desk.get("/desk").text
    page = desk.get("/desk/hall/table-01").text
    assert "calls the referee" in page
    assert "Hex’el 36, moves: 6" in page
    ruling = {"at": 6, "command": "", "by": "Dee", "cut": False}
    assert desk.post(f"{TABLE}/correct", json=ruling).status_code == 200
    until(lambda: alarms(hub) == [])
    assert len(referee.latest().moves) == 5
    told = phone.get("/api/state").json["amendments"]
    assert [amendment["by"] for amendment in told] == ["Dee (referee)"]


def test_a_picture_is_fetched_when_it_is_asked_for(hub: Hub, desk: FlaskClient) -> None:
    told = desk.get(f"{TABLE}/evidence.jpg?move=6")
    assert (told.status_code, told.mimetype, told.data) == (200, "image/jpeg", JPEG)
    assert desk.get(f"{TABLE}/evidence.jpg?move=1").status_code == 503
    assert hub.store.count() == 7


def test_what_the_rules_refuse_changes_nothing_and_is_told(referee: Referee, desk: FlaskClient) -> None:
    before = referee.latest()
    for command in ('{"cmd": "pass", "player": "Nobody"}', "no JSON", "[]"):
        ruling = {"at": 6, "command": command, "by": "Dee", "cut": False}
        told = desk.post(f"{TABLE}/correct", json=ruling)
        assert told.status_code >= 400
        assert told.json["error"]["message"]
    assert referee.latest().moves == before.moves


def version_shown(desk: FlaskClient, move: int) -> int:
    """The version that the form of a move sends along, once the hub has the move."""
    found: list[str] = []

    def is_there() -> bool:
        page = desk.get("/desk/hall/table-01").text
        found[:] = re.findall(f'data-at="{move}" data-version="(\\d+)"', page)
        return bool(found)

    until(is_there)
    return int(found[0])


def test_a_ruling_does_not_overwrite_a_move_that_the_referee_never_saw(
    hub: Hub, referee: Referee, desk: FlaskClient
) -> None:
    seen = version_shown(desk, 6)
    referee.ask(Undo(by="Ana"))
    referee.ask(Do(list(write_script(HEADER, GAMES["hexel"].player(1)).commands)[5]))
    moves = referee.latest().moves
    ruling = {"at": 6, "command": "", "by": "Dee", "cut": False}
    told = desk.post(f"{TABLE}/correct", json={**ruling, "version": seen})
    assert told.json["error"]["code"] == "stale"
    assert referee.latest().moves == moves
    assert desk.post(f"{TABLE}/correct", json={**ruling, "version": "old"}).json["error"]["code"] == "malformed"
    until(lambda: version_shown(desk, 6) > seen + 1)
    assert desk.post(f"{TABLE}/correct", json={**ruling, "version": version_shown(desk, 6)}).status_code == 200


def test_a_page_says_the_version_of_the_moves_that_it_shows(hub: Hub, referee: Referee, desk: FlaskClient) -> None:
    """A table's snapshot may come before the lines of its journal."""
    written = version_shown(desk, 6)
    referee.ask(Notice("camera-lost", "The camera is lost."))
    until(lambda: (hub.hall.latest(HERE) or {})["version"] == referee.latest().version)
    assert version_shown(desk, 6) == written < referee.latest().version


@pytest.mark.parametrize("answer", [b'{"schema": 1}', b'{"schema": 1, "ok": true, "version": "7"}', b"[]", b""])
def test_a_table_whose_answer_says_nothing_is_told_as_such(
    answer: bytes, hub: Hub, desk: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("companion.hub.publisher.answer", lambda *_: ("application/json", answer))
    told = desk.post(f"{TABLE}/dismiss", json={})
    assert (told.status_code, told.json["error"]["code"] in ("no-answer", "unreadable-message")) == (503, True)


def test_the_desk_is_for_those_who_know_the_pin(hub: Hub) -> None:
    stranger = create_hub_app(hub, Director(hub), pin=PIN).test_client()
    for path in ("/desk/hall/table-01", f"{TABLE}/evidence.jpg", "/api/desk"):
        assert stranger.get(path).status_code == 401
    assert stranger.post(f"{TABLE}/dismiss", json={}).status_code == 401
    assert stranger.post(f"{TABLE}/dismiss", json={}, headers={"X-Hub-Pin": PIN}).status_code == 200
    assert stranger.get("/desk/hall/table-09", headers={"X-Hub-Pin": PIN}).status_code == 404


def test_a_table_outside_any_hall_has_no_referee_to_call(referee: Referee) -> None:
    client = create_app(referee, join_code=CODE).test_client()
    client.post("/api/join", json={"code": CODE})
    assert client.post("/api/referee", json={"on": True}).json["error"]["code"] == "no-hall"
