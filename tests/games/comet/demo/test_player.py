from collections import Counter
from functools import cache

import pytest

from companion.games.comet.demo import player as players
from companion.games.comet.rules import game as comet
from companion.games.comet.rules.scoring import face, lines, score
from companion.rules.engine import Header

ALL = ("Ana", "Bo", "Cy", "Dee")


def played(seed, count=3, **options):
    """The commands of a whole game, the states they met and the events they caused."""
    state, move = comet.start(Header("comet", ALL[:count], options=options)), players.player(seed)
    met, commands, told = [], [], []
    while (command := move(state)) is not None:
        met.append(state)
        commands.append(command)
        state, events = comet.apply(state, command)
        told += events
    return commands, [*met, state], told


game = cache(played)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_game_is_played_to_its_end(count):
    _, states, told = game(1, count)
    assert told[-1]["event"] == "ended"
    assert comet.view(states[-1])["result"]["ranking"]
    assert len(states) < 400


def test_the_same_seed_plays_the_same_game_and_another_seed_another():
    assert game(3)[0] == played(3)[0]
    assert game(3)[0] != game(4)[0]


def test_sets_are_worth_something_and_pots_are_fought_for():
    told = [event for seed in range(4) for event in game(seed)[2]]
    scores = [event["score"] for event in told if event["event"] == "scored"]
    assert min(scores) > 0
    assert len(scores) > 1.5 * sum(event["event"] == "won" for event in told)


def test_the_tail_is_called_and_cards_are_kept():
    told = [event for seed in range(4) for event in game(seed)[2]]
    assert any(event["event"] == "round-begun" and event["tail"] for event in told)
    assert any(event["event"] == "won" and event["pot"] == "tail" for event in told)
    assert any(event["event"] == "reserved" for event in told)


def test_nobody_lays_a_card_that_they_do_not_hold():
    commands, states, _ = game(7, 4)
    for command, state in zip(commands, states, strict=False):
        if command["cmd"] == "set":
            held = Counter(map(face, players.hand(state, 7, command["player"])))
            assert not Counter(face(tuple(card)) for card in command["cards"]) - held


def test_hands_are_as_large_as_they_are_counted():
    _, states, _ = game(5, 4)
    for state in states:
        for seat in state.seats if state.phase == "lay" else ():
            assert len(players.hand(state, 5, seat.name)) == seat.hand


def test_the_stand_in_deck_has_three_triples_and_120_cards_without_a_line():
    deck = players.deck()
    assert len(deck) == len(set(map(face, deck))) == 123
    assert [card for card in deck if lines([card])] == [(12, 12, 12), (13, 13, 13), (14, 14, 14)]


def test_the_best_set_is_the_one_that_scores_most():
    assert players.best_set(()) == ()
    assert players.best_set(((2, 4, 6), (8, 10, 12))) == ()
    assert players.best_set(((14, 14, 14),)) == ((14, 14, 14),)
    assert players.best_set(((3, 3, 3), (13, 13, 13), (14, 14, 14))) == ((3, 3, 3), (13, 13, 13), (14, 14, 14))
    assert score(players.best_set(((9, 9, 4), (2, 2, 3), (9, 5, 6), (2, 12, 13)))) == 15 + 27 + 9 * 2 + 12


def test_a_set_entered_by_someone_else_is_played_on_from():
    state = comet.start(Header("comet", ALL[:2]))
    for command in (
        {"cmd": "round", "player": "Ana"},
        {"cmd": "set", "player": "Ana", "pot": "Vain", "cards": [[14, 14, 14]]},
        {"cmd": "reserve", "player": "Bo"},
    ):
        state, _ = comet.apply(state, command)
    move = players.player(2)
    while state.phase == "lay":
        state, events = comet.apply(state, move(state))
    assert events[-1]["event"] == "hands"


def test_a_card_of_theirs_that_someone_else_entered_is_not_laid_again():
    state, _ = comet.apply(comet.start(Header("comet", ALL[:2])), {"cmd": "round", "player": "Ana"})
    stolen = [list(card) for card in players.best_set(players.hand(state, 2, "Bo"))]
    state, _ = comet.apply(state, {"cmd": "set", "player": "Ana", "pot": "Vain", "cards": stolen})
    move = players.player(2)
    while state.phase == "lay":
        state, _ = comet.apply(state, move(state))
    assert state.round == 1
