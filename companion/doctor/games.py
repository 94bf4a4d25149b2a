"""The games that were kept: whether every journal reads back, and every picture is the one that was kept."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from companion.config import Settings, default_data
from companion.doctor.finding import Finding, Machine, State
from companion.errors import JournalError
from companion.referee.folder import journals, kept_picture
from companion.referee.past import PastGame, past_game

What = Literal["torn", "damaged", "contradicted", "picture"]
_NAMED = 3
_WHAT = {
    "torn": "{} ends in an unfinished entry",
    "damaged": "{} is damaged",
    "contradicted": "{} does not follow today's rules",
    "picture": "a picture of {} was changed",
}
_TRUNCATED = "nothing is lost that was confirmed; the next start cuts it off"
_RESTORE = "restore it from a copy, or move it out of the folder"


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


def games(machine: Machine, settings: Settings) -> Finding:
    """Look through the whole data folder. Names files only: what stands in them is nobody else's."""
    folder = (settings.table.data or default_data()) / "games"
    found = inspect_games(folder)
    if not found.games:
        return Finding("games", "ok", f"none yet at {folder}")
    counted = (_counted(found.games, "game"), _counted(found.moves, "move"), _counted(found.pictures, "picture"))
    summary = f"{', '.join(counted)} at {folder}"
    if not found.faults:
        return Finding("games", "ok", f"{summary}: all whole")
    named = "; ".join(_WHAT[fault.what].format(fault.path.name) for fault in found.faults[:_NAMED])
    more = f"; and {len(found.faults) - _NAMED} more" if len(found.faults) > _NAMED else ""
    newest = journals(folder)[-1]
    keeps_from_starting = [f for f in found.faults if f.path == newest and f.what in ("damaged", "contradicted")]
    state: State = "fail" if keeps_from_starting else "warn"
    return Finding("games", state, f"{summary}: {named}{more}", _fix(found.faults))


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _fix(faults: tuple[Fault, ...]) -> str:
    return _TRUNCATED if {fault.what for fault in faults} == {"torn"} else _RESTORE
