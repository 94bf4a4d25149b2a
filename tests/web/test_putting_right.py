"""Moves put right on the page in a real browser: painted anew, moved, taken back, and only the change told."""

from collections.abc import Callable
from typing import Any

import pytest

from companion.referee.messages import Do
from companion.referee.referee import Referee

HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run


def test_a_card_that_was_tapped_is_painted_anew_and_only_the_change_is_told(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Do({**HEXEL, "edges": ["void"] * 4 + ["blue", "blue"]}))
    page = visit(referee)
    tap = "dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    page.run(f"""document.querySelector('[data-cell="0,-1"]').{tap}""")
    page.wait_for("document.getElementById('sheet').open && document.querySelector('.edge-0')")
    page.run("document.querySelector('.edge-0').click(); document.querySelector('.edge-0').click()")
    assert page.run("return document.querySelector('.edge-0').ariaLabel") == "east: blue"
    page.run("document.getElementById('correct').click()")
    page.wait_for("!document.getElementById('sheet').open && document.querySelector('#call .kicker')")
    assert "still Hexel" in page.run("return document.getElementById('call').textContent")
    assert referee.latest().moves[4].command["edges"][0] == "blue"
    page.run("document.getElementById('undo').click()")
    page.wait_for("document.getElementById('redo')")
    assert referee.latest().moves[4].command["edges"][0] == "void"
    page.run("document.getElementById('redo').click()")
    page.wait_for("!document.getElementById('redo')")
    assert referee.latest().moves[4].command["edges"][0] == "blue"
    assert page.complaints() == []


def test_a_card_is_put_in_another_cell_by_tapping_it(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Do(HEXEL))
    page = visit(referee)
    page.run("document.getElementById('moves').click(); document.getElementById('open-5').click()")
    page.wait_for("document.getElementById('elsewhere')")
    page.run("document.getElementById('elsewhere').click()")
    tap = "dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    page.run(f"""document.querySelector('#sheet [data-free="-1,1"]').{tap}""")
    page.run("document.querySelector('.edge-1').click(); document.querySelector('.edge-1').click();"
             "document.querySelector('.edge-2').click(); document.querySelector('.edge-2').click();"
             "document.getElementById('correct').click()")  # fmt: skip
    page.wait_for("!document.getElementById('sheet').open")
    corrected = referee.latest().moves[4].command
    assert (corrected["cell"], corrected["edges"][1:3]) == ([-1, 1], ["blue", "blue"])
    assert page.complaints() == []


def test_a_correction_that_breaks_a_later_move_says_which_and_offers_to_go_back_there(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    page.run("document.getElementById('moves').click(); document.getElementById('open-2').click()")
    page.wait_for("document.getElementById('edit-amount')")
    page.run("const input = document.getElementById('edit-amount'); input.value = 4;"
             "input.dispatchEvent(new Event('input')); document.getElementById('correct').click()")  # fmt: skip
    page.wait_for("document.querySelector('.editor [role=status] button')")
    assert "Move 3" in page.run("return document.querySelector('.editor [role=status]').textContent")
    page.run("document.querySelector('.editor [role=status] button').click()")
    page.wait_for("document.body.dataset.phase == 'hedge'")
    assert len(referee.latest().moves) == 2
    assert [line for line in page.complaints() if "409" not in line] == []
