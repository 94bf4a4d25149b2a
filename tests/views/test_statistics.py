"""Statistics of players, checked against games worked out by hand."""

from collections.abc import Callable

import pytest

from companion.referee.session import Session
from companion.rules.engine import Header
from companion.views.archive.statistics import Best, Count, feats, summarise, together, winners_of

Play = Callable[..., Session]

AGAIN = ("next-game", "line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb", "stake Bo 1", "hedge Ana 1", "hedge Bo 1")
HEXEL = (
    "line -1,0:rbbbbb+0,0:rbbrbb+1,0:rrbrbb",
    "stake Ana 3",
    "hedge Ana 6",
    "hedge Bo 3",
    "place Ana 0,-1 vvvvbb",
    "pass Bo",
)


def test_hexel_counts_chips_calls_and_insurance(played: Play) -> None:
    sums = summarise(played("hexel"))
    ana, bo = sums.tallies["Ana"], sums.tallies["Bo"]
    assert (ana.games, ana.won, ana.chips, ana.points) == (1, 1, 3, [])
    assert (bo.games, bo.won, bo.chips) == (1, 0, -3)
    assert ana.counts == {"Hexel": 1, "Insurance received": 3, "Wins as the last one in": 1}
    assert bo.counts == {"Passes": 1, "Insurance paid": 3, "Times out": 1}
    assert ana.bests["Best call"] == Best("Ana", "Best call", 2, "Hexel")


def test_hexdragon_counts_points_connections_and_a_shared_win(played: Play) -> None:
    sums = summarise(played("hexdragon"))
    ana, bo = sums.tallies["Ana"], sums.tallies["Bo"]
    assert (ana.won, ana.shared, bo.won, bo.shared) == (0, 1, 0, 1)
    assert (ana.points, bo.points, ana.chips) == ([3], [3], None)
    assert bo.counts == {"Double dragons": 1, "Stars put down": 1}
    assert ana.bests["Best connection"].text == "Double dragon of 3"


def test_comet_counts_chips_pots_and_sets(played: Play) -> None:
    sums = summarise(played("comet"))
    ana, bo = sums.tallies["Ana"], sums.tallies["Bo"]
    assert (ana.chips, bo.chips) == (-250, -200), "each paid 300; Ana won 50, Bo 100; what is left is nobody's"
    assert (ana.won, bo.won) == (0, 1)
    assert bo.counts == {"Sets laid": 3, "Pots won": 2, "Chips from pots": 100}
    assert (ana.bests["Best set"].weight, bo.bests["Best set"].weight) == (15, 27)


def test_comet_counts_as_chips_from_pots_what_the_last_one_takes(played: Play) -> None:
    header = Header("comet", ("Ana", "Bo"), None, {"chips": 550})
    session = played("comet", "round Ana", "set Ana Kinro 9-9-9", "reveal", "round Ana", header=header)
    assert [event["event"] for event in session.moves[-1].events] == ["out", "ended"]
    assert session.game.view(session.state)["players"]["Ana"]["won"] == 600
    assert summarise(session).tallies["Ana"].counts["Chips from pots"] == 600, "50 of Kinro, and all that was left"


def test_hexapod_counts_points_and_the_best_card(played: Play) -> None:
    sums = summarise(played("hexapod"))
    ana, bo = sums.tallies["Ana"], sums.tallies["Bo"]
    assert (ana.points, bo.points, bo.won) == ([9], [15], 1)
    assert (ana.bests["Best card"].text, bo.bests["Best card"].text) == ("+3", "+9")
    assert sums.standing == {"points": {"Ana": 9, "Bo": 15}}


def test_a_game_that_goes_on_counts_its_calls_but_nobody_has_won_or_lost(played: Play) -> None:
    sums = summarise(played("hexel", *HEXEL[:5]))
    assert (sums.finished, sums.winners, sums.is_over) == (0, (), False)
    assert (sums.tallies["Ana"].games, sums.tallies["Ana"].chips) == (0, None)
    assert sums.tallies["Ana"].counts == {"Hexel": 1}


def test_an_evening_of_games_is_counted_game_by_game(played: Play) -> None:
    place = "place Ana 0,-1 vvvvbb"
    sums = summarise(
        played("hexel", *HEXEL, *AGAIN, "pass Bo", place, "pass Bo", header=Header("hexel", ("Ana", "Bo")))
    )
    assert (sums.finished, sums.is_over, sums.winners) == (2, True, ("Ana",))
    ana, bo = sums.tallies["Ana"], sums.tallies["Bo"]
    assert (ana.games, ana.won, bo.won) == (2, 2, 0)
    assert (ana.chips, bo.chips) == (4, -4), "3 in the first game and Bo's hedge of 1 in the second"
    assert bo.counts["Passes"] == 3


def test_games_put_together_name_those_first_who_won_most(played: Play) -> None:
    games = together([summarise(played("hexel")), summarise(played("comet")), summarise(played("hexel", *HEXEL[:4]))])
    assert list(games) == ["hexel", "comet"]
    assert list(games["comet"]) == ["Bo", "Ana"]
    assert list(games["hexel"]) == ["Ana", "Bo"]
    assert (games["hexel"]["Ana"].games, games["hexel"]["Ana"].chips) == (1, 3)


def test_putting_games_together_changes_none_of_them(played: Play) -> None:
    sums = summarise(played("hexel"))
    first = together([sums, sums])
    assert first == together([sums, sums])
    assert first["hexel"]["Ana"].counts["Hexel"] == 2
    assert sums.tallies["Ana"].counts["Hexel"] == 1


def test_the_mean_is_of_games_that_were_finished(played: Play) -> None:
    games = together([summarise(played("hexapod")), summarise(played("hexapod", "play Ana 0 0 bb/ol"))])
    assert games["hexapod"]["Bo"].mean_points == 15.0
    assert games["hexapod"]["Bo"].games == 1


@pytest.mark.parametrize(
    ("result", "winners"),
    [
        ({"winner": "Bo", "amount": 6, "by": "hoxla"}, ("Bo",)),
        ({"winner": None, "amount": 0, "by": "cards-out"}, ()),
        ({"winners": ["Ana", "Bo"], "scores": {}}, ("Ana", "Bo")),
        ({"ranking": [["Cy"], ["Ana", "Bo"]]}, ("Cy",)),
    ],
)
def test_who_won_is_read_off_every_result(result: dict, winners: tuple[str, ...]) -> None:
    assert winners_of(result) == winners


def test_a_hoxla_is_the_best_call_and_an_event_unheard_of_is_no_feat() -> None:
    hoxla = {"event": "placed", "player": "Ana", "cell": [0, 0], "matched": 2, "call": "Hoxla"}
    assert list(feats(hoxla))[1].weight > 6
    assert list(feats({"event": "moon-risen", "player": "Ana"})) == []
    out = {"event": "out", "player": "Bo", "ante": 300}
    assert list(feats(out)) == [Count("Bo", "Times out")]
