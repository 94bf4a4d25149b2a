"""A tournament over HTTP and over its director: what the desk and phones may send, and what must not end it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.hub.link import broker_at
from companion.hub.pages.web import create_hub_app
from companion.hub.service import Hub
from companion.hub.store import Store
from companion.hub.tournaments.director import Director

PIN = "271828"
OPEN = "/api/tournaments/open"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    store = Store(f"sqlite:///{tmp_path / 'hub.db'}")
    yield Hub(broker_at("mqtt://127.0.0.1", "hub"), store, answer_within_s=0.01)  # there are no tables to answer
    store.close()


@pytest.fixture
def desk(hub: Hub) -> FlaskClient:
    client = create_hub_app(hub, Director(hub), pin=PIN).test_client()
    client.post("/api/pin", json={"pin": PIN})
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
