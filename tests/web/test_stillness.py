"""The page keeps still under the finger: what is played, proposed and noticed moves nothing that was there."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import companion.games
from companion.referee.messages import Begin, Confirm, Do, Evidence, Notice, Propose
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.views.translations import LANGUAGES, translated
from tests.web.conftest import show_notices

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

OBSERVE = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries())
    shifts.push([value, sources.map(({ node }) => node?.id || node?.className || node?.nodeName)]);
}).observe({ type: 'layout-shift', buffered: false });
"""
DRAWN = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)))"


def play(referee: Referee, page: Any, moves: int, seed: int = 3) -> None:
    """Let a game be played at random, every second move as the camera would have it, with notices coming and going."""
    random = Random(seed)
    for n in range(moves):
        session = referee.latest()
        legal = session.game.legal(session.state)
        if not legal:
            return
        command = random.choice(legal)
        if n % 2:
            referee.ask(Propose(command, Evidence(b"", 0.8)))
            drawn(referee, page)
            referee.ask(Confirm(referee.latest().version))
        else:
            referee.ask(Do(command))
        referee.ask(
            Notice("unsure", "One card cannot be read for sure; turn it a little." if n % 3 else None, (0.9, 0.1))
        )
        drawn(referee, page)


def drawn(referee: Referee, page: Any) -> None:
    page.wait_for(f"document.body.dataset.version == {referee.latest().version}")
    page.asynchronous(DRAWN)


@pytest.mark.parametrize("game", sorted(companion.games.GAMES))
def test_nothing_on_a_phone_jumps_while_a_game_is_played(
    game: str, referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Begin(Header(game, ("Ana", "Bo"))))
    page = visit(referee)
    page.run(OBSERVE)
    play(referee, page, 24)
    shifts = page.run("return window.shifts")
    assert sum(value for value, _ in shifts) < 0.1, shifts


TOLD = ("plays", "slip", "hand", "put-right", "camera", "power", "back", "over")
TOO_LONG = """
const place = document.getElementById('caption'), stood = place.textContent;
const long = arguments[0].filter((text) => (place.textContent = text, place.scrollHeight > place.clientHeight));
place.textContent = stood;
return long;
"""


@pytest.mark.parametrize("size", [(390, 844), (320, 640)])
def test_what_a_demo_tells_of_itself_moves_nothing(
    size: tuple[int, int], referee: Referee, visit: Callable[..., Any], window: Any
) -> None:
    window.screen(*size)
    referee.ask(Notice("demo-plays", ""))
    page = visit(referee)
    page.wait_for("document.getElementById('caption').textContent")
    page.run(OBSERVE.replace("buffered: false", "buffered: true"))
    height = page.run("return document.getElementById('caption').offsetHeight")
    said = [translated(language)["notices"][f"demo-{what}"] for language in LANGUAGES[1:] for what in TOLD]
    assert page.run(TOO_LONG, said) == []
    before = "plays"
    for what in TOLD[1:]:
        referee.ask(Notice(f"demo-{before}", None))
        drawn(referee, page)
        referee.ask(Notice(f"demo-{what}", ""))
        drawn(referee, page)
        before = what
        assert page.run("return document.getElementById('caption').offsetHeight") == height, what
    shifts = page.run("return window.shifts")
    assert sum(value for value, _ in shifts) < 0.02, shifts


def test_a_notice_is_shown_once_it_has_lasted_and_is_calm_when_nothing_is_wrong(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    referee.ask(Notice("unsure", "One card cannot be read."))
    page.wait_for(f"document.body.dataset.version == {referee.latest().version}")
    assert page.run("return document.querySelectorAll('.notice').length") == 0
    page.wait_for("document.querySelector('.notice:not(.is-calm)')")
    referee.ask(Notice("unsure", None))
    referee.ask(Notice("settling", "Something moves on the table."))
    page.wait_for("document.querySelector('.notice.is-calm')")


@pytest.mark.parametrize("path, size", [("/", (390, 844)), ("/", (320, 640)), ("/board", (1920, 1080))])
def test_a_notice_covers_nothing(
    path: str, size: tuple[int, int], referee: Referee, visit: Callable[..., Any], window: Any
) -> None:
    window.screen(*size)
    page = visit(referee, path)
    for code in ("unsure", "camera-lost"):
        referee.ask(Notice(code, "One card cannot be read for sure; turn it a little, or shade the lamp.", (0.9, 0.1)))
    show_notices(referee, page)
    page.wait_for("document.querySelectorAll('.notice').length == 2")
    assert page.run(COVERED) == []


COVERED = """
const { top, bottom, left, right } = document.getElementById('notices').getBoundingClientRect();
const meets = (e) => { const r = e.getBoundingClientRect();
  return r.width && r.top < bottom - 1 && r.bottom > top + 1 && r.left < right - 1 && r.right > left + 1; };
return [...document.querySelectorAll('main *, h1, #link')].filter(meets).map((e) => e.outerHTML.slice(0, 80));
"""
"""What lies where the notices stand."""
