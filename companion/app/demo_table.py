"""The demo's simulated camera and its scripted players, who press the panel's buttons and enter moves on a phone."""

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from random import Random

import numpy as np

from companion.app.table import Table
from companion.games import game as game_spec
from companion.referee.messages import Begin, Correct, Do, Notice
from companion.referee.moves import Change
from companion.rules.engine import Command, Header
from companion.simulator.camera import SimulatedCamera
from companion.simulator.evening import Evening, TableView
from companion.simulator.incidents import Incident, Incidents
from companion.simulator.script import Player, Script, write_script
from companion.simulator.tabletop import DemoGame, Tabletop
from companion.views.phrases import CAPTION
from companion.vision.calibration.calibration import Calibration, calibration_text

Say = Callable[[str], None]

_PLACE = ("cmd", "player", "cell", "row", "col")


def demo_camera(
    game: str, seed: int, speed: float, table: Table, say: Say, demo: DemoGame | None = None
) -> SimulatedCamera:
    """A simulated camera above a table where scripted players continue the game; ``demo`` replaces the game's own."""
    demo, equipment = demo or game_spec(game).demo(), _Equipment(table)
    return SimulatedCamera(*_evening(demo, seed, seed, equipment, equipment.view_table(), say), speed)


def demo_evenings(
    games: Sequence[str],
    seed: int,
    speed: float,
    table: Table,
    say: Say,
    cut_power: Callable[[], None] | None = None,
) -> SimulatedCamera:
    """The same for newcomers: an evening with incidents, and when it is over the next, of several games in turn.

    Args:
        cut_power: ends the program, which begins again on the same data; None: the power holds.
    """
    equipment = _Equipment(table, cut_power or _nothing)
    number = games.index(equipment.view_table().header.game)

    def evening(view: TableView) -> tuple[Tabletop, Evening]:
        demo = game_spec(view.header.game).demo()
        mishaps = Incidents([kind for kind in Incident if kind is not Incident.POWER or cut_power is not None])
        return _evening(demo, seed, seed + number, equipment, view, say, mishaps)

    def following() -> tuple[Tabletop, Evening]:
        nonlocal number
        number += 1
        header = game_spec(games[number % len(games)]).demo().header
        next_one = evening(TableView(header, (), None))  # its camera's place is written before anybody looks it up
        equipment.begin(header)
        return next_one

    first = evening(equipment.view_table())
    equipment.camera = SimulatedCamera(*first, speed, following=following)
    return equipment.camera


def _evening(
    demo: DemoGame,
    seed: int,
    mind: int,
    equipment: "_Equipment",
    view: TableView,
    say: Say,
    incidents: Incidents | None = None,
) -> tuple[Tabletop, Evening]:
    """A table that looks as ``seed`` says, and people who think as ``mind`` does."""
    player = demo.player(demo.header, mind)
    script, tabletop = _set_up(demo, seed, view, player)
    if (calibration := equipment.calibration) is not None:
        _calibrate(tabletop, calibration)
    if incidents is not None:
        incidents.plan(len(script.commands), tabletop.is_laid, begun=len(view.moves))
    return tabletop, Evening(script, player, tabletop, equipment, Random(mind), say, incidents=incidents)


def _nothing() -> None:
    """Nothing happens."""


def _set_up(demo: DemoGame, seed: int, view: TableView, player: Player) -> tuple[Script, Tabletop]:
    """The seed's script and the table after the moves so far; a script that begins with them where they differ."""
    script = write_script(view.header, player)
    tabletop = demo.tabletop(script, seed)
    if tabletop.done(view.moves) is None:
        script = write_script(view.header, player, view.moves)
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

    def __init__(self, table: Table, cut_power: Callable[[], None] = _nothing) -> None:
        self._table = table
        self.cut_power = cut_power
        self.camera: SimulatedCamera | None = None

    @property
    def calibration(self) -> Path | None:
        """The file that says where the camera stands."""
        return self._table.settings.vision.calibration

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

    def mistaken(self, command: Command) -> Command | None:
        """Another command that the rules list for the same place."""
        session = self._table.referee.latest()
        place = {name: command[name] for name in _PLACE if name in command}
        others = session.game.legal(session.state) if len(place) > 1 else []
        return next(
            (one for one in others if one != command and all(one.get(name) == at for name, at in place.items())), None
        )

    def put_right(self, command: Command) -> None:
        """Correct the last move."""
        session = self._table.referee.latest()
        self._table.referee.ask(Correct(Change(len(session.moves), 1, (command,))))

    def begin(self, header: Header) -> None:
        """Put a new game on the table, which is looked at with fresh eyes: it was cleared at a stroke."""
        self._table.referee.ask(Begin(header))
        self._table.restart_watching()

    def tell(self, code: str) -> None:
        """Say on all screens what goes on, in place of what was said before."""
        captions = [one for one in self._table.referee.latest().notices if one.startswith(CAPTION)]
        for one in captions:
            if one != code:
                self._table.referee.notify(Notice(one, None))
        if code not in captions:
            self._table.referee.notify(Notice(code, ""))

    def pull_camera(self, away_s: float) -> None:
        """Have the camera away."""
        if self.camera is not None:
            self.camera.pull(away_s)
