"""Hexapod's turns: what may be laid, coins, passing, the Spider's end, and what is refused."""

import json

import pytest

from companion.errors import BadHeader, Refusal
from companion.games.hexapod.rules import game as hexapod
from companion.rules import notation
from companion.rules.engine import Header

NOBODY = {"blue": 0, "green": 0, "gold": 0, "leaf": 0, "stag": 0, "moth": 0, "coins": 6, "total": 6}


def table(**options):
    return hexapod.start(Header("hexapod", ("Ana", "Bo"), options=options))


def play(state, *lines):
    """The state after commands in the game's notation, and the events of the last."""
    events = ()
    for line in lines:
        state, events = hexapod.apply(state, notation.parse(hexapod.NOTATION, line))
    return state, events


def after(*lines, **options):
    return play(table(**options), *lines)[0]


def refused(state, command):
    """A refusal, after which the table is as it was."""
    asked = notation.parse(hexapod.NOTATION, command) if isinstance(command, str) else command
    shown = json.dumps(hexapod.view(state))
    with pytest.raises(Refusal) as caught:
        hexapod.apply(state, asked)
    assert json.dumps(hexapod.view(state)) == shown
    assert caught.value.message
    return caught.value


def code(state, command):
    return refused(state, command).code


def names(events):
    return [event["event"] for event in events]


def phase(state):
    view = hexapod.view(state)
    assert (view["phase"], view["turn"]) == (view["table"]["phase"], view["table"]["turn"])
    return view["phase"], view["turn"]


# ---- the beginning


def test_both_begin_with_three_coins_and_an_empty_case_of_five_by_five():
    seat = {"coins": 3, "passed": False, "score": NOBODY, "case": [[None] * 5] * 5}
    assert hexapod.view(table()) == {
        "phase": "play",
        "turn": "Ana",
        "players": {"Ana": seat, "Bo": seat},
        "table": {"phase": "play", "turn": "Ana"},
        "result": None,
    }


def test_the_case_may_have_another_size():
    assert hexapod.view(table(rows=2, cols=3))["players"]["Bo"]["case"] == [[None] * 3] * 2
    assert hexapod.view(table(rows=1))["players"]["Bo"]["case"] == [[None] * 5]
    assert len(hexapod.view(table(cols=100))["players"]["Bo"]["case"][0]) == 100


@pytest.mark.parametrize(
    "options", [{"rows": 0}, {"cols": -1}, {"rows": "5"}, {"cols": 5.0}, {"rows": True}, {"cols": 101}, {"deck": []}]
)
def test_options_that_cannot_be_are_a_bad_header(options):
    with pytest.raises(BadHeader):
        table(**options)


# ---- laying


def test_a_card_is_told_with_what_it_covers_and_the_points_of_the_case():
    state, events = play(table(), "play Ana 0 0 bb/bb")
    assert events[0] | {"card": None} == {
        "event": "played",
        "player": "Ana",
        "row": 0,
        "col": 0,
        "card": None,
        "covered": [],
        "points": 8,
        "change": 8,
    }
    state, events = play(state, "coin Bo", "end Bo", "play Ana 0 1 bb/gd")
    assert (events[0]["covered"], events[0]["points"], events[0]["change"]) == (["blue"], 5, -3)
    assert phase(state) == ("play", "Bo")


def test_points_are_without_coins_and_the_score_with_them():
    state, events = play(after("coin Ana"), "play Ana 0 0 mm/ll")
    assert events[0]["points"] == 9
    score = hexapod.view(state)["players"]["Ana"]["score"]
    assert score == {**NOBODY, "leaf": 4, "moth": 5, "coins": 4, "total": 13}


def test_each_player_lays_in_their_own_case():
    state = after("play Ana 0 0 bb/bb", "play Bo 3 3 gg/gg")
    cases = [seat["case"] for seat in hexapod.view(state)["players"].values()]
    assert cases[0][0] == ["blue", "blue", None, None, None]
    assert cases[1][4] == [None, None, None, "green", "green"]


def test_the_first_card_may_lie_anywhere_and_the_next_must_match():
    state = after("play Ana 0 0 bb/bb", "pass Bo")
    assert code(state, "play Ana 2 2 bb/bb") == "no-match"
    assert code(state, "play Ana 0 0 gg/gg") == "no-match"
    assert play(state, "play Ana 1 1 bg/dl")[1][0]["covered"] == ["blue"]


def test_kinds_covered_are_named_once_each():
    state = after("play Ana 0 0 bb/gl", "pass Bo")
    assert play(state, "play Ana 0 0 bb/gl")[1][0]["covered"] == ["blue", "green", "leaf"]


@pytest.mark.parametrize("place", ["-1 0", "0 -1", "4 0", "0 4", "5 5", "-9 99"])
def test_a_card_must_lie_inside_the_case(place):
    assert code(table(), f"play Ana {place} bb/bb") == "out-of-case"


def test_the_corners_of_the_case_are_inside():
    for place in ("0 0", "0 3", "3 0", "3 3"):
        assert play(table(), f"play Ana {place} bb/bb")


def test_a_dung_beetle_is_covered_by_dung_only():
    state = after("play Ana 1 1 db/dd", "pass Bo")
    error = refused(state, "play Ana 1 1 bb/dl")
    assert (error.code, error.fields) == ("dung-covered", {"cells": [[1, 1], [2, 2]]})
    assert play(state, "play Ana 1 1 dl/dd")[1][0]["covered"] == ["dung"]


def test_no_stag_or_moth_is_covered_in_part():
    state = after("play Ana 1 1 sb/sb", "pass Bo")
    error = refused(state, "play Ana 0 1 bb/bb")
    assert (error.code, error.fields) == ("half-covered", {"kind": "stag", "cells": [[1, 1], [2, 1]]})
    state = after("play Ana 1 1 mm/bb", "pass Bo")
    error = refused(state, "play Ana 1 0 bb/bb")
    assert (error.code, error.fields) == ("half-covered", {"kind": "moth", "cells": [[1, 1], [1, 2]]})


def test_a_stag_is_covered_whole_by_its_like_or_by_anything_beside_a_match():
    state = after("play Ana 1 1 sb/sb", "pass Bo")
    assert play(state, "play Ana 1 0 ls/ls")[1][0]["covered"] == ["stag"]
    assert play(state, "play Ana 1 1 gb/oo")[1][0]["covered"] == ["blue"]
    assert code(state, "play Ana 1 1 gg/oo") == "no-match"


def test_a_stag_under_a_stag_that_lies_off_by_one_is_no_match():
    assert code(after("play Ana 1 1 ss/ss", "pass Bo"), "play Ana 2 1 ss/ss") == "no-match"


def test_two_stags_side_by_side_are_two():
    state = after("play Ana 1 1 ss/ss", "pass Bo")
    assert hexapod.view(state)["players"]["Ana"]["score"]["stag"] == 10
    assert play(state, "play Ana 1 2 sb/sb")[1][0]["covered"] == ["stag"]


def test_two_moths_one_above_the_other_are_two():
    state = after("play Ana 1 1 mm/mm", "pass Bo")
    assert hexapod.view(state)["players"]["Ana"]["score"]["moth"] == 10
    assert play(state, "play Ana 2 1 mm/bb")[1][0]["covered"] == ["moth"]


def test_the_published_game_scores_45():
    lines = (
        "play Ana 0 0 gg/gg", "pass Bo", "play Ana 0 1 gg/go", "play Ana 0 2 gd/ob", "play Ana 0 3 db/bb",
        "play Ana 1 0 gg/ll", "play Ana 2 0 ll/mm", "play Ana 3 0 mm/mm", "play Ana 1 3 bb/oo", "play Ana 2 3 os/bs",
        "coin Ana", "end Ana", "pass Ana",
    )  # fmt: skip
    state, events = play(table(), *lines)
    assert names(events) == ["passed", "scored", "won"]
    assert events[1]["scores"] == {
        "Ana": {"blue": 4, "green": 18, "gold": 0, "leaf": 4, "stag": 5, "moth": 10, "coins": 4, "total": 45},
        "Bo": NOBODY,
    }
    assert hexapod.view(state)["result"] == {"winners": ["Ana"], "scores": events[1]["scores"]}


# ---- coins, ending a turn, passing


def test_a_coin_may_be_followed_by_a_card_an_end_or_a_pass():
    state, events = play(table(), "coin Ana")
    assert events == ({"event": "coin-spent", "player": "Ana", "left": 2},)
    assert phase(state) == ("play", "Ana")
    for line in ("play Ana 0 0 bb/bb", "end Ana", "pass Ana"):
        assert phase(play(state, line)[0]) == ("play", "Bo")
    assert play(state, "end Ana")[1] == ({"event": "turn-ended", "player": "Ana"},)


def test_one_coin_a_turn():
    state = after("coin Ana")
    assert code(state, "coin Ana") == "coin-used"
    state, events = play(state, "end Ana", "coin Bo", "end Bo", "coin Ana")
    assert events[0]["left"] == 1


def test_three_coins_a_game_and_no_coins_comes_before_coin_used():
    state = after("coin Ana", "end Ana", "pass Bo", "coin Ana", "end Ana", "coin Ana")
    assert code(state, "coin Ana") == "no-coins"
    state, _ = play(state, "end Ana")
    assert code(state, "coin Ana") == "no-coins"
    assert hexapod.view(state)["players"]["Ana"]["score"]["coins"] == 0


def test_a_turn_does_not_end_with_nothing_spent():
    assert code(table(), "end Ana") == "nothing-spent"
    assert code(after("coin Ana", "end Ana"), "end Bo") == "nothing-spent"


def test_whoever_passes_is_out_and_the_other_goes_on_alone():
    state, events = play(table(), "pass Ana")
    assert events == ({"event": "passed", "player": "Ana"},)
    assert hexapod.view(state)["players"]["Ana"]["passed"] is True
    assert phase(state) == ("play", "Bo")
    state, _ = play(state, "play Bo 0 0 bb/bb")
    assert phase(state) == ("play", "Bo")
    assert code(state, "play Ana 0 0 bb/bb") == "passed-out"
    state, events = play(state, "pass Bo")
    assert names(events) == ["passed", "scored", "won"]
    assert phase(state) == ("over", None)


# ---- the Spider


def test_after_the_spider_the_turn_is_finished_and_the_opponent_has_the_last_one():
    state, events = play(table(), "spider Ana")
    assert events == ({"event": "spider-revealed", "player": "Ana"},)
    assert phase(state) == ("play", "Ana")
    state, events = play(state, "play Ana 0 0 bb/bb")
    assert (names(events), phase(state)) == (["played"], ("last-turn", "Bo"))
    state, events = play(state, "play Bo 0 0 gg/gg")
    assert names(events) == ["played", "scored", "won"]
    assert events[2]["players"] == ["Bo"]
    assert phase(state) == ("over", None)


@pytest.mark.parametrize("last", ["end Bo", "pass Bo", "play Bo 1 1 ll/ll"])
@pytest.mark.parametrize("finish", ["end Ana", "pass Ana", "play Ana 1 1 ll/ll"])
def test_both_turns_after_the_spider_may_be_ended_without_a_coin(finish, last):
    state, events = play(table(), "spider Ana", finish)
    assert phase(state) == ("last-turn", "Bo")
    assert len(events) == 1
    state, events = play(state, last)
    assert names(events)[1:] == ["scored", "won"]


def test_a_coin_may_bring_up_the_spider_and_be_spent_after_it():
    state = after("coin Ana", "spider Ana", "end Ana")
    assert phase(state) == ("last-turn", "Bo")
    state, _ = play(state, "coin Bo")
    assert phase(state) == ("last-turn", "Bo")
    state, _ = play(state, "end Bo")
    assert phase(state) == ("over", None)
    state = after("spider Ana", "coin Ana", "play Ana 0 0 bb/bb")
    assert phase(state) == ("last-turn", "Bo")


def test_when_the_opponent_has_passed_the_spider_ends_the_game_with_this_turn():
    state, events = play(table(), "pass Ana", "spider Bo", "end Bo")
    assert names(events) == ["turn-ended", "scored", "won"]
    assert phase(state) == ("over", None)


def test_the_second_players_spider_gives_the_first_the_last_turn():
    state = after("play Ana 0 0 bb/bb", "spider Bo", "play Bo 0 0 bb/bb")
    assert phase(state) == ("last-turn", "Ana")


def test_a_second_spider_is_malformed_whoever_says_so_and_whenever():
    state = after("spider Ana")
    for _ in range(3):
        for name in ("Ana", "Bo", "Cy"):
            assert code(state, f"spider {name}") == "malformed"
        if phase(state)[0] != "over":
            state, _ = play(state, f"end {phase(state)[1]}")


def test_the_first_spider_is_told_in_a_players_turn():
    assert code(table(), "spider Bo") == "not-your-turn"
    assert code(table(), "spider Cy") == "unknown-player"
    assert code(after("pass Ana"), "spider Ana") == "passed-out"
    assert code(after("pass Ana", "pass Bo"), "spider Bo") == "game-over"


# ---- who wins


@pytest.mark.parametrize(
    ("lines", "winners"),
    [
        (("pass Ana", "pass Bo"), ["Ana", "Bo"]),
        (("play Ana 0 0 bb/dd", "pass Bo", "pass Ana"), ["Ana"]),
        (("pass Ana", "play Bo 0 0 bb/dd", "pass Bo"), ["Bo"]),
        # 6 with three coins against 4 for two coins and 2 for a run
        (("coin Ana", "play Ana 0 0 bb/dd", "pass Bo", "pass Ana"), ["Bo"]),
        (("pass Ana", "coin Bo", "play Bo 0 0 bb/dd", "pass Bo"), ["Ana"]),
        (("coin Ana", "play Ana 0 0 ob/od", "pass Bo", "pass Ana"), ["Ana"]),
    ],
)
def test_the_higher_total_wins_then_more_coins_then_both(lines, winners):
    state, events = play(table(), *lines)
    assert events[-1] == {"event": "won", "players": winners}
    assert hexapod.view(state)["result"]["winners"] == winners


# ---- the order of refusals


@pytest.mark.parametrize(
    "command",
    [
        None,
        [],
        {},
        {"cmd": "draw", "player": "Ana"},
        {"cmd": "pass"},
        {"cmd": "coin", "player": 1},
        {"cmd": "end", "player": None},
        {"cmd": "spider"},
        {"cmd": "play", "player": "Ana"},
        {"cmd": "play", "row": 0, "col": 0, "card": {"cells": [["blue"] * 2] * 2}},
        {"cmd": "play", "player": "Ana", "col": 0, "card": {"cells": [["blue"] * 2] * 2}},
        {"cmd": "play", "player": "Ana", "row": 0, "card": {"cells": [["blue"] * 2] * 2}},
        {"cmd": "play", "player": "Ana", "row": 0.0, "col": 0, "card": {"cells": [["blue"] * 2] * 2}},
        {"cmd": "play", "player": "Ana", "row": 0, "col": "0", "card": {"cells": [["blue"] * 2] * 2}},
        {"cmd": "play", "player": "Ana", "row": 0, "col": True, "card": {"cells": [["blue"] * 2] * 2}},
        *(
            {"cmd": "play", "player": "Cy", "row": 0, "col": 0, "card": card}
            for card in (
                None,
                [["blue"] * 2] * 2,
                {},
                {"cells": None},
                {"cells": []},
                {"cells": {}},
                {"cells": "bbbb"},
                {"cells": ["bb", "bb"]},
                {"cells": [["blue"] * 2]},
                {"cells": [["blue"] * 2] * 3},
                {"cells": [["blue"] * 2, ["blue"]]},
                {"cells": [["blue"] * 3, ["blue"] * 3]},
                {"cells": ["blue", "blue"]},
            )
        ),
    ],
)
def test_malformed_comes_before_all_else(command):
    assert code(table(), command) == "malformed"
    assert code(after("pass Ana", "pass Bo"), command) == "malformed"


def a_play(player, row, col, cells):
    return {"cmd": "play", "player": player, "row": row, "col": col, "card": {"cells": cells}}


def test_people_come_before_the_card():
    bad = [["bee", "blue"], ["blue", "blue"]]
    assert code(table(), a_play("Cy", 9, 9, bad)) == "unknown-player"
    assert code(table(), a_play("Bo", 9, 9, bad)) == "not-your-turn"
    assert code(after("pass Ana"), a_play("Ana", 9, 9, bad)) == "passed-out"
    assert code(after("pass Ana", "pass Bo"), a_play("Ana", 9, 9, bad)) == "game-over"
    assert code(after("pass Ana", "pass Bo"), a_play("Cy", 9, 9, bad)) == "unknown-player"


@pytest.mark.parametrize("command", ["coin", "end", "pass", "spider"])
def test_every_command_is_for_the_player_whose_turn_it_is(command):
    assert code(table(), f"{command} Cy") == "unknown-player"
    assert code(table(), f"{command} Bo") == "not-your-turn"
    assert code(after("pass Ana"), f"{command} Ana") == "passed-out"
    assert code(after("pass Ana", "pass Bo"), f"{command} Ana") == "game-over"


@pytest.mark.parametrize("kind", ["spider", "bee", None, 3, ["blue"], {}])
def test_what_stands_inside_the_card_is_judged_as_a_card_and_before_its_place(kind):
    assert code(table(), a_play("Ana", 9, 9, [["blue", "blue"], ["blue", kind]])) == "bad-card"


def test_half_a_stag_is_a_bad_card():
    assert code(table(), "play Ana 0 0 sb/bs") == "bad-card"
    assert code(table(), "play Ana 0 0 mb/mb") == "bad-card"


def test_of_several_refusals_the_first_in_order_is_given():
    # a dung beetle at the corner of a stag: everything can be wrong at once
    state = after("play Ana 1 1 ds/bs", "pass Bo")
    assert code(state, "play Ana 9 0 sb/bs") == "bad-card"
    assert code(state, "play Ana 9 0 gg/gg") == "out-of-case"
    assert code(state, "play Ana 0 1 gg/gg") == "no-match"
    assert code(state, "play Ana 1 1 gg/bg") == "dung-covered"
    assert code(state, "play Ana 2 1 bg/gg") == "half-covered"


def test_unknown_extra_fields_are_ignored():
    state, events = hexapod.apply(table(), {"cmd": "coin", "player": "Ana", "from": 1, "to": 2})
    assert events[0]["left"] == 2
    state, _ = hexapod.apply(state, a_play("Ana", 0, 0, [["blue"] * 2] * 2) | {"stack": "left"})
    assert phase(state) == ("play", "Bo")


@pytest.mark.parametrize(
    "command",
    [
        a_play("Mary Ann", 0, 12, [["blue", "green"], ["gold", "dung"]]),
        a_play("Ana", -1, 3, [["moth", "moth"], ["leaf", "leaf"]]),
        a_play("Ana", 2, 3, [["stag", "stag"], ["stag", "stag"]]),
        *({"cmd": name, "player": "Bo"} for name in ("coin", "end", "pass", "spider")),
    ],
)
def test_every_command_is_read_back_from_its_writing(command):
    assert notation.parse(hexapod.NOTATION, notation.write(hexapod.NOTATION, command)) == command
