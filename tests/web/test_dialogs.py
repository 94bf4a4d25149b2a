"""Every dialog in every language: no serious fault by axe-core by day and by night, no wider than a small phone."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from companion.referee.messages import Begin, Do, Notice
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.views.translations import LANGUAGES
from tests.web.conftest import show_notices
from tests.web.test_languages import CHOOSE

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

WIDE = ("W" * 40, "M" * 40, "Cy")
ROUNDS = [
    command
    for dealer in (WIDE[0], WIDE[2], WIDE[1])
    for command in ({"cmd": "round", "player": dealer}, {"cmd": "reveal"})
]
SET = {"cmd": "set", "player": WIDE[0], "pot": "Desten", "cards": [[4, 5, 10], [5, 5, 9]]}
CASE = {"cmd": "play", "player": WIDE[0], "row": 0, "col": 0, "card": {"cells": [["blue", "green"], ["gold", "leaf"]]}}
LINE = {"cmd": "line", "cards": [
    {"cell": [n - 1, 0], "edges": [{"R": "red", "B": "blue"}[letter] for letter in letters]}
    for n, letters in enumerate(("RBBBBB", "RBBRBB", "RRBRBB"))
]}  # fmt: skip
STAKED = (
    LINE,
    {"cmd": "stake", "player": WIDE[0], "amount": 3},
    *({"cmd": "hedge", "player": name, "amount": 6} for name in WIDE),
)
WIDTHS = """
const seen = [document.documentElement, ...document.querySelectorAll('dialog[open]')];
return Math.max(...seen.map((part) => part.scrollWidth - Math.min(innerWidth, part.clientWidth)));
"""


def begin(referee: Referee, page: Any, game: str, *commands: dict[str, Any]) -> None:
    referee.ask(Begin(Header(game, WIDE[:2] if game == "hexapod" else WIDE, "36" if game == "hexel" else None)))
    for command in commands:
        referee.ask(Do(command))
    page.wait_for(f"document.body.dataset.version == {referee.latest().version} && document.querySelector('.seat')")


def tap(page: Any, *selectors: str) -> None:
    for selector in selectors:
        page.wait_for(
            f"document.querySelector('{selector}')?.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))"
        )


def visit_in(language: str, window: Any, visit: Callable[..., Any], referee: Referee) -> Any:
    window.ask_in(language)
    page = visit(referee)
    page.wait_for(f"document.documentElement.lang == '{language}'")
    return page


def close(page: Any) -> None:
    page.run("document.getElementById('sheet').close()")


def dialogs(referee: Referee, page: Any) -> Iterator[str]:
    """Opens one dialog after the other, then the page for showing around, and says which."""
    begin(referee, page, "hexel", *STAKED)
    referee.ask(Notice("which-first", "Which card lay first? Enter it by hand.", (0.4, 0.4)))
    show_notices(referee, page)
    yield "notice"
    tap(page, "#lay-by-hand", '[data-free="0,-1"]')
    page.wait_for("document.querySelector('.foretold')?.textContent")
    yield "paint"
    close(page)
    tap(page, "#lay-by-hand", "#open-2", "#something-else", "#take-out")
    page.wait_for("document.querySelector('.answer')?.textContent")
    yield "refused"
    close(page)
    tap(page, "#how")
    page.wait_for("document.querySelector('#sheet .topic')")
    yield "how to play"
    close(page)
    tap(page, "#lay-by-hand", '[data-free="0,-1"]', "#lay", "#open-6", "#forgotten", "#forgotten-card", "#elsewhere")
    yield "correct"
    close(page)
    tap(page, "#another-game", "#house-rules")
    yield "set up"
    close(page)
    begin(referee, page, "hexdragon")
    tap(page, "#lay-by-hand", '[data-free="1,0"]', "#tile-0")
    yield "tiles"
    close(page)
    begin(referee, page, "hexapod", CASE)
    tap(page, "#lay-by-hand", "#brush-leaf")
    yield "brushes"
    close(page)
    begin(referee, page, "comet", {"cmd": "round", "player": WIDE[0]}, SET)
    tap(page, "#lay-by-hand", "#key-4")
    yield "keys"
    close(page)
    begin(referee, page, "comet", *ROUNDS)
    referee.ask(Do({"cmd": "stop"}))
    page.wait_for("document.querySelector('#sheet[open] .finale')")
    yield "end"
    page.open(page.run("return location.origin") + "/around")
    page.wait_for("Boolean(document.querySelector('iframe').contentDocument?.querySelector('.places'))")
    yield "around"


@pytest.mark.parametrize("language", [*LANGUAGES[1:], "en"])
def test_no_dialog_is_wider_than_a_small_phone(
    language: str, referee: Referee, window: Any, visit: Callable[..., Any]
) -> None:
    window.screen(320, 640)
    page = visit_in(language, window, visit, referee)
    wide = {which: width for which in dialogs(referee, page) if (width := page.run(WIDTHS)) > 0}
    assert wide == {}
    assert [line for line in page.complaints() if "409" not in line] == []


@pytest.mark.parametrize("language", ["de", "pl"])
def test_no_dialog_has_a_serious_fault(
    language: str, referee: Referee, window: Any, visit: Callable[..., Any], faults: Callable[[], list[str]]
) -> None:
    page = visit_in(language, window, visit, referee)
    found = {which: told for which in dialogs(referee, page) if (told := faults())}
    assert found == {}


TEXTS = """
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = new Set();
while (walker.nextNode()) {
  const text = walker.currentNode.textContent.trim(), isSaid = !walker.currentNode.parentElement.closest('#language');
  if (isSaid && /[a-z]{3}/i.test(text)) found.add(text);
}
return [...found];
"""
ALIKE = {
    "Live",
    "Hexel",
    "Hex’el",
    "HexDragon",
    "Hexapod",
    "Hoxla",
    "Seven Card Comet",
    "Cy",
    "www.gamesofthegalaxy.com",
}
"""What is called alike in English and in German, besides the players and Comet's pots."""


def test_no_dialog_speaks_english_on_a_german_phone(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    told: dict[str, dict[str, set[str]]] = {}
    for language in ("en", "de"):
        speak(page, language)
        told[language] = {}
        for which in dialogs(referee, page):
            told[language][which] = set(page.run(TEXTS))
            if which == "correct":
                break
    alike = {which: told["de"][which] & told["en"][which] - ALIKE for which in told["en"]}
    alike = {
        which: {text for text in texts if not any(name in text for name in WIDE)} for which, texts in alike.items()
    }
    assert {which: texts for which, texts in alike.items() if texts} == {}


def speak(page: Any, language: str) -> None:
    page.asynchronous(CHOOSE % language)
    page.open(page.run("return location.origin"))
    page.wait_for(f"document.documentElement.lang == '{language}' && document.querySelector('.seat')")


UNREADABLE = """
const word = document.createRange(), told = new Set();
const isBroken = (node, at, length) => { word.setStart(node, at); word.setEnd(node, at + length);
  return new Set([...word.getClientRects()].map(({ top }) => Math.round(top))).size > 1; };
const texts = document.createTreeWalker(document.querySelector('dialog[open]') ?? document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const node = texts.currentNode, part = node.parentElement;
  if (!part.getClientRects().length || part.closest('svg, script, select, .skip, .in-full, .top')) continue;
  for (const { 0: text, index } of node.data.matchAll(/[\\p{L}\\d]+/gu))
    if (text.length < 15 && isBroken(node, index, text.length)) told.add(text);
}
for (const button of document.querySelectorAll('dialog[open] button, body:not(:has(dialog[open])) .people button'))
  if (!button.matches('.name') && button.scrollWidth > button.clientWidth + 1) told.add(`cut: ${button.textContent}`);
return [...told];
"""
"""Words on more than one line though they would fit on one, and buttons too narrow for their words."""


@pytest.mark.parametrize("language", ["de", "fr", "sk"])
def test_text_of_twice_the_size_breaks_no_word_of_a_dialog(
    language: str, referee: Referee, window: Any, visit: Callable[..., Any]
) -> None:
    window.screen(320, 640)
    page = visit_in(language, window, visit, referee)
    page.run("document.documentElement.style.fontSize = '34px'")
    page.run("document.getElementById('this-phone').open = true")
    unreadable, wide = {}, {}
    for which in dialogs(referee, page):
        if which == "around":
            break
        unreadable[which], wide[which] = page.run(UNREADABLE), page.run(WIDTHS)
    assert {which: words for which, words in unreadable.items() if words} == {}
    assert {which: width for which, width in wide.items() if width > 0} == {}


def test_a_heading_within_a_part_is_no_larger_than_the_parts(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    page.run("document.getElementById('sheet').innerHTML = '<h3>Put it right</h3><h4>Or was it this?</h4>'")
    page.run("document.getElementById('sheet').showModal()")
    size = "parseFloat(getComputedStyle(document.querySelector('#sheet {}')).fontSize)"
    assert page.run(f"return {size.format('h4')} < {size.format('h3')}")
