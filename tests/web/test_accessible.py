"""axe-core over every page and dialog, by day and by night: no serious and no critical fault."""

from collections.abc import Callable
from typing import Any

import pytest

from companion.referee.messages import Begin, Do, Evidence, Notice, Propose, Undo
from companion.referee.referee import Referee
from companion.rules.engine import Header

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
HEXBA = {"cmd": "place", "player": "Bo", "cell": [2, -1], "edges": ["void", "void", "void", "void", "red", "void"]}
SET = {"cmd": "set", "player": "Ana", "pot": "Desten", "cards": [[4, 5, 10], [5, 5, 9]]}
CARD = {"cells": [["blue", "green"], ["gold", "leaf"]]}


def busy(referee: Referee) -> Referee:
    """Everything at once: a card that the rules refuse, notices, moves so far, something taken back."""
    referee.ask(Do(HEXEL))
    referee.ask(Notice("unsure", "A card cannot be read: turn it.", (0.9, 0.1)))
    referee.ask(Notice("camera-lost", "The camera is lost."))
    referee.ask(Propose({**HEXBA, "edges": ["red"] * 6}, Evidence(b"", 0.6)))
    return referee


@pytest.mark.parametrize("path", ["/", "/?code=ROSE42", "/board"])
def test_the_table_has_no_serious_fault(
    path: str, referee: Referee, visit: Callable[..., Any], faults: Callable[[], list[str]]
) -> None:
    if path == "/board":
        visit(busy(referee), path).screen(1920, 1080)
    else:
        visit(busy(referee), path)
    assert faults() == []


def test_the_page_of_an_error_has_no_serious_fault(
    referee: Referee, visit: Callable[..., Any], faults: Callable[[], list[str]]
) -> None:
    page = visit(referee)
    page.open(page.run("return location.origin") + "/nowhere")
    assert faults() == []


@pytest.mark.parametrize("path", ["/past", "/past/players", "/past/1"])
def test_past_games_have_no_serious_fault(
    path: str, referee: Referee, visit: Callable[..., Any], faults: Callable[[], list[str]]
) -> None:
    referee.ask(Do(HEXEL))
    for amends in (Do(HEXBA), Undo(referee.latest().version + 1)):
        referee.ask(amends)
    referee.ask(Begin(Header("hexapod", ("Ana", "Bo"))))
    page = visit(referee)
    page.open(page.run("return location.origin") + path)
    assert faults() == []


@pytest.mark.parametrize("game", ["hexdragon", "comet", "hexapod"])
def test_every_game_and_its_entry_by_hand_has_no_serious_fault(
    game: str, referee: Referee, visit: Callable[..., Any], faults: Callable[[], list[str]]
) -> None:
    referee.ask(Begin(Header(game, ("Ana", "Bo"))))
    for command in {
        "hexdragon": (),
        "comet": ({"cmd": "round", "player": "Ana"}, SET),
        "hexapod": ({"cmd": "play", "player": "Ana", "row": 0, "col": 0, "card": CARD},),
    }[game]:
        referee.ask(Do(command))
    page = visit(referee)
    page.run("document.getElementById('lay-by-hand').click()")
    if game == "hexdragon":
        assert faults() == []
        page.wait_for("document.querySelector('[data-free]')")
        page.run(
            """document.querySelector('[data-free="1,0"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))"""
        )
        page.wait_for("document.getElementById('tile-0')")
        page.run("document.getElementById('tile-0').click()")
    page.wait_for("document.querySelector('#lay')")
    assert faults() == []


def test_a_long_turning_up_has_no_serious_fault(
    referee: Referee, visit: Callable[..., Any], faults: Callable[[], list[str]]
) -> None:
    referee.ask(Begin(Header("comet", ("Ana", "Bo"))))
    for command in ({"cmd": "round", "player": "Ana"}, SET, {"cmd": "reveal"}):
        referee.ask(Do(command))
    page = visit(referee)
    assert page.run(
        "const { scrollHeight: all, clientHeight: shown } = document.getElementById('cloth'); return all > shown"
    )
    assert faults() == []


@pytest.mark.parametrize("number", [1, 2, 6])
def test_a_move_opened_for_the_operator_has_no_serious_fault(
    number: int, referee: Referee, visit: Callable[..., Any], faults: Callable[[], list[str]]
) -> None:
    referee.ask(Do(HEXEL))
    referee.ask(Do(HEXBA))
    page = visit(referee)
    page.run(f"document.getElementById('moves').click(); document.getElementById('open-{number}').click()")
    page.wait_for("document.getElementById('correct')")
    assert faults() == []


def test_beginning_another_game_has_no_serious_fault(
    referee: Referee, visit: Callable[..., Any], faults: Callable[[], list[str]]
) -> None:
    page = visit(referee)
    page.run("document.getElementById('this-phone').open = true; document.getElementById('another-game').click()")
    page.wait_for("document.getElementById('begin')")
    assert faults() == []
