"""A cleared table means the next game; where people say that it does not, it does not until cards lay there again."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from companion.games.hexel.interpretation import interpreter
from companion.games.hexel.rules import game as hexel
from companion.interpretation.lattice import LatticeInterpreter
from companion.rules.engine import Header
from companion.vision.results import DetectedCard

SIZE = (640, 480)
LINE = hexel.legal(hexel.start(Header("hexel", ("Ana", "Bo"), "36")))[0]


def cards(line: Any = LINE) -> tuple[DetectedCard, ...]:
    corners = np.full((6, 2), 100.0, np.float32)
    return tuple(
        DetectedCard((*one["cell"],), tuple(one["edges"]), corners, 0.9, 0.95, np.zeros((6, 4), np.float32))
        for one in line["cards"]
    )


def ended() -> Any:
    """A session of which nobody laid a card until they had run out."""
    state = hexel.start(Header("hexel", ("Ana", "Bo"), "36"))
    for command in (LINE, {"cmd": "stake", "player": "Ana", "amount": 1}):
        state, _ = hexel.apply(state, command)
    while (phase := hexel.view(state)["phase"]) != "over":
        command = hexel.legal(state)[0] if phase == "hedge" else hexel.next_step(state)
        state, _ = hexel.apply(state, command)
    return SimpleNamespace(game=hexel, state=state, amendments=())


def seen(eyes: LatticeInterpreter, session: Any, lying: tuple[DetectedCard, ...] = ()) -> Any:
    tracker: Any = SimpleNamespace(cards=lying, active_notices={}, is_quiet=True)
    return eyes.interpret(tracker, session, SIZE).command


def next_game_over_the_last(eyes: LatticeInterpreter) -> SimpleNamespace:
    """The game that follows one of which the cards still lie there, seen so."""
    session = ended()
    assert seen(eyes, session, cards()) is None
    begun, _ = hexel.apply(session.state, {"cmd": "next-game"})
    following = SimpleNamespace(game=hexel, state=begun, amendments=())
    assert seen(eyes, following, cards()) is None
    return following


def test_a_next_game_that_was_rejected_is_not_proposed_again_while_the_table_is_bare() -> None:
    eyes, session = interpreter(), ended()
    assert seen(eyes, session, cards()) is None
    assert seen(eyes, session) == {"cmd": "next-game"}
    eyes.note_rejection({"cmd": "next-game"}, session)
    assert seen(eyes, session) is None
    assert seen(eyes, session, cards()) is None
    assert seen(eyes, session) == {"cmd": "next-game"}


def test_cards_of_a_game_that_is_over_are_no_line_of_the_next() -> None:
    eyes = interpreter()
    following = next_game_over_the_last(eyes)
    for card in cards():
        eyes.note_change({"event": "moved", "cell": card.cell})
    assert seen(eyes, following, cards()) == LINE


def test_a_card_of_the_game_before_that_is_carried_elsewhere_is_left_no_more_where_it_lay() -> None:
    eyes = interpreter()
    following = next_game_over_the_last(eyes)
    for card in cards():
        eyes.note_change({"event": "moved", "cell": [9, 9], "from": card.cell})
    assert seen(eyes, following, cards()) == LINE


def test_a_line_that_was_taken_back_while_it_lies_is_asked_for_again() -> None:
    eyes, start = interpreter(), hexel.start(Header("hexel", ("Ana", "Bo"), "36"))
    laid, _ = hexel.apply(start, LINE)
    assert seen(eyes, SimpleNamespace(game=hexel, state=laid, amendments=()), cards()) is None
    assert seen(eyes, SimpleNamespace(game=hexel, state=start, amendments=("undo",)), cards()) == LINE


def test_three_other_cards_laid_in_the_place_of_the_old_ones_are_the_line_of_the_next_game() -> None:
    eyes, session = interpreter(), ended()
    other = hexel.legal(hexel.start(Header("hexel", ("Ana", "Bo"), "36")))[1]
    assert seen(eyes, session, cards()) is None
    assert seen(eyes, session, cards(other)) is None
    begun, _ = hexel.apply(session.state, {"cmd": "next-game"})
    assert seen(eyes, SimpleNamespace(game=hexel, state=begun, amendments=()), cards(other)) == other
