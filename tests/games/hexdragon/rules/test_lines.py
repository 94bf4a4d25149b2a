from companion.games.hexdragon.rules.lines import Connection, connections
from companion.games.hexdragon.rules.tiles import START, parse


def found(tiles, at):
    """The connections through the tile at ``at`` on a board given as ``{"q,r": writing}``, the start tile added."""
    lying = {(0, 0): START} | {tuple(map(int, cell.split(","))): parse(text) for cell, text in tiles.items()}
    return connections(lying, at)


def test_a_head_that_faces_a_tail_of_the_start_tile_is_a_dragon_of_two():
    assert found({"1,0": "h3t0-12-45"}, (1, 0)) == (Connection("dragon", ((1, 0), (0, 0))),)


def test_a_line_that_meets_a_free_cell_or_leaves_the_board_is_open():
    assert found({"2,0": "h3t0-12-45"}, (2, 0)) == ()
    assert found({"1,0": "h0t1-34-25"}, (1, 0)) == ()


def test_a_line_open_at_its_far_end_is_open_from_either_side():
    assert found({"1,0": "03-12-45"}, (1, 0)) == ()
    assert found({"1,0": "03-12-45", "2,0": "03-12-45"}, (1, 0)) == ()
    assert found({"1,0": "03-12-45", "2,0": "03-12-45"}, (2, 0)) == ()


def test_three_short_bands_around_a_corner_are_a_loop_of_three():
    loop = {"1,0": "01-23-45", "2,0": "01-23-45", "2,-1": "01-23-45"}
    (connection,) = found(loop, (2, -1))
    assert connection.kind == "loop"
    assert connection.length == 3
    assert connection.cells[0] == (2, -1)
    assert set(connection.cells) == {(1, 0), (2, 0), (2, -1)}
    assert connection.heads == ()


def test_a_loop_starts_at_the_placed_tile_whichever_that_is():
    loop = {"1,0": "01-23-45", "2,0": "01-23-45", "2,-1": "01-23-45"}
    assert [found(loop, cell)[0].cells[0] for cell in ((1, 0), (2, 0), (2, -1))] == [(1, 0), (2, 0), (2, -1)]


def test_head_body_head_is_a_double_dragon_of_three():
    tiles = {"-2,1": "h0t1-23-45", "0,1": "h3t1-02-45", "-1,1": "03-12-45"}
    (connection,) = found(tiles, (-1, 1))
    assert (connection.kind, connection.length) == ("double-dragon", 3)
    assert set(connection.heads) == {(-2, 1), (0, 1)}
    assert connection.cells[1] == (-1, 1)


def test_a_head_that_meets_a_head_directly_is_a_double_dragon_of_two():
    (connection,) = found({"1,0": "h0t3-12-45", "2,0": "h3t0-12-45"}, (2, 0))
    assert (connection.kind, connection.length) == ("double-dragon", 2)


def test_the_tile_passed_twice_counts_twice():
    tiles = {"0,-2": "h5t0-12-34", "0,-1": "20-13-45", "2,-1": "32-01-45", "2,-2": "54-01-23", "1,-1": "03-14-25"}
    (connection,) = found(tiles, (1, -1))
    assert (connection.kind, connection.length) == ("dragon", 7)
    assert connection.cells == ((0, -2), (0, -1), (1, -1), (2, -1), (2, -2), (1, -1), (0, 0))
    assert connection.heads == ((0, -2),)


def test_two_lines_of_the_placed_tile_that_are_one_connection_are_found_once_wherever_it_was_closed():
    tiles = {"0,-2": "h5t0-12-34", "0,-1": "20-13-45", "2,-1": "32-01-45", "2,-2": "54-01-23", "1,-1": "03-14-25"}
    for cell in ((0, -2), (0, -1), (2, -1), (2, -2), (1, -1)):
        assert [(one.kind, one.length) for one in found(tiles, cell) if one.kind == "dragon"] == [("dragon", 7)]


def test_a_loop_that_passes_the_placed_tile_twice_is_found_once():
    looped = {(1, 0): "03-14-25", (2, 0): "23-01-45", (2, -1): "45-01-23", (0, 1): "12-03-45", (0, 0): "05-12-34"}
    lying = {cell: parse(text) for cell, text in looped.items()}
    (connection,) = connections(lying, (1, 0))
    assert (connection.kind, connection.length) == ("loop", 6)
    assert connection.cells.count((1, 0)) == 2


def test_a_tail_that_meets_a_tail_is_a_worm():
    (connection,) = found({"1,0": "h0t3-12-45"}, (1, 0))
    assert (connection.kind, connection.length, connection.heads) == ("worm", 2, ())


def test_the_start_tile_at_both_ends_of_a_worm_counts_twice():
    (connection,) = found({"1,0": "32-01-45", "1,-1": "54-01-23"}, (1, -1))
    assert (connection.kind, connection.length) == ("worm", 4)
    assert connection.cells[0] == connection.cells[-1] == (0, 0)


def test_a_head_joined_to_its_own_tail_counts_its_tile_twice():
    tiles = {"2,0": "h3t2-01-45", "1,0": "01-23-45", "2,-1": "45-01-23"}
    (connection,) = found(tiles, (2, 0))
    assert (connection.kind, connection.length) == ("dragon", 4)
    assert connection.cells == ((2, 0), (1, 0), (2, -1), (2, 0))


def test_a_dragon_is_told_from_head_to_tail_whichever_tile_closed_it():
    tiles = {"2,0": "h3t0-12-45", "1,0": "03-12-45"}
    assert {found(tiles, cell)[0].cells for cell in ((1, 0), (2, 0))} == {((2, 0), (1, 0), (0, 0))}


def test_a_body_can_close_three_connections_at_once():
    around = {"2,0": "h3t0-12-45", "2,-1": "h4t0-12-35", "1,-1": "h5t0-12-34", "0,1": "h1t0-23-45", "1,1": "h2t0-13-45"}
    closed = found({**around, "1,0": "03-12-45"}, (1, 0))
    assert sorted((one.kind, one.length) for one in closed) == [
        ("double-dragon", 3),
        ("double-dragon", 3),
        ("dragon", 3),
    ]


def test_a_head_can_close_four_connections_at_once():
    around = {"2,0": "h3t0-12-45", "2,-1": "h4t0-12-35", "1,-1": "h5t0-12-34", "0,1": "h1t0-23-45", "1,1": "h0t2-13-45"}
    closed = found({**around, "1,0": "h3t0-12-45"}, (1, 0))
    assert sorted((one.kind, one.length) for one in closed) == [
        ("double-dragon", 3),
        ("dragon", 2),
        ("dragon", 2),
        ("dragon", 3),
    ]


def test_only_lines_through_the_placed_tile_are_found():
    tiles = {"1,0": "h3t0-12-45", "-1,0": "h0t3-12-45"}
    assert [one.cells for one in found(tiles, (-1, 0))] == [((-1, 0), (0, 0))]


def test_the_heads_of_a_double_dragon_are_the_cells_at_its_ends():
    tiles = {"1,0": "h0t3-12-45", "2,0": "h3t0-12-45"}
    (double,) = (one for one in found(tiles, (1, 0)) if one.kind == "double-dragon")
    assert set(double.heads) == {(1, 0), (2, 0)}
