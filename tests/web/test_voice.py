"""The phone's own voice in a real browser: silent until asked, and silenced by what corrects it."""

from collections.abc import Callable
from typing import Any

import pytest

from companion.referee.messages import Do, Notice, Undo
from companion.referee.referee import Referee

HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
LISTEN = """
window.spoken = []; window.cancelled = 0;
speechSynthesis.speak = (utterance) => window.spoken.push(utterance.text);
speechSynthesis.cancel = () => { window.cancelled += 1; };
"""

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run


def test_a_phone_speaks_once_it_was_asked_to_and_a_correction_silences_what_it_corrects(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    page.run(LISTEN)
    page.wait_for("document.getElementById('voice-all')")
    referee.ask(Do(HEXEL))
    page.wait_for("document.querySelector('.card.newest')")
    assert page.run("return window.spoken") == [], "silent until it is tapped"
    page.run("document.getElementById('voice-all').click(); window.spoken = []; window.cancelled = 0")
    referee.ask(Do({"cmd": "pass", "player": "Bo"}))
    page.wait_for("window.spoken.includes('Bo passes.')")
    assert page.run("return window.cancelled") == 0
    referee.ask(Undo(referee.latest().version))
    page.wait_for("window.spoken.includes('Taken back: Bo passes.')")
    assert page.run("return window.cancelled") == 1
    page.run("document.getElementById('voice-off').click(); window.spoken = []")
    referee.ask(Do({"cmd": "pass", "player": "Bo"}))
    page.wait_for("document.querySelector('#call').textContent.includes('Bo passes')")
    assert page.run("return window.spoken") == []


def test_a_phone_may_speak_of_its_own_turn_only(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    page.wait_for("document.getElementById('sit-1')")
    page.run(LISTEN + "document.getElementById('sit-1').click()")
    page.wait_for("document.getElementById('voice-turn')")
    page.run("document.getElementById('voice-turn').click(); window.spoken = []")
    referee.ask(Do(HEXEL))
    page.wait_for("window.spoken.length")
    assert page.run("return window.spoken") == ["Your turn."]
    page.run("document.getElementById('voice-off').click()")


def test_a_phone_says_what_is_amiss_once(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    page.run(LISTEN)
    page.wait_for("document.getElementById('voice-all')")
    page.run("document.getElementById('voice-all').click(); window.spoken = []")
    for notice in (Notice("glare", "Light glares on a card."), Notice("glare", None), Notice("settling", "Wait.")):
        referee.ask(notice)
    referee.ask(Notice("glare", "Light glares on a card."))
    page.wait_for("document.querySelectorAll('.notice').length == 2")
    assert page.run("return window.spoken") == ["Light glares on a card."]
    page.run("document.getElementById('voice-off').click()")
