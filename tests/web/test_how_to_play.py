"""How to play: on every phone and on the television, and every refusal of a game's rules links to its rule."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import companion
import companion.games
from companion.referee.messages import Begin, Evidence, Propose
from companion.referee.referee import Referee
from companion.rules.engine import Header
from companion.views.game_pages import page_folders
from companion.views.howto import topics
from companion.views.words import original

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
    raised = {code for text in sources for code in re.findall(r'Refusal\(\s*"([a-z-]+)"', text)}
    assert raised - explained - SELF_EXPLAINING == set()


SELF_EXPLAINING = {"malformed"}
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


def test_a_refused_card_links_to_its_rule(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Propose(MISMATCH, Evidence(b"", 0.9)))
    page = visit(referee)
    page.wait_for("document.getElementById('rule')")
    page.run("document.getElementById('rule').click()")
    page.wait_for("document.querySelector('#rule-laying.is-asked')")


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
