"""A running table: the parts that the other modules of `companion.app` share."""

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
    """The vision thread of `companion.app.watching`."""

    def start(self) -> None:
        """Start watching."""

    def stop(self) -> None:
        """Stop watching and release the camera."""

    def health(self) -> dict[str, Any]:
        """``{"state", ...}``."""


@dataclass(slots=True)
class Table:
    """A running table.

    Attributes:
        panel: with mock pins, ``panel.pins["confirm"].drive_low()`` presses a button.
        invitation: the table's address and its codes.
        camera: the camera with its newest frame; None without one.
        has_camera: whether there is one, switched on or not.
        switch: whether the camera is used; when it is off, moves are entered by hand.
    """

    settings: Settings
    referee: Referee
    panel: Panel
    invitation: Invitation
    switch: Switch
    watcher: Watcher | None = None
    camera: MonitoredCamera | None = None
    has_camera: bool = False
    _stops: "SimpleQueue[bool]" = field(default_factory=SimpleQueue)  # an Event may not be set by a signal's handler

    @property
    def url(self) -> str:
        """The scoreboard's address, as other devices on the network reach it."""
        return self.invitation.url

    @property
    def join_code(self) -> str:
        """The code that lets a phone act."""
        return self.invitation.join_code

    def health(self) -> dict[str, dict[str, Any]]:
        """The state of the camera and of the pins."""
        camera = self.watcher.health() if self.watcher else {"state": "absent" if self.switch.is_on else "off"}
        return {"camera": camera, "pins": self.panel.health()}

    def ask_to_stop(self) -> None:
        """Stop the table; callable from any thread and from a signal handler."""
        self._stops.put(False)

    def restart_watching(self) -> None:
        """Restart the watcher, because the game changed or the camera was switched."""
        self._stops.put(True)

    def switch_camera(self, is_on: bool) -> None:
        """Switch the camera on or off, also in the middle of a game; kept across restarts."""
        if is_on != self.switch.is_on:
            self.switch.turn(is_on)
            self.restart_watching()

    def wait(self) -> bool:
        """Block until the table is asked to stop (False) or to restart watching (True)."""
        return self._stops.get()
