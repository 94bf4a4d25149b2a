"""What a game's simulated table promises to the people who play on it and to the camera above it."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy.typing as npt

from companion.printing.shapes import Point
from companion.rules.engine import Command
from companion.simulator.optics import Camera
from companion.simulator.script import Script


class Shot(Protocol):
    """One picture of a table."""

    @property
    def bgr(self) -> npt.NDArray[Any]:
        """The picture, ``(H, W, 3)`` uint8, nobody else writes to it."""

    @property
    def t_s(self) -> float:
        """Table time."""


class Tabletop(Protocol):
    """A filmed table on which one script is played. Not for several threads."""

    @property
    def camera(self) -> Camera:
        """What films it."""

    @property
    def zones(self) -> Mapping[str, Sequence[Point]]:
        """The places that have a name for the camera too: their corners on the table in mm. Empty for most games."""

    @property
    def is_busy(self) -> bool:
        """Whether a hand is about, or about to come."""

    def next(self, step_s: float) -> Shot:
        """The next picture, ``step_s`` of table time after the one before."""

    def lay_out(self, done: int) -> None:
        """Let the table lie at once as it lies after ``done`` commands of the script."""

    def follow(self, script: Script, moves: Sequence[Command]) -> None:
        """Go on with another script, which begins with these moves and names cells as they do."""

    def is_laid(self, index: int) -> bool:
        """Whether the script's command of that index is carried out by hand for the camera to see; else it is said."""

    def perform(self, index: int) -> None:
        """Let someone carry out the script's command of that index."""

    def mislay(self, index: int) -> bool:
        """Let someone carry that command out wrongly by a slip, for the camera to see; False where nobody would."""

    def mistaken(self, index: int) -> Command | None:
        """How that command would be entered wrongly; None where any other that the rules list would do."""

    def nudge(self, index: int) -> None:
        """Let someone push straight what was laid for the script's command of that index."""

    def can_repeat(self, index: int) -> bool:
        """Whether that command brings something that could be laid once more; clearing a table does not."""

    def take_back(self, index: int) -> None:
        """Let someone take away what was laid for the script's command of that index."""

    def fidget(self) -> None:
        """Let someone do with their hands what means nothing."""

    def rest_hand(self, stay_s: float) -> None:
        """Let a hand lie over the middle of the table for so long."""

    def tidy(self, done: int) -> bool:
        """Let someone bring the table closer to what lies there after ``done`` commands; False when nothing differs."""

    def done(self, moves: Sequence[Command]) -> int | None:
        """How many of the script's commands these moves are, in order; None when they are something else."""

    def is_next(self, moves: Sequence[Command], seen: Command) -> bool:
        """Whether what the camera saw is the script's next command after these moves."""

    def is_read_right(self, moves: Sequence[Command], seen: Command) -> bool:
        """Whether the camera read what lies there right, though it takes it for another command than the script's next.

        Then nothing can be laid better, and the command is said on a phone.
        """

    def command_for(self, moves: Sequence[Command], index: int) -> Command:
        """The script's command of that index as it is to be entered after these moves, in the camera's names."""
