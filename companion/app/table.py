"""A running table: its parts in one hand, for those who work beside it."""

from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, Protocol

from companion.app.camera_switch import Switch
from companion.app.invitation import Invitation
from companion.config import Settings
from companion.devices.monitored_camera import MonitoredCamera
from companion.devices.panel import Panel
from companion.referee.referee import Referee


class Watcher(Protocol):
    """What `companion.app.watching` puts on a table: the thread that looks through the camera."""

    def start(self) -> None:
        """Begin to look."""

    def stop(self) -> None:
        """Stop looking and let the camera go."""

    def health(self) -> dict[str, Any]:
        """``{"state", ...}``."""


@dataclass(slots=True)
class Table:
    """A running table.

    Attributes:
        panel: with mock pins, ``panel.pins["confirm"].drive_low()`` presses a button.
        invitation: the table's address and its codes.
        pulse: the camera, with the picture it took last; None where there is none.
        has_camera: whether there is one, switched on or not.
        switch: of the camera: whether it is one of those who say what was laid; else all is entered by hand.
    """

    settings: Settings
    referee: Referee
    panel: Panel
    invitation: Invitation
    switch: Switch
    watcher: Watcher | None = None
    pulse: MonitoredCamera | None = None
    has_camera: bool = False
    _stops: "SimpleQueue[bool]" = field(default_factory=SimpleQueue)  # an Event may not be set by a signal's handler

    @property
    def url(self) -> str:
        """Of the scoreboard, as other devices on the network reach it."""
        return self.invitation.url

    @property
    def join_code(self) -> str:
        """What lets a phone act."""
        return self.invitation.join_code

    def health(self) -> dict[str, dict[str, Any]]:
        """Camera and pins, each with its state."""
        camera = self.watcher.health() if self.watcher else {"state": "absent" if self.switch.is_on else "off"}
        return {"camera": camera, "pins": self.panel.health()}

    def ask_to_stop(self) -> None:
        """Have the table stop; from any thread, and from a signal's handler."""
        self._stops.put(False)

    def restart_watching(self) -> None:
        """Have the camera watched anew, because another game is played or it was switched."""
        self._stops.put(True)

    def switch_camera(self, is_on: bool) -> None:
        """Have the camera say what was laid, or not; in the middle of a game too, and after a restart."""
        if is_on != self.switch.is_on:
            self.switch.turn(is_on)
            self.restart_watching()

    def wait(self) -> bool:
        """Wait until the table is asked to stop, False, or to look anew, True."""
        return self._stops.get()
