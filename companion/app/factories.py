"""Makes the game's header, the panel and the camera from the settings."""

import json
from pathlib import Path
from typing import Any

from companion.config import CameraSettings, PanelSettings, Settings, default_data
from companion.devices.camera import Camera
from companion.devices.panel import Panel, Wiring
from companion.devices.pi_camera import PiCamera
from companion.devices.recorded import Recorded
from companion.devices.usb_camera import UsbCamera
from companion.errors import BadHeader, BadSettings
from companion.games import GAMES
from companion.rules.engine import Header
from companion.rules.limits import read_json
from companion.rules.records import read_header, require_distinct

DEFAULT_GAME = next(iter(GAMES))
DEFAULT_PLAYERS = ("Ana", "Bo")


def default_header() -> Header:
    """The header of the game to begin when none is asked for."""
    return read_header(Header(DEFAULT_GAME, DEFAULT_PLAYERS).as_json())


def asked_header(settings: Settings) -> Header | None:
    """The header of the game in the settings, None for none. Raises `BadHeader`."""
    game = settings.game
    if game.name is None and not game.players and game.edition is None and not game.options:
        return None
    asked = Header(game.name or DEFAULT_GAME, game.players or DEFAULT_PLAYERS, game.edition, game.options)
    try:
        return require_distinct(read_header(read_json(json.dumps(asked.as_json()))))  # with a record's limits
    except TypeError:  # TOML has dates
        raise BadHeader("the game's options hold a date; an option is a number, a text, true or false") from None
    except ValueError as error:
        raise BadHeader(f"the game's options: {error}") from None


def panel_from(settings: PanelSettings) -> Panel:
    """An unopened panel with the wiring of the settings."""
    pins = (settings.confirm_pin, settings.reject_pin, settings.next_pin, settings.lamp_pin)
    seats, turns, buzzer = settings.seat_pins, settings.turn_pins, settings.buzzer_pin
    wiring = Wiring(*pins, settings.hold_s, settings.bounce_s, seats, turns, buzzer)
    return Panel(settings.pins, wiring)


def camera_from(settings: CameraSettings) -> Camera | None:
    """The unopened camera that the settings name, None for ``none``. Raises `BadSettings` for an unknown one."""
    kind, _, number = settings.source.partition(":")
    options: dict[str, Any] = {}
    if settings.width_px and settings.height_px:
        options["size_px"] = (settings.width_px, settings.height_px)
    if settings.frames_per_second:
        options["frames_per_second"] = settings.frames_per_second
    if settings.source == "none":
        return None
    if settings.source == "pi":
        return PiCamera(**options)
    if kind == "usb" and (number or "0").isdecimal():
        return UsbCamera(int(number or "0"), **options)
    if settings.source and Path(settings.source).exists():
        return Recorded(Path(settings.source), frames_per_second=settings.frames_per_second)
    raise BadSettings(f"no such camera: {settings.source}; there are pi, usb, usb:1, a folder or a video file, none")


def calibration_file(named: Path, data: Path | None = None) -> Path:
    """The file of a calibration named by its path or by its venue in a data folder (None: the default one)."""
    if named.suffix or len(named.parts) > 1 or named.exists():
        return named
    return (data or default_data()) / "calibration" / f"{named}.toml"
