"""What a game brings to the simulated table: its things and where hands put them, its filmed tabletop, its players."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from companion.errors import UsageError
from companion.printing.shapes import Point, Shape
from companion.rules.engine import Command, Header
from companion.simulator.lying import Pose
from companion.simulator.optics import Camera
from companion.simulator.script import Player, Script, write_script

Place = Hashable
"""Where one thing lies, as its game names it."""
Face = Hashable
"""What a thing shows, as its game names it."""
_ATTEMPTS = 100


@dataclass(frozen=True, slots=True)
class Still:
    """What nobody ever moves: a draw deck, a board, a mat.

    Attributes:
        faces: one above the other, the lowest first.
        pose: where they lie; a stack leans a little.
    """

    faces: tuple[Face, ...]
    pose: Pose


class Things(Protocol):
    """One game's things on one table."""

    def camera(self, size: tuple[int, int], rng: np.random.Generator) -> Camera:
        """A camera that sees every place of the game, with pictures of that width and height."""

    def still(self, camera: Camera) -> tuple[Still, ...]:
        """What lies there from the beginning to the end, under everything else."""

    def shapes(self, face: Face) -> tuple[Shape, ...]:
        """How a thing that shows this is drawn, in its own frame, which its pose puts on the table."""

    def outline(self, face: Face) -> tuple[Point, ...]:
        """The corners of its top face in its own frame, clockwise as seen."""

    def spot(self, place: Place, lying: Mapping[Place, Pose], rng: np.random.Generator) -> Pose:
        """Where a hand puts a thing that belongs at a place, beside what lies there already."""

    def seed(self, place: Place) -> list[int]:
        """Whole numbers that tell this place from all others: every small error there follows from them."""


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


@dataclass(frozen=True, slots=True)
class DemoGame:
    """One game's simulated table.

    Attributes:
        header: who plays what when nobody says otherwise.
        player: for a table and a seed, people who play on from any state.
        tabletop: from a script and a seed, the filmed table with nothing on it yet.
    """

    header: Header
    player: Callable[[Header, int], Player]
    tabletop: Callable[[Script, int], Tabletop]


def first_good_player(
    players: Callable[[int], Player], header: Header, seed: int, is_good: Callable[[Script], bool]
) -> Player:
    """The first player, counting on from the seed, whose game is worth watching.

    Raises:
        UsageError: `no-such-game`: none of a hundred is.
    """
    for attempt in range(_ATTEMPTS):
        player = players(_ATTEMPTS * seed + attempt)
        if is_good(write_script(header, player)):
            return players(_ATTEMPTS * seed + attempt)
    raise UsageError(f"seed {seed} gives no game of {header.game} worth watching; try another", code="no-such-game")
