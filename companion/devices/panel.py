"""The panel at the table: buttons, each press a message; lamps for what waits and whose turn it is; a buzzer.

What is peculiar about pins: all callbacks share one thread of the driver, which an exception would end for good, and
the callback of a held button comes from another; so they put one message in the referee's queue and never raise. A
button acts when it is let go, unless it was held long enough to mean something else. Debouncing differs from driver to
driver and the mock does none: the referee ignores a press that comes too soon after a change.
"""

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.errors import DeviceError
from companion.referee.messages import Confirm, Message, Next, Reject, Undo

KINDS = ("auto", "lgpio", "mock", "none")

_BEEP_S = 0.08
_MODEL = Path("/proc/device-tree/model")
_INSTALL = "sudo apt install python3-lgpio, and a venv made with --system-site-packages; or --pins none"


@dataclass(frozen=True, slots=True)
class Wiring:
    """Which pin, in Broadcom's numbers, has which button or lamp; each connects its pin to ground.

    Attributes:
        seats: a confirm button at each seat, in the order of the seats; none when empty.
        turns: a lamp at each seat, lit while it is that player's turn.
        buzzer: sounds once when a proposal begins to wait.
    """

    confirm: int = 17
    reject: int = 27
    next: int = 22
    lamp: int = 23
    hold_s: float = 1.0
    bounce_s: float = 0.02
    seats: tuple[int, ...] = ()
    turns: tuple[int, ...] = ()
    buzzer: int | None = None


Handler = Callable[[str, str], None]
"""Told of each button, by name, that it went ``down``, ``up`` or was ``held``."""


class Panel:
    """The buttons, the lamps and the buzzer, from `open` to `close`."""

    def __init__(self, kind: str = "auto", wiring: Wiring | None = None, model: Path = _MODEL) -> None:
        """A panel; touches no pin yet.

        Args:
            kind: ``lgpio``, ``mock``, ``none``, or ``auto``: what ``GPIOZERO_PIN_FACTORY`` says, else ``lgpio`` on a
                Raspberry Pi and ``mock`` elsewhere.
            wiring: the pins; the usual ones when left out.
            model: where the system says on what it runs.
        """
        self._asked = kind
        self.kind = _found(model) if kind == "auto" else kind
        self.wiring = wiring or Wiring()
        self.pins: Mapping[str, Any] = {}
        """The open pins by name; with ``mock`` ``pins["confirm"].drive_low()`` presses and ``drive_high()`` lets go."""
        self._devices: list[Any] = []
        self._lamps: dict[str, Any] = {}
        self._buzzer: Any = None
        self._is_waiting = False
        self._trouble: str | None = None
        self._missing: str | None = None

    def open(self, notify: Callable[[Message], None], heard: Handler | None = None) -> None:
        """Take the pins; from now on a press is told. Pins that nobody asked for by name may be missing.

        Args:
            tell: takes what a press means.
            heard: takes what each button does, for whoever tries the wiring.

        Raises:
            DeviceError: pins were asked for that are not there.
        """
        if self.kind == "none":
            return
        try:
            self._open(notify, heard or _unheard)
        except DeviceError as error:
            if self._asked != "auto":
                raise
            self._missing = self._trouble = error.message

    def show(self, is_waiting: bool, turn: int | None = None) -> None:
        """Light the lamps: whether a proposal waits, and at which seat it is somebody's turn, counted from 0."""
        if not self._lamps:
            return
        is_news, self._is_waiting = is_waiting and not self._is_waiting, is_waiting
        try:
            self._lamps["lamp"].value = int(is_waiting)
            for seat in range(len(self.wiring.turns)):
                self._lamps[_turn(seat)].value = int(seat == turn)
            if is_news:
                self._beep()
        except Exception as error:  # noqa: BLE001 - each driver has its own
            self._trouble = f"the lamps: {error}"

    def lights(self) -> tuple[str, ...]:
        """What can be tried with `light`: the lamps, and the buzzer."""
        return (*self._lamps, *(["buzzer"] if self._buzzer else []))

    def light(self, name: str, is_lit: bool) -> None:
        """Switch one lamp, or sound the buzzer, to try its wiring."""
        (self._buzzer if name == "buzzer" else self._lamps[name]).value = int(is_lit)

    def health(self) -> dict[str, Any]:
        """``{"state", "pins", ...}``."""
        if self._trouble:
            return {"state": "degraded", "pins": self.kind, "error": self._trouble}
        return {"state": "ok" if self._devices else "absent", "pins": self.kind}

    def note(self) -> str | None:
        """What people should know about the panel, once it was opened."""
        if self._missing:
            return f"the table runs without buttons: {self._missing}"
        if self._asked == "auto" and self.kind == "mock":
            return "no Raspberry Pi here: the buttons are pretend ones; confirm on the page"
        return None

    def close(self) -> None:
        """Let the pins go. Twice is harmless."""
        devices, self._devices, self._lamps, self._buzzer, self.pins = self._devices, [], {}, None, {}
        self._is_waiting = False
        for device in devices:
            device.close()

    def _open(self, notify: Callable[[Message], None], heard: Handler) -> None:
        factory = _factory(self.kind)
        try:
            self._take(factory, notify, heard)
        except Exception as error:  # each driver has its own
            self.close()
            raise DeviceError(f"the pins cannot be taken: {error}; is another program using them?") from error

    def _take(self, factory: Any, notify: Callable[[Message], None], heard: Handler) -> None:
        self._devices.append(factory)
        wiring, ask = self.wiring, self._never_raising(notify)
        seats = {f"seat {number}": (pin, Confirm(), None) for number, pin in enumerate(wiring.seats, 1)}
        means: dict[str, tuple[int, Message, Message | None]] = {
            "confirm": (wiring.confirm, Confirm(), None),
            "reject": (wiring.reject, Reject(), Undo()),
            "next": (wiring.next, Next(), None),
            **seats,
        }
        buttons = {
            name: self._button(factory, pin, _Press(name, short, held, ask, self._safe_handler(heard)))
            for name, (pin, short, held) in means.items()
        }
        self._take_lamps(factory)
        self.pins = {name: device.pin for name, device in (buttons | self._lamps).items()}
        if self._buzzer:
            self.pins = {**self.pins, "buzzer": self._buzzer.pin}

    def _take_lamps(self, factory: Any) -> None:
        from gpiozero import LED, Buzzer

        pins = {"lamp": self.wiring.lamp} | {_turn(seat): pin for seat, pin in enumerate(self.wiring.turns)}
        for name, pin in pins.items():
            self._lamps[name] = LED(pin, pin_factory=factory)
            self._devices.insert(0, self._lamps[name])
        if self.wiring.buzzer is not None:
            self._buzzer = Buzzer(self.wiring.buzzer, pin_factory=factory)
            self._devices.insert(0, self._buzzer)

    def _button(self, factory: Any, pin: int, press: "_Press") -> Any:
        from gpiozero import Button

        button = Button(pin, pin_factory=factory, hold_time=self.wiring.hold_s, bounce_time=self.wiring.bounce_s)
        self._devices.insert(0, button)
        button.when_pressed, button.when_released = press.begin, press.let_go
        if press.can_be_held:
            button.when_held = press.held
        return button

    def _beep(self) -> None:
        if self._buzzer:
            self._buzzer.beep(on_time=_BEEP_S, n=1)

    def _safe_handler(self, heard: Handler) -> Handler:
        def hear(name: str, what: str) -> None:
            try:
                heard(name, what)
            except Exception as error:  # noqa: BLE001 - an exception here would end every button's callbacks
                self._trouble = f"{name} {what} was not heard: {error}"

        return hear

    def _never_raising(self, notify: Callable[[Message], None]) -> Callable[[Message], None]:
        def ask(message: Message) -> None:
            try:
                notify(message)
                self._trouble = None
            except Exception as error:  # noqa: BLE001 - an exception here would end every button's callbacks
                self._trouble = f"{type(message).__name__.lower()} was not heard: {error}"

        return ask


class _Press:
    """One button between being pressed and let go: it does one thing, whichever of its two threads comes first."""

    def __init__(
        self, name: str, short: Message, long: Message | None, ask: Callable[[Message], None], heard: Handler
    ) -> None:
        self._name, self._short, self._long = name, short, long
        self._ask, self._heard = ask, heard
        self._lock = threading.Lock()
        self._has_acted = True

    @property
    def can_be_held(self) -> bool:
        return self._long is not None

    def begin(self) -> None:
        with self._lock:
            self._has_acted = False
        self._heard(self._name, "down")

    def held(self) -> None:
        if self._long is not None and self._is_first():
            self._heard(self._name, "held")
            self._ask(self._long)

    def let_go(self) -> None:
        self._heard(self._name, "up")
        if self._is_first():
            self._ask(self._short)

    def _is_first(self) -> bool:
        with self._lock:
            is_first, self._has_acted = not self._has_acted, True
        return is_first


def _unheard(name: str, what: str) -> None:
    """Nobody tries the wiring."""


def _turn(seat: int) -> str:
    return f"turn {seat + 1}"


def _found(model: Path) -> str:
    asked = os.environ.get("GPIOZERO_PIN_FACTORY", "").lower()
    if asked in KINDS:
        return asked
    is_pi = model.exists() and "Raspberry Pi" in model.read_text(errors="replace")
    return "lgpio" if is_pi else "mock"


def _factory(kind: str) -> Any:
    if kind not in KINDS:
        raise DeviceError(f"no such pins: {kind}; there are {', '.join(KINDS)}")
    if kind == "mock":
        from gpiozero.pins.mock import MockFactory

        return MockFactory()
    try:
        from gpiozero.pins.lgpio import LGPIOFactory

        return LGPIOFactory()
    except Exception as error:  # missing, too old, not a Pi, no permission: each its own
        raise DeviceError(f"the pins need lgpio ({type(error).__name__}: {error}): {_INSTALL}") from error
