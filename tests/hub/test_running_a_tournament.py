"""A tournament over HTTP and over its director: what the desk and phones may send, and what must not end it."""

import html
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.app.invitation import own_address
from companion.errors import JournalError
from companion.hub.link import broker_at
from companion.hub.messages import Address
from companion.hub.pages.tournament_pages import MOST_OF_ONE_ADDRESS
from companion.hub.pages.web import create_hub_app
from companion.hub.service import Hub
from companion.hub.store import Store
from companion.hub.tournaments.director import Director
from companion.printing.qr import svg
from companion.views.translations import LANGUAGES
from companion.views.words import catalogue
from tests.hub.conftest import PIN

OPEN = "/api/tournaments/open"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    store = Store(f"sqlite:///{tmp_path / 'hub.db'}")
    yield Hub(broker_at("mqtt://127.0.0.1", "hub"), store, answer_within_s=0.01)  # there are no tables to answer
    store.close()


@pytest.fixture
def phone(hub: Hub) -> FlaskClient:
    """A player's, which knows no PIN and whose address is not this machine's."""
    client = create_hub_app(hub, Director(hub), pin=PIN).test_client()
    client.environ_base["REMOTE_ADDR"] = "192.168.1.9"
    return client


def begin(desk: FlaskClient, players: int, **terms: Any) -> None:
    made = desk.post("/api/tournaments", json={"slug": "open", "title": "Open", "game": "hexel", **terms})
    assert made.status_code == 200, made.text
    for n in range(players):
        assert desk.post(f"{OPEN}/register", json={"name": f"player {n + 1}"}).status_code == 200


def error_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json["error"]["code"]


@pytest.mark.parametrize("board", [3, 0, -1])
def test_a_board_that_the_round_has_not_is_not_put_on_a_table(board: int, desk: FlaskClient) -> None:
    begin(desk, 4)
    for _ in range(2):  # before the first pairing too
        told = desk.post(f"{OPEN}/seat", json={"board": board, "table": "table-01"})
        assert error_of(told) == (409, "no-such-board")
        assert desk.get("/tournaments/open").status_code == 200
        desk.post(f"{OPEN}/pair", json={})


@pytest.mark.parametrize("table", ["", "t" * 41, "Table 1", "a/b"])
def test_a_board_is_put_only_where_a_table_can_be(table: str, desk: FlaskClient) -> None:
    begin(desk, 4)
    desk.post(f"{OPEN}/pair", json={})
    assert error_of(desk.post(f"{OPEN}/seat", json={"board": 1, "table": table})) == (400, "malformed")


@pytest.mark.parametrize("places", [[1, 2], [[1, "a"]], ["12"], [None], [[True], [2]], [[[1]], [2]]])
def test_ranks_that_are_none_are_malformed(places: list[Any], desk: FlaskClient) -> None:
    begin(desk, 2)
    desk.post(f"{OPEN}/pair", json={})
    told = desk.post(f"{OPEN}/result", json={"round": 1, "board": 1, "places": places})
    assert error_of(told) == (400, "malformed")


@pytest.mark.parametrize(("number", "board"), [(1, 3), (1, 0), (1, -1), (0, 1), (2, 1)])
def test_a_log_that_names_a_board_that_never_was_opens_all_the_same(
    number: int, board: int, hub: Hub, desk: FlaskClient
) -> None:
    begin(desk, 4)
    desk.post(f"{OPEN}/pair", json={})
    before = desk.get(OPEN).json
    hub.store.append("open", before["length"], {"did": "seat", "round": number, "board": board, "table": "table-01"})
    after = desk.get(OPEN).json
    assert (after["rounds"], after["length"]) == (before["rounds"], before["length"] + 1)


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_what_the_hub_refuses_is_said_in_the_language_of_whoever_asks(
    language: str, hub: Hub, desk: FlaskClient
) -> None:
    begin(desk, 2)
    desk.post(f"{OPEN}/pair", json={})
    hub.hall.put(Address("hall", "table-01"), {"kind": "hexel", "call": None, "said": "", "notices": []})
    tries: list[tuple[str, dict[str, Any]]] = [
        ("/api/tournaments", {"slug": "open", "title": "Open", "game": "hexel"}),
        ("/api/tournaments", {"slug": "other", "title": "Open", "game": "hexel", "seats": 3}),
        (f"{OPEN}/register", {"name": "player 1"}),
        (f"{OPEN}/register", {"name": "x" * 99}),
        (f"{OPEN}/withdraw", {"number": 9}),
        (f"{OPEN}/strike", {"number": 1}),
        (f"{OPEN}/pair", {}),
        (f"{OPEN}/seat", {"board": 9, "table": "table-01"}),
        ("/api/tournaments/none/register", {"name": "Ana"}),
        ("/api/desk/hall/table-01/dismiss", {}),
    ]
    codes = set()
    for path, body in tries:
        english, other = (
            desk.post(path, json=body, headers={"Accept-Language": asked}).json["error"] for asked in ("en", language)
        )
        codes.add(english["code"])
        assert english["message"] != other["message"] != catalogue(language)["refusals"]["malformed"], english
    assert len(codes) == len(tries)
    assert desk.post(f"{OPEN}/seat", json={"board": 1, "table": "table-01"}).status_code == 200
    page = html.unescape(desk.get("/tournaments/open", headers={"Accept-Language": language}).text)
    assert catalogue(language)["refusals"]["no-answer"] in page, "why the game is not on its table"
    for path, name, fields in (
        ("/tournaments/none", "no-tournament", {"name": "none"}),
        ("/desk/hall/none", "no-table", {"table": "none"}),
    ):
        told = desk.get(path, headers={"Accept-Language": language, "Accept": "text/html"})
        assert told.status_code == 404
        assert catalogue(language)["hub"][name].format(**fields) in html.unescape(told.text)


def test_a_game_that_is_not_counted_is_told_in_the_language_of_whoever_asks(hub: Hub) -> None:
    director = Director(hub)
    desk = create_hub_app(hub, director, pin=PIN).test_client()
    desk.post("/api/pin", json={"pin": PIN})
    begin(desk, 2)
    desk.post(f"{OPEN}/pair", json={})
    desk.post(f"{OPEN}/seat", json={"board": 1, "table": "table-01"})
    director.troubles["table-01"] = JournalError("the line 3 does not read")
    said = {
        asked: html.unescape(desk.get("/tournaments/open", headers={"Accept-Language": asked}).text)
        for asked in ("en", "de")
    }
    assert "Its game is not counted: the line 3 does not read" in said["en"]
    assert catalogue("de")["hub"]["not-counted"] in said["de"]


def finish_round(desk: FlaskClient) -> None:
    told = desk.get(OPEN).json
    number = len(told["rounds"])
    for board, each in enumerate(told["rounds"][-1]["boards"], 1):
        body = {"round": number, "board": board, "places": [[player] for player in each["seats"]]}
        assert desk.post(f"{OPEN}/result", json=body).status_code == 200


def test_a_tournament_of_four_comes_to_an_end_whatever_the_form_said(desk: FlaskClient) -> None:
    begin(desk, 4, rounds=6)
    assert "/end" not in desk.get("/tournaments/open").text
    for _ in range(3):
        assert desk.post(f"{OPEN}/pair", json={}).status_code == 200
        assert "/end" not in desk.get("/tournaments/open").text
        finish_round(desk)
    assert error_of(desk.post(f"{OPEN}/pair", json={})) == (409, "everybody-has-met")
    assert sum(line["score"] for line in desk.get(OPEN).json["standings"]) == 6
    assert f'data-post="{OPEN}/end"' in desk.get("/tournaments/open").text
    assert desk.post(f"{OPEN}/end", json={}).status_code == 200
    page = desk.get("/tournaments/open").text
    assert "round 3 of 3 · over" in page
    assert f'data-post="{OPEN}/pair"' not in page
    assert desk.post(f"{OPEN}/end", json={"back": True}).status_code == 200
    assert f'data-post="{OPEN}/pair"' in desk.get("/tournaments/open").text


def test_a_round_robin_has_as_many_rounds_as_it_takes(desk: FlaskClient) -> None:
    begin(desk, 4, rounds=6, system="round-robin")
    for _ in range(3):
        assert desk.post(f"{OPEN}/pair", json={}).status_code == 200
        finish_round(desk)
    assert error_of(desk.post(f"{OPEN}/pair", json={})) == (409, "no-more-rounds")
    assert "round 3 of 3 · over" in desk.get("/tournaments/open").text


@pytest.mark.parametrize("header", ["Origin", "Referer"])
def test_another_site_registers_nobody(header: str, desk: FlaskClient, phone: FlaskClient) -> None:
    begin(desk, 0)
    told = phone.post(f"{OPEN}/register", json={"name": "Ana"}, headers={header: "http://evil.example/"})
    assert error_of(told) == (403, "other-site")
    assert (
        phone.post(f"{OPEN}/register", json={"name": "Ana"}, headers={header: "http://localhost/"}).status_code == 200
    )


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("192.168.1.7:8090", 200),
        ("[fe80::1]:8090", 200),
        ("hall.local:8090", 200),
        ("hall.club.example:8090", 200),
        ("evil.example:8090", 421),
        ("192.168.1.7.evil.example", 421),
    ],
)
def test_a_site_whose_name_leads_to_the_hub_reads_nothing(name: str, status: int, hub: Hub) -> None:
    client = create_hub_app(hub, Director(hub), pin=PIN, names=("hall.club.example",)).test_client()
    guest = {"REMOTE_ADDR": "192.168.1.9"}
    for path in ("/", "/api/hall", "/tournaments", "/api/hall/events"):
        assert client.get(path, headers={"Host": name}, environ_base=guest).status_code == status
    assert client.get("/", headers={"Host": name}).status_code == 200  # a proxy on this machine


def test_one_address_does_not_fill_a_tournament(desk: FlaskClient, phone: FlaskClient) -> None:
    begin(desk, 0)
    for n in range(MOST_OF_ONE_ADDRESS):
        assert phone.post(f"{OPEN}/register", json={"name": f"joke {n}"}).status_code == 200
    assert error_of(phone.post(f"{OPEN}/register", json={"name": "Bo"})) == (409, "full-address")
    elsewhere = {"REMOTE_ADDR": "192.168.1.10"}
    assert phone.post(f"{OPEN}/register", json={"name": "Ana"}, environ_base=elsewhere).status_code == 200
    guest = desk.post(f"{OPEN}/register", json={"name": "Cy"}, environ_base={"REMOTE_ADDR": "192.168.1.9"})
    assert guest.status_code == 200, "the desk registers whom it likes"
    assert desk.post(f"{OPEN}/strike", json={"number": 1}).status_code == 200
    assert phone.post(f"{OPEN}/register", json={"name": "Bo"}).status_code == 200


def test_registering_for_what_is_no_tournament_leaves_nothing_behind(desk: FlaskClient, phone: FlaskClient) -> None:
    begin(desk, 0)
    for n in range(20):
        told = phone.post(f"/api/tournaments/{n * 'x'}none/register", json={"name": "Ana"})
        assert error_of(told) == (409, "no-such-tournament")
    counted = phone.application.extensions["companion-registrations"]
    assert counted.count() == 0
    assert phone.post(f"{OPEN}/register", json={"name": "Ana"}).status_code == 200
    assert counted.count() == 1


def test_a_name_that_was_struck_out_is_nowhere_and_is_free_again(desk: FlaskClient, phone: FlaskClient) -> None:
    begin(desk, 2)
    assert phone.post(f"{OPEN}/strike", json={"number": 1}).status_code == 401
    assert f'data-post="{OPEN}/strike" data-number="1"' in desk.get("/tournaments/open").text
    assert desk.post(f"{OPEN}/strike", json={"number": 1}).status_code == 200
    for path in ("/tournaments/open", "/tournaments/open/sheet", "/tournaments/open/standings.csv", OPEN):
        text = desk.get(path).text
        assert "player 1" not in text
        assert "player 2" in text
    assert "Players: 1," in desk.get("/tournaments").text
    for move in ({"number": 1}, {"number": 1, "back": True}):
        assert error_of(desk.post(f"{OPEN}/withdraw", json=move)) == (409, "no-such-player")
    assert error_of(desk.post(f"{OPEN}/strike", json={"number": 1})) == (409, "no-such-player")
    told = phone.post(f"{OPEN}/register", json={"name": "player 1"})
    assert told.json == {"number": 3, "name": "player 1", "round": 1}
    assert desk.post(f"{OPEN}/pair", json={}).status_code == 200
    assert desk.get(OPEN).json["rounds"][0]["boards"][0]["seats"] in ([2, 3], [3, 2])
    assert error_of(desk.post(f"{OPEN}/strike", json={"number": 3})) == (409, "has-played")
    assert "/strike" not in desk.get("/tournaments/open").text


def test_who_registers_again_after_a_lost_answer_is_told_the_same(desk: FlaskClient, phone: FlaskClient) -> None:
    begin(desk, 1)
    first, again = (
        phone.post(f"{OPEN}/register", json={"name": "Ana"}, headers={"Idempotency-Key": "one press"}) for _ in range(2)
    )
    assert first.json == again.json == {"number": 2, "name": "Ana", "round": 1}
    assert len(desk.get(OPEN).json["entrants"]) == 2
    assert "one press" not in desk.get(OPEN).text
    for key in ("another press", ""):
        told = phone.post(f"{OPEN}/register", json={"name": "Ana"}, headers={"Idempotency-Key": key})
        assert error_of(told) == (409, "name-taken")
    told = phone.post(f"{OPEN}/register", json={"name": "Bo"}, headers={"Idempotency-Key": "one press"})
    assert told.json["name"] == "Bo", "what was written since is another registration"
    told = phone.post(f"{OPEN}/register", json={"name": "Cy"}, headers={"Idempotency-Key": "x" * 129})
    assert error_of(told) == (400, "malformed")


@pytest.mark.parametrize("asked", ["localhost:8090", "127.0.0.1:8090", "hall.local:8090", "192.168.7.9"])
def test_the_code_on_the_hubs_own_screen_leads_phones_to_the_hub(asked: str, desk: FlaskClient) -> None:
    begin(desk, 2)
    shown = desk.get("/tournaments/open/join.svg", base_url=f"http://{asked}").text
    host = asked.replace("localhost", own_address()).replace("127.0.0.1", own_address())
    assert shown == svg(f"http://{host}/tournaments/open/join")


def test_the_standings_open_in_a_spreadsheet_as_they_are(desk: FlaskClient) -> None:
    begin(desk, 0)
    desk.post(f"{OPEN}/register", json={"name": "Ána"})
    told = desk.get("/tournaments/open/standings.csv")
    assert told.data.startswith(b"\xef\xbb\xbf"), "or Excel takes it for Windows-1252"
    assert "Ána" in told.data.decode("utf-8-sig")
    assert told.headers["Content-Disposition"] == 'attachment; filename="companion-open-standings.csv"'
