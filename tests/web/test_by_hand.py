"""Whole games entered on the phone, without a camera: what each game's own entry puts into a command."""

from collections.abc import Callable
from typing import Any

import pytest

from companion.referee.messages import Begin, Do
from companion.referee.referee import Referee
from companion.rules.engine import Header

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of the browser's driver at the end of the run

PLAYERS = ("Ana", "Bo")
OPENING = (
    {"cmd": "stake", "player": "Ana", "amount": 3},
    {"cmd": "hedge", "player": "Ana", "amount": 6},
    {"cmd": "hedge", "player": "Bo", "amount": 9},
)


def click(*selectors: str) -> str:
    return ";".join(f"document.querySelector('{selector}').click()" for selector in selectors)


def test_a_round_of_comet_is_dealt_laid_and_turned_up_by_hand(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("comet", PLAYERS)))
    page = visit(referee)
    page.run("[...document.querySelectorAll('#actions button')].find((b) => b.textContent.includes('Deal')).click()")
    page.wait_for("document.body.dataset.phase == 'lay' && document.getElementById('lay-by-hand')")
    page.run(click("#lay-by-hand"))
    page.wait_for("document.getElementById('key-14')")
    page.run(click(*(f"#key-{n}" for n in (4, 5, 10, 5, 5, 9, 2)), "#key-back"))
    page.run("[...document.querySelectorAll('#sheet .pick')].find((b) => b.textContent == 'Kinro').click()")
    page.run(click("#lay"))
    page.wait_for("!document.getElementById('sheet').open && document.querySelector('.laid')")
    assert referee.latest().moves[-1].command == {
        "cmd": "set", "player": "Ana", "pot": "Kinro", "cards": [[4, 5, 10], [5, 5, 9]],
    }  # fmt: skip
    page.run("[...document.querySelectorAll('#actions button')].find((b) => b.textContent.includes('Turn up')).click()")
    page.wait_for("document.body.dataset.phase == 'between'")
    assert page.complaints() == []


def test_a_set_that_is_none_stays_open_and_says_why(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("comet", PLAYERS)))
    referee.ask(Do({"cmd": "round", "player": "Ana"}))
    page = visit(referee)
    page.run(click("#lay-by-hand"))
    page.wait_for("document.getElementById('lay')")
    page.run(click("#key-4", "#key-4", "#key-5", "#lay"))
    page.wait_for("document.querySelector('#sheet .foretold').textContent.includes('A set is')")
    assert page.run("return document.getElementById('sheet').open")


def test_a_card_of_hexapod_is_painted_and_laid_where_the_rules_allow_it(
    referee: Referee, visit: Callable[..., Any], window: Any
) -> None:
    window.screen(320, 640)
    referee.ask(Begin(Header("hexapod", PLAYERS)))
    card = {"cells": [["blue", "green"], ["gold", "leaf"]]}
    referee.ask(Do({"cmd": "play", "player": "Ana", "row": 0, "col": 0, "card": card}))
    referee.ask(Do({"cmd": "pass", "player": "Bo"}))
    page = visit(referee)
    page.run(click("#lay-by-hand"))
    page.wait_for("document.getElementById('brush-stag')")
    page.run("const cells = document.querySelectorAll('.quarter');"
             "document.getElementById('brush-leaf').click(); cells[0].click(); cells[1].click();"
             "document.getElementById('brush-stag').click(); cells[3].click();"
             "document.getElementById('brush-leaf').click(); cells[0].click(); cells[2].click();")  # fmt: skip
    page.wait_for("document.querySelectorAll('.spot-on.allowed').length")
    allowed = page.run("return [...document.querySelectorAll('.spot-on.allowed')].map((e) => e.dataset.place)")
    assert allowed == ["0,1", "1,1"]
    tap = "dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    page.run(f"""document.querySelector('[data-place="1,1"]').{tap}""")
    assert "leaf" in page.run("return document.querySelector('.placing [role=status]').textContent")
    assert page.run("return document.documentElement.scrollWidth") <= 320
    page.run(click("#lay"))
    page.wait_for("!document.getElementById('sheet').open")
    laid = referee.latest().moves[-1].command
    assert (laid["row"], laid["col"]) == (1, 1)
    assert laid["card"] == {"cells": [["leaf", "stag"], ["leaf", "stag"]]}
    assert page.complaints() == []


def test_an_empty_card_of_hexapod_is_no_mistake_yet(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("hexapod", PLAYERS)))
    page = visit(referee)
    page.run(click("#lay-by-hand"))
    page.wait_for("document.getElementById('lay')")
    assert page.run("return document.getElementById('lay').disabled")
    assert not page.run("return document.querySelector('.foretold.refused')")


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (1280, 800)])
def test_hexapods_cases_are_seen_whole_on_a_tablet(
    referee: Referee, visit: Callable[..., Any], window: Any, width: int, height: int
) -> None:
    window.screen(width, height)
    referee.ask(Begin(Header("hexapod", PLAYERS)))
    page = visit(referee)
    page.wait_for("document.querySelectorAll('.case .picture').length == 2")
    assert page.run("const cloth = document.getElementById('cloth'); return cloth.scrollHeight <= cloth.clientHeight")


def test_entering_a_card_ends_where_another_game_begins(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    page.run(click("#lay-by-hand"))
    page.wait_for("document.querySelectorAll('.place').length")
    page.run("document.querySelector('.place').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    page.wait_for("document.getElementById('lay')")
    referee.ask(Begin(Header("comet", PLAYERS)))
    page.wait_for("document.body.dataset.game == 'comet' && !document.getElementById('sheet').open")
    assert page.complaints() == []


def test_a_whole_beginning_of_hexel_is_entered_without_a_camera(
    table: Callable[..., Referee], visit: Callable[..., Any]
) -> None:
    referee = table()
    page = visit(referee)
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.getElementById('lay')")
    page.run("document.getElementById('lay').click()")
    page.wait_for("document.body.dataset.phase == 'stake'")
    for command in OPENING:
        referee.ask(Do(command))
    page.wait_for("document.body.dataset.phase == 'play'")
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.querySelectorAll('.place').length == 10")
    page.run("""document.querySelector('[data-free="0,-1"]').focus();
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))""")
    page.wait_for("document.getElementById('lay')")
    assert page.run("return document.querySelector('.edge-4').ariaLabel") == "south-west: blue"
    page.run("document.getElementById('lay').click()")
    page.wait_for("document.querySelectorAll('#cloth .card').length == 4")
    assert referee.latest().moves[-1].command["player"] == "Ana"
    assert page.complaints() == []


def test_a_card_lies_in_its_cell_before_it_counts(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.querySelector('.place')")
    page.run("""document.querySelector('[data-free="0,-1"]').dispatchEvent(new MouseEvent('click', {bubbles: true}))""")
    page.wait_for("""document.querySelector('#sheet .where .ghost:not(.refused)[data-cell="0,-1"]')""")
    page.run("document.querySelector('#sheet .edge-4').click()")
    page.wait_for("document.querySelector('#sheet .where .ghost.refused')")


def test_a_painted_card_that_the_rules_refuse_stays_open_and_says_why(
    referee: Referee, visit: Callable[..., Any]
) -> None:
    page = visit(referee)
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.querySelector('.place')")
    tap = "dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    page.run(f"""document.querySelector('[data-free="0,-1"]').{tap}""")
    page.wait_for("document.getElementById('lay')")
    page.run("document.querySelector('.edge-4').click(); document.getElementById('lay').click()")
    page.wait_for("document.querySelector('#sheet .foretold.refused')")
    assert page.run("return document.getElementById('sheet').open")
    assert len(referee.latest().moves) == 4


def test_a_tile_of_hexdragon_is_picked_turned_and_laid_by_hand(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("hexdragon", ("Ana", "Bo"))))
    page = visit(referee)
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.querySelectorAll('.place').length == 18")
    tap = "dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    page.run(f"""document.querySelector('[data-free="1,0"]').{tap}""")
    page.wait_for("document.getElementById('tile-1')")
    page.run("document.getElementById('tile-1').click(); document.getElementById('turn-tile').click();"
             "document.getElementById('lay').click()")  # fmt: skip
    page.wait_for("document.querySelectorAll('#cloth .dragon').length == 2 && !document.getElementById('sheet').open")
    assert referee.latest().moves[-1].command["cell"] == [1, 0]
    assert page.complaints() == []


def press(page: Any, words: str) -> None:
    """Press the button that says so, once it is there."""
    button = f"[...document.querySelectorAll('#actions button')].find((b) => b.textContent.includes('{words}'))"
    page.wait_for(button)
    page.run(f"{button}.click()")


def typed(page: Any, player: str, pot: str, *numbers: int) -> None:
    """Type a set of Comet."""
    page.wait_for("document.getElementById('lay-by-hand') && !document.getElementById('sheet').open")
    page.run(click("#lay-by-hand"))
    page.wait_for("document.getElementById('key-2')")
    for words in (player, pot):
        page.run(f"[...document.querySelectorAll('#sheet .pick')].find((b) => b.textContent == '{words}').click()")
    page.run(click(*(f"#key-{n}" for n in numbers), "#lay"))
    page.wait_for("!document.getElementById('sheet').open")


def test_a_whole_game_of_comet_is_played_without_a_camera(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("comet", PLAYERS)))
    page = visit(referee)
    press(page, "Deal a round")
    page.wait_for("document.body.dataset.phase == 'lay'")
    typed(page, "Ana", "Desten", 4, 5, 6, 7, 7, 7)
    typed(page, "Bo", "Desten", 2, 3, 4, 5, 9, 9)
    typed(page, "Bo", "Vain", 14, 14, 14)
    page.wait_for("document.querySelector('#actions [id^=roll-0-]')")
    page.run(click("#roll-0-1"))
    page.wait_for("document.getElementById('call').textContent.includes('Bo puts a card aside')")
    press(page, "Turn up")
    page.wait_for("document.body.dataset.phase == 'between'")
    press(page, "with the Tail")
    page.wait_for("document.body.dataset.phase == 'lay'")
    typed(page, "Ana", "The Tail", 8, 8, 8)
    press(page, "Turn up")
    page.wait_for("document.body.dataset.phase == 'between'")
    press(page, "End the game")
    page.wait_for("document.body.dataset.phase == 'over'")
    session = referee.latest()
    assert session.game.view(session.state)["result"] == {"ranking": [["Ana"], ["Bo"]]}
    assert page.complaints() == []


def painted(page: Any, kind: str, moves: int) -> None:
    """Paint a card of Hexapod in one kind and lay it where the rules allow it first."""
    page.wait_for("document.getElementById('lay-by-hand')")
    page.run(click("#lay-by-hand"))
    page.wait_for(f"document.getElementById('brush-{kind}')")
    page.run(click(f"#brush-{kind}") + ";document.querySelectorAll('.quarter').forEach((cell) => cell.click())")
    page.wait_for("document.querySelector('.spot-on.allowed.is-chosen')")
    page.run(click("#lay"))
    page.wait_for(f"!document.getElementById('sheet').open && document.getElementById('open-{moves}')")


def test_a_whole_game_of_hexapod_is_played_without_a_camera(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("hexapod", PLAYERS)))
    page = visit(referee)
    painted(page, "gold", 1)
    painted(page, "moth", 2)
    press(page, "Spend a coin")
    page.wait_for("document.getElementById('open-3')")
    painted(page, "gold", 4)
    press(page, "The Spider is up")
    page.wait_for("document.getElementById('open-5')")
    painted(page, "moth", 6)
    page.wait_for("document.body.dataset.phase == 'last-turn'")
    press(page, "Pass")
    page.wait_for("document.body.dataset.phase == 'over'")
    session = referee.latest()
    assert session.game.view(session.state)["result"]["winners"] == ["Ana"]
    assert page.complaints() == []


TAP = "dispatchEvent(new MouseEvent('click', {bubbles: true}))"


def test_a_face_that_lies_on_the_table_is_not_offered_in_hexel(referee: Referee, visit: Callable[..., Any]) -> None:
    page = visit(referee)
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.querySelector('.place')")
    page.run(f"""document.querySelector('[data-free="0,-1"]').{TAP}""")
    page.wait_for("document.getElementById('lay') && !document.getElementById('lay').disabled")
    page.run("for (const d of [0, 1, 2, 3, 4, 5]) { const edge = document.querySelector(`.edge-${d}`);"
             "const wanted = d == 1 ? 'red' : 'blue';"
             "while (!edge.ariaLabel.endsWith(wanted)) edge.click(); }")  # fmt: skip
    page.wait_for("document.querySelector('.foretold.refused')?.textContent.includes('on the table already')")
    assert page.run("return document.getElementById('lay').disabled")
    page.run("document.querySelector('.edge-2').click()")
    page.wait_for("!document.getElementById('lay').disabled")


def test_a_card_that_lies_on_the_table_cannot_be_typed_in_comet(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("comet", PLAYERS)))
    for command in ({"cmd": "round", "player": "Ana"},
                    {"cmd": "set", "player": "Bo", "pot": "Kinro", "cards": [[4, 5, 10], [5, 5, 9]]}):  # fmt: skip
        referee.ask(Do(command))
    page = visit(referee)
    page.run("document.getElementById('lay-by-hand').click()")
    page.wait_for("document.getElementById('key-14')")
    withheld = "return [...document.querySelectorAll('.key:disabled')].map((key) => key.id)"
    assert page.run("return document.getElementById('lay').disabled"), "nothing is typed yet, and nothing is wrong"
    assert not page.run("return document.querySelector('.foretold').textContent")
    page.run(click("#key-10", "#key-5"))
    assert page.run(withheld) == ["key-4"]
    page.run(click("#key-6"))
    assert page.run(withheld) == []
    page.run(click("#key-5", "#key-6"))
    assert page.run(withheld) == ["key-10"], "nor twice in one set"


def test_a_tile_that_is_used_up_is_not_offered_in_hexdragon(referee: Referee, visit: Callable[..., Any]) -> None:
    referee.ask(Begin(Header("hexdragon", PLAYERS)))
    page = visit(referee)

    def offered(cell: str) -> int:
        page.wait_for(f"""document.querySelector('[data-free="{cell}"]')""")
        page.run(f"""document.querySelector('[data-free="{cell}"]').{TAP}""")
        page.wait_for("document.querySelector('#sheet[open] .tiles')")
        number = page.run("return document.querySelectorAll('.tiles > li').length")
        page.run(click("#sheet-close"))
        return int(number)

    page.run("document.getElementById('lay-by-hand').click()")
    before = offered("1,0")
    session = referee.latest()
    head = next(one for one in session.game.legal(session.state) if one.get("tile", {}).get("kind") == "head")
    referee.ask(Do(head))
    body = {"cmd": "place", "player": "Bo", "cell": [0, 1], "tile": {"kind": "body", "paths": [[0, 3], [1, 4], [2, 5]]}}
    referee.ask(Do(body))
    page.wait_for("document.querySelectorAll('#cloth .dragon').length == 3")
    assert offered("0,-1") == before - 1


def test_the_first_card_of_hexapod_may_be_any(referee: Referee, visit: Callable[..., Any]) -> None:
    """Its rules know of no deck: any face may be laid again."""
    referee.ask(Begin(Header("hexapod", PLAYERS)))
    page = visit(referee)
    painted(page, "gold", 1)
    painted(page, "gold", 2)
    assert [move.command["card"]["cells"][0][0] for move in referee.latest().moves] == ["gold", "gold"]
