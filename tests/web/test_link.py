"""Staying up to date in a real browser: a lost table is said and found again, and without events the page asks."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from companion.referee.messages import Do
from companion.referee.referee import Referee
from companion.web.app import create_app
from companion.web.server import Server, bind
from companion.web.streams import Pace

CODE = "ROSE42"
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
READY = "document.querySelector('.seat') && document.body.dataset.link == 'live'"

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run


def test_a_lost_table_is_said_and_found_again(referee: Referee, window: Any) -> None:
    listening = bind("127.0.0.1", 0)
    port = listening.getsockname()[1]
    server = Server(create_app(referee, join_code=CODE), listening)
    server.start()
    window.open(f"http://127.0.0.1:{port}/")
    window.wait_for(READY)
    server.stop()
    window.wait_for("document.getElementById('link-words').textContent == 'Connection lost'")
    referee.ask(Do(HEXEL))
    again = Server(create_app(referee, join_code=CODE), bind("127.0.0.1", port))
    again.start()
    try:
        window.wait_for("document.getElementById('link-words').textContent == 'Live'")
        window.wait_for("document.querySelector('#call .word').textContent == 'AnaHexel'")
    finally:
        window.open("about:blank")
        again.stop()


def test_another_table_at_the_same_address_is_shown_though_as_much_has_happened_there(
    table: Callable[..., Referee], window: Any
) -> None:
    """The browser asks for what came after the version that it has seen, which is the other table's too."""
    yesterdays, todays = table(), table(players=("Cy", "Dee"))
    assert yesterdays.latest().version == todays.latest().version
    listening = bind("127.0.0.1", 0)
    port = listening.getsockname()[1]
    server = Server(create_app(yesterdays, join_code=CODE), listening)
    server.start()
    window.open(f"http://127.0.0.1:{port}/?code={CODE}")
    window.wait_for(f"{READY} && document.getElementById('sit-0').textContent == 'Ana'")
    server.stop()
    again = Server(create_app(todays, join_code="ANOTHER"), bind("127.0.0.1", port))
    again.start()
    try:
        window.wait_for("document.querySelector('.seat .name').textContent == 'Cy'")
        window.wait_for("!document.getElementById('join').hidden && !document.getElementById('sit-0')")
    finally:
        window.open("about:blank")
        again.stop()


def sleep_and_wake(page: Any) -> None:
    """Put the phone away and take it up again."""
    for is_hidden in ("true", "false"):
        page.run(
            f"Object.defineProperty(document, 'hidden', {{ value: {is_hidden}, configurable: true }});"
            "document.dispatchEvent(new Event('visibilitychange'))"
        )


def test_a_phone_that_wakes_after_its_seat_went_to_another_asks_for_a_seat_anew(
    referee: Referee, window: Any, serve: Callable[[Flask], int]
) -> None:
    app = create_app(referee, join_code=CODE)
    window.open(f"http://127.0.0.1:{serve(app)}/?code={CODE}")
    window.wait_for(READY)
    window.run("document.getElementById('sit-0').click()")
    window.wait_for("document.querySelector('#turn .mine')")
    other = app.test_client()
    other.post("/api/join", json={"code": CODE})
    assert other.post("/api/seat/free", json={"player": "Ana"}).status_code == 200
    assert other.post("/api/seat", json={"player": "Ana"}).status_code == 200
    sleep_and_wake(window)
    window.wait_for("document.getElementById('sit-0')?.disabled && !document.querySelector('#turn .mine')")


@pytest.mark.parametrize("path", ["/", "/board"])
def test_a_page_left_open_over_an_update_of_the_table_comes_anew(
    path: str, referee: Referee, window: Any, serve: Callable[[Flask], int]
) -> None:
    app = create_app(referee, join_code=CODE)
    window.open(f"http://127.0.0.1:{serve(app)}{path}")
    window.wait_for(READY)
    window.run("document.body.dataset.old = 'yes'")
    sleep_and_wake(window)
    window.wait_for(READY)
    assert window.run("return document.body.dataset.old") == "yes", "the same page stays"
    app.url_default_functions[None] = [lambda endpoint, values: values.update(v="0123456789")]
    sleep_and_wake(window)
    window.wait_for(f"{READY} && !document.body.dataset.old")


def test_a_phone_that_slept_through_its_turn_plays_the_one_it_wakes_to(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    def sleep(is_hidden: bool) -> None:
        page.run(
            f"Object.defineProperty(document, 'hidden', {{ value: {str(is_hidden).lower()}, configurable: true }});"
            "document.dispatchEvent(new Event('visibilitychange'))"
        )

    page = visit(referee)
    page.run("document.getElementById('sit-0').click()")
    page.wait_for("document.querySelector('#turn .mine') && document.getElementById('do-0')")
    sleep(is_hidden=True)
    for player in ("Ana", "Bo"):
        referee.ask(Do({"cmd": "pass", "player": player}))
    page.run("document.getElementById('do-0').click()")
    page.wait_for("!document.getElementById('toast').hidden")
    assert len(referee.latest().moves) == 6, "a press for the turn that was slept through does not count for the next"
    sleep(is_hidden=False)
    page.wait_for(f"document.body.dataset.version == {referee.latest().version}")
    page.run("document.getElementById('do-0').click()")
    page.wait_for("!document.querySelector('#turn .mine')")
    assert len(referee.latest().moves) == 7


def test_without_live_events_the_page_asks_by_itself(
    referee: Referee, window: Any, serve: Callable[[Flask], int]
) -> None:
    port = serve(create_app(referee, join_code=CODE, pace=Pace(most=0)))
    window.open(f"http://127.0.0.1:{port}/")
    window.wait_for("document.querySelector('.seat')")
    referee.ask(Do(HEXEL))
    window.wait_for("document.querySelector('#call .word').textContent == 'AnaHexel'")
    assert window.run("return document.getElementById('link-words').textContent") == "Every few seconds"


@pytest.mark.parametrize("button", ["how", "open-5", "another-game", "lay-by-hand"])
def test_what_cannot_be_loaded_while_the_table_is_out_of_reach_is_said(
    button: str, referee: Referee, window: Any, serve: Callable[[Flask], int]
) -> None:
    port = serve(create_app(referee, join_code=CODE, operator_pin="271828"))
    window.open(f"http://127.0.0.1:{port}/?code={CODE}")
    referee.ask(Do(HEXEL))
    window.wait_for(f"{READY} && document.getElementById('open-5')")
    window.run("document.getElementById('pin').value = '271828'; document.getElementById('operate').click()")
    window.wait_for("document.getElementById('another-game')")
    window.forget_files()
    window.go_offline(True)
    try:
        window.run(f"document.getElementById('{button}').click()")
        window.wait_for("document.getElementById('toast').textContent.includes('cannot be reached')")
        assert not window.run("return document.getElementById('sheet').open")
    finally:
        window.go_offline(False)
    window.wait_for(READY)
    window.run(f"document.getElementById('{button}').click()")
    window.wait_for("document.getElementById('sheet').open || document.querySelector('[data-free]')")


def test_a_phone_that_is_out_of_reach_says_so_at_once(referee: Referee, visit: Callable[..., Any]) -> None:
    """Its stream stands open meanwhile, and nothing was told for half a minute."""
    page = visit(referee)
    page.go_offline(True)
    try:
        page.wait_for("document.body.querySelector('#link').dataset.link == 'lost'")
    finally:
        page.go_offline(False)
    page.wait_for(READY)


def visit_by_relay(way: Any, window: Any) -> None:
    """Open the page through a relay, on a phone that joins and is twenty times as impatient as others."""
    window.open(f"http://127.0.0.1:{way.port}/?code={CODE}")
    window.wait_for(READY)
    window.run("const within = AbortSignal.timeout; AbortSignal.timeout = (ms) => within.call(AbortSignal, ms / 20)")


def test_a_table_that_falls_silent_without_a_word_is_lost_on_the_page(
    referee: Referee, window: Any, serve: Callable[[Flask], int], relay: Callable[[int], Any]
) -> None:
    """An access point without power closes no connection: whoever waits for an answer waits for minutes."""
    way = relay(serve(create_app(referee, join_code=CODE)))
    visit_by_relay(way, window)
    way.lose_all()
    window.run("const now = Date.now.bind(Date); Date.now = () => now() + 40_000")  # three signs of life were missed
    window.wait_for("document.getElementById('link-words').textContent == 'Connection lost'")
    referee.ask(Do(HEXEL))
    way.pass_again()
    window.wait_for("document.getElementById('link-words').textContent == 'Live'")
    window.wait_for("document.querySelector('#call .word').textContent == 'AnaHexel'")


def test_a_press_that_nothing_answers_is_said_to_have_reached_nobody_and_counts_once(
    referee: Referee, window: Any, serve: Callable[[Flask], int], relay: Callable[[int], Any]
) -> None:
    way = relay(serve(create_app(referee, join_code=CODE)))
    visit_by_relay(way, window)
    window.run("document.getElementById('sit-0').click()")
    window.wait_for("document.querySelector('#turn .mine') && document.getElementById('do-0')")
    before = len(referee.latest().moves)
    way.lose_all()
    window.run("document.getElementById('do-0').click()")
    window.wait_for("document.getElementById('toast').textContent.includes('cannot be reached')")
    way.pass_again()
    window.wait_for("document.getElementById('link-words').textContent == 'Live'")
    window.run("document.querySelector('#turn .mine') && document.getElementById('do-0').click()")
    window.wait_for("!document.querySelector('#turn .mine')")
    assert len(referee.latest().moves) == before + 1


def test_a_phone_that_finds_every_seat_taken_is_told(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    state, me = "{ players: { Ana: 1, Bo: 1 } }", "{ joined: true, seat: null, taken: ['Ana', 'Bo'] }"
    shown = page.asynchronous(
        "const [done] = arguments;"
        f"import('/static/people.js').then(({{ seatChoice }}) => done(seatChoice({state}, {me}).textContent))"
    )
    assert shown == "Every seat is claimed by another phone."
