"""The demo: a whole table in one process, a filmed table for a camera, pretend pins, people who play by script.

Everything between the camera and the page is the real thing: the same referee, reader, panel and web as in `run`. The
film, which takes OpenCV, is imported once the page is live.
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
"""Where the simulated camera stands, for games whose places have names; the film writes it before it is read."""


@dataclass(frozen=True, slots=True)
class DemoOptions:
    """What a demo may be asked for. Without ``data`` its games are forgotten at the end."""

    game: str = "hexel"
    seed: int = 1
    speed: float = 1.0
    host: str = "0.0.0.0"
    port: int = 8080
    data: Path | None = None


def run_demo(wishes: DemoOptions, say: Say) -> None:
    """Run a simulated table until it is asked to stop; a game that the data folder holds goes on.

    Raises:
        CompanionError: no demo of that game, or what `run` may raise.
    """
    header = game(wishes.game).demo_header()
    with TemporaryDirectory(prefix="companion-demo-") as forgotten:
        settings = _settings(wishes, header, wishes.data or Path(forgotten))
        run_table(settings, camera=lambda table: _camera(wishes, table, say), say=say)


def _camera(wishes: DemoOptions, table: Table, say: Say) -> Camera:
    camera: Camera = lazy_import("companion.app.demo_table").filmed(wishes.game, wishes.seed, wishes.speed, table, say)
    return camera


def _settings(wishes: DemoOptions, header: Header, data: Path) -> Settings:
    calibration = data / _CALIBRATION if game(header.game).zones else None
    return Settings(
        game=GameSettings(header.game, header.players, header.edition, header.options),
        vision=VisionSettings(calibration=calibration),
        web=WebSettings(wishes.host, wishes.port),
        panel=PanelSettings(pins="mock"),
        table=TableSettings(data, _PRESS_GAP_S / max(wishes.speed, 1.0)),
    )
