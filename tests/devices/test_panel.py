"""The panel: pins pushed, messages told. The pins are the library's own pretend ones."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.cli.panel import try_wiring
from companion.devices.panel import Panel, Wiring
from companion.errors import DeviceError, TableError
from companion.referee.messages import Confirm, Message, Next, Reject, Undo


class Ear:
    """Hears what the panel tells, from any thread."""

    def __init__(self) -> None:
        self.heard: list[Message] = []
        self._came = threading.Semaphore(0)

    def __call__(self, message: Message) -> None:
        self.heard.append(message)
        self._came.release()

    def wait(self) -> None:
        assert self._came.acquire(timeout=5)


@pytest.fixture
def ear() -> Ear:
    return Ear()


@pytest.fixture
def open_panel(ear: Ear) -> Iterator[Callable[..., Panel]]:
    panels: list[Panel] = []

    def opened(notify: Callable[[Message], None] = ear, hold_s: float = 30.0) -> Panel:
        panels.append(Panel("mock", Wiring(hold_s=hold_s)))
        panels[-1].open(notify)
        return panels[-1]

    yield opened
    for panel in panels:
        panel.close()


def press(panel: Panel, button: str) -> None:
    panel.pins[button].drive_low()
    panel.pins[button].drive_high()


def test_each_button_tells_its_message_without_a_version(open_panel: Any, ear: Ear) -> None:
    panel = open_panel()
    for button in ("confirm", "reject", "next"):
        press(panel, button)
    assert ear.heard == [Confirm(), Reject(), Next()]


def test_a_button_acts_when_it_is_let_go(open_panel: Any, ear: Ear) -> None:
    panel = open_panel()
    panel.pins["confirm"].drive_low()
    assert ear.heard == []
    panel.pins["confirm"].drive_high()
    assert ear.heard == [Confirm()]


def test_reject_held_is_undo_and_no_reject_when_let_go(open_panel: Any, ear: Ear) -> None:
    panel = open_panel(hold_s=0.01)
    panel.pins["reject"].drive_low()
    ear.wait()
    panel.pins["reject"].drive_high()
    assert ear.heard == [Undo()]


def test_after_a_hold_the_next_press_counts_again(open_panel: Any, ear: Ear) -> None:
    panel = open_panel(hold_s=0.2)
    panel.pins["reject"].drive_low()
    ear.wait()
    panel.pins["reject"].drive_high()
    press(panel, "reject")
    assert ear.heard == [Undo(), Reject()]


def test_confirm_held_is_one_confirm(open_panel: Any, ear: Ear) -> None:
    panel = open_panel(hold_s=0.0)
    press(panel, "confirm")
    assert ear.heard == [Confirm()]


def test_the_lamp_shows_that_a_proposal_waits(open_panel: Any) -> None:
    panel = open_panel()
    assert not panel.pins["lamp"].state
    panel.show(True)
    assert panel.pins["lamp"].state
    panel.show(False)
    assert not panel.pins["lamp"].state


@pytest.fixture
def seats() -> Iterator[Panel]:
    panel = Panel("mock", Wiring(seats=(20, 21), turns=(16, 26), buzzer=12, hold_s=30.0))
    yield panel
    panel.close()


def test_a_button_at_a_seat_confirms(seats: Panel, ear: Ear) -> None:
    seats.open(ear)
    press(seats, "seat 2")
    assert ear.heard == [Confirm()]


def test_the_lamp_at_a_seat_shows_whose_turn_it_is(seats: Panel, ear: Ear) -> None:
    seats.open(ear)
    lit = {}
    for turn in (0, 1, None):
        seats.show(False, turn)
        lit[turn] = [bool(seats.pins[f"turn {number}"].state) for number in (1, 2)]
    assert lit == {0: [True, False], 1: [False, True], None: [False, False]}


def test_the_buzzer_sounds_once_when_a_proposal_begins_to_wait(
    seats: Panel, ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    seats.open(ear)
    beeps: list[int] = []
    monkeypatch.setattr(seats._buzzer, "beep", lambda on_time, n: beeps.append(n))
    for is_waiting in (False, True, True, False, True):
        seats.show(is_waiting)
    assert beeps == [1, 1]


def test_whoever_tries_the_wiring_sees_each_button_and_each_lamp(seats: Panel) -> None:
    said: list[str] = []
    lit: list[tuple[str, ...]] = []

    def meanwhile(seconds: float) -> None:
        lit.append(tuple(name for name in seats.lights() if seats.pins[name].state))
        if len(lit) == 1:
            press(seats, "confirm")

    try_wiring(seats, said.append, meanwhile, 1)
    assert lit == [("lamp",), ("turn 1",), ("turn 2",), ("buzzer",)]
    assert said[-2:] == ["confirm down", "confirm up"]
    assert "press the buttons: confirm, reject, next, seat 1, seat 2" in said
    assert seats.pins == {}


def test_a_listener_that_fails_never_raises_into_the_pins_thread(seats: Panel, ear: Ear) -> None:
    seats.open(ear, lambda name, what: 1 / 0)  # type: ignore[arg-type,return-value]
    seats.pins["next"].drive_low()
    assert seats.health()["state"] == "degraded"
    seats.pins["next"].drive_high()
    assert ear.heard == [Next()]


@pytest.mark.parametrize("trouble", [TableError("the referee is too busy"), ZeroDivisionError("a bug")])
def test_a_press_that_is_not_heard_never_raises_into_the_pins_thread(
    open_panel: Any, ear: Ear, trouble: Exception
) -> None:
    def deaf(message: Message) -> None:
        if not ear.heard:
            ear.heard.append(message)
            raise trouble

    panel = open_panel(deaf)
    press(panel, "confirm")
    assert panel.health()["state"] == "degraded"
    assert str(trouble) in panel.health()["error"]
    press(panel, "confirm")
    assert panel.health() == {"state": "ok", "pins": "mock"}


def test_a_closed_panel_lets_its_pins_go_and_can_be_opened_again(open_panel: Any, ear: Ear) -> None:
    panel = open_panel()
    panel.close()
    panel.close()
    assert panel.health()["state"] == "absent"
    panel.show(True)
    panel.open(ear)
    press(panel, "next")
    assert ear.heard == [Next()]


def test_two_things_on_one_pin_are_refused_with_a_reason(ear: Ear) -> None:
    with pytest.raises(DeviceError, match="cannot be taken"):
        Panel("mock", Wiring(confirm=17, reject=17)).open(ear)


def test_a_panel_without_pins_is_no_trouble(ear: Ear) -> None:
    panel = Panel("none")
    panel.open(ear)
    panel.show(True)
    assert panel.health() == {"state": "absent", "pins": "none"}
    assert panel.note() is None


def test_pins_asked_for_by_name_must_be_there(ear: Ear) -> None:
    with pytest.raises(DeviceError, match="python3-lgpio"):
        Panel("lgpio").open(ear)


def test_without_a_pi_the_buttons_are_pretend_and_said_to_be(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    panel = Panel("auto", model=tmp_path / "none")
    assert panel.kind == "mock"
    assert "pretend" in panel.note()


def test_on_a_pi_whose_pins_are_missing_the_table_runs_without_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ear: Ear
) -> None:
    monkeypatch.delenv("GPIOZERO_PIN_FACTORY", raising=False)
    (tmp_path / "model").write_text("Raspberry Pi 5 Model B\0")
    panel = Panel("auto", model=tmp_path / "model")
    panel.open(ear)
    assert panel.kind == "lgpio"
    assert panel.health()["state"] == "degraded"
    assert "python3-lgpio" in panel.note()


def test_the_usual_variable_of_the_library_is_heeded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    (tmp_path / "model").write_text("Raspberry Pi 5 Model B\0")
    assert Panel("auto", model=tmp_path / "model").kind == "mock"
