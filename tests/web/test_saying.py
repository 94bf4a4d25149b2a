"""What the page says at the right time and of the right player: instructions, totals, presses, places, the camera."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from companion.referee.messages import Begin, Confirm, Do, Evidence, Notice, Propose
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.views.phrases import sentence
from companion.views.reasons import refusal_for_people
from companion.web.app import create_app

CODE = "ROSE42"
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
SET = {"cmd": "set", "player": "Ana", "pot": "Desten", "cards": [[4, 5, 10], [5, 5, 9]]}

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run


def text(page: Any, part: str) -> str:
    return str(page.run(f"return document.querySelector('{part}').textContent"))


def test_another_game_brings_its_own_instruction(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    assert "Lay a card, or pass." in text(page, "#turn")
    referee.ask(Begin(Header("hexapod", ("Ana", "Bo"))))
    page.wait_for("document.body.dataset.game == 'hexapod'")
    assert "Lay a card in your case" in text(page, "#turn")


def test_the_points_of_a_case_add_up_with_its_coins(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("hexapod", ("Ana", "Bo"))))
    card = {"cells": [["blue", "blue"], ["gold", "gold"]]}
    referee.ask(Do({"cmd": "play", "player": "Ana", "row": 0, "col": 0, "card": card}))
    page = visit(referee)
    parts = page.run("return [...document.querySelectorAll('.seat:first-child .pot')].map((p) => p.innerText)")
    total = int(text(page, ".seat:first-child .main b"))
    in_case = next(int(part.split()[-1]) for part in parts if part.startswith("In the case"))
    coins = next(int(part.split()[-1]) for part in parts if part.startswith("Coins"))
    assert in_case + 2 * coins == total
    assert f"now {in_case} in the case" in text(page, "#call")


def test_the_live_page_and_the_past_page_have_one_total(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    live = page.run("return [...document.querySelectorAll('.seat .main b')].map((b) => b.textContent)")
    past = create_app(referee, join_code=CODE).test_client().get("/past/1").get_data(as_text=True)
    assert live == ["100", "100"]
    assert re.findall(r'</th><td class="number">(\d+)</td>', past.split("</tbody>")[0]) == live


def test_whoever_wins_nothing_is_not_said_to_win_0() -> None:
    won = {"event": "won", "player": "Ana", "amount": 0, "by": "last-in"}
    assert sentence(won) == "Ana wins as the last one in."
    assert sentence({**won, "amount": 6}) == "Ana wins 6 as the last one in."


def test_a_set_that_the_camera_read_lies_face_up(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("comet", ("Ana", "Bo"))))
    referee.ask(Do({"cmd": "round", "player": "Ana"}))
    referee.ask(Propose(SET, Evidence(b"", 0.9)))
    referee.ask(Confirm(referee.latest().version))
    page = visit(referee)
    assert "4 5 10" in text(page, ".comet-pot .faces")
    referee.ask(Do({**SET, "player": "Bo", "cards": [[2, 3, 4], [6, 8, 9]]}))
    page.wait_for("document.querySelectorAll('.comet-pot .faces').length == 2")
    assert page.run("return document.querySelectorAll('.triple.down').length") == 2


@pytest.mark.parametrize("seen", [0, 1])
def test_of_two_sets_against_the_tail_only_the_one_that_the_camera_read_lies_face_up(
    referee: Referee, visit: Callable[..., Any], seen: int
) -> None:
    referee.ask(Begin(Header("comet", ("Ana", "Bo"))))
    referee.ask(Do({"cmd": "round", "player": "Ana", "tail": True}))
    sets = [{**SET, "pot": "tail"}, {**SET, "pot": "tail", "cards": [[2, 3, 4], [6, 8, 9]]}]
    for number, laid in enumerate(sets):
        if number == seen:
            referee.ask(Propose(laid, Evidence(b"", 0.9)))
            referee.ask(Confirm(referee.latest().version))
        else:
            referee.ask(Do(laid))
    page = visit(referee)
    faces = "[...document.querySelectorAll('.is-tail .triple')].map((face) => face.textContent)"
    told = [" ".join(map(str, card)) for card in sets[seen]["cards"]]
    assert page.run(f"return {faces}") == (["", "", *told] if seen else [*told, "", ""])


def test_an_ended_recording_is_not_live(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    assert text(page, "#link-words") == "Live"
    referee.ask(Notice("camera-ended", "The recording has come to its end."))
    page.wait_for("document.getElementById('link-words').textContent == 'Recording over'")
    referee.ask(Notice("camera-ended", None))
    page.wait_for("document.getElementById('link-words').textContent == 'Live'")


def test_a_press_for_another_says_whose_it_is(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    assert text(page, "#do-0") == "Ana: Pass"
    page.run("document.getElementById('sit-0').click()")
    page.wait_for("document.getElementById('do-0')?.textContent == 'Pass'")


def test_a_finger_on_its_way_does_not_press_the_button_that_has_just_come(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    page.run("document.getElementById('do-0').scrollIntoView({block: 'center'})")
    x, y = page.run(
        "const r = document.getElementById('do-0').getBoundingClientRect();"
        "return [r.x + r.width / 2, r.y + r.height / 2]"
    )
    page.run(
        "const old = document.getElementById('do-0').textContent;"
        "window.changed = new Promise((done) => new MutationObserver(() => {"
        " if (document.getElementById('do-0')?.textContent !== old) done(true); })"
        ".observe(document.getElementById('actions'), { childList: true, subtree: true }))"
    )
    referee.ask(Do({"cmd": "pass", "player": "Ana"}))
    page.asynchronous("window.changed.then(arguments[0])")
    page.tap(x, y)
    assert [move.command["cmd"] for move in referee.latest().moves[4:]] == ["pass"]
    page.asynchronous("setTimeout(arguments[0], 500)")
    page.tap(x, y)
    page.wait_for("document.getElementById('call').textContent.includes('Bo passes')")


def test_a_press_meant_for_another_is_refused(phone: Any, referee: Referee) -> None:
    referee.ask(Propose(HEXEL, Evidence(b"", 0.9)))
    answer = phone.post("/api/confirm", json={"player": "Bo"})
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (409, "stale")
    assert phone.post("/api/confirm", json={"player": "Ana"}).status_code == 200


def test_no_sentence_names_a_place_that_nobody_sees(phone: Any, referee: Referee) -> None:
    mismatch = phone.post("/api/commands", json={**HEXEL, "edges": ["red"] * 6}).get_json()["error"]
    assert mismatch["message"] == "The symbols do not match at the lower left and lower right edge."
    for cell in ([0, 0], [5, 5]):
        message = phone.post("/api/commands", json={**HEXEL, "cell": cell}).get_json()["error"]["message"]
        assert "(" not in message
    referee.ask(Do(HEXEL))
    assert "(" not in " ".join(phone.get("/api/state").get_json()["why"])
    assert (
        refusal_for_people({"code": "off-board", "message": "(9, 9) is off the board"})["message"]
        == "That is off the board."
    )
