"""What cards on Comet's pots mean: a set laid, a reveal, a coming round; what was rejected stays so while it lies."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from companion.games.comet.interpretation import CometInterpreter
from companion.games.comet.vision.results import BACK, DetectedCometCard
from companion.referee.messages import Do
from companion.referee.referee import Referee, open_table
from companion.rules.engine import Header

LONG = 88.0
SIZE = (1000, 600)


def card(values: tuple[int | None, ...] | None, x: float, y: float) -> DetectedCometCard:
    edges = (BACK,) * 3 if values is None else tuple(None if v is None else str(v) for v in values)
    corners = np.array([[-31.5, -44], [31.5, -44], [31.5, 44], [-31.5, 44]], np.float32) + np.array([x, y], np.float32)
    return DetectedCometCard(None, edges, corners, 0.9, 0.95, np.full((3, 15), 1 / 15, np.float32))


class TableTracker:
    is_quiet = True

    def __init__(self, *cards: DetectedCometCard) -> None:
        self.cards = cards
        self.active_notices: dict[str, str] = {}

    def step(self, bgr: np.ndarray) -> list[dict[str, Any]]:
        return []


def zone_of(point: tuple[float, float]) -> str | None:
    """Desten on the left, Kinro in the middle, the rest of the table on the right."""
    return "desten" if point[0] < 300 else "Kinro" if point[0] < 600 else None


@pytest.fixture
def referee(tmp_path: Path) -> Any:
    header = Header("comet", ("Ana", "Bo"))
    table = open_table(tmp_path, header, header)
    table.start()
    yield table
    table.stop()


@pytest.fixture
def interpreter() -> CometInterpreter:
    made = CometInterpreter()
    made.note_zones(zone_of)
    return made


def seen(interpreter: CometInterpreter, referee: Referee, *cards: DetectedCometCard) -> Any:
    return interpreter.interpret(TableTracker(*cards), referee.latest(), SIZE)


def pair(x: float, y: float = 100) -> tuple[DetectedCometCard, DetectedCometCard]:
    return card((2, 2, 3), x, y), card((2, 3, 4), x + 64, y)


def begun(referee: Referee) -> None:
    referee.ask(Do({"cmd": "round", "player": "Ana"}))


def reveal_set(referee: Referee, interpreter: CometInterpreter) -> None:
    """A round with one set, which is revealed and still lies there."""
    begun(referee)
    referee.ask(Do(seen(interpreter, referee, *pair(100)).command))
    referee.ask(Do({"cmd": "reveal"}))
    assert seen(interpreter, referee, *pair(100)).command is None


def test_two_cards_together_on_a_pot_are_a_set_of_whoever_has_laid_least(
    referee: Referee, interpreter: CometInterpreter
) -> None:
    begun(referee)
    interpretation = seen(interpreter, referee, *pair(100))
    assert interpretation.command == {"cmd": "set", "player": "Ana", "pot": "Desten", "cards": [[2, 2, 3], [2, 3, 4]]}
    assert len(interpretation.new_cards) == 2


def test_a_second_set_on_the_same_pot_is_the_next_players(referee: Referee, interpreter: CometInterpreter) -> None:
    begun(referee)
    referee.ask(Do(seen(interpreter, referee, *pair(100)).command))
    other = (card((5, 5, 6), 100, 300), card((5, 6, 7), 164, 300))
    command = seen(interpreter, referee, *pair(100), *other).command
    assert (command["player"], command["pot"]) == ("Bo", "Desten")
    assert command["cards"] == [[5, 5, 6], [5, 6, 7]]


def test_cards_off_the_pots_or_still_face_down_mean_nothing_yet(
    referee: Referee, interpreter: CometInterpreter
) -> None:
    begun(referee)
    assert seen(interpreter, referee, *pair(700)).command is None
    assert seen(interpreter, referee, card((2, 2, 3), 100, 100), card(None, 164, 100)).command is None


def test_a_card_that_cannot_be_read_is_told_with_its_spot(referee: Referee, interpreter: CometInterpreter) -> None:
    begun(referee)
    interpretation = seen(interpreter, referee, card((2, None, 3), 100, 120), card((2, 3, 4), 164, 120))
    assert interpretation.command is None
    assert interpretation.notices["unsure"].at == (0.1, 0.2)


def test_sets_of_two_people_that_touch_are_asked_apart(referee: Referee, interpreter: CometInterpreter) -> None:
    begun(referee)
    interpretation = seen(interpreter, referee, *pair(40), card((5, 5, 6), 168, 100), card((5, 6, 7), 232, 100))
    assert interpretation.command is None
    assert "sets-touch" in interpretation.notices


def test_a_card_alone_waits_for_the_next_of_its_set_unless_it_is_a_set_alone(
    referee: Referee, interpreter: CometInterpreter
) -> None:
    begun(referee)
    alone = seen(interpreter, referee, pair(100)[0])
    assert alone.command["cards"] == [[2, 2, 3]]
    assert alone.hold_s > 0
    assert seen(interpreter, referee, *pair(100)).hold_s == 0
    triple = card((9, 9, 9), 400, 100)
    interpretation = seen(interpreter, referee, pair(100)[0], triple)
    assert (interpretation.command["cards"], interpretation.hold_s) == ([[9, 9, 9]], 0)


def test_what_was_rejected_stays_so_until_other_cards_lie_there(
    referee: Referee, interpreter: CometInterpreter
) -> None:
    begun(referee)
    command = seen(interpreter, referee, *pair(100)).command
    interpreter.note_rejection(command, referee.latest())
    assert seen(interpreter, referee, *pair(100)).command is None
    assert seen(interpreter, referee).command is None
    assert seen(interpreter, referee, *pair(100)).command == command


def test_a_rejected_reveal_stays_so_until_other_cards_lie_there(
    referee: Referee, interpreter: CometInterpreter
) -> None:
    begun(referee)
    referee.ask(Do(seen(interpreter, referee, *pair(100)).command))
    reveal = seen(interpreter, referee, *pair(100)).command
    assert reveal == {"cmd": "reveal"}
    interpreter.note_rejection(reveal, referee.latest())
    assert seen(interpreter, referee, *pair(100)).command is None
    other = card((5, 5, 6), 400, 100), card((5, 6, 7), 464, 100)
    referee.ask(Do(seen(interpreter, referee, *pair(100), *other).command))
    assert seen(interpreter, referee, *pair(100), *other).command == reveal, "another set lies there now"


def test_a_rejected_round_stays_so_until_cards_lie_on_the_pots_again(
    referee: Referee, interpreter: CometInterpreter
) -> None:
    reveal_set(referee, interpreter)
    coming = seen(interpreter, referee).command
    assert coming == {"cmd": "round", "player": "Bo"}
    interpreter.note_rejection(coming, referee.latest())
    assert seen(interpreter, referee).command is None
    assert seen(interpreter, referee, *pair(100)).command is None
    assert seen(interpreter, referee).command == coming


def test_cleared_pots_between_rounds_are_the_coming_dealers_round(
    referee: Referee, interpreter: CometInterpreter
) -> None:
    reveal_set(referee, interpreter)
    assert seen(interpreter, referee).command == {"cmd": "round", "player": "Bo"}


def test_without_zones_people_hear_that_the_camera_knows_no_pots(referee: Referee) -> None:
    begun(referee)
    interpretation = seen(CometInterpreter(), referee, *pair(100))
    assert interpretation.command is None
    assert "no-zones" in interpretation.notices
