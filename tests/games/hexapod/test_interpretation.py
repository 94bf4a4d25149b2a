"""What display cases mean: whose each is, and which card was laid; empty and doubtful cells say nothing."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.games.hexapod.interpretation import CaseInterpreter
from companion.games.hexapod.vision.results import DetectedField
from companion.referee.messages import Do
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header

SIZE = (1000, 500)
EMPTY = ((None,) * 5,) * 5
FIRST = {(1, 1): "blue", (1, 2): "gold", (2, 1): "green", (2, 2): "dung"}
CARD = {"cells": [["blue", "gold"], ["green", "dung"]]}


def field(cells: Any, x: float, doubtful: tuple[tuple[int, int], ...] = (), side: float = 200) -> DetectedField:
    corners = np.array([(x, 100), (x + side, 100), (x + side, 100 + side), (x, 100 + side)], np.float32)
    doubt = tuple(tuple((r, c) in doubtful for c in range(5)) for r in range(5))
    return DetectedField(corners, cells, doubt, 0.97, is_case=True)


def showing(kinds: dict[tuple[int, int], str]) -> Any:
    return tuple(tuple(kinds.get((r, c)) for c in range(5)) for r in range(5))


def loose(cells: Any) -> DetectedField:
    corners = np.array([(500, 100), (540, 100), (540, 140), (500, 140)], np.float32)
    return DetectedField(corners, cells, ((False,) * 2,) * 2, 0.97, is_case=False)


class TableTracker:
    is_quiet = True

    def __init__(self, *cards: DetectedField) -> None:
        self.cards: Any = cards
        self.active_notices: dict[str, str] = {}

    def step(self, bgr: np.ndarray) -> list[dict[str, Any]]:
        return []


@pytest.fixture
def referee(tmp_path: Path) -> Any:
    header = Header("hexapod", ("Ana", "Bo"))
    table = open_table(tmp_path, header, header)
    table.start()
    yield table
    table.stop()


def seen(interpreter: CaseInterpreter, referee: Referee, *fields: DetectedField) -> Any:
    return interpreter.interpret(TableTracker(*fields), referee.latest(), SIZE)


def test_the_first_card_is_read_in_the_left_case_which_is_the_first_players(referee: Referee) -> None:
    interpretation = seen(CaseInterpreter(), referee, field(EMPTY, 600), field(showing(FIRST), 100))
    assert interpretation.command == {"cmd": "play", "player": "Ana", "row": 1, "col": 1, "card": CARD}
    assert np.allclose(interpretation.new_cards[0].corners[[0, 2]], [(140, 140), (220, 220)])


def test_a_case_keeps_its_owner_when_the_two_change_places(referee: Referee) -> None:
    interpreter = CaseInterpreter()
    referee.ask(Do(seen(interpreter, referee, field(showing(FIRST), 100), field(EMPTY, 600)).command))
    referee.ask(Do({"cmd": "pass", "player": "Bo"}))
    more = FIRST | {(2, 3): "blue", (3, 2): "gold", (3, 3): "gold"}
    command = seen(interpreter, referee, field(EMPTY, 100), field(showing(more), 600)).command
    assert (command["player"], command["row"], command["col"]) == ("Ana", 2, 2)


def test_zones_with_the_players_names_say_whose_an_empty_case_is(referee: Referee) -> None:
    interpreter = CaseInterpreter()
    interpreter.note_zones(lambda point: "bo" if point[0] < 500 else "ana")
    assert seen(interpreter, referee, field(showing(FIRST), 100), field(EMPTY, 600)).command["player"] == "Bo"


def test_a_cell_that_cannot_be_read_holds_the_card_back_and_is_shown(referee: Referee) -> None:
    kinds = {at: kind for at, kind in FIRST.items() if at != (2, 2)}
    interpretation = seen(CaseInterpreter(), referee, field(showing(kinds), 100, doubtful=((2, 2),)), field(EMPTY, 600))
    assert interpretation.command is None
    assert interpretation.notices["unsure"].at == pytest.approx((0.2, 0.4))


def test_a_cell_that_cannot_be_read_is_no_news_once_its_card_was_entered(referee: Referee) -> None:
    interpreter = CaseInterpreter()
    laid = {"event": "placed", "board": 0, "row": 1, "col": 1, "cells": [["blue", "gold"], ["green", None]]}
    interpreter.note_change(laid)
    referee.ask(Do({"cmd": "play", "player": "Ana", "row": 1, "col": 1, "card": CARD}))
    referee.ask(Do({"cmd": "pass", "player": "Bo"}))
    kinds = {at: kind for at, kind in FIRST.items() if at != (2, 2)}
    right, unread = field(EMPTY, 600), ((2, 2),)
    assert "unsure" not in seen(interpreter, referee, field(showing(kinds), 100, unread), right).notices
    for place in ((3, 2), (3, 3)):
        cells = [["blue", "blue"], ["blue", "blue"]] if place == (3, 2) else [["leaf", "leaf"], ["leaf", "leaf"]]
        interpreter.note_change({"event": "placed", "board": 0, "row": place[0], "col": place[1], "cells": cells})
    more = kinds | {(3, 2): "blue", (4, 2): "blue", (3, 3): "leaf", (3, 4): "leaf", (4, 3): "leaf", (4, 4): "leaf"}
    command = seen(interpreter, referee, field(showing(more), 100, unread), right).command
    assert (command["row"], command["col"]) == (3, 2), "it holds the next ones back no more"


def test_what_was_rejected_stays_so_until_the_case_shows_something_else(referee: Referee) -> None:
    interpreter = CaseInterpreter()
    left = field(showing(FIRST), 100)
    command = seen(interpreter, referee, left, field(EMPTY, 600)).command
    interpreter.note_rejection(command, referee.latest())
    assert seen(interpreter, referee, left, field(EMPTY, 600)).command is None
    assert seen(interpreter, referee, field(EMPTY, 100), field(EMPTY, 600)).command is None
    assert seen(interpreter, referee, left, field(EMPTY, 600)).command == command


def test_a_card_that_was_put_right_is_not_proposed_as_it_is_misread_and_the_next_one_is(referee: Referee) -> None:
    interpreter, right = CaseInterpreter(), field(EMPTY, 600)
    misread = {**FIRST, (1, 2): "green"}
    interpreter.note_change(
        {"event": "placed", "board": 0, "row": 1, "col": 1, "cells": [["blue", "green"], ["green", "dung"]]}
    )
    command = seen(interpreter, referee, field(showing(misread), 100), right).command
    referee.ask(Do({"cmd": "play", "player": "Ana", "row": 1, "col": 1, "card": CARD}))
    interpreter.note_correction(command, referee.latest())
    interpretation = seen(interpreter, referee, field(showing(misread), 100), right)
    assert (interpretation.command, dict(interpretation.notices)) == (None, {})
    referee.ask(Do({"cmd": "pass", "player": "Bo"}))
    cells = [["dung", "blue"], ["blue", "blue"]]
    interpreter.note_change({"event": "placed", "board": 0, "row": 2, "col": 2, "cells": cells})
    left = field(showing({**misread, (2, 3): "blue", (3, 2): "blue", (3, 3): "blue"}), 100)
    assert seen(interpreter, referee, left, right).command == {
        "cmd": "play", "player": "Ana", "row": 2, "col": 2, "card": {"cells": cells}
    }  # fmt: skip


def test_a_put_right_card_in_a_full_case_is_not_explained_by_another(referee: Referee) -> None:
    full = tuple((row, col) for row in range(4) for col in range(4))
    for row, col in ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2)):
        referee.ask(Do({"cmd": "play", "player": "Ana", "row": row, "col": col, "card": {"cells": [["blue"] * 2] * 2}}))
        if (row, col) == (0, 0):
            referee.ask(Do({"cmd": "pass", "player": "Bo"}))
    interpreter, right = CaseInterpreter(), field(EMPTY, 600)
    left = field(showing(dict.fromkeys(full, "blue") | {(1, 2): "gold", (2, 1): "leaf", (2, 2): "leaf"}), 100)
    command = seen(interpreter, referee, left, right).command
    assert (command["row"], command["col"]) == (1, 1)
    referee.ask(Do({**command, "card": {"cells": [["blue", "gold"], ["leaf", "green"]]}}))
    interpreter.note_correction(command, referee.latest())
    assert seen(interpreter, referee, left, right).command is None


def test_a_rejected_spider_stays_so_until_the_stacks_show_something_else(referee: Referee) -> None:
    interpreter = CaseInterpreter()
    spider, other = (("spider",) * 2,) * 2, (("leaf",) * 2,) * 2
    cases = field(EMPTY, 100), field(EMPTY, 600)
    command = seen(interpreter, referee, *cases, loose(spider)).command
    assert command == {"cmd": "spider", "player": "Ana"}
    interpreter.note_rejection(command, referee.latest())
    assert seen(interpreter, referee, *cases, loose(spider)).command is None
    laid = field(showing(FIRST), 100), field(EMPTY, 600)
    play = seen(interpreter, referee, *laid, loose(spider)).command
    assert play["cmd"] == "play", "the game goes on"
    referee.ask(Do(play))
    assert seen(interpreter, referee, *laid, loose(spider)).command is None, "nor is it asked of the next player"
    assert seen(interpreter, referee, *laid, loose(other)).command is None
    assert seen(interpreter, referee, *laid, loose(spider)).command == {"cmd": "spider", "player": "Bo"}


def test_two_cards_at_once_are_asked_one_at_a_time(referee: Referee) -> None:
    both = FIRST | {(3, 3): "blue", (3, 4): "blue", (4, 3): "blue", (4, 4): "blue"}
    interpretation = seen(CaseInterpreter(), referee, field(showing(both), 100), field(EMPTY, 600))
    assert interpretation.command is None
    assert "card-differs" in interpretation.notices


def test_several_cards_of_one_case_are_proposed_in_the_order_in_which_they_were_laid(referee: Referee) -> None:
    second = {(2, 2): "dung", (2, 3): "blue", (3, 2): "blue", (3, 3): "blue"}
    right = field(EMPTY, 600)
    interpreter = CaseInterpreter()
    for place, cells in (((1, 1), CARD["cells"]), ((2, 2), [["dung", "blue"], ["blue", "blue"]])):
        interpreter.note_change({"event": "placed", "board": 0, "row": place[0], "col": place[1], "cells": cells})
    left = field(showing(FIRST | second), 100)
    command = seen(interpreter, referee, left, right).command
    assert (command["row"], command["col"], command["card"]) == (1, 1, CARD)
    referee.ask(Do(command))
    referee.ask(Do({"cmd": "pass", "player": "Bo"}))
    command = seen(interpreter, referee, left, right).command
    assert (command["player"], command["row"], command["col"]) == ("Ana", 2, 2)


def test_a_card_that_another_hides_in_part_is_not_guessed(referee: Referee) -> None:
    interpreter = CaseInterpreter()
    hidden = [["blue", "gold"], ["green", None]]
    for place, cells in (((1, 1), hidden), ((2, 2), [["dung", "blue"], ["blue", "blue"]])):
        interpreter.note_change({"event": "placed", "board": 0, "row": place[0], "col": place[1], "cells": cells})
    both = FIRST | {(2, 3): "blue", (3, 2): "blue", (3, 3): "blue"}
    interpretation = seen(interpreter, referee, field(showing(both), 100), field(EMPTY, 600))
    assert interpretation.command is None
    assert "card-differs" in interpretation.notices
