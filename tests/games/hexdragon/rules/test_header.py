import pytest

from companion.errors import BadHeader
from companion.games.hexdragon.rules import game as hexdragon
from tests.games.hexdragon.rules.tables import ALL, begun


@pytest.mark.parametrize(
    ("players", "radius", "supply"),
    [
        (1, 2, {"A": 6, "H": 5, "I": 4, "O": 3, "X": 2}),
        (2, 2, {"A": 6, "H": 5, "I": 4, "O": 3, "X": 2}),
        (3, 3, {"A": 12, "H": 10, "I": 8, "O": 6, "X": 4}),
        (4, 3, {"A": 12, "H": 10, "I": 8, "O": 6, "X": 4}),
    ],
)
def test_board_and_supply_follow_the_number_of_players(players, radius, supply):
    table = hexdragon.view(begun(ALL[:players]))["table"]
    assert (table["radius"], table["supply"]) == (radius, supply)


def test_the_radius_option_changes_the_board_and_not_the_supply():
    table = hexdragon.view(begun(radius=3))["table"]
    assert (table["radius"], table["supply"]["A"]) == (3, 6)


def test_the_table_begins_with_the_start_tile_alone():
    assert hexdragon.view(begun()) == {
        "phase": "play",
        "turn": "Ana",
        "players": {
            "Ana": {"colour": "red", "points": 0, "heads_left": 3, "star": "held", "connections": []},
            "Bo": {"colour": "blue", "points": 0, "heads_left": 3, "star": "held", "connections": []},
        },
        "table": {
            "phase": "play",
            "turn": "Ana",
            "radius": 2,
            "tiles": [
                {
                    "cell": [0, 0],
                    "player": None,
                    "kind": "start",
                    "head": None,
                    "tails": [0, 1, 2, 3, 4, 5],
                    "paths": [],
                }
            ],
            "stars": [],
            "supply": {"A": 6, "H": 5, "I": 4, "O": 3, "X": 2},
            "agreed": [],
        },
        "result": None,
    }


def test_colours_are_given_out_in_order_red_blue_yellow_purple():
    assert [seat.colour for seat in begun(ALL).seats] == ["red", "blue", "yellow", "purple"]


def test_players_without_a_colour_take_the_first_free():
    state = begun(ALL, colours={"Cy": "red", "Ana": "yellow"})
    assert [seat.colour for seat in state.seats] == ["yellow", "blue", "red", "purple"]


@pytest.mark.parametrize(
    "options",
    [
        {"radius": 0},
        {"radius": -1},
        {"radius": 2.0},
        {"radius": True},
        {"radius": "3"},
        {"radius": None},
        {"colours": None},
        {"colours": ["red", "blue"]},
        {"colours": {"Ana": "red", "Bo": "red"}},
        {"colours": {"Ana": "green"}},
        {"colours": {"Ana": None}},
        {"colours": {"Ana": ["red"]}},
        {"colours": {"Cy": "red"}},
        {"sets": 2},
        {"radius": 2, "color": {}},
    ],
)
def test_an_option_unknown_or_impossible_is_a_bad_header(options):
    with pytest.raises(BadHeader):
        begun(**options)


def test_one_to_four_play_and_there_are_no_editions():
    assert hexdragon.PLAYERS == (1, 4)
    assert hexdragon.EDITIONS == ()
    assert hexdragon.NAME == "hexdragon"


def test_a_bad_colour_is_named_with_the_player_it_was_meant_for():
    with pytest.raises(BadHeader, match="gives Ana 'green'; there are red, blue, yellow, purple"):
        begun(colours={"Ana": "green"})
    with pytest.raises(BadHeader, match="names Cy, who does not play; players are Ana, Bo"):
        begun(colours={"Cy": "red"})
