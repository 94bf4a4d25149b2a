from collections import Counter
from functools import cache

import pytest

from companion.games.hexdragon.demo import player as players
from companion.games.hexdragon.rules import game as hexdragon
from companion.games.hexdragon.rules.tiles import bodies
from companion.rules.engine import Header
from companion.simulator.script import write_script

ALL = ("Ana", "Bo", "Cy", "Dee")


@cache
def game(seed, count=2, radius=2):
    return played_anew(seed, count, radius)


def played_anew(seed, count=2, radius=2):
    options = {"radius": radius}
    return write_script(Header("hexdragon", ALL[:count], options=options), players.player(seed))


def played(script):
    state = hexdragon.start(script.header)
    told = []
    for command in script.commands:
        state, events = hexdragon.apply(state, command)
        told += events
    return state, told


@pytest.mark.parametrize(("count", "radius"), [(1, 2), (2, 2), (3, 2), (4, 3)])
def test_a_game_is_played_to_a_full_board(count, radius):
    state, told = played(game(5, count, radius))
    assert told[-1]["event"] == "ended"
    assert state.free == 0


def test_the_same_seed_plays_the_same_game_and_another_seed_another():
    assert game(3).commands == played_anew(3).commands
    assert game(3).commands != game(4).commands


def test_everybody_scores():
    states = [played(game(seed))[0] for seed in range(2, 6)]
    points = [seat.points for state in states for seat in state.seats]
    assert min(points) > 0
    assert sum(points) / len(points) > 6


def test_stars_are_put_down_and_taken_up():
    told = [event for seed in range(2, 6) for event in played(game(seed))[1]]
    assert Counter(event["event"] for event in told)["starred"] >= 2


def test_nobody_lays_a_tile_that_they_do_not_hold():
    script = game(7, 3, 1)
    state = hexdragon.start(script.header)
    for command in script.commands:
        held = players.hand(state, 7, command["player"])
        if command["cmd"] == "place":
            assert any(command in hexdragon.placements(state, tile) for tile in held)
        state, _ = hexdragon.apply(state, command)


def test_hands_hold_three_bodies_and_three_heads_and_are_filled_up():
    state = hexdragon.start(Header("hexdragon", ALL[:2]))
    assert [len(players.hand(state, 1, name)) for name in ALL[:2]] == [6, 6]
    state, _ = hexdragon.apply(state, hexdragon.placements(state, players.hand(state, 1, "Ana")[0])[0])
    assert Counter(tile.kind for tile in players.hand(state, 1, "Ana")) == {"body": 3, "head": 3}


def test_a_tile_entered_by_someone_else_is_played_on_from():
    state = hexdragon.start(Header("hexdragon", ALL[:2]))
    held = {tile.class_name for tile in players.hand(state, 1, "Ana")}
    stray = next(tile for tile in bodies() if tile.class_name not in held)
    state, _ = hexdragon.apply(state, hexdragon.placements(state, stray)[0])
    move = players.player(1)
    while (command := move(state)) is not None:
        state, _ = hexdragon.apply(state, command)
    assert state.over


def test_with_nothing_left_to_lay_people_agree_to_end():
    state, told = played(game(2, 1, 3))
    assert [event["event"] for event in told[-2:]] == ["agreed", "ended"]
    assert state.free > 0
