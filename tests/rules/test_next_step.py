"""What a single button at the table asks for, game by game."""

import pytest

from companion.games import game
from companion.rules import notation
from companion.rules.engine import Header

LINE = "line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb"
ROUND = (LINE, "stake Ana 3", "hedge Ana 0", "hedge Bo 0")


def after(name, *lines, **options):
    rules = game(name).rules
    state = rules.start(Header(name, ("Ana", "Bo"), options=options))
    for line in lines:
        state, _ = rules.apply(state, notation.parse(rules.NOTATION, line))
    return state


def step(name, *lines, **options):
    rules, state = game(name).rules, after(name, *lines, **options)
    command = rules.next_step(state)
    if command is None:
        return None
    rules.apply(state, command)
    return notation.write(rules.NOTATION, command)


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ((), None),
        ((LINE,), None),
        (ROUND[:2], None),
        (ROUND[:3], None),
        (ROUND, "pass Ana"),
        ((*ROUND, "pass Ana"), "pass Bo"),
        ((*ROUND, "place Ana 0,1 rbbrrr", "pass Bo"), "next-game"),
    ],
)
def test_in_hexel_it_is_a_pass_or_the_evenings_next_game(lines, wanted):
    assert step("hexel", *lines) == wanted


def test_in_hexel_it_is_nothing_when_the_evening_is_over():
    lost = (LINE, "stake Ana 1", "hedge Ana 1", "hedge Bo 1", "place Ana 0,1 rbbrrr", "pass Bo")
    assert step("hexel", *lost) == "next-game"
    assert step("hexel", *lost, chips=1) is None


def test_in_hexdragon_it_is_never_an_agreement_to_end():
    assert step("hexdragon") is None
    assert step("hexdragon", "agree-end Ana") is None
    assert step("hexdragon", "agree-end Ana", "agree-end Bo") is None


def test_in_hexdragon_it_is_a_skip_where_one_must():
    moves = [
        "star Ana 1,0",
        "star Bo 0,1",
        "place Ana 1,-1 {}",
        "place Bo 0,1 {}",
        "place Ana 0,-1 {}",
        "place Bo -1,0 {}",
    ]
    lines = [move.format("01-24-35") for move in moves]
    assert step("hexdragon", *lines, radius=1) is None
    assert step("hexdragon", *lines, "place Ana -1,1 01-24-35", radius=1) == "skip Bo"
    assert step("hexdragon", *lines, "place Ana -1,1 01-24-35", "skip Bo", radius=1) is None


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ((), "round Ana"),
        (("round Ana",), "reveal"),
        (("round Ana tail=yes",), "reveal"),
        (("round Ana", "reveal"), "round Bo"),
        (("round Ana", "reveal", "round Bo", "reveal"), "round Ana"),
        (("round Ana", "reveal", "round Bo", "reveal", "stop"), None),
    ],
)
def test_in_comet_it_is_the_coming_dealers_round_or_the_reveal_and_never_the_stop(lines, wanted):
    assert step("comet", *lines) == wanted


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        ((), "pass Ana"),
        (("coin Ana",), "end Ana"),
        (("spider Ana",), "end Ana"),
        (("pass Ana",), "pass Bo"),
        (("pass Ana", "pass Bo"), None),
    ],
)
def test_in_hexapod_it_is_the_end_of_the_turn_or_a_pass(lines, wanted):
    assert step("hexapod", *lines) == wanted
