import pytest

from companion.errors import UsageError
from companion.games import GAMES
from companion.games import game as game_spec
from companion.simulator.script import outcome, write_script


@pytest.mark.parametrize("seed", range(10))
def test_every_seed_of_hexel_ends_with_a_hoxla(seed):
    stage = game_spec("hexel").demo()
    script = write_script(stage.header, stage.player(stage.header, seed))
    assert outcome(script)["by"] == "hoxla"
    assert 10 <= len(script.commands) <= 60


@pytest.mark.parametrize("game", GAMES)
def test_every_play_is_of_its_own_game(game):
    assert GAMES[game].demo_header().game == game


def test_a_game_without_a_table_is_refused_by_name():
    with pytest.raises(UsageError, match="chess"):
        game_spec("chess")
