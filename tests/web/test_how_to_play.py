"""How to play: on every phone and on the television, and every refusal of a game's rules links to its rule."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import companion
import companion.games
from companion.games import page_folders
from companion.referee.messages import Begin, Do, Evidence, Propose
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.views.games import topics
from companion.views.translations import LANGUAGES
from companion.views.words import catalogue, original

HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [-1, 0], "edges": ["red", "blue", "blue", "blue", "blue", "blue"]},
        {"cell": [0, 0], "edges": ["red", "blue", "blue", "red", "blue", "blue"]},
        {"cell": [1, 0], "edges": ["red", "red", "blue", "red", "blue", "blue"]},
    ],
}
MISMATCH = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["red"] * 6}

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run


@pytest.mark.parametrize("game", sorted(companion.games.GAMES))
def test_every_refusal_of_a_game_has_its_rule(game: str) -> None:
    script = (page_folders()[game] / "game.js").read_text()
    told = re.search(r"export const refusals = \{\n(.*?)\n\};", script, re.S)
    assert told is not None
    pairs = re.findall(r"(\w+): \[(.*?)\]", told[1])
    known = {topic["id"] for topic in topics(game)}
    assert {topic for topic, _ in pairs} <= known
    explained = {code for _, codes in pairs for code in re.findall(r'"([a-z-]+)"', codes)}
    assert explained <= set(original()["refusals"])
    rules = Path(companion.__file__).parent
    sources = [
        path.read_text()
        for path in rules.rglob("*.py")
        if game in str(path.relative_to(rules)) and "vision" not in str(path)
    ]
    sources += [path.read_text() for path in (rules / "rules").glob("*.py")]
    raised = {code for text in sources for code in re.findall(r'Refusal\(\s*"([a-z-]+)"', text)}
    assert raised - explained - SELF_EXPLAINING == set()


SELF_EXPLAINING = {"malformed", "unknown-player"}
"""What no rule of a game explains."""


@pytest.mark.parametrize("game", sorted(companion.games.GAMES))
def test_a_phone_tells_how_to_play_and_what_may_be_done_now(
    game: str, referee: Referee, visit: Callable[..., Any], window: Any
) -> None:
    referee.ask(Begin(Header(game, ("Ana", "Bo"))))
    window.screen(320, 640)
    page = visit(referee)
    page.run("document.getElementById('how').click()")
    page.wait_for("document.querySelectorAll('.topic').length > 6")
    assert page.run("return document.querySelector('.topic.is-now').textContent").startswith("Now")
    assert page.run("return document.documentElement.scrollWidth") <= 320
    assert page.complaints() == []


def test_who_may_do_nothing_now_is_told_why(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    page.run("document.getElementById('sit-1').click()")
    page.wait_for("document.querySelector('.seat:nth-child(2) .badge')?.textContent == 'you'")
    page.run("document.getElementById('how').click()")
    page.wait_for("document.querySelector('.topic.is-now')?.textContent.includes('Not you just now: Ana is on turn.')")


def test_who_only_watches_is_told_how_to_join(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee, "/")
    page.run("document.getElementById('how').click()")
    page.wait_for("document.querySelector('.topic.is-now')?.textContent.includes('join with the code')")


def test_a_refused_card_links_to_its_rule(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Propose(MISMATCH, Evidence(b"", 0.9)))
    page = visit(referee)
    page.wait_for("document.getElementById('rule')")
    page.run("document.getElementById('rule').click()")
    page.wait_for("document.querySelector('#rule-laying.is-asked')")


SPEAK = (
    "const done = arguments[0]; fetch('/api/language', { method: 'POST',"
    " headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ language: '%s' }) }).then(() => done(1))"
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_leads_to_its_rule_in_every_language(
    language: str, referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Propose(MISMATCH, Evidence(b"", 0.9)))
    page = visit(referee)
    page.asynchronous(SPEAK % language)
    page.open(page.run("return location.href"))
    try:
        page.wait_for(f"document.documentElement.lang == '{language}' && document.getElementById('rule')")
        page.run("document.getElementById('rule').click()")
        page.wait_for("document.querySelector('#rule-laying.is-asked')")
        title, text = catalogue(language)["howto"]["hexel-laying"]
        assert page.run("return document.querySelector('#rule-laying').textContent") == title + text
    finally:
        page.asynchronous(SPEAK % "en")


def test_a_press_that_is_refused_links_to_its_rule(table: Callable[..., Referee], visit: Callable[..., Any]) -> None:
    page = visit(table(LINE, {"cmd": "stake", "player": "Ana", "amount": 3}))
    page.wait_for("document.getElementById('set-0')")
    page.run("document.getElementById('amount-0').value = 99999; document.getElementById('set-0').click()")
    page.wait_for("document.querySelector('#toast .rule')?.getClientRects().length")
    page.run("document.querySelector('#toast .rule').click()")
    page.wait_for("document.querySelector('#rule-stake.is-asked')")


def test_what_is_refused_at_the_table_links_to_its_rule_on_every_phone(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    referee.notify(Do(MISMATCH))
    page.wait_for("document.querySelector('#toast .rule')?.getClientRects().length")


def test_a_rule_that_is_read_while_a_card_is_entered_leads_back_to_it(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.querySelector('.place')")
    page.run("""document.querySelector('[data-free="0,-1"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))""")
    page.wait_for("document.querySelector('.edge-4')")
    page.run("document.querySelector('.edge-4').click()")
    page.wait_for("document.querySelector('.foretold .rule')")
    painted = page.run("return document.querySelector('.edge-4').ariaLabel")
    page.run("document.querySelector('.foretold .rule').click()")
    page.wait_for("document.querySelector('#rule-laying.is-asked')")
    page.run("document.getElementById('sheet-close').click()")
    assert page.run("return document.querySelector('.edge-4').ariaLabel") == painted
    page.run("document.getElementById('sheet-close').click()")
    assert not page.run("return document.getElementById('sheet').open")


def test_a_correction_that_is_refused_links_to_its_rule(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Do(HEXEL))
    page = visit(referee)
    page.run("document.getElementById('moves').click(); document.getElementById('open-5').click()")
    page.wait_for("document.querySelector('#sheet .edge-4')")
    page.run("document.querySelector('#sheet .edge-4').click(); document.getElementById('correct').click()")
    page.wait_for("document.querySelector('.answer .rule')")


def test_the_television_shows_the_rule_of_a_refused_card(
    referee: Referee, visit: Callable[..., Any], window: Any
) -> None:
    window.screen(1920, 1080)
    page = visit(referee, "/board")
    page.wait_for("document.querySelector('#hints h2')")
    referee.ask(Propose(MISMATCH, Evidence(b"", 0.9)))
    page.wait_for("document.querySelector('#hints h2').textContent == 'Laying a card'")


def test_the_television_tells_a_topic_of_the_game_that_is_played(
    referee: Referee, visit: Callable[..., Any], window: Any
) -> None:
    window.screen(1920, 1080)
    page = visit(referee, "/board")
    page.wait_for("document.querySelector('#hints h2')?.textContent == 'The aim'")
    assert page.run("return document.documentElement.scrollHeight") == 1080


def test_the_designers_own_rules_can_be_tapped(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    page.run("document.getElementById('how').click()")
    page.wait_for("document.querySelector('#rule-credit a')")
    assert page.run("return document.querySelector('#rule-credit a').href") == "http://www.gamesofthegalaxy.com/"
