"""The whole table, put together: the only module that knows every other.

In order: the port and the data folder, so that a clear line can say what is wrong; the referee; the web, so that the
page is live; the panel; and last the camera and what watches it, which are slow to start. Stopping goes backwards. A
service manager hears when the page is live, and as long as the referee and the camera's loop give signs of life.
"""

import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import Any, Protocol

from flask import Flask

from companion.announcing import announcing
from companion.config import CameraSettings, PanelSettings, Settings, default_data
from companion.devices.camera import Camera
from companion.devices.panel import Panel, Wiring
from companion.devices.pi_camera import PiCamera
from companion.devices.pulse import Pulse
from companion.devices.recorded import Recorded
from companion.devices.service import ServiceManager, Supervisor
from companion.devices.speaker import Speaker
from companion.devices.usb_camera import UsbCamera
from companion.errors import BadSettings, CompanionError, TableError, UsageError
from companion.invitation import Invitation, invitation
from companion.referee.messages import Notice
from companion.referee.referee import BUG_EXIT_STATUS, Referee, open_table
from companion.referee.session import Session
from companion.rules.engine import Header, read_header
from companion.web.app import SERVER_OPTIONS, create_app
from companion.web.server import Server, bound

DEFAULT_GAME = "hexel"
DEFAULT_PLAYERS = ("Ana", "Bo")

_REFEREE_ANSWERS_WITHIN_S = 5.0
_CAMERA_LOOP_RETURNS_WITHIN_S = 20.0  # opening a Pi's camera anew takes seconds, and so may one picture on a busy Pi


class Watcher(Protocol):
    """What `companion.watching` puts on a table: the thread that looks through the camera."""

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
    """

    settings: Settings
    referee: Referee
    panel: Panel
    invitation: Invitation
    watcher: Watcher | None = None
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
        camera = self.watcher.health() if self.watcher else {"state": "absent"}
        return {"camera": camera, "pins": self.panel.health()}

    def ask_to_stop(self) -> None:
        """Have the table stop; from any thread, and from a signal's handler."""
        self._stops.put(False)

    def look_anew(self) -> None:
        """Have the camera watched anew, because another game is played."""
        self._stops.put(True)

    def wait(self) -> bool:
        """Wait until the table is asked to stop, False, or to look anew, True."""
        return self._stops.get()


def run_table(
    settings: Settings,
    *,
    camera: Callable[[Table], Camera | None] | None = None,
    beside: Callable[[Table], None] | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Run a table until it is asked to stop: by SIGINT, by SIGTERM, or by `Table.ask_to_stop`.

    Args:
        camera: makes the camera once the page is live, so that it may import what is slow; None for the settings' own.
        beside: called when the page and the panel are live; returns soon, and starts what it needs.
        say: where the lines for people go.

    Raises:
        CompanionError: what it takes is not there: the port, the data folder, a device, a game.
    """
    manager = ServiceManager.from_environment()
    own = None if camera else camera_from(settings.camera)
    welcome: list[str] = []
    with (
        open_house(settings, welcome.append) as table,
        _stopped_by_signals(table),
        _ending_at_a_bug(),
        ExitStack() as closing,
    ):
        for line in welcome:  # said only now that a Ctrl-C is heard: who reads it may press it
            say(line)
        manager.ready(_status(table))
        filming = camera(table) if camera else own
        watched = Pulse(filming) if filming else None
        if watched and not manager.is_listening:
            watched.open()  # missing from the start, it ends the table with a clear line; a service waits
        if watched:
            closing.callback(watched.close)
        if beside:
            beside(table)
        closing.enter_context(_supervised(table, watched, manager))
        is_going_on = True
        while is_going_on:
            with _watching(table, watched, say):
                is_going_on = table.wait()
                if not is_going_on:
                    manager.stopping()
            for code in table.referee.latest().notices:
                table.referee.tell(Notice(code, None))


@contextmanager
def open_house(settings: Settings, say: Callable[[str], None] = print) -> Iterator[Table]:
    """A table with its referee, its page and its panel, but without a camera; closed at the end of the block."""
    asked = asked_header(settings)
    data = settings.table.data or default_data()
    with ExitStack() as closing:
        listening = closing.enter_context(bound(settings.web.host, settings.web.port))
        referee = open_table(
            data,
            asked,
            _header(DEFAULT_GAME, DEFAULT_PLAYERS),
            press_gap_s=settings.table.press_gap_s,
            most_picture_bytes=settings.table.evidence_mb * 1_000_000,
        )
        closing.callback(referee.stop)
        referee.start()
        panel = panel_from(settings.panel)
        web = settings.web
        table = Table(settings, referee, panel, invitation(listening, data, web.join_code, web.operator_pin))
        server = Server(_app(table, data / "seats.json"), listening, SERVER_OPTIONS)
        closing.callback(server.stop)
        server.start()
        closing.callback(panel.close)
        panel.open(referee.tell)
        closing.enter_context(_following(table))
        if settings.sound.speaker != "none":
            speaker = Speaker(settings.sound.speaker)
            closing.callback(speaker.close)
            closing.enter_context(announcing(referee, speaker))
            if note := speaker.note():
                say(note)
        _welcome(table, say)
        yield table


def late(module: str) -> Any:
    """A module that is imported only now that the page is live: OpenCV takes its time on an SD card."""
    return importlib.import_module(module)


def asked_header(settings: Settings) -> Header | None:
    """The game that the settings ask for; None when they ask for none. Raises `BadHeader`."""
    game = settings.game
    if game.name is None and not game.players and game.edition is None and not game.options:
        return None
    return _header(game.name or DEFAULT_GAME, game.players or DEFAULT_PLAYERS, game.edition, dict(game.options))


def panel_from(settings: PanelSettings) -> Panel:
    """The panel that the settings describe; not yet opened."""
    pins = (settings.confirm_pin, settings.reject_pin, settings.next_pin, settings.lamp_pin)
    seats, turns, buzzer = settings.seat_pins, settings.turn_pins, settings.buzzer_pin
    wiring = Wiring(*pins, settings.hold_s, settings.bounce_s, seats, turns, buzzer)
    return Panel(settings.pins, wiring)


def camera_from(settings: CameraSettings) -> Camera | None:
    """The camera that the settings name; not yet opened. Raises `BadSettings` for a name that there is not."""
    kind, _, number = settings.source.partition(":")
    wishes: dict[str, Any] = {}
    if settings.width_px and settings.height_px:
        wishes["size_px"] = (settings.width_px, settings.height_px)
    if settings.frames_per_second:
        wishes["frames_per_second"] = settings.frames_per_second
    if settings.source == "none":
        return None
    if settings.source == "pi":
        return PiCamera(**wishes)
    if kind == "usb" and (number or "0").isdecimal():
        return UsbCamera(int(number or "0"), **wishes)
    if Path(settings.source).exists():
        return Recorded(Path(settings.source), frames_per_second=settings.frames_per_second)
    raise BadSettings(f"no such camera: {settings.source}; there are pi, usb, usb:1, a folder or a video file, none")


def _header(game: str, players: tuple[str, ...], edition: str | None = None, options: Any = None) -> Header:
    named = {} if edition is None else {"edition": edition}
    return read_header({"record": 1, "game": game, "players": list(players), "options": options or {}, **named})


def _app(table: Table, keys_file: Path) -> Flask:
    return create_app(
        table.referee,
        join_code=table.join_code,
        operator_pin=table.invitation.operator_pin,
        keys_file=keys_file,
        invitation=table.invitation,
        devices=table.health,
    )


def _welcome(table: Table, say: Callable[[str], None]) -> None:
    session = table.referee.latest()
    going = f"goes on after {len(session.moves)} moves" if session.moves else "begins"
    say(f"{session.header.game} {going}: {', '.join(session.header.players)}")
    say(f"scoreboard  {table.url}")
    say(f"to play     {table.invitation.link}")
    say(f"join code   {table.join_code}")
    say(f"operator    PIN {table.invitation.operator_pin}, to correct and to take back")
    if sys.stdout.isatty():
        say(table.invitation.letters())
    for note in (table.panel.note(), *(notice.text for notice in session.notices.values())):
        if note:
            say(note)


@contextmanager
def _following(table: Table) -> Iterator[None]:
    """A thread after the feed: lights the lamp while a proposal waits, has another game looked at with other eyes."""
    referee, subscription = table.referee, table.referee.feed.subscribe()

    def follow() -> None:
        game = referee.latest().header.game
        while not subscription.is_closed:
            session = referee.latest()
            table.panel.show(session.proposal is not None, _seat(session))
            if session.header.game != game:
                game = session.header.game
                table.look_anew()
            subscription.next()

    thread = threading.Thread(target=follow, name="following", daemon=True)
    thread.start()
    try:
        yield
    finally:
        subscription.close()
        thread.join()


def _seat(session: Session) -> int | None:
    """At which seat it is somebody's turn."""
    turn = session.game.view(session.state)["turn"]
    players = session.header.players
    return players.index(turn) if turn in players else None


@contextmanager
def _supervised(table: Table, camera: Pulse | None, manager: ServiceManager) -> Iterator[None]:
    """A thread that feeds the service manager's watchdog while the referee answers and the camera's loop goes round."""
    checks = {"referee": lambda: _referee_trouble(table.referee), "camera loop": lambda: _loop_trouble(table, camera)}
    supervisor = Supervisor(
        manager, checks, lambda: _status(table), lambda line: print(f"companion: {line}", flush=True)
    )
    supervisor.start()
    try:
        yield
    finally:
        supervisor.stop()


def _referee_trouble(referee: Referee) -> str | None:
    """Ask the referee for what changes nothing: to take back a notice that nobody gave."""
    try:
        referee.ask(Notice("sign-of-life", None), _REFEREE_ANSWERS_WITHIN_S)
    except TableError as error:
        return error.message
    return None


def _loop_trouble(table: Table, camera: Pulse | None) -> str | None:
    watcher = table.watcher
    if camera is None or watcher is None or watcher.health()["state"] == "ended":
        return None
    quiet_s = camera.quiet_s()
    return None if quiet_s < _CAMERA_LOOP_RETURNS_WITHIN_S else f"no sign of life for {quiet_s:.0f} s"


def _status(table: Table) -> str:
    """One line for ``systemctl status``."""
    session, health = table.referee.latest(), table.health()
    return f"{session.header.game}, {len(session.moves)} moves, camera {health['camera']['state']}, {table.url}"


@contextmanager
def _watching(table: Table, camera: Pulse | None, say: Callable[[str], None]) -> Iterator[None]:
    """What looks through the camera, at the game that is played; a game that no camera can read goes on by hand."""
    watcher = None if camera is None else _watcher(table, camera, say)
    if camera is None or watcher is None:
        yield
        return
    camera.begin()
    table.watcher = watcher
    watcher.start()
    try:
        yield
    finally:
        table.watcher = None
        watcher.stop()


def _watcher(table: Table, camera: Camera, say: Callable[[str], None]) -> Watcher | None:
    watching = late("companion.watching")
    try:
        watcher: Watcher = watching.Watching(
            camera,
            table.referee,
            table.referee.latest().header.game,
            deck=table.settings.vision.deck,
            profile=table.settings.vision.profile,
        )
    except UsageError as error:
        say(error.message)
        table.referee.tell(Notice("camera-unused", f"The camera is not used: {error.message}."))
        return None
    table.referee.tell(Notice("camera-unused", None))
    return watcher


@contextmanager
def _ending_at_a_bug() -> Iterator[None]:
    """A thread that dies ends the process, which the service manager then starts again: of a bug with its traceback."""
    before = threading.excepthook

    def end(died: threading.ExceptHookArgs) -> None:
        status = BUG_EXIT_STATUS
        if isinstance(died.exc_value, CompanionError):
            print(f"companion: {died.exc_value.message} ({died.exc_value.code})", file=sys.stderr)
            status = died.exc_value.exit_status
        else:
            before(died)
        sys.stderr.flush()
        os._exit(status)

    threading.excepthook = end
    try:
        yield
    finally:
        threading.excepthook = before


@contextmanager
def _stopped_by_signals(table: Table) -> Iterator[None]:
    """SIGINT and SIGTERM ask the table to stop; the second of them ends it as the system does."""
    before: dict[int, Any] = {}

    def stop(number: int, frame: FrameType | None) -> None:
        table.ask_to_stop()
        for each, handler in before.items():
            signal.signal(each, handler)

    before |= {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
