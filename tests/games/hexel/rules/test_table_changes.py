"""What could be done at a table of Hex'el, and what the hands just did."""

import pytest

from companion.errors import Refusal
from companion.games.hexel.rules import game as hexel
from companion.rules.engine import Header
from companion.rules.notation import parse, write

LINE = "line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb"


def play(*texts, players=("Ana", "Bo"), edition="36"):
    state = hexel.start(Header("hexel", players, edition))
    for text in texts:
        state, _ = hexel.apply(state, parse(hexel.NOTATION, text))
    return state


def playing(*more, hedge=6):
    return play(LINE, "stake Ana 3", f"hedge Ana {hedge}", f"hedge Bo {hedge}", *more)


def seen(state, **more):
    """The tableau as the camera reads it, with more cards such as ``at_2_0="brrrrr"``; None where unread."""
    cards = {cell: laid.edges for cell, laid in state.tableau.items()}
    for name, word in more.items():
        cell = tuple(int(part.replace("m", "-")) for part in name.split("_")[1:])
        cards[cell] = None if word is None else tuple(None if c == "?" else FACES[c] for c in word)
    return cards


FACES = {"r": "red", "b": "blue", "v": "void"}


def interpreted(state, before, after):
    return [write(hexel.NOTATION, command) for command in hexel.interpret(state, before, after)]


# ---- legal


@pytest.mark.parametrize("edition", ["36", "46"])
def test_every_listed_command_is_accepted(edition):
    for texts in (
        [],
        [LINE],
        [LINE, "stake Ana 7"],
        [LINE, "stake Ana 7", "hedge Bo 98"],
        [LINE, "stake Ana 7", "hedge Bo 98", "hedge Ana 0"],
        [LINE, "stake Ana 7", "hedge Bo 0", "hedge Ana 0", "place Ana 0,-1 rrrrbb", "pass Bo"],
    ):
        state = play(*texts, edition=edition)
        commands = hexel.legal(state)
        assert commands, texts
        for command in commands:
            hexel.apply(state, command)


def test_the_line_is_listed_for_each_two_symbols():
    assert len(hexel.legal(play())) == 6


def test_stakes_from_1_to_5_are_listed():
    assert [command["amount"] for command in hexel.legal(play(LINE))] == [1, 2, 3, 4, 5]


def test_hedges_are_listed_up_to_the_chip_stock_for_those_who_owe_one():
    state = play(LINE, "stake Ana 30", "hedge Bo 0")
    assert [write(hexel.NOTATION, command) for command in hexel.legal(state)] == [
        f"hedge Ana {n}" for n in (0, 30, 60, 90)
    ]
    assert len(hexel.legal(play(LINE, "stake Ana 1"))) == 2 * 6


def test_places_are_listed_on_every_touching_cell_where_two_symbols_suffice():
    listed = hexel.legal(playing())
    cells = {tuple(command["cell"]) for command in listed if command["cmd"] == "place"}
    assert cells == {(-2, 0), (2, 0), *((q, -1) for q in range(-1, 3)), *((q, 1) for q in range(-2, 2))}
    assert listed[-1] == {"cmd": "pass", "player": "Ana"}
    assert {command["player"] for command in listed} == {"Ana"}


def test_placements_of_a_card_are_all_the_ways_the_rules_accept():
    state = playing()
    edges = ("red", "blue", "blue", "blue", "blue", "blue")
    commands = hexel.placements(state, edges)
    accepted = []
    for q in range(-4, 5):
        for r in range(-4, 5):
            for turns in range(6):
                card = [edges[(d - turns) % 6] for d in range(6)]
                command = {"cmd": "place", "player": "Ana", "cell": [q, r], "edges": card}
                try:
                    hexel.apply(state, command)
                except Refusal:
                    continue
                accepted.append(command)
    assert sorted(map(str, commands)) == sorted(map(str, accepted))
    assert hexel.placements(play(LINE), edges) == ()


# ---- interpret


def test_three_read_cards_in_a_row_are_the_line():
    laid = {(5, 2): ("red",) * 6, (4, 2): ("red",) * 6, (6, 2): ("blue",) * 6}
    assert interpreted(play(), {}, laid) == ["line 4,2:rrrrrr+5,2:rrrrrr+6,2:bbbbbb"]


@pytest.mark.parametrize(
    "after",
    [
        {},
        {(0, 0): ("red",) * 6, (1, 0): ("red",) * 6},
        {(0, 0): ("red",) * 6, (1, 0): ("red",) * 6, (2, 0): None},
        {(0, 0): ("red",) * 6, (1, 0): ("red",) * 6, (2, 0): ("red",) * 5 + (None,)},
        {(0, 0): ("red",) * 6, (1, 0): ("red",) * 6, (1, 1): ("red",) * 6},
        {(n, 0): ("red",) * 6 for n in range(4)},
        {(0, 0): ("red",) * 6, (1, 0): ("red",) * 6, (2, 0): ("red",) * 6, (3, 0): None},
    ],
)
def test_anything_but_three_read_cards_in_a_row_is_no_line(after):
    assert interpreted(play(), {(9, 9): None}, after) == []


def test_one_new_card_is_placed_by_the_player_whose_turn_it_is():
    state = playing()
    assert interpreted(state, seen(state), seen(state, at_2_0="brrrrr")) == ["place Ana 2,0 brrrrr"]
    state = playing("pass Ana")
    assert interpreted(state, seen(state), seen(state, at_2_0="brrrrr")) == ["place Bo 2,0 brrrrr"]


def test_a_card_that_the_rules_will_refuse_is_proposed_all_the_same():
    state = playing()
    for card in ({"at_2_0": "bbbbbb"}, {"at_7_7": "rbrbrb"}, {"at_2_0": "rbvrrr"}):
        (command,) = hexel.interpret(state, seen(state), seen(state, **card))
        with pytest.raises(Refusal):
            hexel.apply(state, command)


def test_a_card_is_proposed_once_it_is_read_and_again_when_it_reads_otherwise():
    state = playing()
    unread, partly, read = (seen(state, at_2_0=word) for word in (None, "brrrr?", "brrrrr"))
    turned = seen(state, at_2_0="rrrrrb")
    assert interpreted(state, seen(state), unread) == []
    assert interpreted(state, seen(state), partly) == []
    assert interpreted(state, unread, read) == ["place Ana 2,0 brrrrr"]
    assert interpreted(state, partly, read) == ["place Ana 2,0 brrrrr"]
    assert interpreted(state, read, turned) == ["place Ana 2,0 rrrrrb"]


def test_nothing_new_and_two_new_cards_at_once_are_nothing():
    state = playing()
    two = seen(state, at_2_0="brrrrr", at_0_m1="rrrrbb")
    assert interpreted(state, two, two) == []
    assert interpreted(state, seen(state), two) == []
    assert interpreted(state, seen(state, at_2_0="brrrrr"), seen(state)) == []


def test_a_card_nobody_took_up_follows_the_new_one():
    state = playing()
    before, after = seen(state, at_2_0="brrrrr"), seen(state, at_2_0="brrrrr", at_0_m1="rrrrbb")
    assert interpreted(state, before, after) == ["place Ana 0,-1 rrrrbb", "place Ana 2,0 brrrrr"]


def test_a_known_card_that_reads_otherwise_is_not_placed_again():
    state = playing()
    misread = {**seen(state), (0, 0): ("blue",) * 6}
    assert interpreted(state, seen(state), misread) == []
    hidden = {cell: edges for cell, edges in seen(state).items() if cell != (0, 0)}
    assert interpreted(state, hidden, seen(state)) == []


def test_cards_mean_nothing_while_stakes_are_set_and_hedges_made():
    for state in (play(LINE), play(LINE, "stake Ana 3")):
        assert interpreted(state, seen(state), seen(state, at_2_0="brrrrr")) == []
        assert interpreted(state, seen(state), {}) == []


def test_a_cleared_table_is_the_next_game():
    state = playing("place Ana 0,-1 rrrrbb", "pass Bo", hedge=0)
    assert state.phase == "over"
    assert interpreted(state, seen(state), {}) == ["next-game"]
    new_line = {(0, 0): ("void",) * 6, (1, 0): ("void",) * 6, (2, 0): ("void",) * 6}
    assert interpreted(state, seen(state), new_line) == ["next-game"]


def test_a_table_half_cleared_is_not_the_next_game():
    state = playing("place Ana 0,-1 rrrrbb", "pass Bo", hedge=0)
    line = {cell: edges for cell, edges in seen(state).items() if cell[1] == 0}
    assert len(line) == 3
    assert interpreted(state, seen(state), line) == []
    assert interpreted(state, seen(state), {(0, 0): ("void",) * 6}) == []
    assert interpreted(state, seen(state), {**line, (0, 0): ("void",) * 6}) == []


def test_no_next_game_is_proposed_when_the_evening_is_over():
    state = play(LINE, "stake Ana 3", "hedge Ana 0", players=("Ana",))
    assert interpreted(state, seen(state), {}) == []


# ---- explain


def told(state, text):
    command = parse(hexel.NOTATION, text)
    return [hexel.explain(state, event) for event in hexel.apply(state, command)[1]]


def test_every_chip_that_moves_says_how_many_whence_whereto_and_why():
    state = playing("place Ana 0,-1 rrrrbb")
    (_, sentence) = told(state, "place Bo 2,0 brrrrr")
    for part in (
        "Bo pays Ana 3 chips",
        "Hedge Pot",
        "Hand Pot",
        "1 edge fewer than the mark of 2",
        "at 3 chips an edge",
    ):
        assert part in sentence
    (_, sentence) = told(state, "pass Bo")
    assert "2 edges fewer" in sentence
    (_, out, won) = told(playing("place Ana 0,-1 rrrrbb", hedge=3), "pass Bo")
    for part in ("Bo owes Ana 6 chips", "holds only 3", "Hand Pot", "Bo is out"):
        assert part in out
    assert won == "Ana wins 3 chips into the Chip Stock: the only player still in wins all hedges."
    assert told(play(LINE, "stake Ana 1"), "hedge Bo 1") == [
        "Bo moves 1 chip from the Chip Stock into the Hedge Pot, for insurance."
    ]
    assert "nothing" in told(play(LINE, "stake Ana 1"), "hedge Bo 0")[0]
    assert "is empty: Bo is out" in told(playing("place Ana 0,-1 rrrrbb", hedge=0), "pass Bo")[1]


def test_deals_rounds_and_games_are_told():
    assert told(play(), LINE) == ["The first line lies; everyone in is dealt 3 cards, 27 are left."]
    assert "sets the stake: 2 chips" in told(play(LINE), "stake Ana 2")[0]
    begun = told(play(LINE, "stake Ana 2", "hedge Bo 0"), "hedge Ana 0")[1]
    assert begun == "Round 1 begins; Ana leads, and there is no mark to reach yet."
    dealt = told(playing(*["pass Ana", "pass Bo"] * 2, "pass Ana"), "pass Bo")[1]
    assert dealt == "A new round is dealt, 3 cards for everyone in, 21 left; it begins when all have hedged."
    idle = ["pass Ana", "pass Bo"] * 3
    rounds = [*idle, "hedge Ana 0", "hedge Bo 0"] * 4 + idle[:-1]
    last = told(playing(*rounds), "pass Bo")[1]
    assert last == "A new round is dealt, 1 card for everyone in, 1 left; it begins when all have hedged."
    over = playing("place Ana 0,-1 rrrrbb", "pass Bo", hedge=0)
    assert told(over, "next-game") == ["A new game: Hand Pots go into the Chip Stocks, and Bo deals."]


def test_insurance_says_chip_stock_in_edition_46():
    state = play(LINE, "stake Ana 3", "hedge Ana 6", "hedge Bo 6", "place Ana 0,-1 rrrrbb", edition="46")
    (_, sentence) = told(state, "pass Bo")
    assert "into the Chip Stock" in sentence


def test_a_hoxla_and_its_prize_are_told():
    state = playing("place Ana 0,-1 bbrrbb")
    placed, hoxla, won = told(state, "place Bo 1,-1 rrrbbb")
    assert placed == "Bo places a card at (1, -1) and matches 3 edges: Hoxla."
    assert hoxla == "Hoxla! Bo brings six blue symbols together around a corner."
    assert won == "Bo wins 12 chips into the Chip Stock: a Hoxla wins all hedges."


def test_the_warning_names_both_cards():
    (_, warning) = told(playing(), "place Ana 2,0 bbbrbb")
    assert "(2, 0)" in warning
    assert "(-1, 0)" in warning
