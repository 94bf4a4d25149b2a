"""The demo's simulated camera and its scripted players, who press the panel's buttons and enter moves on a phone."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from random import Random

import numpy as np

from companion.app.table import Table
from companion.games import game as game_spec
from companion.referee.messages import Do
from companion.rules.engine import Command
from companion.simulator.camera import SimulatedCamera
from companion.simulator.demo_game import DemoGame
from companion.simulator.evening import Evening, TableView
from companion.simulator.script import Player, Script, written
from companion.simulator.tabletop import Tabletop
from companion.vision.calibration.calibration import Calibration, calibration_text

Say = Callable[[str], None]


def demo_camera(
    game: str, seed: int, speed: float, table: Table, say: Say, demo: DemoGame | None = None
) -> SimulatedCamera:
    """A simulated camera above a table where scripted players continue the game; ``demo`` replaces the game's own."""
    demo = demo or game_spec(game).demo()
    equipment = _Equipment(table)
    view = equipment.view_table()
    player = demo.player(demo.header, seed)
    script, tabletop = _set_up(demo, seed, view, player)
    if table.settings.vision.calibration is not None:
        _calibrate(tabletop, table.settings.vision.calibration)
    evening = Evening(script, player, tabletop, equipment, Random(seed), say)
    return SimulatedCamera(tabletop, evening, speed)


def _set_up(demo: DemoGame, seed: int, view: TableView, player: Player) -> tuple[Script, Tabletop]:
    """The seed's script and the table after the moves so far; a script that begins with them where they differ."""
    script = written(view.header, player)
    tabletop = demo.tabletop(script, seed)
    if tabletop.done(view.moves) is None:
        script = written(view.header, player, view.moves)
        tabletop = demo.tabletop(script, seed)
    tabletop.lay_out(len(view.moves))
    return script, tabletop


def _calibrate(tabletop: Tabletop, file: Path) -> None:
    """Write the simulated camera's calibration, as `companion calibrate` would."""
    camera = tabletop.camera
    zones = {name: np.array(corners, np.float64) for name, corners in tabletop.zones.items()}
    table_from_px = np.linalg.inv(camera.px_from_mm())
    calibration = Calibration(
        "simulated table", "simulated", camera.size, table_from_px, zones=zones, made=date.today()
    )
    file.write_text(calibration_text(calibration), encoding="utf-8")


class _Equipment:
    """The table's buttons, its scoreboard and a phone."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def view_table(self) -> TableView:
        """The session's header, moves and proposed command."""
        session = self._table.referee.latest()
        proposal = session.proposal.command if session.proposal else None
        return TableView(session.header, tuple(move.command for move in session.moves), proposal)

    def press(self, button: str) -> None:
        """Push a button and let go."""
        pin = self._table.panel.pins[button]
        pin.drive_low()
        pin.drive_high()

    def enter(self, command: Command) -> None:
        """Enter a command as a phone would."""
        self._table.referee.ask(Do(command))
