"""Every journal of a data folder looked through: whole, as the rules have it, its pictures the ones that were kept."""

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
    """Something in a data folder that is not as it was written.

    Attributes:
        what: ``torn``, an unfinished last line, which the next start cuts off; ``damaged``, a journal that does not
            read back; ``contradicted``, one that today's rules judge otherwise; ``picture``, one that was changed.
        message: one sentence naming the file.
    """

    what: What
    path: Path
    message: str


@dataclass(frozen=True, slots=True)
class Inspected:
    """What was looked through, and what was found.

    Attributes:
        pictures: how many were there to look at; those that made room are no fault.
    """

    games: int
    moves: int
    pictures: int
    faults: tuple[Fault, ...]


def inspected(games: Path) -> Inspected:
    """Look through every journal in a folder of games. Changes nothing; a folder that is not there has no games."""
    faults: list[Fault] = []
    moves = seen = 0
    paths = journals(games)
    for path in paths:
        try:
            game = past_game(path)
        except JournalError as error:
            faults.append(Fault("damaged", path, error.message))
            continue
        moves += len(game.moves)
        faults += _of_journal(game)
        there, changed = _of_pictures(game)
        seen += there
        faults += changed
    return Inspected(len(paths), moves, seen, tuple(faults))


def _of_journal(game: PastGame) -> Iterator[Fault]:
    if game.torn:
        yield Fault("torn", game.path, f"the last {game.torn} bytes of {game.path} are no whole entry")
    if game.trouble:
        yield Fault("contradicted", game.path, game.trouble)


def _of_pictures(game: PastGame) -> tuple[int, list[Fault]]:
    there, faults = 0, []
    for move in game.moves:
        if move.evidence is None:
            continue
        try:
            there += kept_picture(game.path, move.evidence) is not None
        except JournalError as error:
            there += 1
            faults.append(Fault("picture", game.path, error.message))
    return there, faults
