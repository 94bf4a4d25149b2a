import pytest

from companion.games.hexdragon.rules import game as hexdragon
from companion.games.hexdragon.rules.state import Scored, Seat, State, start
from companion.rules.engine import Header


def state_with(**connections: list[tuple[str, int]]) -> State:
    """A table at which each player has the connections given as kind and length."""
    worth = {"dragon": None, "double-dragon": None, "worm": 1, "loop": 1}
    state = start(Header("hexdragon", tuple(connections)))
    for name, ones in connections.items():
        scored = tuple(Scored(kind, length, worth[kind] or length) for kind, length in ones)
        state = state.with_seat(Seat(name, "red", connections=scored))
    return state


@pytest.mark.parametrize(
    ("connections", "ranking"),
    [
        ({"Ana": [("dragon", 3)], "Bo": [("dragon", 4)]}, [["Bo"], ["Ana"]]),
        ({"Ana": [("worm", 9)], "Bo": [("dragon", 2)]}, [["Bo"], ["Ana"]]),
        ({"Ana": [], "Bo": []}, [["Ana", "Bo"]]),
        ({"Ana": [("dragon", 2)], "Bo": [("worm", 3), ("loop", 2)]}, [["Bo"], ["Ana"]]),
        ({"Ana": [("dragon", 2), ("dragon", 2)], "Bo": [("dragon", 4)]}, [["Bo"], ["Ana"]]),
        ({"Ana": [("worm", 2), ("worm", 5)], "Bo": [("loop", 5), ("loop", 3)]}, [["Bo"], ["Ana"]]),
        ({"Ana": [("loop", 2), ("worm", 5)], "Bo": [("worm", 5), ("worm", 2)]}, [["Ana", "Bo"]]),
        ({"Ana": [("dragon", 2)], "Bo": [("worm", 2), ("worm", 2)]}, [["Bo"], ["Ana"]]),
        ({"Ana": [("worm", 3), ("worm", 2)], "Bo": [("dragon", 2)]}, [["Ana"], ["Bo"]]),
        (
            {"Ana": [("dragon", 3)], "Bo": [("dragon", 5)], "Cy": [("dragon", 3)], "Dee": [("worm", 2)]},
            [["Bo"], ["Ana", "Cy"], ["Dee"]],
        ),
        (
            {"Ana": [("dragon", 2)], "Bo": [("dragon", 2)], "Cy": [("worm", 7), ("loop", 3)]},
            [["Cy"], ["Ana", "Bo"]],
        ),
    ],
)
def test_points_rank_then_lengths_from_the_longest_then_the_place_is_shared(connections, ranking):
    assert state_with(**connections).ranking() == ranking


def test_a_player_with_fewer_connections_ranks_lower_when_all_others_tie():
    state = state_with(Ana=[("dragon", 2)], Bo=[("dragon", 2)])
    more = state.with_seat(Seat("Bo", "blue", connections=(Scored("dragon", 2, 2), Scored("worm", 2, 0))))
    assert more.ranking() == [["Bo"], ["Ana"]]


def test_a_double_dragon_of_ones_own_counts_twice_in_the_tie_break():
    tied = state_with(Ana=[("dragon", 4), ("worm", 3), ("worm", 2)], Bo=[("double-dragon", 3), ("double-dragon", 3)])
    assert tied.ranking() == [["Ana"], ["Bo"]]
    tied = state_with(Ana=[("dragon", 3), ("dragon", 2), ("worm", 2)], Bo=[("double-dragon", 3), ("double-dragon", 3)])
    assert tied.ranking() == [["Bo"], ["Ana"]]


def test_the_ranking_is_told_at_the_end():
    state = hexdragon.start(Header("hexdragon", ("Ana", "Bo")))
    head = {"kind": "head", "head": 3, "tails": [0], "paths": [[1, 2], [4, 5]]}
    for command in (
        {"cmd": "agree-end", "player": "Bo"},
        {"cmd": "star", "player": "Ana", "cell": [2, 0]},
        {"cmd": "place", "player": "Bo", "cell": [1, 0], "tile": head},
        {"cmd": "agree-end", "player": "Bo"},
        {"cmd": "agree-end", "player": "Ana"},
    ):
        state, events = hexdragon.apply(state, command)
    assert events[-1] == {"event": "ended", "ranking": [["Bo"], ["Ana"]]}
    assert hexdragon.view(state)["result"] == {"ranking": [["Bo"], ["Ana"]]}
    assert hexdragon.view(state)["table"]["stars"] == [{"cell": [2, 0], "player": "Ana"}]
