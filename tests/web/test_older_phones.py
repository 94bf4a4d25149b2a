"""Phones from 2022 on, iOS 15.4 and Chrome 94: what newer browsers alone know is not needed anywhere."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.referee.messages import Begin, Do, Evidence, Propose
from companion.referee.referee import Referee
from companion.rules.engine import Header
from tests.web.conftest import HEXEL

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

ROOMS = [Path(__file__).parents[2] / "companion" / room for room in ("web/static", "games", "hub/pages/static")]
OLDER = """
const later = ['findLast', 'findLastIndex', 'toSorted', 'toReversed', 'toSpliced', 'with'];
for (const name of later) delete Array.prototype[name];
for (const name of ['timeout', 'any']) delete AbortSignal[name];
for (const name of ['showPopover', 'hidePopover', 'popover', 'inert']) delete HTMLElement.prototype[name];
for (const name of ['groupBy']) { delete Object[name]; delete Map[name]; }
delete window.structuredClone; delete Promise.withResolvers; delete Array.fromAsync;
delete Element.prototype.checkVisibility; delete String.prototype.isWellFormed; delete URL.canParse;
"""
"""Takes from a page's browser what came later."""
NEWER = {
    ".js": r"\b(structuredClone|findLast(Index)?|toSorted|toReversed|toSpliced|groupBy|withResolvers|fromAsync|"
    r"checkVisibility|hasIndices|canParse)\(|AbortSignal\.(timeout|any)\b|\(\?<[=!]|\bstatic \{|"
    r"^import .* (with|assert) \{|\.inert\b|/v[;,).]",
    ".css": r"color-mix\(|light-dark\(|okl(ch|ab)\(|@(container|layer|scope|starting-style|property)\b|"
    r"\d[dsl]v[hwbi]\b|(^|[{;]\s*)(translate|scale|rotate):|@media[^{]*[<>]|^\s*&|\{\s*&|:user-(in)?valid|"
    r"nth-child\([^)]* of |overflow(-[xy])?:[^;]*\bclip\b|,[^{]*:has\([^{]*\{|:has\([^{]*,[^{]*\{",
}
"""What came later; of `:has`, in a list of selectors, where it takes the others with it."""


@pytest.fixture
def old_phone(window: Any, visit: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Opens a table's page in a browser that lacks what came later."""
    leave = window.begin_with(OLDER)
    yield visit
    leave()


def test_the_scripts_and_styles_need_nothing_that_came_later() -> None:
    files = [path for room in ROOMS for path in room.rglob("*") if path.suffix in NEWER]
    assert len(files) > 60
    found = [
        f"{path.name}:{n}: {line.strip()[:120]}"
        for path in files
        for n, line in enumerate(path.read_text().splitlines(), 1)
        if not line.startswith("//") and re.search(NEWER[path.suffix], line)
    ]
    assert found == []


@pytest.mark.parametrize("line", ["a = structuredClone(b);", "list.findLast(isMine)", "AbortSignal.timeout(3)"])
def test_a_script_that_came_later_is_found(line: str) -> None:
    assert re.search(NEWER[".js"], line)


@pytest.mark.parametrize(
    "line",
    ["a { scale: 2; }", "p, a:has(b) { x: y }", ".a { height: 10dvh; }", "  & b { c: d }", "@media (width > 3px) {"],
)
def test_a_style_that_came_later_is_found(line: str) -> None:
    assert re.search(NEWER[".css"], line)


def test_an_older_phone_shows_a_round_of_comet_with_a_set_in_it(
    referee: Referee, old_phone: Callable[..., Any]
) -> None:
    referee.ask(Begin(Header("comet", ("Ana", "Bo"))))
    referee.ask(Do({"cmd": "round", "player": "Ana"}))
    referee.ask(Do({"cmd": "set", "player": "Ana", "pot": "Kinro", "cards": [[4, 5, 10], [5, 5, 9]]}))
    page = old_phone(referee)
    page.wait_for("document.querySelector('.laid')")
    assert page.complaints() == []


def test_an_older_phone_opens_a_card_that_is_tapped_and_changes_one_that_waits(
    referee: Referee, old_phone: Callable[..., Any]
) -> None:
    referee.ask(Do(HEXEL))
    referee.ask(Propose({**HEXEL, "cell": [1, -1]}, Evidence(b"", 0.9)))
    page = old_phone(referee)
    tap = "dispatchEvent(new MouseEvent('click', { bubbles: true }))"
    page.run(f"document.querySelector('#cloth [data-cell=\"0,-1\"]').{tap}")
    page.wait_for("document.querySelector('#sheet-title')?.textContent == 'Move 5'")
    page.run("document.getElementById('sheet-close').click()")
    page.run("document.getElementById('change').click()")
    page.wait_for("document.querySelector('#sheet[open] #lay')")
    assert page.complaints() == []


def test_an_older_phone_enters_a_card_of_hexapod(referee: Referee, old_phone: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("hexapod", ("Ana", "Bo"))))
    page = old_phone(referee)
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.getElementById('brush-leaf')")
    page.run("document.getElementById('brush-leaf').click();"
             "for (const cell of document.querySelectorAll('.quarter')) cell.click()")  # fmt: skip
    page.wait_for("document.querySelectorAll('.spot-on.allowed').length")
    assert page.complaints() == []


def test_what_is_told_while_a_dialog_is_open_stands_before_it_on_an_older_phone(
    referee: Referee, old_phone: Callable[..., Any]
) -> None:
    page = old_phone(referee)
    page.run("document.getElementById('toast').removeAttribute('popover')")  # which hides it where it is known
    page.run("document.getElementById('how').click()")
    page.wait_for("document.getElementById('sheet').open")
    page.run("const loaded = performance.getEntriesByType('resource').map(({ name }) => name);"
             "import(loaded.find((name) => /presses.js/.test(name))).then(({ tell }) => tell('Not now.'))")  # fmt: skip
    page.wait_for("!document.getElementById('toast').hidden")
    assert page.run(
        "const { left, right, top, bottom } = document.getElementById('toast').getBoundingClientRect();"
        "return document.elementFromPoint((left + right) / 2, (top + bottom) / 2).closest('#toast') !== null"
    )
