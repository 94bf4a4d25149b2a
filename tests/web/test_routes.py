"""The addresses of the house, as the contract names them."""

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.referee.messages import REFEREE_CALLED, Evidence, Notice, Propose
from companion.referee.referee import Referee
from companion.views.translations import LANGUAGES
from companion.views.words import catalogue
from companion.web.app import create_app
from companion.web.app_context import TableParts

CODE = "ROSE42"
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
MISMATCH = {**HEXEL, "edges": ["red"] * 6}
ACTIONS = ("commands", "confirm", "reject", "undo", "next")


def test_watching_is_free(spectator: FlaskClient) -> None:
    assert spectator.get("/").status_code == spectator.get("/board").status_code == 200
    state = spectator.get("/api/state").get_json()
    assert {"version", "game", "phase", "turn", "players", "table", "result", "proposal"} <= set(state)


@pytest.mark.parametrize("action", ACTIONS)
def test_acting_needs_the_join_code(spectator: FlaskClient, referee: Referee, action: str) -> None:
    before = referee.latest()
    assert spectator.post(f"/api/{action}", json=HEXEL).status_code == 401
    assert spectator.post(f"/api/{action}", json=HEXEL, headers={"X-Join-Code": "ROSE43"}).status_code == 403
    assert referee.latest() is before


@pytest.mark.parametrize("action", ACTIONS)
def test_nothing_is_done_by_a_get(phone: FlaskClient, referee: Referee, action: str) -> None:
    before = referee.latest()
    answer = phone.get(f"/api/{action}")
    assert (answer.status_code, "POST" in answer.headers["Allow"]) == (405, True)
    assert referee.latest() is before


def test_a_command_answers_with_its_events(phone: FlaskClient) -> None:
    answer = phone.post("/api/commands", json=HEXEL)
    assert answer.status_code == 200
    assert answer.get_json()["events"] == [
        {"event": "placed", "player": "Ana", "cell": [0, -1], "matched": 2, "call": "Hexel"}
    ]
    assert answer.get_json()["said"] == ["Ana lays a card: Hexel, two edges."]


def test_what_may_lie_in_a_cell_is_listed(spectator: FlaskClient) -> None:
    listed = spectator.get("/api/options?q=0&r=-1").get_json()["commands"]
    assert listed and all(command["cell"] == [0, -1] for command in listed)
    assert spectator.get("/api/options?q=50&r=50").get_json()["commands"] == []
    for query in ("", "?q=1", "?q=x&r=1", "?q=1.5&r=0"):
        assert spectator.get(f"/api/options{query}").status_code == 400


def test_the_join_code_may_come_in_a_header(spectator: FlaskClient) -> None:
    assert spectator.post("/api/commands", json=HEXEL, headers={"X-Join-Code": CODE}).status_code == 200


def test_a_refused_command_is_a_conflict_with_the_rules_own_code(phone: FlaskClient, referee: Referee) -> None:
    before = referee.latest()
    answer = phone.post("/api/commands", json=MISMATCH)
    assert answer.status_code == 409
    assert answer.get_json()["error"]["code"] == "edge-mismatch"
    assert answer.get_json()["error"]["edges"]
    assert referee.latest() is before


@pytest.mark.parametrize(
    "body",
    [b"", b"no json", b"[]", b"3", b'{"cmd": "place"}', b'{"cmd": "fly"}', b'{"cmd": NaN}', b"[" * 60_000, b"\xff{}"],
)
def test_what_is_malformed_is_a_bad_request(phone: FlaskClient, body: bytes) -> None:
    answer = phone.post("/api/commands", data=body)
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, "malformed")


def test_a_body_beyond_the_limit_is_malformed(phone: FlaskClient) -> None:
    answer = phone.post("/api/commands", data=b"{" + b" " * 70_000 + b"}")
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, "malformed")
    assert "65536 bytes" in answer.get_json()["error"]["message"]


def test_a_press_repeated_with_its_key_counts_once(phone: FlaskClient, referee: Referee) -> None:
    key = {"Idempotency-Key": "press-1"}
    first = phone.post("/api/commands", json=HEXEL, headers=key)
    again = phone.post("/api/commands", json=HEXEL, headers=key)
    assert (again.status_code, again.get_json()) == (200, first.get_json())
    assert len(referee.latest().moves) == 5


def test_a_key_that_comes_with_another_command_is_of_another_press(phone: FlaskClient, referee: Referee) -> None:
    key = {"Idempotency-Key": "press-1"}
    phone.post("/api/commands", json=HEXEL, headers=key)
    other = phone.post("/api/commands", json={"cmd": "pass", "player": "Bo"}, headers=key)
    assert other.get_json()["events"][0]["event"] == "passed"
    again = phone.post("/api/commands", json=dict(reversed(HEXEL.items())), headers=key)
    assert (again.status_code, again.get_json()["events"][0]["event"]) == (200, "placed")
    assert len(referee.latest().moves) == 6


def test_an_endless_key_is_malformed(phone: FlaskClient) -> None:
    assert phone.post("/api/commands", json=HEXEL, headers={"Idempotency-Key": "k" * 500}).status_code == 400


def test_a_proposal_is_confirmed_by_whoever_has_seen_it(phone: FlaskClient, referee: Referee) -> None:
    seen = referee.ask(Propose(HEXEL, Evidence(b"jpeg", 0.9))).version
    assert phone.get("/api/proposal/evidence.jpg").data == b"jpeg"
    answer = phone.post("/api/confirm", json={"version": seen})
    assert [event["event"] for event in answer.get_json()["events"]] == ["placed"]
    picture = phone.get("/api/moves/5/evidence.jpg")
    assert (picture.data, picture.mimetype) == (b"jpeg", "image/jpeg")
    assert phone.get("/api/state").get_json()["history"][-1]["picture"]


def test_a_confirm_of_what_has_changed_since_is_refused(phone: FlaskClient, referee: Referee) -> None:
    stale = referee.ask(Propose(HEXEL)).version
    referee.ask(Propose(MISMATCH))
    answer = phone.post("/api/confirm", json={"version": stale})
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (409, "stale")


def test_a_rejected_proposal_is_gone(phone: FlaskClient, referee: Referee) -> None:
    seen = referee.ask(Propose(HEXEL)).version
    assert phone.post("/api/reject", json={"version": seen}).status_code == 200
    assert phone.get("/api/state").get_json()["proposal"] is None
    assert phone.post("/api/reject", json={}).get_json()["error"]["code"] == "nothing-waiting"


def test_undo_takes_the_last_move_back(phone: FlaskClient) -> None:
    before = phone.get("/api/state").get_json()
    version = phone.post("/api/commands", json=HEXEL).get_json()["version"]
    assert phone.post("/api/undo", json={"version": version}).status_code == 200
    now = phone.get("/api/state").get_json()
    assert [now[name] for name in ("table", "players", "turn")] == [
        before[name] for name in ("table", "players", "turn")
    ]


def test_a_version_must_be_a_whole_number(phone: FlaskClient) -> None:
    for version in ("1", 1.0, True):
        assert phone.post("/api/undo", json={"version": version}).status_code == 400


def test_the_next_game_follows_one_that_is_over(phone: FlaskClient, referee: Referee) -> None:
    for _ in range(2):
        turn = phone.get("/api/state").get_json()["turn"]
        phone.post("/api/commands", json={"cmd": "place", **_spread(referee, turn)})
    header = {"record": 1, "game": "hexdragon", "players": ["Ana", "Bo"]}
    assert phone.post("/api/next", json={"header": header}).status_code == 200
    for name in header["players"]:
        phone.post("/api/commands", json={"cmd": "agree-end", "player": name})
    over = phone.get("/api/state").get_json()
    assert over["is_over"]
    assert phone.post("/api/next", json={"version": over["version"]}).status_code == 200
    again = phone.get("/api/state").get_json()
    assert (again["game"], again["phase"], again["history"]) == ("hexdragon", "play", [])


def test_a_header_that_describes_no_game_is_a_bad_request(phone: FlaskClient) -> None:
    answer = phone.post("/api/next", json={"header": {"record": 1, "game": "chess", "players": ["Ana"]}})
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, "bad-header")


def test_a_game_of_two_whose_names_look_the_same_is_a_bad_request(phone: FlaskClient) -> None:
    answer = phone.post("/api/next", json={"header": {"record": 1, "game": "hexapod", "players": ["Ana", "Ana "]}})
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (400, "bad-header")


def test_a_move_without_a_picture_has_none(spectator: FlaskClient) -> None:
    assert spectator.get("/api/moves/1/evidence.jpg").status_code == 404
    assert spectator.get("/api/moves/999999999999/evidence.jpg").status_code == 404
    assert spectator.get("/api/moves/-1/evidence.jpg").status_code == 404


def test_notices_stand_on_the_scoreboard_with_their_place(spectator: FlaskClient, referee: Referee) -> None:
    referee.ask(Notice("unsure", "One card cannot be read.", (0.25, 0.5)))
    assert spectator.get("/api/state").get_json()["notices"] == [
        {"code": "unsure", "text": "One card cannot be read.", "at": [0.25, 0.5], "calm": False, "aloud": True}
    ]


def test_health_names_every_part_and_fails_with_one_that_failed(referee: Referee) -> None:
    parts: dict[str, Any] = {"camera": {"state": "absent"}, "pins": {"state": "ok"}}
    watcher = create_app(referee, join_code=CODE, parts=TableParts(devices=lambda: parts)).test_client()
    answer = watcher.get("/healthz")
    assert answer.status_code == 200
    assert {name: answer.get_json()[name]["state"] for name in ("camera", "journal", "pins")} == {
        "camera": "absent",
        "journal": "ok",
        "pins": "ok",
    }
    assert "/" not in answer.text, "no path of this machine"
    parts["camera"] = {"state": "failed", "message": "no picture for 20 s"}
    assert watcher.get("/healthz").status_code == 503


def test_every_answer_forbids_what_the_page_does_not_need(spectator: FlaskClient) -> None:
    for path in ("/", "/board", "/api/state", "/static/icon.svg", "/past", "/nowhere"):
        with spectator.get(path) as answer:
            headers = answer.headers
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
    with spectator.get("/static/main.js") as script:  # never shown as a page
        assert script.headers["X-Content-Type-Options"] == "nosniff"
        assert script.headers["Referrer-Policy"] == "no-referrer"


def test_the_page_holds_no_script_or_style_of_its_own(spectator: FlaskClient) -> None:
    for path in ("/", "/board"):
        text = spectator.get(path).text
        assert text.count("<script") == 2
        assert text.count('<script type="module" src="/static/') == text.count('<script type="importmap">') == 1
        assert "<style" not in text and " style=" not in text and "://" not in text


def test_a_person_who_gets_lost_sees_a_page_and_a_program_sees_json(spectator: FlaskClient) -> None:
    page = spectator.get("/nowhere", headers={"Accept": "text/html"})
    assert (page.status_code, page.mimetype) == (404, "text/html")
    assert spectator.get("/api/nowhere").get_json()["error"]["code"] == "not-found"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_that_there_is_not_is_told_in_the_phones_language(language: str, spectator: FlaskClient) -> None:
    """Every language told, in English, to check the spelling of the URL."""
    page = spectator.get("/nowhere", headers={"Accept": "text/html", "Accept-Language": language})
    assert catalogue(language)["failed"]["nothing-here"] in page.text
    assert "URL" not in page.text


def test_a_bug_is_an_error_without_its_insides(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    context = app.extensions["companion"]
    monkeypatch.setattr(context.referee, "latest", lambda: {}["secret"])
    answer = app.test_client().get("/api/state")
    assert answer.status_code == 500
    assert "secret" not in answer.text


def _spread(referee: Referee, turn: str) -> dict[str, Any]:
    session = referee.latest()
    return next(dict(c) for c in session.game.legal(session.state) if c["cmd"] == "place" and c["player"] == turn)


def test_what_the_rules_would_say_is_told_and_nothing_happens(phone: FlaskClient, referee: Referee) -> None:
    before = referee.latest()
    commands = [HEXEL, MISMATCH, 7, {"cmd": "fly"}]
    told = phone.post("/api/verdicts", json={"commands": commands}).get_json()["verdicts"]
    assert told[0] == {"said": ["Ana lays a card: Hexel, two edges."]}
    assert [verdict["refusal"]["code"] for verdict in told[1:]] == ["edge-mismatch", "malformed", "malformed"]
    earlier = phone.post("/api/verdicts", json={"commands": [HEXEL], "at": 2}).get_json()["verdicts"]
    assert earlier[0]["refusal"]["code"] == "wrong-phase"
    assert referee.latest() is before


def test_verdicts_are_for_those_who_joined_and_of_a_few_commands(spectator: FlaskClient, phone: FlaskClient) -> None:
    assert spectator.post("/api/verdicts", json={"commands": [HEXEL]}).status_code == 401
    for given in ({}, {"commands": {}}, {"commands": [HEXEL] * 200}, {"commands": [], "at": "1"}):
        assert phone.post("/api/verdicts", json=given).status_code == 400
    assert phone.post("/api/verdicts", json={"commands": [], "at": 99}).get_json()["error"]["code"] == "no-such-move"


def test_a_call_for_the_referee_is_told_in_the_tables_language(referee: Referee) -> None:
    """It was told in that of the phone that called, to everybody and by the table's own voice."""
    phone = create_app(referee, join_code=CODE, operator_pin="4711", parts=TableParts(is_in_hall=True)).test_client()
    phone.post("/api/join", json={"code": CODE})
    for seat, told in ((None, "The table calls the referee."), ("Bo", "Bo calls the referee.")):
        if seat is not None:
            assert phone.post("/api/seat", json={"player": seat}).status_code == 200
        phone.post("/api/referee", json={"on": True}, headers={"Accept-Language": "de"})
        assert referee.latest().notices[REFEREE_CALLED].text == told
