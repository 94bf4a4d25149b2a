import dataclasses
import json

import pytest

from companion.errors import Refusal
from companion.games.hexdragon.rules import game as hexdragon
from companion.games.hexdragon.rules.tiles import bodies, heads
from companion.rules import hexgrid
from tests.games.hexdragon.rules.tables import ALL, ANA_BO, agree, begun, place, play, player, skip, star


def refused(state, command):
    """The code of the refusal, which must have changed nothing."""
    before = json.dumps(hexdragon.view(state))
    with pytest.raises(Refusal) as refusal:
        hexdragon.apply(state, command)
    assert json.dumps(hexdragon.view(state)) == before
    assert refusal.value.message
    return refusal.value.code


# ---- refusals and their order


@pytest.mark.parametrize(
    "command",
    [
        {},
        {"cmd": "place"},
        {"cmd": "draw", "player": "Ana"},
        {"cmd": None, "player": "Ana"},
        {"cmd": ["skip"], "player": "Ana"},
        {"cmd": "skip"},
        {"cmd": "skip", "player": 1},
        {"cmd": "skip", "player": None},
        {"cmd": "agree-end"},
        {"cmd": "star", "player": "Ana"},
        {"cmd": "star", "player": "Ana", "cell": [1]},
        {"cmd": "star", "player": "Ana", "cell": [1, 0, 0]},
        {"cmd": "star", "player": "Ana", "cell": [1, 0.0]},
        {"cmd": "star", "player": "Ana", "cell": [True, 0]},
        {"cmd": "star", "player": "Ana", "cell": "1,0"},
        {"cmd": "star", "player": "Ana", "cell": None},
        {"cmd": "place", "player": "Ana", "cell": [1, 0]},
        {"cmd": "place", "player": "Ana", "tile": {"kind": "body", "paths": [[0, 3], [1, 2], [4, 5]]}},
        {"cmd": "place", "player": "Ana", "cell": ["1", 0], "tile": {"kind": "body", "paths": []}},
        {"cmd": "place", "player": "Ana", "cell": [1, 0], "tile": None},
        {"cmd": "place", "player": "Ana", "cell": [1, 0], "tile": [[0, 3], [1, 2], [4, 5]]},
        {"cmd": "place", "player": "Ana", "cell": [1, 0], "tile": {"paths": [[0, 3], [1, 2], [4, 5]]}},
        {"cmd": "place", "player": "Ana", "cell": [1, 0], "tile": {"kind": "body"}},
        {"cmd": "place", "player": "Ana", "cell": [1, 0], "tile": {"kind": "body", "paths": "03-12-45"}},
    ],
)
def test_a_command_without_its_fields_in_their_types_is_malformed(command):
    assert refused(begun(), command) == "malformed"


def test_a_command_that_is_no_object_is_malformed():
    for command in (None, "skip", ["skip"], 3):
        assert refused(begun(), command) == "malformed"


def test_unknown_extra_fields_are_ignored():
    state, _ = play(begun(), {**place("Ana", (1, 0), "03-12-45"), "note": 3}, {**star("Bo", (2, 0)), "tile": 7})
    assert state.free == 17


def test_malformed_comes_before_an_unknown_player():
    assert refused(begun(), {"cmd": "star", "player": "Cy", "cell": "x"}) == "malformed"
    assert refused(begun(), {**place("Cy", (1, 0), "03-12-45"), "tile": {}}) == "malformed"


def test_an_unknown_player_comes_before_the_end_of_the_game():
    over, _ = play(begun(), agree("Ana"), agree("Bo"))
    assert refused(over, star("Cy", (1, 0))) == "unknown-player"
    assert refused(begun(), agree("Cy")) == "unknown-player"


def test_after_the_end_everything_is_refused_whoever_asks():
    over, _ = play(begun(), agree("Ana"), agree("Bo"))
    for command in (place("Ana", (1, 0), "03-12-45"), star("Bo", (9, 9)), skip("Bo"), agree("Ana"), skip("Ana")):
        assert refused(over, command) == "game-over"


def test_only_the_player_on_turn_places_stars_and_skips():
    for command in (place("Bo", (9, 9), "03-12-45"), star("Bo", (0, 0)), skip("Bo")):
        assert refused(begun(), command) == "not-your-turn"


def test_a_cell_beyond_the_radius_is_off_the_board():
    for cell in ((3, 0), (2, 1), (-3, 1), (0, -3), (-2, -1), (10**30, 0)):
        assert refused(begun(), place("Ana", cell, "03-12-45")) == "off-board"
        assert refused(begun(), star("Ana", cell)) == "off-board"
    assert play(begun(), star("Ana", (2, -2)))[0].mover.name == "Bo"
    assert play(begun(radius=3), star("Ana", (2, 1)))[0].mover.name == "Bo"


def test_a_cell_with_a_tile_is_taken_the_start_tile_included():
    state, _ = play(begun(), place("Ana", (1, 0), "03-12-45"))
    for cell in ((0, 0), (1, 0)):
        assert refused(state, place("Bo", cell, "03-12-45")) == "cell-taken"
        assert refused(state, star("Bo", cell)) == "cell-taken"


def test_a_cell_under_anothers_star_is_reserved_and_the_refusal_says_by_whom():
    state, _ = play(begun(), star("Ana", (1, 0)))
    for command in (place("Bo", (1, 0), "03-12-45"), star("Bo", (1, 0))):
        with pytest.raises(Refusal) as refusal:
            hexdragon.apply(state, command)
        assert refusal.value.as_json() | {"message": ""} == {"code": "reserved", "message": "", "by": "Ana"}


def test_a_cell_is_judged_before_the_tile():
    bad = {"kind": "body", "paths": []}
    state, _ = play(begun(), star("Ana", (1, 0)))
    for cell, code in (((3, 0), "off-board"), ((0, 0), "cell-taken"), ((1, 0), "reserved"), ((2, 0), "bad-tile")):
        assert refused(state, {"cmd": "place", "player": "Bo", "cell": list(cell), "tile": bad}) == code


def test_a_star_placed_already_is_judged_before_the_cell():
    state, _ = play(begun(("Ana",)), star("Ana", (1, 0)))
    for cell in ((9, 9), (0, 0), (1, 0), (2, 0)):
        assert refused(state, star("Ana", cell)) == "star-used"


def test_a_bad_tile_comes_before_its_owner():
    tile = {"kind": "head", "head": 0, "tails": [0], "paths": [[2, 3], [4, 5]], "owner": "blue"}
    assert refused(begun(), {"cmd": "place", "player": "Ana", "cell": [1, 0], "tile": tile}) == "bad-tile"


@pytest.mark.parametrize("owner", ["blue", "yellow", "green", "", 3, False, ["red"], {"red": 1}])
def test_a_head_whose_given_colour_is_not_the_players_is_of_a_wrong_owner(owner):
    assert refused(begun(), place("Ana", (1, 0), "h0t1-23-45", owner=owner)) == "wrong-owner"


@pytest.mark.parametrize("owner", ["red", None])
def test_a_head_of_the_players_colour_or_of_none_read_is_theirs(owner):
    assert play(begun(), place("Ana", (1, 0), "h0t1-23-45", owner=owner))[0].seats[0].heads


def test_colours_decide_whose_a_head_is():
    state = begun(colours={"Ana": "purple"})
    assert refused(state, place("Ana", (1, 0), "h0t1-23-45", owner="red")) == "wrong-owner"
    assert play(state, place("Ana", (1, 0), "h0t1-23-45", owner="purple"))[0].seats[0].heads


@pytest.mark.parametrize("owner", ["blue", "green", None, 3])
def test_a_bodys_owner_is_ignored(owner):
    assert play(begun(), place("Ana", (1, 0), "03-12-45", owner=owner))[0].free == 17


def three_heads_laid():
    cells = [(2, 0), (2, -1), (2, -2)]
    return play(begun(("Ana",)), *(place("Ana", cell, tile) for cell, tile in zip(cells, heads(), strict=False)))[0]


def test_a_fourth_head_is_refused_before_asking_which():
    state = three_heads_laid()
    assert player(state, "Ana")["heads_left"] == 0
    for tile in (heads()[3], heads()[0]):
        assert refused(state, place("Ana", (-1, 0), tile)) == "no-heads-left"
    assert refused(state, place("Ana", (-1, 0), heads()[3], owner="blue")) == "wrong-owner"


@pytest.mark.parametrize("turns", range(6))
def test_the_same_head_twice_is_refused_however_it_is_turned(turns):
    state, _ = play(begun(("Ana",)), place("Ana", (2, 0), heads()[4]))
    assert refused(state, place("Ana", (-1, 0), heads()[4].turned(turns))) == "head-used"
    assert refused(state, place("Ana", (-1, 0), heads()[4].turned(turns), owner="blue")) == "wrong-owner"


def test_two_players_may_lay_the_same_head():
    state, _ = play(begun(), place("Ana", (2, 0), heads()[4]), place("Bo", (-2, 0), heads()[4]))
    assert [len(seat.heads) for seat in state.seats] == [1, 1]


@pytest.mark.parametrize(("name", "held"), [("A", 6), ("H", 5), ("I", 4), ("O", 3), ("X", 2)])
def test_a_class_of_body_is_exhausted_once_the_set_is_laid(name, held):
    tile = next(body for body in bodies() if body.class_name == name)
    cells = [cell for cell in hexgrid.cells_within(2) if cell != (0, 0)]
    state, _ = play(begun(("Ana",)), *(place("Ana", cell, tile) for cell in cells[:held]))
    assert hexdragon.view(state)["table"]["supply"][name] == 0
    assert refused(state, place("Ana", cells[held], tile)) == "supply-exhausted"
    assert refused(state, place("Ana", cells[0], tile)) == "cell-taken"


def test_a_star_lifted_is_used():
    state, _ = play(begun(("Ana",)), star("Ana", (1, 1)), place("Ana", (1, 1), "03-12-45"))
    assert refused(state, star("Ana", (-2, 0))) == "star-used"


# ---- skipping


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


def test_skipping_is_refused_while_a_free_cell_is_not_reserved_by_others():
    assert refused(begun(), skip("Ana")) == "must-play"
    assert refused(nearly_full(ANA_BO, [(1, 0), (0, 1)], stars=[("Bo", (1, 0))]), skip("Ana")) == "must-play"


def test_ones_own_star_is_a_cell_to_play_on():
    state = nearly_full(ANA_BO, [(1, 0), (0, 1)], stars=[("Bo", (1, 0)), ("Ana", (0, 1))])
    assert refused(state, skip("Ana")) == "must-play"


def test_a_player_whom_only_others_stars_face_skips():
    state = nearly_full(ANA_BO, [(1, 0)], stars=[("Bo", (1, 0))])
    assert refused(state, place("Ana", (1, 0), "03-14-25")) == "reserved"
    assert refused(state, star("Ana", (1, 0))) == "reserved"
    state, events = play(state, skip("Ana"))
    assert events == ({"event": "skipped", "player": "Ana"},)
    assert state.mover.name == "Bo"
    state, events = play(state, place("Bo", (1, 0), "03-14-25"))
    assert events[-1]["event"] == "ended"


def test_whoever_must_skip_may_do_nothing_else_in_turn():
    state = nearly_full(ANA_BO, [(1, 0)], stars=[("Bo", (1, 0))])
    assert hexdragon.legal(state) == (skip("Ana"), agree("Ana"), agree("Bo"))
    agreed, _ = play(state, agree("Bo"))
    assert hexdragon.legal(agreed) == (skip("Ana"), agree("Ana"))


def test_only_the_own_star_is_left_to_lay_on():
    state = nearly_full(ANA_BO, [(1, 0)], stars=[("Ana", (1, 0))])
    assert {tuple(one.get("cell", ())) for one in hexdragon.legal(state)} == {(1, 0), ()}
    assert {one["cmd"] for one in hexdragon.legal(state)} == {"place", "agree-end"}


def test_a_star_is_legal_on_every_free_cell_that_nobody_reserved():
    state = nearly_full(ANA_BO, [(1, 0), (0, 1), (-1, 0)], stars=[("Bo", (1, 0))])
    stars = [one for one in hexdragon.legal(state) if one["cmd"] == "star"]
    assert sorted(one["cell"] for one in stars) == [[-1, 0], [0, 1]]
    assert {one["player"] for one in stars} == {"Ana"}


def test_a_player_may_skip_though_the_own_star_is_used_or_held():
    stars = [("Bo", (1, 0)), ("Cy", (0, 1)), ("Ana", "used")]
    state = nearly_full(ALL[:3], [(1, 0), (0, 1)], stars=stars)
    assert play(state, skip("Ana"))[0].mover.name == "Bo"
