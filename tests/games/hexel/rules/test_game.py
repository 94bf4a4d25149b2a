"""The rulings of the rules page Hex'el, each as a short stretch of play written in the game's notation."""

from dataclasses import FrozenInstanceError, replace

import pytest

from companion.errors import Refusal
from companion.games.hexel.rules import game as hexel
from companion.games.hexel.rules.tableau import CALLS, Laid
from companion.rules.engine import Header
from companion.rules.notation import parse

# A red line from west to east; beside it nearly everything is blue, and no Hoxla is open.
LINE = "line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb"

# Cards that fit beside it, none of a face that lies there: one edge at either end, two edges on the north side.
HEXBA = "2,0 brrrrr"
HEXBA_WEST = "-2,0 brrbbb"
HEXEL = "0,-1 rrrrbb"


def table(*players, edition="36", **options):
    return hexel.start(Header("hexel", players, edition, options))


def do(state, text):
    """The state after one written command, and its events."""
    return hexel.apply(state, parse(hexel.NOTATION, text))


def play(state, *texts):
    """The state after written commands, and the events of the last."""
    events = ()
    for text in texts:
        state, events = do(state, text)
    return state, events


def begun(*players, stake=3, hedge=6, edition="36", **options):
    """A table in the first round, everyone having hedged the same."""
    state, _ = play(
        table(*players, edition=edition, **options), LINE, f"stake {options.get('dealer', players[0])} {stake}"
    )
    return play(state, *(f"hedge {name} {hedge}" for name in players))[0]


def refusal(state, command):
    """The refusal of a command, written or as JSON; the state must not matter to it afterwards."""
    with pytest.raises(Refusal) as caught:
        hexel.apply(state, parse(hexel.NOTATION, command) if isinstance(command, str) else command)
    return caught.value


def code(state, command):
    return refusal(state, command).code


def names(events):
    return [event["event"] for event in events]


def player(state, name):
    return hexel.view(state)["players"][name]


def facts(event, *fields):
    return tuple(event[field] for field in fields)


def test_a_state_cannot_be_changed():
    state = begun("Ana", "Bo")
    for thing, name in ((state, "turn"), (state.chips, "held"), (state.tableau[0, 0], "by")):
        with pytest.raises(FrozenInstanceError):
            setattr(thing, name, "Bo")


# ---- the line


def test_before_the_line_nobody_holds_a_card_and_the_deck_is_whole():
    shown = hexel.view(table("Ana", "Bo"))
    assert (shown["phase"], shown["turn"], shown["result"]) == ("line", None, None)
    assert shown["table"] == {
        "phase": "line",
        "turn": None,
        "dealer": "Ana",
        "round": 0,
        "stake": None,
        "mark": None,
        "mark_by": None,
        "cards_left": 36,
        "tableau": [],
    }
    assert shown["players"]["Bo"] == {"chips": 100, "hedge": 0, "hand_pot": 0, "cards": 0, "in": True}


def test_a_table_without_an_edition_is_of_edition_36():
    assert hexel.start(Header("hexel", ("Ana",))).cards_left == 36


@pytest.mark.parametrize(("edition", "left"), [("36", 36 - 3 - 6), ("46", 46 - 3 - 6)])
def test_the_line_deals_three_cards_to_each(edition, left):
    state, events = do(table("Ana", "Bo", edition=edition), LINE)
    assert names(events) == ["line-laid"]
    assert (state.phase, state.turn, state.cards_left, state.hands) == ("stake", "Ana", left, {"Ana": 3, "Bo": 3})
    tableau = hexel.view(state)["table"]["tableau"]
    assert [card["by"] for card in tableau] == [None] * 3
    assert tableau[0] == {"cell": [-1, 0], "edges": ["red"] + ["blue"] * 5, "by": None}


@pytest.mark.parametrize(
    "cards",
    [
        "0,0:rbbrbb+-1,0:rbbbbb+1,0:rrbrbb",
        "1,0:rrbrbb+0,0:rbbrbb+-1,0:rbbbbb",
        "1,0:rrbrbb+-1,0:rbbbbb+0,0:rbbrbb",
        "0,-1:bbbbbr+0,0:bbrbbr+0,1:bbrbrb",
        "1,-1:bbbbrb+0,0:brbbrb+-1,1:rrbbbb",
    ],
)
def test_the_line_may_lie_along_any_axis_and_be_given_in_any_order(cards):
    assert do(table("Ana"), f"line {cards}")[0].phase == "stake"


@pytest.mark.parametrize(
    "cards",
    [
        "-1,0:rbbbbb+0,0:rbbrbb",
        "-1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb+2,0:rbbrbb",
        "-1,0:rbbbbb+0,0:rbbrbb+2,0:rrbrbb",
        "-1,0:rbbbbb+0,0:rbbrbb+0,1:rrbrbb",
        "-1,0:rbbbbb+0,0:rbbrbb+0,0:rrbrbb",
        "-",
    ],
)
def test_cards_that_do_not_lie_in_a_line_of_three_are_no_line(cards):
    command = {"cmd": "line", "cards": hexel.NOTATION["line"][0].form.parse(cards)}
    assert code(table("Ana"), command) == "not-a-line"


@pytest.mark.parametrize(
    ("cards", "direction"),
    [
        ("-1,0:bbbbbb+0,0:rbbrbb+1,0:rrbrbb", 0),
        ("-1,0:rbbbbb+0,0:rbbrbb+1,0:rrbbbb", 0),
        ("1,0:rrbbbb+0,0:rbbrbb+-1,0:rbbbbb", 3),
        ("0,0:rbbrbb+1,0:rrbbbb+-1,0:rbbbbb", 3),
        ("-1,0:bbbbbb+0,0:rbbrbb+1,0:rrbbbb", 0),
        ("0,-1:bbbbbb+0,0:rrrrbb+0,1:rrrrrr", 5),
    ],
)
def test_a_clash_in_the_line_is_told_from_the_earlier_card(cards, direction):
    refused = refusal(table("Ana"), f"line {cards}")
    assert (refused.code, refused.fields) == ("edge-mismatch", {"edges": [direction]})


@pytest.mark.parametrize(
    "cards",
    [
        "-1,0:rrbbbb+0,0:rbrrbb+1,0:rrbrbb",  # the north end of the first shared edge
        "-1,0:rbbbbr+0,0:rbbrrb+1,0:rrbrbb",  # its south end
        "-1,0:rbbbbb+0,0:rrbrbb+1,0:rbrrbb",  # the north end of the second
        "-1,0:rbbbbb+0,0:rbbrbr+1,0:rbbrrb",  # its south end
        "0,-1:rrbrbr+0,0:rrrrbb+0,1:bbbbrr",  # another axis
    ],
)
def test_a_line_that_one_card_could_make_a_hoxla_of_is_refused(cards):
    assert code(table("Ana"), f"line {cards}") == "hoxla-open"


def test_one_outward_edge_alone_leaves_no_hoxla_open():
    assert do(table("Ana"), "line -1,0:rrbbbb+0,0:rbbrbb+1,0:rrbrbr")[0].phase == "stake"


def test_a_face_twice_in_the_line_is_warned_of_at_the_later_card_in_the_list():
    _, events = do(table("Ana"), "line 1,0:rbbrbb+0,0:rbbrbb+-1,0:rbbbbb")
    assert names(events) == ["line-laid", "warning"]
    assert facts(events[1], "code", "cell") == ("duplicate-card", [0, 0])
    _, events = do(table("Ana"), "line 1,0:rbbrbb+0,0:rbbrbb+-1,0:rbbrbb")
    assert [event["cell"] for event in events[1:]] == [[0, 0], [-1, 0]]


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ([5], "bad-card"),
        ([["red"] * 6] * 3, "bad-card"),
        ([["red"] * 6, *({"cell": [q, 0], "edges": ["red", "blue", "blue"] * 2} for q in (0, 1, 2))], "bad-card"),
        ([{"cell": [0, 0]}], "bad-card"),
        ([{"cell": [0, 0], "edges": "rbbrbb"}], "bad-card"),
        ([{"cell": [0, 0.0], "edges": ["red"] * 6}], "malformed"),
        ([{"edges": ["red"] * 6}], "malformed"),
        ([{"cell": [0, 0], "edges": ["red"] * 6}], "not-a-line"),
        ({"0": 1}, "malformed"),
        (None, "malformed"),
    ],
)
def test_what_is_no_list_of_cards_is_no_line(cards, expected):
    assert code(table("Ana"), {"cmd": "line", "cards": cards}) == expected


# ---- stake and hedges


def test_the_dealer_sets_the_stake_and_then_everyone_hedges():
    state, events = play(table("Ana", "Bo", dealer="Bo"), LINE, "stake Bo 4")
    assert events == ({"event": "stake-set", "player": "Bo", "amount": 4},)
    assert (state.phase, state.turn, state.stake, state.round) == ("hedge", None, 4, 0)


def test_a_stake_may_be_more_than_anyone_has():
    assert play(table("Ana", chips=5), LINE, "stake Ana 1000")[0].stake == 1000


def test_stakes_are_the_dealers_and_at_least_one():
    state, _ = play(table("Ana", "Bo"), LINE)
    assert code(state, "stake Bo 3") == "not-dealer"
    assert code(state, "stake Bo 0") == "not-dealer"
    assert code(state, "stake Cy 3") == "unknown-player"
    assert code(state, "stake Ana 0") == "bad-amount"
    assert code(state, "stake Ana -3") == "bad-amount"


@pytest.mark.parametrize("amount", [3.0, "3", True, None, [3]])
def test_an_amount_that_is_no_whole_number_of_json_is_malformed(amount):
    state, _ = play(table("Ana", "Bo"), LINE)
    assert code(state, {"cmd": "stake", "player": "Cy", "amount": amount}) == "malformed"
    state, _ = do(state, "stake Ana 3")
    assert code(state, {"cmd": "hedge", "player": "Cy", "amount": amount}) == "malformed"


def test_hedges_come_in_any_order_and_the_last_begins_the_round():
    state, _ = play(table("Ana", "Bo", "Cy", dealer="Bo"), LINE, "stake Bo 3", "hedge Cy 9", "hedge Bo 0")
    assert (state.phase, state.turn, state.round) == ("hedge", None, 0)
    state, events = do(state, "hedge Ana 3")
    assert names(events) == ["hedged", "round-begun"]
    assert events[1]["n"] == 1
    assert (state.phase, state.turn, state.round, state.mark, state.mark_by) == ("play", "Bo", 1, None, None)
    assert player(state, "Cy") == {"chips": 91, "hedge": 9, "hand_pot": 0, "cards": 3, "in": True}


def test_a_hedge_is_a_multiple_of_the_stake_that_the_chip_stock_holds_once_a_round():
    state, _ = play(table("Ana", "Bo", chips=10), LINE, "stake Ana 3", "hedge Ana 9")
    assert code(state, "hedge Bo 4") == "bad-amount"
    assert code(state, "hedge Bo -3") == "bad-amount"
    assert code(state, "hedge Bo 12") == "bad-amount"
    assert code(state, "hedge Cy 3") == "unknown-player"
    assert code(state, "hedge Ana 0") == "already-hedged"
    assert code(state, "hedge Ana 3") == "bad-amount"
    assert do(state, "hedge Bo 9")[0].phase == "play"


def test_a_hedge_may_take_the_whole_chip_stock():
    state, _ = play(table("Ana", "Bo", chips=9), LINE, "stake Ana 3", "hedge Bo 9")
    assert player(state, "Bo")["chips"] == 0


# ---- placing


def test_the_call_names_the_edges_matched():
    state = begun("Ana")
    state, events = do(state, f"place Ana {HEXBA}")
    assert events == ({"event": "placed", "player": "Ana", "cell": [2, 0], "matched": 1, "call": "Hexba"},)
    _, events = do(state, f"place Ana {HEXEL}")
    assert facts(events[0], "matched", "call") == (2, "Hexel")


@pytest.mark.parametrize(("matched", "call"), list(enumerate(CALLS, 1)))
def test_every_number_of_edges_has_its_call(matched, call):
    """Cards around one free cell, laid without regard to the rules; the middle one has no two equal edges in a row."""
    state = begun("Ana")
    around = {(1, 0): 0, (1, -1): 1, (0, -1): 2, (-1, 0): 3, (-1, 1): 4, (0, 1): 5}
    middle = ("red", "blue") * 3
    laid = {cell: Laid(tuple(middle[d] for _ in range(6)), None) for cell, d in list(around.items())[:matched]}
    state = replace(state, tableau=laid)
    _, events = do(state, "place Ana 0,0 rbrbrb")
    assert facts(events[0], "matched", "call") == (matched, call)


def test_a_card_goes_edge_to_edge_with_another_on_a_free_cell():
    state = begun("Ana", "Bo")
    assert code(state, "place Ana 0,0 rbbrbb") == "cell-taken"
    assert refusal(state, "place Ana 5,-5 rbbrbb").code == "not-adjacent"
    assert "(5, -5)" in refusal(state, "place Ana 5,-5 rbbrbb").message
    assert code(state, "place Ana 3,0 rbbrbb") == "not-adjacent"


def test_every_clashing_direction_is_told():
    state = begun("Ana", "Bo")
    refused = refusal(state, "place Ana 0,-1 rbbbrr")
    assert (refused.code, refused.fields) == ("edge-mismatch", {"edges": [4, 5]})
    assert "SW and SE" in refused.message
    assert refusal(state, "place Ana 0,-1 rbbbrb").fields == {"edges": [4]}


@pytest.mark.parametrize(
    "edges",
    [
        ["red"] * 5,
        ["red"] * 7,
        [],
        ["red"] * 5 + ["yellow"],
        ["red"] * 5 + ["Red"],
        ["red"] * 5 + [None],
        ["red"] * 5 + [["red"]],
        ["red", "blue", "void", "red", "red", "red"],
    ],
)
def test_a_card_has_six_known_symbols_of_at_most_two_kinds(edges):
    command = {"cmd": "place", "player": "Ana", "cell": [0, 0], "edges": edges}
    assert code(begun("Ana", "Bo"), command) == "bad-card"


def test_the_third_symbol_is_void_or_yellow_by_edition():
    assert code(begun("Ana"), "place Ana 2,0 yyyryy") == "bad-card"
    assert code(begun("Ana", edition="46"), "place Ana 2,0 vvvrvv") == "bad-card"
    assert names(do(begun("Ana", edition="46"), "place Ana 2,0 yyyryy")[1]) == ["placed"]


@pytest.mark.parametrize(
    "change",
    [{"edges": "rbbrbb"}, {"edges": None}, {"cell": [0, 0, 0]}, {"cell": [0, "0"]}, {"player": 3}, {"player": None}],
)
def test_a_place_with_a_field_of_the_wrong_type_is_malformed(change):
    command = {"cmd": "place", "player": "Ana", "cell": [2, 0], "edges": ["red"] * 6, **change}
    assert code(begun("Ana", "Bo"), command) == "malformed"


@pytest.mark.parametrize(("edition", "expected"), [("36", ["placed", "warning"]), ("46", ["placed"])])
@pytest.mark.parametrize("turned_or_mirrored", ["bbbrbb", "rbbrbr"])
def test_a_second_card_of_a_face_is_warned_of_in_edition_36_only(edition, expected, turned_or_mirrored):
    _, events = do(begun("Ana", "Bo", edition=edition), f"place Ana 2,0 {turned_or_mirrored}")
    assert names(events) == expected
    assert [facts(event, "code", "cell") for event in events[1:]] == [("duplicate-card", [2, 0])] * (len(expected) - 1)


def test_a_third_card_of_a_face_is_warned_of_once():
    _, events = play(begun("Ana", "Bo"), "place Ana 2,0 bbbrbb", "place Bo -2,0 brbbbb")
    assert names(events) == ["placed", "warning"]


def test_the_warning_comes_before_the_insurance():
    _, events = play(begun("Ana", "Bo"), f"place Ana {HEXEL}", "place Bo 2,0 bbbrbb")
    assert names(events) == ["placed", "warning", "insurance"]


# ---- turns, rounds and the deck


def test_play_goes_clockwise_from_the_dealer():
    state = begun("Ana", "Bo", "Cy", dealer="Bo")
    turns = []
    for text in ("pass Bo", "pass Cy", "pass Ana", "pass Bo"):
        turns.append(state.turn)
        state, _ = do(state, text)
    assert (turns, state.turn) == (["Bo", "Cy", "Ana", "Bo"], "Cy")


def test_only_the_player_whose_turn_it_is_plays():
    state = begun("Ana", "Bo")
    for text in (f"place Bo {HEXBA}", "pass Bo"):
        assert code(state, text) == "not-your-turn"
    for text in (f"place Cy {HEXBA}", "pass Cy"):
        assert code(state, text) == "unknown-player"


def test_passing_matches_nothing_and_uses_up_a_card():
    state, events = do(begun("Ana", "Bo"), "pass Ana")
    assert events == ({"event": "passed", "player": "Ana"},)
    assert (player(state, "Ana")["cards"], state.mark, state.mark_by, state.cards_left) == (2, 0, "Ana", 27)


def test_after_three_cards_each_a_new_round_is_dealt_and_hedged_for():
    state, events = play(begun("Ana", "Bo"), *["pass Ana", "pass Bo"] * 3)
    assert names(events) == ["passed", "dealt"]
    assert facts(events[1], "each", "cards_left") == (3, 21)
    assert (state.phase, state.turn, state.round, state.mark, state.mark_by) == ("hedge", None, 1, None, None)
    assert (state.stake, state.hands) == (3, {"Ana": 3, "Bo": 3})
    assert code(state, "stake Ana 3") == "wrong-phase"
    state, events = play(state, "hedge Bo 0", "hedge Ana 3")
    assert (state.round, state.turn, events[1]["n"]) == (2, "Ana", 2)
    assert player(state, "Ana") == {"chips": 91, "hedge": 9, "hand_pot": 0, "cards": 3, "in": True}


def test_there_is_no_mark_at_the_start_of_a_round():
    state, _ = play(begun("Ana", "Bo"), *["pass Ana", "pass Bo"] * 2, "pass Ana", f"place Bo {HEXEL}")
    state, _ = play(state, "hedge Ana 0", "hedge Bo 0")
    _, events = do(state, "pass Ana")
    assert names(events) == ["passed"]


def passed_through(state):
    """The state and all `dealt` after everyone has passed, and hedged nothing, as often as they can."""
    dealt = []
    while state.phase != "over":
        if state.phase == "hedge":
            text = f"hedge {next(name for name in state.still_in if name not in state.hedged)} 0"
        else:
            text = f"pass {state.turn}"
        state, events = do(state, text)
        dealt += [facts(event, "each", "cards_left") for event in events if event["event"] == "dealt"]
    return state, dealt, events


@pytest.mark.parametrize(
    ("players", "edition", "expected"),
    [
        (1, "36", [(3, n) for n in range(27, -1, -3)]),
        (2, "36", [(3, 21), (3, 15), (3, 9), (3, 3), (1, 1)]),
        (4, "36", [(3, 9), (2, 1)]),
        (5, "36", [(3, 3)]),
        (6, "36", [(2, 3)]),
        (6, "46", [(3, 7), (1, 1)]),
    ],
)
def test_too_few_cards_are_dealt_evenly_as_far_as_they_go(players, edition, expected):
    state, dealt, _ = passed_through(begun(*"ABCDEF"[:players], edition=edition, hedge=0))
    assert dealt == expected
    assert state.cards_left == expected[-1][1]


def test_the_cards_run_out_without_a_card_placed_and_every_hedge_goes_back():
    state, _, events = passed_through(begun("Ana", "Bo", hedge=6))
    assert names(events) == ["passed", "hedges-returned"]
    assert state.result == {"winner": None, "amount": 0, "by": "cards-out"}
    assert [facts(player(state, name), "chips", "hedge", "cards", "in") for name in ("Ana", "Bo")] == [
        (100, 0, 0, True)
    ] * 2


def test_the_cards_run_out_and_the_last_to_have_placed_wins_the_hedges():
    state, _ = play(begun("Ana", "Bo", hedge=6), f"place Ana {HEXBA}")
    state, _, events = passed_through(do(state, "pass Bo")[0])
    assert names(events) == ["passed", "won"]
    assert facts(events[1], "player", "amount", "by") == ("Ana", 9, "cards-out")
    assert state.result == {"winner": "Ana", "amount": 9, "by": "cards-out"}
    assert player(state, "Ana")["chips"] == 103
    assert player(state, "Ana")["hand_pot"] == 3


def test_a_player_who_is_out_does_not_win_when_the_cards_run_out():
    state = begun("Ana", "Bo", "Cy", hedge=0)
    state, _ = play(state, f"place Ana {HEXBA}", f"place Bo {HEXEL}", f"place Cy {HEXBA_WEST}")
    assert state.still_in == ("Ana", "Bo")
    state, _, events = passed_through(replace(state, mark=None, mark_by=None))
    assert facts(events[-1], "event", "player", "by") == ("won", "Bo", "cards-out")


# ---- insurance


def test_whoever_matches_fewer_pays_the_difference_from_the_hedge():
    state, _ = do(begun("Ana", "Bo"), f"place Ana {HEXEL}")
    state, events = do(state, f"place Bo {HEXBA}")
    assert names(events) == ["placed", "insurance"]
    assert facts(events[1], "from", "to", "amount") == ("Bo", "Ana", 3)
    assert (state.mark, state.mark_by) == (1, "Bo")
    assert (player(state, "Bo")["hedge"], player(state, "Ana")["hand_pot"], player(state, "Ana")["chips"]) == (3, 3, 94)


def test_insurance_goes_into_the_chip_stock_in_edition_46():
    state, _ = play(begun("Ana", "Bo", edition="46"), f"place Ana {HEXEL}", f"place Bo {HEXBA}")
    assert (player(state, "Ana")["hand_pot"], player(state, "Ana")["chips"]) == (0, 97)


def test_matching_as_many_or_more_owes_nothing():
    state, _ = do(begun("Ana", "Bo"), f"place Ana {HEXBA}")
    assert names(do(state, f"place Bo {HEXBA_WEST}")[1]) == ["placed"]
    assert names(do(state, f"place Bo {HEXEL}")[1]) == ["placed"]


def test_a_hedge_that_just_suffices_pays_and_stays_in():
    state, _ = play(begun("Ana", "Bo", hedge=6), f"place Ana {HEXEL}")
    state, events = do(state, "pass Bo")
    assert names(events) == ["passed", "insurance"]
    assert (player(state, "Bo")["hedge"], player(state, "Bo")["in"]) == (0, True)


def test_a_hedge_that_falls_short_goes_whole_and_the_player_is_out():
    state, _ = play(begun("Ana", "Bo", "Cy", hedge=3), f"place Ana {HEXEL}")
    state, events = do(state, "pass Bo")
    assert names(events) == ["passed", "out"]
    assert facts(events[1], "player", "paid", "to") == ("Bo", 3, "Ana")
    assert player(state, "Bo") == {"chips": 97, "hedge": 0, "hand_pot": 0, "cards": 0, "in": False}
    assert (state.phase, state.turn) == ("play", "Cy")
    assert code(state, "pass Bo") == "out-of-game"


def test_an_empty_hedge_pays_nothing_and_the_player_is_out():
    state, _ = play(begun("Ana", "Bo", "Cy", hedge=0), f"place Ana {HEXBA}")
    _, events = do(state, "pass Bo")
    assert facts(events[1], "event", "paid", "to") == ("out", 0, "Ana")


def test_the_mark_stays_that_of_the_last_player_still_in():
    state, _ = play(begun("Ana", "Bo", "Cy", hedge=3), f"place Ana {HEXEL}", "pass Bo")
    assert (state.mark, state.mark_by) == (2, "Ana")
    state, events = do(state, f"place Cy {HEXBA}")
    assert facts(events[1], "event", "from", "to", "amount") == ("insurance", "Cy", "Ana", 3)
    assert (state.mark, state.mark_by) == (1, "Cy")


def test_a_player_who_goes_out_leaves_the_card_on_the_table():
    state, _ = play(begun("Ana", "Bo", "Cy", hedge=0), f"place Ana {HEXEL}", f"place Bo {HEXBA}")
    assert hexel.view(state)["table"]["tableau"][-1]["by"] == "Bo"
    assert player(state, "Bo")["in"] is False


def test_the_first_player_answers_to_the_last_when_the_turn_comes_round():
    state, _ = play(begun("Ana", "Bo"), "pass Ana", f"place Bo {HEXEL}")
    _, events = do(state, "pass Ana")
    assert facts(events[1], "from", "to", "amount") == ("Ana", "Bo", 6)


def test_the_last_one_in_wins_the_hedges():
    state, _ = play(begun("Ana", "Bo", hedge=3), f"place Ana {HEXEL}")
    state, events = do(state, "pass Bo")
    assert names(events) == ["passed", "out", "won"]
    assert facts(events[2], "player", "amount", "by") == ("Ana", 3, "last-in")
    shown = hexel.view(state)
    assert (shown["phase"], shown["turn"], shown["table"]["mark"], shown["table"]["mark_by"]) == (
        "over",
        None,
        None,
        None,
    )
    assert shown["result"] == {"winner": "Ana", "amount": 3, "by": "last-in"}
    assert player(state, "Ana") == {"chips": 100, "hedge": 0, "hand_pot": 3, "cards": 2, "in": True}


def test_last_in_comes_before_the_cards_running_out():
    state = begun("Ana", "Bo", hedge=0)
    state = replace(state, cards_left=0, hands={"Ana": 1, "Bo": 1})
    _, events = play(state, f"place Ana {HEXBA}", "pass Bo")
    assert facts(events[-1], "event", "player", "by") == ("won", "Ana", "last-in")


def test_a_new_round_is_begun_by_the_next_who_is_in_when_the_dealer_is_out():
    state = begun("Ana", "Bo", "Cy", hedge=0)
    state, _ = play(state, "pass Ana", f"place Bo {HEXBA}", f"place Cy {HEXBA_WEST}", "pass Ana")
    assert state.still_in == ("Bo", "Cy")
    state, events = play(
        state, *["place Bo 3,0 rrrbrr", "place Cy -3,0 brrbbb", "place Bo 4,0 bbbrbb", "place Cy -4,0 bbbbbr"]
    )
    assert facts(events[-1], "event", "each", "cards_left") == ("dealt", 3, 36 - 3 - 9 - 6)
    assert player(state, "Ana")["cards"] == 0
    assert code(state, "hedge Ana 0") == "out-of-game"
    state, _ = play(state, "hedge Bo 0", "hedge Cy 0")
    assert (state.turn, state.round) == ("Bo", 2)


def test_a_player_alone_at_the_table_owes_nobody():
    state, events = play(begun("Ana", hedge=3), f"place Ana {HEXEL}", "pass Ana")
    assert names(events) == ["passed"]
    assert (state.mark, state.mark_by, state.phase) == (0, "Ana", "play")


# ---- Hoxla


def hoxla_table(*players, hedge=6):
    state = begun(*players, hedge=hedge)
    return do(state, f"place {players[0]} 0,-1 bbrrbb")[0]


def test_six_equal_symbols_around_a_corner_win_at_once():
    state, events = do(hoxla_table("Ana", "Bo"), "place Bo 1,-1 rrrbbb")
    assert names(events) == ["placed", "hoxla", "won"]
    assert facts(events[0], "matched", "call") == (3, "Hoxla")
    assert events[1]["player"] == "Bo"
    assert [sorted(corner) for corner in events[1]["corners"]] == [[[0, -1], [0, 0], [1, -1]]]
    assert events[1]["symbols"] == ["blue"]
    assert facts(events[2], "player", "amount", "by") == ("Bo", 12, "hoxla")
    assert state.result == {"winner": "Bo", "amount": 12, "by": "hoxla"}
    assert (player(state, "Bo")["chips"], player(state, "Ana")["chips"]) == (106, 94)


def test_no_insurance_is_due_with_a_hoxla():
    state = replace(hoxla_table("Ana", "Bo"), mark=6)
    assert names(do(state, "place Bo 1,-1 rrrbbb")[1]) == ["placed", "hoxla", "won"]


def test_every_corner_of_a_hoxla_is_reported_with_its_symbol():
    """The middle of five cards closes one red and one blue corner."""
    laid = {(1, 0): "rrrrrr", (1, -1): "rrrrrr", (-1, 0): "bbbbbb", (-1, 1): "bbbbbb"}
    state = replace(begun("Ana"), tableau={cell: Laid(tuple(hexel.FACE.parse(word))) for cell, word in laid.items()})
    _, events = do(state, "place Ana 0,0 rrbbbb")
    found = {symbol: sorted(corner) for corner, symbol in zip(events[1]["corners"], events[1]["symbols"], strict=True)}
    assert names(events) == ["placed", "hoxla", "won"]
    assert found == {"red": [[0, 0], [1, -1], [1, 0]], "blue": [[-1, 0], [-1, 1], [0, 0]]}
    assert facts(events[0], "matched", "call") == (4, "Hoxla")


def test_two_of_the_three_shared_edges_are_no_hoxla():
    """Both neighbours turn blue to the new card, but red to one another."""
    laid = {(1, 0): "bbrbbb", (1, -1): "bbbbbr"}
    state = replace(begun("Ana"), tableau={cell: Laid(tuple(hexel.FACE.parse(word))) for cell, word in laid.items()})
    assert facts(do(state, "place Ana 0,0 bbrrrr")[1][0], "matched", "call") == (2, "Hexel")


# ---- after the end


def over(hedge=3):
    state, _ = play(begun("Ana", "Bo", "Cy", hedge=hedge), f"place Ana {HEXEL}", "pass Bo", "pass Cy")
    assert state.phase == "over"
    return state


def test_after_the_end_only_the_next_game_is_taken():
    state = over()
    for text in (LINE, "stake Ana 3", "hedge Ana 3", f"place Ana {HEXBA}", "pass Ana"):
        assert code(state, text) == "wrong-phase"
    assert code(state, "pass Dee") == "unknown-player"
    too_early = refusal(begun("Ana", "Bo"), "next-game")
    assert too_early.code == "wrong-phase"
    assert "now is play" in too_early.message


def test_the_next_game_pays_hand_pots_and_lets_everyone_in_again():
    state = over()
    assert player(state, "Ana")["hand_pot"] == 6
    state, events = do(state, "next-game")
    assert facts(events[0], "event", "dealer") == ("game-begun", "Bo")
    shown = hexel.view(state)
    assert {name: facts(p, "chips", "hedge", "hand_pot", "cards", "in") for name, p in shown["players"].items()} == {
        "Ana": (106, 0, 0, 0, True),
        "Bo": (97, 0, 0, 0, True),
        "Cy": (97, 0, 0, 0, True),
    }
    assert (shown["phase"], shown["turn"], shown["result"]) == ("line", None, None)
    assert facts(shown["table"], "round", "stake", "mark", "cards_left", "tableau") == (0, None, None, 36, [])
    state, _ = play(state, LINE)
    assert (state.turn, state.cards_left) == ("Bo", 36 - 3 - 9)


def broke(*poor, players=("Ana", "Bo", "Cy"), dealer="Ana"):
    """A table after a game in which some have lost their last chip to the first player."""
    state = replace(over(), players=players, dealer=dealer)
    chips = state.chips
    for name in poor:
        chips = chips.gathered([(name, "chips"), (name, "hand_pot")], (players[0], "hand_pot"))
    return replace(state, chips=chips)


def test_whoever_has_no_chips_stays_out_and_is_dealt_nothing():
    state, events = do(broke("Bo"), "next-game")
    assert events[0]["dealer"] == "Cy"
    assert facts(player(state, "Bo"), "chips", "cards", "in") == (0, 0, False)
    state, _ = play(state, LINE)
    assert (state.hands, state.cards_left) == ({"Ana": 3, "Bo": 0, "Cy": 3}, 36 - 3 - 6)
    state, _ = do(state, "stake Cy 1")
    assert code(state, "hedge Bo 0") == "out-of-game"
    state, _ = play(state, "hedge Ana 1", "hedge Cy 1")
    assert (state.phase, state.turn) == ("play", "Cy")


def test_chips_in_a_hand_pot_are_enough_for_the_next_game():
    state = broke("Cy")
    chips = state.chips.gathered([("Bo", "chips")], ("Bo", "hand_pot"))
    state, _ = do(replace(state, chips=chips), "next-game")
    assert facts(player(state, "Bo"), "chips", "in") == (97, True)


def test_the_evening_is_over_when_fewer_than_two_have_chips():
    state = broke("Bo", "Cy")
    refused = refusal(state, "next-game")
    assert refused.code == "wrong-phase"
    assert "evening" in refused.message
    assert hexel.legal(state) == ()
    assert hexel.legal(broke("Bo")) == ({"cmd": "next-game"},)


def test_in_solitaire_one_goes_on_alone():
    state, _, _ = passed_through(begun("Ana"))
    state, events = do(state, "next-game")
    assert (events[0]["dealer"], state.phase) == ("Ana", "line")


# ---- order of checks


def test_the_first_of_several_refusals_is_given():
    early, playing = table("Ana", "Bo"), begun("Ana", "Bo", "Cy", hedge=0)
    assert code(early, {"cmd": "place", "player": "Cy"}) == "malformed"
    assert code(early, "place Cy 0,0 rrrrrr") == "unknown-player"
    assert code(early, "place Ana 0,0 rrrrrr") == "wrong-phase"
    assert code(playing, LINE) == "wrong-phase"
    assert code(playing, {"cmd": "line", "cards": [5, {"cell": [0]}]}) == "malformed"
    out, _ = play(playing, f"place Ana {HEXEL}", "pass Bo")
    assert code(out, "place Bo 0,0 rrrrrr") == "out-of-game"
    assert code(out, {"cmd": "place", "player": "Ana", "cell": [0, 0], "edges": []}) == "not-your-turn"
    assert code(out, {"cmd": "place", "player": "Cy", "cell": [0, 0], "edges": []}) == "bad-card"
    assert code(out, "place Cy 0,0 vvvvvv") == "cell-taken"


@pytest.mark.parametrize("command", [None, [], "pass", {}, {"cmd": "dance"}, {"cmd": 3}])
def test_what_is_no_command_is_malformed(command):
    with pytest.raises(Refusal) as caught:
        hexel.apply(table("Ana"), command)
    assert caught.value.code == "malformed"


def test_unknown_fields_of_a_command_are_ignored():
    command = parse(hexel.NOTATION, "pass Ana") | {"note": "sighing", "amount": "3"}
    assert names(hexel.apply(begun("Ana", "Bo"), command)[1]) == ["passed"]


# ---- the page's worked example


def test_the_worked_example_of_the_rules_page():
    state, _ = play(table("Ana", "Bo"), LINE, "stake Ana 3", "hedge Ana 6", "hedge Bo 9")
    state, _ = play(state, f"place Ana {HEXEL}", f"place Bo {HEXBA}")
    assert (player(state, "Bo")["hedge"], player(state, "Ana")["hand_pot"], state.mark) == (6, 3, 1)
    state, events = do(state, "place Ana 1,-1 brbrbb")
    assert facts(events[0], "matched", "call") == (3, "Hexla")
    state, events = do(state, "pass Bo")
    assert facts(events[1], "event", "player", "paid", "to") == ("out", "Bo", 6, "Ana")
    assert facts(events[2], "event", "player", "amount", "by") == ("won", "Ana", 6, "last-in")
    assert facts(player(state, "Ana"), "chips", "hand_pot") == (100, 9)
    assert (player(state, "Bo")["chips"], state.chips.total) == (91, 200)
