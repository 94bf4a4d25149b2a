"""What is said at the table."""

import json
from pathlib import Path

import pytest

from companion.views.phrases import call, intent, sentence

RECORDS = Path(__file__).parents[3] / "shared" / "records"


@pytest.mark.parametrize(
    ("matched", "word", "said"),
    [
        (1, "Hexba", "Ana lays a card: Hexba, one edge."),
        (2, "Hexel", "Ana lays a card: Hexel, two edges."),
        (3, "Hexla", "Ana lays a card: Hexla, three edges."),
        (4, "Hexven", "Ana lays a card: Hexven, four edges."),
        (5, "Five edges", "Ana lays a card: Five edges."),
        (6, "Six edges", "Ana lays a card: Six edges."),
    ],
)
def test_each_number_of_matched_edges_has_its_call(matched: int, word: str, said: str) -> None:
    event = {"event": "placed", "player": "Ana", "cell": [0, 1], "matched": matched, "call": word}
    called = call([event])
    assert called is not None
    assert (called.word, called.player, sentence(event)) == (word, "Ana", said)


def test_a_hoxla_is_called_louder_than_the_win_that_comes_with_it() -> None:
    placed = {"event": "placed", "player": "Bo", "cell": [0, 1], "matched": 2, "call": "Hoxla"}
    hoxla = {"event": "hoxla", "player": "Bo", "corners": [[[0, 0], [0, 1], [1, 0]]], "symbols": ["red"]}
    won = {"event": "won", "player": "Bo", "amount": 15, "by": "hoxla"}
    called = call([placed, hoxla, won])
    assert called is not None
    assert called.word == "Hoxla"
    assert called.sentence == "Hoxla! Bo closes one corner: six red symbols meet."


def test_a_win_is_called_louder_than_the_card_that_brought_it() -> None:
    placed = {"event": "placed", "player": "Bo", "cell": [0, 1], "matched": 1, "call": "Hexba"}
    won = {"event": "won", "player": "Bo", "amount": 15, "by": "cards-out"}
    called = call([placed, won])
    assert called is not None
    assert called.word == "Bo wins"


def test_money_and_table_keeping_are_told_but_not_called() -> None:
    assert call([{"event": "insurance", "from": "Bo", "to": "Ana", "amount": 3}]) is None


def test_going_out_tells_what_was_still_paid() -> None:
    paid = {"event": "out", "player": "Bo", "paid": 6, "to": "Ana"}
    assert sentence(paid) == "Bo pays Ana the last 6 and is out."
    assert sentence({**paid, "paid": 0}) == "Bo has nothing left in the hedge and is out."


def test_a_double_dragon_of_one_player_is_told_with_its_points() -> None:
    event = {"event": "connection", "player": "Cy", "kind": "double-dragon", "length": 3, "scores": {"Ana": 3, "Bo": 3}}
    assert sentence(event) == "Double dragon of 3: 3 to Ana and 3 to Bo."


def test_what_waits_is_said_even_before_the_rules_have_spoken() -> None:
    assert intent({"cmd": "line", "cards": []}) == "The first three cards."


@pytest.mark.skipif(not RECORDS.is_dir(), reason="the shared game records lie only in the development checkout")
@pytest.mark.parametrize("game", ["hexel", "hexdragon", "comet", "hexapod"])
def test_every_event_of_the_recorded_games_is_a_sentence_for_people(game: str) -> None:
    for path in sorted((RECORDS / game).glob("*.expected.json")):
        for entry in json.loads(path.read_text())["log"]:
            for event in entry["events"]:
                said = sentence(event)
                assert said.endswith((".", "!")), said
                assert said[0].isupper() or said[0].isdigit() or event.get("player", "x")[0] == said[0], said
                assert "{" not in said and "[" not in said and "_" not in said, said
                assert not said.endswith(f"{event['event'].replace('-', ' ')}.") or event["event"] in said, said
