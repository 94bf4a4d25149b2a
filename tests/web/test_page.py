"""The page in a real browser: every game and stage drawn, and that it fits every screen."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from companion import games
from companion.referee.messages import Begin, Do, Evidence, Notice, Propose
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.rules.notation import TEXT, Field

LONG = (
    "Maximiliane-Charlotte von Hohenfels",
    "Bartholomew Featherstonehaugh",
    "Konstantinopolitanischerdudelsackpfeifer",
    "Ana",
    "Bo",
    "Cy",
)
LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [-1, 0], "edges": ["red", "blue", "blue", "blue", "blue", "blue"]},
        {"cell": [0, 0], "edges": ["red", "blue", "blue", "red", "blue", "blue"]},
        {"cell": [1, 0], "edges": ["red", "red", "blue", "red", "blue", "blue"]},
    ],
}
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
MISMATCH = {**HEXEL, "edges": ["red"] * 6}

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run


def crowd(table: Callable[..., Referee]) -> Referee:
    """Six people with long names at cards, one card waiting that the rules refuse, two notices."""
    first = {"player": LONG[0]}
    hedges = [{"cmd": "hedge", "player": name, "amount": 9} for name in LONG]
    referee = table(LINE, {"cmd": "stake", **first, "amount": 3}, *hedges, players=LONG)
    referee.ask(Do({**HEXEL, **first}))
    referee.ask(Propose({**MISMATCH, "cell": [1, -1], "player": LONG[1]}, Evidence(b"", 0.6)))
    referee.ask(Notice("unsure", "One card cannot be read for sure; turn it a little.", (0.9, 0.1)))
    referee.ask(Notice("hand", "A hand rests over the table."))
    return referee


def finished(table: Callable[..., Referee]) -> Referee:
    """A game that is over: Bo could not pay."""
    referee = table(LINE, {"cmd": "stake", "player": "Ana", "amount": 3})
    for command in (
        {"cmd": "hedge", "player": "Ana", "amount": 6},
        {"cmd": "hedge", "player": "Bo", "amount": 0},
        HEXEL,
        {"cmd": "pass", "player": "Bo"},
    ):
        referee.ask(Do(command))
    return referee


STAGES: dict[str, Callable[[Callable[..., Referee]], Referee]] = {
    "before the first card": lambda table: table(),
    "while hedging": lambda table: table(LINE, {"cmd": "stake", "player": LONG[0], "amount": 3}, players=LONG),
    "in a crowd": crowd,
    "at the end": finished,
}


@pytest.mark.parametrize("stage", STAGES)
def test_nothing_scrolls_sideways_on_the_smallest_phone_by_day_and_by_night(
    stage: str, table: Callable[..., Referee], visit: Callable[..., Any], window: Any
) -> None:
    window.screen(320, 640)
    page = visit(STAGES[stage](table))
    page.run("document.querySelectorAll('details').forEach((part) => (part.open = true))")
    for dark in (False, True):
        window.screen(320, 640, dark=dark)
        assert page.run("return document.documentElement.scrollWidth") <= 320
        assert page.run(OUTSIDE) == []
        assert page.run(CONTRAST) == []
    assert page.complaints() == []


@pytest.mark.parametrize("stage", STAGES)
def test_the_television_shows_all_at_once(
    stage: str, table: Callable[..., Referee], visit: Callable[..., Any], window: Any
) -> None:
    window.screen(1920, 1080)
    page = visit(STAGES[stage](table), "/board")
    scrolls = "const e = document.documentElement; return [e.scrollWidth, e.scrollHeight]"
    assert page.run(scrolls) == [1920, 1080]
    low = page.run(
        "return Math.max(...[...document.querySelectorAll('.seat')].map((s) => s.getBoundingClientRect().bottom))"
    )
    room = page.run("return document.getElementById('seats').getBoundingClientRect().bottom")
    assert low <= room + 1 <= 1081
    assert page.run("return document.querySelectorAll('button:not([hidden] *)').length && getComputedStyle("
                    "document.getElementById('join')).display") in (0, "none")  # fmt: skip
    assert page.complaints() == []


@pytest.mark.parametrize("game", sorted(games.GAMES))
def test_every_game_is_drawn(game: str, referee: Referee, visit: Callable[..., Any], window: Any) -> None:
    referee.ask(Begin(Header(game, ("Ana", "Bo"))))
    window.screen(320, 640)
    page = visit(referee)
    assert page.run("return document.getElementById('cloth').childElementCount") == 1
    assert page.run("return document.documentElement.scrollWidth") <= 320
    assert page.complaints() == []


def test_a_game_that_the_page_has_never_heard_of_is_shown_all_the_same(
    referee: Referee, visit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(games.GAMES, "nim", SimpleNamespace(name="nim", rules=NIM, page=Path("nowhere")))
    referee.ask(Begin(Header("nim", ("Ana", "Bo"))))
    page = visit(referee)
    assert page.run("return document.querySelector('.fact').textContent") == "matches9"
    page.run("document.getElementById('do-0').click()")
    page.wait_for("document.getElementById('call').textContent.includes('Ana: matches taken.')")
    assert page.run("return document.querySelector('.fact').textContent") == "matches7"


def test_calls_are_announced_and_everything_is_reached_by_keyboard(
    table: Callable[..., Referee], visit: Callable[..., Any]
) -> None:
    page = visit(crowd(table))
    live = page.run("return ['call', 'notices', 'proposal'].map((id) => document.getElementById(id).ariaLive)")
    assert live == ["polite", "polite", "assertive"]
    unreached = page.run("return [...document.querySelectorAll('[onclick], .row > *')].filter((e) => e.tabIndex < 0)"
                         ".filter((e) => e.matches('button, a, input')).length")  # fmt: skip
    assert unreached == 0
    nameless = page.run(
        "return [...document.querySelectorAll('svg, button, input, a')].filter((e) => e.getClientRects().length"
        " && !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).length"
    )
    assert nameless == 0


def _nim(state: int, command: Any) -> tuple[int, tuple[dict[str, Any], ...]]:
    return state - 2, ({"event": "matches-taken", "player": command["player"]},)


NIM: Any = SimpleNamespace(
    NAME="nim",
    NOTATION={"take": (Field("player", TEXT),)},
    EDITIONS=(),
    PLAYERS=(1, None),
    start=lambda header: 9,
    apply=_nim,
    legal=lambda state: ({"cmd": "take", "player": "Ana"},),
    next_step=lambda state: None,
    interpret=lambda state, before, after: (),
    explain=lambda state, event: "Two matches are taken.",
    view=lambda state: {
        "phase": "play",
        "turn": "Ana",
        "players": {"Ana": {"taken": 9 - state}, "Bo": {"taken": 0}},
        "table": {"phase": "play", "turn": "Ana", "matches": state},
        "result": None,
    },
)
"""A game of which neither the views nor the page know anything."""


OUTSIDE = """
return [...document.querySelectorAll('main *:not(svg *)')].filter((e) => e.getClientRects().length
  && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 90));
"""
"""What sticks out to the right of the screen."""


CONTRAST = """
const light = (c) => { const f = c.slice(0, 3).map((v) => { v /= 255;
  return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
  if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
const poor = [];
for (const e of document.querySelectorAll('body *:not(svg *)')) {
  const words = [...e.childNodes].filter((n) => n.nodeType === 3 && n.textContent.trim()).length;
  if (!words || !e.getClientRects().length || e.closest('.skip')) continue;
  const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < 4.5) poor.push(`${e.className || e.tagName} ${ratio.toFixed(2)} ${e.textContent.slice(0, 30)}`);
}
return poor;
"""
"""Text against its ground by the formula of WCAG 2, success criterion 1.4.3."""


def test_the_heading_of_the_moves_begins_with_a_capital_letter(referee: Referee, visit: Callable[..., Any]) -> None:
    assert visit(referee).run("return document.getElementById('moves').textContent") == "Four moves so far"
