"""Seats and the operator: who may act for whom, and that a stolen seat is refused."""

import errno
import html
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.app.invitation import invitation
from companion.errors import TableError
from companion.referee.messages import Do, Propose
from companion.referee.referee import Referee
from companion.web.access.access_guard import COOKIE
from companion.web.access.people import OPERATOR_COOKIE, SEAT_COOKIE
from companion.web.access.seat_keys import SeatKeys
from companion.web.app import create_app
from companion.web.app_context import TableParts
from companion.web.server import bind

CODE = "ROSE42"
PIN = "271828"
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
PASS = {"cmd": "pass", "player": "Ana"}


@pytest.fixture
def app(referee: Referee, tmp_path: Path) -> Flask:
    return create_app(referee, join_code=CODE, operator_pin=PIN, keys_file=tmp_path / "seats.json")


@pytest.fixture
def joined(app: Flask) -> Callable[..., FlaskClient]:
    """A phone that has joined and, where a name is given, claimed that seat."""

    def join(seat: str | None = None) -> FlaskClient:
        client = app.test_client()
        assert client.post("/api/join", json={"code": CODE}).status_code == 200
        if seat:
            assert client.post("/api/seat", json={"player": seat}).get_json() == {"seat": seat}
        return client

    return join


def code_of(answer: object) -> tuple[int, str]:
    return answer.status_code, answer.get_json()["error"]["code"]  # type: ignore[attr-defined]


def test_a_seat_given_up_and_claimed_by_another_meanwhile_stays_the_others(
    app: Flask, joined: Callable[..., FlaskClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = joined("Ana"), joined()
    keys = app.extensions["companion"].people.keys
    claim = keys.claim

    def claim_and_let_another_in(*given: object) -> str | None:
        monkeypatch.setattr(keys, "claim", claim)
        key = claim(*given)
        assert other.post("/api/seat", json={"player": "Ana"}).get_json() == {"seat": "Ana"}
        return key

    monkeypatch.setattr(keys, "claim", claim_and_let_another_in)
    assert mine.post("/api/seat", json={"player": "Bo"}).get_json() == {"seat": "Bo"}
    assert other.get("/api/me").get_json()["seat"] == "Ana"


def test_a_seat_that_is_claimed_is_played_from_its_phone_alone(joined: Callable[..., FlaskClient]) -> None:
    bo, ana = joined("Bo"), joined("Ana")
    assert code_of(bo.post("/api/commands", json=HEXEL)) == (403, "not-your-seat")
    assert code_of(joined().post("/api/commands", json=HEXEL)) == (403, "not-your-seat")
    assert ana.post("/api/commands", json=HEXEL).status_code == 200


def test_the_code_in_a_header_does_not_open_a_claimed_seat(joined: Callable[..., FlaskClient], app: Flask) -> None:
    joined("Ana")
    assert code_of(app.test_client().post("/api/commands", json=HEXEL, headers={"X-Join-Code": CODE}))[0] == 403


def test_a_seat_that_nobody_claimed_is_played_by_whoever_joined(joined: Callable[..., FlaskClient]) -> None:
    assert joined("Bo").post("/api/commands", json=HEXEL).status_code == 200


def test_a_seat_cannot_be_claimed_twice(joined: Callable[..., FlaskClient]) -> None:
    ana, thief = joined("Ana"), joined()
    assert code_of(thief.post("/api/seat", json={"player": "Ana"})) == (409, "seat-taken")
    assert thief.get_cookie(SEAT_COOKIE) is None
    assert ana.post("/api/seat", json={"player": "Ana"}).status_code == 200, "one's own seat again is no theft"
    assert ana.post("/api/commands", json=HEXEL).status_code == 200


@pytest.mark.parametrize("key", ["", "guess", "Ana", "\udcff", "0" * 5000])
def test_a_made_up_key_is_no_seat_and_no_operator(joined: Callable[..., FlaskClient], key: str) -> None:
    joined("Ana")
    thief = joined()
    cookie = f"{SEAT_COOKIE}={key}; {OPERATOR_COOKIE}={key}".encode("utf-8", "surrogateescape").decode("latin-1")
    headers = {"X-Join-Code": CODE, "Cookie": cookie}
    assert thief.post("/api/commands", json=HEXEL, headers=headers).status_code == 403
    assert thief.post("/api/undo", json={}, headers=headers).status_code == 403


def test_who_claims_another_seat_gives_up_the_first(joined: Callable[..., FlaskClient]) -> None:
    phone = joined("Ana")
    assert phone.post("/api/seat", json={"player": "Bo"}).status_code == 200
    assert phone.get("/api/me").get_json()["taken"] == ["Bo"]


def test_nobody_claims_a_seat_without_the_code_or_of_nobody(app: Flask, joined: Callable[..., FlaskClient]) -> None:
    assert app.test_client().post("/api/seat", json={"player": "Ana"}).status_code == 401
    assert code_of(joined().post("/api/seat", json={"player": "Zed"})) == (409, "unknown-player")
    assert code_of(joined().post("/api/seat", json={"player": ["Ana"]})) == (400, "malformed")


def test_the_cookies_are_hidden_from_scripts_and_other_sites(joined: Callable[..., FlaskClient]) -> None:
    phone = joined()
    for path, given in (("/api/seat", {"player": "Ana"}), ("/api/operator", {"pin": PIN})):
        cookie = phone.post(path, json=given).headers["Set-Cookie"]
        assert "HttpOnly" in cookie and "SameSite=Strict" in cookie


def test_another_sites_page_claims_no_seat(joined: Callable[..., FlaskClient]) -> None:
    phone = joined("Ana")
    for headers in ({"Origin": "http://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}):
        for path in ("seat", "seat/free", "operator", "operator/leave", "commands"):
            answer = phone.post(f"/api/{path}", json={"player": "Ana", "pin": PIN, "cmd": "pass"}, headers=headers)
            assert code_of(answer) == (403, "other-site"), path


def test_a_proposal_is_answered_by_the_one_who_made_it(joined: Callable[..., FlaskClient], referee: Referee) -> None:
    ana, bo = joined("Ana"), joined("Bo")
    version = referee.ask(Propose(HEXEL)).version
    for action in ("confirm", "reject"):
        assert code_of(bo.post(f"/api/{action}", json={"version": version})) == (403, "not-your-seat")
    assert ana.post("/api/confirm", json={"version": version}).status_code == 200


def test_nobody_passes_for_another_by_pressing_next(joined: Callable[..., FlaskClient]) -> None:
    ana, bo = joined("Ana"), joined("Bo")
    assert code_of(bo.post("/api/next", json={})) == (403, "not-your-seat")
    assert ana.post("/api/next", json={}).status_code == 200


def test_taking_back_and_another_game_are_the_operators(joined: Callable[..., FlaskClient]) -> None:
    phone = joined("Ana")
    header = {"header": {"record": 1, "game": "hexel", "players": ["Cy"]}}
    for path, given in (("undo", {}), ("next", header)):
        assert code_of(phone.post(f"/api/{path}", json=given)) == (403, "operator-only")
    assert code_of(phone.post("/api/operator", json={"pin": "000000"})) == (403, "wrong-pin")
    assert phone.post("/api/operator", json={"pin": PIN}).status_code == 200
    assert phone.post("/api/undo", json={}).status_code == 200
    assert phone.post("/api/operator/leave", json={}).get_json() == {"operator": False}
    assert code_of(phone.post("/api/undo", json={})) == (403, "operator-only")


def test_a_program_gives_the_pin_in_a_header(app: Flask) -> None:
    program = app.test_client()
    headers = {"X-Join-Code": CODE, "X-Operator-Pin": PIN}
    assert program.post("/api/undo", json={}, headers=headers).status_code == 200
    assert program.post("/api/undo", json={}, headers={**headers, "X-Operator-Pin": "1"}).status_code == 403


def test_a_wrong_pin_counts_as_a_guess(joined: Callable[..., FlaskClient]) -> None:
    phone = joined()
    answers = [phone.post("/api/operator", json={"pin": str(n)}).status_code for n in range(12)]
    assert answers == [403] * 10 + [429] * 2


def test_the_operator_plays_for_everybody_and_frees_a_lost_phones_seat(joined: Callable[..., FlaskClient]) -> None:
    joined("Ana")
    phone, operator = joined("Bo"), joined()
    assert code_of(phone.post("/api/seat/free", json={"player": "Ana"})) == (403, "operator-only")
    operator.post("/api/operator", json={"pin": PIN})
    assert operator.post("/api/commands", json=HEXEL).status_code == 200
    assert operator.post("/api/seat/free", json={"player": "Ana"}).status_code == 200
    assert joined("Ana").get("/api/me").get_json()["seat"] == "Ana"


def test_a_stranger_who_leaves_the_operators_place_has_nothing_written(app: Flask, tmp_path: Path) -> None:
    stranger, before = app.test_client(), (tmp_path / "seats.json").stat().st_ino
    stranger.set_cookie(OPERATOR_COOKIE, "made-up")
    assert stranger.post("/api/operator/leave", json={}).get_json() == {"operator": False}
    assert (tmp_path / "seats.json").stat().st_ino == before


def test_another_pin_leaves_nobody_operator_who_gave_the_old_one(
    referee: Referee, joined: Callable[..., FlaskClient], tmp_path: Path
) -> None:
    phone = joined("Ana")
    phone.post("/api/operator", json={"pin": PIN})
    cookies = {name: phone.get_cookie(name).value for name in (COOKIE, OPERATOR_COOKIE, SEAT_COOKIE)}  # type: ignore[union-attr]
    for pin, is_operator in ((PIN, True), ("161803", False)):
        again = create_app(referee, join_code=CODE, operator_pin=pin, keys_file=tmp_path / "seats.json").test_client()
        for name, value in cookies.items():
            again.set_cookie(name, value)
        told = again.get("/api/me").get_json()
        assert (told["operator"], told["joined"], told["seat"]) == (is_operator, True, "Ana")


def test_seats_and_operators_stay_over_a_restart_and_the_file_opens_nothing(
    joined: Callable[..., FlaskClient], referee: Referee, tmp_path: Path
) -> None:
    phone = joined("Ana")
    phone.post("/api/operator", json={"pin": PIN})
    keys = [str(phone.get_cookie(name).value) for name in (SEAT_COOKIE, OPERATOR_COOKIE)]  # type: ignore[union-attr]
    kept = (tmp_path / "seats.json").read_text()
    assert not any(key in kept for key in (*keys, PIN, CODE))
    again = create_app(referee, join_code=CODE, operator_pin=PIN, keys_file=tmp_path / "seats.json").test_client()
    again.set_cookie(SEAT_COOKIE, keys[0])
    again.set_cookie(OPERATOR_COOKIE, keys[1])
    mine = again.get("/api/me").get_json()
    assert (mine["seat"], mine["operator"]) == ("Ana", True)


def test_a_file_of_seats_that_makes_no_sense_is_named(tmp_path: Path) -> None:
    for text in ("{", "[]", '{"seats": {}}'):
        (tmp_path / "seats.json").write_text(text)
        with pytest.raises(TableError, match=r"seats\.json"):
            SeatKeys(tmp_path / "seats.json")


def test_at_a_table_without_a_pin_whoever_joined_may_take_back(referee: Referee) -> None:
    phone = create_app(referee, join_code=CODE).test_client()
    phone.post("/api/join", json={"code": CODE})
    assert phone.get("/api/me").get_json()["operator"]
    assert phone.post("/api/undo", json={}).status_code == 200
    assert code_of(phone.post("/api/operator", json={"pin": "1"})) == (409, "no-pin")


class Invitation:
    """What a table shows to those who want to join."""

    url = "http://192.0.2.8:8080/"
    join_code = CODE

    def svg(self) -> str:
        return "<svg/>"


def test_the_join_code_is_shown_on_the_tables_own_screen_and_to_those_who_joined(referee: Referee) -> None:
    app = create_app(referee, join_code=CODE, parts=TableParts(invitation=Invitation()))
    here, far = app.test_client(), app.test_client()
    away = {"environ_base": {"REMOTE_ADDR": "192.0.2.7"}}
    assert CODE in here.get("/board").text
    assert here.get("/join.svg").data == b"<svg/>"
    assert CODE not in far.get("/board", **away).text
    assert "192.0.2.8:8080" in far.get("/board", **away).text.replace("<wbr>", "")
    assert far.get("/join.svg", **away).status_code == 403
    assert CODE not in here.get("/board", headers={"Host": "rebound.example"}).text
    for header in ("Forwarded", "Via", "X-Forwarded-For", "X-Real-IP"):  # Apache's proxy calls the table 127.0.0.1
        assert here.get("/join.svg", headers={header: "192.0.2.7"}).status_code == 403
    far.post("/api/join", json={"code": CODE}, **away)
    assert CODE in far.get("/board", **away).text
    assert far.get("/join.svg", **away).status_code == 200


def test_everybodys_screen_says_you_to_nobody(joined: Callable[..., FlaskClient]) -> None:
    phone = joined("Ana")
    told = {path: html.unescape(phone.get(path).text) for path in ("/", "/board")}
    assert '"seat":"Ana"' in told["/"].replace(" ", "")
    assert '"seat":null' in told["/board"].replace(" ", "")


def test_codes_made_up_are_for_the_table_alone_to_read(tmp_path: Path) -> None:
    with bind("127.0.0.1", 0) as listening:
        first = invitation(listening, tmp_path, None, None)
        assert invitation(listening, tmp_path, None, None) == first
    assert first.operator_pin.isdecimal() and len(first.operator_pin) == 6
    assert stat.S_IMODE((tmp_path / "operator-pin").stat().st_mode) == 0o600
    assert first.link == f"{first.url}?code={first.join_code}"


def test_the_turn_is_moved_by_its_seat_after_moves_elsewhere(
    joined: Callable[..., FlaskClient], referee: Referee
) -> None:
    bo = joined("Bo")
    referee.ask(Do(PASS))
    assert bo.post("/api/next", json={}).status_code == 200


class Switch:
    """A camera that is there and remembers how it was switched."""

    has_camera = True
    is_on = True

    def switch_camera(self, is_on: bool) -> None:
        self.is_on = is_on


def test_the_operator_switches_the_camera(referee: Referee) -> None:
    switch = Switch()
    app = create_app(referee, join_code=CODE, operator_pin=PIN, parts=TableParts(camera=switch))
    phone = app.test_client()
    phone.post("/api/join", json={"code": CODE})
    assert phone.get("/api/me").get_json()["camera"]
    assert code_of(phone.post("/api/camera", json={"on": False})) == (403, "operator-only")
    phone.post("/api/operator", json={"pin": PIN})
    assert code_of(phone.post("/api/camera", json={"on": "no"})) == (400, "malformed")
    assert phone.post("/api/camera", json={"on": False}).get_json() == {"on": False}
    assert not switch.is_on


def test_a_table_without_a_camera_has_none_to_switch(phone: FlaskClient) -> None:
    assert not phone.get("/api/me").get_json()["camera"]
    headers = {"X-Operator-Pin": PIN}
    assert code_of(phone.post("/api/camera", json={"on": True}, headers=headers)) == (409, "no-camera")


def test_a_full_disk_keeps_nobody_from_a_seat_or_the_operators_place(
    app: Flask, joined: Callable[..., FlaskClient], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    phone = joined("Bo")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as without_room:
        without_room.setattr("companion.referee.folder.os.pwrite", full)
        assert phone.post("/api/operator", json={"pin": PIN}).status_code == 200
        assert phone.post("/api/seat", json={"player": "Ana"}).status_code == 200
        assert phone.get("/api/me").json["operator"]
        assert phone.get("/api/me").json["seat"] == "Ana"
    kept = SeatKeys(tmp_path / "seats.json")
    assert kept.taken() == {"Bo"}
    joined("Bo")
    kept = SeatKeys(tmp_path / "seats.json", PIN)
    assert kept.taken() == {"Ana", "Bo"}
    assert kept.is_operator(phone.get_cookie(OPERATOR_COOKIE).value)
