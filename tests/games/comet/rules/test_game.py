"""Comet's rounds: who deals, who pays, who goes out, how hands are counted, and what is refused."""

import json
from dataclasses import replace

import pytest

from companion.errors import BadHeader, Refusal
from companion.games.comet.rules import game as comet
from companion.games.comet.rules.state import stock_of
from companion.rules import notation
from companion.rules.chips import Chips
from companion.rules.engine import Header

ABC = ("Ana", "Bo", "Cy")
POTS = ["Desten", "Kinro", "Nivek", "Trinovat", "Vain", "Polos"]


def table(*players, **options):
    return comet.start(Header("comet", players or ABC, options=options))


def play(state, *lines):
    """The state after commands in the game's notation, and the events of the last."""
    events = ()
    for line in lines:
        state, events = comet.apply(state, notation.parse(comet.NOTATION, line))
    return state, events


def refusal(state, command):
    """The code of a refusal, after which the table is as it was."""
    asked = notation.parse(comet.NOTATION, command) if isinstance(command, str) else command
    shown = json.dumps(comet.view(state))
    with pytest.raises(Refusal) as caught:
        comet.apply(state, asked)
    assert json.dumps(comet.view(state)) == shown
    assert caught.value.message
    return caught.value.code


def seats(state, field):
    return [seat[field] for seat in comet.view(state)["players"].values()]


def of_table(state, field):
    return comet.view(state)["table"][field]


def total(state):
    return sum(seats(state, "chips")) + sum(of_table(state, "pots").values())


# ---- the header


def test_everyone_begins_with_2000_chips_and_the_pots_are_empty():
    view = comet.view(table())
    assert view == {
        "phase": "between",
        "turn": None,
        "players": {name: {"chips": 2000, "hand": 0, "reserved": 0, "in": True, "won": 0} for name in ABC},
        "table": {
            "phase": "between",
            "round": 0,
            "dealer": "Ana",
            "tail": False,
            "pots": dict.fromkeys([*POTS, "tail"], 0),
            "sets": [],
        },
        "result": None,
    }


@pytest.mark.parametrize(
    "options",
    [
        {"chips": 0},
        {"chips": "2000"},
        {"chips": True},
        {"pot_share": 0},
        {"tail_share": -1},
        {"tail_share": 1.5},
        {"decks": 0},
        {"ante_every": "year"},
        {"ante_every": None},
        {"hand_growth": "cards"},
        {"pots": ["a", "b", "c", "d", "e"]},
        {"pots": ["a", "b", "c", "d", "e", "f", "g"]},
        {"pots": ["a", "b", "c", "d", "e", "a"]},
        {"pots": ["a", "b", "c", "d", "e", "tail"]},
        {"pots": ["a", "b", "c", "d", "e", ""]},
        {"pots": ["a", "b", "c", "d", "e", 6]},
        {"pots": "abcdef"},
        {"ante": 300},
    ],
)
def test_options_that_cannot_be_are_a_bad_header(options):
    with pytest.raises(BadHeader):
        table(**options)


def test_six_other_names_of_pots_may_be_given():
    state, _ = play(table(pots=list("abcdef")), "round Ana")
    assert of_table(state, "pots") == {**dict.fromkeys("abcdef", 75), "tail": 450}


# ---- the ante


def test_the_ante_is_25_into_each_table_pot_and_150_into_the_tail():
    state, events = play(table(), "round Ana")
    assert seats(state, "chips") == [1700] * 3
    assert of_table(state, "pots") == {**dict.fromkeys(POTS, 75), "tail": 450}
    assert events == (
        {"event": "round-begun", "player": "Ana", "n": 1, "dealer": "Ana", "tail": False, "ante": list(ABC)},
    )


def test_the_shares_make_the_ante_and_the_price_of_the_tail_call():
    state, _ = play(table(pot_share=2, tail_share=5), "round Ana tail=yes")
    assert seats(state, "chips") == [2000 - 17 - 34, 2000 - 17, 2000 - 17]
    assert of_table(state, "pots") == {**dict.fromkeys(POTS, 6), "tail": 15 + 34}


def test_the_ante_is_due_again_when_all_have_dealt():
    state, paid = table(), []
    for dealer in ("Ana", "Cy", "Bo", "Ana", "Cy", "Bo", "Ana"):
        state, events = play(state, f"round {dealer}")
        paid.append(bool(events[0]["ante"]))
        state, _ = play(state, "reveal")
    assert paid == [True, False, False, True, False, False, True]


def test_the_ante_may_be_due_every_round():
    state, _ = play(table(ante_every="round"), "round Ana", "reveal", "round Cy")
    assert seats(state, "chips") == [1400] * 3


def test_the_ante_is_due_again_when_those_who_have_not_dealt_are_out():
    state, _ = play(table(chips=599), "round Ana", "reveal")
    assert refusal(state, "stop") == "wrong-phase"
    state = rich(table(chips=900), Bo=250)
    state, _ = play(state, "round Ana", "reveal")
    assert of_table(state, "dealer") == "Cy"
    state, _ = play(state, "round Cy", "reveal")
    state, events = play(state, "round Ana")
    assert events[0]["ante"] == ["Ana", "Cy"]


def rich(state, **amounts):
    """A table at which some players have other stocks."""
    held = {**state.chips.held, **{stock_of(name): amount for name, amount in amounts.items()}}
    return replace(state, chips=Chips.given(held))


# ---- the dealer


def test_the_deal_passes_to_the_right():
    state = table()
    for dealer in ("Ana", "Cy", "Bo", "Ana"):
        assert of_table(state, "dealer") == dealer
        state, events = play(state, f"round {dealer}")
        assert of_table(state, "dealer") == events[0]["dealer"] == dealer
        state, _ = play(state, "reveal")


def test_only_the_coming_dealer_begins_a_round():
    assert refusal(table(), "round Bo") == "not-dealer"


def test_whoever_lacks_the_ante_is_passed_over_as_dealer_and_goes_out():
    state, _ = play(rich(table(chips=900), Cy=599), "round Ana", "reveal")
    assert of_table(state, "dealer") == "Bo"
    assert refusal(state, "round Cy") == "not-dealer"
    state, events = play(state, "round Bo")
    assert [event["event"] for event in events] == ["round-begun", "out"]
    assert events[1]["player"] == "Cy"
    assert seats(state, "in") == [True, True, False]
    assert of_table(state, "dealer") == "Bo"


def test_exactly_the_ante_is_enough_to_stay_and_to_deal():
    state, _ = play(rich(table(chips=900), Cy=600), "round Ana", "reveal")
    assert of_table(state, "dealer") == "Cy"
    state, events = play(state, "round Cy")
    assert seats(state, "in") == [True] * 3
    assert len(events) == 1


def test_the_ante_must_be_there_even_in_a_round_in_which_it_is_not_due():
    state, events = play(rich(table(), Bo=599), "round Ana", "reveal", "round Cy")
    assert events[0]["ante"] == []
    assert events[1]["player"] == "Bo"
    assert seats(state, "chips")[1] == 299


def test_going_out_loses_reserved_cards():
    state, _ = play(rich(table(), Bo=500), "round Ana", "reserve Bo", "reserve Cy", "reveal")
    assert seats(state, "reserved") == [0, 1, 1]
    state, _ = play(state, "round Cy")
    assert seats(state, "reserved") == [0, 0, 1]
    assert seats(state, "hand") == [7, 0, 7]


# ---- the last one, and nobody


def test_the_last_one_takes_all_seven_pots():
    state, _ = play(rich(table("Ana", "Bo", chips=900), Bo=500), "round Ana", "reveal")
    state, events = play(state, "round Ana")
    assert [event["event"] for event in events] == ["out", "ended"]
    assert events[1]["ranking"] == [["Ana"], ["Bo"]]
    assert seats(state, "chips") == [1200, 200]
    assert seats(state, "won") == [600, 0]
    assert seats(state, "in") == [True, False]
    view = comet.view(state)
    assert view["phase"] == view["table"]["phase"] == "over"
    assert view["result"] == {"ranking": [["Ana"], ["Bo"]]}
    assert (view["table"]["dealer"], view["table"]["round"]) == ("Ana", 1)
    assert set(view["table"]["pots"].values()) == {0}


def test_no_tail_price_is_asked_of_the_last_one():
    state, _ = play(rich(table("Ana", "Bo", chips=600), Bo=500), "round Ana", "reveal")
    state, events = play(state, "round Ana tail=yes")
    assert events[-1]["event"] == "ended"
    assert seats(state, "chips") == [900, 200]


def test_when_nobody_has_the_ante_the_pots_stay():
    state, _ = play(table("Ana", "Bo", chips=599), "round Ana", "reveal")
    assert of_table(state, "dealer") == "Bo"
    state, events = play(state, "round Bo")
    assert [event["event"] for event in events] == ["out", "out", "ended"]
    assert events[-1]["ranking"] == [["Ana", "Bo"]]
    assert seats(state, "in") == [False, False]
    assert sum(of_table(state, "pots").values()) == 600
    assert of_table(state, "dealer") == "Ana"


def test_a_table_at_which_nobody_ever_had_the_ante_ends_at_once():
    state, events = play(table(chips=299), "round Ana")
    assert events[-1]["ranking"] == [list(ABC)]
    assert (of_table(state, "dealer"), of_table(state, "round")) == (None, 0)


# ---- stop


def test_the_game_may_stop_once_everybody_still_in_has_dealt():
    state, _ = play(table("Ana", "Bo"), "round Ana", "reveal")
    assert refusal(state, "stop") == "wrong-phase"
    state, _ = play(state, "round Bo")
    assert refusal(state, "stop") == "wrong-phase"
    state, events = play(state, "reveal", "stop")
    assert events == ({"event": "ended", "ranking": [["Ana", "Bo"]]},)
    assert comet.view(state)["result"] == {"ranking": [["Ana", "Bo"]]}
    assert of_table(state, "dealer") == "Bo"
    assert sum(of_table(state, "pots").values()) == 600


def test_the_game_cannot_stop_before_the_first_round():
    assert refusal(table(), "stop") == "wrong-phase"


def test_once_all_have_dealt_the_game_may_stop_after_any_later_round():
    state, _ = play(table("Ana", "Bo"), "round Ana", "reveal", "round Bo", "reveal", "round Ana", "reveal")
    assert play(state, "stop")[1][0]["event"] == "ended"


def test_those_who_are_out_need_not_have_dealt():
    state, _ = play(rich(table(), Bo=500), "round Ana", "reveal", "round Cy", "reveal")
    assert play(state, "stop")[1][0]["ranking"] == [["Ana", "Cy"], ["Bo"]]


def test_nothing_is_allowed_after_the_end():
    state, _ = play(table("Ana", "Bo", chips=299), "round Ana")
    for command in ("round Ana", "set Ana Desten A-A-A", "reserve Ana", "reveal", "stop"):
        assert refusal(state, command) == "wrong-phase"


# ---- the Tail


def test_the_tail_call_costs_twice_the_ante_on_top_of_an_ante_due():
    state, events = play(table(chips=900), "round Ana tail=yes")
    assert seats(state, "chips") == [0, 600, 600]
    assert of_table(state, "pots")["tail"] == 450 + 600
    assert of_table(state, "tail") is True
    assert events[0]["tail"] is True
    assert events[0]["ante"] == list(ABC)


def test_the_tail_call_is_refused_without_the_sum_and_the_round_may_begin_otherwise():
    assert refusal(table(chips=899), "round Ana tail=yes") == "cannot-pay"
    state, _ = play(table(chips=899), "round Ana")
    assert seats(state, "chips") == [599] * 3


def test_without_an_ante_due_the_tail_call_costs_twice_the_ante():
    state, _ = play(table(chips=900), "round Ana", "reveal")
    after, _ = play(state, "round Cy tail=yes")
    assert seats(after, "chips") == [600, 600, 0]
    assert refusal(rich(state, Cy=599), "round Cy tail=yes") == "cannot-pay"


def test_a_refused_tail_call_puts_nobody_out():
    state, _ = play(rich(table(chips=800), Bo=500), "round Ana", "reveal")
    assert refusal(state, "round Cy tail=yes") == "cannot-pay"
    assert seats(state, "in") == [True] * 3


def test_the_ante_that_the_tail_call_counts_is_due_once_those_who_lack_it_are_out():
    state, _ = play(rich(table(chips=1199), Bo=599), "round Ana", "reveal", "round Cy", "reveal")
    assert seats(state, "chips") == [899, 299, 899]
    assert refusal(state, "round Ana tail=yes") == "cannot-pay"


def test_reserved_cards_come_to_the_tail_hand_which_is_dealt_up_to_seven():
    state, _ = play(
        table(), "round Ana", "reserve Bo", "reveal", "round Cy", "reserve Bo", "reveal", "round Bo tail=yes"
    )
    assert seats(state, "hand") == [7, 7, 7]
    assert seats(state, "reserved") == [0, 0, 0]


def test_more_than_seven_reserved_cards_are_the_tail_hand():
    state, dealers = table("Ana", "Bo", chips=99999), ["Ana", "Bo"] * 4
    for dealer in dealers:
        state, _ = play(state, f"round {dealer}", "reserve Bo", "reveal")
    assert seats(state, "reserved") == [0, 8]
    state, _ = play(state, "round Ana tail=yes")
    assert seats(state, "hand") == [7, 8]
    assert seats(state, "reserved") == [0, 0]


def test_a_tail_round_ignores_growth_and_loses_it():
    state, events = play(table(), "round Ana", "set Bo Vain A-A-A", "reveal")
    assert events[-1] == {"event": "hands", "hands": {"Ana": 7, "Bo": 8, "Cy": 7}}
    state, _ = play(state, "round Cy tail=yes")
    assert seats(state, "hand") == [7, 7, 7]
    state, _ = play(state, "reveal", "round Bo")
    assert seats(state, "hand") == [7, 7, 7]


# ---- laying and keeping


def test_a_laid_set_leaves_the_hand_and_lies_on_the_table():
    state, events = play(table(), "round Ana", "set Bo Vain 9-4-3+9-9-10+2-2-5")
    assert events == ({"event": "set-laid", "player": "Bo", "pot": "Vain"},)
    assert seats(state, "hand") == [7, 4, 7]
    assert of_table(state, "sets") == [{"player": "Bo", "pot": "Vain", "cards": [[9, 4, 3], [9, 9, 10], [2, 2, 5]]}]


def test_one_card_a_round_may_be_kept():
    state, events = play(table(), "round Ana", "reserve Cy")
    assert events == ({"event": "reserved", "player": "Cy"},)
    assert (seats(state, "hand"), seats(state, "reserved")) == ([7, 7, 6], [0, 0, 1])
    assert refusal(state, "reserve Cy") == "already-reserved"
    state, _ = play(state, "reveal", "round Cy", "reserve Cy")
    assert seats(state, "reserved") == [0, 0, 2]


def test_reserved_cards_do_not_count_towards_later_hands():
    state, _ = play(table(), "round Ana", "reserve Cy", "reveal", "round Cy")
    assert seats(state, "hand") == [7, 7, 7]


def test_outside_the_laying_hands_are_0_and_no_set_lies():
    state, _ = play(table(), "round Ana", "set Bo Vain A-A-A", "reserve Bo", "reveal")
    assert seats(state, "hand") == [0, 0, 0]
    assert of_table(state, "sets") == []
    assert of_table(state, "tail") is False


def test_a_tail_round_takes_any_number_of_sets():
    state, _ = play(
        table(), "round Ana tail=yes", "set Bo tail A-A-A", "set Bo tail 2-2-3+2-3-4", "set Bo tail 5-6-7+6-6-9"
    )
    assert seats(state, "hand") == [7, 2, 7]


@pytest.mark.parametrize(
    ("lines", "command", "code"),
    [
        ((), "set Ana Desten A-A-A", "wrong-phase"),
        ((), "reserve Ana", "wrong-phase"),
        ((), "reveal", "wrong-phase"),
        (("round Ana",), "round Cy", "wrong-phase"),
        (("round Ana",), "round Ana", "wrong-phase"),
        (("round Ana",), "set Dee Desten A-A-A", "unknown-player"),
        (("round Ana",), "set Ana Mars A-A-A", "unknown-pot"),
        (("round Ana",), "set Ana Tail A-A-A", "unknown-pot"),
        (("round Ana",), "set Ana tail A-A-A", "pot-closed"),
        (("round Ana tail=yes",), "set Ana Desten A-A-A", "pot-closed"),
        (("round Ana tail=yes",), "set Ana Mars A-A-A", "unknown-pot"),
        (("round Ana tail=yes",), "reserve Ana", "pot-closed"),
        (("round Ana", "set Ana Vain 2-2-3+2-3-4"), "set Ana Vain A-A-A", "already-laid"),
        (("round Ana", "set Ana Vain 2-2-3+2-3-4"), "set Bo Vain 4-3-2+5-5-6", "duplicate-card"),
        (("round Ana",), "set Bo Vain 4-3-2+2-3-4", "duplicate-card"),
        (("round Ana",), "set Bo Vain 2-3-4+A-2-4+A-4-2", "duplicate-card"),
        (("round Ana",), "set Bo Vain 2-3-4", "bad-set"),
    ],
)
def test_refusals_of_one_kind(lines, command, code):
    assert refusal(play(table(), *lines)[0], command) == code


def test_the_hand_is_counted():
    state, _ = play(table(), "round Ana", "set Bo Vain 2-2-3+2-3-4+2-4-4", "set Bo Desten 3-3-4+3-4-4+5-5-6")
    assert seats(state, "hand")[1] == 1
    assert refusal(state, "set Bo Kinro 7-7-8+7-8-9") == "hand-exceeded"
    state, _ = play(state, "set Bo Kinro A-A-A")
    assert refusal(state, "reserve Bo") == "hand-exceeded"
    assert refusal(state, "set Bo Nivek 13-13-13") == "hand-exceeded"


def test_a_refusal_counts_the_cards_in_words():
    state, _ = play(table(), "round Ana", "set Bo Vain 2-2-3+2-3-4+2-4-4", "set Bo Desten 3-3-4+3-4-4+5-5-6")
    with pytest.raises(Refusal, match="Bo has 1 card in hand, not 2"):
        play(state, "set Bo Kinro 7-7-8+7-8-9")
    with pytest.raises(Refusal, match="not 4 cards"):
        play(state, "set Bo Kinro 7-7-8+7-8-9+8-8-9+9-9-10")
    with pytest.raises(Refusal, match="costs Ana 900, any ante due included, and there are 899"):
        play(table(chips=899), "round Ana tail=yes")


def test_with_an_empty_hand_keeping_again_is_hand_exceeded():
    state, _ = play(
        table(), "round Ana", "reserve Bo", "set Bo Vain 2-2-3+2-3-4+2-4-4", "set Bo Desten 3-3-4+3-4-4+5-5-6"
    )
    assert refusal(state, "reserve Bo") == "hand-exceeded"


def test_two_decks_hold_two_copies_of_each_card():
    state, _ = play(table(decks=2), "round Ana", "set Ana Vain A-A-A", "set Bo Vain A-A-A")
    assert refusal(state, "set Cy Vain A-A-A") == "duplicate-card"
    state, _ = play(state, "set Cy Vain 2-3-4+4-3-2")
    assert refusal(state, "set Ana Kinro 4-2-3+9-9-10") == "duplicate-card"


def test_a_card_may_lie_again_in_the_next_round():
    state, _ = play(table(), "round Ana", "set Ana Vain A-A-A", "reveal", "round Cy", "set Ana Vain A-A-A")
    assert len(of_table(state, "sets")) == 1


def test_someone_who_is_out_can_do_nothing():
    state, _ = play(rich(table(), Bo=500), "round Ana", "reveal", "round Cy")
    assert refusal(state, "set Bo Vain A-A-A") == "out-of-game"
    assert refusal(state, "reserve Bo") == "out-of-game"
    assert refusal(state, "round Bo") == "wrong-phase"
    state, _ = play(state, "reveal")
    assert refusal(state, "round Bo") == "out-of-game"


# ---- the order of refusals


def a_set(player, pot, *cards, **more):
    return {"cmd": "set", "player": player, "pot": pot, "cards": [list(card) for card in cards], **more}


TWO = ((2, 2, 3), (2, 3, 4))


@pytest.mark.parametrize(
    "command",
    [
        None,
        [],
        {},
        {"cmd": 3},
        {"cmd": "deal"},
        {"cmd": "round"},
        {"cmd": "round", "player": 3},
        {"cmd": "round", "player": "Ana", "tail": "yes"},
        {"cmd": "round", "player": "Ana", "tail": 1},
        {"cmd": "round", "player": "Ana", "tail": None},
        {"cmd": "reserve"},
        {"cmd": "reserve", "player": ["Ana"]},
        {"cmd": "set", "player": "Ana", "pot": "Vain"},
        {"cmd": "set", "player": "Ana", "pot": 1, "cards": []},
        {"cmd": "set", "player": "Ana", "cards": []},
        {"cmd": "set", "pot": "Vain", "cards": []},
        {"cmd": "set", "player": "Dee", "pot": "Vain", "cards": "A-A-A"},
        {"cmd": "set", "player": "Dee", "pot": "Vain", "cards": {}},
    ],
)
def test_malformed_comes_before_all_else(command):
    assert refusal(table(), command) == "malformed"
    assert refusal(play(table(), "round Ana")[0], command) == "malformed"


@pytest.mark.parametrize(
    "cards", [[3], [[]], [[2, 3, 4], None], [[2, 3, "4"]], [[2, 3, 4], [2, 3, 4.0]], [[1, 2, 3]] * 4]
)
def test_what_stands_inside_cards_is_judged_as_a_card(cards):
    state, _ = play(table(), "round Ana")
    assert refusal(state, {"cmd": "set", "player": "Ana", "pot": "Mars", "cards": cards}) == "bad-card"


@pytest.mark.parametrize("cards", [[], [[2, 3, 4]], [[2, 3, 4]] * 4, [[14, 14, 13]]])
def test_a_set_is_two_or_three_cards_or_a_triple_alone(cards):
    state, _ = play(table(), "round Ana")
    assert refusal(state, {"cmd": "set", "player": "Ana", "pot": "Mars", "cards": cards}) == "bad-set"


def test_any_triple_may_stand_alone_and_beside_others():
    state, _ = play(table(), "round Ana", "set Ana Vain 2-2-2", "set Ana Desten 3-3-3+4-4-4")
    assert len(of_table(state, "sets")) == 2


def test_of_several_refusals_the_first_in_order_is_given():
    between = table()
    assert refusal(between, a_set("Dee", "Mars")) == "unknown-player"
    assert refusal(between, a_set("Ana", "Mars")) == "wrong-phase"
    assert refusal(between, {"cmd": "round", "player": "Dee", "tail": True}) == "unknown-player"
    laying, _ = play(between, "round Ana", "set Ana Vain 2-2-3+2-3-4+2-4-4", "set Ana Desten 3-3-4+3-4-4+5-5-6")
    assert refusal(laying, {"cmd": "round", "player": "Dee"}) == "unknown-player"
    assert refusal(laying, a_set("Ana", "Mars", (1, 2, 3))) == "bad-card"
    assert refusal(laying, a_set("Ana", "Mars", (2, 3, 4))) == "bad-set"
    assert refusal(laying, a_set("Ana", "Mars", *TWO)) == "unknown-pot"
    assert refusal(laying, a_set("Ana", "tail", *TWO)) == "pot-closed"
    assert refusal(laying, a_set("Ana", "Vain", *TWO)) == "already-laid"
    assert refusal(laying, a_set("Ana", "Kinro", *TWO)) == "hand-exceeded"
    assert refusal(laying, a_set("Bo", "Kinro", *TWO)) == "duplicate-card"


def test_who_is_out_comes_before_who_deals_and_before_the_cards():
    state, _ = play(rich(table(), Bo=500), "round Ana", "reveal", "round Cy")
    assert refusal(state, a_set("Bo", "Mars", (1, 2, 3))) == "out-of-game"


def test_unknown_extra_fields_are_ignored():
    state, _ = comet.apply(table(), {"cmd": "round", "player": "Ana", "shout": True})
    state, _ = comet.apply(state, a_set("Ana", "Vain", *TWO, amount=-3))
    state, events = comet.apply(state, {"cmd": "reveal", "player": "Nobody"})
    assert events[-1]["event"] == "hands"


@pytest.mark.parametrize(
    "command",
    [
        {"cmd": "round", "player": "Mary Ann"},
        {"cmd": "round", "player": "Ana", "tail": True},
        {"cmd": "round", "player": "Ana", "tail": False},
        {"cmd": "set", "player": "Bo", "pot": "Far Away", "cards": [[14, 2, 3], [4, 9, 10]]},
        {"cmd": "set", "player": "Bo", "pot": "tail", "cards": [[14, 14, 14]]},
        {"cmd": "reserve", "player": "Ana"},
        {"cmd": "reveal"},
        {"cmd": "stop"},
    ],
)
def test_every_command_is_read_back_from_its_writing(command):
    assert notation.parse(comet.NOTATION, notation.write(comet.NOTATION, command)) == command


def test_chips_are_never_made_or_lost_in_a_game():
    state = table()
    for line in ("round Ana", "set Bo Vain A-A-A", "reveal", "round Cy tail=yes", "set Bo tail A-A-A", "reveal"):
        state, _ = play(state, line)
        assert total(state) == 6000
