"""What was, over the web: a move's evidence, undo, redo, corrections; all that changes is the operator's."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.referee.messages import Confirm, Do, Evidence, Propose
from companion.referee.referee import Referee
from companion.web.app import create_app
from companion.web.app_context import TableParts

CODE = "ROSE42"
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
STAKE = {"cmd": "stake", "player": "Ana", "amount": 1}


def correction(**fields: Any) -> dict[str, Any]:
    return {"at": 2, "replaced": 1, "commands": [STAKE], **fields}


def test_a_correction_answers_with_what_it_changed_and_stands_in_the_history(phone: FlaskClient) -> None:
    version = phone.get("/api/state").get_json()["version"]
    answer = phone.post("/api/correct", json=correction(version=version))
    assert (answer.status_code, answer.get_json()["said"]) == (200, ["Ana sets the stake at 1, not 3."])
    state = phone.get("/api/state").get_json()
    assert state["table"]["stake"] == 1
    amendment = state["amendments"][-1]
    assert (amendment["did"], amendment["by"], amendment["at"]) == ("correct", "a phone", 2)
    assert amendment["version"] == state["changed"] == state["version"]


def test_the_history_names_the_seat_that_corrected(phone: FlaskClient) -> None:
    phone.post("/api/seat", json={"player": "Bo"})
    phone.post("/api/correct", json=correction())
    assert phone.get("/api/state").get_json()["amendments"][-1]["by"] == "Bo"


@pytest.mark.parametrize(
    ("pin", "said"),
    [(None, {"en": "a phone", "de": "einem Telefon"}), ("271828", {"en": "the operator", "de": "der Spielleitung"})],
)
def test_who_corrected_without_a_seat_is_named_in_the_language_of_whoever_looks(
    referee: Referee, pin: str | None, said: dict[str, str]
) -> None:
    client = create_app(referee, join_code=CODE, operator_pin=pin).test_client()
    client.post("/api/join", json={"code": CODE})
    client.post("/api/operator", json={"pin": pin or ""})
    assert client.post("/api/correct", json=correction(), headers={"Accept-Language": "fr"}).status_code == 200
    assert referee.latest().amendments[-1].by == said["en"], "one word, whoever wrote it"
    for language, by in said.items():
        asked = {"Accept-Language": language}
        assert client.get("/api/state", headers=asked).get_json()["amendments"][-1]["by"] == by
        assert f"{by}:" in client.get("/past/1", headers=asked).text


def test_undo_and_redo_go_any_number_of_steps(phone: FlaskClient, referee: Referee) -> None:
    before = referee.latest().line
    for path, steps in (("undo", 4), ("redo", 4)):
        for _ in range(steps):
            assert phone.post(f"/api/{path}", json={"version": referee.latest().version}).status_code == 200
        answer = phone.post(f"/api/{path}", json={"version": referee.latest().version})
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (409, f"nothing-to-{path}")
    assert referee.latest().line == before


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "malformed"),
        (correction(at="2"), "malformed"),
        (correction(at=True), "malformed"),
        (correction(commands={}), "malformed"),
        (correction(commands=[STAKE] * 40), "malformed"),
        (correction(commands=[[]]), "malformed"),
        (correction(cut=1), "malformed"),
        (correction(at=99), "no-such-move"),
        (correction(at=10**9), "no-such-move"),
        (correction(at=10**30), "malformed"),
        (correction(commands=[{**STAKE, "amount": 3}]), "nothing-changed"),
        (correction(commands=[{**STAKE, "player": "Bo"}]), "not-dealer"),
        (correction(commands=[{**STAKE, "amount": 4}]), "does-not-follow"),
        (correction(version=0), "stale"),
    ],
)
def test_a_correction_that_cannot_be_says_why_and_changes_nothing(
    phone: FlaskClient, referee: Referee, given: dict[str, Any], code: str
) -> None:
    before = referee.latest()
    answer = phone.post("/api/correct", json=given)
    assert answer.status_code == (400 if code == "malformed" else 409)
    assert answer.get_json()["error"]["code"] == code
    assert referee.latest() is before


def test_only_the_operator_corrects(referee: Referee) -> None:
    app = create_app(referee, join_code=CODE, operator_pin="271828")
    joined, watcher = app.test_client(), app.test_client()
    joined.post("/api/join", json={"code": CODE})
    for path in ("correct", "undo", "redo"):
        assert watcher.post(f"/api/{path}", json=correction()).status_code == 401
        answer = joined.post(f"/api/{path}", json=correction())
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (403, "operator-only")
    joined.post("/api/operator", json={"pin": "271828"})
    assert joined.post("/api/correct", json=correction()).status_code == 200
    assert referee.latest().amendments[-1].by == "the operator"


def test_a_move_opens_for_everybody(spectator: FlaskClient, referee: Referee) -> None:
    referee.ask(Do(HEXEL))
    move = spectator.get("/api/moves/5").get_json()
    assert (move["n"], move["said"]) == (5, ["Ana lays a card: Hexel, two edges."])
    assert spectator.get("/api/moves/6").status_code == 404
    assert spectator.get("/api/moves/0").get_json()["error"]["code"] == "not-found"


def test_what_a_move_might_have_been_is_worked_out_for_the_operator_alone(referee: Referee) -> None:
    app = create_app(referee, join_code=CODE, operator_pin="271828")
    joined, watcher = app.test_client(), app.test_client()
    joined.post("/api/join", json={"code": CODE})
    assert [client.get("/api/moves/2").get_json()["instead"] for client in (joined, watcher)] == [[], []]
    joined.post("/api/operator", json={"pin": "271828"})
    assert STAKE in [choice["command"] for choice in joined.get("/api/moves/2").get_json()["instead"]]


def test_a_picture_is_shown_with_what_was_recognised_drawn_on_it(referee: Referee) -> None:
    def drawn(jpeg: bytes, close: bool = False) -> bytes:
        return (b"close to " if close else b"drawn on ") + jpeg

    watcher = create_app(referee, join_code=CODE, parts=TableParts(drawn=drawn)).test_client()
    referee.ask(Propose(HEXEL, Evidence(b"a picture", 0.9)))
    assert watcher.get("/api/proposal/evidence.jpg").data == b"drawn on a picture"
    referee.ask(Confirm(referee.latest().version))
    assert watcher.get("/api/moves/5/evidence.jpg").data == b"drawn on a picture"
    assert watcher.get("/api/moves/5/evidence.jpg?close=1").data == b"close to a picture"
