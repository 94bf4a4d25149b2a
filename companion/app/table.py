"""A running table: the parts that the other modules of `companion.app` share, its camera's switch and its banner."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol

from companion.app.invitation import Invitation
from companion.config import Settings
from companion.devices.camera import MonitoredCamera
from companion.devices.panel import Panel
from companion.devices.service import is_logged
from companion.errors import TableError
from companion.referee.folder import storage_errors, write_whole
from companion.referee.referee import Referee
from companion.rules.limits import read_file

_ON, _OFF = "on", "off"


class Switch:
    """Whether the camera is used; when it is off, moves are entered by hand."""

    def __init__(self, data: Path) -> None:
        """Read the switch from a data folder; on by default. Raises `TableError` when it cannot be read."""
        self._file = data / "camera"
        self._is_on = _read(self._file)

    @property
    def is_on(self) -> bool:
        """Whether the camera is used."""
        return self._is_on

    def turn(self, is_on: bool) -> None:
        """Switch the camera and store it. Raises `TableError` when it cannot be stored; nothing has changed then."""
        with storage_errors(f"cannot keep the camera's switch in {self._file}"):
            write_whole(self._file, f"{_ON if is_on else _OFF}\n".encode())
        self._is_on = is_on


def _read(file: Path) -> bool:
    with storage_errors(f"cannot read the camera's switch in {file}"):
        text = read_file(file).decode(errors="replace").strip() if file.exists() else _ON
    if text not in (_ON, _OFF):
        raise TableError(f"{file} says {text[:20]!r}: write on or off there, or remove it")
    return text == _ON


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


def welcome(table: Table, say: Callable[[str], None]) -> None:
    """Print the banner line by line; on a terminal with the QR code that joins."""
    session = table.referee.latest()
    progress = f"goes on after {len(session.moves)} moves" if session.moves else "begins"
    say(f"{session.header.game} {progress}: {', '.join(session.header.players)}")
    say(f"scoreboard  {table.url}")
    if is_logged():  # a log is kept, and others may read it
        say("codes       in the settings, or in the files join-code and operator-pin of the data folder")
    else:
        say(f"to play     {table.invitation.link}")
        say(f"join code   {table.join_code}")
        say(f"operator    PIN {table.invitation.operator_pin}, to correct and to take back")
    if sys.stdout is not None and sys.stdout.isatty():
        say(table.invitation.letters())
    for note in (table.panel.note(), *(notice.text for notice in session.notices.values())):
        if note:
            say(note)
