"""Guessing the code or the PIN: slow from one address and from all, and never in the way of those who know them."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.referee.referee import Referee
from companion.web.access.access_guard import COOKIE
from companion.web.access.people import SEAT_COOKIE
from companion.web.app import create_app
from tests.clock import Clock

CODE, PIN = "ROSE42", "271828"
PASS = {"cmd": "pass", "player": "Ana"}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(referee: Referee, tmp_path: Path, clock: Clock) -> Flask:
    return create_app(referee, join_code=CODE, operator_pin=PIN, keys_file=tmp_path / "seats.json", clock=clock)


@pytest.fixture
def client(app: Flask) -> Callable[..., FlaskClient]:
    """A phone at an address, which has joined where that is asked for."""

    def make(address: str = "192.0.2.1", joins: bool = True) -> FlaskClient:
        phone = app.test_client()
        phone.environ_base = {**phone.environ_base, "REMOTE_ADDR": address}
        assert not joins or phone.post("/api/join", json={"code": CODE}).status_code == 200
        return phone

    return make


def guess(phone: FlaskClient, times: int, path: str = "join", field: str = "code") -> list[int]:
    return [phone.post(f"/api/{path}", json={field: f"GUESS{n}"}).status_code for n in range(times)]


def test_a_phone_that_joined_passes_whatever_is_guessed_at_its_address(client: Callable[..., FlaskClient]) -> None:
    phone, guesser = client(), client(joins=False)
    assert guess(guesser, 12)[-1] == 429
    assert phone.post("/api/commands", json=PASS).status_code == 200
    assert phone.get("/api/me").get_json()["joined"] is True
    assert guesser.post("/api/join", json={"code": CODE}).status_code == 429


def test_the_cookie_is_not_the_code(client: Callable[..., FlaskClient]) -> None:
    assert CODE not in str(client().get_cookie(COOKIE).value)  # type: ignore[union-attr]


def test_a_phone_stays_joined_over_a_restart_and_not_over_a_new_code(
    client: Callable[..., FlaskClient], referee: Referee, tmp_path: Path
) -> None:
    key = str(client().get_cookie(COOKIE).value)  # type: ignore[union-attr]
    for code, is_joined in ((CODE, True), ("OTHER7", False)):
        again = create_app(referee, join_code=code, keys_file=tmp_path / "seats.json").test_client()
        again.set_cookie(COOKIE, key)
        assert again.get("/api/me").get_json()["joined"] is is_joined


def test_a_key_that_is_no_longer_valid_is_no_guess(client: Callable[..., FlaskClient]) -> None:
    phone = client(joins=False)
    phone.set_cookie(COOKIE, "phone." + "0" * 64)
    for _ in range(20):
        phone.get("/api/me")
    assert phone.post("/api/join", json={"code": CODE}).status_code == 200


def test_each_wrong_code_after_ten_doubles_the_wait(client: Callable[..., FlaskClient], clock: Clock) -> None:
    guesser, waits = client(joins=False), []
    guess(guesser, 10)
    for _ in range(8):
        refused = guesser.post("/api/join", json={"code": CODE})
        waits.append(int(refused.headers["Retry-After"]))
        clock.now_s += waits[-1]
        assert guess(guesser, 1) == [403]
    assert [round(wait, -1) for wait in waits] == [60, 120, 240, 480, 960, 1920, 3600, 3600]


def test_many_addresses_together_do_not_guess_faster(client: Callable[..., FlaskClient]) -> None:
    for n in range(100):
        assert guess(client(f"192.0.2.{n}", joins=False), 1) == [403]
    assert guess(client("198.51.100.1", joins=False), 3) == [403, 429, 429]


def test_guests_who_guess_the_pin_do_not_lock_the_operator_out(client: Callable[..., FlaskClient]) -> None:
    operator = client("192.0.2.200")
    for n in range(120):
        guess(client(f"192.0.2.{n}"), 2, "operator", "pin")
    assert client("192.0.2.201").post("/api/operator", json={"pin": PIN}).status_code == 200
    assert operator.post("/api/operator", json={"pin": PIN}).status_code == 200
    assert guess(client("192.0.2.1"), 1, "operator", "pin") == [429]
    assert operator.post("/api/undo", json={}).status_code == 200


def test_wrong_codes_do_not_slow_the_pin(client: Callable[..., FlaskClient]) -> None:
    phone = client()
    guess(phone, 12)
    assert phone.post("/api/operator", json={"pin": PIN}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Referer": "http://elsewhere.example/"}],
)
def test_a_link_on_another_site_joins_nobody_and_guesses_nothing(
    client: Callable[..., FlaskClient], headers: dict[str, str]
) -> None:
    phone = client(joins=False)
    for _ in range(12):
        assert phone.get("/?code=WRONG1", headers=headers).status_code == 403
    assert phone.get(f"/?code={CODE}", headers=headers).status_code == 403
    assert phone.get_cookie(COOKIE) is None
    assert phone.get(f"/?code={CODE}", headers={"Sec-Fetch-Site": "none"}).status_code == 303


def test_a_phone_that_claims_twice_at_once_holds_one_seat(client: Callable[..., FlaskClient], app: Flask) -> None:
    phone = client()
    key = str(phone.get_cookie(COOKIE).value)  # type: ignore[union-attr]
    seats: list[str] = []

    def claim(player: str) -> None:
        same = app.test_client()
        same.set_cookie(COOKIE, key)
        answer = same.post("/api/seat", json={"player": player})
        assert answer.status_code == 200
        seats.append(str(same.get_cookie(SEAT_COOKIE).value))  # type: ignore[union-attr]

    pressing = [threading.Thread(target=claim, args=(player,)) for player in ("Ana", "Bo", "Ana", "Ana", "Bo")]
    for press in pressing:
        press.start()
    for press in pressing:
        press.join()
    assert len(seats) == 5
    assert len(phone.get("/api/me").get_json()["taken"]) == 1
    claim("Ana"), claim("Ana")
    assert seats[-1] == seats[-2], "a phone that presses twice keeps its seat whichever answer comes last"


def test_two_phones_may_use_the_same_idempotency_key(client: Callable[..., FlaskClient], referee: Referee) -> None:
    pressed = {"Idempotency-Key": "press-1"}
    before = len(referee.latest().moves)
    phone = client()
    assert phone.post("/api/commands", json=PASS, headers=pressed).status_code == 200
    assert phone.post("/api/commands", json=PASS, headers=pressed).status_code == 200
    other = client().post("/api/commands", json={"cmd": "pass", "player": "Bo"}, headers=pressed)
    assert other.status_code == 200
    assert len(referee.latest().moves) == before + 2
