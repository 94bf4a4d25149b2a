import pytest

from companion.games import game as game_spec
from companion.games.hexel.demo.player import player
from companion.games.hexel.demo.tabletop import HexelTabletop
from companion.rules.hexgrid import LatticeMap
from companion.simulator.script import write_script

HEADER = game_spec("hexel").demo_header()
SCRIPT = write_script(HEADER, player(4, least_cards=5))
WAY = LatticeMap(5, (-2, 7))


def renamed(command):
    if "cards" in command:
        return {**command, "cards": [renamed(card) for card in reversed(command["cards"])]}
    if "cell" not in command:
        return command
    cell, face = WAY.cell(tuple(command["cell"])), WAY.edges(tuple(command["edges"]))
    return {**command, "cell": list(cell), "edges": list(face)}


@pytest.fixture
def table():
    return HexelTabletop(SCRIPT, seed=2, size=(160, 90))


def settled(table):
    while table.is_busy:
        table.next(0.1)
    return table.next(0.1).truth.cards


def laid_by(done):
    cards = [card for c in SCRIPT.commands[:done] for card in c.get("cards", [c] if "cell" in c else [])]
    return {tuple(card["cell"]): tuple(card["edges"]) for card in cards}


def test_the_line_and_placements_are_laid_and_chips_are_said(table):
    assert {c["cmd"]: table.is_laid(k) for k, c in enumerate(SCRIPT.commands)} == {
        "line": True,
        "stake": False,
        "hedge": False,
        "place": True,
    }


def test_moves_are_known_by_whatever_names_the_camera_gives_the_cells(table):
    moves = [renamed(command) for command in SCRIPT.commands]
    assert [table.done(moves[:k]) for k in range(len(moves) + 1)] == list(range(len(moves) + 1))


def test_another_move_is_not_taken_for_the_script(table):
    moves = [*SCRIPT.commands[:-1], {**SCRIPT.commands[-1], "edges": ["red", "void"] * 3}]
    assert table.done(moves) is None
    assert table.done([*SCRIPT.commands, {"cmd": "next-game"}]) is None


def test_a_card_is_next_only_at_its_place_and_turn(table):
    moves = [renamed(command) for command in SCRIPT.commands[:-1]]
    last = renamed(SCRIPT.commands[-1])
    assert table.is_next(moves, last)
    assert not table.is_next(moves, {**last, "cell": [last["cell"][0] + 1, last["cell"][1]]})
    assert not table.is_next(moves, {**last, "edges": [*last["edges"][1:], last["edges"][0]]})


def test_a_table_is_laid_out_as_the_script_left_it(table):
    table.lay_out(len(SCRIPT.commands))
    assert settled(table) == laid_by(len(SCRIPT.commands))


def test_the_line_is_laid_card_by_card(table):
    table.perform(0)
    assert settled(table) == laid_by(1)


def test_what_is_taken_back_is_gone(table):
    table.lay_out(1)
    table.take_back(0)
    assert settled(table) == {}


def test_tidying_brings_the_table_to_what_the_script_says_card_by_card(table):
    table.lay_out(len(SCRIPT.commands))
    while table.tidy(1):
        settled(table)
    assert settled(table) == laid_by(1)
    while table.tidy(len(SCRIPT.commands)):
        settled(table)
    assert settled(table) == laid_by(len(SCRIPT.commands))


def test_after_another_script_the_cards_stay_where_they_lie(table):
    table.lay_out(1)
    before = settled(table)
    moves = [renamed(SCRIPT.commands[0])]
    table.follow(write_script(HEADER, player(9), moves), moves)
    assert not table.tidy(1)
    assert settled(table) == before


def test_fidgeting_changes_nothing(table):
    table.lay_out(1)
    before = settled(table)
    table.fidget()
    assert table.is_busy and settled(table) == before
