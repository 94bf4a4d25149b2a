"""The hub's pages in a real browser: nothing in the console, no serious fault by axe-core, no sideways scrolling."""

import html
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask

from companion.hub.link import broker_at
from companion.hub.messages import Address
from companion.hub.pages.web import MAX_STREAMS, create_hub_app
from companion.hub.running import HubServer
from companion.hub.service import Hub
from companion.hub.snapshot import retell
from companion.hub.store import Store
from companion.hub.tournaments.director import Director
from companion.views.translations import LANGUAGES
from companion.views.words import catalogue, phrase, speaking
from companion.web.server import bind

PIN = "271828"
SNAPSHOT: dict[str, Any] = {
    "game": "0001-0badcafe", "line": 3, "kind": "hexel", "players": ["Ana", "Bo"], "phase": "play", "turn": "Ana",
    "moves": 2, "call": {"word": "Hexla", "player": "Bo"}, "said": "", "pot": {"name": "Pot", "amount": 40},
    "measures": {"Ana": 100, "Bo": 60}, "proposal": None,
    "notices": [{"code": "camera-lost", "text": "The camera is lost."}], "camera": "lost", "over": False,
    "version": 3, "sent": 1.0,
}  # fmt: skip
TOURNAMENT = {"title": "Autumn", "slug": "autumn", "game": "hexel", "rounds": 3}
PLAYERS = ["Ana", "Bo", "Cy", "Dee", "W" * 40]

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    store = Store(f"sqlite:///{tmp_path / 'hub.db'}")
    yield Hub(broker_at("mqtt://127.0.0.1", "hub"), store, answer_within_s=0.01)  # there are no tables to answer
    store.close()


@pytest.fixture
def app(hub: Hub) -> Flask:
    """The pages of a hub of three tables, and of a tournament whose first round is paired."""
    for number in range(1, 4):
        hub.hall.put(Address("hall", f"table-{number:02}"), SNAPSHOT)
    app = create_hub_app(hub, Director(hub), pin=PIN)
    operator = app.test_client()
    assert operator.post("/api/pin", json={"pin": PIN}).status_code == 200
    made = operator.post("/api/tournaments", json=TOURNAMENT)
    assert made.status_code == 200, made.text
    for player in PLAYERS:
        assert (
            operator.post(f"/api/tournaments/{made.json['slug']}/register", json={"name": player}).status_code == 200
        ), player
    assert operator.post("/api/tournaments/autumn/pair", json={}).status_code == 200
    return app


@pytest.fixture
def address(app: Flask) -> Iterator[str]:
    """Where the pages are served."""
    listening = bind("127.0.0.1", 0)
    server = HubServer(app, listening)
    server.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.stop()


def test_two_hundred_tables_are_legible_and_no_alarm_is_hidden_unsaid(hub: Hub, address: str, window: Any) -> None:
    for number in range(4, 201):
        alarms = SNAPSHOT["notices"] if number % 17 == 0 else []
        camera = "lost" if alarms else "ok"
        hub.hall.put(Address("hall", f"table-{number:02}"), {**SNAPSHOT, "notices": alarms, "camera": camera})
    window.screen(1920, 1080)
    window.open(address)
    window.wait_for("document.querySelectorAll('#tables .table').length == 200")
    assert window.run("return [...document.querySelectorAll('.name')].slice(8, 10).map((e) => e.textContent)") == [
        "09",
        "10",
    ]
    assert window.run("return parseFloat(getComputedStyle(document.querySelector('.word')).fontSize)") >= 13
    cut = "(e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1"
    assert window.run(f"return [...document.querySelectorAll('.table .word, .table')].filter({cut}).length") == 0
    assert window.run(f"return [document.getElementById('alarms')].filter({cut}).length") == 0
    assert window.run("return document.querySelector('#alarms .more').textContent") == "+6"


def open_desk(window: Any, address: str) -> None:
    """Let the browser be the desk's."""
    window.open(f"{address}/tournaments")
    window.asynchronous(
        "const done = arguments[0]; fetch('/api/pin', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        f" body: JSON.stringify({{pin: '{PIN}'}})}}).then(() => done())"
    )


def test_a_display_without_a_place_for_a_stream_keeps_asking(app: Flask, hub: Hub, address: str, window: Any) -> None:
    streams = app.extensions["companion"].streams
    for _ in range(MAX_STREAMS):
        streams.enter("127.0.0.1")
    window.open(address)
    window.wait_for("document.querySelectorAll('#tables .table').length == 3")
    window.wait_for("document.querySelector('#link').dataset.link == 'asking'")
    hub.hall.put(Address("hall", "table-04"), SNAPSHOT)
    window.wait_for("document.querySelectorAll('#tables .table').length == 4")
    streams.leave("127.0.0.1")
    window.wait_for("document.querySelector('#link').dataset.link == 'live'")


def test_a_display_whose_hub_falls_silent_without_a_word_says_so_and_finds_it_again(
    hub: Hub, address: str, window: Any, relay: Callable[[int], Any]
) -> None:
    """A hub without power closes no connection: the display would be as it was, and live, until somebody wonders."""
    way = relay(int(address.rpartition(":")[2]))
    window.open(f"http://127.0.0.1:{way.port}/")
    window.wait_for("document.querySelector('#link').dataset.link == 'live'")
    way.lose_all()
    window.run("const now = Date.now.bind(Date); Date.now = () => now() + 40_000")  # three signs of life were missed
    window.wait_for("document.querySelector('#link').dataset.link == 'lost'")
    hub.hall.put(Address("hall", "table-04"), SNAPSHOT)
    way.pass_again()
    window.wait_for("document.querySelectorAll('#tables .table').length == 4")
    window.wait_for("document.querySelector('#link').dataset.link == 'live'")


LOSE = """
const ask = window.fetch;
let answers = arguments[0];
window.fetch = async (...asked) => {
  if (answers < 0) throw new TypeError("Failed to fetch");
  const answer = await ask(...asked);
  if (answers-- > 0) throw new TypeError("Failed to fetch");
  return answer;
};
"""
"""Loses so many answers on their way back; a negative number, whatever is sent."""
TOLD = "!document.querySelector('#told').hidden && document.querySelector('#told').textContent"


def register_in(window: Any, address: str, name: str, lost: int) -> None:
    window.open(f"{address}/tournaments/autumn/join")
    window.run(LOSE.replace("arguments[0]", str(lost)))
    window.run(f"document.querySelector('input[name=name]').value = '{name}'")
    window.run("document.querySelector('main form button').click()")


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_page_without_a_network_says_so_in_its_language(language: str, address: str, window: Any) -> None:
    window.ask_in(language)
    register_in(window, address, "Ana too", -1)
    window.wait_for(TOLD)
    assert window.run(f"return {TOLD}") == catalogue(language)["hub"]["unreachable"]


def test_who_presses_again_after_a_lost_answer_is_registered_once(app: Flask, address: str, window: Any) -> None:
    register_in(window, address, "Ana too", 1)
    window.wait_for(TOLD)
    window.run("document.querySelector('main form button').click()")
    window.wait_for(f"({TOLD} || '').startsWith('Welcome, Ana too.')")
    entrants = app.test_client().get("/api/tournaments/autumn").json["entrants"]
    assert [entrant["name"] for entrant in entrants] == [*PLAYERS, "Ana too"]


PATHS = ("/", "/desk", "/desk/hall/table-01", "/tournaments", "/tournaments/autumn", "/tournaments/autumn/join",
         "/tournaments/autumn/sheet")  # fmt: skip


@pytest.mark.parametrize(
    "path, language", [*((path, "en") for path in PATHS), *zip(PATHS, (*LANGUAGES[1:], "de"), strict=True)]
)
def test_a_page_of_the_hub_has_no_serious_fault(
    path: str, language: str, address: str, window: Any, faults: Callable[[], list[str]]
) -> None:
    open_desk(window, address)
    window.ask_in(language)
    window.open(address + path)
    assert window.run("return document.documentElement.lang") == language
    window.wait_for("document.readyState == 'complete' && !document.querySelector('#link[data-link=lost]')")
    if path == "/":
        window.wait_for("document.querySelectorAll('#tables .table').length == 3")
    assert faults() == []
    window.screen(320, 640)
    assert window.run("return document.documentElement.scrollWidth") <= 320
    assert window.run("return Math.max(0, ...[...document.querySelectorAll('nav a')].map((a) => a.offsetHeight))") < 60
    window.screen(1280, 800)
    assert window.run("return [...document.querySelectorAll('.card')].every((c) => c.scrollWidth <= c.clientWidth)")
    assert window.complaints() == []


@pytest.mark.parametrize("path", ["/desk/hall/table-01", "/tournaments/none", "/none"])
def test_who_is_turned_away_finds_the_way_to_what_there_is(path: str, address: str, window: Any) -> None:
    """A page that asks for the PIN led nowhere where it could be entered."""
    window.ask_in("de")
    window.open(address + path)
    words = catalogue("de")["hub"]
    links = "[...document.querySelectorAll('nav a')].map((a) => [a.textContent, new URL(a.href).pathname])"
    assert window.run(f"return {links}") == [
        [words["hall"], "/"],
        [words["tournaments"], "/tournaments"],
        [words["desk"], "/desk"],
    ]
    window.complaints()


def test_why_a_game_is_not_on_its_table_is_read_in_few_lines(app: Flask, address: str, window: Any) -> None:
    """It stood in a column as narrow as the table's name, a word a line."""
    desk = app.test_client()
    desk.post("/api/pin", json={"pin": PIN})
    assert desk.post("/api/tournaments/autumn/seat", json={"board": 1, "table": "table-02"}).status_code == 200
    window.ask_in("de")
    window.open(f"{address}/tournaments/autumn")
    lines = "(e) => Math.round(e.offsetHeight / parseFloat(getComputedStyle(e).lineHeight))"
    shown = window.run(f"return [...document.querySelectorAll('td .alarm')].map({lines})")
    assert shown and max(shown) <= 2


@pytest.mark.parametrize("size", [17, 34])
def test_a_long_title_and_large_text_fit_a_small_phone(size: int, app: Flask, address: str, window: Any) -> None:
    desk = app.test_client()
    desk.post("/api/pin", json={"pin": PIN})
    long = {**TOURNAMENT, "title": "Frühlingsmannschaftsmeisterschaft", "slug": "long"}
    assert desk.post("/api/tournaments", json=long).status_code == 200
    open_desk(window, address)
    window.ask_in("de")
    window.screen(320, 640)
    for path in ("/desk", "/tournaments", "/tournaments/long", "/tournaments/long/join"):
        window.open(address + path)
        window.run(f"document.documentElement.style.fontSize = '{size}px'")
        assert window.run("return document.documentElement.scrollWidth") <= 320, path
        cut = """return [...document.querySelectorAll('nav a, h1, h1 ~ p, .list li, .qr img')]
          .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth
            || part.getBoundingClientRect().right > 307).map((part) => part.outerHTML)"""
        assert window.run(cut) == [], path


@pytest.mark.parametrize("width, height", [(360, 740), (740, 360)])
def test_the_hall_is_read_on_a_phone(width: int, height: int, hub: Hub, address: str, window: Any) -> None:
    """It filled the phone's screen as it does a projector's: in letters of seven pixels, its amounts cut off."""
    pot = {"name": "Trinovat", "amount": 1450}
    for number in range(4, 13):
        hub.hall.put(Address("hall", f"table-{number:02}"), {**SNAPSHOT, "pot": pot})
    window.screen(width, height)
    window.open(address)
    window.wait_for("document.querySelectorAll('#tables .table').length == 12")
    assert window.run("return document.documentElement.scrollWidth") <= width
    small = """return [...document.querySelectorAll('main *')].filter((part) =>
      [...part.childNodes].some(({ nodeType }) => nodeType == 3)
      && parseFloat(getComputedStyle(part).fontSize) < 13).map((part) => part.outerHTML)"""
    assert window.run(small) == []
    cut = """return [...document.querySelectorAll('#pot .large, #alarms, #tables .table, #tables .standing, main')]
      .filter((part) => part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1)
      .map((part) => part.outerHTML)"""
    assert window.run(cut) == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_desk_says_nothing_of_a_game_that_is_not_kept(language: str, address: str, window: Any) -> None:
    open_desk(window, address)
    window.ask_in(language)
    window.open(f"{address}/desk/hall/table-01")
    told = window.run("return [...document.querySelectorAll('main > p:not([hidden])')].map((p) => p.textContent)")
    assert told == [catalogue(language)["hub"]["nothing-kept"]]


LAID = {"event": "connection", "kind": "dragon", "length": 3, "player": "Ana", "scores": {"Ana": 3}}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_happened_at_a_table_is_told_in_the_language_of_the_screen(
    language: str, hub: Hub, address: str, window: Any
) -> None:
    """The display of a hall was half in its own language, half in that of each table."""
    said = {"said": "Dragon of 3: 3 to Ana.", "call": {"word": "Dragon", "player": "Ana"}, "moves": 9}
    hub.hall.put(Address("hall", "table-02"), {**SNAPSHOT, **said, "events": [LAID]})
    hub.hall.put(Address("hall", "table-03"), {**SNAPSHOT, "said": "As the table says it.", "call": None,
                                               "events": [{"event": "connection"}]})  # fmt: skip
    with speaking(language):
        sentence, word = retell([LAID]) or ("", None)
    window.ask_in(language)
    window.open(address)
    window.wait_for("document.querySelectorAll('#tables .table').length == 3")
    shown = window.run("return [...document.querySelectorAll('#call .large, #call .by, #tables .word')]"
                       ".map((part) => part.textContent)")  # fmt: skip
    large, by, _, second, third = shown
    assert (large, second, third) == (word, f"{word}Ana", "As the table says it.")
    assert by.endswith(f" · {sentence}")
    if language == "de":
        assert sentence != said["said"]
    hub.hall.put(
        Address("hall", "table-02"), {**SNAPSHOT, "call": None, "events": [{"event": "passed", "player": "Bo"}]}
    )
    with speaking(language):
        passed = phrase("events", "passed", player="Bo")
    window.wait_for(f"document.querySelectorAll('#tables .word')[1].textContent == {passed!r}")


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_lost_camera_is_told_in_the_language_of_the_screen(language: str, address: str, window: Any) -> None:
    """The table says it in its own."""
    said = catalogue(language)["notices"]["camera-lost"].format(text="The camera is lost.")
    open_desk(window, address)
    window.ask_in(language)
    window.open(f"{address}/desk")
    alarms = "[...document.querySelectorAll('{}')].map((alarm) => alarm.textContent.trim())"
    heading = catalogue(language)["hall"]["alarm-camera"]
    assert window.run(f"return {alarms.format('li .alarm')}") == 3 * [f"{heading}: {said}"]
    window.open(address)
    window.wait_for("document.querySelectorAll('#alarms .alarm span').length == 3")
    assert window.run(f"return {alarms.format('#alarms .alarm span')}") == 3 * [said]


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_the_hub_speaks_the_language_of_the_browser_that_asks(language: str, address: str) -> None:
    words = catalogue(language)
    for path, said in {
        "/": words["hall"]["part-tables"],
        "/desk": words["hub"]["desk"],
        "/tournaments": words["hub"]["tournaments"],
        "/tournaments/autumn": words["hub"]["standings"],
        "/tournaments/autumn/join": words["hub"]["your-name"],
    }.items():
        request = urllib.request.Request(address + path, headers={"Accept-Language": language})
        with urllib.request.urlopen(request) as answer:
            page = html.unescape(answer.read().decode())
        assert f'<html lang="{language}" dir="ltr">' in page
        assert said in page, path
