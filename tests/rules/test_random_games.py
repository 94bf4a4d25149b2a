import runpy
from pathlib import Path

import pytest

from companion.games import GAMES

random_games = runpy.run_path(str(Path(__file__).parents[1] / "bench" / "random_games.py"))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", GAMES)
def test_a_random_game_keeps_every_promise_at_every_step(name, seed):
    random_games["play"](name, seed, most_steps=120)
