"""What a table of Comet could be asked now, and what the hands over it are taken to mean."""

from itertools import combinations

import pytest

from companion.errors import Refusal
from companion.games.comet.rules import game as comet
from companion.rules import notation
from companion.rules.engine import Header

ABC = ("Ana", "Bo", "Cy")


def play(*lines, **options):
    state = comet.start(Header("comet", ABC, options=options))
    for line in lines:
        state, _ = comet.apply(state, notation.parse(comet.NOTATION, line))
    return state


def written(commands):
    return [notation.write(comet.NOTATION, command) for command in commands]


def is_accepted(state, command):
    try:
        comet.apply(state, command)
    except Refusal:
        return False
    return True


# ---- legal


def test_between_rounds_the_coming_dealer_may_begin_with_or_without_the_tail():
    assert written(comet.legal(play())) == ["round Ana", "round Ana tail=yes"]
    assert written(comet.legal(play(chips=899))) == ["round Ana"]
    assert written(comet.legal(play(chips=900))) == ["round Ana", "round Ana tail=yes"]
    assert written(comet.legal(play(chips=299))) == ["round Ana"]


def test_the_tail_call_is_listed_when_two_stay_and_not_when_one_does():
    two = comet.start(Header("comet", ABC[:2]))
    assert written(comet.legal(two)) == ["round Ana", "round Ana tail=yes"]
    lonely = ("round Ana", "set Ana Vain A-A-A", "set Ana Kinro 13-13-13", "reveal")
    assert written(comet.legal(play(*lonely, chips=535, pot_share=45, tail_share=30))) == ["round Ana"]
    pots = ("Desten", "Kinro", "Nivek", "Trinovat", "Vain", "Polos")
    rich = ("round Ana", *(f"set Ana {pot} {n}-{n}-{n}" for n, pot in enumerate(pots, 2)), "reveal")
    assert written(comet.legal(play(*rich, chips=241, pot_share=40, tail_share=1))) == ["round Ana"]


def test_stop_is_listed_once_all_have_dealt():
    early = play("round Ana", "reveal", "round Cy", "reveal")
    assert "stop" not in written(comet.legal(early))
    assert written(comet.legal(play("round Ana", "reveal", "round Cy", "reveal", "round Bo", "reveal")))[-1] == "stop"


def sizes_against(state, player, pot):
    sets = [
        one for one in comet.legal(state) if (one["cmd"], one.get("player"), one.get("pot")) == ("set", player, pot)
    ]
    return [len(one["cards"]) for one in sets]


def test_for_every_pot_three_triples_one_pair_and_one_three_are_listed_of_cards_that_do_not_lie():
    assert sizes_against(play("round Ana"), "Bo", "Vain") == [1, 1, 1, 2, 3]
    laid = play("round Ana", "set Ana Desten 2-2-3+2-3-4", "set Ana Kinro 2-2-4+3-3-4+2-4-4")
    assert sizes_against(laid, "Bo", "Vain") == [1, 1, 1, 2, 3]


def test_while_sets_are_laid_everybody_may_lay_keep_and_reveal():
    listed = comet.legal(play("round Ana"))
    assert listed[0] == {"cmd": "reveal"}
    assert written(listed)[-3:] == ["reserve Ana", "reserve Bo", "reserve Cy"]
    sets = [command for command in listed if command["cmd"] == "set"]
    assert {(command["player"], command["pot"]) for command in sets} == {
        (name, pot) for name in ABC for pot in ("Desten", "Kinro", "Nivek", "Trinovat", "Vain", "Polos")
    }
    assert {len(command["cards"]) for command in sets} == {1, 2, 3}


def test_in_a_tail_round_only_the_tail_is_listed_and_nobody_keeps_a_card():
    listed = comet.legal(play("round Ana tail=yes"))
    assert {command["cmd"] for command in listed} == {"set", "reveal"}
    assert {command["pot"] for command in listed if command["cmd"] == "set"} == {"tail"}


def test_who_has_kept_a_card_or_holds_none_is_not_asked_to_keep_one():
    state = play("round Ana", "reserve Ana", "set Bo Vain 2-2-3+2-3-4+2-4-4", "set Bo Kinro 3-3-4+3-4-4+5-5-6")
    assert [line for line in written(comet.legal(state)) if line.startswith("reserve")] == ["reserve Bo", "reserve Cy"]
    state, _ = comet.apply(state, notation.parse(comet.NOTATION, "set Bo Nivek A-A-A"))
    assert [line for line in written(comet.legal(state)) if line.startswith("reserve")] == ["reserve Cy"]


def test_all_that_is_listed_is_accepted():
    state = play("round Ana", "set Ana Vain 2-2-3+2-3-4", "set Bo Vain A-A-A", "set Cy Polos 12-12-12")
    listed = comet.legal(state)
    assert all(is_accepted(state, command) for command in listed)
    assert len(set(written(listed))) == len(listed)


def test_nothing_is_listed_after_the_end():
    assert comet.legal(play("round Ana", chips=299)) == ()


# ---- a hand that is known


def test_layings_are_all_sets_of_a_hand_that_the_rules_accept():
    state = play("round Ana", "set Bo Vain A-A-A", "set Bo Kinro 9-9-10+2-3-4")
    hand = [(14, 14, 14), (4, 3, 2), (3, 3, 3), (5, 6, 9)]
    found = comet.layings(state, "Bo", hand)
    tried = [
        {"cmd": "set", "player": "Bo", "pot": pot, "cards": [list(card) for card in cards]}
        for pot in (*state.house.pots, "tail")
        for size in range(5)
        for cards in combinations(hand, size)
    ]
    assert sorted(written(found)) == sorted(written(one for one in tried if is_accepted(state, one)))
    # the triple 3-3-3 alone or with 5-6-9, against the four pots that Bo has not laid against
    assert len(found) == 8


def test_layings_are_none_outside_the_laying_and_for_who_is_out():
    assert comet.layings(play(), "Ana", [(14, 14, 14)]) == ()
    out = play(
        "round Ana",
        "set Ana Vain A-A-A",
        "set Bo Kinro 13-13-13",
        "reveal",
        "round Bo",
        chips=580,
        pot_share=45,
        tail_share=30,
    )
    assert comet.layings(out, "Cy", [(14, 14, 14)]) == ()
    assert comet.layings(out, "Bo", [(14, 14, 14)])


# ---- what the hands just did


CARDS = [(4, 5, 10), (5, 9, 9), (2, 5, 9)]


def test_cards_turned_up_in_a_pot_are_a_set_of_someone():
    found = comet.interpret(play("round Ana"), {"Desten": [None, None, None]}, {"Desten": CARDS})
    assert written(found) == [f"set {name} Desten 4-5-10+5-9-9+2-5-9" for name in ABC]


def test_who_may_lay_comes_first_and_then_who_has_laid_least():
    state = play("round Ana", "set Ana Desten A-A-A", "set Bo Vain 13-13-13")
    found = comet.interpret(state, {}, {"Desten": CARDS, "Vain": [(13, 13, 13)]})
    assert [command["player"] for command in found] == ["Cy", "Bo", "Ana"]


def test_a_set_that_the_rules_refuse_is_proposed_too():
    found = comet.interpret(play("round Ana"), {}, {"Desten": [(2, 3, 4)]})
    assert written(found) == [f"set {name} Desten 2-3-4" for name in ABC]
    tail = comet.interpret(play("round Ana"), {}, {"tail": [(14, 14, 14)]})
    assert written(tail) == [f"set {name} tail A-A-A" for name in ABC]


def test_cards_known_to_lie_there_are_no_news():
    state = play("round Ana", "set Ana Desten 9-9-5+10-5-4")
    after = {"Desten": [(4, 5, 10), (5, 9, 9), (2, 5, 9), (3, 3, 3)]}
    assert written(comet.interpret(state, {"Desten": [None] * 4}, after))[0] == "set Bo Desten 2-5-9+3-3-3"


def test_cards_that_lay_there_face_up_before_are_no_news():
    after = {"Desten": CARDS, "Vain": [(14, 14, 14)]}
    found = comet.interpret(play("round Ana"), {"Desten": CARDS}, after)
    assert {command["pot"] for command in found} == {"Vain"}


def test_the_same_card_seen_twice_is_two_cards():
    found = comet.interpret(play("round Ana", decks=2), {"Desten": [(3, 3, 4)]}, {"Desten": [(3, 4, 3), (3, 3, 4)]})
    assert found[0]["cards"] == [[3, 3, 4]]


@pytest.mark.parametrize(
    "after",
    [
        {},
        {"Desten": []},
        {"Desten": [None, None, None]},
        {"Desten": [*CARDS, (3, 3, 3)]},
        {None: CARDS},
        {"Mars": CARDS},
        {"Desten": [(1, 2, 3)]},
    ],
)
def test_nothing_follows_from_cards_face_down_too_many_or_elsewhere(after):
    assert comet.interpret(play("round Ana"), {}, after) == ()


def test_the_last_known_set_turned_up_is_the_reveal():
    state = play("round Ana", "set Ana Desten A-A-A", "set Bo Vain 9-9-10+2-3-4")
    half = {"Desten": [(14, 14, 14)], "Vain": [None, (2, 3, 4)]}
    shown = {"Desten": [(14, 14, 14)], "Vain": [(9, 10, 9), (2, 3, 4)]}
    down = {"Desten": [None], "Vain": [None, None]}
    assert comet.interpret(state, down, half) == ()
    assert comet.interpret(state, half, shown) == ({"cmd": "reveal"},)
    assert comet.interpret(state, down, shown) == ({"cmd": "reveal"},)
    assert comet.interpret(state, shown, shown) == ()
    assert comet.interpret(state, half, {**shown, "Polos": [None]}) == ()


def test_without_any_set_nothing_is_a_reveal():
    assert comet.interpret(play("round Ana"), {"Vain": [(14, 14, 14)]}, {}) == ()


def test_pots_cleared_between_rounds_are_the_next_round():
    state = play("round Ana", "set Ana Desten A-A-A", "reveal")
    before = {"Desten": [(14, 14, 14)], "Vain": [None], None: [(2, 3, 4)]}
    assert comet.interpret(state, before, {"Desten": [], None: [(2, 3, 4)]}) == ({"cmd": "round", "player": "Cy"},)
    assert comet.interpret(state, before, {"Vain": [None]}) == ()
    assert comet.interpret(state, {None: [(2, 3, 4)]}, {}) == ()
    assert comet.interpret(play("round Ana", chips=299), before, {}) == ()
