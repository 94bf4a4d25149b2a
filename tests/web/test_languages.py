"""Every phone in its own language: asked for by its browser or chosen on it, sentences and refusals too."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

import companion
from companion.referee.messages import Begin, Do
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.views.translations import LANGUAGES

READY = "document.querySelector('.seat') && document.body.dataset.link == 'live'"

CHOOSE = (
    "const done = arguments[0]; fetch('/api/language', { method: 'POST',"
    " headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ language: '%s' }) }).then(() => done(1))"
)

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}


def test_a_phone_is_spoken_to_in_the_language_its_browser_asks_for(referee: Referee, spectator: FlaskClient) -> None:
    referee.ask(Do({"cmd": "pass", "player": "Ana"}))
    told = spectator.get("/api/state", headers=GERMAN).get_json()
    assert told["said"] == ["Ana passt."]
    assert spectator.get("/api/state").get_json()["said"] == ["Ana passes."]
    page = spectator.get("/", headers=GERMAN).get_data(as_text=True)
    assert '<html lang="de" dir="ltr">' in page
    assert "To the players" not in page


def test_everybodys_screen_speaks_the_tables_language(referee: Referee, spectator: FlaskClient) -> None:
    assert '<html lang="en"' in spectator.get("/board", headers=GERMAN).get_data(as_text=True)
    referee.ask(Do({"cmd": "pass", "player": "Ana"}))
    assert spectator.get("/api/state?lang=table", headers=GERMAN).get_json()["said"] == ["Ana passes."]


def test_all_of_everybodys_screen_is_in_one_language(referee: Referee, visit: Callable[..., Any]) -> None:
    """Its page was in the table's language, and what it then asked for in its browser's."""
    page = visit(referee)
    page.ask_in("de")
    page.open(page.run("return location.origin") + "/board")
    page.wait_for("document.querySelector('.seat')")
    referee.ask(Do({"cmd": "pass", "player": "Ana"}))
    page.wait_for("document.getElementById('call').textContent.includes('Ana passes.')")


def test_a_language_that_there_is_not_is_refused(referee: Referee, spectator: FlaskClient) -> None:
    assert spectator.post("/api/language", json={"language": "xx"}).status_code == 400


def test_what_is_refused_and_played_is_told_in_the_phones_language(referee: Referee, phone: FlaskClient) -> None:
    answer = phone.post("/api/commands", json={"cmd": "pass", "player": "Bo"}, headers=GERMAN)
    assert answer.get_json()["error"]["message"] == "Jemand anders ist am Zug."
    change = {"at": 2, "replaced": 1, "commands": [{"cmd": "stake", "player": "Ana", "amount": 4}]}
    answer = phone.post("/api/correct", json=change, headers=GERMAN)
    assert answer.get_json()["error"]["message"].startswith("Zug 3 wäre dann nicht mehr erlaubt: Diesen Betrag")
    assert "Frühere Spiele" in phone.get("/past", headers=GERMAN).get_data(as_text=True)
    topics = phone.get("/api/howto/hexel", headers=GERMAN).get_json()["topics"]
    assert topics[0]["title"] == "Das Ziel"


def test_what_the_door_and_the_set_up_refuse_is_told_in_the_phones_language(
    referee: Referee, spectator: FlaskClient, phone: FlaskClient
) -> None:
    refused = spectator.post("/api/join", json={"code": "WRONG1"}, headers=GERMAN).get_json()["error"]
    assert (refused["code"], refused["message"]) == ("wrong-code", "Das ist nicht der Beitrittscode dieses Tisches.")
    twice = {"header": {"record": 1, "game": "comet", "players": ["Ana", "Ana"]}}
    refused = phone.post("/api/next", json=twice, headers=GERMAN).get_json()["error"]
    assert (refused["code"], refused["message"][:32]) == ("bad-header", "So kann kein Spiel beginnen: Bit")


def test_a_language_is_chosen_on_the_phone_and_kept(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    page.run(
        "document.getElementById('this-phone').open = true; const list = document.getElementById('language');"
        "list.value = 'de'; list.dispatchEvent(new Event('change'));"
    )
    page.wait_for("document.documentElement.lang == 'de' && document.querySelector('.seat')")
    referee.ask(Do({"cmd": "pass", "player": "Ana"}))
    page.wait_for("document.getElementById('call').textContent.includes('Ana passt.')")
    page.open(page.run("return location.origin") + "/past")
    page.wait_for("document.documentElement.lang == 'de'")
    page.asynchronous(CHOOSE % "en")  # the browser's cookies outlive this test


HEADERS = (
    Header("hexel", ("W" * 40, "Bo"), "36"),
    Header("hexdragon", ("W" * 40, "Bo", "Cy")),
    Header("comet", ("W" * 40, "Bo", "Cy")),
    Header("hexapod", ("W" * 40, "Bo")),
)


LAID = {
    "comet": (
        {"cmd": "round", "player": "W" * 40},
        {"cmd": "set", "player": "W" * 40, "pot": "Kinro", "cards": [[9, 9, 9]]},
    )
}
SQUEEZED = """
const beyond = (one) => one.scrollWidth - one.offsetWidth;
const seats = [...document.querySelectorAll('.seat')].filter((seat) => {
  const [name, badges, main] = ['.name', '.badges', '.main'].map((part) => seat.querySelector(part));
  return (beyond(name) > 0 && name.offsetWidth < 60)
    || badges.getBoundingClientRect().right > main.getBoundingClientRect().left;
});
const isBeyond = (one) => one.offsetWidth > one.closest('.comet-pot').clientWidth;
const sets = [...document.querySelectorAll('.laid')].filter(isBeyond);
const [turn, after] = document.querySelector('.now:not(.all)')?.childNodes ?? [];
const glued = [];
if (turn?.matches('b') && /^\\s/.test(after.textContent)) {
  const words = document.createRange();
  words.setStart(after.firstChild, after.textContent.search(/\\S/));
  words.setEnd(after.firstChild, after.textContent.length);
  if (words.getBoundingClientRect().left - turn.getBoundingClientRect().right < 3) glued.push(turn.parentNode);
}
return [...seats, ...sets, ...glued].map((one) => one.textContent);
"""
"""What runs into its neighbour or leaves a name no room."""
WIDTH_OPENED = """
document.querySelectorAll('details').forEach((part) => (part.open = true));
return document.documentElement.scrollWidth;
"""


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header.game)
def test_no_language_is_wider_than_a_small_phone(
    header: Header, referee: Referee, window: Any, visit: Callable[..., Any]
) -> None:
    referee.ask(Begin(header))
    for command in LAID.get(header.game, ()):
        referee.ask(Do(command))
    window.screen(320, 640)
    page = visit(referee)
    here = page.run("return location.origin")
    wide = {}
    same = ("/past/players", "/calibrate") if header is HEADERS[0] else ()  # whatever is played
    for one in (*LANGUAGES[1:], "en"):
        page.asynchronous(CHOOSE % one)
        for path in ("/past", "/past/2", *same, "/"):
            page.open(here + path)
            page.wait_for(f"document.documentElement.lang == '{one}'" + (f" && {READY}" if path == "/" else ""))
            if path == "/" and (squeezed := page.run(SQUEEZED)):
                wide[one, "squeezed"] = squeezed
            if (width := page.run(WIDTH_OPENED)) > 320:
                wide[one, path] = width
        page.run("document.getElementById('how').click()")
        page.wait_for("document.querySelectorAll('#sheet .topic').length > 3")
        if (width := page.run("return document.getElementById('sheet').scrollWidth")) > 320:
            wide[one, "how"] = width
    assert wide == {}


PHYSICAL = re.compile(
    r"(?<![\w-])(?:(?:margin|padding|border)-(?:left|right)|float: (?:left|right)|text-align: (?:left|right))"
)


def test_no_style_names_a_side_that_turns_with_the_writing() -> None:
    house = Path(companion.__file__).parent
    styles = [path for path in house.rglob("*.css") if "node_modules" not in path.parts]
    assert len(styles) > 10
    assert {
        str(path.relative_to(house)): found for path in styles if (found := PHYSICAL.findall(path.read_text()))
    } == {}


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header.game)
def test_a_page_that_is_written_from_right_to_left_is_no_wider(
    header: Header, referee: Referee, window: Any, visit: Callable[..., Any]
) -> None:
    referee.ask(Begin(header))
    window.screen(320, 640)
    page = visit(referee)
    here = page.run("return location.origin")
    wide = {}
    for path in ("/", "/past", "/past/2", "/past/players"):
        page.open(here + path)
        page.wait_for(READY if path == "/" else "document.readyState == 'complete'")
        page.run("document.documentElement.dir = 'rtl'")
        if (width := page.run(WIDTH_OPENED)) > 320:
            wide[path] = width
    assert wide == {}
