import pytest

from companion.games.hexdragon.rules import game as hexdragon
from companion.games.hexdragon.rules.tiles import parse
from companion.rules.engine import Header
from companion.rules.hexgrid import rotated


def begun(*commands, players=("Ana", "Bo")):
    state = hexdragon.start(Header("hexdragon", players))
    for command in commands:
        state, _ = hexdragon.apply(state, command)
    return state


def place(player, cell, tile, **owner):
    return {"cmd": "place", "player": player, "cell": list(cell), "tile": {**parse(tile).as_json(), **owner}}


def star(player, cell):
    return {"cmd": "star", "player": player, "cell": list(cell)}


def seen(tile, owner=None):
    """A tile as a reading gives it: all fields, and some that say nothing of the game."""
    read = parse(tile)
    ends = {"head": read.head, "tails": list(read.tails)}
    return {**read.as_json(), **ends, "owner": owner, "confidence": 0.98, "corners": []}


def token(colour):
    return {"kind": "star", "owner": colour}


START = {(0, 0): {"kind": "start", "owner": None, "head": None, "tails": [0, 1, 2, 3, 4, 5], "paths": []}}


def test_a_new_tile_is_laid_by_the_player_on_turn():
    assert hexdragon.interpret(begun(), START, {**START, (1, 0): seen("03-12-45")}) == (
        place("Ana", (1, 0), "03-12-45"),
    )


def test_a_head_is_proposed_with_the_colour_that_was_read():
    after = {**START, (1, 0): seen("h0t1-23-45", "red")}
    assert hexdragon.interpret(begun(), START, after) == (place("Ana", (1, 0), "h0t1-23-45", owner="red"),)


def test_a_head_of_another_colour_is_proposed_all_the_same_for_the_referee_to_refuse():
    after = {**START, (1, 0): seen("h0t1-23-45", "blue")}
    (command,) = hexdragon.interpret(begun(), START, after)
    assert command == place("Ana", (1, 0), "h0t1-23-45", owner="blue")


def test_a_new_star_is_its_colours():
    assert hexdragon.interpret(begun(), START, {**START, (1, 0): token("red")}) == (star("Ana", (1, 0)),)
    assert hexdragon.interpret(begun(), START, {**START, (1, 0): token("blue")}) == (star("Bo", (1, 0)),)


def test_a_star_whose_colour_was_not_read_is_the_movers():
    assert hexdragon.interpret(begun(), START, {**START, (1, 0): token(None)}) == (star("Ana", (1, 0)),)
    assert hexdragon.interpret(begun(), START, {**START, (1, 0): token("purple")}) == (star("Ana", (1, 0)),)


def test_nothing_follows_from_no_difference():
    after = {**START, (1, 0): seen("03-12-45")}
    assert hexdragon.interpret(begun(), after, dict(after)) == ()
    assert hexdragon.interpret(begun(), START, START) == ()
    assert hexdragon.interpret(begun(), {}, {}) == ()


def test_a_tile_taken_away_or_covered_says_nothing():
    state = begun(place("Ana", (1, 0), "03-12-45"))
    assert hexdragon.interpret(state, {**START, (1, 0): seen("03-12-45")}, START) == ()


def test_a_tile_known_to_lie_says_nothing_even_if_it_was_hidden_before():
    state = begun(place("Ana", (1, 0), "03-12-45"))
    assert hexdragon.interpret(state, START, {**START, (1, 0): seen("03-12-45")}) == ()


@pytest.mark.parametrize(
    "unread",
    [
        None,
        {**seen("03-12-45"), "paths": None},
        {**seen("03-12-45"), "paths": [[0, 3], [1, 2]]},
        {**seen("03-12-45"), "kind": None},
        {**seen("h0t1-23-45"), "head": None},
        {**seen("h0t1-23-45"), "tails": None},
    ],
)
def test_what_could_not_be_read_says_nothing_until_it_is_read(unread):
    assert hexdragon.interpret(begun(), START, {**START, (1, 0): unread}) == ()
    after = {**START, (1, 0): seen("03-12-45")}
    assert hexdragon.interpret(begun(), {**START, (1, 0): unread}, after) == (place("Ana", (1, 0), "03-12-45"),)


def test_a_tile_read_differently_is_proposed_anew():
    before, after = {**START, (1, 0): seen("03-12-45")}, {**START, (1, 0): seen("03-14-25")}
    assert hexdragon.interpret(begun(), before, after) == (place("Ana", (1, 0), "03-14-25"),)


def test_a_tile_on_ones_own_star_is_a_placement():
    state = begun(star("Ana", (1, 0)), star("Bo", (2, 0)))
    before = {**START, (1, 0): token("red"), (2, 0): token("blue")}
    after = {**START, (1, 0): seen("03-12-45"), (2, 0): token("blue")}
    assert hexdragon.interpret(state, before, after) == (place("Ana", (1, 0), "03-12-45"),)


def test_a_star_known_to_lie_says_nothing():
    state = begun(star("Ana", (1, 0)))
    assert hexdragon.interpret(state, START, {**START, (1, 0): token("red")}) == ()


def test_of_two_new_things_the_one_that_is_allowed_comes_first():
    after = {**START, (1, 0): token("blue"), (2, 0): seen("03-12-45")}
    assert hexdragon.interpret(begun(), START, after) == (place("Ana", (2, 0), "03-12-45"), star("Bo", (1, 0)))


def test_what_lay_there_unknown_to_the_rules_follows_what_is_new():
    before = {**START, (1, 0): seen("03-12-45")}
    after = {**START, (2, 0): seen("03-14-25"), (1, 0): seen("03-12-45")}
    new, old = place("Ana", (2, 0), "03-14-25"), place("Ana", (1, 0), "03-12-45")
    assert hexdragon.interpret(begun(), before, after) == (new, old)
    assert hexdragon.interpret(begun(), before, dict(reversed(after.items()))) == (new, old)


def test_a_head_laid_too_early_waits_behind_the_tile_of_the_player_on_turn():
    before = {**START, (1, 0): seen("03-12-45")}
    after = {**before, (2, 0): seen("h0t1-23-45", "blue")}
    first, second = hexdragon.interpret(begun(), before, after)
    assert (first["cell"], second["cell"]) == ([1, 0], [2, 0])


@pytest.mark.parametrize("turns", range(6))
def test_a_reading_turned_against_the_board_is_turned_back(turns):
    state = begun(place("Ana", (1, 0), "03-12-45"), place("Bo", (2, 0), "h0t1-23-45"))

    def as_seen(*things):
        return {rotated(cell, turns): seen(str(parse(tile).turned(turns)), owner) for cell, tile, owner in things}

    lying = [((1, 0), "03-12-45", None), ((2, 0), "h0t1-23-45", "blue")]
    after = as_seen(*lying, ((-1, 1), "01-24-35", None))
    (command,) = hexdragon.interpret(state, as_seen(*lying), START | after)
    assert command["cell"] == [-1, 1]
    assert command["tile"]["paths"] == [[0, 1], [2, 4], [3, 5]]


def test_after_the_end_nothing_is_proposed():
    over = begun({"cmd": "agree-end", "player": "Ana"}, {"cmd": "agree-end", "player": "Bo"})
    assert hexdragon.interpret(over, START, {**START, (1, 0): seen("03-12-45")}) == ()
