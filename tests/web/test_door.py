"""Who may act: the join code, its cookie, and how slowly it may be guessed."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.referee.referee import Referee
from companion.web.access.access_guard import COOKIE
from companion.web.app import create_app

CODE, PIN = "ROSE42", "271828"
PASS = {"cmd": "pass", "player": "Ana"}


class Clock:
    """A clock to be wound by hand."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def test_the_link_joins_and_leads_to_the_clean_address(spectator: FlaskClient) -> None:
    answer = spectator.get(f"/?code={CODE}")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
    assert 'data-joined="yes"' in spectator.get("/").text
    assert spectator.post("/api/commands", json=PASS).status_code == 200


def test_a_wrong_link_joins_nobody(spectator: FlaskClient) -> None:
    answer = spectator.get("/?code=WRONG", headers={"Accept": "text/html"})
    assert answer.status_code == 403
    assert "Set-Cookie" not in answer.headers
    assert 'data-joined="no"' in spectator.get("/").text


def test_the_code_may_be_typed_in_small_letters_and_with_a_space(spectator: FlaskClient) -> None:
    assert spectator.post("/api/join", json={"code": " rose42 "}).get_json() == {"joined": True}
    assert spectator.post("/api/commands", json=PASS).status_code == 200


@pytest.mark.parametrize("code", [None, 42, ["ROSE42"], {"a": 1}])
def test_a_code_that_is_no_text_is_malformed(spectator: FlaskClient, code: object) -> None:
    assert spectator.post("/api/join", json={"code": code}).status_code == 400


@pytest.mark.parametrize("code", ["", "ROSE4", "ROSE422", "RÖSE42", "\ud800", "ROSE42\x00"])
def test_only_the_whole_code_opens(spectator: FlaskClient, code: str) -> None:
    assert spectator.post("/api/join", json={"code": code}).status_code == 403


def test_a_page_of_another_site_cannot_press_buttons_here(phone: FlaskClient) -> None:
    answer = phone.post("/api/commands", json=PASS, headers={"Origin": "http://elsewhere.example"})
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (403, "other-site")
    assert phone.post("/api/join", json={"code": CODE}, headers={"Origin": "null"}).status_code == 403
    assert phone.post("/api/commands", json=PASS, headers={"Origin": "http://localhost"}).status_code == 200


def test_no_address_takes_anything_from_another_sites_page(app: Flask, phone: FlaskClient) -> None:
    posts = [rule for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())]
    given = {"code": CODE, "pin": PIN, "language": "de", "player": "Ana", "on": True, "version": 1, **PASS}
    for rule in posts:
        path = rule.build(dict.fromkeys(rule.arguments, 1))[1]  # type: ignore[index]
        answer = phone.post(path, json=given, headers={"Origin": "http://elsewhere.example"})
        assert (path, answer.status_code) == (path, 403)
    assert len(posts) > 15


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("192.168.1.7:8080", 200),
        ("[fe80::1]:8080", 200),
        ("raspberrypi", 200),
        ("Pi.Local.:8080", 200),
        ("table.club.example:8080", 200),
        ("evil.example:8080", 421),
        ("192.168.1.7.evil.example", 421),
        ("club.example", 421),
        ("card_table:8080", 200),
        ("card_table.local", 200),
        ("a_b.evil.example", 421),
        ("[evil.example", 421),
        ("192.168.1.7@evil.example", 421),
        ("évil.example", 421),
    ],
)
def test_a_site_whose_name_leads_here_reads_nothing(referee: Referee, name: str, status: int) -> None:
    app = create_app(referee, join_code=CODE, names=("table.club.example",))
    guest = {"REMOTE_ADDR": "192.168.1.9"}
    for path in ("/", "/api/state", "/past", "/api/events"):
        assert app.test_client().get(path, headers={"Host": name}, environ_base=guest).status_code == status
    assert app.test_client().get("/", headers={"Host": name}).status_code == 200  # a proxy on this machine


@pytest.mark.parametrize("name", ["a" * 64, f"{'a' * 64}.local", "..", "table..local"])
@pytest.mark.parametrize("address", ["192.168.1.9", "127.0.0.1"])
def test_a_name_that_cannot_be_is_refused_in_a_line(spectator: FlaskClient, name: str, address: str) -> None:
    headers, guest = {"Host": name, "Accept": "text/html"}, {"REMOTE_ADDR": address}
    for path in ("/", "/past", "/nowhere", "/static/main.js"):
        answer = spectator.get(path, headers=headers, environ_base=guest)
        assert (answer.status_code in (400, 421), answer.mimetype) == (True, "application/json")


def test_a_table_whose_name_has_an_underscore_is_joined_from_its_own_page(spectator: FlaskClient) -> None:
    for site, status in (("http://card_table:8080", 200), ("http://cards", 403)):
        headers = {"Host": "card_table:8080", "Origin": site}
        assert spectator.post("/api/join", json={"code": CODE}, headers=headers).status_code == status


@pytest.mark.parametrize("name", ["Origin", "Referer"])
def test_what_is_no_address_is_another_sites(phone: FlaskClient, name: str) -> None:
    assert phone.post("/api/commands", json=PASS, headers={name: "http://[::1"}).status_code == 403


def test_after_ten_wrong_codes_one_waits_a_minute(referee: Referee) -> None:
    clock = Clock()
    app: Flask = create_app(referee, join_code=CODE, clock=clock)
    guesser = app.test_client()
    for n in range(10):
        assert guesser.post("/api/join", json={"code": f"GUESS{n}"}).status_code == 403
    refused = guesser.post("/api/join", json={"code": CODE})
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= 61
    elsewhere = app.test_client().post("/api/join", json={"code": CODE}, environ_base={"REMOTE_ADDR": "192.0.2.7"})
    assert elsewhere.status_code == 200
    clock.now_s += 61
    assert guesser.post("/api/join", json={"code": CODE}).status_code == 200


def test_a_cookie_is_no_way_to_guess_faster(referee: Referee) -> None:
    app: Flask = create_app(referee, join_code=CODE, clock=Clock())
    guesser = app.test_client()
    for n in range(10):
        guesser.set_cookie(COOKIE, f"GUESS{n}")
        answer = guesser.get("/")
        assert 'data-joined="no"' in answer.text
        assert guesser.get_cookie(COOKIE) is None, "a wrong code is not kept"
    guesser.set_cookie(COOKIE, CODE)
    assert 'data-joined="no"' in guesser.get("/").text
    assert guesser.post("/api/join", json={"code": CODE}).status_code == 429


def test_presses_with_the_right_code_are_never_slowed(phone: FlaskClient) -> None:
    answers = [phone.post("/api/reject", json={}).status_code for _ in range(40)]
    assert set(answers) == {409}


def test_a_table_without_a_code_is_not_opened(referee: Referee) -> None:
    with pytest.raises(ValueError, match="join code"):
        create_app(referee, join_code="")
