"""Corrections while others go on playing: they hold after later moves, answer at the finger, and say when outdated."""

from collections.abc import Callable
from typing import Any

import pytest

from companion.referee.messages import Correct, Do
from companion.referee.moves import Change
from companion.referee.referee import Referee

HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
HEXBA = {"cmd": "place", "player": "Bo", "cell": [2, -1], "edges": ["void", "void", "void", "void", "red", "void"]}
PAINTED = {**HEXEL, "edges": ["blue", "void", "void", "void", "blue", "blue"]}

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run


def opened(page: Any, number: int) -> None:
    page.run(f"document.getElementById('moves').click(); document.getElementById('open-{number}').click()")
    page.wait_for("document.getElementById('correct')")


def test_a_correction_holds_when_another_move_arrived_meanwhile(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Do(HEXEL))
    page = visit(referee)
    opened(page, 5)
    referee.ask(Do(HEXBA))
    page.run("for (let n = 0; n < 2; n += 1) document.querySelector('.edge-0').click();"
             "document.getElementById('correct').click()")  # fmt: skip
    page.wait_for("!document.getElementById('sheet').open")
    assert referee.latest().moves[4].command["edges"] == PAINTED["edges"]
    assert referee.latest().moves[5].command["player"] == "Bo"


def test_what_comes_of_a_correction_is_said_at_the_button_that_was_pressed(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Do(HEXEL))
    page = visit(referee)
    opened(page, 2)
    page.run("document.getElementById('something-else').click();"
             "document.getElementById('take-out').scrollIntoView({block: 'center'});"
             "document.getElementById('take-out').click()")  # fmt: skip
    page.wait_for("document.querySelector('.answer')?.textContent.includes('Move 3')")
    between, is_seen = page.run("""
      const [button, answer] = [document.getElementById('take-out'), document.querySelector('.answer')]
        .map((element) => element.getBoundingClientRect());
      return [answer.top - button.bottom, answer.top >= 0 && answer.bottom <= innerHeight]""")
    assert 0 <= between < 40
    assert is_seen


def refused_in_the_dialog(page: Any) -> None:
    """Take a move out that others rest on."""
    opened(page, 2)
    page.run("document.getElementById('something-else').click(); document.getElementById('take-out').click()")
    page.wait_for("document.querySelector('.answer button') && !document.body.classList.contains('is-busy')")


def ask_for_a_rule_in_vain(page: Any) -> None:
    """Press what has no place for an answer: that it does not come is said in a toast."""
    page.run("const send = window.fetch; window.fetch = (...asked) => asked[0].includes('/api/howto')"
             " ? Promise.reject(new TypeError('offline')) : send(...asked);"
             "document.querySelector('.answer .rule').click()")  # fmt: skip
    page.wait_for("!document.getElementById('toast').hidden")


def test_why_a_correction_is_refused_is_said_once(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Do(HEXEL))
    page = visit(referee)
    refused_in_the_dialog(page)
    assert page.run("return document.getElementById('toast').hidden")


def test_why_a_correction_is_refused_is_said_though_its_dialog_was_closed_meanwhile(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Do(HEXEL))
    page = visit(referee)
    opened(page, 2)
    page.run("document.getElementById('something-else').click(); document.getElementById('take-out').click();"
             "document.getElementById('sheet-close').click()")  # fmt: skip
    page.wait_for("document.getElementById('toast').textContent.includes('Move 3')")


def test_a_toast_stands_above_an_open_dialog(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Do(HEXEL))
    page = visit(referee)
    refused_in_the_dialog(page)
    ask_for_a_rule_in_vain(page)
    assert page.run("""
      const toast = document.getElementById('toast');
      const { left, top, width, height } = toast.getBoundingClientRect();
      const style = getComputedStyle(toast);
      return document.getElementById('sheet').open && toast.matches(':popover-open')
        && height > 20 && top > innerHeight / 2 && top + height <= innerHeight && left >= 0 && width <= innerWidth""")


def test_what_is_said_for_a_moment_covers_no_answer_in_a_dialog_and_goes_when_tapped(
    referee: Referee, visit: Callable[..., Any], window: Any
) -> None:
    """It hid for six seconds the very button that leads on from a refused correction."""
    window.screen(360, 640)
    referee.ask(Do(HEXEL))
    page = visit(referee)
    refused_in_the_dialog(page)
    ask_for_a_rule_in_vain(page)
    box = "document.querySelector('{}').getBoundingClientRect()"
    page.wait_for(f"{box.format('.answer')}.bottom <= {box.format('#toast')}.top")
    assert page.run(f"return {box.format('.answer')}.top") > 0
    left, top = page.run(f"const {{ left, top }} = {box.format('#toast')}; return [left, top]")
    page.tap(left + 20, top + 20)
    page.wait_for("document.getElementById('toast').hidden")


def test_a_sheet_that_somebody_elses_press_made_outdated_says_so_at_once(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Do(HEXEL))
    page = visit(referee)
    opened(page, 5)
    referee.ask(Correct(Change(5, 1, (PAINTED,)), None, "Bo"))
    page.wait_for("document.querySelector('.outdated:not([hidden])')")
    assert "corrected by Bo" in page.run("return document.querySelector('.outdated').textContent")
    assert page.run("return document.getElementById('correct').matches('[inert] *')")
    page.run("document.getElementById('open-anew').click()")
    page.wait_for("document.querySelector('#correct:not([inert] *)')")
    assert page.run("return document.querySelector('.edge-0').ariaLabel") == "east: blue"


def test_a_card_being_entered_is_judged_anew_when_the_turn_has_passed(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    tap = "dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.querySelector('[data-free]')")
    page.run(f"""document.querySelector('[data-free="0,-1"]').{tap}""")
    page.wait_for("document.querySelector('.foretold')?.textContent.includes('Ana lays a card')")
    referee.ask(Do({"cmd": "pass", "player": "Ana"}))
    page.wait_for("document.querySelector('.foretold.refused')?.textContent.includes('turn')")
    assert page.run("return document.getElementById('sheet').open")
    page.run("document.getElementById('lay').click()")
    page.wait_for("!document.body.classList.contains('is-busy')")
    assert page.run("return document.getElementById('toast').hidden"), "said already, above the button"
    assert page.run("return document.querySelector('.foretold.refused').textContent.includes('turn')")
