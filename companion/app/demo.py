"""The demo: a whole table in one process, with a simulated camera, mock pins and scripted players.

Referee, recognizer, panel and web server are those of `run`. The simulator needs OpenCV and is imported once the page
is live.
"""

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from companion.app.bootstrap import lazy_import, run_table
from companion.app.table import Table
from companion.config import GameSettings, PanelSettings, Settings, TableSettings, VisionSettings, WebSettings
from companion.devices.camera import Camera
from companion.games import GAMES, game
from companion.referee.folder import journals
from companion.referee.messages import Notice
from companion.rules.engine import Header

Say = Callable[[str], None]
Restart = Callable[[Path], None]

ALL = "all"
"""Instead of a game: all of them in turn."""
KEPT = "COMPANION_DEMO_DATA"
"""Where a demo that begins again after a power cut finds its data: an environment variable."""

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


def run_demo(options: DemoOptions, say: Say, restart: Restart | None = None) -> None:
    """Run a simulated table until it is asked to stop; a game found in the data folder goes on.

    Args:
        restart: ends the program without a word and starts it again, given the folder of its data: so the power fails
            in the demo. None: it never does.

    Raises:
        CompanionError: no demo of that game, or what `run_table` raises.
    """
    played = demo_games() if options.game == ALL else (options.game,)
    header = game(played[0]).demo_header()
    with ExitStack() as closing:
        kept = options.data or Path(os.environ.get(KEPT) or mkdtemp(prefix="companion-demo-"))
        if options.data is None:
            closing.callback(shutil.rmtree, kept, ignore_errors=True)

        def cut_power() -> None:
            if restart is not None:
                restart(kept)

        def camera(table: Table) -> Camera:
            evenings: Camera = lazy_import("companion.app.demo_table").demo_evenings(
                played,
                options.seed,
                options.speed,
                table,
                say,
                cut_power if restart is not None else None,
            )
            return evenings

        notice = Notice("demo-back" if KEPT in os.environ else "demo-plays", "")
        run_table(_settings(options, header, kept), camera=camera, notice=notice, say=say)


def demo_games() -> tuple[str, ...]:
    """The games that play by themselves."""
    return tuple(GAMES)


def _settings(options: DemoOptions, header: Header, data: Path) -> Settings:
    calibration = data / _CALIBRATION if options.game == ALL or game(header.game).zones else None
    goes_on = options.game == ALL and bool(journals(data / "games"))
    return Settings(
        game=GameSettings() if goes_on else GameSettings(header.game, header.players, header.edition, header.options),
        vision=VisionSettings(calibration=calibration),
        web=WebSettings(options.host, options.port),
        panel=PanelSettings(pins="mock"),
        table=TableSettings(data, _PRESS_GAP_S / max(options.speed, 1.0)),
    )
