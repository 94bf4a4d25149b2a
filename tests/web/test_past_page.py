"""The pages of past games in a real browser: they fit every screen by day and night, and paper of both sizes."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from flask import Flask

from companion.referee.messages import Begin, Do
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header
from companion.web.app import create_app

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

CODE = "ROSE42"
A4, LETTER = (8.27, 11.69), (8.5, 11.0)
LONG = ("Maximiliane-Charlotte von Hohenfels", "Konstantinopolitanischerdudelsackpfeifer", "Ana", "Bo", "Cy", "Dee")
PATHS = ("/past", "/past/players", "/past/1", "/past/2", "/past/3")
OUTSIDE = """
return [...document.querySelectorAll('main *:not(svg *, .wide *)')].filter((e) => e.getClientRects().length
  && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 90));
"""
"""What sticks out to the right of the screen; a wide table scrolls in a frame of its own."""

pages = re.compile(rb"/Type\s*/Page\b")


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Referee]:
    """Six people with long names play Hex'el, then as many Seven Card Comet, two of them Hexapod; many moves each."""
    header = Header("hexel", LONG, "36")
    referee = open_table(tmp_path_factory.mktemp("evening"), header, header, press_gap_s=0.0)
    referee.start()
    play(referee, 60)
    referee.ask(Begin(Header("comet", LONG)))
    play(referee, 90)
    referee.ask(Begin(Header("hexapod", LONG[:2])))
    play(referee, 20)
    yield referee
    referee.stop()


def play(referee: Referee, moves: int) -> None:
    """Play on by commands that the rules list, those first that say most, no one ending the game."""
    for n in range(moves):
        session = referee.latest()
        listed = [command for command in session.game.legal(session.state) if command["cmd"] not in ("stop", "pass")]
        if listed:
            referee.ask(Do(listed[n * 7 % len(listed)]))
        elif (step := session.game.next_step(session.state)) is not None:
            referee.ask(Do(step))


@pytest.fixture
def address(evening: Referee, serve: Callable[[Flask], int]) -> str:
    return f"http://127.0.0.1:{serve(create_app(evening, join_code=CODE))}"


@pytest.mark.parametrize("width", [320, 390, 1920])
def test_nothing_sticks_out_by_day_or_by_night(width: int, address: str, window: Any) -> None:
    for path in PATHS:
        window.open(address + path)
        window.run("document.querySelectorAll('details').forEach((part) => (part.open = true))")
        for dark in (False, True):
            window.screen(width, 800, dark=dark)
            assert window.run("return document.documentElement.scrollWidth") <= width, path
            assert window.run(OUTSIDE) == [], path
    assert window.complaints() == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_games_won_and_chips_are_in_view_on_a_phone(language: str, address: str, window: Any) -> None:
    """Their headings made the tables wider than the phone, which does not say that they scroll."""
    window.screen(360, 740)
    window.ask_in(language)
    for path in ("/past/players", "/past/3"):
        window.open(address + path)
        beyond = "return [...document.querySelectorAll('.wide')].map((w) => w.scrollWidth - w.clientWidth)"
        assert max(window.run(beyond)) <= 0, path


BROKEN = """
const word = document.createRange(), broken = [];
const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const node = texts.currentNode;
  if (!node.parentElement.closest('h1, h2, thead th, .turns p, .turns .n, .turns li')) continue;
  if (node.parentElement.closest('svg, details:not([open])')) continue;
  for (const { 0: text, index } of node.data.matchAll(/[\\p{L}\\d]+/gu)) {
    word.setStart(node, index), word.setEnd(node, index + text.length);
    const lines = new Set([...word.getClientRects()].map(({ top }) => Math.round(top)));
    if (text.length < 16 && lines.size > 1) broken.push(text);
  }
}
return broken;
"""
"""Words of headings and of what turned the game that stand on more than one line."""


@pytest.mark.parametrize("language, size", [("en", 17), ("de", 17), ("pl", 17), ("de", 34)])
def test_no_heading_breaks_a_word_on_a_phone(language: str, size: int, address: str, window: Any) -> None:
    """The tables said Chip s, Chang e and Wo n."""
    window.ask_in(language)
    for width in (320, 360):
        window.screen(width, 740)
        for path in PATHS:
            window.open(address + path)
            window.run(f"document.documentElement.style.fontSize = '{size}px'")
            assert window.run(BROKEN) == [], (path, width)
            assert window.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("path", ["/past/1", "/past/2", "/past/3"])
def test_a_game_prints_on_one_sheet_of_either_size(path: str, address: str, window: Any) -> None:
    window.open(address + path)
    assert [len(pages.findall(window.printed(*paper))) for paper in (A4, LETTER)] == [1, 1]


def test_the_moves_are_printed_too_once_they_are_unfolded(address: str, window: Any) -> None:
    window.open(address + "/past/2")
    window.run("document.querySelector('.moves details').open = true")
    assert len(pages.findall(window.printed(*A4))) > 1


def test_the_print_button_prints_and_is_not_there_without_a_script(address: str, window: Any) -> None:
    window.open(address + "/past/1")
    window.wait_for("!document.getElementById('print').hidden")
    window.run(
        "window.asked = 0; window.print = () => { window.asked += 1; }; document.getElementById('print').click()"
    )
    assert window.run("return window.asked") == 1


def test_headings_go_down_step_by_step_and_every_table_and_picture_has_a_name(address: str, window: Any) -> None:
    for path in PATHS:
        window.open(address + path)
        levels = window.run("return [...document.querySelectorAll('h1,h2,h3')].map((h) => Number(h.tagName[1]))")
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after - before <= 1 for before, after in pairwise(levels)), path
        nameless = "return [...document.querySelectorAll('svg[role=img], [role=region], section')].filter((e) =>"
        named = "!(e.ariaLabel || document.getElementById((e.getAttribute('aria-labelledby') || '-').split(' ')[0])))"
        assert window.run(f"{nameless} {named}.length") == 0, path
        assert window.run("return [...document.querySelectorAll('th')].every((cell) => cell.scope)"), path


def test_the_saved_page_looks_the_same_without_a_table_to_ask(address: str, window: Any, tmp_path: Any) -> None:
    window.open(address + "/past/1")
    ink = "return getComputedStyle(document.querySelector('.chart .line')).stroke"
    shown = window.run(ink)
    text = window.run("return fetch('/past/1/page.html').then((answer) => answer.text())")
    (tmp_path / "kept.html").write_text(text)
    window.open((tmp_path / "kept.html").as_uri())
    assert window.run(ink) == shown
    assert window.run("return document.querySelectorAll('.chart').length") == 1
    assert window.run("return document.querySelectorAll('a[href], script, link').length") == 0
    assert window.complaints() == []


def test_the_phones_page_leads_to_past_games(address: str, window: Any) -> None:
    window.open(address + "/")
    window.wait_for("document.querySelector('a[href=\"/past\"]')")
    window.open(address + "/board")
    assert window.run("return document.querySelectorAll('a[href=\"/past\"]').length") == 0


def test_a_game_of_chips_is_told_in_no_other_games_words(evening: Referee) -> None:
    guest = create_app(evening, join_code=CODE).test_client()
    told = guest.get("/past/2").get_data(as_text=True)
    assert "Chips: all that belong to a player, wherever they lie. A dashed upright line" in told
    assert "hedge" not in told.lower()
