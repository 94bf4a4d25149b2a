"""Moves put right on the page in a real browser: painted anew, moved, taken back, and only the change told."""

from collections.abc import Callable
from typing import Any

import pytest

from companion.referee.messages import Begin, Do, Evidence, Propose
from companion.referee.referee import Referee
from companion.rules.engine import Header

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
    page.run("document.querySelector('.answer .rule').click()")
    page.wait_for("document.querySelector('#rule-stake.is-asked')")
    page.run("document.getElementById('sheet-close').click()")
    page.run("document.querySelector('.editor [role=status] button').click()")
    page.wait_for("document.body.dataset.phase == 'hedge'")
    assert len(referee.latest().moves) == 2
    assert [line for line in page.complaints() if "409" not in line] == []


TAP = "dispatchEvent(new MouseEvent('click', {bubbles: true}))"


def opened(page: Any, number: int) -> None:
    """Open a move of the list."""
    page.run(f"document.getElementById('moves').click(); document.getElementById('open-{number}').click()")
    page.wait_for("document.getElementById('correct')")


def test_a_card_that_was_forgotten_is_put_in_and_what_cannot_follow_is_taken_back(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Do({"cmd": "pass", "player": "Ana"}))
    page = visit(referee)
    opened(page, 5)
    page.run("document.getElementById('forgotten').click(); document.getElementById('forgotten-card').click()")
    page.wait_for("document.querySelector('#sheet [data-free]')")
    page.run(f"""document.querySelector('#sheet [data-free="0,-1"]').{TAP}""")
    page.wait_for("document.getElementById('lay')")
    page.run("document.getElementById('lay').click()")
    page.wait_for("document.querySelector('.editor > [role=status] button')")
    assert "Move 5" in page.run("return document.querySelector('.editor > [role=status]').textContent")
    page.run("document.querySelector('.editor > [role=status] button').click()")
    page.wait_for("!document.getElementById('sheet').open")
    assert [move.command["cmd"] for move in referee.latest().moves[4:]] == ["place"]
    assert "corrected by a phone" in page.run("return document.getElementById('history').textContent")


def test_a_card_laid_by_another_out_of_turn_is_put_right_with_the_pass_before_it(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Do(HEXEL))
    page = visit(referee)
    opened(page, 5)
    page.run("document.querySelectorAll('.editor .pick.name')[1].click(); document.getElementById('correct').click()")
    page.wait_for("document.querySelector('.editor [role=status] button')")
    assert "Ana passes." in page.run("return document.querySelector('.editor [role=status]').textContent")
    page.run("document.querySelector('.editor [role=status] button').click()")
    page.wait_for("!document.getElementById('sheet').open")
    stand = [(move.command["cmd"], move.command["player"]) for move in referee.latest().moves[4:]]
    assert stand == [("pass", "Ana"), ("place", "Bo")]


def test_a_set_of_comet_is_typed_anew(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("comet", ("Ana", "Bo"))))
    referee.ask(Do({"cmd": "round", "player": "Ana"}))
    referee.ask(Do({"cmd": "set", "player": "Ana", "pot": "Desten", "cards": [[4, 5, 10], [5, 5, 9]]}))
    page = visit(referee)
    opened(page, 2)
    page.run("document.getElementById('key-back').click(); document.getElementById('key-8').click();"
             "[...document.querySelectorAll('#sheet .pick')].find((b) => b.textContent == 'Vain').click();"
             "document.getElementById('correct').click()")  # fmt: skip
    page.wait_for("!document.getElementById('sheet').open")
    command = referee.latest().moves[1].command
    assert (command["pot"], command["cards"]) == ("Vain", [[4, 5, 10], [5, 5, 8]])
    assert page.complaints() == []


def test_a_card_of_hexapod_is_painted_anew_where_it_lay(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("hexapod", ("Ana", "Bo"))))
    card = {"cells": [["blue", "green"], ["gold", "leaf"]]}
    referee.ask(Do({"cmd": "play", "player": "Ana", "row": 1, "col": 2, "card": card}))
    page = visit(referee)
    opened(page, 1)
    page.wait_for("document.querySelectorAll('.spot-on.allowed').length == 16")
    page.run("document.getElementById('brush-moth').click(); document.querySelectorAll('.quarter')[2].click()")
    page.wait_for("document.querySelector('.placing [role=status]').textContent.includes('lays a card')")
    page.run("document.getElementById('correct').click()")
    page.wait_for("!document.getElementById('sheet').open")
    command = referee.latest().moves[0].command
    assert (command["row"], command["col"]) == (1, 2)
    assert command["card"] == {"cells": [["blue", "green"], ["moth", "moth"]]}
    assert page.complaints() == []


def test_what_the_camera_saw_is_put_right_before_it_counts(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Propose(HEXEL, Evidence(b"", 0.6)))
    page = visit(referee)
    page.wait_for("document.getElementById('change')")
    page.run("document.getElementById('change').click()")
    page.wait_for("document.querySelector('#sheet .edge-0')")
    page.run("document.querySelector('.edge-0').click(); document.querySelector('.edge-0').click();"
             "document.getElementById('lay').click()")  # fmt: skip
    page.wait_for("!document.getElementById('sheet').open && document.getElementById('proposal').hidden")
    assert referee.latest().moves[4].command["edges"] == ["blue", "void", "void", "void", "blue", "blue"]
    assert referee.latest().proposal is None


def test_a_tile_of_hexdragon_that_was_taken_for_another_is_picked_anew(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    referee.ask(Begin(Header("hexdragon", ("Ana", "Bo"))))
    session = referee.latest()
    laid = next(c for c in session.game.legal(session.state) if c["cmd"] == "place" and c["tile"]["kind"] == "body")
    referee.ask(Do(laid))
    page = visit(referee)
    opened(page, 1)
    page.run("document.getElementById('another-tile').click()")
    page.wait_for("document.getElementById('tile-1')")
    page.run("document.getElementById('tile-1').click(); document.getElementById('lay').click()")
    page.wait_for("!document.getElementById('sheet').open")
    corrected = referee.latest().moves[0].command
    assert corrected["cell"] == laid["cell"]
    assert corrected["tile"] != laid["tile"]
    assert page.complaints() == []
