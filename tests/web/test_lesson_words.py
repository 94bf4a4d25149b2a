"""What a lesson says to those who teach: refusals in words for players, and by which name a deck is kept."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient

from companion.referee.referee import Referee
from tests.teaching.pictures import layout_picture
from tests.web.test_teaching import CODE, DECK, LAYOUT, PIN, Shown, before_camera, step, teachers_app


@dataclass(frozen=True)
class Teacher:
    """The operator's phone, and what the camera above the table shows."""

    phone: FlaskClient
    camera: Shown
    running: SimpleNamespace

    def lay(self, **how: Any) -> None:
        """Lay the cards that teach the deck; a number ``grey`` of none."""
        grey = how.pop("grey", None)
        self.camera.picture = layout_picture(LAYOUT, **how) if grey is None else np.full((720, 1280, 3), grey, np.uint8)
        self.running.camera.next()

    def do(self, *steps: str, **given: Any) -> dict[str, Any]:
        """Take steps, the last one with what is given."""
        for which in steps[:-1]:
            step(self.phone, which)
        return step(self.phone, steps[-1], **given)

    def refused(self, which: str, **given: Any) -> str:
        """What is said where a step is refused."""
        return str(self.phone.post(f"/api/teach/{which}", json=given).get_json()["error"]["message"])


@pytest.fixture
def teacher(referee: Referee, tmp_path: Path) -> Teacher:
    camera = Shown()
    running = before_camera(camera, referee)
    phone = teachers_app(referee, running, tmp_path).test_client()
    phone.post("/api/join", json={"code": CODE})
    phone.post("/api/operator", json={"pin": PIN})
    return Teacher(phone, camera, running)


def test_what_was_wrong_with_a_photograph_is_said_in_words_for_players(teacher: Teacher) -> None:
    assert "label" not in teacher.do("begin", deck="comet")["lesson"]["words"]
    teacher.do("begin", deck=DECK)
    teacher.lay(brightness=0.1)
    assert teacher.refused("take") == "The photograph is too dark: more light on the table."
    teacher.lay(grey=110)
    assert teacher.refused("take").startswith("The photograph does not show all that is to be laid; cards seen: 0.")


def test_what_a_game_refuses_of_a_photograph_is_a_sentence(teacher: Teacher) -> None:
    teacher.do("begin", deck=DECK)
    teacher.lay()
    teacher.do("take", "agree", "take")
    teacher.do("rename", number=3, cutout=0, name="blue")
    said = teacher.refused("agree")
    assert said.startswith("Labels contradict each other: what is called ") and said.endswith("lamp on it.")


def test_no_two_decks_have_one_name(teacher: Teacher) -> None:
    teacher.lay()
    teacher.do("begin", deck=DECK)
    teacher.do("take", "agree")
    for name in (" ", "x" * 61, "two\nlines"):
        assert teacher.refused("keep", name=name) == "A name has 1 to 60 letters."
    teacher.do("keep", name="Ours \U0001f469\u200d\U0001f467")
    teacher.do("begin", deck=DECK)
    teacher.do("take", "agree")
    said = teacher.refused("keep", name=" ours \U0001f469\u200d\U0001f467")
    assert said == "A deck is called ours \U0001f469\u200d\U0001f467 already: call this one otherwise."
    first, second = teacher.do("keep", name="Theirs")["profiles"]
    teacher.do("begin", key=first["key"])
    teacher.do("keep", name=first["name"])
    teacher.do("begin", key=second["key"])
    teacher.refused("keep", name=first["name"])
