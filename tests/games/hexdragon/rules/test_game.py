import dataclasses

import pytest

from companion.errors import Refusal
from companion.games.hexdragon.rules import game as hexdragon
from companion.games.hexdragon.rules.tiles import Tile, bodies
from companion.rules import hexgrid
from tests.games.hexdragon.rules.tables import ALL, ANA_BO, agree, begun, place, play, player, skip, star


def nearly_full(players, free, radius=1, stars=()):
    """A small board on which only the cells of ``free`` are left, each of ``stars`` reserving the cell given."""
    state = begun(players, radius=radius)
    cells = [cell for cell in hexgrid.cells_within(radius) if cell != (0, 0) and cell not in free]
    for name, cell in stars:
        state = state.with_seat(dataclasses.replace(state.seat(name), star=cell))
    supplies = [name for name, count in state.supply.items() for _ in range(count)]
    for cell, name in zip(cells, supplies, strict=False):
        tile = next(body for body in bodies() if body.class_name == name)
        state = state.with_tile(cell, tile, players[0])
    return state


# ---- a turn


def test_a_tile_is_laid_and_the_turn_passes_in_header_order():
    state, events = play(begun(), place("Ana", (2, 0), "03-12-45"))
    assert events == ({"event": "placed", "player": "Ana", "cell": [2, 0], "class": "I"},)
    view = hexdragon.view(state)
    assert view["turn"] == view["table"]["turn"] == "Bo"
    assert view["table"]["tiles"][1] == {
        "cell": [2, 0],
        "player": "Ana",
        "kind": "body",
        "head": None,
        "tails": [],
        "paths": [[0, 3], [1, 2], [4, 5]],
    }
    assert view["table"]["supply"] == {"A": 6, "H": 5, "I": 3, "O": 3, "X": 2}
    assert play(state, place("Bo", (-2, 0), "03-12-45"))[0].mover.name == "Ana"


def test_a_head_leaves_the_hand_and_not_the_supply():
    state, events = play(begun(), place("Ana", (2, 0), "h0t1-23-45"))
    assert events == ({"event": "placed", "player": "Ana", "cell": [2, 0], "class": "head"},)
    assert player(state, "Ana")["heads_left"] == 2
    assert player(state, "Bo")["heads_left"] == 3
    assert sum(hexdragon.view(state)["table"]["supply"].values()) == 20
    head = hexdragon.view(state)["table"]["tiles"][1]
    assert (head["kind"], head["head"], head["tails"], head["paths"]) == ("head", 0, [1], [[2, 3], [4, 5]])


def test_a_star_reserves_a_cell_and_uses_the_turn():
    state, events = play(begun(), star("Ana", (1, 0)))
    assert events == ({"event": "starred", "player": "Ana", "cell": [1, 0]},)
    assert player(state, "Ana")["star"] == [1, 0]
    assert hexdragon.view(state)["table"]["stars"] == [{"cell": [1, 0], "player": "Ana"}]
    assert state.mover.name == "Bo"


def test_placing_on_ones_own_star_lifts_it_for_good():
    state, events = play(begun(), star("Ana", (1, 1)), star("Bo", (-1, -1)), place("Ana", (1, 1), "03-12-45"))
    assert events[0]["event"] == "placed"
    assert player(state, "Ana")["star"] == "used"
    assert hexdragon.view(state)["table"]["stars"] == [{"cell": [-1, -1], "player": "Bo"}]


def test_placing_elsewhere_leaves_ones_star_lying():
    state, _ = play(begun(("Ana",)), star("Ana", (1, 1)), place("Ana", (2, 0), "03-12-45"))
    assert player(state, "Ana")["star"] == [1, 1]


# ---- scoring


def test_a_dragon_scores_its_length_for_the_heads_owner_though_another_closed_it():
    state, events = play(begun(), place("Ana", (2, 0), "h3t0-12-45"), place("Bo", (1, 0), "03-12-45"))
    assert events == (
        {"event": "placed", "player": "Bo", "cell": [1, 0], "class": "I"},
        {
            "event": "connection",
            "player": "Bo",
            "kind": "dragon",
            "length": 3,
            "scores": {"Ana": 3},
            "cells": [[2, 0], [1, 0], [0, 0]],
        },
    )
    assert player(state, "Ana")["points"] == 3
    assert player(state, "Ana")["connections"] == [{"kind": "dragon", "length": 3, "points": 3}]
    assert player(state, "Bo")["points"] == 0


def test_a_double_dragon_scores_for_the_owner_of_each_head():
    state, events = play(
        begun(),
        place("Ana", (-2, 1), "h0t1-23-45"),
        place("Bo", (0, 1), "h3t1-02-45"),
        place("Ana", (-1, 1), "03-12-45"),
    )
    assert events[1]["scores"] == {"Ana": 3, "Bo": 3}
    for name in ANA_BO:
        assert player(state, name)["connections"] == [{"kind": "double-dragon", "length": 3, "points": 3}]


def test_a_double_dragon_of_ones_own_two_heads_counts_twice():
    state, events = play(begun(("Ana",)), place("Ana", (2, 0), "h3t0-12-45"), place("Ana", (1, 0), "h0t1-23-45"))
    assert [(event["kind"], event["scores"]) for event in events[1:]] == [("double-dragon", {"Ana": 4})]
    assert player(state, "Ana")["points"] == 4
    assert player(state, "Ana")["connections"] == [{"kind": "double-dragon", "length": 2, "points": 2}] * 2


def test_a_worm_scores_one_for_whoever_laid_the_last_tile_whosever_tail_it_is():
    state, events = play(begun(), place("Ana", (2, 0), "h0t3-12-45"), place("Bo", (1, 0), "03-12-45"))
    assert (events[1]["kind"], events[1]["length"], events[1]["scores"]) == ("worm", 3, {"Bo": 1})
    assert player(state, "Bo")["connections"] == [{"kind": "worm", "length": 3, "points": 1}]
    assert player(state, "Ana")["connections"] == []


def test_a_loop_scores_one_for_whoever_laid_the_last_tile():
    state, events = play(
        begun(),
        place("Ana", (1, 0), "01-23-45"),
        place("Bo", (2, 0), "01-23-45"),
        place("Ana", (2, -1), "01-23-45"),
    )
    assert (events[1]["kind"], events[1]["length"], events[1]["scores"]) == ("loop", 3, {"Ana": 1})
    assert events[1]["cells"][0] == [2, -1]
    assert player(state, "Ana")["connections"] == [{"kind": "loop", "length": 3, "points": 1}]


def test_a_placement_can_make_several_connections():
    around = [
        ((2, 0), "h3t0-12-45"),
        ((2, -1), "h4t0-12-35"),
        ((1, -1), "h5t0-12-34"),
        ((0, 1), "h1t0-23-45"),
        ((1, 1), "h2t0-13-45"),
    ]
    names = ["Ana", "Bo"] * 3
    state, _ = play(begun(), *(place(name, *laid) for name, laid in zip(names, around, strict=False)))
    before = player(state, "Ana")["points"], player(state, "Bo")["points"]
    state, events = play(state, place("Bo", (1, 0), "03-12-45"))
    assert sorted(event["kind"] for event in events[1:]) == ["double-dragon", "double-dragon", "dragon"]
    totals = [sum(event["scores"].get(name, 0) for event in events[1:]) for name in ANA_BO]
    assert [player(state, name)["points"] for name in ANA_BO] == [
        was + won for was, won in zip(before, totals, strict=True)
    ]


def test_a_connection_is_scored_once():
    state, _ = play(begun(), place("Ana", (1, 0), "h3t0-12-45"))
    state, events = play(state, place("Bo", (2, 0), "01-24-35"))
    assert [event["event"] for event in events] == ["placed"]
    assert player(state, "Ana")["points"] == 2


# ---- the end


def test_the_game_ends_when_every_cell_holds_a_tile():
    state = nearly_full(ANA_BO, [(1, 0)])
    state, events = play(state, place("Ana", (1, 0), "03-14-25"))
    assert events[-1] == {"event": "ended", "ranking": state.ranking()}
    view = hexdragon.view(state)
    assert (view["phase"], view["turn"], view["result"]) == ("over", None, {"ranking": state.ranking()})
    assert (view["table"]["phase"], view["table"]["turn"]) == ("over", None)


def test_a_star_is_no_tile_and_ends_nothing():
    state, events = play(nearly_full(ANA_BO, [(1, 0)]), star("Ana", (1, 0)))
    assert events[-1]["event"] == "starred"
    assert hexdragon.view(state)["phase"] == "play"


def test_the_game_ends_once_everybody_agrees_in_any_order_and_out_of_turn():
    state, events = play(begun(ALL[:3]), agree("Cy"), agree("Ana"))
    assert events == ({"event": "agreed", "player": "Ana"},)
    assert state.mover.name == "Ana"
    assert hexdragon.view(state)["table"]["agreed"] == ["Ana", "Cy"]
    state, events = play(state, agree("Bo"))
    assert events == (
        {"event": "agreed", "player": "Bo"},
        {"event": "ended", "ranking": [["Ana", "Bo", "Cy"]]},
    )
    assert hexdragon.view(state)["phase"] == "over"
    assert hexdragon.view(state)["result"] == {"ranking": [["Ana", "Bo", "Cy"]]}


def test_a_second_agreement_of_one_player_changes_nothing():
    once, _ = play(begun(), agree("Ana"))
    again, events = play(once, agree("Ana"))
    assert again == once
    assert events == ({"event": "agreed", "player": "Ana"},)


@pytest.mark.parametrize("command", [place("Ana", (2, 0), "03-12-45"), star("Ana", (1, 0))])
def test_a_tile_or_a_star_cancels_agreements(command):
    state, _ = play(begun(), agree("Ana"), command, agree("Bo"))
    assert hexdragon.view(state)["phase"] == "play"
    assert state.agreed == {"Bo"}


def test_a_skip_cancels_agreements():
    state, _ = play(nearly_full(ANA_BO, [(1, 0)], stars=[("Bo", (1, 0))]), agree("Bo"), skip("Ana"))
    assert state.agreed == frozenset()


def test_a_refused_command_cancels_no_agreement():
    state, _ = play(begun(), agree("Bo"))
    with pytest.raises(Refusal):
        hexdragon.apply(state, place("Ana", (0, 0), "03-12-45"))
    assert play(state, agree("Ana"))[0].over


def test_alone_one_agreement_ends_the_game():
    assert play(begun(("Ana",)), agree("Ana"))[1][-1] == {"event": "ended", "ranking": [["Ana"]]}


def test_tiles_are_listed_in_the_order_they_were_laid():
    state, _ = play(
        begun(), place("Ana", (2, 0), "03-12-45"), place("Bo", (-2, 0), Tile("body", ((3, 0), (2, 1), (5, 4))))
    )
    tiles = hexdragon.view(state)["table"]["tiles"]
    assert [tile["cell"] for tile in tiles] == [[0, 0], [2, 0], [-2, 0]]
    assert tiles[2]["paths"] == [[3, 0], [2, 1], [5, 4]]
