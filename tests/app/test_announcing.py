"""What the table says aloud, heard by a voice that only remembers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.app.announcing import announcing
from companion.errors import Refusal
from companion.games.hexel.rules.game import legal, start
from companion.referee.messages import Correct, Do, Notice, Propose, Redo, Undo
from companion.referee.moves import Change
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header

HEADER = Header("hexel", ("Ana", "Bo"), "36")
LINE = legal(start(HEADER))[0]
STAKE = {"cmd": "stake", "player": "Ana", "amount": 3}


class Memory:
    """A voice that remembers."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def say(self, sentences: tuple[str, ...]) -> None:
        self.heard += sentences

    def hush(self) -> None:
        self.heard.append("(hush)")


@pytest.fixture
def referee(tmp_path: Path) -> Iterator[Referee]:
    referee = open_table(tmp_path, HEADER, HEADER, press_gap_s=0.0)
    referee.start()
    referee.ask(Do(LINE))
    yield referee
    referee.stop()


def heard(referee: Referee, *messages: object) -> list[str]:
    voice, listener = Memory(), referee.feed.subscribe()
    with announcing(referee, voice):
        for message in messages:
            referee.ask(message)  # type: ignore[arg-type]
        ends = 0
        while listener.next(0.05) is not None or (ends := ends + 1) < 2:
            pass
    return voice.heard


def test_moves_are_said_and_what_went_before_is_not(referee: Referee) -> None:
    assert heard(referee, Do(STAKE)) == ["Ana sets the stake at 3."]


def test_a_correction_silences_what_it_corrects_and_says_only_what_changed(referee: Referee) -> None:
    change = Change(2, 1, ({**STAKE, "amount": 5},))
    said = heard(referee, Do(STAKE), Correct(change), Undo(), Redo())
    assert said == [
        "Ana sets the stake at 3.",
        *("(hush)", "Ana sets the stake at 5, not 3."),
        *("(hush)", "Ana sets the stake at 3, not 5."),
        *("(hush)", "Ana sets the stake at 5, not 3."),
    ]


def test_a_proposal_and_a_refused_press_are_for_the_eye(referee: Referee) -> None:
    assert heard(referee, Propose(STAKE)) == []
    with pytest.raises(Refusal):
        heard(referee, Do({**STAKE, "player": "Bo"}))


def test_a_card_that_the_rules_refuse_is_said_with_the_reason(referee: Referee) -> None:
    said = heard(referee, Propose({**STAKE, "player": "Bo"}))
    assert len(said) == 1
    assert "Ana" in said[0]


def test_what_is_amiss_is_said_but_not_over_and_over(referee: Referee) -> None:
    unsure = Notice("unsure", "A card cannot be read.", (0.5, 0.5))
    said = heard(referee, unsure, Notice("unsure", None), unsure, Notice("camera-lost", "The camera is lost."))
    assert said == ["A card cannot be read.", "The camera is lost."]


def test_what_comes_and_goes_with_every_hand_is_only_shown(referee: Referee) -> None:
    assert heard(referee, Notice("settling", "Something moves."), Notice("settling", None)) == []
