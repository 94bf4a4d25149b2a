from collections import Counter
from functools import cache

import pytest

from companion.games.hexapod.deck import deck
from companion.games.hexapod.demo import player as players
from companion.games.hexapod.rules import game as hexapod
from companion.rules.engine import Header


def played(seed, **options):
    """The commands of a whole game, and the events they caused."""
    state, move = hexapod.start(Header("hexapod", ("Ana", "Bo"), options=options)), players.player(seed)
    commands, told = [], []
    while (command := move(state)) is not None:
        commands.append(command)
        state, events = hexapod.apply(state, command)
        told += events
    return commands, told


game = cache(played)


@pytest.mark.parametrize("seed", range(4))
def test_a_game_is_played_to_its_end_and_both_score(seed):
    commands, told = game(seed)
    assert [event["event"] for event in told[-2:]] == ["scored", "won"]
    assert len(commands) < 60
    assert min(score["total"] for score in told[-2]["scores"].values()) > 6


def test_the_same_seed_plays_the_same_game_and_another_seed_another():
    assert game(2)[0] == played(2)[0]
    assert game(2)[0] != game(3)[0]


def test_every_card_is_laid_once():
    stacks = Counter(deck())
    for seed in range(4):
        laid = Counter(tuple(map(tuple, one["card"]["cells"])) for one in game(seed)[0] if one["cmd"] == "play")
        assert not laid - stacks


def test_the_spider_is_told_before_the_card_whose_drawing_brought_it_up():
    told = [event["event"] for event in game(1)[1]]
    assert told.count("spider-revealed") == 1
    assert told[told.index("spider-revealed") + 1] in ("played", "coin-spent", "turn-ended", "passed")


def test_a_play_that_waited_for_the_spider_is_decided_anew_where_a_correction_forbids_it():
    header, move, commands = Header("hexapod", ("Ana", "Bo")), players.player(2), []
    state = hexapod.start(header)
    while (command := move(state))["cmd"] != "spider":
        commands.append(command)
        state, _ = hexapod.apply(state, command)
    forgotten = max(i for i, one in enumerate(commands) if one["cmd"] == "play" and one["player"] == command["player"])
    corrected = hexapod.start(header)
    for one in (*commands[:forgotten], *commands[forgotten + 1 :], command):
        corrected, _ = hexapod.apply(corrected, one)
    _, told = hexapod.apply(corrected, move(corrected))
    assert told[0]["event"] in ("played", "coin-spent", "turn-ended", "passed")


def test_coins_are_spent_where_nothing_good_lies_open():
    events = Counter(event["event"] for seed in range(4) for event in game(seed)[1])
    assert events["coin-spent"] > 0


def test_in_a_case_too_small_for_a_card_both_pass():
    commands, _ = played(1, rows=1)
    assert {command["cmd"] for command in commands} <= {"coin", "end", "pass", "spider"}
