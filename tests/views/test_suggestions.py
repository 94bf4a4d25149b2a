"""What a move might have been instead, by the rules and by the picture."""

import json
from typing import Any

import pytest

from companion.referee.messages import Asked, Do
from companion.referee.session import Session, begin, decide, evolve
from companion.rules.engine import Header
from companion.views.sheet import suggestions

LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [-1, 0], "edges": ["red", "blue", "blue", "blue", "blue", "blue"]},
        {"cell": [0, 0], "edges": ["red", "blue", "blue", "red", "blue", "blue"]},
        {"cell": [1, 0], "edges": ["red", "red", "blue", "red", "blue", "blue"]},
    ],
}
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
PLAYED: tuple[dict[str, Any], ...] = (
    LINE,
    {"cmd": "stake", "player": "Ana", "amount": 3},
    {"cmd": "hedge", "player": "Ana", "amount": 6},
    {"cmd": "hedge", "player": "Bo", "amount": 9},
)


@pytest.fixture
def session() -> Session:
    session = begin(Header("hexel", ("Ana", "Bo"), "36"), 1)
    for command in PLAYED:
        for happening in decide(session, Asked(Do(command), 0.0, "now")):
            session = evolve(session, happening)
    return session


def chances(**doubted: float) -> list[Any]:
    """All edges plain as `HEXEL` has them but those named, which may be blue with such a chance: ``e2=0.4``."""
    told = []
    for edge, symbol in enumerate(HEXEL["edges"]):
        other = doubted.get(f"e{edge}", 0.0005)
        told.append([["edges", edge], {symbol: 1 - other, "blue" if symbol == "void" else "void": other}])
    return told


def test_what_the_picture_leaves_open_comes_first(session: Session) -> None:
    found = suggestions(session.game, session.state, HEXEL, chances(e2=0.4, e0=0.1))
    changed = [[edge for edge in range(6) if other["edges"][edge] != HEXEL["edges"][edge]] for other in found[:3]]
    assert changed == [[2], [0], [0, 2]]
    assert all(other["cell"] == HEXEL["cell"] for other in found[:3])


def test_what_the_picture_leaves_open_but_the_rules_refuse_is_not_suggested(session: Session) -> None:
    found = suggestions(session.game, session.state, HEXEL, chances(e4=0.45, e2=0.05))
    for other in found:
        session.game.apply(session.state, other)
    assert found[0]["edges"] == ["void", "void", "blue", "void", "blue", "blue"]


def test_without_a_picture_the_fewest_differences_come_first(session: Session) -> None:
    found = suggestions(session.game, session.state, HEXEL)
    first = sum(a != b for a, b in zip(found[0]["edges"], HEXEL["edges"], strict=True))
    assert (first, found[0]["cell"], len(found)) == (1, HEXEL["cell"], 6)


def test_a_number_that_the_picture_leaves_open_comes_first_in_comet() -> None:
    session = begin(Header("comet", ("Ana", "Bo")), 1)
    for command in ({"cmd": "round", "player": "Ana"},):
        for happening in decide(session, Asked(Do(command), 0.0, "now")):
            session = evolve(session, happening)
    laid = {"cmd": "set", "player": "Ana", "pot": "Desten", "cards": [[4, 5, 10], [5, 5, 9]]}
    open_ones = [[["cards", 1, 2], {"9": 0.6, "6": 0.3, "8": 0.05}], [["cards", 0, 0], {"4": 0.99}]]
    found = suggestions(session.game, session.state, laid, open_ones)
    assert [other["cards"][1][2] for other in found[:2]] == [6, 8]


def test_an_insect_that_was_taken_for_another_is_suggested_in_hexapod() -> None:
    session = begin(Header("hexapod", ("Ana", "Bo")), 1)
    card = {"cells": [["blue", "green"], ["gold", "leaf"]]}
    found = suggestions(session.game, session.state, {"cmd": "play", "player": "Ana", "row": 0, "col": 0, "card": card})
    cells = [other["card"]["cells"] for other in found]
    assert [["dung", "green"], ["gold", "leaf"]] in cells
    assert all((other["row"], other["col"]) == (0, 0) for other in found)


def test_another_tile_in_the_same_cell_comes_before_the_same_tile_elsewhere() -> None:
    session = begin(Header("hexdragon", ("Ana", "Bo")), 1)
    laid = next(c for c in session.game.legal(session.state) if c["cmd"] == "place" and c["tile"]["kind"] == "body")
    found = suggestions(session.game, session.state, laid)
    assert {tuple(other["cell"]) for other in found} == {tuple(laid["cell"])}


def test_another_tile_comes_first_where_the_picture_leaves_it_open() -> None:
    session = begin(Header("hexdragon", ("Ana", "Bo")), 1)
    tile = {"kind": "body", "paths": [[0, 3], [1, 2], [4, 5]]}
    other = {"kind": "body", "paths": [[0, 3], [1, 4], [2, 5]]}
    command = {"cmd": "place", "player": "Ana", "cell": [1, 0], "tile": tile}
    seen = [[["tile"], {json.dumps(tile, sort_keys=True): 0.7, json.dumps(other, sort_keys=True): 0.25}]]
    found = suggestions(session.game, session.state, command, seen)
    assert (found[0]["cell"], found[0]["tile"]) == ([1, 0], other)
    assert all(one["tile"] != tile or one["cell"] != [1, 0] for one in found)
