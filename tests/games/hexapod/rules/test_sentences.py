"""How Hexapod is told: each point with its reason."""

from companion.games.hexapod.rules import game as hexapod
from companion.rules import notation
from companion.rules.engine import Header


def sentences(*lines):
    """What is said of the last command."""
    state = hexapod.start(Header("hexapod", ("Ana", "Bo")))
    for line in lines:
        before = state
        state, events = hexapod.apply(state, notation.parse(hexapod.NOTATION, line))
    return [hexapod.explain(before, event) for event in events]


def test_a_card_is_told_with_its_match_and_its_points_by_kind():
    assert sentences("play Ana 0 0 bg/lg") == [
        "Ana lays a card at row 1, column 1, the first in the case, which need cover nothing; the case scores 5 now, "
        "+5: green +4, leaf +1."
    ]
    assert sentences("play Ana 0 0 bg/lg", "pass Bo", "play Ana 0 0 bs/ls") == [
        "Ana lays a card at row 1, column 1, covering a blue beetle and a couple of leaf beetles, each with its like; "
        "the case scores 6 now, +1: green -4, stag +5."
    ]
    assert sentences("play Ana 0 0 bg/lg", "pass Bo", "play Ana 0 0 bg/og") == [
        "Ana lays a card at row 1, column 1, covering a blue beetle and a green beetle, each with its like; the case "
        "scores 4 now, -1: leaf -1."
    ]
    assert sentences("play Ana 0 0 dd/dd", "pass Bo", "play Ana 0 0 dd/dd") == [
        "Ana lays a card at row 1, column 1, covering a dung beetle with its like; the case scores 0 now, as before."
    ]


def test_coins_are_told():
    assert sentences("coin Ana") == [
        "Ana spends a coin to move the top card of one stack onto another; 2 coins are left."
    ]
    twice = ("coin Ana", "end Ana", "pass Bo", "coin Ana")
    assert sentences(*twice)[0].endswith("; 1 coin is left.")
    assert sentences(*twice, "end Ana", "coin Ana")[0].endswith("; no coins are left.")


def test_the_end_of_a_turn_and_passing_are_told():
    assert sentences("coin Ana", "end Ana") == ["Ana ends the turn without laying a card, as is allowed after a coin."]
    assert sentences("spider Ana", "end Ana") == [
        "Ana ends the turn without laying a card, as is allowed once the Spider is out."
    ]
    assert sentences("pass Ana") == ["Ana passes and is out for the rest of the game; Bo goes on alone."]
    assert sentences("pass Ana", "pass Bo")[0] == "Bo passes too: with both out the game ends."


def test_the_spider_is_told_with_what_it_means():
    assert sentences("spider Ana") == ["Ana brings the Spider up: the turn is finished, then Bo has the last one."]
    assert sentences("pass Ana", "spider Bo") == [
        "Bo brings the Spider up: the game ends with this turn, Ana being out."
    ]


def test_the_score_is_told_part_by_part():
    told = sentences("coin Ana", "play Ana 0 0 bb/ll", "pass Bo", "play Ana 0 1 bs/ls", "pass Ana")
    assert told[1:] == [
        "Ana has 15: 2 for runs of blue beetles, 1 for each in a run of two or more, 4 for leaf beetles, 1 for each "
        "couple and 1 for each couple beside it, 5 for stag beetles, 5 each, 4 for coins left, 2 each; "
        "Bo has 6: 6 for coins left, 2 each.",
        "Ana wins: the higher total, or of equal totals the one with more coins left.",
    ]


def test_who_has_nothing_has_0_and_a_tie_is_shared():
    spend = [f"{do} {name}" for _ in range(3) for name in ("Ana", "Bo") for do in ("coin", "end")]
    assert sentences(*spend, "pass Ana", "pass Bo") == [
        "Bo passes too: with both out the game ends.",
        "Ana has 0; Bo has 0.",
        "Ana and Bo share the victory: equal totals and equally many coins left.",
    ]


def test_passing_after_the_spider_is_told_with_what_it_means():
    assert sentences("spider Ana", "pass Ana") == [
        "Ana passes and is out for the rest of the game; Bo has the last turn, as the Spider is out."
    ]
    last = sentences("spider Ana", "end Ana", "pass Bo")[0]
    assert last == "Bo passes: that was the last turn after the Spider, and the game ends."
