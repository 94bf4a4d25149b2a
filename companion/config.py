"""The table's settings: ``companion.toml`` as frozen values, each with its default, units in the names.

[game]     name, players, edition, options = {chips = 100, ...}
[web]      host, port, join_code, operator_pin
[camera]   source = "none" | "pi" | "usb" | "usb:1" | a folder of pictures | a video file; width_px, height_px, ...
[vision]   deck, profile, calibration
[panel]    pins = "auto" | "lgpio" | "mock" | "none"; confirm_pin, reject_pin, next_pin, lamp_pin, hold_s, bounce_s;
           seat_pins, turn_pins = [5, 6]; buzzer_pin
[sound]    speaker = "none" | "espeak-ng"
[table]    data, press_gap_s, evidence_mb
"""

import os
import tomllib
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from companion.errors import BadSettings

FILE = "companion.toml"


@dataclass(frozen=True, slots=True)
class GameSettings:
    """What is played, and by whom. Left out, the newest game in the data folder goes on."""

    name: str | None = None
    players: tuple[str, ...] = ()
    edition: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Where the scoreboard is. A code or PIN that is left out the table makes up and keeps in its data folder."""

    host: str = "0.0.0.0"
    port: int = 8080
    join_code: str | None = None
    operator_pin: str | None = None


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """What looks at the table; sizes and pace are wishes that a camera may not grant, None the camera's usual."""

    source: str = "none"
    width_px: int | None = None
    height_px: int | None = None
    frames_per_second: float | None = None


@dataclass(frozen=True, slots=True)
class VisionSettings:
    """What helps to recognise the cards."""

    deck: str | None = None
    profile: Path | None = None
    calibration: Path | None = None


@dataclass(frozen=True, slots=True)
class PanelSettings:
    """The buttons and the lamps: pins in Broadcom's numbers, each button between its pin and ground.

    ``seat_pins`` are a confirm button and ``turn_pins`` a lamp at each seat, in the order of the seats.
    """

    pins: str = "auto"
    confirm_pin: int = 17
    reject_pin: int = 27
    next_pin: int = 22
    lamp_pin: int = 23
    hold_s: float = 1.0
    bounce_s: float = 0.02
    seat_pins: tuple[int, ...] = ()
    turn_pins: tuple[int, ...] = ()
    buzzer_pin: int | None = None


@dataclass(frozen=True, slots=True)
class SoundSettings:
    """The program that speaks at the table, such as espeak-ng; ``none`` for a silent table."""

    speaker: str = "none"


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Where the games are kept (None: `default_data`), how long after a change a press counts as a bounce, and how many
    megabytes the moves' pictures may take before the oldest make room."""

    data: Path | None = None
    press_gap_s: float = 0.3
    evidence_mb: int = 500


@dataclass(frozen=True, slots=True)
class Settings:
    """All of them."""

    game: GameSettings = field(default_factory=GameSettings)
    web: WebSettings = field(default_factory=WebSettings)
    camera: CameraSettings = field(default_factory=CameraSettings)
    vision: VisionSettings = field(default_factory=VisionSettings)
    panel: PanelSettings = field(default_factory=PanelSettings)
    sound: SoundSettings = field(default_factory=SoundSettings)
    table: TableSettings = field(default_factory=TableSettings)


def load(path: Path | None = None) -> Settings:
    """The settings of a file; without a path, of the usual one if there is one, else the defaults.

    Raises:
        BadSettings: the file cannot be read, or names a setting that there is not or a value that cannot be.
    """
    found = path or _usual_file()
    if found is None:
        return Settings()
    try:
        return read(tomllib.loads(found.read_text()), str(found))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadSettings(f"cannot read {found}: {reason}") from None


def read(given: Mapping[str, Any], source: str = FILE) -> Settings:
    """Settings from what a TOML file says; ``source`` is named in what is said of an error.

    >>> read({"web": {"port": 9000}}).web.port
    9000
    """
    _refuse_unknown(given, Settings, source, "")
    sections = {}
    for section in fields(Settings):
        values = given.get(section.name, {})
        if not isinstance(values, Mapping):
            raise BadSettings(f"{source}: {section.name} must be a section, [{section.name}]")
        sections[section.name] = _section(typing.cast(type, section.type), values, source, section.name)
    return Settings(**sections)


def default_data() -> Path:
    """Where a table keeps its games: ``$STATE_DIRECTORY`` of a service, else the user's data folder."""
    if state := os.environ.get("STATE_DIRECTORY"):
        return Path(state.split(":")[0])
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "companion"


def _usual_file() -> Path | None:
    system = os.environ.get("CONFIGURATION_DIRECTORY", "").split(":")[0]
    user = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    folders = [Path(system)] if system else [Path(user) / "companion"]
    return next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)


def _section(kind: type, values: Mapping[str, Any], source: str, name: str) -> Any:
    _refuse_unknown(values, kind, source, f"{name}.")
    wanted = typing.get_type_hints(kind)
    return kind(**{key: _value(wanted[key], value, source, f"{name}.{key}") for key, value in values.items()})


def _refuse_unknown(given: Mapping[str, Any], kind: type, source: str, prefix: str) -> None:
    known = [field.name for field in fields(kind)]
    for key in given:
        if key not in known:
            raise BadSettings(
                f"{source}: no such setting: {prefix}{key}; there are {', '.join(known)}", setting=prefix + key
            )


def _value(wanted: Any, value: Any, source: str, name: str) -> Any:
    kinds = typing.get_args(wanted) if isinstance(wanted, types.UnionType) else (wanted,)
    for kind in kinds:
        if kind is str and isinstance(value, str):
            return value
        if kind is Path and isinstance(value, str):
            return Path(value).expanduser()
        if kind is int and type(value) is int and value >= 0:
            return value
        if kind is float and type(value) in (int, float) and value >= 0:
            return float(value)
        if kind == tuple[str, ...] and isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        if kind == tuple[int, ...] and isinstance(value, list) and all(type(n) is int and n >= 0 for n in value):
            return tuple(value)
        if kind == Mapping[str, Any] and isinstance(value, Mapping):
            return dict(value)
    raise BadSettings(f"{source}: {name} is {value!r}; it must be {_named(kinds)}", setting=name)


def _named(kinds: tuple[Any, ...]) -> str:
    words = {str: "a text", Path: "a path", int: "a whole number of 0 or more", float: "a number of 0 or more"}
    words |= {
        tuple[str, ...]: "a list of texts",
        tuple[int, ...]: "a list of whole numbers",
        Mapping[str, Any]: "a table",
    }
    return " or ".join(words[kind] for kind in kinds if kind in words)
