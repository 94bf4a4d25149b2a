"""What a table of Hexapod could be asked now, and what the hands over it are taken to mean."""

import pytest

from companion.errors import Refusal
from companion.games.hexapod.rules import game as hexapod
from companion.rules import notation
from companion.rules.engine import Header

LETTERS = {"b": "blue", "g": "green", "o": "gold", "d": "dung", "l": "leaf", "s": "stag", "m": "moth", ".": None}
LETTERS |= {"S": "spider"}
EMPTY = "..... ..... ..... ..... ....."


def rows(text):
    return [[LETTERS[letter] for letter in row] for row in text.split()]


def after(*lines, **options):
    state = hexapod.start(Header("hexapod", ("Ana", "Bo"), options=options))
    for line in lines:
        state, _ = hexapod.apply(state, notation.parse(hexapod.NOTATION, line))
    return state


def written(commands):
    return [notation.write(hexapod.NOTATION, command) for command in commands]


def is_accepted(state, command):
    try:
        hexapod.apply(state, command)
    except Refusal:
        return False
    return True


def seen(state, before, now):
    """What is proposed when Ana's case showed one thing and now shows another."""
    return written(hexapod.interpret(state, {"Ana": rows(before)}, {"Ana": rows(now)}))


# ---- legal


def others(state):
    return [line for line in written(hexapod.legal(state)) if not line.startswith("play")]


def test_the_press_that_moves_on_comes_first():
    assert others(after()) == ["pass Ana", "coin Ana", "spider Ana"]
    assert others(after("coin Ana")) == ["end Ana", "pass Ana", "spider Ana"]
    assert others(after("spider Ana")) == ["end Ana", "pass Ana", "coin Ana"]
    spent = ("coin Ana", "end Ana", "pass Bo", "coin Ana", "end Ana", "coin Ana", "end Ana")
    assert others(after(*spent)) == ["pass Ana", "spider Ana"]


def test_all_that_is_listed_is_accepted_and_listed_once():
    state = after("play Ana 1 1 ds/bs", "pass Bo", "play Ana 0 0 ll/gd", "coin Ana")
    listed = hexapod.legal(state)
    assert all(is_accepted(state, command) for command in listed)
    assert len(set(written(listed))) == len(listed)
    assert sum(command["cmd"] == "play" for command in listed) > 20


def test_plays_of_every_kind_are_listed():
    kinds = {
        kind
        for command in hexapod.legal(after())
        if command["cmd"] == "play"
        for row in command["card"]["cells"]
        for kind in row
    }
    assert kinds == {"blue", "green", "gold", "dung", "leaf", "stag", "moth"}


def test_every_match_that_lies_there_is_offered():
    state = after("play Ana 1 1 sb/sd", "pass Bo")
    listed = written(hexapod.legal(state))
    assert "play Ana 1 0 bs/bs" in listed  # the stag kept, under the card's right half
    assert "play Ana 1 1 sg/sd" in listed
    assert not any(line.startswith("play Ana 0 1") for line in listed)  # the stag would be covered in part


def test_in_a_large_empty_case_a_few_places_are_listed():
    plays = [command for command in hexapod.legal(after(rows=100, cols=100)) if command["cmd"] == "play"]
    assert len({(command["row"], command["col"]) for command in plays}) == 16


def test_nothing_is_listed_after_the_end():
    assert hexapod.legal(after("pass Ana", "pass Bo")) == ()


def test_the_first_card_may_be_of_one_kind_or_have_a_stag_or_a_moth_on_any_side():
    listed = [line for line in written(hexapod.legal(after(rows=2, cols=2))) if line.startswith("play")]
    plain, big = ["bb/bb", "gg/gg", "oo/oo", "dd/dd", "ll/ll"], ["sb/sb", "gs/gs", "mm/oo", "dd/mm"]
    assert listed == [f"play Ana 0 0 {card}" for card in plain + big]


# ---- a card that is known


def test_placements_are_all_places_that_the_rules_accept():
    state = after("play Ana 1 1 ds/bs", "pass Bo", "play Ana 0 0 gb/ld")
    cells = rows("dg bb")
    tried = [
        {"cmd": "play", "player": "Ana", "row": row, "col": col, "card": {"cells": cells}}
        for row in range(-1, 6)
        for col in range(-1, 6)
    ]
    found = hexapod.placements(state, cells)
    assert written(found) == written(command for command in tried if is_accepted(state, command))
    assert found


def test_what_is_no_card_has_no_place_nor_has_any_card_after_the_end():
    assert len(hexapod.placements(after(), rows("bb bb"))) == 16
    assert hexapod.placements(after(), rows("sb bs")) == ()
    assert hexapod.placements(after("pass Ana", "pass Bo"), rows("bb bb")) == ()


# ---- what the hands just did


def test_a_card_in_an_empty_case_is_where_it_shows():
    now = "..... ..... ..mm. ..bl. ....."
    assert seen(after(), EMPTY, now) == ["play Ana 2 2 mm/bl"]


def test_where_a_card_covers_its_like_the_rules_choose_among_the_places():
    state = after("play Ana 1 1 bg/lo", "pass Bo")
    before = "..... .bg.. .lo.. ..... ....."
    # only the lower right corner is new: the card lies over the four, not over cells that still show the floor
    assert seen(state, before, "..... .bg.. .ld.. ..... .....") == ["play Ana 1 1 bg/ld"]
    assert seen(state, before, "..... .bg.. .ldb. ..gb. .....") == ["play Ana 2 2 db/gb"]


def test_several_places_may_fit_and_those_that_the_rules_allow_come_first():
    state = after("play Ana 0 0 bb/bb", "pass Bo", "play Ana 0 1 bb/bb", "play Ana 0 1 ds/bs")
    before = "bds.. bbs.. ..... ..... ....."
    found = seen(state, before, "bds.. gbs.. ..... ..... .....")
    assert found == ["play Ana 0 0 bd/gb"]
    state = after("play Ana 0 0 bb/bb", "pass Bo", "play Ana 0 1 bb/bb", "play Ana 1 0 bb/bb", "play Ana 1 1 bb/bb")
    before = "bbb.. bbb.. bbb.. ..... ....."
    found = seen(state, before, "bbb.. bgb.. bbb.. ..... .....")
    assert found == ["play Ana 0 0 bb/bg", "play Ana 0 1 bb/gb", "play Ana 1 0 bg/bb", "play Ana 1 1 gb/bb"]


def test_allowed_places_come_before_refused_ones():
    state = after("play Ana 0 0 gg/gg", "pass Bo", "play Ana 0 1 gs/gs", "play Ana 0 2 sl/sl")
    before = "ggsl. ggsl. ..... ..... ....."
    found = seen(state, before, "ggsb. ggsl. ..... ..... .....")
    assert found == ["play Ana 0 2 sb/sl"]  # not one place to the right, where half a stag would be left
    state = after("play Ana 0 0 gg/dg", "pass Bo", "play Ana 0 1 gb/gb")
    found = seen(state, "ggb.. dgb.. ..... ..... .....", "gob.. dgb.. ..... ..... .....")
    assert found == ["play Ana 0 0 go/dg", "play Ana 0 1 ob/gb"]
    state = after("play Ana 0 0 gd/gg", "pass Bo", "play Ana 0 1 db/gb")
    found = seen(state, "gdb.. ggb.. ..... ..... .....", "gob.. ggb.. ..... ..... .....")
    assert found == ["play Ana 0 0 go/gg", "play Ana 0 1 ob/gb"]  # both refused, dung being covered; still told
    assert all(not is_accepted(state, notation.parse(hexapod.NOTATION, line)) for line in found)


def test_a_refused_place_is_told_after_an_allowed_one_above_it():
    state = after("play Ana 0 0 lo/bg", "pass Bo", "play Ana 1 0 bg/oo")
    # green at row 1, column 1 turns to dung; above it nothing else need match
    found = seen(state, "lo... bg... oo... ..... .....", "lo... bd... oo... ..... .....")
    assert found == ["play Ana 0 0 lo/bd", "play Ana 1 0 bd/oo"]
    assert all(is_accepted(state, notation.parse(hexapod.NOTATION, line)) for line in found)


def test_a_refused_place_is_told_after_allowed_ones_below_it():
    state = after("play Ana 1 1 bb/bb", "pass Bo", "play Ana 0 0 sb/sb", "play Ana 2 0 sb/sb")
    found = seen(state, "sb... sbb.. sbb.. sb... .....", "sb... sgb.. sbb.. sb... .....")
    # at row 1, column 0 halves of two stags would be covered
    assert found == ["play Ana 0 0 sb/sg", "play Ana 1 1 gb/bb", "play Ana 1 0 sg/sb"]


def test_a_card_laid_out_of_turn_is_told_and_refused():
    now = {"Bo": rows("bb... bb... ..... ..... .....")}
    assert written(hexapod.interpret(after(), {}, now)) == ["play Bo 0 0 bb/bb"]
    both = now | {"Ana": rows("gg... gg... ..... ..... .....")}
    assert written(hexapod.interpret(after(), {}, both)) == ["play Ana 0 0 gg/gg", "play Bo 0 0 bb/bb"]
    passed = after("play Ana 0 0 gg/gg")
    assert written(hexapod.interpret(passed, {}, both | {"Ana": rows("og... gg... ..... ..... .....")})) == [
        "play Bo 0 0 bb/bb",
        "play Ana 0 0 og/gg",
    ]


def test_what_lay_there_before_or_is_known_or_unread_is_no_news():
    state = after("play Ana 0 0 bb/bb", "pass Bo")
    known = "bb... bb... ..... ..... ....."
    assert seen(state, EMPTY, known) == []
    assert seen(state, known, known) == []
    misread = "bb... bb... ..... ....l ....."
    assert seen(state, misread, "bg... bb... ..... ....l .....") == ["play Ana 0 0 bg/bb"]
    assert seen(state, known, "b.... bb... ..... ..... .....") == []
    # what is unread elsewhere is no news, and may be glare
    assert seen(state, known, ".b... bbg.. .gg.. ..... .....") == ["play Ana 1 1 bg/gg"]
    # the unread cell may be under the card: then nothing is told
    assert seen(state, known, "bg... .b... ..... ..... .....") == []


def test_news_too_far_apart_for_one_card_are_nothing():
    assert seen(after(), EMPTY, "bb... bb... ..... ...gg ...gg") == []


def test_a_reading_of_another_size_is_read_as_far_as_it_goes():
    assert written(hexapod.interpret(after(), {}, {"Ana": rows("bb bb")})) == ["play Ana 0 0 bb/bb"]
    assert written(hexapod.interpret(after(rows=2, cols=2), {}, {"Ana": rows(EMPTY.replace("...", "bbb"))})) == []


def test_a_spider_that_comes_to_show_is_told_before_all_else():
    spider = rows("SS SS")
    assert hexapod.interpret(after(), {None: [rows("bb bb")]}, {None: [rows("bb gg"), spider]}) == (
        {"cmd": "spider", "player": "Ana"},
    )
    assert written(hexapod.interpret(after("coin Ana", "end Ana"), {}, {None: [spider]})) == ["spider Bo"]
    assert seen(after(), EMPTY, "SS... SS... ..... ..... .....") == ["spider Ana"]
    now = {None: [spider], "Ana": rows("bb... bb... ..... ..... .....")}
    assert written(hexapod.interpret(after(), {}, now)) == ["spider Ana", "play Ana 0 0 bb/bb"]
    assert written(hexapod.interpret(after("spider Ana"), {}, now)) == ["play Ana 0 0 bb/bb"]
    assert hexapod.interpret(after(), {None: [spider]}, {None: [spider]}) == ()


def test_a_spider_in_a_case_is_no_card_of_it():
    assert seen(after(), EMPTY, "bbSS. bbSS. ..... ..... .....") == ["spider Ana", "play Ana 0 0 bb/bb"]


@pytest.mark.parametrize("now", [{}, {"Ana": None}, {None: None}, {None: []}, {"Cy": rows("bb bb")}])
def test_nothing_follows_from_nothing(now):
    assert hexapod.interpret(after(), {}, now) == ()


def test_nothing_follows_after_the_end():
    now = {None: [rows("SS SS")], "Ana": rows("bb... bb... ..... ..... .....")}
    assert hexapod.interpret(after("pass Ana", "pass Bo"), {}, now) == ()
