import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.errors import Refusal
from companion.games.hexdragon.rules import tiles
from companion.games.hexdragon.rules.tiles import HEAD, START, TAIL, Tile, parse

HEAD_TILE = {"kind": "head", "head": 4, "tails": [5], "paths": [[0, 3], [1, 2]]}
BODY_TILE = {"kind": "body", "paths": [[0, 3], [1, 2], [4, 5]]}

any_tile = st.builds(
    Tile.turned, st.sampled_from((*tiles.bodies(), *tiles.heads())), st.integers(min_value=0, max_value=5)
)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("01-24-35", "A"),
        ("24-01-53", "A"),
        ("14-02-35", "H"),
        ("03-15-24", "H"),
        ("03-12-45", "I"),
        ("01-23-45", "O"),
        ("05-12-34", "O"),
        ("03-14-25", "X"),
        ("30-41-52", "X"),
        ("h4t5-03-12", "head"),
    ],
)
def test_a_body_is_classed_by_the_distances_its_paths_bridge(written, name):
    assert parse(written).class_name == name


def test_a_supply_set_holds_twenty_bodies_of_five_classes():
    assert tiles.SUPPLY_SET == {"A": 6, "H": 5, "I": 4, "O": 3, "X": 2}


def test_the_fifteen_heads_of_a_colour_all_differ_and_turning_makes_no_new_one():
    assert len({tile.shape for tile in tiles.heads()}) == 15
    assert len({tile.turned(turns).shape for tile in tiles.heads() for turns in range(6)}) == 15


def test_a_mirror_image_is_another_head():
    assert parse("h0t1-23-45").shape != parse("h0t5-12-34").shape


def test_a_line_leads_across_a_tile_to_another_edge_a_head_or_a_tail():
    assert parse("h4t5-03-12").across == (3, 2, 1, 0, HEAD, TAIL)
    assert parse("01-24-35").across == (1, 0, 4, 5, 2, 3)
    assert START.across == (TAIL,) * 6
    assert START.class_name == "start"


def test_a_tile_is_read_as_it_was_named():
    assert tiles.read(HEAD_TILE) == Tile("head", ((0, 3), (1, 2)), head=4, tails=(5,))
    assert tiles.read(BODY_TILE) == Tile("body", ((0, 3), (1, 2), (4, 5)))
    assert tiles.read({**BODY_TILE, "paths": [[3, 0], [4, 5], [2, 1]]}).paths == ((3, 0), (4, 5), (2, 1))


def test_fields_that_a_tile_does_not_have_are_ignored():
    assert tiles.read({**BODY_TILE, "owner": "red", "head": None, "tails": [], "confidence": 0.9}) == parse("03-12-45")


@pytest.mark.parametrize("tile", [None, 3, "03-12-45", [], {}, {"kind": "body"}, {"paths": []}])
def test_a_tile_without_a_kind_and_a_list_of_paths_cannot_be_judged(tile):
    assert not tiles.is_formed(tile)


@pytest.mark.parametrize("paths", [None, 3, "03", {"0": 3}, True])
def test_paths_that_are_no_list_cannot_be_judged(paths):
    assert not tiles.is_formed({"kind": "body", "paths": paths})


def test_whatever_else_is_wrong_with_a_tile_can_be_judged():
    assert tiles.is_formed({"kind": 7, "paths": []})
    assert tiles.is_formed({"kind": "head", "paths": ["x"]})


@pytest.mark.parametrize(
    "tile",
    [
        {**BODY_TILE, "kind": "start"},
        {**BODY_TILE, "kind": "Body"},
        {**BODY_TILE, "kind": None},
        {**BODY_TILE, "kind": ["body"]},
        {**BODY_TILE, "kind": "head"},
        {**BODY_TILE, "paths": []},
        {**BODY_TILE, "paths": [[0, 3], [1, 2]]},
        {**BODY_TILE, "paths": [[0, 3], [1, 2], [4, 5], [0, 3]]},
        {**BODY_TILE, "paths": [[0, 3], [1, 2], [4, 4]]},
        {**BODY_TILE, "paths": [[0, 3], [1, 2], [4, 0]]},
        {**BODY_TILE, "paths": [[0, 3], [1, 2], [4, 6]]},
        {**BODY_TILE, "paths": [[-1, 3], [1, 2], [4, 5]]},
        {**BODY_TILE, "paths": [[0, 3], [1, 2], [4, 5.0]]},
        {**BODY_TILE, "paths": [[0, 3], [True, 2], [4, 5]]},
        {**BODY_TILE, "paths": [[0, 3], [1, 2], [4, "5"]]},
        {**BODY_TILE, "paths": [[0, 3], [1, 2], [4, None]]},
        {**BODY_TILE, "paths": [[0, 3], [1, 2], [4, [5]]]},
        {**BODY_TILE, "paths": [[0, 3, 1], [2], [4, 5]]},
        {**BODY_TILE, "paths": [[0, 3], [1, 2], "45"]},
        {**BODY_TILE, "paths": [[0, 3], [1, 2], 45]},
        {**BODY_TILE, "paths": [[0, 3], [1, 2], None]},
        {"kind": "head", "tails": [5], "paths": [[0, 3], [1, 2]]},
        {"kind": "head", "head": 4, "paths": [[0, 3], [1, 2]]},
        {**HEAD_TILE, "head": None},
        {**HEAD_TILE, "head": 5},
        {**HEAD_TILE, "head": 0},
        {**HEAD_TILE, "head": "4"},
        {**HEAD_TILE, "head": 4.0},
        {**HEAD_TILE, "head": [4]},
        {**HEAD_TILE, "tails": None},
        {**HEAD_TILE, "tails": 5},
        {**HEAD_TILE, "tails": []},
        {**HEAD_TILE, "tails": [4]},
        {**HEAD_TILE, "tails": [6]},
        {**HEAD_TILE, "tails": [5, 5]},
        {**HEAD_TILE, "tails": [True], "paths": [[0, 3], [5, 2]]},
        {**HEAD_TILE, "tails": [1, 2, 5], "paths": [[0, 3]]},
        {**HEAD_TILE, "tails": [5], "paths": [[0, 3]]},
        {**HEAD_TILE, "tails": [5], "paths": [[0, 3], [1, 2], [0, 3]]},
        {**HEAD_TILE, "tails": [5], "paths": [[0, 3], [1, 1]]},
    ],
)
def test_a_tile_whose_edges_are_not_each_used_once_is_bad(tile):
    assert tiles.is_formed(tile)
    with pytest.raises(Refusal) as refused:
        tiles.read(tile)
    assert refused.value.code == "bad-tile"


def test_a_refused_tile_says_what_would_do():
    with pytest.raises(Refusal, match="a body with three paths, or a head with one head, one tail and two paths"):
        tiles.read({**BODY_TILE, "kind": "start"})
    with pytest.raises(Refusal, match="six edges, 0 to 5, is used exactly once"):
        tiles.read({**BODY_TILE, "paths": [[0, 3], [1, 2], [4, 4]]})


@given(any_tile)
def test_a_tile_in_writing_means_the_same_tile(tile):
    assert parse(str(tile)) == tile


@given(any_tile)
def test_a_tile_in_a_command_is_the_same_tile(tile):
    assert tiles.read(tile.as_json()) == tile


@given(any_tile, st.integers(min_value=0, max_value=5), st.integers(min_value=0, max_value=5))
def test_turns_add_up_and_six_of_them_are_none(tile, once, again):
    assert tile.turned(once).turned(again) == tile.turned((once + again) % 6)
    assert tile.turned(once).shape == tile.shape
    assert tile.turned(once).class_name == tile.class_name


def test_turning_by_one_takes_what_lay_east_to_the_north_east():
    assert parse("h0t3-12-45").turned(1) == parse("h1t4-23-50")


@pytest.mark.parametrize("more", [{}, {"owner": "red"}, {"owner": None}])
@given(tile=any_tile)
def test_the_tile_of_a_command_in_writing_is_read_back_with_its_owner(more, tile):
    value = {**tile.as_json(), **more}
    assert tiles.from_written(tiles.written(value)) == value


@pytest.mark.parametrize(
    "text", ["03-12-44", "03-12", "03-12-47", "h4t4-03-12", "h4t-03-12", "h4t12-03", "h4t5-03-12-12"]
)
def test_a_bad_tile_can_be_written_and_read_back_for_the_rules_to_refuse(text):
    assert tiles.written(tiles.from_written(text)) == text
    with pytest.raises(Refusal):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "03-1",
        "03-12-",
        "-03-12-45",
        "0312-45",
        "h4-03-12",
        "t5-03-12",
        "h4t5",
        "start",
        "03-12-45 ",
        "03-12-4x",
        "H4t5-03-12",
        "h4t5 03-12",
        "03-12-45@a b",
    ],
)
def test_writing_that_means_no_tile_is_refused_with_the_text(text):
    with pytest.raises(ValueError, match="not a tile") as refused:
        parse(text)
    assert repr(text) in str(refused.value)
