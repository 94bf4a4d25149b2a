"""Checks every journal of a data folder: complete, accepted by today's rules, pictures unchanged."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from companion.errors import JournalError
from companion.referee.folder import journals
from companion.referee.past import PastGame, past_game
from companion.referee.pictures import kept_picture

What = Literal["torn", "damaged", "contradicted", "picture"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A damaged file in a data folder.

    Attributes:
        what: ``torn``, an unfinished last line, which the next start cuts off; ``damaged``, a journal that cannot be
            read; ``contradicted``, a journal that today's rules contradict; ``picture``, a picture that was changed.
        message: one sentence naming the file.
    """

    what: What
    path: Path
    message: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """How much was checked, and the faults found.

    Attributes:
        pictures: how many pictures were present; those deleted to make room are no fault.
    """

    games: int
    moves: int
    pictures: int
    faults: tuple[Fault, ...]


def inspect_games(games: Path) -> Inspection:
    """Check every journal in a folder of games. Changes nothing; a missing folder has no games."""
    faults: list[Fault] = []
    moves = pictures = 0
    paths = journals(games)
    for path in paths:
        try:
            game = past_game(path)
        except JournalError as error:
            faults.append(Fault("damaged", path, error.message))
            continue
        moves += len(game.moves)
        faults += _journal_faults(game)
        count, changed = _check_pictures(game)
        pictures += count
        faults += changed
    return Inspection(len(paths), moves, pictures, tuple(faults))


def _journal_faults(game: PastGame) -> Iterator[Fault]:
    if game.torn:
        yield Fault("torn", game.path, f"the last {game.torn} bytes of {game.path} are no whole entry")
    if game.trouble:
        yield Fault("contradicted", game.path, game.trouble)


def _check_pictures(game: PastGame) -> tuple[int, list[Fault]]:
    """The number of pictures that are present, and a fault for each that was changed."""
    count, faults = 0, []
    for move in game.moves:
        if move.evidence is None:
            continue
        try:
            count += kept_picture(game.path, move.evidence) is not None
        except JournalError as error:
            count += 1
            faults.append(Fault("picture", game.path, error.message))
    return count, faults
