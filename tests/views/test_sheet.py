"""One move opened: its reasons, the chips that moved, and what it might have been."""

from typing import Any

import pytest

from companion.referee.messages import Asked, Do
from companion.referee.session import Session, begin, decide, evolve
from companion.rules.engine import Header
from companion.views.sheet import sheet, suggestions
from companion.views.words import speaking

LINE = {
    "cmd": "line",
    "cards": [
        {"cell": [-1, 0], "edges": ["red", "blue", "blue", "blue", "blue", "blue"]},
        {"cell": [0, 0], "edges": ["red", "blue", "blue", "red", "blue", "blue"]},
        {"cell": [1, 0], "edges": ["red", "red", "blue", "red", "blue", "blue"]},
    ],
}
HEXEL = {"cmd": "place", "player": "Ana", "cell": [0, -1], "edges": ["void", "void", "void", "void", "blue", "blue"]}
HEXBA = {"cmd": "place", "player": "Bo", "cell": [2, -1], "edges": ["void", "void", "void", "void", "red", "void"]}
PLAYED: tuple[dict[str, Any], ...] = (
    LINE,
    {"cmd": "stake", "player": "Ana", "amount": 3},
    {"cmd": "hedge", "player": "Ana", "amount": 6},
    {"cmd": "hedge", "player": "Bo", "amount": 9},
    HEXEL,
    HEXBA,
)


@pytest.fixture
def session() -> Session:
    session = begin(Header("hexel", ("Ana", "Bo"), "36"), 1)
    for command in PLAYED:
        for happening in decide(session, Asked(Do(command), 0.0, "now")):
            session = evolve(session, happening)
    return session


def test_a_move_opens_to_its_sentences_and_reasons(session: Session) -> None:
    told = sheet(session, 6)
    assert told is not None
    assert told["said"] == ["Bo lays a card: Hexba, one edge.", "Bo pays Ana 3."]
    assert len(told["why"]) == 2
    assert told["command"] == HEXBA
    assert (told["picture"], told["before"], told["confidence"]) == (False, None, None)


def test_the_chips_that_a_move_moved_are_told_and_no_others(session: Session) -> None:
    told = sheet(session, 6)
    assert told is not None
    moved = {(row["player"], row["what"]): (row["was"], row["now"]) for row in told["moved"]}
    assert moved == {("Ana", "hand_pot"): (0, 3), ("Bo", "hedge"): (9, 6), ("Bo", "cards"): (3, 2)}
    first = sheet(session, 1)
    assert first is not None and all(row["what"] != "chips" for row in first["moved"])


@pytest.mark.parametrize("number", [0, -1, 7])
def test_a_move_that_there_is_not_cannot_be_opened(session: Session, number: int) -> None:
    assert sheet(session, number) is None


def test_what_is_suggested_is_allowed_and_the_nearest_comes_first(session: Session) -> None:
    game, before = session.game, session.past[5]
    found = suggestions(game, before, HEXBA)
    assert 1 < len(found) <= 6
    for command in found:
        game.apply(before, command)
    assert sum(a != b for a, b in zip(found[0]["edges"], HEXBA["edges"], strict=True)) == 1
    assert HEXBA not in found
    assert len({str(command) for command in found}) == len(found)


def test_a_stake_that_was_misheard_is_suggested_anew(session: Session) -> None:
    told = sheet(session, 2)
    assert told is not None
    assert [choice["command"]["amount"] for choice in told["instead"]] == [2, 4, 1, 5], "the nearest first"
    assert "Ana sets the stake at 1." in {choice["said"] for choice in told["instead"]}


def test_what_else_it_may_have_been_is_a_sentence_in_every_language(session: Session) -> None:
    said = {}
    for language in ("en", "de", "fr"):
        with speaking(language):
            told = [sheet(session, number) for number in (2, 5)]
        said[language] = [action["said"] for one in told if one for action in one["actions"]]
    assert said == {
        "en": ["Ana sets the stake at 1.", "Ana passes."],
        "de": ["Ana legt den Einsatz auf 1 fest.", "Ana passt."],
        "fr": ["Ana fixe la mise à 1.", "Ana passe."],
    }


def test_moves_of_every_game_open() -> None:
    for game in ("hexdragon", "comet", "hexapod"):
        session = begin(Header(game, ("Ana", "Bo")), 1)
        command = session.game.legal(session.state)[0]
        for happening in decide(session, Asked(Do(command), 0.0, "now")):
            session = evolve(session, happening)
        told = sheet(session, 1)
        assert told is not None and told["why"]
