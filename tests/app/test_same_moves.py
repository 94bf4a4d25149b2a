"""Which commands are one move: however cells are named, never mirrored, never with another face or player."""

from dataclasses import replace
from typing import Any

import pytest

from companion.app.reviewing import is_congruent, is_same_move
from companion.games import GAMES
from companion.referee.session import Session, begin
from companion.rules.engine import Header
from companion.rules.hexgrid import rotated, turned
from companion.rules.notation import parse

HEXEL = Header("hexel", ("Ana", "Bo"), "36")
LINE = "line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb"
ODD = {(0, 0): ("red", "blue", "void", "red", "blue", "void"), (1, 0): ("red",) * 6, (1, -1): ("blue",) * 6}


def command(game: str, text: str) -> dict[str, Any]:
    return parse(GAMES[game].rules.NOTATION, text)


def after(header: Header, *lines: str) -> Session:
    session = begin(header, 1)
    for line in lines:
        state, _ = session.game.apply(session.state, command(header.game, line))
        session = replace(session, state=state)
    return session


def named_otherwise(line: dict[str, Any], turns: int, shift: tuple[int, int]) -> dict[str, Any]:
    cards = []
    for card in line["cards"]:
        q, r = rotated(tuple(card["cell"]), turns)
        cards.append({"cell": [q + shift[0], r + shift[1]], "edges": list(turned(tuple(card["edges"]), turns))})
    return {**line, "cards": cards}


def is_same(session: Session, one: dict[str, Any], other: dict[str, Any]) -> bool:
    return is_same_move(GAMES[session.header.game].interpreter(), session, one, other)


@pytest.mark.parametrize("turns", range(6))
def test_a_first_line_is_the_same_whatever_its_cells_are_called(turns: int) -> None:
    line = command("hexel", LINE)
    assert is_same(begin(HEXEL, 1), line, named_otherwise(line, turns, (2, -5)))


def test_a_line_with_another_face_is_another() -> None:
    other = command("hexel", "line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrrb")
    assert not is_same(begin(HEXEL, 1), command("hexel", LINE), other)


def test_a_mirror_image_is_another_table() -> None:
    mirrored = {(q + r, -r): tuple(edges[-d % 6] for d in range(6)) for (q, r), edges in ODD.items()}
    assert is_congruent(ODD, {(q + 3, r): edges for (q, r), edges in ODD.items()}, {})
    assert not is_congruent(ODD, mirrored, {})


def test_what_lay_there_before_stays_where_it_was() -> None:
    session = after(HEXEL, LINE, "stake Ana 3", "hedge Ana 6", "hedge Bo 3")
    placed = command("hexel", "place Ana 0,-1 vvvvbb")
    assert is_same(session, placed, dict(placed))
    assert not is_same(session, placed, command("hexel", "place Ana 1,-1 vvvvrb"))
    one, other = {(0, 0): ("red",) * 6, (1, 0): ("blue",) * 6}, {(0, 0): ("red",) * 6, (0, 1): ("blue",) * 6}
    assert is_congruent(one, other, {(0, 0): ("red",) * 6}), "around one card that looks the same from all sides"
    assert not is_congruent(one, other, {(0, 0): ("red", "red", "red", "red", "red", "blue")})


def test_a_command_that_is_refused_is_no_move() -> None:
    assert not is_same(begin(HEXEL, 1), command("hexel", LINE), command("hexel", "stake Ana 3"))


def test_a_sets_cards_count_and_so_does_whose_it_is() -> None:
    session = after(Header("comet", ("Ana", "Bo")), "round Ana")
    one = command("comet", "set Ana Desten 4-5-10+5-5-9")
    assert is_same(session, one, command("comet", "set Ana Desten 4-5-10+5-5-9"))
    assert not is_same(session, one, command("comet", "set Bo Desten 4-5-10+5-5-9"))
    assert not is_same(session, one, command("comet", "set Ana Desten 4-5-10+5-5-8"))
