"""The table's settings: ``companion.toml`` as frozen values, each with its default, its limits and what it is for."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.config_reading import Lines, Problem, commented, read_sections, setting
from companion.errors import BadSettings
from companion.rules.limits import read_file, read_toml

FILE = "companion.toml"

_PIN: dict[str, Any] = {"least": 0, "most": 27}


@dataclass(frozen=True, slots=True)
class GameSettings:
    """What is played, and by whom. Left out, the newest game in the data folder goes on."""

    name: str | None = setting(None, "Game to play; left out, the newest game goes on.", example="hexel")
    players: tuple[str, ...] = setting((), "Names in the order of their seats.", example=["Ana", "Bo"])
    edition: str | None = setting(None, "Edition of the game, where it has several.", example="36")
    options: Mapping[str, Any] = setting({}, "House rules, as a record's header takes them.", example={"chips": 100})


@dataclass(frozen=True, slots=True)
class WebSettings:
    """Where the scoreboard is. A code or PIN that is left out the table makes up and keeps in its data folder."""

    host: str = setting("0.0.0.0", "Address to serve at; 0.0.0.0 is every network, 127.0.0.1 this machine alone.")
    port: int = setting(8080, "Port to serve at.", least=0, most=65535)
    https: bool = setting(False, "Whether the table also speaks https, by a certificate that it makes for itself.")
    https_port: int = setting(8443, "Port for https.", least=0, most=65535)
    names: tuple[str, ...] = setting(
        (), "Names of this table beyond its local network.", example=["table.club.example"]
    )
    join_code: str | None = setting(
        None, "What lets a phone act; left out, the table makes one up.", example="ROSE42", shortest=6
    )
    operator_pin: str | None = setting(
        None, "What lets correct and take back; left out, it is made up.", example="471108", shortest=6
    )


@dataclass(frozen=True, slots=True)
class CameraSettings:
    """What looks at the table; sizes and pace are wishes that a camera may not grant, None the camera's usual."""

    source: str = setting("none", "pi, usb, usb:1, a folder of pictures, a video file, or none.")
    width_px: int | None = setting(
        None, "Width of the pictures; left out, the camera's usual.", example=2304, least=320, most=9999
    )
    height_px: int | None = setting(None, "Height of the pictures.", example=1296, least=240, most=9999)
    frames_per_second: float | None = setting(None, "Pace of the pictures.", example=15.0, least=0.5, most=120)


@dataclass(frozen=True, slots=True)
class VisionSettings:
    """What helps to recognise the cards."""

    deck: str | None = setting(None, "Deck on the table; left out, the game's edition decides.", example="hexel36")
    profile: Path | None = setting(None, "What `companion learn` learnt of the deck's printing.", example="deck.json")
    calibration: Path | None = setting(
        None, "What `companion calibrate` found out: a venue's name, or a file.", example="kitchen"
    )
    learn_evenings: bool = setting(
        True, "Whether a printing that was taught learns from confirmed and corrected moves of games that have ended."
    )
    settle_ms: int = setting(
        180, "Milliseconds a card lies still before it is read; more where hands linger.", least=50, most=3000
    )


@dataclass(frozen=True, slots=True)
class PanelSettings:
    """The buttons and the lamps: pins in Broadcom's numbers, each button between its pin and ground."""

    pins: str = setting(
        "auto", "auto, lgpio (refuses to start without), mock, or none.", one_of=("auto", "lgpio", "mock", "none")
    )
    confirm_pin: int = setting(17, "The button that confirms.", **_PIN)
    reject_pin: int = setting(27, "The button that rejects; held, it takes back.", **_PIN)
    next_pin: int = setting(22, "The button for the next step.", **_PIN)
    lamp_pin: int = setting(23, "The lamp that is lit while a card waits.", **_PIN)
    hold_s: float = setting(1.0, "How long a button is down until it is held, in seconds.", least=0.2, most=10)
    bounce_s: float = setting(0.02, "How long a contact may bounce, in seconds.", least=0, most=0.2)
    seat_pins: tuple[int, ...] = setting((), "A confirm button at each seat, in their order.", example=[5, 6], **_PIN)
    turn_pins: tuple[int, ...] = setting((), "A lamp at each seat, lit at its turn.", example=[16, 26], **_PIN)
    buzzer_pin: int | None = setting(None, "A buzzer that sounds when a card begins to wait.", example=12, **_PIN)


@dataclass(frozen=True, slots=True)
class SoundSettings:
    """The program that speaks at the table, such as espeak-ng; ``none`` for a silent table."""

    speaker: str = setting("none", "Program that speaks at the table: espeak-ng, or none.")


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Where the games are kept (None: `default_data`), how long after a change a press counts as a bounce, how many
    megabytes the moves' pictures may take before the oldest make room, and what the table says in words of its own."""

    data: Path | None = setting(None, "Folder that keeps games and calibrations.", example="/srv/companion")
    press_gap_s: float = setting(0.3, "A press so soon after a change counts as a bounce, in seconds.", least=0, most=5)
    evidence_mb: int = setting(500, "Megabytes that the moves' pictures may take before the oldest go.", least=0)
    language: str = setting(
        "en",
        "Language of the table's voice, of its screen, and of phones that ask for no other.",
        one_of=("en", "de", "fr", "cs", "sk", "pl", "es"),
    )
    words: Path | None = setting(
        None, "The table's own phrases, laid over companion/views/words.toml.", example="/etc/companion/words.toml"
    )


@dataclass(frozen=True, slots=True)
class HubSettings:
    """The hall that the table belongs to; without a broker it plays by itself. Needs ``companion[hub]`` installed."""

    broker: str | None = setting(
        None, "Broker of the hall; left out, the table plays by itself.", example="mqtts://hall.local:8883"
    )
    hall: str = setting("hall", "Name of the hall.")
    name: str = setting("table-01", "Name of this table in the hall, and towards the broker.")
    password: str | None = setting(None, "Password towards the broker.", example="from companion hub init")
    ca: Path | None = setting(None, "Certificate that signs the broker's.", example="/etc/companion/ca.pem")
    certificate: Path | None = setting(
        None, "Certificate of this table, where the broker asks for one.", example="/etc/companion/table-01.pem"
    )
    key: Path | None = setting(None, "Private key of that certificate.", example="/etc/companion/table-01.key")
    home_assistant: bool = setting(False, "Whether Home Assistant finds the table through the broker.")


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
    hub: HubSettings = field(default_factory=HubSettings)


def load(path: Path | None = None) -> Settings:
    """The settings of a file; without a path, of the usual one if there is one, else the defaults.

    Raises:
        BadSettings: the file cannot be read, or names a setting that there is not or a value that cannot be.
    """
    found = path or usual_file()
    if found is None:
        return Settings()
    settings, problems = checked(_text(found))
    _refuse(problems, str(found))
    return settings


def read(given: Mapping[str, Any], source: str = FILE) -> Settings:
    """Settings from what a TOML file says; ``source`` is named in what is said of an error. Raises `BadSettings`.

    >>> read({"web": {"port": 9000}}).web.port
    9000
    """
    settings, problems = _checked(given, Lines())
    _refuse(problems, source)
    return settings


def checked(text: str) -> tuple[Settings, tuple[Problem, ...]]:
    """Settings from a file's text, the defaults standing in where it says what cannot be, and every problem."""
    try:
        given = read_toml(text)
    except tomllib.TOMLDecodeError as error:
        line = error.args[0].rpartition("at line ")[2].partition(",")[0]
        number = int(line) if line.isdecimal() else len(text.splitlines())  # else it says: at the end
        return Settings(), (Problem("", f"no TOML: {error}", number),)
    except ValueError as error:
        return Settings(), (Problem("", f"no settings: {error}"),)
    return _checked(given, Lines(text))


def documented() -> str:
    """Every setting with its default and what it is for, as a file to begin from."""
    return commented(Settings)


def default_data() -> Path:
    """Where a table keeps its games: ``$STATE_DIRECTORY`` of a service, else the user's data folder."""
    if state := os.environ.get("STATE_DIRECTORY"):
        return Path(state.split(":")[0])
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "companion"


def data_folder(named: Path | None = None) -> Path:
    """The data folder that a command means: the one named to it, else that of the settings. Raises `BadSettings`."""
    return named or load().table.data or default_data()


def usual_file() -> Path | None:
    """The settings file that holds when none is named; None where there is none."""
    system = os.environ.get("CONFIGURATION_DIRECTORY", "").split(":")[0]
    user = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    folders = [Path(system)] if system else [Path(user) / "companion"]
    return next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)


def _text(path: Path) -> str:
    try:
        return read_file(path).decode("utf-8-sig")
    except OSError as error:
        raise BadSettings(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadSettings(f"cannot read {path}: it is no text file") from None


def _refuse(problems: tuple[Problem, ...], source: str) -> None:
    if problems:
        more = f" (and {len(problems) - 1} more: see companion config --check)" if len(problems) > 1 else ""
        raise BadSettings(problems[0].as_line(source) + more, setting=problems[0].setting)


def _checked(given: Mapping[str, Any], lines: Lines) -> tuple[Settings, tuple[Problem, ...]]:
    settings, problems = read_sections(Settings, given, lines)
    return settings, (*problems, *_across(settings, lines))


def _across(settings: Settings, lines: Lines) -> tuple[Problem, ...]:
    """What no setting says wrongly by itself."""
    problems = []
    camera, panel = settings.camera, settings.panel
    if (camera.width_px is None) != (camera.height_px is None):
        lacking = "camera.height_px" if camera.height_px is None else "camera.width_px"
        there = "camera.width_px" if camera.height_px is None else "camera.height_px"
        problems.append(Problem(there, f"it counts only together with {lacking}", lines.of(there)))
    taken: dict[int, str] = {}
    for name in ("confirm_pin", "reject_pin", "next_pin", "lamp_pin", "buzzer_pin", "seat_pins", "turn_pins"):
        pins = getattr(panel, name)
        for pin in pins if isinstance(pins, tuple) else (pins,) if pins is not None else ():
            if pin in taken:
                at = lines.of(f"panel.{name}") or lines.of(taken[pin])
                problems.append(Problem(f"panel.{name}", f"pin {pin} is also {taken[pin]}; take another", at))
            taken.setdefault(pin, f"panel.{name}")
    return tuple(problems)
