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


def cards() -> tuple[DetectedCard, ...]:
    corners = np.full((6, 2), 100.0, np.float32)
    return tuple(
        DetectedCard((*one["cell"],), tuple(one["edges"]), corners, 0.9, 0.95, np.zeros((6, 4), np.float32))
        for one in LINE["cards"]
    )


def ended() -> Any:
    """A session of which nobody laid a card until they had run out."""
    state = hexel.start(Header("hexel", ("Ana", "Bo"), "36"))
    for command in (LINE, {"cmd": "stake", "player": "Ana", "amount": 1}):
        state, _ = hexel.apply(state, command)
    while (phase := hexel.view(state)["phase"]) != "over":
        command = hexel.legal(state)[0] if phase == "hedge" else hexel.next_step(state)
        state, _ = hexel.apply(state, command)
    return SimpleNamespace(game=hexel, state=state)


def seen(eyes: LatticeInterpreter, session: Any, lying: tuple[DetectedCard, ...] = ()) -> Any:
    tracker: Any = SimpleNamespace(cards=lying, active_notices={}, is_quiet=True)
    return eyes.interpret(tracker, session, SIZE).command


def test_a_next_game_that_was_rejected_is_not_proposed_again_while_the_table_is_bare() -> None:
    eyes, session = interpreter(), ended()
    assert seen(eyes, session, cards()) is None
    assert seen(eyes, session) == {"cmd": "next-game"}
    eyes.note_rejection({"cmd": "next-game"}, session)
    assert seen(eyes, session) is None
    assert seen(eyes, session, cards()) is None
    assert seen(eyes, session) == {"cmd": "next-game"}
