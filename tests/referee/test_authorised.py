"""A press is for the player it was authorised for, however the table changes before the referee hears of it."""

import pytest

from companion.errors import Refusal
from companion.referee.messages import Authorised, Begin, Confirm, Do, Next, Propose, Reject
from companion.referee.referee import Referee

LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [-1, 0], "edges": ["red", "blue", "blue", "blue", "blue", "blue"]},
        {"cell": [0, 0], "edges": ["red", "blue", "blue", "red", "blue", "blue"]},
        {"cell": [1, 0], "edges": ["red", "red", "blue", "red", "blue", "blue"]},
    ],
}
STAKES = [
    {"cmd": "stake", "player": "Ana", "amount": 3},
    {"cmd": "hedge", "player": "Ana", "amount": 6},
    {"cmd": "hedge", "player": "Bo", "amount": 9},
]
OF_ANA = {"cmd": "pass", "player": "Ana"}


@pytest.fixture
def playing(referee: Referee) -> Referee:
    for command in (LINE, *STAKES):
        referee.ask(Do(command))
    return referee


@pytest.mark.parametrize("kind", [Confirm, Reject])
@pytest.mark.parametrize("authorised", ["Bo", None])
def test_what_was_authorised_for_one_does_not_answer_anothers_proposal(
    playing: Referee, kind: type, authorised: str | None, clock: object
) -> None:
    version = playing.ask(Propose(OF_ANA)).version
    clock.pass_s(1.0)  # type: ignore[attr-defined]  # no bounce
    for version_sent in (None, version):
        with pytest.raises(Refusal) as told:
            playing.ask(kind(version_sent, Authorised(authorised)))
        assert told.value.code == "stale"
    assert playing.latest().proposal is not None


@pytest.mark.parametrize("kind", [Confirm, Reject])
@pytest.mark.parametrize("authorised", [Authorised("Ana"), None])
def test_the_player_and_the_button_at_the_table_answer(
    playing: Referee, kind: type, authorised: Authorised | None
) -> None:
    version = playing.ask(Propose(OF_ANA)).version
    playing.ask(kind(version, authorised))
    assert playing.latest().proposal is None


def test_a_press_for_a_turn_that_has_passed_does_not_count_for_the_next(playing: Referee) -> None:
    seen = playing.latest().version
    for player in ("Ana", "Bo"):
        playing.ask(Do({"cmd": "pass", "player": player}))
    with pytest.raises(Refusal) as told:
        playing.ask(Do(OF_ANA, version=seen))
    assert told.value.code == "stale"
    playing.ask(Do(OF_ANA, version=playing.latest().version))


def test_a_game_is_not_begun_by_who_has_not_seen_the_one_on_the_table(playing: Referee) -> None:
    header = playing.latest().header
    seen = playing.latest().version
    assert playing.ask(Begin(header, seen)).version > seen
    with pytest.raises(Refusal) as told:
        playing.ask(Begin(header, seen))
    assert told.value.code == "stale"
    playing.ask(Begin(header))


def test_players_who_press_at_the_same_moment_are_both_heard(referee: Referee) -> None:
    for command in (LINE, STAKES[0]):
        referee.ask(Do(command))
    seen = referee.latest().version
    for hedge in STAKES[1:]:
        referee.ask(Do(hedge, version=seen))
    assert len(referee.latest().moves) == 4


def test_whoever_was_authorised_answers_what_nobody_in_particular_does(referee: Referee) -> None:
    referee.ask(Confirm(referee.ask(Propose(LINE)).version, Authorised(None)))
    assert len(referee.latest().moves) == 1


def test_next_is_for_the_one_whose_turn_it_was(playing: Referee) -> None:
    with pytest.raises(Refusal) as told:
        playing.ask(Next(playing.latest().version, Authorised("Bo")))
    assert told.value.code == "stale"
    assert playing.ask(Next(playing.latest().version, Authorised("Ana"))).events
