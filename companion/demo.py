"""The demo: a whole table in one process, a filmed table for a camera, pretend pins, people who play by script.

Everything between the camera and the page is the real thing: the same referee, reader, panel and web as in `run`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from companion.bootstrap import Table, run_table
from companion.config import GameSettings, PanelSettings, Settings, TableSettings, WebSettings
from companion.referee.messages import Do
from companion.rules.engine import Command
from companion.simulator.camera import SimulatedCamera
from companion.simulator.evening import Evening, Look
from companion.simulator.script import Player, Script, written
from companion.simulator.tabletop import Tabletop
from companion.simulator.tabletops import Play, play

Say = Callable[[str], None]

_PRESS_GAP_S = 0.3


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a demo may be asked for. Without ``data`` its games are forgotten at the end."""

    game: str = "hexel"
    seed: int = 1
    speed: float = 1.0
    host: str = "0.0.0.0"
    port: int = 8080
    data: Path | None = None


def run_demo(wishes: Wishes, say: Say) -> None:
    """Run a simulated table until it is asked to stop; a game that the data folder holds goes on.

    Raises:
        CompanionError: no demo of that game, or what `run` may raise.
    """
    stage = play(wishes.game)
    with TemporaryDirectory(prefix="companion-demo-") as forgotten:
        settings = _settings(wishes, stage, wishes.data or Path(forgotten))
        run_table(settings, camera=lambda table: _camera(wishes, stage, table, say), say=say)


def _settings(wishes: Wishes, stage: Play, data: Path) -> Settings:
    header = stage.header
    return Settings(
        game=GameSettings(header.game, header.players, header.edition, header.options),
        web=WebSettings(wishes.host, wishes.port),
        panel=PanelSettings(pins="mock"),
        table=TableSettings(data, _PRESS_GAP_S / max(wishes.speed, 1.0)),
    )


def _camera(wishes: Wishes, stage: Play, table: Table, say: Say) -> SimulatedCamera:
    equipment = _Equipment(table)
    look = equipment.look()
    player = stage.player(stage.header, wishes.seed)
    script, tabletop = _set_up(wishes, stage, look, player)
    evening = Evening(script, player, tabletop, equipment, Random(wishes.seed), say)
    return SimulatedCamera(tabletop, evening, wishes.speed)


def _set_up(wishes: Wishes, stage: Play, look: Look, player: Player) -> tuple[Script, Tabletop]:
    """The script and its table as the moves left it; another script when they are not this seed's."""
    script = written(look.header, player)
    tabletop = stage.tabletop(script, wishes.seed)
    if tabletop.done(look.moves) is None:
        script = written(look.header, player, look.moves)
        tabletop = stage.tabletop(script, wishes.seed)
    tabletop.lay_out(len(look.moves))
    return script, tabletop


class _Equipment:
    """The table's buttons, its scoreboard and a phone."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def look(self) -> Look:
        """What the scoreboard shows now."""
        session = self._table.referee.latest()
        proposal = session.proposal.command if session.proposal else None
        return Look(session.header, tuple(move.command for move in session.moves), proposal)

    def press(self, button: str) -> None:
        """Push a button and let go."""
        pin = self._table.panel.pins[button]
        pin.drive_low()
        pin.drive_high()

    def enter(self, command: Command) -> None:
        """Enter a command as a phone would."""
        self._table.referee.ask(Do(command))
