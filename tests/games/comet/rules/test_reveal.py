"""What a reveal scores, pays and lets grow, and how it is told."""

import pytest

from companion.games.comet.rules import game as comet
from companion.rules import notation
from companion.rules.engine import Header

ABC = ("Ana", "Bo", "Cy")


def play(options, *lines, players=ABC):
    """The states and events of commands in the game's notation, each with the state it met."""
    state, told = comet.start(Header("comet", players, options=options)), []
    for line in lines:
        after, events = comet.apply(state, notation.parse(comet.NOTATION, line))
        told.append((state, events))
        state = after
    return state, told


def last(options, *lines, players=ABC):
    state, told = play(options, *lines, players=players)
    return state, told[-1][1]


def sentences(options, *lines, players=ABC):
    before, events = play(options, *lines, players=players)[1][-1]
    return [comet.explain(before, event) for event in events]


def chips(state):
    return [seat["chips"] for seat in comet.view(state)["players"].values()]


def won(state):
    return [seat["won"] for seat in comet.view(state)["players"].values()]


def pots(state):
    return comet.view(state)["table"]["pots"]


def test_the_highest_score_takes_the_pot_and_all_scores_are_told():
    state, events = last({}, "round Ana", "set Bo Vain A-A-A", "set Ana Vain 5-5-9+5-5-12", "reveal")
    assert events == (
        {
            "event": "scored",
            "pot": "Vain",
            "player": "Bo",
            "cards": [[14, 14, 14]],
            "lines": [[14, 14, 14]],
            "score": 42,
        },
        {
            "event": "scored",
            "pot": "Vain",
            "player": "Ana",
            "cards": [[5, 5, 9], [5, 5, 12]],
            "lines": [[5, 5, 5]] * 4,
            "score": 60,
        },
        {"event": "won", "pot": "Vain", "players": ["Ana"], "amount": 75, "score": 60, "left": 0},
        {"event": "hands", "hands": {"Ana": 8, "Bo": 8, "Cy": 7}},
    )
    assert (chips(state), won(state), pots(state)["Vain"]) == ([1775, 1700, 1700], [75, 0, 0], 0)
    assert comet.view(state)["phase"] == "between"


def test_pots_are_scored_in_table_order_and_sets_in_the_order_laid():
    lines = ("set Cy Polos 13-13-13", "set Ana Kinro 12-12-12", "set Cy Desten A-A-A", "set Bo Polos 2-2-3+2-3-4")
    _, events = last({}, "round Ana", *lines, "reveal")
    told = [(event["event"], event.get("pot"), event.get("player")) for event in events]
    assert told == [
        ("scored", "Desten", "Cy"),
        ("won", "Desten", None),
        ("scored", "Kinro", "Ana"),
        ("won", "Kinro", None),
        ("scored", "Polos", "Cy"),
        ("scored", "Polos", "Bo"),
        ("won", "Polos", None),
        ("hands", None, None),
    ]


def test_equal_highest_scores_split_the_pot_and_odd_chips_stay():
    sets = ("set Ana Vain 5-5-5+2-2-9", "set Bo Vain 4-5-6+8-8-10", "set Cy Vain 3-3-3+5-7-9")
    state, events = last({}, "round Ana", *sets, "reveal")
    assert [event["score"] for event in events[:3]] == [15, 15, 9]
    assert events[3] == {"event": "won", "pot": "Vain", "players": ["Ana", "Bo"], "amount": 37, "score": 15, "left": 1}
    assert (chips(state), won(state), pots(state)["Vain"]) == ([1737, 1737, 1700], [37, 37, 0], 1)


def test_a_pot_without_a_valid_set_stays():
    state, events = last({}, "round Ana", "set Ana Vain 2-4-6+8-10-12", "reveal")
    assert [event["event"] for event in events] == ["scored", "hands"]
    assert (events[0]["lines"], events[0]["score"]) == ([], 0)
    assert pots(state)["Vain"] == 75
    assert events[-1]["hands"] == {"Ana": 7, "Bo": 7, "Cy": 7}


def test_an_empty_pot_is_won_with_amount_0():
    state, events = last({}, "round Ana", "set Ana Vain A-A-A", "reveal", "round Cy", "set Bo Vain A-A-A", "reveal")
    assert events[1]["amount"] == 0
    assert events[1]["players"] == ["Bo"]
    assert won(state) == [75, 0, 0]


def test_a_round_without_sets_only_tells_the_hands():
    assert last({}, "round Ana", "reveal")[1] == ({"event": "hands", "hands": {"Ana": 7, "Bo": 7, "Cy": 7}},)


def test_in_the_tail_each_players_sets_are_summed():
    sets = ("set Ana tail A-A-A", "set Bo tail 12-12-12", "set Bo tail 2-2-4+4-4-6")
    state, events = last({}, "round Ana tail=yes", *sets, "reveal")
    assert [event["score"] for event in events[:3]] == [42, 36, 12]
    assert events[3] == {"event": "won", "pot": "tail", "players": ["Bo"], "amount": 1050, "score": 48, "left": 0}
    assert pots(state)["tail"] == 0
    assert pots(state)["Vain"] == 75
    assert events[-1]["hands"] == {"Ana": 8, "Bo": 9, "Cy": 7}


def test_the_tail_is_split_too():
    state, events = last(
        {"tail_share": 151}, "round Ana tail=yes", "set Ana tail 5-5-5", "set Bo tail 4-5-6+8-8-10", "reveal"
    )
    assert events[2]["players"] == ["Ana", "Bo"]
    assert (events[2]["amount"], events[2]["left"], pots(state)["tail"]) == (527, 1, 1)


def test_a_tail_without_a_valid_set_stays():
    state, events = last({}, "round Ana tail=yes", "set Ana tail 2-4-6+8-10-12", "reveal")
    assert [event["event"] for event in events] == ["scored", "hands"]
    assert pots(state)["tail"] == 1050


def test_a_set_against_a_table_pot_is_not_summed_with_another_pots():
    _, events = last({}, "round Ana", "set Ana Vain 12-12-12", "set Ana Kinro 2-2-2", "set Bo Vain 13-13-13", "reveal")
    assert [event["players"] for event in events if event["event"] == "won"] == [["Ana"], ["Bo"]]


# ---- growth, in both readings


GROWING = (
    "round Ana",
    "set Ana Vain A-A-A",
    "set Ana Kinro 2-2-2",
    "set Bo Vain 12-12-12",
    "set Bo Kinro 2-4-6+8-10-12",
    "set Cy Kinro 3-3-3",
    "reveal",
)


def test_hands_grow_by_one_for_each_valid_set():
    assert last({}, *GROWING)[1][-1]["hands"] == {"Ana": 9, "Bo": 8, "Cy": 8}


def test_hands_grow_by_one_for_each_pot_won_under_the_other_reading():
    assert last({"hand_growth": "pots"}, *GROWING)[1][-1]["hands"] == {"Ana": 8, "Bo": 7, "Cy": 8}


@pytest.mark.parametrize("reading", ["sets", "pots"])
def test_growth_counts_for_one_round_only(reading):
    state, _ = last({"hand_growth": reading}, *GROWING, "round Cy")
    assert comet.view(state)["players"]["Ana"]["hand"] == (9 if reading == "sets" else 8)
    _, events = last({"hand_growth": reading}, *GROWING, "round Cy", "reveal")
    assert set(events[-1]["hands"].values()) == {7}


def test_split_empty_and_tail_pots_count_when_pots_are_counted():
    empty = ("round Ana", "set Ana Vain A-A-A", "reveal", "round Cy", "set Bo Vain A-A-A", "reveal")
    assert last({"hand_growth": "pots"}, *empty)[1][-1]["hands"] == {"Ana": 7, "Bo": 8, "Cy": 7}
    split = (
        "round Ana tail=yes",
        "set Ana tail 5-5-5",
        "set Bo tail 4-5-6+8-8-10",
        "set Bo tail 2-4-6+8-10-12",
        "reveal",
    )
    assert last({"hand_growth": "pots"}, *split)[1][-1]["hands"] == {"Ana": 8, "Bo": 8, "Cy": 7}


def test_hands_are_told_for_those_in_only():
    # Ana and Bo win back what they need; Cy cannot pay for a second round
    round_one = ("round Ana", "set Ana Vain A-A-A", "set Bo Kinro 13-13-13", "reveal")
    _, events = last({"chips": 580, "pot_share": 45, "tail_share": 30}, *round_one, "round Bo", "reveal")
    assert events[-1]["hands"] == {"Ana": 7, "Bo": 7}


# ---- telling


def test_every_chip_of_a_round_is_told_with_its_reason():
    assert sentences({}, "round Ana tail=yes") == [
        "Round 1: Ana deals; Ana, Bo and Cy each pay the ante of 300, 25 into each table pot and 150 into the Tail, "
        "due at first and each time everyone has dealt; Ana calls the Tail and pays 600, twice the ante, into it, and "
        "only the Tail is played."
    ]
    (often,) = sentences({"ante_every": "round"}, "round Ana")
    assert often.endswith("into the Tail, due at first and in every round.")
    assert sentences({}, "round Ana", "reveal", "round Cy") == [
        "Round 2: Cy deals; no ante is due until everyone still in has dealt."
    ]


def test_every_chip_and_line_of_a_reveal_is_told_with_its_reason():
    sets = (
        "set Ana Vain 5-5-5+2-2-9",
        "set Bo Vain 4-5-6+8-8-10",
        "set Cy Kinro A-2-2+3-3-5",
        "set Bo Desten 2-4-6+8-9-12",
    )
    assert sentences({}, "round Ana", *sets, "reveal") == [
        "Bo shows 2-4-6 8-9-12 against Desten: no three numbers are equal or in sequence, so it scores 0.",
        "Cy shows A-2-2 3-3-5 against Kinro: A-2-3 (6) 4 times; the lines add up to 24.",
        "Cy takes 75 chips from Kinro with the highest score, 24.",
        "Ana shows 5-5-5 2-2-9 against Vain: 5-5-5 (15); the lines add up to 15.",
        "Bo shows 4-5-6 8-8-10 against Vain: 4-5-6 (15); the lines add up to 15.",
        "Ana and Bo share Vain with 15 each and take 37 chips each, and 1 chip too odd to split stays.",
        "Hands for the next round: Ana 8, Bo 8, Cy 8; that is 7, and one more for each valid set laid.",
    ]


def test_the_tail_and_an_empty_pot_are_told():
    sets = ("set Ana tail A-A-A", "set Bo tail 12-12-12")
    told = sentences({"hand_growth": "pots"}, "round Ana tail=yes", *sets, "reveal")
    assert told[0] == "Ana shows A-A-A against the Tail: A-A-A (42); the lines add up to 42."
    assert told[2] == "Ana takes 1050 chips from the Tail with the highest score, 42 in all."
    assert told[3].endswith("that is 7, and one more for each pot won.")
    again = ("round Cy", "set Bo Vain A-A-A", "reveal")
    told = sentences({}, "round Ana", "set Ana Vain A-A-A", "reveal", *again)
    assert told[1] == "Bo would take Vain with the highest score, 42, but it is empty."


def test_an_even_split_says_nothing_of_odd_chips():
    told = sentences({}, "round Ana tail=yes", "set Ana tail 5-5-5", "set Bo tail 4-5-6+8-8-10", "reveal")
    assert told[2] == "Ana and Bo share the Tail with 15 in all each and take 525 chips each."


def test_laying_and_keeping_are_told():
    assert sentences({}, "round Ana", "set Bo Vain A-A-A") == [
        "Bo lays a set face down against Vain; it is scored when all are revealed."
    ]
    assert sentences({}, "round Ana", "reserve Bo") == [
        "Bo keeps a card, as each may once a round: it comes to the hand when the Tail is called."
    ]


def test_the_end_is_told():
    assert sentences({}, "round Ana", "reveal", "round Bo", "reveal", "stop", players=("Ana", "Bo")) == [
        "The game is over, and what lies in the pots counts for nobody; the ranking by chips is 1. Ana and Bo."
    ]
    lonely = ("round Ana", "set Ana Vain A-A-A", "set Ana Kinro 13-13-13", "reveal", "round Ana")
    assert sentences({"chips": 580, "pot_share": 45, "tail_share": 30}, *lonely, players=("Ana", "Bo")) == [
        "Bo is out with 280 chips: whoever lacks the ante of 300 when a round begins leaves.",
        "Ana alone is left and takes all seven pots, 420 chips; the ranking by chips is 1. Ana, 2. Bo.",
    ]
