"""A tournament by its log: pairing, byes, late entry, drop-out, tie-breaks, and what cannot be."""

import time
from collections.abc import Callable
from itertools import combinations
from random import Random

import pytest

from companion.errors import CompanionError, Refusal
from companion.hub.tournaments.director import result_of
from companion.hub.tournaments.pairings import pair, table_sizes
from companion.hub.tournaments.standings import game_scores, scores, standings
from companion.hub.tournaments.tournament import (
    MOST_ENTRANTS,
    Entry,
    Terms,
    Tournament,
    begun,
    decided,
    ended,
    evolve,
    paired,
    registered,
    struck,
    tournament_of,
    withdrawn,
)
from companion.referee.lines import whole_lines
from tests.hub.conftest import play, table


def held(players: int, **terms: object) -> Tournament:
    tournament = tournament_of([begun(Terms("Open", "hexel", **terms))])
    assert tournament is not None
    for n in range(players):
        tournament = evolve(tournament, registered(tournament, f"player {n + 1}"))
    return tournament


def play_round(tournament: Tournament, chance: Random) -> Tournament:
    """Everybody plays; in a quarter of the games two share a rank."""
    tournament = evolve(tournament, paired(tournament, *pair(tournament)))
    for n, board in enumerate(tournament.rounds[-1].boards, 1):
        seats = list(board.seats)
        chance.shuffle(seats)
        places = [[player] for player in seats]
        if chance.random() < 0.25:
            places = [seats[:2], *places[2:]]
        entry = decided(tournament, len(tournament.rounds), n, places)
        assert entry is not None
        tournament = evolve(tournament, entry)
    return tournament


def meetings(tournament: Tournament) -> list[tuple[int, ...]]:
    return [
        pair for each in tournament.rounds for board in each.boards for pair in combinations(sorted(board.seats), 2)
    ]


@pytest.mark.parametrize("players", [8, 13])
def test_in_swiss_nobody_meets_twice_sits_out_twice_or_sits_out_beside_another(players: int) -> None:
    tournament, chance = held(players, rounds=5), Random(players)
    for _ in range(5):
        tournament = play_round(tournament, chance)
    assert len(set(meetings(tournament))) == len(meetings(tournament))
    byes = [player for each in tournament.rounds for player in each.byes]
    assert len(byes) == len(set(byes)) == 5 * (players % 2)
    assert all(len(each.byes) == players % 2 for each in tournament.rounds)
    assert tournament.is_over
    assert sum(scores(tournament).values()) == sum(len(each.boards) + len(each.byes) for each in tournament.rounds)


def test_a_swiss_round_of_many_is_paired_in_seconds_and_by_the_same_rules() -> None:
    tournament, chance = held(141, rounds=4), Random(3)
    begun_s = time.process_time()
    for n in range(4):
        before = scores(tournament)
        tournament = play_round(tournament, chance)
        assert len(tournament.rounds[n].boards) == 70
        apart = [abs(before[one] - before[other]) for one, other in (b.seats for b in tournament.rounds[n].boards)]
        assert max(apart) <= 1.0
        assert sum(points > 0 for points in apart) <= 8
    assert len(set(meetings(tournament))) == len(meetings(tournament))
    byes = [player for each in tournament.rounds for player in each.byes]
    assert len(byes) == len(set(byes)) == 4
    assert time.process_time() - begun_s < 20.0  # three here; all at once, minutes


def test_in_swiss_equals_meet_equals() -> None:
    tournament, chance = held(16, rounds=4), Random(2)
    for _ in range(3):
        tournament = play_round(tournament, chance)
    before = scores(tournament)
    boards, _ = pair(tournament)
    assert sum(abs(before[a] - before[b]) for a, b in boards) / len(boards) <= 0.5


@pytest.mark.parametrize("players", [2, 3, 4, 6, 7, 8])
def test_in_a_round_robin_everybody_meets_everybody_once_whatever_the_form_said(players: int) -> None:
    tournament, chance = held(players, system="round-robin", rounds=6), Random(1)
    while not tournament.is_over:
        tournament = play_round(tournament, chance)
    assert len(tournament.rounds) == tournament.planned == players - 1 + players % 2
    with pytest.raises(Refusal, match="have been paired"):
        pair(tournament)
    assert sorted(meetings(tournament)) == list(combinations(range(1, players + 1), 2))


@pytest.mark.parametrize(("players", "seats"), [(16, 4), (18, 4), (23, 5)])
def test_tables_of_several_mix_players_and_share_the_first_seat(players: int, seats: int) -> None:
    tournament, chance = held(players, system="tables", seats=seats, rounds=4), Random(1)
    for _ in range(4):
        tournament = play_round(tournament, chance)
        sizes = sorted((len(board.seats) for board in tournament.rounds[-1].boards), reverse=True)
        assert sizes == table_sizes(players, seats)
    met = meetings(tournament)
    assert len(set(met)) >= 0.75 * len(met)
    first = [board.seats[0] for each in tournament.rounds for board in each.boards]
    assert max(first.count(player) for player in first) <= 2


def test_who_comes_late_begins_with_the_next_round_and_who_drops_out_is_paired_no_more() -> None:
    tournament, chance = held(8, rounds=3), Random(3)
    tournament = play_round(tournament, chance)
    tournament = evolve(tournament, registered(tournament, "Late"))
    tournament = evolve(tournament, withdrawn(tournament, 4))
    tournament = play_round(tournament, chance)
    seated = {player for board in tournament.rounds[1].boards for player in board.seats}
    assert 9 in seated | set(tournament.rounds[1].byes)
    assert 4 not in seated | set(tournament.rounds[1].byes)
    assert tournament.entrants[8].joined == 2
    tournament = evolve(tournament, withdrawn(tournament, 4, is_in=True))
    tournament = play_round(tournament, chance)
    assert 4 in {
        player for board in tournament.rounds[2].boards for player in (*board.seats, *tournament.rounds[2].byes)
    }
    assert len(standings(tournament)) == 9


def test_one_who_drops_out_of_a_round_robin_leaves_their_opponent_free() -> None:
    tournament = held(4, system="round-robin", rounds=3)
    tournament = evolve(tournament, withdrawn(tournament, 2))
    boards, byes = pair(tournament)
    assert len(boards) == 1
    assert len(byes) == 1
    assert 2 not in {*boards[0], *byes}


def test_a_round_of_a_round_robin_in_which_nobody_plays_gives_nobody_points() -> None:
    tournament, chance = held(4, system="round-robin"), Random(1)
    for number in (2, 3):
        tournament = evolve(tournament, withdrawn(tournament, number))
    while not tournament.is_over:
        tournament = play_round(tournament, chance)
    assert sum(map(len, (each.boards for each in tournament.rounds))) == 1
    assert sum(scores(tournament).values()) == 1.0


@pytest.mark.parametrize(("players", "rounds"), [(2, 1), (3, 3), (4, 3), (5, 5), (6, 5)])
def test_in_swiss_no_round_is_paired_once_everybody_has_met(players: int, rounds: int) -> None:
    tournament, chance = held(players, rounds=30), Random(1)
    for _ in range(rounds):
        tournament = play_round(tournament, chance)
    with pytest.raises(Refusal, match="End the tournament") as refused:
        pair(tournament)
    assert refused.value.code == "everybody-has-met"
    assert not tournament.is_over
    tournament = evolve(tournament, ended(tournament))
    assert tournament.is_over
    assert tournament.planned == rounds
    with pytest.raises(Refusal, match="have been paired"):
        pair(tournament)
    with pytest.raises(Refusal, match="has been paired"):
        registered(tournament, "Late")
    tournament = evolve(tournament, ended(tournament, is_over=False))
    for n in range(players):
        tournament = evolve(tournament, registered(tournament, f"late {n}"))
    assert not tournament.is_over
    assert len(play_round(tournament, chance).rounds[-1].boards) >= 1


@pytest.mark.parametrize("seed", range(8))
def test_in_swiss_at_most_one_sits_out_of_any_round(seed: int) -> None:
    chance = Random(seed)
    tournament = held(chance.randint(2, 9), rounds=30)
    for _ in range(10):
        try:
            tournament = play_round(tournament, chance)
        except Refusal as refusal:
            assert refusal.code == "everybody-has-met"
            break
        assert len(tournament.rounds[-1].byes) <= 1
        assert tournament.rounds[-1].boards


def test_a_tournament_does_not_end_in_the_middle_of_a_round() -> None:
    tournament = held(4)
    tournament = evolve(tournament, paired(tournament, *pair(tournament)))
    with pytest.raises(Refusal, match="not over yet"):
        ended(tournament)


def test_tie_breaks_are_those_of_the_book() -> None:
    """Four players, all against all; worked out by hand."""
    tournament = held(4, system="round-robin", rounds=3)
    won = {(1, 2): 1, (1, 3): 1, (1, 4): 4, (2, 3): 2, (2, 4): None, (3, 4): 3}
    while len(tournament.rounds) < 3:
        tournament = evolve(tournament, paired(tournament, *pair(tournament)))
        for n, board in enumerate(tournament.rounds[-1].boards, 1):
            a, b = sorted(board.seats)
            winner = won[a, b]
            places = [[a, b]] if winner is None else [[winner], [a + b - winner]]
            entry = decided(tournament, len(tournament.rounds), n, places)
            assert entry is not None
            tournament = evolve(tournament, entry)
    by_number = {line.number: line for line in standings(tournament)}
    assert [by_number[n].score for n in (1, 2, 3, 4)] == [2.0, 1.5, 1.0, 1.5]
    assert [by_number[n].buchholz for n in (1, 2, 3, 4)] == [4.0, 4.5, 5.0, 4.5]
    assert by_number[2].berger == 1.0 + 1.5 / 2
    assert by_number[4].berger == 2.0 + 1.5 / 2
    assert [line.number for line in standings(tournament)] == [1, 4, 2, 3]
    assert [line.rank for line in standings(tournament)] == [1, 2, 3, 4]


def test_equal_in_everything_is_equal_in_rank() -> None:
    tournament = held(4, rounds=1)
    tournament = evolve(tournament, paired(tournament, *pair(tournament)))
    for n in (1, 2):
        entry = decided(tournament, 1, n, [tournament.rounds[0].boards[n - 1].seats])
        assert entry is not None
        tournament = evolve(tournament, entry)
    assert [line.rank for line in standings(tournament)] == [1, 1, 1, 1]


def test_a_result_may_be_put_right_and_the_same_again_is_nothing_new() -> None:
    tournament = held(2, rounds=1)
    tournament = evolve(tournament, paired(tournament, *pair(tournament)))
    entry = decided(tournament, 1, 1, [[1], [2]])
    assert entry is not None
    tournament = evolve(tournament, entry)
    assert decided(tournament, 1, 1, [[1], [2]]) is None
    right = decided(tournament, 1, 1, [[2], [1]])
    assert right is not None
    assert scores(evolve(tournament, right)) == {1: 0.0, 2: 1.0}


@pytest.mark.parametrize("places", [[[1]], [[1], [1]], [[1], [2], [3]], [[3], [4]], []])
def test_a_result_ranks_everybody_at_the_board_once(places: list[list[int]]) -> None:
    tournament = held(4, rounds=1)
    tournament = evolve(tournament, paired(tournament, [[1, 2], [3, 4]], []))
    with pytest.raises(Refusal, match="ranks everybody"):
        decided(tournament, 1, 1, places)


def test_what_cannot_be_is_refused() -> None:
    tournament = held(3, rounds=2)
    with pytest.raises(Refusal, match="plays already"):
        registered(tournament, "  PLAYER   1 ")
    with pytest.raises(Refusal, match="1 to 40"):
        registered(tournament, " ")
    with pytest.raises(Refusal, match="no player 9"):
        withdrawn(tournament, 9)
    tournament = evolve(tournament, paired(tournament, *pair(tournament)))
    with pytest.raises(Refusal, match="not over yet"):
        paired(tournament, [], [])
    with pytest.raises(Refusal, match="no board 5"):
        decided(tournament, 1, 5, [])
    for terms in ({"game": "chess"}, {"game": "hexel", "system": "lots"}, {"game": "hexel", "seats": 4}):
        with pytest.raises(CompanionError):
            begun(Terms("Open", **terms))


@pytest.mark.parametrize("name", ["ZOE\u0308", "zo\u00eb", "Z\u200do\u00eb"])
def test_a_name_that_looks_like_another_is_taken(name: str) -> None:
    tournament = held(0)
    tournament = evolve(tournament, registered(tournament, "Zo\u00eb") or {})
    with pytest.raises(Refusal, match="plays already"):
        registered(tournament, name)


@pytest.mark.parametrize("name", ["\ud800", "\u202eanA", "An\x00a", "\u2800", "\u200b", "A" * 41])
def test_a_name_that_no_table_takes_is_not_registered(name: str) -> None:
    with pytest.raises(Refusal, match="1 to 40"):
        registered(held(3), name)


def test_a_hall_full_of_names_takes_no_more() -> None:
    with pytest.raises(Refusal, match="are registered"):
        registered(held(MOST_ENTRANTS), "Ana")


@pytest.mark.parametrize("leave", [withdrawn, struck])
def test_who_leaves_a_full_hall_makes_room(leave: Callable[[Tournament, int], Entry]) -> None:
    tournament = held(MOST_ENTRANTS)
    assert registered(evolve(tournament, leave(tournament, 7)), "Ana")


def test_who_was_struck_out_of_a_round_robin_meets_nobody() -> None:
    tournament = held(5, system="round-robin")
    tournament = evolve(tournament, struck(tournament, 2))
    assert tournament.planned == 3
    boards, byes = pair(tournament)
    assert sorted(player for board in boards for player in board) == [1, 3, 4, 5]
    assert byes == []


def test_nobody_is_struck_out_of_a_round_robin_that_has_begun() -> None:
    tournament = held(5, system="round-robin")
    tournament = evolve(tournament, withdrawn(tournament, 5))
    tournament = evolve(tournament, paired(tournament, *pair(tournament)))
    assert not tournament.was_paired(5)
    with pytest.raises(Refusal, match="drop out instead"):  # else the others would meet twice, or not at all
        struck(tournament, 5)


def test_a_game_gives_equal_steps_and_those_who_share_a_rank_share_its_points() -> None:
    assert game_scores(((1,), (2,))) == {1: 1.0, 2: 0.0}
    assert game_scores(((1, 2),)) == {1: 0.5, 2: 0.5}
    assert sum(game_scores(((4,), (2, 3), (1, 5))).values()) == 2.5


def test_a_result_is_what_the_rules_make_of_the_kept_lines(tmp_path) -> None:
    with table(tmp_path) as referee:
        play(referee)
        lines, _ = whole_lines(next(referee.games.glob("*.jsonl")).read_bytes())
        result = result_of("0001", lines)
        assert result.places is not None
        assert result.places[0] == (referee.latest().game.view(referee.latest().state)["result"]["winner"],)
        assert sorted(name for rank in result.places for name in rank) == ["Ana", "Bo", "Cy"]
        assert result_of("0001", lines[:-1]).places is None
        with pytest.raises(CompanionError, match="cannot be replayed"):
            result_of("0001", [lines[0], lines[4]])
