"""Builds and runs the whole table; the only module that imports every room.

Start order: the port and the data folder, so that one clear line says what is wrong with them; the referee; the web
server, so that the page is live; the panel; last the camera and its watcher, which are slow to start. Stopping runs in
reverse. The service manager is told when the page is live, and fed while the referee and the camera loop respond.
"""

import importlib
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from flask import Flask

from companion.app.announcing import announcing
from companion.app.factories import asked_header, calibration_file, camera_from, default_header, panel_from
from companion.app.invitation import invitation, table_certificate
from companion.app.supervision import ending_at_a_bug, release_memory, status, stopped_by_signals, supervised
from companion.app.table import Switch, Table, Watcher, welcome
from companion.config import Settings, default_data
from companion.devices.camera import Camera, MonitoredCamera
from companion.devices.service import ServiceManager
from companion.devices.speaker import Speaker
from companion.errors import BadSettings, UsageError
from companion.games import deck_played, game
from companion.referee.feed import feed_listener
from companion.referee.folder import journals
from companion.referee.messages import REFEREE_CALLED, Notice, Propose
from companion.referee.referee import open_table
from companion.referee.session import Session
from companion.rules.engine import Header
from companion.views.words import phrase, use
from companion.web.app import create_app
from companion.web.app_context import HttpsAddress, TableParts
from companion.web.server import Server, bind

_IMPORTING = threading.RLock()
_log = logging.getLogger(__name__)

CAMERA_OFF = "The camera is switched off: moves are entered on the phones."


def run_table(
    settings: Settings,
    *,
    camera: Callable[[Table], Camera | None] | None = None,
    notice: Notice | None = None,
    on_live: Callable[[Table], None] | None = None,
    say: Callable[[str], None] = print,
) -> None:
    """Run a table until it is asked to stop: by SIGINT, by SIGTERM, or by `Table.ask_to_stop`.

    Args:
        camera: makes the camera once the page is live, so that it may import slow modules; None for the settings' own.
        notice: told from the first page on.
        on_live: called once the page and the panel are live; must return soon.
        say: prints a line for people.

    Raises:
        CompanionError: the port, the data folder, a device or the game is not available.
    """
    manager = ServiceManager.from_environment()
    configured = None if camera else camera_from(settings.camera)
    if camera is None:
        _calibration(settings)  # an unreadable file stops the table with a clear line
    banner: list[str] = []
    with (
        open_table_services(settings, banner.append, notice) as table,
        stopped_by_signals(table),
        ending_at_a_bug(),
        ExitStack() as closing,
    ):
        source = camera(table) if camera else configured
        monitored = MonitoredCamera(source) if source else None
        if monitored and not manager.is_listening:
            monitored.open()  # a camera missing at the start stops the table with a clear line; a service waits for it
        for line in banner:  # printed only now that Ctrl-C is handled: who reads the banner may press it
            say(line)
        manager.ready(status(table))
        if monitored:
            closing.callback(monitored.close)
            table.has_camera, table.camera = True, monitored
        if on_live:
            on_live(table)
        closing.enter_context(supervised(table, monitored, manager))
        if table.camera and settings.vision.learn_evenings:
            _start_learning(table, say)
        is_running = True
        while is_running:
            with _watching(table, monitored, say):
                is_running = table.wait()
                if not is_running:
                    manager.stopping()
            release_memory()
            for code in table.referee.latest().notices.keys() - {REFEREE_CALLED}:  # what was seen is no news any more
                table.referee.notify(Notice(code, None))


@contextmanager
def open_table_services(
    settings: Settings, say: Callable[[str], None] = print, notice: Notice | None = None
) -> Iterator[Table]:
    """A table with its referee, page and panel but no camera; closed at the end of the block."""
    asked = asked_header(settings)
    use(settings.table.words, settings.table.language)
    data = (settings.table.data or default_data()).absolute()  # what guests are told is cut from absolute paths
    with ExitStack() as closing:
        listening = closing.enter_context(bind(settings.web.host, settings.web.port))
        is_empty = asked is None and len(journals(data / "games")) <= 1
        referee = open_table(
            data,
            asked,
            default_header(),
            press_gap_s=settings.table.press_gap_s,
            most_picture_bytes=settings.table.evidence_mb * 1_000_000,
        )
        closing.callback(referee.stop)
        referee.start()
        if notice:
            referee.notify(notice)
        panel = panel_from(settings.panel)
        web = settings.web
        invited = invitation(listening, data, web.join_code, web.operator_pin)
        table = Table(settings, referee, panel, invited, Switch(data))
        opened_empty = default_header() if is_empty else None
        if web.https:
            secure = closing.enter_context(bind(web.host, web.https_port))
            sign = partial(table_certificate, data, invited.host)
            made = sign()
            app = _app(table, data, opened_empty, HttpsAddress(secure.getsockname()[1], made.authority))
            _start(Server(app, secure, certificate=(made.certificate, made.key), renew=sign), closing)
        else:
            app = _app(table, data, opened_empty, None)
        _start(Server(app, listening), closing)
        closing.callback(panel.close)
        panel.open(referee.notify)
        closing.enter_context(_following(table))
        if settings.sound.speaker != "none":
            speaker = Speaker(settings.sound.speaker, phrase("page", "lang"))
            closing.callback(speaker.close)
            closing.enter_context(announcing(referee, speaker))
            if note := speaker.note():
                say(note)
        if settings.hub.broker is not None:
            closing.enter_context(_hub().in_its_hall(table))
        welcome(table, say)
        yield table


def lazy_import(module: str) -> Any:
    """Import a module now that the page is live: OpenCV is slow to load from an SD card.

    One thread at a time: OpenCV takes its own package out of `sys.modules` while it loads, and another thread that
    imports it then finds half of it.
    """
    with _IMPORTING:
        return importlib.import_module(module)


def _start(server: Server, closing: ExitStack) -> None:
    closing.callback(server.stop)
    server.start()


def _hub() -> Any:
    """The module of the hub's link. Raises `BadSettings` where what it needs is not installed."""
    try:
        return lazy_import("companion.hub.publisher")
    except ModuleNotFoundError as error:
        message = f"[hub] needs {error.name}, which is not installed: pip install 'companion[hub]'"
        raise BadSettings(message) from None


def _app(table: Table, data: Path, opened_empty: Header | None, secure: HttpsAddress | None) -> Flask:
    """The table's pages, which import slow modules once they are asked for."""
    parts = TableParts(
        invitation=table.invitation,
        devices=table.health,
        camera=table,
        drawn=_drawn,
        surveyor=lambda: lazy_import("companion.app.surveying").TableSurveyor(table, data),
        teacher=lambda: lazy_import("companion.app.teaching").Lessons(table, data),
        opened_empty=opened_empty,
        is_in_hall=table.settings.hub.broker is not None,
        secure=secure,
    )
    return create_app(
        table.referee,
        join_code=table.join_code,
        names=table.settings.web.names,
        operator_pin=table.invitation.operator_pin,
        keys_file=data / "seats.json",
        parts=parts,
    )


@lru_cache(maxsize=8)
def _drawn(jpeg: bytes, close: bool = False) -> bytes:
    """A stored picture with its detections drawn on it; cached, because all phones ask for the newest at once."""
    picture: bytes = lazy_import("companion.vision.evidence").draw_marks(jpeg, close)
    return picture


def _following(table: Table) -> AbstractContextManager[None]:
    """Light the lamp while a proposal waits, and restart watching for another deck, until the end of the block."""
    deck = deck_played(table.referee.latest().header)

    def follow() -> None:
        nonlocal deck
        session = table.referee.latest()
        table.panel.show(session.proposal is not None, _seat(session))
        if (now := deck_played(session.header)) != deck:
            deck = now
            table.restart_watching()

    return feed_listener(table.referee.feed, lambda entry: follow(), "following", follow)


def _seat(session: Session) -> int | None:
    """The seat of the player whose turn it is; None for nobody's."""
    turn = session.game.view(session.state)["turn"]
    players = session.header.players
    return players.index(turn) if turn in players else None


@contextmanager
def _watching(table: Table, camera: MonitoredCamera | None, say: Callable[[str], None]) -> Iterator[None]:
    """Watch the current game through the camera until the end of the block; a game without a recognizer is not watched.

    With the camera switched off, the notice says that moves are entered by hand.
    """
    if camera is not None and not table.switch.is_on:
        camera.close()
        say(CAMERA_OFF)
        table.referee.notify(Propose(None))
        table.referee.notify(Notice("camera-off", CAMERA_OFF))
        camera = None
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


def _start_learning(table: Table, say: Callable[[str], None]) -> None:
    """Learn from the games that have ended, on a thread of its own: nothing waits for it."""
    data = table.settings.table.data or default_data()

    def learn() -> None:
        try:
            reports = lazy_import("companion.app.evenings").learn_from_evenings(data)
        except Exception:  # noqa: BLE001 - a full disk, or a spoilt printing, does not end the table
            _log.exception("nothing is learnt from past games")
            return
        for evening in reports:
            if evening.is_promoted:
                say(f"learnt from game {evening.game}, samples: {evening.samples}; the printing is read no worse")
        if any(evening.is_promoted for evening in reports):
            table.restart_watching()

    threading.Thread(target=learn, name="learning", daemon=True).start()


def _profile(table: Table) -> Path | None:
    """The printing that the settings name, else the one of the data folder that the deck is read by.

    Raises `UsageError` where the settings name one of another deck than theirs.
    """
    vision, header = table.settings.vision, table.referee.latest().header
    if vision.profile is not None:
        game(header.game).recognizer().require_deck(vision.deck, vision.profile)
        return vision.profile
    edition = vision.deck.removeprefix(header.game) if vision.deck else game(header.game).deck_edition(header)
    data = table.settings.table.data or default_data()
    found: Path | None = lazy_import("companion.app.profiles").profile_for(data, header.game, edition)
    return found


def _calibration(settings: Settings) -> Path | None:
    """The calibration file of the settings, None for none. Raises `UsageError` when it cannot be read."""
    if settings.vision.calibration is None:
        return None
    file = calibration_file(settings.vision.calibration, settings.table.data)
    lazy_import("companion.vision.calibration.calibration").read_calibration(file)
    return file


def _watcher(table: Table, camera: Camera, say: Callable[[str], None]) -> Watcher | None:
    """The watcher of the table's camera; None, with a notice of why, where its settings cannot be used."""
    watching = lazy_import("companion.app.watching")
    try:
        watcher: Watcher = watching.Watching(
            camera,
            table.referee,
            table.referee.latest().header.game,
            deck=table.settings.vision.deck,
            profile=_profile(table),
            calibration=_calibration(table.settings),
            settle_times=lazy_import("companion.vision.tracking.tracks").SettleTimes(
                card_s=table.settings.vision.settle_ms / 1000
            ),
            say=say,
        )
    except UsageError as error:
        say(error.message)
        table.referee.notify(Notice("camera-unused", f"The camera is not used: {error.message}."))
        return None
    table.referee.notify(Notice("camera-unused", None))
    return watcher
