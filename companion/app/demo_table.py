"""The demo's table: its film, the people who play there by script, and their hands on the panel and a phone."""

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


def filmed(
    game: str, seed: int, speed: float, table: Table, say: Say, stage: DemoGame | None = None
) -> SimulatedCamera:
    """The camera above a table at which scripted people play on from where the game is; ``stage`` for another play."""
    stage = stage or game_spec(game).demo()
    equipment = _Equipment(table)
    look = equipment.view_table()
    player = stage.player(stage.header, seed)
    script, tabletop = _set_up(stage, seed, look, player)
    if table.settings.vision.calibration is not None:
        _calibrate(tabletop, table.settings.vision.calibration)
    evening = Evening(script, player, tabletop, equipment, Random(seed), say)
    return SimulatedCamera(tabletop, evening, speed)


def _set_up(stage: DemoGame, seed: int, look: TableView, player: Player) -> tuple[Script, Tabletop]:
    """The script and its table as the moves left it; another script when they are not this seed's."""
    script = written(look.header, player)
    tabletop = stage.tabletop(script, seed)
    if tabletop.done(look.moves) is None:
        script = written(look.header, player, look.moves)
        tabletop = stage.tabletop(script, seed)
    tabletop.lay_out(len(look.moves))
    return script, tabletop


def _calibrate(tabletop: Tabletop, file: Path) -> None:
    """Write down where the camera stands, as `companion calibrate` would find it."""
    camera = tabletop.camera
    zones = {name: np.array(corners, np.float64) for name, corners in tabletop.zones.items()}
    table_from_px = np.linalg.inv(camera.px_from_mm())
    told = Calibration("simulated table", "simulated", camera.size, table_from_px, zones=zones, made=date.today())
    file.write_text(calibration_text(told), encoding="utf-8")


class _Equipment:
    """The table's buttons, its scoreboard and a phone."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def view_table(self) -> TableView:
        """What the scoreboard shows now."""
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
