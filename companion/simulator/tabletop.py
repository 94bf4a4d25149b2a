"""What the simulated tables of all games share: hands that bring a filmed table to what a script says lies there.

A game says what lies there after so many commands (`Tabletop.lying`) and which of them are seen by a camera; the
hands do the rest, whatever the table looked like before. A game whose camera may call places by other names than the
script does says how the two agree.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.errors import UsageError
from companion.printing.shapes import Point
from companion.rules.engine import Command, Header
from companion.simulator.film import Film, FilmFrame, Setting
from companion.simulator.optics import Camera
from companion.simulator.script import Player, Script, commands_agree, write_script
from companion.simulator.things import Face, Place, Things

_ATTEMPTS = 100
Faces = Mapping[Any, Face]
"""What lies where, in the order laid; places are the game's own."""


class Tabletop(ABC):
    """A filmed table on which one script is played. Not for several threads.

    As it stands its camera calls all places as the script does.
    """

    def __init__(self, script: Script, things: Things, seed: int, size: tuple[int, int] = (1280, 720)) -> None:
        """A table with nothing on it yet."""
        self._script = script
        self._random = random.Random(seed)
        self._seats = len(script.header.players)
        self._film = Film(Setting(things, self._seats, seed, size))

    # ------------------------------------------------------------ what a game brings

    @abstractmethod
    def lying(self, done: int) -> Faces:
        """What lies there after ``done`` commands of the script, in the order laid, in the film's names."""

    @abstractmethod
    def is_laid(self, index: int) -> bool:
        """Whether the script's command of that index is carried out by hand for the camera to see; else it is said."""

    def is_turned_over(self, was: Face, shows: Face) -> bool:
        """Whether a thing that showed one face shows the other once it is turned over."""
        return False

    def agree(self, ours: Command, theirs: Command) -> bool:
        """Whether a move is the script's command."""
        return commands_agree(ours, theirs, tuple(ours))

    def laid_after(self, index: int) -> Faces:
        """What lies there once that command's hands have done their part."""
        return self.lying(index + 1)

    def mislaid(self, index: int) -> Faces | None:
        """What would lie there if that command were carried out wrongly; None where nobody would."""
        return None

    def mistaken(self, index: int) -> Command | None:
        """How that command would be entered wrongly; None where any other that the rules list would do."""
        return None

    def seat_of(self, face: Face) -> int:
        """Who tidies a thing."""
        return 0

    # ------------------------------------------------------------ what lies there

    @property
    def camera(self) -> Camera:
        """What films it."""
        return self._film.camera

    @property
    def zones(self) -> Mapping[str, Sequence[Point]]:
        """The places that have a name for the camera too: their corners on the table in mm. Empty for most games."""
        return {}

    @property
    def is_busy(self) -> bool:
        """Whether a hand is about, or about to come."""
        return self._film.is_busy

    def next(self, step_s: float) -> FilmFrame:
        """The next picture."""
        return self._film.next(step_s)

    def lay_out(self, done: int) -> None:
        """Let the table lie at once as it lies after ``done`` commands of the script."""
        self._film.lay_out(self.lying(done))

    def perform(self, index: int) -> None:
        """Let someone lay, turn over or take away what the command asks for."""
        seat = self._seat(index)
        for step in self._steps(self.laid_after(index), lambda face: seat):
            step()

    def mislay(self, index: int) -> bool:
        """Let someone carry that command out wrongly by a slip, for the camera to see; False where nobody would."""
        wrong, seat = self.mislaid(index), self._seat(index)
        for step in self._steps(wrong, lambda face: seat) if wrong else ():
            step()
        return bool(wrong)

    def nudge(self, index: int) -> None:
        """Push the last thing straight that the command brought."""
        new = [place for place in self._changed_places(index) if self._film.has(place)]
        if new:
            self._film.nudge(new[-1], self._seat(index))

    def can_repeat(self, index: int) -> bool:
        """Whether that command brings something that could be laid once more; clearing a table does not."""
        return bool(self._changed_places(index))

    def take_back(self, index: int) -> None:
        """Bring the table back to what it was before the command."""
        seat = self._seat(index)
        for step in self._steps(self.lying(index), lambda face: seat):
            step()

    def fidget(self) -> None:
        """Hover over something on the table, or over its middle."""
        lying = list(self._film.lying)
        at = self._film.middle(self._random.choice(lying)) if lying else self._film.camera.aim
        self._film.hover(at, self._random.randrange(self._seats))

    def rest_hand(self, stay_s: float) -> None:
        """Let a hand lie over the middle of the table for so long."""
        self._film.rest(self._film.camera.aim, self._random.randrange(self._seats), stay_s)

    def tidy(self, done: int) -> bool:
        """Take away one thing that the session does not know, or bring one that it does."""
        step = next(self._steps(self.lying(done), self.seat_of), None)
        if step is not None:
            step()
        return step is not None

    # ------------------------------------------------------------ what is played

    def follow(self, script: Script, moves: Sequence[Command]) -> None:
        """Go on with another script, which begins with these moves and names cells as they do."""
        self._script = script

    def done(self, moves: Sequence[Command]) -> int | None:
        """How many of the script's commands these moves are, in order; None when they are something else."""
        ours = self._script.commands[: len(moves)]
        return len(moves) if len(ours) == len(moves) and all(map(self.agree, ours, moves)) else None

    def is_next(self, moves: Sequence[Command], seen: Command) -> bool:
        """Whether what the camera saw is the script's next command after these moves."""
        return self.done([*moves, seen]) is not None

    def is_read_right(self, moves: Sequence[Command], seen: Command) -> bool:
        """Whether the camera read what lies there right, though it takes it for another command than the script's next.

        Then nothing can be laid better, and the command is said on a phone.
        """
        return False

    def command_for(self, moves: Sequence[Command], index: int) -> Command:
        """The script's command of that index as it is to be entered after these moves, in the camera's names."""
        return self._script.commands[index]

    # ------------------------------------------------------------ hands

    def _changed_places(self, index: int) -> list[Place]:
        before, after = self.lying(index), self.laid_after(index)
        return [place for place in after if before.get(place) != after[place]]

    def _steps(self, wanted: Faces, seat: Callable[[Face], int]) -> Iterator[Callable[[], None]]:
        """What hands do, thing by thing, until the table lies as wanted: the last laid goes first."""
        film, lying = self._film, dict(self._film.lying)
        for place in reversed(lying):
            if place not in wanted:
                yield _bound(film.lift, place, seat(lying[place]))
        for place, face in lying.items():
            if place in wanted and wanted[place] != face:
                if self.is_turned_over(face, wanted[place]):
                    yield _bound(film.turn, place, wanted[place], seat(face))
                else:
                    yield _bound(film.lift, place, seat(face))
        for place, face in wanted.items():
            if not self._turned_where_it_lies(lying, place, face):
                yield _bound(film.lay, place, face, seat(face))

    def _turned_where_it_lies(self, lying: Mapping[Place, Face], place: Place, face: Face) -> bool:
        return place in lying and (lying[place] == face or self.is_turned_over(lying[place], face))

    def _seat(self, index: int) -> int:
        player, players = self._script.commands[index].get("player"), self._script.header.players
        return players.index(player) % self._seats if player in players else 0


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


def _bound(act: Callable[..., None], *given: object) -> Callable[[], None]:
    return lambda: act(*given)
