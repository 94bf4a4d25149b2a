"""What the operator keeps in order: games deleted, players renamed, merged and left out, a backup from the page."""

import io
import os
import tracemalloc
import urllib.request
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion import __version__
from companion.referee.messages import Begin, Do
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.views.words import section_of
from companion.web.app import create_app
from companion.web.keeping import PlayerNames

CODE, PIN = "ROSE42", "471100"


@pytest.fixture
def operator(referee: Referee) -> FlaskClient:
    """The operator's phone, at a table where a second and a third game were begun."""
    for players in (("Ana", "Anna"), ("Cy", "Dee")):
        referee.ask(Begin(Header("hexapod", players)))
        referee.ask(Do({"cmd": "pass", "player": players[0]}))
        referee.ask(Do({"cmd": "pass", "player": players[1]}))
    phone = create_app(referee, join_code=CODE, operator_pin=PIN).test_client()
    phone.get(f"/?code={CODE}")
    phone.post("/api/operator", json={"pin": PIN})
    return phone


@pytest.fixture
def guest(referee: Referee, operator: FlaskClient) -> FlaskClient:
    phone = create_app(referee, join_code=CODE, operator_pin=PIN).test_client()
    phone.get(f"/?code={CODE}")
    return phone


def players(phone: FlaskClient) -> list[str]:
    return [player["name"] for player in phone.get("/api/players").get_json()["players"]]


@pytest.mark.parametrize("held", ["", "{", "[]", '{"Ana": 5}', '{"Ana": []}', "[" * 99_999, "\0"])
def test_a_file_of_names_that_makes_no_sense_hides_nobody(referee: Referee, operator: FlaskClient, held: str) -> None:
    (referee.games.parent / "players.json").write_text(held)
    assert {"Ana", "Anna"} <= set(players(operator))
    assert operator.get("/past/players").status_code == 200
    assert operator.post("/past/players/name", data={"old": "Anna", "new": "Ana"}).status_code == 303
    assert "Anna" not in players(operator)


def test_a_game_is_deleted_for_good_with_its_pictures(referee: Referee, operator: FlaskClient) -> None:
    pictures = referee.games / "0002.evidence"
    pictures.mkdir()
    (pictures / "0003.jpg").write_bytes(b"a picture")
    assert 'id="delete"' in operator.get("/past/2").get_data(as_text=True)
    assert operator.post("/past/2/delete").status_code == 303
    assert operator.get("/past/2").status_code == 404
    assert not pictures.exists()
    assert sorted(path.name for path in referee.games.glob("*.jsonl")) == ["0001.jsonl", "0003.jsonl"]


def test_the_game_on_the_table_stays(referee: Referee, operator: FlaskClient) -> None:
    assert 'id="delete"' not in operator.get("/past/3").get_data(as_text=True)
    assert operator.post("/past/3/delete").status_code == 409
    assert operator.post("/past/9/delete").status_code == 404
    assert (referee.games / "0003.jsonl").exists()


def test_a_player_is_renamed_merged_and_left_out_and_the_games_stay(operator: FlaskClient) -> None:
    assert {"Ana", "Anna", "Cy"} <= set(players(operator))
    operator.post("/past/players/name", data={"old": "Anna", "new": "Ana"})
    operator.post("/past/players/name", data={"old": "Cy", "new": ""})
    assert {"Anna", "Cy"} & set(players(operator)) == set()
    page = operator.get("/past/players").get_data(as_text=True)
    assert "Anna" not in page
    assert page.count('<th scope="row">Ana</th>') == 2, "one account in each of two games"
    assert "Anna" in operator.get("/past/2").get_data(as_text=True)
    operator.post("/past/players/name", data={"old": "Ana", "new": "Anastasia"})
    assert "Ana" not in players(operator)
    assert "Anastasia" in players(operator)


def test_two_operators_who_rename_at_once_both_have_their_way(tmp_path: Path) -> None:
    for n in range(10):
        before = Barrier(2)

        def rename(old: str, before: Barrier = before, n: int = n) -> None:
            names = PlayerNames(tmp_path)
            names.shown(old)
            before.wait()
            names.put([f"{old} {n}"], f"Dee {n}")

        with ThreadPoolExecutor(2) as operators:
            list(operators.map(rename, ("Ana", "Bo")))
    names = PlayerNames(tmp_path)
    assert [names.shown(f"{old} {n}") for n in range(10) for old in ("Ana", "Bo")] == [
        f"Dee {n}" for n in range(10) for _ in range(2)
    ]


@pytest.mark.parametrize("data", [{"old": "Nobody", "new": "Ana"}, {"old": "Ana", "new": "x" * 41}, {}])
def test_a_name_that_cannot_be_is_refused(operator: FlaskClient, data: dict[str, str]) -> None:
    before = players(operator)
    assert operator.post("/past/players/name", data=data).status_code in (400, 409)
    assert players(operator) == before


def test_the_whole_table_is_backed_up_from_the_page(operator: FlaskClient) -> None:
    assert 'id="backup"' in operator.get("/past").get_data(as_text=True)
    with operator.get("/backup.zip") as answer:
        packed = zipfile.ZipFile(io.BytesIO(answer.data))
    assert {"games/0001.jsonl", "games/0002.jsonl", "games/0003.jsonl"} <= set(packed.namelist())


def test_a_backup_that_was_sent_leaves_no_file_open(operator: FlaskClient) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    answers = [operator.get("/backup.zip"), operator.head("/backup.zip")]
    assert answers[0].data and not answers[1].data
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_every_version_says_what_is_new(guest: FlaskClient) -> None:
    page = guest.get("/past").get_data(as_text=True)
    assert f"Version {__version__}: what is new" in page
    told = page.partition('<details id="news">')[2].partition("</details>")[0]
    assert told.count("<li>") == len(section_of("news")[__version__]) > 0


def test_a_backup_of_all_the_pictures_takes_no_memory(referee: Referee, serve: Callable[[Flask], int]) -> None:
    pictures = referee.games / "0001.evidence"
    pictures.mkdir()
    (pictures / "0001.jpg").write_bytes(os.urandom(40_000_000))
    port = serve(create_app(referee, join_code=CODE, operator_pin=PIN))
    headers = {"X-Join-Code": CODE, "X-Operator-Pin": PIN}
    tracemalloc.start()
    with urllib.request.urlopen(
        urllib.request.Request(f"http://127.0.0.1:{port}/backup.zip", headers=headers)
    ) as answer:
        read = sum(iter(lambda: len(answer.read(100_000)), 0))
        assert read == int(answer.headers["Content-Length"]) > 40_000_000
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_only_the_operator_keeps_things_in_order(guest: FlaskClient, referee: Referee) -> None:
    for path in ("/past", "/past/2", "/past/players"):
        page = guest.get(path).get_data(as_text=True)
        assert not any(f'id="{button}"' in page for button in ("delete", "rename", "backup")), path
    assert guest.get("/backup.zip").status_code == 403
    assert guest.post("/past/2/delete").status_code == 403
    assert guest.post("/past/players/name", data={"old": "Ana", "new": "Bo"}).status_code == 403
    assert Path(referee.games / "0002.jsonl").exists()
