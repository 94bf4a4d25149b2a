"""HexDragon's tiles in the camera's words: what hands lay in a game is read back as the very command."""

import pytest

from companion.games.hexdragon import interpretation as words
from companion.games.hexdragon.demo.player import player
from companion.games.hexdragon.rules import game as hexdragon
from companion.rules.records import read_header


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_move_of_a_game_is_read_from_the_tiles_that_lie_there(seed: int) -> None:
    state = hexdragon.start(read_header({"record": 1, "game": "hexdragon", "players": ["Ana", "Bo", "Cy"]}))
    choose, told = player(seed), 0
    while (command := choose(state)) is not None:
        before = {cell: words.tile_from_edges(face) for cell, face in words.tableau(hexdragon.view(state)).items()}
        state_after, _ = hexdragon.apply(state, command)
        if command["cmd"] in ("place", "star"):
            view = hexdragon.view(state_after)
            after = {cell: words.tile_from_edges(face) for cell, face in words.tableau(view).items()}
            for star in view["table"]["stars"]:
                colour = view["players"][star["player"]]["colour"]
                after[tuple(star["cell"])] = words.tile_from_edges((f"star:{colour}",) * 6)
            seen = hexdragon.interpret(state, before, after)[0]
            assert (seen["cmd"], seen["player"], seen["cell"]) == (command["cmd"], command["player"], command["cell"])
            if command["cmd"] == "place":
                laid = words.tableau(hexdragon.view(hexdragon.apply(state, seen)[0]))
                assert laid == words.tableau(hexdragon.view(state_after))
                assert words.cells(seen) == (tuple(command["cell"]),)
            told += 1
        state = state_after
    assert told > 10


def test_a_tile_that_was_not_read_whole_is_nothing_to_the_rules() -> None:
    assert words.tile_from_edges(("+3", "+1", "+5", "+3", None, "tail")) is None
