from companion.games.hexdragon.rules import game as hexdragon
from companion.games.hexdragon.rules.tiles import parse
from companion.rules.engine import Header


def begun(*commands, players=("Ana", "Bo", "Cy"), **options):
    state = hexdragon.start(Header("hexdragon", players, options=options))
    for command in commands:
        state, _ = hexdragon.apply(state, command)
    return state


def place(player, cell, tile):
    return {"cmd": "place", "player": player, "cell": list(cell), "tile": parse(tile).as_json()}


def told(state, command):
    _, events = hexdragon.apply(state, command)
    return [hexdragon.explain(state, event) for event in events]


def test_a_tile_laid_is_told_with_its_class_and_cell():
    assert told(begun(), place("Ana", (2, -1), "03-12-45")) == [
        "Ana lays an I tile on (2, -1): a turn is one tile on a free cell."
    ]


def test_a_head_on_ones_own_star_is_told_as_taking_it_up():
    state = begun({"cmd": "star", "player": "Ana", "cell": [2, 0]}, players=("Ana",))
    assert told(state, place("Ana", (2, 0), "h0t1-23-45")) == [
        "Ana lays a head on (2, 0), taking up the star that reserved it: a turn is one tile on a free cell."
    ]


def test_a_dragon_is_told_with_its_length_its_points_and_its_rule():
    assert told(begun(), place("Ana", (1, 0), "h3t0-12-45"))[1] == (
        "A dragon of length 2, 2 for Ana: a head joined to a tail scores its length for the head's owner."
    )


def test_a_double_dragon_is_told_with_both_owners():
    state = begun(place("Ana", (2, 0), "h3t0-12-45"))
    assert told(state, place("Bo", (1, 0), "h0t1-23-45"))[1] in (
        "A double dragon of length 2, 2 for Ana and 2 for Bo: "
        "a head joined to a head scores its length for the owner of each head.",
        "A double dragon of length 2, 2 for Bo and 2 for Ana: "
        "a head joined to a head scores its length for the owner of each head.",
    )


def test_a_worm_and_a_loop_are_told_as_one_point_for_the_placer():
    assert told(begun(), place("Ana", (1, 0), "h0t3-12-45"))[1] == (
        "A worm of length 2, 1 for Ana: a tail joined to a tail scores 1 for whoever laid the last tile."
    )
    state = begun(place("Ana", (1, 0), "01-23-45"), place("Bo", (2, 0), "01-23-45"))
    assert told(state, place("Cy", (2, -1), "01-23-45"))[1] == (
        "A loop of length 3, 1 for Cy: a line closed on itself scores 1 for whoever laid the last tile."
    )


def test_a_star_is_told_as_reserving_its_cell():
    assert told(begun(), {"cmd": "star", "player": "Ana", "cell": [1, -2]}) == [
        "Ana's star reserves (1, -2): once a game, and nobody else may lay a tile there."
    ]


def test_a_skip_is_told_with_its_reason():
    assert hexdragon.explain(begun(), {"event": "skipped", "player": "Bo"}) == (
        "Bo skips: others' stars lie on every free cell."
    )


def test_an_agreement_is_told_with_who_is_waited_for():
    state = begun()
    assert told(state, {"cmd": "agree-end", "player": "Bo"}) == [
        "Bo agrees to end the game: it waits for Ana and Cy, and a tile, a star or a skip calls it off."
    ]


def test_the_end_is_told_with_the_places_the_shared_ones_counted():
    state = begun(
        place("Ana", (3, 0), "03-12-45"),
        place("Bo", (1, 0), "h3t0-12-45"),
        {"cmd": "agree-end", "player": "Bo"},
        {"cmd": "agree-end", "player": "Cy"},
    )
    assert told(state, {"cmd": "agree-end", "player": "Ana"}) == [
        "Ana agrees to end the game: all players do, and may when nobody can score any more.",
        "The game is over: 1. Bo, 2. Ana and Cy; "
        "most points win, and a tie goes to the longest connection, then to the next longest.",
    ]
