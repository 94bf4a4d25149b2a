import pytest

from companion.errors import Refusal
from companion.games import GAMES
from companion.games.hexel.deck import FACES
from companion.games.hexel.demo.player import hand, player
from companion.games.hexel.rules import game as hexel
from companion.games.hexel.rules.tableau import face
from companion.rules.engine import Header
from companion.simulator.script import write_script

FOUR = ("Ana", "Bo", "Cy", "Dee")


def played(header, move):
    """Every state of a game, and all events."""
    states, events = [hexel.start(header)], []
    for command in write_script(header, move).commands:
        state, happened = hexel.apply(states[-1], command)
        states.append(state)
        events += happened
    return states, events


@pytest.mark.parametrize("edition", ["36", "46"])
@pytest.mark.parametrize("seats", [1, 2, 4])
def test_a_game_is_played_to_its_end_from_the_deck(edition, seats):
    states, events = played(Header("hexel", FOUR[:seats], edition), player(seats))
    assert states[-1].phase == "over"
    assert not [event for event in events if event["event"] == "warning"]
    laid = [face(card.edges) for card in states[-1].tableau.values()]
    deck = [face(card) for card in FACES[edition]]
    assert all(laid.count(card) <= deck.count(card) for card in laid)


def test_the_same_seed_gives_the_same_game_and_another_seed_another():
    header = Header("hexel", FOUR[:2], "36")
    first, again, other = (write_script(header, player(seed)).commands for seed in (5, 5, 6))
    assert first == again
    assert first != other


def test_nobody_closes_a_hoxla_before_there_is_something_to_see():
    for seed in range(4):
        states, _ = played(Header("hexel", FOUR[:1], "36"), player(seed, least_cards=12))
        assert states[-1].result["by"] != "hoxla" or len(states[-1].tableau) >= 12


def test_a_game_without_hoxlas_goes_on_to_another_end():
    states, _ = played(Header("hexel", FOUR[:2], "36"), player(3, ends=False))
    assert states[-1].result["by"] in ("cards-out", "last-in")


def test_players_can_be_joined_by_people_in_the_middle_of_a_game():
    states, _ = played(Header("hexel", FOUR[:2], "36"), player(2))
    middle = next(state for state in states if state.phase == "play")
    state, _ = hexel.apply(middle, {"cmd": "pass", "player": middle.turn})
    move = player(2)
    while (command := move(state)) is not None:
        state, _ = hexel.apply(state, command)
    assert state.phase == "over"


def test_nobody_holds_a_card_that_lies_on_the_table_or_in_another_hand():
    states, _ = played(Header("hexel", FOUR, "36"), player(9))
    for state in states:
        held = [face(card) for name in FOUR for card in hand(state, 9, name)]
        laid = [face(card.edges) for card in state.tableau.values()]
        assert len(held) == sum(state.hands.values())
        assert len(set(held + laid)) == len(held) + len(laid)


@pytest.mark.parametrize("name", GAMES)
def test_every_scripted_game_ends_and_its_commands_are_never_refused(name):
    try:
        commands = write_script(Header(name, FOUR[:2]), GAMES[name].player(1)).commands
    except Refusal as refusal:
        pytest.fail(f"refused: {refusal}")
    assert len(commands) > 5
