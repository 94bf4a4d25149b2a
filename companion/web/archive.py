"""The past games of a table: read from their journals when somebody asks, kept summed up while they do not change."""

import logging
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from companion.errors import JournalError
from companion.referee.folder import journals, storage_errors
from companion.referee.past import PastGame, past_game
from companion.rules.limits import require_file
from companion.views.archive.statistics import Summed, summarise
from companion.views.words import language

_log = logging.getLogger(__name__)
_OPEN = 4
"""So many games are kept whole; of the others only the sums."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A game in the list: summed up, or the reason why it cannot be."""

    number: int
    begun: str
    changed: str
    sums: Summed | None
    trouble: str | None


Stamp = tuple[int, int]
"""A file's time of change and size: while they stay, so does what was read."""


class Archive:
    """The games in a folder. Any thread may ask."""

    def __init__(self, games: Path) -> None:
        self._games = games
        self._lock = Lock()
        self._entries: dict[tuple[Path, str], tuple[Stamp, Entry]] = {}  # a language each: it is told in words
        self._open: OrderedDict[Path, tuple[Stamp, PastGame]] = OrderedDict()

    def newest(self) -> int:
        """The number of the game that was begun last; 0 when there is none."""
        return max((int(path.stem) for path in journals(self._games)), default=0)

    def entries(self, before: int | None = None, most: int | None = None) -> list[Entry]:
        """The games, the newest first: those begun before that number, so many at most."""
        paths = [path for path in reversed(journals(self._games)) if before is None or int(path.stem) < before]
        with self._lock:
            return [self._entry(path) for path in paths[:most]]

    def game(self, number: int) -> PastGame | None:
        """One game; None when there is none of that number. Raises `JournalError`."""
        with self._lock:
            path = next((path for path in journals(self._games) if int(path.stem) == number), None)
            return None if path is None else self._whole(path)

    def _entry(self, path: Path) -> Entry:
        try:
            stamp = _stamp(path)
        except JournalError as error:
            return _untold(path, error.message)
        known = self._entries.get((path, language()))
        if known is None or known[0] != stamp:
            known = self._entries[path, language()] = stamp, _summed_up(path)
        return known[1]

    def _whole(self, path: Path) -> PastGame:
        stamp = _stamp(path)
        known = self._open.get(path)
        if known is None or known[0] != stamp:
            known = self._open[path] = stamp, _read(path)
        self._open.move_to_end(path)
        while len(self._open) > _OPEN:
            self._open.popitem(last=False)
        return known[1]


def _read(path: Path) -> PastGame:
    """A game; where its folder lies is nothing for a whole network. Raises `JournalError`."""
    lies_in = f"{path.parent}/"
    try:
        game = past_game(path)
    except JournalError as error:
        raise JournalError(error.message.replace(lies_in, ""), code=error.code) from error
    return replace(game, trouble=game.trouble and game.trouble.replace(lies_in, ""))


def _summed_up(path: Path) -> Entry:
    try:
        game = _read(path)
        sums = None if game.session is None else summarise(game.session)
    except JournalError as error:
        return _untold(path, error.message)
    except Exception:  # noqa: BLE001 - one game that a bug keeps from being summed up does not hide the others
        _log.exception("game %s cannot be summed up", path.stem)
        return _untold(path, "A mistake of the program keeps this game from being summed up.")
    return Entry(game.number, game.begun, game.changed, sums, game.trouble)


def _untold(path: Path, why: str) -> Entry:
    return Entry(int(path.stem), "", "", None, why)


def _stamp(path: Path) -> Stamp:
    """Raises `JournalError` where no file stands in the journal's place."""
    with storage_errors(f"cannot read the journal {path.name}"):
        require_file(path)
        state = path.stat()
    return state.st_mtime_ns, state.st_size
