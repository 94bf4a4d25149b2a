"""The panel at the table: buttons that send messages, lamps for the waiting proposal and the turn, and a buzzer.

All callbacks share one thread of the driver, which an exception would end for good, and the callback of a held button
comes from another; so they put one message in the referee's queue and never raise. A button acts on release, unless it
was held long enough for its second meaning. Debouncing differs from driver to driver and the mock does none: the
referee ignores a press that comes too soon after a change.
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
    """The pins of the buttons and lamps, in Broadcom numbering; each connects its pin to ground.

    Attributes:
        seats: confirm buttons, one for each seat in order; may be empty.
        turns: lamps, one for each seat, lit while it is that player's turn.
        buzzer: sounds once for each new proposal.
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
"""Called with a button's name and ``down``, ``up`` or ``held``."""


class Panel:
    """The buttons, the lamps and the buzzer, from `open` to `close`."""

    def __init__(self, kind: str = "auto", wiring: Wiring | None = None, model: Path = _MODEL) -> None:
        """A panel; touches no pin yet.

        Args:
            kind: ``lgpio``, ``mock``, ``none``, or ``auto``: what ``GPIOZERO_PIN_FACTORY`` says, else ``lgpio`` on a
                Raspberry Pi and ``mock`` elsewhere.
            wiring: the pins; None for the default ones.
            model: the file that names the computer's model.
        """
        self._asked = kind
        self.kind = _detect_kind(model) if kind == "auto" else kind
        self.wiring = wiring or Wiring()
        self.pins: Mapping[str, Any] = {}
        """The open pins by name; with ``mock`` ``pins["confirm"].drive_low()`` presses and ``drive_high()`` lets go."""
        self._devices: list[Any] = []
        self._lamps: dict[str, Any] = {}
        self._buzzer: Any = None
        self._is_waiting = False
        self._trouble: str | None = None
        self._missing: str | None = None

    def open(self, notify: Callable[[Message], None], on_button: Handler | None = None) -> None:
        """Open the pins; from now on presses send messages. With ``auto`` the pins may be missing.

        Args:
            notify: receives the message of each press.
            on_button: receives each button's state, for a test of the wiring.

        Raises:
            DeviceError: the requested pins are not available.
        """
        if self.kind == "none":
            return
        try:
            self._open(notify, on_button or (lambda name, state: None))
        except DeviceError as error:
            if self._asked != "auto":
                raise
            self._missing = self._trouble = error.message

    def show(self, is_waiting: bool, turn: int | None = None) -> None:
        """Light the lamps: whether a proposal waits, and the seat whose turn it is, counted from 0."""
        if not self._lamps:
            return
        is_new, self._is_waiting = is_waiting and not self._is_waiting, is_waiting
        try:
            self._lamps["lamp"].value = int(is_waiting)
            for seat in range(len(self.wiring.turns)):
                self._lamps[_turn(seat)].value = int(seat == turn)
            if is_new and self._buzzer:
                self._buzzer.beep(on_time=_BEEP_S, n=1)
        except Exception as error:  # noqa: BLE001 - each driver has its own
            self._trouble = f"the lamps: {error}"

    def lights(self) -> tuple[str, ...]:
        """The names that `light` takes: the lamps and the buzzer."""
        return (*self._lamps, *(["buzzer"] if self._buzzer else []))

    def light(self, name: str, is_lit: bool) -> None:
        """Switch one lamp or the buzzer, to test its wiring."""
        (self._buzzer if name == "buzzer" else self._lamps[name]).value = int(is_lit)

    def health(self) -> dict[str, Any]:
        """``{"state", "pins", ...}``."""
        if self._trouble:
            return {"state": "degraded", "pins": self.kind, "error": self._trouble}
        return {"state": "ok" if self._devices else "absent", "pins": self.kind}

    def note(self) -> str | None:
        """A message for people about the opened panel; None when all is well."""
        if self._missing:
            return f"the table runs without buttons: {self._missing}"
        if self._asked == "auto" and self.kind == "mock":
            return "no Raspberry Pi here: the buttons are pretend ones; confirm on the page"
        return None

    def close(self) -> None:
        """Release the pins. Idempotent."""
        devices, self._devices, self._lamps, self._buzzer, self.pins = self._devices, [], {}, None, {}
        self._is_waiting = False
        for device in devices:
            device.close()

    def _open(self, notify: Callable[[Message], None], on_button: Handler) -> None:
        factory = _factory(self.kind)
        try:
            self._open_pins(factory, notify, on_button)
        except Exception as error:  # each driver has its own
            self.close()
            raise DeviceError(f"the pins cannot be taken: {error}; is another program using them?") from error

    def _open_pins(self, factory: Any, notify: Callable[[Message], None], on_button: Handler) -> None:
        self._devices.append(factory)
        wiring, ask = self.wiring, self._never_raising(notify)
        seats = {f"seat {number}": (pin, Confirm(), None) for number, pin in enumerate(wiring.seats, 1)}
        messages: dict[str, tuple[int, Message, Message | None]] = {
            "confirm": (wiring.confirm, Confirm(), None),
            "reject": (wiring.reject, Reject(), Undo()),
            "next": (wiring.next, Next(), None),
            **seats,
        }
        buttons = {
            name: self._button(factory, pin, _Press(name, short, held, ask, self._safe_handler(on_button)))
            for name, (pin, short, held) in messages.items()
        }
        self._open_lamps(factory)
        self.pins = {name: device.pin for name, device in (buttons | self._lamps).items()}
        if self._buzzer:
            self.pins = {**self.pins, "buzzer": self._buzzer.pin}

    def _open_lamps(self, factory: Any) -> None:
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
        button.when_pressed, button.when_released = press.begin, press.release
        if press.can_be_held:
            button.when_held = press.held
        return button

    def _safe_handler(self, on_button: Handler) -> Handler:
        def handle(name: str, state: str) -> None:
            try:
                on_button(name, state)
            except Exception as error:  # noqa: BLE001 - an exception here would end every button's callbacks
                self._trouble = f"{name} {state} was not heard: {error}"

        return handle

    def _never_raising(self, notify: Callable[[Message], None]) -> Callable[[Message], None]:
        def ask(message: Message) -> None:
            try:
                notify(message)
                self._trouble = None
            except Exception as error:  # noqa: BLE001 - an exception here would end every button's callbacks
                self._trouble = f"{type(message).__name__.lower()} was not heard: {error}"

        return ask


class _Press:
    """One button from press to release: it sends one message, whichever of its two threads comes first."""

    def __init__(
        self, name: str, short: Message, long: Message | None, ask: Callable[[Message], None], on_button: Handler
    ) -> None:
        self._name, self._short, self._long = name, short, long
        self._ask, self._on_button = ask, on_button
        self._lock = threading.Lock()
        self._has_acted = True

    @property
    def can_be_held(self) -> bool:
        return self._long is not None

    def begin(self) -> None:
        with self._lock:
            self._has_acted = False
        self._on_button(self._name, "down")

    def held(self) -> None:
        if self._long is not None and self._act_first():
            self._on_button(self._name, "held")
            self._ask(self._long)

    def release(self) -> None:
        self._on_button(self._name, "up")
        if self._act_first():
            self._ask(self._short)

    def _act_first(self) -> bool:
        """Take the press for acting; False where its other half has acted already."""
        with self._lock:
            is_first, self._has_acted = not self._has_acted, True
        return is_first


def _turn(seat: int) -> str:
    return f"turn {seat + 1}"


def _detect_kind(model: Path) -> str:
    requested = os.environ.get("GPIOZERO_PIN_FACTORY", "").lower()
    if requested in KINDS:
        return requested
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
