"""The panel at the table: three buttons, each press a message, and a lamp that is lit while a proposal waits.

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

_MODEL = Path("/proc/device-tree/model")
_INSTALL = "sudo apt install python3-lgpio, and a venv made with --system-site-packages; or --pins none"


@dataclass(frozen=True, slots=True)
class Wiring:
    """Which pin, in Broadcom's numbers, has which button; each connects its pin to ground."""

    confirm: int = 17
    reject: int = 27
    next: int = 22
    lamp: int = 23
    hold_s: float = 1.0
    bounce_s: float = 0.02


class Panel:
    """The buttons and the lamp, from `open` to `close`."""

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
        self._lamp: Any = None
        self._trouble: str | None = None
        self._missing: str | None = None

    def open(self, tell: Callable[[Message], None]) -> None:
        """Take the pins; from now on a press is told. Pins that nobody asked for by name may be missing.

        Raises:
            DeviceError: pins were asked for that are not there.
        """
        if self.kind == "none":
            return
        try:
            self._open(tell)
        except DeviceError as error:
            if self._asked != "auto":
                raise
            self._missing = self._trouble = error.message

    def show(self, is_waiting: bool) -> None:
        """Light the lamp while a proposal waits."""
        lamp = self._lamp
        if lamp is None:
            return
        try:
            lamp.value = int(is_waiting)
        except Exception as error:  # noqa: BLE001 - each driver has its own
            self._trouble = f"the lamp: {error}"

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
        devices, self._devices, self._lamp, self.pins = self._devices, [], None, {}
        for device in devices:
            device.close()

    def _open(self, tell: Callable[[Message], None]) -> None:
        factory = _factory(self.kind)
        try:
            self._take(factory, tell)
        except Exception as error:  # each driver has its own
            self.close()
            raise DeviceError(f"the pins cannot be taken: {error}; is another program using them?") from error

    def _take(self, factory: Any, tell: Callable[[Message], None]) -> None:
        from gpiozero import LED

        self._devices.append(factory)
        wiring, ask = self.wiring, self._never_raising(tell)
        buttons = {
            "confirm": self._button(factory, wiring.confirm, lambda: ask(Confirm())),
            "reject": self._button(factory, wiring.reject, lambda: ask(Reject()), lambda: ask(Undo())),
            "next": self._button(factory, wiring.next, lambda: ask(Next())),
        }
        self._lamp = LED(wiring.lamp, pin_factory=factory)
        self._devices.insert(0, self._lamp)
        self.pins = {name: button.pin for name, button in buttons.items()} | {"lamp": self._lamp.pin}

    def _button(
        self, factory: Any, pin: int, let_go: Callable[[], None], held: Callable[[], None] | None = None
    ) -> Any:
        from gpiozero import Button

        button = Button(pin, pin_factory=factory, hold_time=self.wiring.hold_s, bounce_time=self.wiring.bounce_s)
        self._devices.insert(0, button)
        press = _Press(let_go, held or let_go)
        button.when_pressed, button.when_released = press.begin, press.let_go
        if held:
            button.when_held = press.held
        return button

    def _never_raising(self, tell: Callable[[Message], None]) -> Callable[[Message], None]:
        def ask(message: Message) -> None:
            try:
                tell(message)
                self._trouble = None
            except Exception as error:  # noqa: BLE001 - an exception here would end every button's callbacks
                self._trouble = f"{type(message).__name__.lower()} was not heard: {error}"

        return ask


class _Press:
    """One button between being pressed and let go: it does one thing, whichever of its two threads comes first."""

    def __init__(self, let_go: Callable[[], None], held: Callable[[], None]) -> None:
        self._when_let_go = let_go
        self._when_held = held
        self._lock = threading.Lock()
        self._has_acted = True

    def begin(self) -> None:
        with self._lock:
            self._has_acted = False

    def held(self) -> None:
        if self._is_first():
            self._when_held()

    def let_go(self) -> None:
        if self._is_first():
            self._when_let_go()

    def _is_first(self) -> bool:
        with self._lock:
            is_first, self._has_acted = not self._has_acted, True
        return is_first


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
