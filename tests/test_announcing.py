"""What the table says aloud, heard by a voice that only remembers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.announcing import announcing
from companion.errors import Refusal
from companion.referee.messages import Correct, Do, Notice, Propose, Redo, Undo
from companion.referee.moves import Change
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header
from companion.rules.hexel import legal, start

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


def test_proposals_notices_and_refusals_are_for_the_eye(referee: Referee) -> None:
    assert heard(referee, Propose(STAKE), Notice("hand", "A hand rests over the table.")) == []
    with pytest.raises(Refusal):
        heard(referee, Do({**STAKE, "player": "Bo"}))
