"""The demo: a whole table in one process, with a simulated camera, mock pins and scripted players.

Referee, recognizer, panel and web server are those of `run`. The simulator needs OpenCV and is imported once the page
is live.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from companion.app.bootstrap import lazy_import, run_table
from companion.app.table import Table
from companion.config import GameSettings, PanelSettings, Settings, TableSettings, VisionSettings, WebSettings
from companion.devices.camera import Camera
from companion.games import game
from companion.rules.engine import Header

Say = Callable[[str], None]

_PRESS_GAP_S = 0.3
_CALIBRATION = "simulated-table.toml"
"""The simulated camera's calibration, for games with zones; the simulator writes it before it is read."""


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """The options of a demo. Without ``data`` its games are deleted at the end."""

    game: str = "hexel"
    seed: int = 1
    speed: float = 1.0
    host: str = "0.0.0.0"
    port: int = 8080
    data: Path | None = None


def run_demo(options: DemoOptions, say: Say) -> None:
    """Run a simulated table until it is asked to stop; a game found in the data folder goes on.

    Raises:
        CompanionError: no demo of that game, or what `run_table` raises.
    """
    header = game(options.game).demo_header()
    with TemporaryDirectory(prefix="companion-demo-") as temporary:
        settings = _settings(options, header, options.data or Path(temporary))
        run_table(settings, camera=lambda table: _camera(options, table, say), say=say)


def _camera(options: DemoOptions, table: Table, say: Say) -> Camera:
    demo_table = lazy_import("companion.app.demo_table")
    camera: Camera = demo_table.demo_camera(options.game, options.seed, options.speed, table, say)
    return camera


def _settings(options: DemoOptions, header: Header, data: Path) -> Settings:
    calibration = data / _CALIBRATION if game(header.game).zones else None
    return Settings(
        game=GameSettings(header.game, header.players, header.edition, header.options),
        vision=VisionSettings(calibration=calibration),
        web=WebSettings(options.host, options.port),
        panel=PanelSettings(pins="mock"),
        table=TableSettings(data, _PRESS_GAP_S / max(options.speed, 1.0)),
    )
