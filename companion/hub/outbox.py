"""The journals as an outbox: every line in order, from any position on, read without disturbing who writes them."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from companion.hub.messages import Entry, Position
from companion.referee.folder import journals
from companion.referee.lines import Damaged, body

Written = Callable[[], tuple[str, int]]
"""The journal that is being written, and how many of its lines are on the disk."""


class JournalOutbox:
    """The lines of a folder of games from a place on. Used by one thread; the journals belong to the referee's."""

    def __init__(self, games: Path, written: Written | None = None) -> None:
        """The outbox of a folder.

        Args:
            written: nothing beyond it is read, for a line not yet on the disk may come to be another; None where
                nobody writes.
        """
        self._games = games
        self._written = written
        self._place = _Place()
        self.damaged: str | None = None
        """What could not be read, for people; the rest of that game is left out."""

    def seek(self, position: Position | None) -> None:
        """Go on after a position; from the first line of all where there is no such game.

        A game that has fewer lines than the position says (an older copy was restored) is read from its beginning.
        """
        self._place = _Place()
        if position is None:
            return
        before: Position | None = None
        for path in journals(self._games):
            places = list(_lines(path))
            if places and places[0].position.game == position.game:
                if position.line <= len(places):
                    there = places[position.line - 1]
                    self._place = _Place(path, position, there.end, position)
                else:
                    self._place = _Place(path, last=before)
                return
            before = places[-1].position if places else before

    def read(self, limit: int) -> list[Entry]:
        """The next lines, ``limit`` at most; none when all that is on the disk has been read."""
        entries: list[Entry] = []
        while len(entries) < limit:
            before = len(entries)
            if self._place.path is not None:
                entries += self._read_on(self._place.path, limit - before)
            if len(entries) == before and not self._next_journal():
                break
        return entries

    def _read_on(self, path: Path, limit: int) -> list[Entry]:
        found: list[Entry] = []
        most = self._most(path)
        for line in _lines(path, self._place, self._note):
            if len(found) == limit or line.position.line > most:
                break
            found.append(Entry(line.position, self._place.last, line.body))
            self._place = _Place(path, line.position, line.end, line.position)
        return found

    def _most(self, path: Path) -> float:
        if self._written is None:
            return float("inf")
        file, lines = self._written()
        return lines if Path(file) == path else float("inf")

    def _next_journal(self) -> bool:
        paths = journals(self._games)
        at = paths.index(self._place.path) + 1 if self._place.path in paths else 0
        if at >= len(paths):
            return False
        self._place = _Place(paths[at], last=self._place.last)
        return True

    def _note(self, what: str) -> None:
        self.damaged = what


class _Place(NamedTuple):
    """Where reading goes on: in which file, after which of its lines, at which byte; and the last line read of all."""

    path: Path | None = None
    position: Position | None = None
    offset: int = 0
    last: Position | None = None


class _Line(NamedTuple):
    position: Position
    end: int
    body: Mapping[str, Any]


def _lines(path: Path, place: _Place | None = None, note: Callable[[str], None] | None = None) -> Iterator[_Line]:
    """The whole lines of a journal, after a place; a line that is being written has no end yet and ends the reading."""
    offset = place.offset if place else 0
    game, number = (place.position.game, place.position.line) if place and place.position else ("", 0)
    with path.open("rb") as file:
        file.seek(offset)
        while (text := file.readline()).endswith(b"\n"):
            number += 1
            try:
                content = body(text, number)
            except Damaged as damage:
                if note is not None:
                    note(f"{path.name}, line {number}: {damage}")
                return
            if number == 1:
                game = f"{int(path.stem):04}-{text.rstrip()[-10:-2].decode()}"
            offset += len(text)
            yield _Line(Position(game, number), offset, content)
